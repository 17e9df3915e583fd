#include "code/refit.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/range.h"
#include "mat/blas.h"
#include "mat/gaps.h"
#include "mat/mat.h"
#include "sparse/csc.h"

enum { SIGNALS_TOGETHER = 64, WORKSPACES = 3 };

typedef struct refitting {
    const inco_mat *d, *gram, *x;
    const csc *codes;
    double *residual;
    int missing;         /* x may have NaN: missing entries */
    int64_t maximum;     /* maximum number of atoms in a code */
    inco_mat *workspace; /* per thread: Gram matrix of the support (maximum x maximum), x and c (one column) */
} refitting;

static int64_t longest(const csc *codes) {
    int64_t maximum = 1;
    for (int64_t n = 0; n < codes->cols; n++)
        if (codes->start[n + 1] - codes->start[n] > maximum) maximum = codes->start[n + 1] - codes->start[n];
    return maximum;
}

/* The same over the entries of x that are not NaN. */
static int solve_observed(const refitting *r, const int32_t *support, inco_mat *own, double *x, double *c) {
    const int64_t dim = r->d->rows;
    for (int64_t k = 0; k < own->cols; k++) {
        const double *atom = mat_column(r->d, support[k]);
        c[k] = 0;
        for (int64_t i = 0; i < dim; i++) c[k] += isnan(x[i]) ? 0 : x[i] * atom[i];
        for (int64_t m = 0; m <= k; m++) {
            const double *other = mat_column(r->d, support[m]);
            double sum = 0;
            for (int64_t i = 0; i < dim; i++) sum += isnan(x[i]) ? 0 : atom[i] * other[i];
            mat_set(own, m, k, sum);
        }
    }
    return lapack_solve_positive(own, c);
}

/* c = (S'S)^-1 S'x for S the atoms of the support; 0 if they are linearly dependent. */
static int solve_code(const refitting *r, const int32_t *support, inco_mat *own, const double *x, double *c) {
    for (int64_t k = 0; k < own->cols; k++) {
        const double *from = mat_column(r->gram, support[k]);
        double *to = mat_column(own, k);
        for (int64_t i = 0; i <= k; i++) to[i] = from[support[i]];
        c[k] = blas_dot(r->d->rows, mat_column(r->d, support[k]), x);
    }
    return lapack_solve_positive(own, c);
}

static void refit_signal(const refitting *r, int64_t n, inco_mat *workspace) {
    const csc *codes = r->codes;
    const int64_t first = codes->start[n], count = codes->start[n + 1] - first, dim = r->d->rows;
    const int32_t *support = codes->index + first;
    inco_mat own = mat_columns(&workspace[0], 0, count), from = mat_columns(r->x, n, 1);
    double *x = workspace[1].data, *c = workspace[2].data;
    own.rows = count;
    mat_copy(&workspace[1], &from);
    const int gaps = r->missing && gaps_count(&workspace[1], 0);
    if (count > 0 && (gaps ? solve_observed(r, support, &own, x, c) : solve_code(r, support, &own, x, c)))
        for (int64_t k = 0; k < count; k++) csc_set_value(codes, first + k, c[k]);
    for (int64_t k = 0; k < count; k++) blas_axpy(dim, -csc_value(codes, first + k), mat_column(r->d, support[k]), x);
    if (gaps) gaps_zero(&workspace[1]);
    r->residual[n] = blas_dot(dim, x, x);
}

static int refit_part(void *self, int64_t part, int thread, inco_error *error) {
    const refitting *r = self;
    int64_t last = range_min((part + 1) * SIGNALS_TOGETHER, r->x->cols);
    for (int64_t n = part * SIGNALS_TOGETHER; n < last; n++) refit_signal(r, n, r->workspace + WORKSPACES * thread);
    (void)error;
    return INCO_OK;
}

static int make_room(refitting *r, int threads, inco_error *error) {
    const int64_t maximum = r->maximum, size[WORKSPACES][2] = {{maximum, maximum}, {r->d->rows, 1}, {maximum, 1}};
    int status = INCO_OK;
    if (!(r->workspace = NEW(inco_mat, WORKSPACES * threads))) return error_no_memory(error);
    for (int i = 0; status >= 0 && i < WORKSPACES * threads; i++)
        status = mat_new_raw(&r->workspace[i], INCO_F64, size[i % WORKSPACES][0], size[i % WORKSPACES][1], error);
    return status;
}

int refit_codes(const inco_mat *d, const inco_mat *gram, const inco_mat *x, const csc *codes, double *residual,
                int threads, inco_error *error) {
    int64_t row, col;
    refitting r = {d, gram, x, codes, residual, mat_find_nonfinite(x, &row, &col), longest(codes), NULL};
    int status = make_room(&r, threads, error);
    if (status >= 0) status = parallel_for(threads, range_blocks(x->cols, SIGNALS_TOGETHER), refit_part, &r, error);
    for (int i = 0; r.workspace && i < WORKSPACES * threads; i++) inco_mat_free(&r.workspace[i]);
    memory_free(r.workspace);
    return status;
}
