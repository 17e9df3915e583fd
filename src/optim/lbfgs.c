/* L-BFGS: the two-loop recursion over the latest pairs (docs/theory/lbfgs.md). */
#include "optim/lbfgs.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/range.h"
#include "mat/blas.h"

/* Vectors are processed in pieces of this length, in parallel; sums over the pieces are added in their order. */
enum { PIECE = 2048, SUMS = 5 };

/* Pairs s (change of x) and y (change of the gradient), one per iteration, in a ring with one slot more than pairs:
 * during a step that slot holds the previous x and gradient, which then become their changes. Pointers are swapped;
 * vectors are not copied. */
typedef struct work {
    lbfgs_problem *problem;
    lbfgs_point at;
    int64_t n, pieces;
    int threads;
    int slots, count, next; /* next: the slot to fill, after the newest pair */
    double *memory;         /* all vectors except the caller's x */
    double **s, **y, **z;   /* per slot; z: y completed, or y itself */
    double *product;        /* per slot: s'y */
    double *alpha;          /* per slot */
    double scale;           /* s'y / y'y of the newest pair */
    double *p;              /* search direction */
    double xx, gg;          /* x'x and g'g */
    double *partial;        /* SUMS per piece */
} work;

static int work_open(work *w, lbfgs_problem *problem, const lbfgs_settings *settings, double *x, inco_error *error) {
    const int64_t n = problem->n, slots = (settings->memory > 0 ? settings->memory : 0) + 1;
    *w = (work){.problem = problem, .at = {.x = x}, .n = n, .pieces = range_blocks(n, PIECE)};
    w->slots = (int)slots;
    w->threads = parallel_worth(settings->threads, n);
    const int64_t vectors = (problem->complete ? 3 : 2) * slots;
    w->memory = NEW_RAW(double, (vectors + 2) * n);
    w->s = NEW(double *, vectors);
    w->product = NEW_RAW(double, slots);
    w->alpha = NEW_RAW(double, slots);
    w->partial = NEW_RAW(double, SUMS * w->pieces);
    if (!w->memory || !w->s || !w->product || !w->alpha || !w->partial) return error_no_memory(error);
    w->y = w->s + slots;
    w->z = problem->complete ? w->y + slots : w->y;
    for (int64_t k = 0; k < vectors; k++) w->s[k] = w->memory + k * n;
    w->at.gradient = w->memory + vectors * n;
    w->p = w->at.gradient + n;
    return INCO_OK;
}

/* The slot of the pair that is `age` iterations old, 1 for the newest. */
static int slot_of(const work *w, int age) {
    return (w->next - age + w->slots) % w->slots;
}

static int64_t piece_length(const work *w, int64_t piece) {
    return range_min(w->n - piece * PIECE, PIECE);
}

static double sum_pieces(const work *w, int which) {
    double sum = 0;
    for (int64_t i = 0; i < w->pieces; i++) sum += w->partial[SUMS * i + which];
    return sum;
}

/* ---- The direction ---- */

typedef struct combination {
    const work *w;
    double c, a;
    const double *u, *v;
} combination;

static int combine_piece(void *self, int64_t piece, int thread, inco_error *error) {
    const combination *k = self;
    const int64_t first = piece * PIECE, length = piece_length(k->w, piece);
    double *p = k->w->p + first;
    (void)thread, (void)error;
    for (int64_t i = 0; k->c != 1 && i < length; i++) p[i] = k->c == 0 ? 0 : k->c * p[i];
    blas_axpy(length, k->a, k->u + first, p);
    k->w->partial[SUMS * piece] = blas_dot(length, p, k->v + first);
    return 0;
}

/* p = c p + a u; returns p'v, for which the piece is still in the cache. */
static double combine(const work *w, double c, double a, const double *u, const double *v) {
    combination k = {w, c, a, u, v};
    parallel_for(w->threads, w->pieces, combine_piece, &k, NULL);
    return sum_pieces(w, 0);
}

/* (LBFGS-9): the pairs at the current point. A pair whose curvature is no longer positive is dropped with all older
 * ones. */
