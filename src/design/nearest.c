/* A quadratic penalty on the violation of the bound, increased in stages (docs/theory/decohere.md). */
#include "design/nearest.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "design/anneal.h"
#include "mat/blas.h"
#include "mat/mat.h"
#include "optim/lbfgs.h"
#include "optim/sphere.h"
#include "pairs/decorrelate.h"
#include "pairs/hinge.h"
#include "update/fit.h"

enum { MEMORY_PAIRS = 8, MEMORY_PAIRS_LARGE = 5, LARGE = 4000000 };
enum { RAISES = 8, SHIFTS = 12, LOWER_FIRST = 5 };   /* stages with increasing weight, and with a lowered bound */
static const double FIRST_WEIGHT = 10, RAISE = 4;    /* weight of the penalty, relative to a fit of order 1 per atom */
static const double FIRST_TOLERANCE = 1e-3;          /* of gradients, relative to the fit per atom, while the weight
                                                      * increases */
static const double ALIKE = 1 - 1e-6, PARTED = 0.01; /* products of equal atoms; how far they are separated */

/* By effort: the relative violation of the bound at which it is shifted, and the final tolerance of gradients. */
static const double CLOSE[] = {1e-4, 3e-4}, TOLERANCE[] = {1e-6, 3e-3};

enum { QUICK_STEPS = 60, QUICK_FIRST = 10 };
static const double QUICK_WEIGHT = 160;
static const double QUICK_MARGIN = 0.01; /* (DECO-5): by which tau is below the bound */

typedef struct nearing {
    lbfgs_problem problem;
    const statistics *s;
    const double *weight;
    const nearest_settings *settings;
    nearest_result *result;
    int stopped;
    int alone;       /* the violation is minimised without the fit, until the bound is satisfied */
    inco_mat target; /* the input dictionary; empty with statistics */
    inco_mat d;      /* the normalised unknown */
    fit_work data;   /* |X - D C|^2; empty without statistics */
    double *norm;
    hinge over;
    double tau, eta;
    double scale; /* divisor of the fit */
    double fit;   /* (DECO-1) or (DECO-2), at d */
} nearing;

/* ---- The objective ---- */

/* (DECO-1): sum_j w_j |d_j - t_j|^2 = 2 sum_j w_j (1 - d_j't_j) */
static double fit_target(const nearing *w, double *g) {
    const int64_t rows = w->d.rows;
    double sum = 0;
    for (int64_t j = 0; j < w->d.cols; j++, g += rows) {
        const double *d = mat_column(&w->d, j), *t = mat_column(&w->target, j);
        const double weight = w->weight ? w->weight[j] : 1;
        double square = 0;
        for (int64_t i = 0; i < rows; i++) {
            square += (d[i] - t[i]) * (d[i] - t[i]);
            g[i] = 2 * weight / w->scale * (d[i] - t[i]);
        }
        sum += weight * square;
    }
    return sum;
}

/* (DECO-2): |X - D C|^2 */
static double fit_data(nearing *w, double *g) {
    fit_place(&w->data, &w->d);
    return fit_value(&w->data, &w->d, 1 / w->scale, g);
}

static int is_quick(const nearing *w) {
    return w->settings->care == NEAREST_QUICKLY;
}

/* (DECO-3), or h alone (DECO-5) */
static int eval(void *self, lbfgs_point *at, inco_error *error) {
    nearing *w = self;
    const inco_mat g = mat_view(INCO_F64, w->d.rows, w->d.cols, at->gradient);
    double h;
    sphere_normalize(w->settings->threads, at->x, &w->d, w->norm);
    w->fit = w->alone ? 0 : w->s ? fit_data(w, at->gradient) : fit_target(w, at->gradient);
    if (w->alone) memset(at->gradient, 0, (size_t)(g.rows * g.cols) * sizeof *at->gradient);
    int status = hinge_eval_pairs(&w->over, &w->d, w->tau, w->eta, &g, &h, error);
    at->f = w->fit / w->scale + w->eta * h;
    sphere_project(w->settings->threads, &w->d, w->norm, at->gradient, NULL);
    return status < 0 ? status : subspace_project(w->settings->within, &g, w->settings->threads, error);
}

/* A search that is to stop takes no step, and ends there; that of the violation alone ends at the bound. */
static int advance(void *self, lbfgs_line *line, lbfgs_point *at, inco_error *error) {
    nearing *w = self;
    const nearest_settings *settings = w->settings;
    if (settings->tell && settings->tell(settings->self, w->result->stages + 1, w->over.max)) w->stopped = 1;
    if (w->stopped || (w->alone && w->over.max <= settings->bound)) {
        line->step = 0;
        return INCO_OK;
    }
    int status = lbfgs_search(&w->problem, line, at, error);
    if (status >= 0 && line->step > 0) sphere_rename(w->settings->threads, &w->d, w->norm, at);
    return status;
}

