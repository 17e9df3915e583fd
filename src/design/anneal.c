#include "design/anneal.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mat/blas.h"
#include "mat/mat.h"
#include "optim/lbfgs.h"
#include "optim/sphere.h"
#include "pairs/peak.h"

enum { MEMORY_PAIRS = 8, MEMORY_PAIRS_LARGE = 5, LARGE = 4000000, TIGHTEN_STEPS = 5000, TIGHT_LEVEL = 12 };
static const double TIGHT_WEIGHT = 4, TIGHT_ENOUGH = 1e-13;

typedef struct annealing {
    lbfgs_problem problem;
    const anneal_settings *settings;
    int stopped;
    peak top;
    inco_mat d; /* the normalised unknown */
    double *norm;
    int tight, threads;
    double hold;         /* weight of the deviation from tightness */
    inco_mat gap;        /* (FRAME-4): (D / L) D D' - I */
    inco_mat multiplier; /* of the deviation, D x D */
    inco_mat pull;       /* multiplier + weight * gap */
} annealing;

/* ---- Tightness ---- */

/* gap = (D / L) D D' - I */
static void measure_gap(const inco_mat *d, int threads, const inco_mat *gap) {
    blas_multiply(threads, "NT", (double)d->rows / (double)d->cols, d, d, 0, gap);
    for (int64_t i = 0; i < gap->rows; i++) mat_set(gap, i, i, mat_get(gap, i, i) - 1);
}

/* (FRAME-5): adds the terms of tightness to the value and the gradient by D. */
static double add_tightness(annealing *w, const inco_mat *gradient) {
    const int64_t n = w->gap.rows * w->gap.cols;
    double *pull = w->pull.data;
    const double *gap = w->gap.data, *multiplier = w->multiplier.data;
    measure_gap(&w->d, w->threads, &w->gap);
    for (int64_t i = 0; i < n; i++) pull[i] = multiplier[i] + w->hold * gap[i];
    blas_multiply(w->threads, "NN", 2 * (double)w->d.rows / (double)w->d.cols, &w->pull, &w->d, 1, gradient);
    return blas_dot(n, multiplier, gap) + w->hold / 2 * blas_dot(n, gap, gap);
}

/* Alternates D <- D - gap D / 2, the Newton step to a tight frame, with normalisation. */
int anneal_tighten(inco_mat *d, int threads, double *deviation, inco_error *error) {
    inco_mat gap = {0}, next = {0};
    int status;
    TRY(mat_new_raw(&gap, INCO_F64, d->rows, d->rows, error));
    TRY(mat_convert(&next, d, INCO_F64, error));
    for (int step = 0; step <= TIGHTEN_STEPS; step++) {
        measure_gap(d, threads, &gap);
        *deviation = blas_largest(gap.rows * gap.cols, gap.data);
        if (*deviation <= TIGHT_ENOUGH || step == TIGHTEN_STEPS) break;
        mat_copy(&next, d);
        blas_multiply(threads, "NN", -0.5, &gap, d, 1, &next);
        mat_normalize_columns(&next, NULL);
        mat_copy(d, &next);
    }
    *deviation *= (double)d->cols / (double)d->rows;
done:
    inco_mat_free(&gap);
    inco_mat_free(&next);
    return status;
}

/* ---- The problem for L-BFGS ---- */

static int eval(void *self, lbfgs_point *at, inco_error *error) {
    annealing *w = self;
    const inco_mat g = mat_view(INCO_F64, w->d.rows, w->d.cols, at->gradient);
    sphere_normalize(w->threads, at->x, &w->d, w->norm);
    at->f = peak_eval(&w->top, &w->d, &g);
    if (w->tight) at->f += add_tightness(w, &g);
    sphere_project(w->threads, &w->d, w->norm, at->gradient, NULL);
    return subspace_project(w->settings->within, &g, w->threads, error);
}

/* A search that is to stop takes no step, and ends there. */
static int advance(void *self, lbfgs_line *line, lbfgs_point *at, inco_error *error) {
    annealing *w = self;
    const anneal_settings *settings = w->settings;
    if (settings->tell && settings->tell(settings->self, w->top.levels, w->top.max)) w->stopped = 1;
    if (w->stopped) {
        line->step = 0;
        return INCO_OK;
    }
    int status = lbfgs_search(&w->problem, line, at, error);
    if (status >= 0 && line->step > 0) sphere_rename(w->threads, &w->d, w->norm, at);
    return status;
}

static int open_annealing(annealing *w, const inco_mat *d, const anneal_settings *settings, inco_error *error) {
    int status;
    *w = (annealing){.settings = settings, .tight = settings->tight, .threads = settings->threads};
    w->problem = (lbfgs_problem){.self = w, .n = d->rows * d->cols, .eval = eval, .advance = advance};
    TRY(peak_open(&w->top, d->rows, d->cols, settings->threads, error));
    TRY(mat_convert(&w->d, d, INCO_F64, error));
    if (!(w->norm = NEW(double, d->cols))) TRY(error_no_memory(error));
    if (!w->tight) return status;
    TRY(inco_mat_new(&w->gap, INCO_F64, d->rows, d->rows, error));
    TRY(inco_mat_new(&w->multiplier, INCO_F64, d->rows, d->rows, error));
    TRY(inco_mat_new(&w->pull, INCO_F64, d->rows, d->rows, error));
done:
    return status;
}

/* ---- The levels ---- */

/* One level from d, in place. At its end the multipliers are updated. */
static int pass_level(annealing *w, inco_mat *d, int level, inco_error *error) {
    const int memory = w->problem.n > LARGE ? MEMORY_PAIRS_LARGE : MEMORY_PAIRS;
    const lbfgs_settings search = {memory, w->settings->iterations, 1e-14, w->threads, 0};
    lbfgs_result found;
    w->top.levels = level;
    w->hold = level > TIGHT_LEVEL ? ldexp(TIGHT_WEIGHT, level - TIGHT_LEVEL) : TIGHT_WEIGHT;
    int status = lbfgs_minimize(&w->problem, &search, d->data, &found, error);
    if (status < 0 || !w->tight) return status;
    measure_gap(d, w->threads, &w->gap);
    blas_axpy(w->gap.rows * w->gap.cols, w->hold, w->gap.data, w->multiplier.data);
    return status;
}

int anneal(inco_mat *d, const anneal_settings *settings, double *coherence, inco_error *error) {
    annealing w;
    double deviation;
    int status = open_annealing(&w, d, settings, error);
    if (status < 0) goto done;
    *coherence = peak_largest(&w.top, d);
    for (int level = settings->first; level <= settings->last && !w.stopped && *coherence > settings->target; level++) {
        TRY(pass_level(&w, d, level, error));
        *coherence = peak_largest(&w.top, d);
    }
    if (settings->tight) {
        TRY(anneal_tighten(d, settings->threads, &deviation, error));
        *coherence = peak_largest(&w.top, d);
    }
    status = w.stopped ? INCO_STOPPED : INCO_OK;
done:
    MAT_FREE_ALL(&w.d, &w.gap, &w.multiplier, &w.pull);
    peak_close(&w.top);
    memory_free(w.norm);
    return status;
}
