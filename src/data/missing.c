#include "data/missing.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/common.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/range.h"
#include "base/source.h"
#include "mat/gaps.h"
#include "mat/mat.h"

enum { TOGETHER = 256 }; /* signals */

/* ---- Masks ---- */

static int read_masked(void *self, int64_t first, int64_t count, void *out, inco_error *error) {
    const masked *m = self;
    const int64_t dim = m->from->dim, numbers = count * dim;
    const inco_mat x = mat_view(m->from->type, dim, count, out);
    unsigned char *observed = NEW_RAW(unsigned char, numbers);
    int status = observed ? source_read(m->from, first, count, out, error) : error_no_memory(error);
    if (status >= 0) status = m->from->mask(m->from->self, first, count, observed, error);
    for (int64_t i = 0; status >= 0 && i < numbers; i++)
        if (!observed[i]) mat_set(&x, i % dim, i / dim, NAN);
    memory_free(observed);
    return status;
}

static int read_weights(void *self, int64_t first, int64_t count, double *out, inco_error *error) {
    const masked *m = self;
    return source_weights(m->from, first, count, out, error);
}

void missing_open(masked *m, const inco_source *from, const inco_options *options) {
    *m = (masked){.source = *from, .from = from};
    if (options && common_options_of(options)->missing == MISSING_NAN) m->source.missing = 1;
    if (!from->mask) return;
    m->source.missing = 1;
    m->source.mask = NULL;
    m->source.self = m;
    m->source.read = read_masked;
    m->source.weights = from->weights ? read_weights : NULL;
}

/* ---- Signals with observed entries ---- */

/* Counts the missing entries of a block, and the signals that have each feature. */
static void count_block(const inco_mat *x, int64_t first, int64_t *has, subset *present, missing_counts *counts) {
    for (int64_t n = 0; n < x->cols; n++) {
        const int64_t missing = gaps_count(x, n);
        if (missing == x->rows) continue;
        counts->entries += missing;
        subset_add(present, first + n);
        for (int64_t i = 0; i < x->rows; i++) has[i] += !isnan(mat_get(x, i, n));
    }
}

static int check_features(const int64_t *has, int64_t dim, inco_error *error) {
    for (int64_t i = 0; i < dim; i++)
        if (!has[i])
            return error_set(error, INCO_EDATA,
                             "feature %lld (counted from 0) is missing in all signals: leave it out of the data",
                             (long long)i);
    return INCO_OK;
}

int missing_keep(subset *present, const inco_source *from, int any, missing_counts *counts, inco_error *error) {
    inco_mat x = {0};
    int64_t *has = NULL;
    int status = INCO_OK;
    *counts = (missing_counts){0};
    *present = (subset){.source = *from, .from = from};
    if (!from->missing) return status;
    TRY(subset_new(present, from, error));
    if (!(has = NEW(int64_t, from->dim))) TRY(error_no_memory(error));
    TRY(mat_new_raw(&x, from->type, from->dim, TOGETHER, error));
    for (int64_t first = 0; first < from->count; first += TOGETHER) {
        const inco_mat part = mat_columns(&x, 0, range_min(TOGETHER, from->count - first));
        TRY(source_read(from, first, part.cols, part.data, error));
        count_block(&part, first, has, present, counts);
    }
    subset_complete(present);
    counts->empty = from->count - present->source.count;
    if (present->source.count == 0)
        TRY(error_set(error, INCO_EDATA, "all entries of all %lld signals are missing", (long long)from->count));
    if (!any) TRY(check_features(has, from->dim, error));
    if (counts->empty) goto done;
    subset_free(present);
    *present = (subset){.source = *from, .from = from};
done:
    inco_mat_free(&x);
    memory_free(has);
    return status;
}

/* ---- Filling ---- */

typedef struct filling_run {
    const filling *job;
    double *sum; /* D, per thread */
    atomic_int any;
} filling_run;

static void fill_signal(const filling *job, int64_t n, double *sum) {
    const inco_mat *x = job->x, *d = job->dictionary;
    const csc *codes = job->codes;
    const unsigned char *missing = job->missing + n * x->rows;
    memset(sum, 0, (size_t)x->rows * sizeof *sum);
    for (int64_t k = codes->start[n]; k < codes->start[n + 1]; k++) {
        const int64_t j = codes->index[k];
        const double c = csc_value(codes, k) * (job->norms ? job->norms[j] : 1);
        for (int64_t i = 0; i < x->rows; i++) sum[i] += c * mat_get(d, i, j);
    }
    for (int64_t i = 0; i < x->rows; i++)
        if (missing[i]) mat_set(x, i, n, sum[i]);
}

static int fill_part(void *self, int64_t part, int thread, inco_error *error) {
    filling_run *r = self;
    const filling *job = r->job;
    const int64_t rows = job->x->rows, last = range_min((part + 1) * TOGETHER, job->x->cols);
    (void)error;
    for (int64_t n = part * TOGETHER; n < last; n++) {
        unsigned char *missing = job->missing + n * rows;
        int any = 0;
        for (int64_t i = 0; i < rows; i++) any |= missing[i] = isnan(mat_get(job->x, i, n)) != 0;
        if (!any) continue;
        fill_signal(job, n, r->sum + thread * rows);
        atomic_store(&r->any, 1);
    }
    return INCO_OK;
}

int missing_fill(const filling *job, inco_error *error) {
    filling_run r = {.job = job, .sum = NEW_RAW(double, job->x->rows * job->threads)};
    if (!r.sum) return error_no_memory(error);
    parallel_for(job->threads, range_blocks(job->x->cols, TOGETHER), fill_part, &r, NULL);
    memory_free(r.sum);
    return atomic_load(&r.any);
}
