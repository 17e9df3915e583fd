#include "update/aksvdc.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mat/blas.h"
#include "mat/mat.h"
#include "update/others.h"

/* Updates D D' for the last atom, which has changed since. */
static void keep_up(aksvdc *w, const inco_mat *d, int64_t j) {
    if (w->last >= 0) others_move(&w->frame, w->old, mat_column(d, w->last), w->old + d->rows);
    memcpy(w->old, mat_column(d, j), (size_t)d->rows * sizeof *w->old);
    w->last = j;
}

/* Part of the objective that depends on the unit vector v for fixed coefficients: -2 v'E c + 2 gamma v'P v
 * (AKSVDC-3). */
static double value_at(const aksvdc *w, const double *step, const double *v, double *scratch) {
    const int64_t dim = w->frame.rows;
    others_apply(&w->frame, w->old, v, scratch);
    return -2 * blas_dot(dim, v, step) + 2 * w->gamma * blas_dot(dim, v, scratch);
}

/* v = E c + 2 gamma (s d - P d), normalised (AKSVDC-4). Returns 0 if it is zero. */
static int shifted(const aksvdc *w, const double *step, const double *pd, double shift, double *v) {
    const int64_t dim = w->frame.rows;
    inco_mat column = mat_view(INCO_F64, dim, 1, v);
    for (int64_t i = 0; i < dim; i++) v[i] = step[i] + 2 * w->gamma * (shift * w->old[i] - pd[i]);
    return mat_normalize_columns(&column, NULL) == 0;
}

/* The shift starts at the eigenvalue of a tight frame and is doubled until the objective does not increase. L, the
 * trace of D D', always suffices. */
static void push(void *self, const inco_mat *d, int64_t j, double *step) {
    aksvdc *w = self;
    const int64_t dim = d->rows;
    const double atoms = (double)d->cols;
    double *pd = w->old + dim, *v = pd + dim, *scratch = v + dim;
    keep_up(w, d, j);
    others_apply(&w->frame, w->old, w->old, pd);
    const double before = value_at(w, step, w->old, scratch);
    for (double shift = fmin(atoms / (double)dim, atoms);; shift = fmin(2 * shift, atoms)) {
        if (shifted(w, step, pd, shift, v) && (value_at(w, step, v, scratch) <= before || shift >= atoms)) break;
        if (shift >= atoms) return; /* zero vector: the step stays unchanged */
    }
    memcpy(step, v, (size_t)dim * sizeof *step);
}

int aksvdc_open(aksvdc *w, const inco_mat *d, double gamma, int threads, inco_error *error) {
    *w = (aksvdc){.rule = {.form = KSVD_APPROXIMATE, .push = push, .self = w}, .gamma = gamma, .last = -1};
    w->old = NEW_RAW(double, 4 * d->rows);
    int status = w->old ? mat_new_raw(&w->frame, INCO_F64, d->rows, d->rows, error) : error_no_memory(error);
    if (status >= 0) blas_multiply(threads, "NT", 1, d, d, 0, &w->frame);
    return status;
}

void aksvdc_close(aksvdc *w) {
    memory_free(w->old);
    inco_mat_free(&w->frame);
}

/* (IDL-2): |D'D - I|^2 = |D D' - I|^2 + L - D */
int aksvdc_penalty(const inco_mat *d, int threads, double *penalty, inco_error *error) {
    inco_mat frame;
    int status = mat_new_raw(&frame, INCO_F64, d->rows, d->rows, error);
    if (status < 0) return status;
    blas_multiply(threads, "NT", 1, d, d, 0, &frame);
    for (int64_t i = 0; i < d->rows; i++) mat_set(&frame, i, i, mat_get(&frame, i, i) - 1);
    *penalty = blas_dot(d->rows * d->rows, frame.data, frame.data) + (double)(d->cols - d->rows);
    inco_mat_free(&frame);
    return status;
}
