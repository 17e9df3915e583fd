#include "mat/lanczos.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/range.h"
#include "mat/blas.h"
#include "mat/mat.h"

enum { STEPS = 96, RESTARTS = 32, FIRST_LOOK = 6 };

static const double close_enough = 1e-12; /* tolerance of the residual, relative to the eigenvalue */

int lanczos_new(lanczos *w, int64_t order, inco_error *error) {
    const int64_t steps = range_min(order, STEPS);
    *w = (lanczos){.order = order, .work = NEW_RAW(double, 11 * steps), .next = NEW_RAW(double, 2 * order)};
    w->iwork = NEW_RAW(int64_t, 6 * steps);
    if (!w->work || !w->next || !w->iwork) return error_no_memory(error);
    w->alpha = w->work + 6 * steps, w->beta = w->alpha + steps, w->copy = w->beta + steps, w->top = w->copy + 2 * steps;
    return mat_new_raw(&w->basis, INCO_F64, order, steps, error);
}

void lanczos_free(lanczos *w) {
    memory_free(w->work);
    memory_free(w->next);
    memory_free(w->iwork);
    inco_mat_free(&w->basis);
}

/* Orthogonalises x against the basis, twice if most of x was in its span. Returns the remaining norm. */
static double orthogonalize(const inco_mat *basis, double *x, double *products) {
    double before = sqrt(blas_dot(basis->rows, x, x)), after = before;
    for (int turn = 0; turn < 2; turn++) {
        blas_gemv_transposed(basis, 1, x, 0, products);
        blas_gemv(basis, -1, products, 1, x);
        after = sqrt(blas_dot(basis->rows, x, x));
        if (after > 0.7 * before) break;
    }
    return after;
}

/* Top eigenpair of the current tridiagonal matrix. */
static int look(lanczos *w, int64_t steps, double *value, inco_error *error) {
    double *diagonal = w->copy, *beside = w->copy + steps;
    memcpy(diagonal, w->alpha, (size_t)steps * sizeof(double));
    memcpy(beside, w->beta, (size_t)steps * sizeof(double));
    return lapack_tridiagonal_top(steps, diagonal, beside, value, w->top, w->work, w->iwork, error);
}

/* w->next = scale a x */
static void multiply(lanczos *w, const inco_mat *a, const double *x) {
    blas_symv(a, x, w->next);
    for (int64_t i = 0; i < a->rows && w->scale != 1; i++) w->next[i] *= w->scale;
}

/* One run from the unit vector v, limited by the size of the basis. Returns 1 if it has converged. */
static int run(lanczos *w, const inco_mat *a, double *v, double *value, inco_error *error) {
    const int64_t n = a->rows, maximum = range_min(n, w->basis.cols);
    inco_mat basis = mat_view(INCO_F64, n, 0, w->basis.data);
    int64_t next_look = FIRST_LOOK;
    int done = 0;
    memcpy(basis.data, v, (size_t)n * sizeof(double));
    for (int64_t k = 0; k < maximum && !done; k++) {
        const double *q = mat_column(&basis, k);
        multiply(w, a, q);
        basis.cols = k + 1;
        w->alpha[k] = blas_dot(n, q, w->next);
        w->beta[k] = orthogonalize(&basis, w->next, w->next + n);
        const int closed = w->beta[k] <= 1e-15 * fabs(w->alpha[0]) || k + 1 == maximum;
        if (k + 1 == next_look || closed) {
            int status = look(w, k + 1, value, error);
            if (status < 0) return status;
            done = w->beta[k] * fabs(w->top[k]) <= close_enough * *value || w->beta[k] <= 1e-15 * *value || n == k + 1;
            next_look += 1 + next_look / 4;
        }
        if (closed) break;
        double *to = mat_column(&basis, k + 1);
        for (int64_t i = 0; i < n; i++) to[i] = w->next[i] / w->beta[k];
    }
    blas_gemv(&basis, 1, w->top, 0, v); /* the Ritz vector */
    return done;
}

static double normalize(int64_t n, double *v) {
    const double norm = sqrt(blas_dot(n, v, v));
    for (int64_t i = 0; i < n && norm > 0; i++) v[i] /= norm;
    return norm;
}

/* Power of two that brings a size near 1, if squares of products could overflow or underflow without it; else 1. */
static double scale_for(double size) {
    return size > 0 && isfinite(size) && abs(ilogb(size)) > 100 ? ldexp(1, -ilogb(size)) : 1;
}

int lanczos_top(lanczos *w, const inco_mat *a, double *v, double *value, inco_error *error) {
    const int64_t n = a->rows;
    const double start = scale_for(blas_largest(n, v));
    double largest = 0; /* entry of a, which is on the diagonal */
    for (int64_t i = 0; i < n; i++) {
        largest = fmax(largest, mat_get(a, i, i));
        v[i] *= start;
    }
    w->scale = scale_for(largest);
    *value = 0;
    multiply(w, a, v);
    if (!(normalize(n, v) > 0) || !(blas_dot(n, w->next, w->next) > 0)) return INCO_OK;
    for (int turn = 0, done = 0; turn < RESTARTS && !done; turn++) {
        if ((done = run(w, a, v, value, error)) < 0) return done;
        normalize(n, v);
    }
    *value /= w->scale;
    return INCO_OK;
}
