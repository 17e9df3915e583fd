#include "data/pass.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/range.h"
#include "base/source.h"
#include "code/coder.h"
#include "code/refit.h"
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

static int run_group(pass *p, int64_t first, const inco_mat *x, double *residual, inco_error *error) {
    reading r = {p->source, x, first};
    csc made = {0}, *codes = p->held ? &p->held[first / PASS_GROUP] : &made;
    double start = clock_seconds(), middle;
    /* if the source is not concurrent, on the caller's thread only */
    const int readers = p->source->concurrent ? p->threads : 1;
    int status = parallel_for(readers, range_blocks(x->cols, PASS_READ), read_part, &r, error);
    middle = clock_seconds();
    p->seconds_io += middle - start;
    if (status >= 0)
        status = p->held ? refit_codes(p->dictionary, p->products, x, codes, residual, p->threads, error)
                         : coder_run(p->coder, x, codes, residual, error);
    p->seconds_code += clock_seconds() - middle;
    pass_group group = {first, p->source->count, x, codes, residual};
    if (status >= 0) status = p->visit(p->self, &group, error);
    csc_free(&made);
    return status;
}

int pass_dictionary(pass *p, const inco_mat *dictionary, inco_error *error) {
    double start = clock_seconds();
    int status = coder_set_dictionary(p->coder, dictionary, error);
    p->seconds_code += clock_seconds() - start;
    return status;
}

int pass_run(pass *p, inco_error *error) {
    const int64_t count = p->source->count, maximum = range_min(PASS_GROUP, count);
    inco_mat x = {0};
    double *residual = NEW_RAW(double, maximum);
    int status = residual ? mat_new_raw(&x, p->source->type, p->source->dim, maximum, error) : error_no_memory(error);
    for (int64_t first = 0, size; status == INCO_OK && first < count; first += size) {
        size = range_min(p->group ? p->group(p->self, first) : PASS_GROUP, count - first);
        inco_mat part = mat_columns(&x, 0, size);
        status = run_group(p, first, &part, residual, error);
    }
    inco_mat_free(&x);
    memory_free(residual);
    return status > 0 ? INCO_STOPPED : status;
}

/* ---- The error of codes ---- */

typedef struct measuring {
    const inco_mat *dictionary;
    const pass_group *group;
    double *residual; /* per signal: ||x - D c||^2, then ||x||^2 */
    inco_mat scratch; /* D x threads */
} measuring;

static int measure_part(void *self, int64_t part, int thread, inco_error *error) {
    const measuring *m = self;
    const inco_mat *x = m->group->x, *d = m->dictionary;
    const csc *codes = m->group->codes;
    int64_t last = range_min((part + 1) * PASS_READ, x->cols);
    double *r = mat_column(&m->scratch, thread);
    for (int64_t n = part * PASS_READ; n < last; n++) {
        double energy = 0, residual = 0;
        for (int64_t i = 0; i < x->rows; i++) r[i] = mat_get(x, i, n), energy += r[i] * r[i];
        for (int64_t k = codes->start[n]; k < codes->start[n + 1]; k++) {
            double value = csc_value(codes, k);
            for (int64_t i = 0; i < x->rows; i++) r[i] -= value * mat_get(d, i, codes->index[k]);
        }
        for (int64_t i = 0; i < x->rows; i++) residual += r[i] * r[i];
        m->residual[2 * n] = residual;
        m->residual[2 * n + 1] = energy;
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
        *error_energy += m.residual[2 * n];
        *energy += m.residual[2 * n + 1];
    }
    inco_mat_free(&m.scratch);
    memory_free(m.residual);
    return status;
}
