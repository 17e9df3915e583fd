#include "learn/path_table.h"

#include <math.h>
#include <string.h>

static const double NOISE = 0.01; /* of (PATH-1): scores closer than this are ties */

enum { GRID = 6, EXTRA = 6 };                                  /* weights of the grid; points between them, at most */
static const double grid[GRID] = {0, 0.001, 0.01, 0.1, 1, 10}; /* relative to ||X||^2 / L */
static const double SMALL = 1e-5;                              /* stands for 0 on the logarithmic scale of weights */
static const double NEAR = 5e-3;                               /* an error this close to its target uses it up */
static const double GAIN = 1e-3;     /* differences in rms coherence that are not worth a run */
static const double REACH = 0.2;     /* a target further below the lowest error of the grid is not searched for */
static const double APART = 1.5;     /* factor between a steered weight and the next one tried */
static const double ROUNDING = 1e-6; /* of the rms coherence, by the precision of the dictionary */

/* ---- Queries ---- */

static double weight_of(const path_table *t, int64_t i) {
    return t->point[i].gamma_relative;
}

static int is_tried(const path_table *t, double weight) {
    for (int64_t i = 0; i < t->path.count; i++)
        if (weight_of(t, i) == weight) return 1;
    return 0;
}

static int is_within(const inco_path_point *p, const path_goal *goal) {
    return goal->kind == PATH_ERROR ? p->relative_error <= goal->target
                                    : p->coherence_rms <= goal->target * (1 + ROUNDING);
}

/* ---- Choice ---- */

/* (PATH-2): in ascending order of gamma, a point within the noise of the lowest so far is chosen instead. */
static void choose_auto(path_table *t) {
    const int64_t count = t->path.count;
    double lowest = INFINITY;
    for (int64_t i = 0; i < count; i++) {
        if (t->point[i].judgement <= lowest + NOISE) t->path.chosen = i;
        lowest = fmin(lowest, t->point[i].judgement);
    }
    for (int64_t i = 0; i < count; i++) t->point[i].cost = expm1(t->point[i].judgement - lowest);
}

/* (PATH-3) and (PATH-4): points within the target come first, ordered by the figure to minimise; the others follow,
 * ordered by the figure of the target. A tie is decided by the other figure, so that no point dominates the one chosen.
 */
static int is_better(const inco_path_point *a, const inco_path_point *b, const path_goal *goal) {
    const int within = is_within(a, goal), rms_first = (goal->kind == PATH_ERROR) == within;
    if (within != is_within(b, goal)) return within;
    const double first_a = rms_first ? a->coherence_rms : a->relative_error;
    const double first_b = rms_first ? b->coherence_rms : b->relative_error;
    if (first_a != first_b) return first_a < first_b;
    return rms_first ? a->relative_error < b->relative_error : a->coherence_rms < b->coherence_rms;
}

static void choose(path_table *t, const path_goal *goal) {
    if (goal->kind == PATH_AUTO) {
        choose_auto(t);
        return;
    }
    t->path.chosen = 0;
    for (int64_t i = 1; i < t->path.count; i++)
        if (is_better(&t->point[i], &t->point[t->path.chosen], goal)) t->path.chosen = i;
}

void path_insert(path_table *t, const path_goal *goal, inco_path_point *point, const double *residual) {
    int64_t i = t->path.count++;
    point->order = t->path.count;
    for (; i > 0 && weight_of(t, i - 1) > point->gamma_relative; i--) {
        t->point[i] = t->point[i - 1];
        memcpy(t->residual[i], t->residual[i - 1], sizeof t->residual[i]);
    }
    t->point[i] = *point;
    memcpy(t->residual[i], residual, sizeof t->residual[i]);
    t->path.noise = goal->kind == PATH_AUTO ? NOISE : 0;
    choose(t, goal);
}

/* ---- The next weight ---- */

/* The default weight comes first: its codes say how many atoms the scores use. */
static int next_auto(const path_table *t, double *weight) {
    static const int order[GRID] = {3, 0, 1, 2, 4, 5};
    const int64_t count = t->path.count;
    if (count < GRID) *weight = grid[order[count]];
    return count < GRID;
}

/* Logarithm of weight i; those outside the points are as far away as the grid would have them. */
static double place(const path_table *t, int64_t i) {
    if (i < 0) return log(SMALL);
    if (i >= t->path.count) return log(grid[GRID - 1]);
    return log(fmax(weight_of(t, i), SMALL));
}

static void between(const path_table *t, int64_t i, double *weight) {
    *weight = exp((place(t, i) + place(t, i + 1)) / 2);
}

/* Whether another run between point i, which is within the target, and the next one, which is not, is worthwhile. */
static int is_open(const path_table *t, const path_goal *goal, int64_t i) {
    const inco_path_point *in = &t->point[i], *out = in + 1;
    return in->relative_error < (1 - NEAR) * goal->target && in->coherence_rms > (1 + GAIN) * out->coherence_rms;
}

/* If no weight of the grid is within the target: on the wider side of the lowest error. */
static int next_beside_lowest(const path_table *t, const path_goal *goal, double *weight) {
    int64_t i = 0;
    for (int64_t k = 1; k < t->path.count; k++)
        if (t->point[k].relative_error < t->point[i].relative_error) i = k;
    if (t->point[i].relative_error > (1 + REACH) * goal->target) return 0;
    between(t, place(t, i) - place(t, i - 1) > place(t, i + 1) - place(t, i) ? i - 1 : i, weight);
    return 1;
}

/* Descends from the largest weight of the grid, of the least coherence, to the first within the target, and bisects
 * between it and the one before. */
static int next_error(const path_table *t, const path_goal *goal, double *weight) {
    const int64_t count = t->path.count;
    int64_t i = count - 1, between_grid = count;
    while (i >= 0 && !is_within(&t->point[i], goal)) i--; /* the largest weight within the target; -1: none */
    if (i < 0 && count < GRID) {
        *weight = grid[GRID - 1 - count];
        return 1;
    }
    for (int k = 0; k < GRID; k++) between_grid -= is_tried(t, grid[k]);
    if (between_grid >= EXTRA) return 0;
    if (i < 0) return next_beside_lowest(t, goal, weight);
    if (i == count - 1 || !is_open(t, goal, i)) return 0;
    between(t, i, weight);
    return 1;
}

/* Steers to the target, which gives the least weight within it; then tries the larger ones of the grid. */
static int next_rms(const path_table *t, double *weight) {
    double steered = 0;
    *weight = PATH_STEERED;
    if (!t->path.count) return 1;
    for (int64_t i = 0; i < t->path.count; i++)
        if (t->point[i].order == 1) steered = weight_of(t, i);
    for (int k = 0; k < GRID; k++)
        if (grid[k] > APART * steered && !is_tried(t, grid[k])) {
            *weight = grid[k];
            return 1;
        }
    return 0;
}

int path_next(const path_table *t, const path_goal *goal, double *weight) {
    if (goal->kind == PATH_AUTO) return next_auto(t, weight);
    return goal->kind == PATH_ERROR ? next_error(t, goal, weight) : next_rms(t, weight);
}

int64_t path_planned(const path_goal *goal) {
    return goal->kind == PATH_AUTO ? GRID : 0;
}