static void carry_pairs(work *w) {
    lbfgs_problem *problem = w->problem;
    for (int age = 1; problem->make_tangent && age <= w->count; age++) {
        const int k = slot_of(w, age);
        problem->make_tangent(problem->self, w->s[k]);
        problem->make_tangent(problem->self, w->y[k]);
        if (problem->complete) {
            memcpy(w->z[k], w->y[k], (size_t)w->n * sizeof(double));
            problem->complete(problem->self, w->s[k], w->z[k]);
        }
        w->product[k] = blas_dot(w->n, w->s[k], w->z[k]);
        if (!(w->product[k] > 0)) w->count = age - 1;
    }
}

/* p <- H0 p, except for a factor, *c: (LBFGS-3), or 1 if the problem has an H0. */
static int apply_initial(work *w, double *c, inco_error *error) {
    lbfgs_problem *problem = w->problem;
    *c = w->count == 0 || problem->precondition ? 1 : w->scale;
    return problem->precondition ? problem->precondition(problem->self, w->p, error) : INCO_OK;
}

/* (LBFGS-2): p = -H g by two loops over the pairs, where H is the inverse Hessian they imply. *slope = g'p. */
static int apply_inverse(work *w, double *slope, inco_error *error) {
    const double *g = w->at.gradient;
    double dot = combine(w, 0, -1, g, w->count ? w->s[slot_of(w, 1)] : g), c;
    for (int age = 1; age <= w->count; age++) {
        int k = slot_of(w, age), older = slot_of(w, age + 1);
        w->alpha[k] = dot / w->product[k];
        dot = combine(w, 1, -w->alpha[k], w->z[k], age < w->count ? w->s[older] : w->z[k]);
    }
    int status = apply_initial(w, &c, error);
    if (status < 0) return status;
    if (w->problem->precondition) dot = combine(w, 1, 0, g, w->count ? w->z[slot_of(w, w->count)] : g);
    for (int age = w->count; age >= 1; age--) {
        int k = slot_of(w, age), newer = slot_of(w, age - 1);
        double beta = c * dot / w->product[k];
        dot = combine(w, c, w->alpha[k] - beta, w->s[k], age > 1 ? w->z[newer] : g);
        c = 1;
    }
    *slope = dot;
    return status;
}

/* Line along -H g, or along -H0 g if -H g is not a descent direction. Positive: the problem ends the search. */
static int choose_line(work *w, lbfgs_line *line, inco_error *error) {
    double slope;
    int status = w->problem->prepare ? w->problem->prepare(w->problem->self, &w->at, error) : INCO_OK;
    if (status != INCO_OK) return status;
    carry_pairs(w);
    TRY(apply_inverse(w, &slope, error));
    if (!(slope < 0) && w->count) {
        w->count = 0;
        TRY(apply_inverse(w, &slope, error));
    }
    const int steepest = w->count == 0 && !w->problem->precondition;
    *line = (lbfgs_line){NULL, w->p, NULL, w->at.f, slope, steepest, steepest ? 1 / sqrt(-slope) : 1};
done:
    return status;
}

/* ---- The pairs ---- */

static int difference_piece(void *self, int64_t piece, int thread, inco_error *error) {
    const work *w = self;
    const int64_t first = piece * PIECE, length = piece_length(w, piece);
    const double *x = w->at.x + first, *g = w->at.gradient + first;
    double *s = w->s[w->next] + first, *y = w->y[w->next] + first, *sums = w->partial + SUMS * piece;
    (void)thread, (void)error;
    for (int64_t i = 0; i < length; i++) s[i] = x[i] - s[i];
    for (int64_t i = 0; i < length; i++) y[i] = g[i] - y[i];
    sums[0] = blas_dot(length, s, y);
    sums[1] = blas_dot(length, s, s);
    sums[2] = blas_dot(length, y, y);
    sums[3] = blas_dot(length, x, x);
    sums[4] = blas_dot(length, g, g);
    return 0;
}

/* Replaces the previous x and gradient in the next slot by their changes, and keeps the pair if its curvature is
 * positive beyond rounding (LBFGS-4). */