/* ---- Workspace ---- */

/* The fit is scaled to one atom, so that the weight of the penalty has the same effect for all data. */
static int open_nearing(nearing *w, const inco_mat *d, inco_error *error) {
    double sum = 0;
    int status;
    w->problem = (lbfgs_problem){.self = w, .n = d->rows * d->cols, .eval = eval, .advance = advance};
    for (int64_t j = 0; j < d->cols; j++) sum += w->s ? mat_get(&w->s->a, j, j) : w->weight ? w->weight[j] : 1;
    w->scale = sum > 0 ? sum / (double)d->cols : 1;
    TRY(hinge_open(&w->over, d->rows, d->cols, w->settings->threads, error));
    TRY(mat_convert(&w->d, d, INCO_F64, error));
    w->norm = NEW(double, d->cols);
    if (!w->norm) TRY(error_no_memory(error));
    if (w->s)
        TRY(fit_open(&w->data, w->s, INCO_F64, w->settings->threads, error));
    else
        TRY(mat_convert(&w->target, d, INCO_F64, error));
done:
    return status;
}

/* ---- Stages ---- */

/* Fit and largest product at d, over all pairs. */
static int measure(nearing *w, const inco_mat *d, double *away, double *coherence, inco_error *error) {
    inco_mat g = {0};
    double h;
    int status;
    TRY(mat_new_raw(&g, INCO_F64, d->rows, d->cols, error));
    mat_copy(&w->d, d);
    *away = w->s ? fit_data(w, g.data) : fit_target(w, g.data);
    TRY(hinge_eval(&w->over, d, w->settings->bound, 0, NULL, &h, error));
    *coherence = w->over.max;
done:
    inco_mat_free(&g);
    return status;
}

/* Restores atoms that only rounding has changed. */
static void put_back(const nearing *w, const inco_mat *d) {
    const int64_t rows = d->rows;
    for (int64_t j = 0; j < d->cols && !w->s; j++) {
        double *atom = mat_column(d, j), furthest = 0;
        const double *old = mat_column(&w->target, j);
        for (int64_t i = 0; i < rows; i++) furthest = fmax(furthest, fabs(atom[i] - old[i]));
        if (furthest < 1e-14) memcpy(atom, old, (size_t)rows * sizeof *atom);
    }
}

/* Minimises (DECO-3) from d, in place. */
static int run_stage(nearing *w, inco_mat *d, double tolerance, inco_error *error) {
    const int memory = w->problem.n > LARGE ? MEMORY_PAIRS_LARGE : MEMORY_PAIRS;
    const int iterations = !is_quick(w) ? w->settings->iterations : w->alone ? QUICK_STEPS : QUICK_FIRST;
    const lbfgs_settings search = {memory, iterations, tolerance, w->settings->threads, 0};
    nearest_result *r = w->result;
    lbfgs_result found;
    int status;
    TRY(lbfgs_minimize(&w->problem, &search, d->data, &found, error));
    put_back(w, d);
    TRY(measure(w, d, &r->after, &r->coherence, error));
    r->stages++;
    r->iterations += found.iterations;
    r->evaluations += found.evaluations;
    r->reached = r->coherence <= w->settings->bound;
    if (w->stopped) status = INCO_STOPPED;
done:
    return status;
}

/* The gradient between equal or opposite atoms vanishes on the spheres: each is moved slightly, in its own direction.
 * They are found by the gradient of the violation of ALIKE. */
static int part_equals(nearing *w, inco_mat *d, inco_error *error) {
    inco_mat g = {0};
    double h, *way = NEW_RAW(double, d->rows);
    int status = way ? inco_mat_new(&g, INCO_F64, d->rows, d->cols, error) : error_no_memory(error);
    if (status < 0) goto done;
    TRY(hinge_eval(&w->over, d, ALIKE, 1, &g, &h, error));
    const inco_mat direction = mat_view(INCO_F64, d->rows, 1, way);
    for (int64_t j = 0; j < d->cols && h > 0; j++) {
        if (blas_largest(d->rows, mat_column(&g, j)) == 0) continue;
        decorrelate_direction(way, d->rows, w->settings->seed, 0, (uint64_t)j);
        TRY(subspace_project(w->settings->within, &direction, 1, error));
        blas_axpy(d->rows, PARTED, way, mat_column(d, j));
        inco_mat atom = mat_columns(d, j, 1);
        mat_normalize_columns(&atom, NULL);
    }
done:
    inco_mat_free(&g);
    memory_free(way);
    return status;
}

/* Increases the weight until the bound is nearly satisfied. */
static int raise_weight(nearing *w, inco_mat *d, inco_error *error) {
    const double bound = w->settings->bound;
    int status = INCO_OK;
    w->tau = bound;
    w->eta = FIRST_WEIGHT;
    for (int k = 0; k < RAISES && status == INCO_OK; k++) {
        if (k > 0) w->eta *= RAISE;
        status = run_stage(w, d, FIRST_TOLERANCE, error);
        if (w->result->coherence <= bound * (1 + CLOSE[w->settings->care])) break;
    }
    return status;
}

