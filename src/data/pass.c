#include "data/pass.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/range.h"
#include "base/source.h"
#include "code/coder.h"
#include "code/refit.h"
#include "data/missing.h"
#include "data/sums.h"
#include "mat/mat.h"
#include "sparse/csc.h"

enum { PASS_READ = 256 }; /* signals read at a time by one thread */

typedef struct reading {
    const inco_source *source;
    const inco_mat *x;
    int64_t first;
} reading;

static int read_part(void *self, int64_t part, int thread, inco_error *error) {
    const reading *r = self;
    int64_t first = part * PASS_READ, left = r->x->cols - first;
    (void)thread;
    return source_read(r->source, r->first + first, range_min(left, PASS_READ), mat_column(r->x, first), error);
}

/* Workspace of a pass, for the largest group. */
typedef struct pass_work {
    inco_mat x;
    double *residual, *weight;
    unsigned char *missing;
} pass_work;

static int64_t count_of(const pass *p) {
    return p->count ? p->count : p->source->count;
}

int64_t pass_groups(const pass *p) {
    return range_blocks(count_of(p), PASS_GROUP);
}

/* Fills the missing entries by their codes. Returns whether there are any, or a negative status. */
static int fill_group(const pass *p, const inco_mat *x, const csc *codes, unsigned char *missing, inco_error *error) {
    filling job = {p->dictionary, NULL, codes, x, missing, p->threads};
    if (!missing) return 0;
    if (!p->held) job.dictionary = coder_atoms(p->coder, &job.norms);
    return missing_fill(&job, error);
}

/* Codes group `number`. Ranks have equal shares: what this one has done, the others have. */
static int run_group(pass *p, int64_t number, const inco_mat *x, const pass_work *work, inco_error *error) {
    const int64_t rank = cluster_rank(p->cluster), begin = cluster_share(p->cluster, pass_groups(p), rank);
    const int64_t first = p->first + number * PASS_GROUP, done = cluster_ranks(p->cluster) * (number + 1 - begin);
    reading r = {p->source, x, first};
    csc codes = {0};
    double start = clock_seconds(), middle;
    /* if the source is not concurrent, on the caller's thread only */
    const int readers = p->source->concurrent ? p->threads : 1;
    int status = parallel_for(readers, range_blocks(x->cols, PASS_READ), read_part, &r, error);
    if (status >= 0 && work->weight) status = source_weights(p->source, first, x->cols, work->weight, error);
    middle = clock_seconds();
    p->seconds_io += middle - start;
    if (status >= 0 && p->held) status = kept_take(p->held, number, &codes, error);
    if (status >= 0)
        status = p->held ? refit_codes(p->dictionary, p->products, x, &codes, work->residual, p->threads, error)
                         : coder_run(p->coder, x, &codes, work->residual, error);
    const int filled = status >= 0 ? fill_group(p, x, &codes, work->missing, error) : 0;
    if (filled < 0) status = filled;
    p->seconds_code += clock_seconds() - middle;
    pass_group group = {.first = first,
                        .number = number,
                        .done = range_min(done * PASS_GROUP, count_of(p)),
                        .total = count_of(p),
                        .x = x,
                        .codes = &codes,
                        .residual = work->residual,
                        .weight = work->weight,
                        .missing = filled > 0 ? work->missing : NULL};
    if (status >= 0) status = p->visit(p->self, &group, error);
    if (p->held && status >= 0) {
        const int put = kept_put(p->held, number, &codes, error);
        if (put < 0) status = put;
    }
    csc_free(&codes);
    return status;
}

int pass_dictionary(pass *p, const inco_mat *dictionary, inco_error *error) {
    double start = clock_seconds();
    int status = coder_set_dictionary(p->coder, dictionary, error);
    p->seconds_code += clock_seconds() - start;
    return status;
}

