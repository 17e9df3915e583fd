/* IDL(gamma): the objective, its gradient, its two forms, and the update (docs/theory/idl.md). */
#include "update/idl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mat/blas.h"
#include "mat/mat.h"
#include "optim/quartic.h"
#include "optim/sphere.h"
#include "update/axes.h"

enum { PAIRS = 5, TANGENT_PAIRS = 1 };
enum { NEAR = 24 }; /* pairs of atoms near the bound that the model may know, per atom */

enum { SOFT_STEPS = 4, LAST_STEPS = 3 };             /* with a stiff bound: iterations times and divided by this */
static const double SOFT = 6, ROUND = 8, STIFF = 10; /* (CURV-14), (CURV-15) */

static int64_t count_of(const idl *w) {
    return w->x.rows * w->x.cols;
}

/* ---- The objective ---- */

/* out = A B' (D x D), or A'B (L x L) if that is smaller. */
static void small_product(const idl *w, const inco_mat *a, const inco_mat *b, const inco_mat *out) {
    blas_multiply(w->threads, a->rows <= a->cols ? "NT" : "TN", 1, a, b, 0, out);
}

/* (IDL-2): e = D D' - I, or D'D - I. */
static void small_gram(const idl *w, const inco_mat *e) {
    small_product(w, &w->d, &w->d, e);
    for (int64_t i = 0; i < e->rows; i++) mat_set(e, i, i, mat_get(e, i, i) - 1);
}

/* Updates the fit and e for D. */
static void place(idl *w) {
    fit_place(&w->fit, &w->d);
    if (w->gamma > 0) small_gram(w, &w->e);
    w->stale = 0;
}

/* (IDL-2) from e. */
static double penalty(const idl *w) {
    const int64_t more = w->x.cols > w->x.rows ? w->x.cols - w->x.rows : 0;
    return blas_dot(w->e.rows * w->e.cols, w->e.data, w->e.data) + (double)more;
}

/* The objective, and (IDL-3): 2 (D A - B) + 4 gamma e D, or D e. */
static void assess(idl *w, lbfgs_point *at) {
    const int wide = w->x.rows <= w->x.cols;
    const inco_mat g = mat_view(INCO_F64, w->x.rows, w->x.cols, at->gradient);
    at->f = fit_value(&w->fit, &w->d, 1, at->gradient);
    if (w->gamma == 0) return;
    at->f += w->gamma * penalty(w);
    blas_multiply(w->threads, "NN", 4 * w->gamma, wide ? &w->e : &w->d, wide ? &w->d : &w->e, 1, &g);
}

/* Takes out of a gradient or step what rounding leaves outside the span of the signals, where the penalty's curvature
 * is negative and a few iterations would make much of little (SPAN-5). */
static int stay_within(const idl *w, double *x, inco_error *error) {
    const inco_mat m = mat_view(INCO_F64, w->x.rows, w->x.cols, x);
    return subspace_project(w->within, &m, w->threads, error);
}

/* The objective alone. */
static double value(idl *w) {
    return fit_value(&w->fit, &w->d, 1, NULL) + (w->gamma == 0 ? 0 : w->gamma * penalty(w));
}

/* e1 = t + t', t = P D' or P'D */
static void symmetrize(const inco_mat *t, const inco_mat *e1) {
    for (int64_t j = 0; j < t->cols; j++)
        for (int64_t i = 0; i < t->rows; i++) mat_set(e1, i, j, mat_get(t, i, j) + mat_get(t, j, i));
}

/* (IDL-5) */
void idl_line(idl *w, const double *direction, double q[5]) {
    const int64_t n = count_of(w), m = w->e.rows * w->e.cols;
    const inco_mat p = mat_view(INCO_F64, w->x.rows, w->x.cols, (void *)direction);
    blas_multiply(w->threads, "NN", 1, &p, &w->s->a, 0, &w->pa);
    w->fit.products++;
    q[0] = q[3] = q[4] = 0;
    q[1] = fit_along(&w->fit, &w->d, direction, w->pa.data);
    q[2] = blas_dot(n, direction, w->pa.data);
    if (w->gamma == 0) return;
    const double *e = w->e.data, *e1 = w->e1.data, *e2 = w->e2.data;
    small_product(w, &p, &w->d, &w->e2);
    symmetrize(&w->e2, &w->e1);
    small_product(w, &p, &p, &w->e2);
    q[1] += w->gamma * 2 * blas_dot(m, e, e1);
    q[2] += w->gamma * (blas_dot(m, e1, e1) + 2 * blas_dot(m, e, e2));
    q[3] = w->gamma * 2 * blas_dot(m, e1, e2);
    q[4] = w->gamma * blas_dot(m, e2, e2);
}