/* (DECO-4): lowers tau by the violation; if this would lower it too much, increases the weight instead. At least one
 * stage with the final tolerance, and more until the bound is satisfied. */
static int shift_bound(nearing *w, inco_mat *d, inco_error *error) {
    const double bound = w->settings->bound;
    int status = INCO_OK;
    for (int k = 0; k < SHIFTS && status == INCO_OK && (k == 0 || !w->result->reached); k++) {
        if (!w->result->reached) w->tau -= 1.1 * (w->result->coherence - bound) + 1e-13;
        if (!w->result->reached && w->tau < 0.9 * bound) {
            w->tau = bound;
            w->eta *= RAISE;
        }
        status = run_stage(w, d, TOLERANCE[w->settings->care], error);
    }
    return status;
}

static int tell_level(void *self, int level, double coherence) {
    const nearing *w = self;
    const int stage = w->result->stages + 1 + level - LOWER_FIRST;
    return w->settings->tell && w->settings->tell(w->settings->self, stage, coherence);
}

/* Minimises the coherence alone, from where the penalty got stuck. */
static int lower_coherence(nearing *w, inco_mat *d, inco_error *error) {
    const anneal_settings settings = {.first = LOWER_FIRST,
                                      .last = ANNEAL_LAST,
                                      .iterations = 3 * w->settings->iterations,
                                      .target = w->settings->bound,
                                      .within = w->settings->within,
                                      .threads = w->settings->threads,
                                      .tell = tell_level,
                                      .self = w};
    double coherence;
    int outcome = anneal(d, &settings, &coherence, error);
    w->result->stages += ANNEAL_LAST - LOWER_FIRST + 1;
    int status = outcome < 0 ? outcome : measure(w, d, &w->result->after, &w->result->coherence, error);
    w->result->reached = w->result->coherence <= w->settings->bound;
    return status < 0 ? status : outcome;
}

/* From atoms that satisfy the bound, back towards the input, as long as the result satisfies it. */
static int return_to_fit(nearing *w, inco_mat *d, inco_error *error) {
    inco_mat kept = {0};
    const nearest_result before = *w->result;
    int status;
    TRY(mat_convert(&kept, d, INCO_F64, error));
    w->tau = w->settings->bound * (1 - CLOSE[w->settings->care]);
    TRY(run_stage(w, d, TOLERANCE[w->settings->care], error));
    if (status == INCO_OK) TRY(shift_bound(w, d, error));
    if (w->result->reached && w->result->after <= before.after) goto done;
    mat_copy(d, &kept);
    w->result->coherence = before.coherence;
    w->result->after = before.after;
    w->result->reached = before.reached;
done:
    inco_mat_free(&kept);
    return status;
}

/* (DECO-5): some steps of (DECO-3), then the violation alone. */
static int satisfy(nearing *w, inco_mat *d, inco_error *error) {
    int status;
    w->tau = w->settings->bound * (1 - QUICK_MARGIN);
    w->eta = QUICK_WEIGHT;
    TRY(run_stage(w, d, FIRST_TOLERANCE, error));
    w->alone = 1;
    if (status == INCO_OK && !w->result->reached) TRY(run_stage(w, d, 0, error));
done:
    return status;
}

/* (DECO-3), then annealing if the penalty got stuck. */
static int approach(nearing *w, inco_mat *d, inco_error *error) {
    const nearest_result *result = w->result;
    int status;
    TRY(raise_weight(w, d, error));
    if (status == INCO_OK) TRY(shift_bound(w, d, error));
    if (status != INCO_OK || result->reached) goto done;
    TRY(lower_coherence(w, d, error));
    if (status == INCO_OK && result->reached) TRY(return_to_fit(w, d, error));
done:
    return status;
}

int nearest(inco_mat *d, const double *weight, const statistics *s, const nearest_settings *settings,
            nearest_result *result, inco_error *error) {
    nearing w = {.s = s, .weight = weight, .settings = settings, .result = result};
    int status;
    *result = (nearest_result){0};
    TRY(open_nearing(&w, d, error));
    TRY(measure(&w, d, &result->before, &result->coherence, error));
    result->after = result->before;
    result->reached = result->coherence <= settings->bound;
    if (result->reached && !s) goto done; /* the input itself is the nearest */
    TRY(part_equals(&w, d, error));
    TRY(is_quick(&w) ? satisfy(&w, d, error) : approach(&w, d, error));
done:
    MAT_FREE_ALL(&w.target, &w.d);
    memory_free(w.norm);
    fit_close(&w.data);
    hinge_close(&w.over);
    return status;
}