int pass_run(pass *p, inco_error *error) {
    if (p->status < 0) return cluster_agree(p->cluster, p->status, error);
    const int64_t count = count_of(p), maximum = range_min(PASS_GROUP, count), rank = cluster_rank(p->cluster);
    const int64_t begin = cluster_share(p->cluster, pass_groups(p), rank);
    const int64_t end = cluster_share(p->cluster, pass_groups(p), rank + 1);
    const int weighted = p->source->weights != NULL;
    pass_work work = {.residual = NEW_RAW(double, maximum), .weight = weighted ? NEW_RAW(double, maximum) : NULL};
    if (p->source->missing) work.missing = NEW_RAW(unsigned char, maximum * p->source->dim);
    int status = work.residual && (work.weight || !weighted) && (work.missing || !p->source->missing)
                     ? mat_new_raw(&work.x, p->source->type, p->source->dim, maximum, error)
                     : error_no_memory(error);
    for (int64_t number = begin; status == INCO_OK && number < end; number++) {
        inco_mat part = mat_columns(&work.x, 0, range_min(PASS_GROUP, count - number * PASS_GROUP));
        status = run_group(p, number, &part, &work, error);
    }
    inco_mat_free(&work.x);
    memory_free(work.residual);
    memory_free(work.weight);
    memory_free(work.missing);
    return cluster_agree(p->cluster, status > 0 ? INCO_STOPPED : status, error);
}

/* ---- Sums over a group ---- */

double pass_energy(const pass_group *group, int64_t n) {
    const inco_mat *x = group->x;
    const unsigned char *missing = group->missing ? group->missing + n * x->rows : NULL;
    double sum = 0;
    if (!missing || !memchr(missing, 1, (size_t)x->rows)) return mat_column_energy(x, n);
    for (int64_t i = 0; i < x->rows; i++)
        if (!missing[i]) sum += mat_get(x, i, n) * mat_get(x, i, n);
    return sum;
}

double pass_total_weight(const pass_group *group) {
    double sum = 0;
    if (!group->weight) return (double)group->x->cols;
    for (int64_t n = 0; n < group->x->cols; n++) sum += group->weight[n];
    return sum;
}

double pass_total_nonzeros(const pass_group *group) {
    const int64_t *start = group->codes->start;
    double sum = 0;
    if (!group->weight) return (double)csc_nonzeros(group->codes);
    for (int64_t n = 0; n < group->x->cols; n++) sum += group->weight[n] * (double)(start[n + 1] - start[n]);
    return sum;
}

/* ---- The error of codes ---- */

typedef struct measuring {
    const inco_mat *dictionary;
    const pass_group *group;
    double *residual; /* per signal: ||x - D c||^2, then ||x||^2 */
    inco_mat scratch; /* D x threads */
} measuring;

/* Missing entries of a signal, in double: they have no residual in the dictionary measured. */
static void fill_exactly(const measuring *m, int64_t n, double *signal) {
    const inco_mat *d = m->dictionary;
    const csc *codes = m->group->codes;
    const unsigned char *missing = m->group->missing + n * d->rows;
    for (int64_t i = 0; i < d->rows; i++) {
        if (!missing[i]) continue;
        signal[i] = 0;
        for (int64_t k = codes->start[n]; k < codes->start[n + 1]; k++)
            signal[i] += csc_value(codes, k) * mat_get(d, i, codes->index[k]);
    }
}

static int measure_part(void *self, int64_t part, int thread, inco_error *error) {
    const measuring *m = self;
    const inco_mat *x = m->group->x;
    const sums_residual residual_of = sums_choose_residual(m->dictionary->type);
    int64_t last = range_min((part + 1) * PASS_READ, x->cols);
    double *signal = mat_column(&m->scratch, thread);
    for (int64_t n = part * PASS_READ; n < last; n++) {
        for (int64_t i = 0; i < x->rows; i++) signal[i] = mat_get(x, i, n);
        if (m->group->missing) fill_exactly(m, n, signal);
        m->residual[2 * n] = residual_of(&(sums_signal){m->dictionary, m->group->codes, n, signal});
        m->residual[2 * n + 1] = pass_energy(m->group, n);
    }
    (void)error;
    return INCO_OK;
}

int pass_error(const inco_mat *dictionary, const pass_group *group, int threads, double *error_energy, double *energy,
               inco_error *error) {
    const int64_t count = group->x->cols;
    measuring m = {dictionary, group, NEW_RAW(double, 2 * count), {0}};
    int status =
        m.residual ? mat_new_raw(&m.scratch, INCO_F64, group->x->rows, threads, error) : error_no_memory(error);
    if (status >= 0) status = parallel_for(threads, range_blocks(count, PASS_READ), measure_part, &m, error);
    for (int64_t n = 0; status >= 0 && n < count; n++) {
        *error_energy += pass_weight(group, n) * m.residual[2 * n];
        *energy += pass_weight(group, n) * m.residual[2 * n + 1];
    }
    inco_mat_free(&m.scratch);
    memory_free(m.residual);
    return status;
}