/* ---- Free norms, normalised afterwards ---- */

static int free_eval(void *self, lbfgs_point *at, inco_error *error) {
    idl *w = self;
    w->d = mat_view(INCO_F64, w->x.rows, w->x.cols, at->x);
    place(w);
    assess(w, at);
    return stay_within(w, at->gradient, error);
}

/* The exact minimiser along the line; the fit and e are updated without another product by A. */
static int free_advance(void *self, lbfgs_line *line, lbfgs_point *at, inco_error *error) {
    idl *w = self;
    double q[5], *e = w->e.data, *e1 = w->e1.data, *e2 = w->e2.data;
    w->d = mat_view(INCO_F64, w->x.rows, w->x.cols, (void *)line->origin);
    if (w->stale) place(w);
    idl_line(w, line->p, q);
    double t = line->step = quartic_minimizer(q);
    if (t == 0) return INCO_OK;
    for (int64_t i = 0; i < count_of(w); i++) at->x[i] = line->origin[i] + t * line->p[i];
    w->d.data = at->x;
    fit_advance(&w->fit, t, &w->pa);
    for (int64_t i = 0; w->gamma > 0 && i < w->e.rows * w->e.cols; i++) e[i] += t * (e1[i] + t * e2[i]);
    assess(w, at);
    w->stale = !(at->f <= line->f);
    return stay_within(w, at->gradient, error);
}

/* ---- Unit norms: D = V with its columns normalised ---- */

/* (BOUND-5): the violation of the bound. With a model its gradient is kept. */
static int add_excess(idl *w, lbfgs_point *at, inco_error *error) {
    const inco_mat g = mat_view(INCO_F64, w->x.rows, w->x.cols, at->gradient), *to = w->pull.data ? &w->pull : &g;
    double h;
    if (w->push == 0) return INCO_OK;
    if (w->pull.data) memset(w->pull.data, 0, (size_t)count_of(w) * sizeof(double));
    int status = hinge_eval_pairs(&w->pairs, &w->d, w->bound, w->push, to, &h, error);
    if (status >= 0) at->f += w->push * h;
    if (w->pull.data) blas_axpy(count_of(w), 1, w->pull.data, at->gradient);
    return status;
}

/* The objective and its gradient on the spheres, from the fit and e. */
static int judge(idl *w, lbfgs_point *at, inco_error *error) {
    const int64_t rows = w->x.rows;
    assess(w, at);
    for (int64_t j = 0; w->smooth && j < w->x.cols; j++)
        w->smooth[j] = blas_dot(rows, mat_column(&w->d, j), at->gradient + j * rows);
    int status = add_excess(w, at, error);
    sphere_project(w->threads, &w->d, w->norm, at->gradient, w->radial);
    return status < 0 ? status : stay_within(w, at->gradient, error);
}

static int sphere_eval(void *self, lbfgs_point *at, inco_error *error) {
    idl *w = self;
    sphere_normalize(w->threads, at->x, &w->d, w->norm);
    place(w);
    return judge(w, at, error);
}

/* x_j *= radius_j, and the gradient by x accordingly. */
static void take_radius(const idl *w, double *x, double *gradient) {
    const int64_t rows = w->x.rows;
    for (int64_t j = 0; w->radius && j < w->x.cols; j++)
        for (int64_t i = 0; i < rows; i++) {
            x[i + j * rows] *= w->radius[j];
            if (gradient) gradient[i + j * rows] /= w->radius[j];
        }
}

/* If the gradient is below the rounding errors of the products in float32, it is computed again from a product in
 * double. */