static void keep_pair(work *w) {
    parallel_for(w->threads, w->pieces, difference_piece, w, NULL);
    double sy = sum_pieces(w, 0), ss = sum_pieces(w, 1), yy = sum_pieces(w, 2);
    w->xx = sum_pieces(w, 3);
    w->gg = sum_pieces(w, 4);
    if (!(sy > 1e-10 * sqrt(ss) * sqrt(yy))) return;
    if (w->problem->trim) w->problem->trim(w->problem->self, w->y[w->next]);
    w->product[w->next] = sy;
    w->scale = sy / yy;
    w->next = (w->next + 1) % w->slots;
    if (w->count < w->slots - 1) w->count++;
}

/* ---- Iterations ---- */

/* Swaps the current point with the vectors of the next slot. */
static void swap_place(work *w) {
    double *x = w->at.x, *g = w->at.gradient;
    w->at.x = w->s[w->next];
    w->at.gradient = w->y[w->next];
    w->s[w->next] = x;
    w->y[w->next] = g;
}

/* One step along a line; *moved: whether it decreased f. If not, x is unchanged. */
static int advance(work *w, lbfgs_line *line, int *moved, inco_error *error) {
    lbfgs_problem *problem = w->problem;
    swap_place(w);
    line->origin = w->s[w->next];
    int status = problem->advance ? problem->advance(problem->self, line, &w->at, error)
                                  : lbfgs_search(problem, line, &w->at, error);
    *moved = status >= 0 && line->step > 0 && w->at.f <= line->f;
    if (*moved) {
        keep_pair(w);
        return status;
    }
    swap_place(w);
    w->at.f = line->f;
    return status;
}

/* If a step fails, the pairs are dropped and the next step is along -g, or -H0 g; if that fails too, the search
 * ends. */
static int descend(work *w, const lbfgs_settings *settings, lbfgs_result *result, inco_error *error) {
    for (;;) {
        lbfgs_line line;
        result->gradient_norm = sqrt(w->gg);
        const int converged = result->gradient_norm <= settings->tolerance * fmax(1, sqrt(w->xx));
        if (converged || result->iterations >= settings->iterations) return INCO_OK;
        int moved, pairs = w->count, status = watcher_ask(w->problem->poll);
        if (status < 0 || (status = choose_line(w, &line, error)) < 0) return status;
        if ((result->ended = status > 0)) return INCO_OK;
        /* (LBFGS-8): the decrease predicted by the quadratic model is too small to continue */
        result->settled =
            settings->enough > 0 && -line.slope / 2 <= settings->enough * (w->problem->made + result->before - w->at.f);
        if (!(line.slope < 0) || result->settled) return INCO_OK;
        if ((status = advance(w, &line, &moved, error)) < 0) return status;
        if (!moved && pairs == 0) return INCO_OK;
        if (!moved) w->count = 0;
        result->iterations += moved;
    }
}

int lbfgs_minimize(lbfgs_problem *problem, const lbfgs_settings *settings, double *x, lbfgs_result *result,
                   inco_error *error) {
    work w;
    int status;
    *result = (lbfgs_result){0};
    problem->evaluations = 0;
    TRY(work_open(&w, problem, settings, x, error));
    TRY(lbfgs_evaluate(problem, &w.at, error));
    result->before = w.at.f;
    if (!isfinite(w.at.f)) TRY(error_set(error, INCO_ENUMERIC, "the objective is not finite at the initial point"));
    w.xx = blas_dot(w.n, w.at.x, w.at.x);
    w.gg = blas_dot(w.n, w.at.gradient, w.at.gradient);
    TRY(descend(&w, settings, result, error));
    result->after = w.at.f;
    result->evaluations = problem->evaluations;
done:
    if (w.at.x != x) memcpy(x, w.at.x, (size_t)w.n * sizeof(double));
    memory_free(w.memory);
    memory_free(w.s);
    memory_free(w.product);
    memory_free(w.alpha);
    memory_free(w.partial);
    return status;
}
