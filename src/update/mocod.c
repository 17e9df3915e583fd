/* MOCOD: penalties on coherence and norms, by a damped fixed-point iteration (docs/theory/mocod.md). */
#include "update/mocod.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "mat/blas.h"
#include "mat/mat.h"
#include "update/idl.h"

/* The objective without the penalty on norms is IDL's with free norms, which provides value, gradient and line search
 * polynomial. */
typedef struct mocod {
    idl idl;
    double eta;
    inco_mat m;      /* (MOCOD-3), L x L; destroyed by the solve */
    inco_mat old;    /* the dictionary before the step */
    inco_mat step;   /* the gradient, then the step of the fixed-point iteration */
    double plain, f; /* the objective without and with the penalty on norms */
    double before;   /* plain, initially */
    int moved, steps, damped;
} mocod;

enum { HALVINGS = 60 };

static int open_parts(mocod *w, const inco_mat *d, const statistics *s, const update_settings *settings,
                      inco_error *error) {
    update_settings free_norms = *settings;
    int status;
    free_norms.rescale = 1;
    w->eta = settings->eta;
    TRY(idl_open(&w->idl, d, s, &free_norms, error));
    TRY(mat_new_raw(&w->m, INCO_F64, d->cols, d->cols, error));
    TRY(mat_new_raw(&w->old, INCO_F64, d->rows, d->cols, error));
    TRY(mat_new_raw(&w->step, INCO_F64, d->rows, d->cols, error));
done:
    return status;
}

/* eta sum_j (||d_j||^2 - 1)^2; adds its gradient 4 eta (||d_j||^2 - 1) d_j. */
static double norm_penalty(const mocod *w) {
    const int64_t rows = w->step.rows;
    double sum = 0;
    for (int64_t j = 0; j < w->step.cols; j++) {
        const double *d = mat_column(&w->idl.x, j), excess = blas_dot(rows, d, d) - 1;
        blas_axpy(rows, 4 * w->eta * excess, d, mat_column(&w->step, j));
        sum += excess * excess;
    }
    return w->eta * sum;
}

/* (MOCOD-1) and (MOCOD-2) at the current dictionary. */
static int evaluate(mocod *w, inco_error *error) {
    lbfgs_point at = {w->idl.x.data, w->step.data, 0};
    int status = lbfgs_evaluate(&w->idl.problem, &at, error);
    w->plain = at.f;
    w->f = at.f + norm_penalty(w);
    return status;
}

/* (MOCOD-3): M = A + 2 zeta D'D + 2 eta diag(D'D) */
static void make_matrix(mocod *w) {
    const inco_mat *d = &w->idl.x;
    mat_copy(&w->m, &w->idl.s->a);
    if (w->idl.gamma > 0) blas_multiply(w->idl.threads, "TN", 2 * w->idl.gamma, d, d, 1, &w->m);
    for (int64_t j = 0; j < d->cols; j++) {
        const double *atom = mat_column(d, j);
        mat_set(&w->m, j, j, mat_get(&w->m, j, j) + 2 * w->eta * blas_dot(d->rows, atom, atom));
    }
}

/* (MOCOD-5): the part of the norms in f along the step. */
static void add_norm_line(const mocod *w, double q[5]) {
    const int64_t rows = w->step.rows;
    for (int64_t j = 0; j < w->step.cols; j++) {
        const double *d = mat_column(&w->idl.x, j), *p = mat_column(&w->step, j);
        double a = blas_dot(rows, d, d) - 1, b = blas_dot(rows, d, p), c = blas_dot(rows, p, p);
        q[1] += w->eta * 4 * a * b;
        q[2] += w->eta * (4 * b * b + 2 * a * c);
        q[3] += w->eta * 4 * b * c;
        q[4] += w->eta * c * c;
    }
}

/* Largest of 1, 1/2, 1/4, ... that does not increase f along the step; 0 if there is none. */
static double damping(mocod *w) {
    double q[5], t = 1;
    idl_line(&w->idl, w->step.data, q);
    add_norm_line(w, q);
    for (int i = 0; i < HALVINGS; i++, t /= 2)
        if (q[1] + t * (q[2] + t * (q[3] + t * q[4])) <= 0) return t;
    return 0;
}

/* One damped step of the fixed-point iteration; w->moved tells whether there was one. */
static int advance(mocod *w, inco_error *error) {
    const int64_t n = w->step.rows * w->step.cols;
    double *p = w->step.data;
    int status;
    w->moved = 0;
    make_matrix(w);
    for (int64_t i = 0; i < n; i++) p[i] *= -0.5;
    TRY(lapack_solve_right(&w->m, &w->step, error)); /* (MOCOD-4) */
    double t = damping(w), f = w->f;
    if (t == 0) return INCO_OK;
    mat_copy(&w->old, &w->idl.x);
    blas_axpy(n, t, p, w->idl.x.data);
    TRY(evaluate(w, error));
    w->moved = w->f < f;
    w->damped += w->moved && t < 1;
    if (w->moved) return INCO_OK;
    mat_copy(&w->idl.x, &w->old); /* the gain is below rounding errors */
    w->f = f;
done:
    return status;
}

/* Runs the fixed-point iteration from d, normalised. */
static int search(mocod *w, const inco_mat *d, const statistics *s, const update_settings *settings,
                  inco_error *error) {
    int status = open_parts(w, d, s, settings, error);
    if (status >= 0) status = evaluate(w, error);
    if (status >= 0 && !isfinite(w->f))
        return error_set(error, INCO_ENUMERIC, "the objective is not finite at the start of the update");
    w->before = w->plain;
    for (w->moved = 1; status >= 0 && w->moved && w->steps < settings->iterations; w->steps += w->moved)
        if ((status = watcher_ask(settings->poll)) >= 0) status = advance(w, error);
    return status;
}

static void close_parts(mocod *w) {
    idl_close(&w->idl);
    inco_mat_free(&w->m);
    inco_mat_free(&w->old);
    inco_mat_free(&w->step);
}

int mocod_free(inco_mat *d, const statistics *s, const update_settings *settings, mocod_trace *trace,
               inco_error *error) {
    mocod w = {0};
    int status = search(&w, d, s, settings, error);
    *trace = (mocod_trace){w.f, w.steps, w.damped};
    if (status >= 0) mat_copy(d, &w.idl.x);
    close_parts(&w);
    return status;
}

/* An atom that the steps have reduced to rounding errors, which may be orthogonal to the span of the signals, keeps its
 * direction. */
static void restore_vanished(inco_mat *x, const inco_mat *before) {
    const double vanished = 1e-6; /* the penalty holds norms near 1 */
    for (int64_t j = 0; j < x->cols; j++) {
        const inco_mat atom = mat_columns(x, j, 1), old = mat_columns(before, j, 1);
        if (mat_column_norm(x, j) < vanished) mat_copy(&atom, &old);
    }
}

int mocod_update(inco_mat *d, const statistics *s, const update_settings *settings, update_result *result,
                 inco_error *error) {
    mocod w = {0};
    int status = search(&w, d, s, settings, error);
    if (status < 0) goto done;
    restore_vanished(&w.idl.x, d);
    mat_normalize_columns(&w.idl.x, NULL);
    TRY(evaluate(&w, error));
    mat_copy(d, &w.idl.x);
    *result =
        (update_result){.before = w.before, .after = w.plain, .iterations = w.steps, .evaluations = w.idl.fit.products};
done:
    close_parts(&w);
    return status;
}