static int sharpen(idl *w, lbfgs_point *at, inco_error *error) {
    if (!fit_is_coarse(&w->fit, sqrt(blas_dot(count_of(w), at->gradient, at->gradient)))) return INCO_OK;
    sphere_normalize(w->threads, at->x, &w->d, w->norm);
    fit_begin(&w->fit, &w->d);
    return judge(w, at, error);
}

/* (IDL-8): the step to the minimum of the second-order model of f along the spheres. */
static double first_step(idl *w, const lbfgs_line *line) {
    const int64_t rows = w->x.rows;
    double q[5], bend = 0;
    if (w->stale) return line->step;
    idl_line(w, line->p, q);
    for (int64_t j = 0; j < w->x.cols; j++)
        bend += w->radial[j] * blas_dot(rows, line->p + j * rows, line->p + j * rows) / 2;
    if (q[2] - bend > 0) return -line->slope / (2 * (q[2] - bend));
    double t = quartic_minimizer(q);
    return t > 0 ? t : line->step;
}

static int sphere_advance(void *self, lbfgs_line *line, lbfgs_point *at, inco_error *error) {
    idl *w = self;
    if (line->steepest) line->step = w->radius ? 1 : first_step(w, line);
    if (w->problem.precondition && curvature_bend(&w->model, line->p, -line->slope / 2, w->pa.data))
        line->bend = w->pa.data;
    int status = line->bend ? stay_within(w, w->pa.data, error) : INCO_OK;
    if (status >= 0) status = lbfgs_search(&w->problem, line, at, error);
    w->stale = line->step == 0;
    if (status < 0 || w->stale) return status;
    sphere_rename(w->threads, &w->d, w->norm, at);
    take_radius(w, at->x, at->gradient);
    status = sharpen(w, at, error);
    w->stale = !(at->f <= line->f);
    return status;
}

/* ---- The curvature ---- */

/* While d, the fit and e are not those of this place, a step from it has failed, and the model is still its own. Ends
 * the search where the model needs other axes. */
static int move_model(void *self, const lbfgs_point *at, inco_error *error) {
    idl *w = self;
    const curvature_place here = {&w->d, &w->e, w->smooth, w->push > 0 ? &w->pairs : NULL, at->gradient};
    if (w->stale) return INCO_OK;
    if (w->pull.data) {
        sphere_project(w->threads, &w->d, NULL, w->pull.data, NULL);
        mat_copy(&w->held, &w->pull);
    }
    int status = curvature_move(&w->model, &here, error);
    return status < 0 ? status : w->model.sphere && w->model.askew;
}

static int apply_model(void *self, double *q, inco_error *error) {
    idl *w = self;
    curvature_solve(&w->model, q);
    return stay_within(w, q, error);
}

static void make_tangent(void *self, double *v) {
    idl *w = self;
    if (!w->stale) sphere_project(w->threads, &w->d, NULL, v, NULL);
}

/* y without what the violation of the bound contributes: that jumps where pairs come to the bound or leave it. If the
 * model does not know the pairs, y keeps it. */
static void trim_pair(void *self, double *y) {
    idl *w = self;
    w->trimmed = w->pairs.listed && w->model.list;
    if (!w->trimmed) return;
    sphere_project(w->threads, &w->d, NULL, w->pull.data, NULL);
    blas_axpy(count_of(w), -1, w->pull.data, y);
    blas_axpy(count_of(w), 1, w->held.data, y);
}

static void complete_pair(void *self, const double *s, double *y) {
    idl *w = self;
    if (w->stale || !w->trimmed) return;
    curvature_add_pairs(&w->model, s, y);
    sphere_project(w->threads, &w->d, NULL, y, NULL);
}

static int open_model(idl *w, const update_settings *settings, inco_error *error) {
    if (settings->plain) return INCO_OK;
    w->problem.precondition = apply_model;
    w->problem.prepare = move_model;
    if (!settings->rescale) w->problem.make_tangent = make_tangent;
    if (!settings->rescale && !(w->smooth = NEW(double, w->x.cols))) return error_no_memory(error);
    if (w->push > 0) {
        int status = mat_new_raw(&w->pull, INCO_F64, w->x.rows, w->x.cols, error);
        if (status >= 0) status = mat_new_raw(&w->held, INCO_F64, w->x.rows, w->x.cols, error);
        if (status < 0) return status;
        w->problem.trim = trim_pair;
        w->problem.complete = complete_pair;
    }
    return curvature_open(&w->model, w->s, settings, error);
}

/* ---- The update ---- */

int update_check(const inco_mat *d, const statistics *s, inco_error *error) {
    if (d->type != INCO_F64 || s->a.type != INCO_F64 || s->b.type != INCO_F64 || s->b.ld != s->b.rows)
        return error_set(error, INCO_EINVAL, "a dictionary update works on compact matrices of doubles");
    if (s->a.rows != d->cols || s->a.cols != d->cols || s->b.rows != d->rows || s->b.cols != d->cols)
        return error_set(error, INCO_EDIM, "the statistics are not those of a dictionary of %lld x %lld",
                         (long long)d->rows, (long long)d->cols);
    return INCO_OK;
}

int idl_open(idl *w, const inco_mat *d, const statistics *s, const update_settings *settings, inco_error *error) {
    const int64_t rows = d->rows, cols = d->cols, small = rows < cols ? rows : cols;
    int status;
    *w = (idl){.s = s, .gamma = settings->gamma, .threads = settings->threads};
    w->bound = settings->bound;
    w->push = settings->rescale ? 0 : settings->push;
    w->within = settings->within;
    TRY(update_check(d, s, error));
    TRY(mat_convert(&w->x, d, INCO_F64, error));
    mat_normalize_columns(&w->x, NULL);
    TRY(fit_open(&w->fit, s, settings->narrow && !settings->rescale ? INCO_F32 : INCO_F64, w->threads, error));
    TRY(mat_new_raw(&w->pa, INCO_F64, rows, cols, error));
    TRY(mat_new_raw(&w->e, INCO_F64, small, small, error));
    TRY(mat_new_raw(&w->e1, INCO_F64, small, small, error));
    TRY(mat_new_raw(&w->e2, INCO_F64, small, small, error));
    w->problem = (lbfgs_problem){
        .self = w, .n = rows * cols, .eval = free_eval, .advance = free_advance, .poll = settings->poll};
    TRY(open_model(w, settings, error));
    if (settings->rescale) return status;
    w->problem.eval = sphere_eval;
    w->problem.advance = sphere_advance;
    w->norm = NEW(double, cols);
    w->radial = NEW(double, cols);
    if (!w->norm || !w->radial) TRY(error_no_memory(error));
    TRY(mat_new_raw(&w->d, INCO_F64, rows, cols, error));
    if (w->push > 0) TRY(hinge_open(&w->pairs, rows, cols, w->threads, error));
    if (!settings->plain) w->pairs.wanted = NEAR * cols;
done:
    return status;
}

void idl_close(idl *w) {
    inco_mat *owned[] = {&w->x, &w->d, &w->pull, &w->held, &w->pa, &w->e, &w->e1, &w->e2};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) inco_mat_free(owned[i]);
    memory_free(w->norm);
    memory_free(w->radial);
    memory_free(w->smooth);
    curvature_close(&w->model);
    fit_close(&w->fit);
    hinge_close(&w->pairs);
}

/* A gradient this small, relative to its terms, is zero up to rounding. */
static double gradient_floor(const idl *w) {
    const int64_t n = count_of(w);
    double size = fmax(1, sqrt(blas_dot(n, w->x.data, w->x.data)));
    double terms = 2 * sqrt(blas_dot(n, w->s->b.data, w->s->b.data)) + 4 * w->gamma * size;
    return 1e-13 * terms / size;
}

/* If the line search finds no descent in float32, the search restarts from the current point with exact products. */
static int descend(idl *w, const update_settings *settings, lbfgs_result *all, inco_error *error) {
    lbfgs_settings search = {w->problem.make_tangent ? TANGENT_PAIRS : PAIRS, settings->iterations, gradient_floor(w),
                             settings->threads, settings->plain && !w->radius ? 0 : settings->enough};
    lbfgs_result part;
    int status;
    TRY(lbfgs_minimize(&w->problem, &search, w->x.data, all, error));
    part = *all;
    while (w->fit.begun && !part.settled && !part.ended && part.iterations > 0 &&
           all->iterations < settings->iterations) {
        w->fit.begun = 0;
        search.iterations = settings->iterations - all->iterations;
        TRY(lbfgs_minimize(&w->problem, &search, w->x.data, &part, error));
        all->iterations += part.iterations;
        all->after = part.after;
        all->ended = part.ended;
    }
done:
    return status;
}

/* With a radius per atom, the unknowns have these norms (CURV-15). `made`: decrease made by earlier searches. *ended:
 * the search should go on in other axes. */
static int search_once(inco_mat *d, const statistics *s, const update_settings *settings, const double *radius,
                       double made, update_result *result, int *ended, inco_error *error) {
    idl w;
    lbfgs_result found;
    int status = idl_open(&w, d, s, settings, error);
    if (status < 0) goto done;
    w.radius = radius;
    take_radius(&w, w.x.data, NULL);
    w.problem.made = made;
    TRY(descend(&w, settings, &found, error));
    if (settings->rescale || radius) mat_normalize_columns(&w.x, NULL);
    if (settings->rescale) {
        w.d = mat_view(INCO_F64, w.x.rows, w.x.cols, w.x.data);
        place(&w);
        found.after = value(&w);
    }
    mat_copy(d, &w.x);
    *result = (update_result){.before = found.before, .after = found.after, .iterations = found.iterations};
    result->evaluations = w.fit.products;
    *ended = found.ended;
done:
    idl_close(&w);
    return status;
}

/* One search in axes: those of `basis`, or others if it is empty. It becomes the axes taken, or empty if the search
 * ended because they no longer suit. */
static int search_in(inco_mat *basis, inco_mat *d, const statistics *s, const update_settings *settings,
                     update_result *all, inco_error *error) {
    update_result part = {0};
    axes turned;
    int ended, status = axes_open(&turned, basis, d, s, settings, error);
    if (status < 0) goto done;
    turned.settings.iterations -= all->iterations;
    TRY(search_once(&turned.d, &turned.s, &turned.settings, NULL, all->before - all->after, &part, &ended, error));
    if (part.iterations > 0) axes_leave(&turned, d);
    if (all->evaluations == 0) all->before = part.before;
    all->after = part.after;
    all->iterations += part.iterations;
    all->evaluations += part.evaluations;
    inco_mat_free(basis);
    if (ended) goto done;
    *basis = turned.basis;
    turned.basis = (inco_mat){0};
done:
    axes_close(&turned);
    return status;
}

/* Searches in axes in which the model of the curvature holds, and in others as soon as it no longer does. */
static int search_in_axes(inco_mat *d, const statistics *s, const update_settings *settings, update_result *result,
                          inco_error *error) {
    inco_mat now = {0}, own = {0}, *basis = settings->axes ? settings->axes : &own;
    int status;
    *result = (update_result){0};
    TRY(mat_convert(&now, d, INCO_F64, error));
    do TRY(search_in(basis, &now, s, settings, result, error));
    while (!basis->data && result->iterations < settings->iterations);
    mat_copy(d, &now);
done:
    MAT_FREE_ALL(&now, &own);
    return status;
}

static int update_once(inco_mat *d, const statistics *s, const update_settings *settings, const double *radius,
                       update_result *result, inco_error *error) {
    int ended, status = update_check(d, s, error);
    if (status < 0) return status;
    if (!settings->plain && settings->iterations > 0 && curvature_has_frame(s, settings))
        return search_in_axes(d, s, settings, result, error);
    return search_once(d, s, settings, radius, 0, result, &ended, error);
}

/* ---- A stiff bound ---- */

/* The weight of the bound that the first steps take (CURV-14); 0 if the bound is not stiff. */
static double soft_push(const update_settings *settings, double median) {
    const double soft = SOFT * median;
    const int alone = !settings->plain && !settings->rescale && 4 * settings->gamma <= median;
    return alone && settings->push > STIFF * soft ? soft : 0;
}

/* Steps with a weaker bound, then few with the whole. If this ends higher than it started, the update is made again
 * without them. */
static int update_softly(inco_mat *d, const statistics *s, const update_settings *settings, double soft,
                         const double *radius, update_result *result, inco_error *error) {
    update_settings none = *settings, first = *settings, last = *settings;
    update_result start, way = {0};
    inco_mat given = {0};
    int status;
    none.iterations = 0;
    none.plain = first.plain = 1;
    first.push = soft;
    first.enough /= 2;
    first.iterations = SOFT_STEPS * settings->iterations;
    last.iterations = (settings->iterations + LAST_STEPS - 1) / LAST_STEPS;
    TRY(mat_convert(&given, d, INCO_F64, error));
    TRY(update_once(d, s, &none, NULL, &start, error));
    TRY(update_once(d, s, &first, radius, &way, error));
    TRY(update_once(d, s, &last, NULL, result, error));
    result->before = start.before;
    result->iterations += way.iterations;
    result->evaluations += way.evaluations + start.evaluations;
    if (result->after <= result->before) goto done;
    mat_copy(d, &given);
    TRY(update_once(d, s, settings, NULL, result, error));
done:
    if (status < 0 && given.data) mat_copy(d, &given);
    inco_mat_free(&given);
    return status;
}

static int update_near_one(inco_mat *d, const statistics *s, const update_settings *settings, update_result *result,
                           inco_error *error) {
    const int64_t cols = s->a.cols;
    double *radius = NULL;
    int status;
    if (settings->push == 0) return update_once(d, s, settings, NULL, result, error);
    TRY(update_check(d, s, error));
    radius = NEW_RAW(double, cols);
    if (!radius) TRY(error_no_memory(error));
    const double median = curvature_median(&s->a, radius), soft = soft_push(settings, median);
    for (int64_t j = 0; j < cols; j++) radius[j] = sqrt(2 * mat_get(&s->a, j, j) + ROUND * median); /* (CURV-15) */
    status = soft > 0 ? update_softly(d, s, settings, soft, radius, result, error)
                      : update_once(d, s, settings, NULL, result, error);
done:
    memory_free(radius);
    return status;
}

/* Power of two that brings the largest A_jj near 1, if it is so far from it that float32 may not hold A; else 1. */
static double scale_of(const statistics *s) {
    double largest = 0;
    for (int64_t j = 0; j < s->a.rows; j++) largest = fmax(largest, mat_get(&s->a, j, j));
    return largest > 0 && isfinite(largest) && abs(ilogb(largest)) > 60 ? ldexp(1, -ilogb(largest)) : 1;
}

/* Multiplies f by a power of two if necessary, which changes no digit of its minimisers. */
int idl_update(inco_mat *d, const statistics *s, const update_settings *settings, update_result *result,
               inco_error *error) {
    const double scale = scale_of(s);
    statistics scaled = {.energy = scale * s->energy};
    update_settings own = *settings;
    int status;
    if (scale == 1) return update_near_one(d, s, settings, result, error);
    own.gamma *= scale;
    own.push *= scale;
    TRY(mat_convert(&scaled.a, &s->a, INCO_F64, error));
    TRY(mat_convert(&scaled.b, &s->b, INCO_F64, error));
    for (int64_t i = 0; i < scaled.a.rows * scaled.a.cols; i++) ((double *)scaled.a.data)[i] *= scale;
    for (int64_t i = 0; i < scaled.b.rows * scaled.b.cols; i++) ((double *)scaled.b.data)[i] *= scale;
    TRY(update_near_one(d, &scaled, &own, result, error));
    result->before /= scale;
    result->after /= scale;
done:
    inco_mat_free(&scaled.a);
    inco_mat_free(&scaled.b);
    return status;
}

int update_objective(const inco_mat *d, const statistics *s, double gamma, int threads, double *f, inco_error *error) {
    idl w = {.s = s, .gamma = gamma, .threads = threads};
    const int64_t small = d->rows < d->cols ? d->rows : d->cols;
    int status;
    TRY(update_check(d, s, error));
    TRY(fit_open(&w.fit, s, INCO_F64, threads, error));
    TRY(mat_convert(&w.d, d, INCO_F64, error));
    TRY(mat_new_raw(&w.e, INCO_F64, small, small, error));
    w.x = mat_view(INCO_F64, d->rows, d->cols, w.d.data);
    place(&w);
    *f = value(&w);
done:
    idl_close(&w);
    return status;
}
