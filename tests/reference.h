/* The coders as a textbook has them, in long double: from the atoms and the residual itself, every step solved again.
 * Slow, and short. What tests/python/reference.py is to NumPy. */
#ifndef INCO_TESTS_REFERENCE_H
#define INCO_TESTS_REFERENCE_H

#include "check.h"

enum { REFERENCE_ATOMS = 64 }; /* the largest support */

typedef struct reference_rules {
    int ols, lasso;         /* which pursuit, which path */
    int64_t sparsity;       /* at most REFERENCE_ATOMS */
    double lambda, mu, tol; /* max |d'r|, residual coherence, ||r|| / ||x||; 0: off */
} reference_rules;

typedef struct reference_code {
    int64_t count;
    int64_t support[REFERENCE_ATOMS];
    long double value[REFERENCE_ATOMS];
    long double gap; /* the closest decision: by how much correlations would have to change to turn it */
} reference_code;

typedef struct reference_work {
    int64_t dim, atoms;
    const double *d;      /* dim x atoms, unit norm */
    long double *outside; /* the atoms outside the span, dim x atoms */
    long double *rest, *corr, *slope, *direction;
} reference_work;

static inline long double reference_dot(int64_t n, const long double *a, const long double *b) {
    long double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static inline reference_work reference_open(const inco_mat *d) {
    reference_work w = {d->rows, d->cols, d->data, NULL, NULL, NULL, NULL, NULL};
    long double *all = calloc((size_t)(d->rows * d->cols + 2 * d->rows + 2 * d->cols), sizeof *all);
    assert_non_null(all);
    w.outside = all;
    w.rest = w.outside + d->rows * d->cols;
    w.direction = w.rest + d->rows;
    w.corr = w.direction + d->rows;
    w.slope = w.corr + d->cols;
    return w;
}

static inline void reference_close(reference_work *w) {
    free(w->outside);
}

/* D'y */
static inline void reference_products(const reference_work *w, const long double *y, long double *out) {
    for (int64_t j = 0; j < w->atoms; j++) {
        out[j] = 0;
        for (int64_t i = 0; i < w->dim; i++) out[j] += w->d[i + j * w->dim] * y[i];
    }
}

/* Notes a decision between two values whose winner belongs to a correlation, or residual, of this size. */
static inline void reference_decide(reference_code *code, long double winner, long double loser, long double size) {
    const long double gap = winner > 0 ? (winner - loser) / winner * size : 0;
    if (fabsl(gap) < code->gap) code->gap = fabsl(gap);
}

/* Cholesky's factor of G_SS; S is code->support. Valid until the next call on this thread. */
static inline const long double (*reference_factor(const reference_work *w,
                                                   const reference_code *code))[REFERENCE_ATOMS] {
    static _Thread_local long double r[REFERENCE_ATOMS][REFERENCE_ATOMS];
    for (int64_t m = 0; m < code->count; m++)
        for (int64_t i = 0; i <= m; i++) {
            long double g = 0;
            for (int64_t h = 0; h < w->dim; h++)
                g += (long double)w->d[h + code->support[i] * w->dim] * w->d[h + code->support[m] * w->dim];
            for (int64_t h = 0; h < i; h++) g -= r[h][i] * r[h][m];
            r[i][m] = i < m ? g / r[i][i] : sqrtl(g);
        }
    return (const long double(*)[REFERENCE_ATOMS])r;
}

/* b solves G_SS b = right. */
static inline void reference_solve(const reference_work *w, const reference_code *code, const long double *right,
                                   long double *b) {
    const long double(*r)[REFERENCE_ATOMS] = reference_factor(w, code);
    const int64_t k = code->count;
    for (int64_t i = 0; i < k; i++) {
        b[i] = right[i];
        for (int64_t h = 0; h < i; h++) b[i] -= r[h][i] * b[h];
        b[i] /= r[i][i];
    }
    for (int64_t i = k - 1; i >= 0; i--) {
        for (int64_t h = i + 1; h < k; h++) b[i] -= r[i][h] * b[h];
        b[i] /= r[i][i];
    }
}

/* The trace of G_SS^-1 = R^-1 R^-T: the sum of squares of R^-1, row by row of R^-T. */
static inline long double reference_trace(const reference_work *w, const reference_code *code) {
    const long double(*r)[REFERENCE_ATOMS] = reference_factor(w, code);
    long double trace = 0, column[REFERENCE_ATOMS];
    for (int64_t m = 0; m < code->count; m++)
        for (int64_t i = m; i < code->count; i++) {
            column[i] = i == m;
            for (int64_t h = m; h < i; h++) column[i] -= r[h][i] * column[h];
            column[i] /= r[i][i];
            trace += column[i] * column[i];
        }
    return trace;
}

/* Bound on the error of coefficients that solve the normal equations in double, for a signal of unit norm. The entries
 * of G_SS are off by D u and those of its Cholesky factorisation by (k + 1) u, so that |G_SS - G| <= k (D + k + 1) u,
 * and the right side is off by sqrt(k) D u and, at the end of a path, by sqrt(k) times the error of
 * its level; ||G_SS^-1|| is at most the trace. */
static inline double reference_tolerance(const reference_work *w, const reference_code *code, double level) {
    const double u = 0x1p-53, k = (double)code->count, dim = (double)w->dim;
    const double length = (double)sqrtl(reference_dot(code->count, code->value, code->value));
    return (double)reference_trace(w, code) * (u * (k * (dim + k + 1) * length + sqrt(k) * dim) + sqrt(k) * level);
}

static inline int reference_has(const reference_code *code, int64_t atom) {
    for (int64_t m = 0; m < code->count; m++)
        if (code->support[m] == atom) return 1;
    return 0;
}

/* ---- OMP and OLS ---- */

/* The atom of the largest key, -1 for none; a dependent atom has none. */
static inline int64_t reference_best(const reference_work *w, const reference_rules *rules, reference_code *code) {
    long double best = 0, second = 0, size = 0;
    int64_t atom = -1;
    for (int64_t j = 0; j < w->atoms; j++) {
        const long double *e = w->outside + j * w->dim, c = reference_dot(w->dim, e, w->rest);
        const long double left = reference_dot(w->dim, e, e);
        if (reference_has(code, j) || left <= 1e-10L) continue;
        const long double key = rules->ols ? c * c / left : fabsl(c);
        if (key > best) {
            second = best;
            best = key;
            size = fabsl(c);
            atom = j;
        } else if (key > second) {
            second = key;
        }
    }
    reference_decide(code, best, second, size);
    return atom;
}

/* Takes the direction of atom j out of the residual and of all atoms. */
static inline void reference_deflate(reference_work *w, int64_t j) {
    long double *q = w->direction;
    const long double *e = w->outside + j * w->dim, length = sqrtl(reference_dot(w->dim, e, e));
    for (int64_t i = 0; i < w->dim; i++) q[i] = e[i] / length;
    for (int64_t l = -1; l < w->atoms; l++) {
        long double *y = l < 0 ? w->rest : w->outside + l * w->dim, part = reference_dot(w->dim, q, y);
        for (int64_t i = 0; i < w->dim; i++) y[i] -= part * q[i];
    }
}

static inline int reference_stops(const reference_work *w, const reference_rules *rules, long double energy,
                                  reference_code *code) {
    const long double left = sqrtl(reference_dot(w->dim, w->rest, w->rest)), size = rules->tol * sqrtl(energy);
    long double level = 0, limit = rules->lambda;
    if (code->count >= rules->sparsity) return 1;
    for (int64_t j = 0; j < w->atoms; j++) level = fmaxl(level, fabsl(w->corr[j]));
    if (rules->mu * left > limit) limit = rules->mu * left;
    if (rules->tol > 0) reference_decide(code, left, size, left);
    if (limit > 0) reference_decide(code, level, limit, level);
    /* ||r||^2 = ||x||^2 - sum of squares is off by (D + k) u ||x||^2 in double, which blurs the limit mu ||r|| */
    const long double blur = rules->mu * (long double)(w->dim + code->count) * 0x1p-53L * energy;
    if (fabsl(level - limit) * left <= blur) code->gap = 0;
    return left <= size || level <= limit;
}

static inline reference_code reference_pursuit(reference_work *w, const double *x, const reference_rules *rules) {
    reference_code code = {.gap = 1};
    long double right[REFERENCE_ATOMS], energy = 0;
    for (int64_t i = 0; i < w->dim * w->atoms; i++) w->outside[i] = w->d[i];
    for (int64_t i = 0; i < w->dim; i++) energy += (w->rest[i] = x[i]) * x[i];
    for (;;) {
        reference_products(w, w->rest, w->corr);
        if (reference_stops(w, rules, energy, &code)) break;
        const int64_t atom = reference_best(w, rules, &code);
        if (atom < 0) break;
        reference_deflate(w, atom);
        code.support[code.count++] = atom;
    }
    for (int64_t m = 0; m < code.count; m++) {
        right[m] = 0;
        for (int64_t i = 0; i < w->dim; i++) right[m] += (long double)w->d[i + code.support[m] * w->dim] * x[i];
    }
    reference_solve(w, &code, right, code.value);
    return code;
}

/* ---- LARS, LARC and the LASSO ---- */

/* What happens next on a path, after a fall of the level: an atom enters, one leaves, or a rule ends it. */
typedef struct reference_event {
    long double fall, second; /* ... and the one after it, for the gap */
    int64_t enters, leaves;
} reference_event;

static inline int reference_earlier(reference_event *e, long double fall) {
    if (fall >= e->fall) {
        if (fall < e->second) e->second = fall;
        return 0;
    }
    e->second = e->fall;
    e->fall = fall;
    e->enters = e->leaves = -1;
    return 1;
}

/* The smaller t in [0, level] with level - t = mu |r - t u|, infinite when there is none. */
static inline long double reference_coherent(const reference_work *w, long double level, long double mu) {
    const long double *r = w->rest, *u = w->direction;
    const long double a = 1 - mu * mu * reference_dot(w->dim, u, u), b = mu * mu * reference_dot(w->dim, r, u) - level;
    const long double c = level * level - mu * mu * reference_dot(w->dim, r, r), root = b * b - a * c;
    if (c <= 0) return 0;
    const long double t = root < 0 ? -1 : c / (-b + sqrtl(root));
    return t >= 0 && t <= level ? t : HUGE_VALL;
}

static inline void reference_enter(const reference_work *w, const reference_code *code, long double level, int64_t left,
                                   int left_sign, reference_event *e) {
    for (int64_t j = 0; j < w->atoms; j++)
        for (int sign = -1; sign <= 1; sign += 2) {
            const long double gap = level - sign * w->corr[j], closing = 1 - sign * w->slope[j];
            if (reference_has(code, j) || closing <= 1e-13L || (j == left && sign == left_sign)) continue;
            if (reference_earlier(e, fmaxl(gap, 0) / closing)) e->enters = j;
        }
}

static inline void reference_leave(const reference_code *code, const long double *weight, reference_event *e) {
    for (int64_t m = 0; m < code->count; m++)
        if (code->value[m] * weight[m] < 0 && reference_earlier(e, -code->value[m] / weight[m])) e->leaves = m;
}

static inline void reference_move(reference_work *w, reference_code *code, const long double *weight,
                                  long double fall) {
    for (int64_t m = 0; m < code->count; m++) code->value[m] += fall * weight[m];
    for (int64_t i = 0; i < w->dim; i++) w->rest[i] -= fall * w->direction[i];
}

/* The direction D_S weight along which all active correlations, of signs s, fall alike. */
static inline void reference_direct(reference_work *w, const reference_code *code, const int *sign,
                                    long double *weight) {
    long double right[REFERENCE_ATOMS];
    for (int64_t m = 0; m < code->count; m++) right[m] = sign[m];
    reference_solve(w, code, right, weight);
    for (int64_t i = 0; i < w->dim; i++) {
        w->direction[i] = 0;
        for (int64_t m = 0; m < code->count; m++) w->direction[i] += weight[m] * w->d[i + code->support[m] * w->dim];
    }
    reference_products(w, w->direction, w->slope);
}

static inline long double reference_first(const reference_work *w, reference_code *code, int *sign) {
    long double best = 0, second = 0;
    for (int64_t j = 0; j < w->atoms; j++)
        if (fabsl(w->corr[j]) > best) {
            second = best;
            best = fabsl(w->corr[j]);
            code->support[0] = j;
            sign[0] = w->corr[j] < 0 ? -1 : 1;
        } else {
            second = fmaxl(second, fabsl(w->corr[j]));
        }
    code->count = 1;
    reference_decide(code, best, second, best);
    return best;
}

static inline void reference_remove(reference_code *code, int *sign, int64_t m) {
    code->count--;
    for (; m < code->count; m++) {
        code->support[m] = code->support[m + 1];
        code->value[m] = code->value[m + 1];
        sign[m] = sign[m + 1];
    }
}

/* The path ends where the atom after the last of `sparsity` would enter, or by a rule. */
static inline reference_code reference_path(reference_work *w, const double *x, const reference_rules *rules) {
    reference_code code = {.gap = 1};
    long double weight[REFERENCE_ATOMS], level;
    int sign[REFERENCE_ATOMS], parted_sign = 0;
    int64_t parted = -1;
    for (int64_t i = 0; i < w->dim; i++) w->rest[i] = x[i];
    reference_products(w, w->rest, w->corr);
    level = reference_first(w, &code, sign);
    if (level <= rules->lambda) code.count = 0;
    for (int ended = code.count == 0; !ended;) {
        reference_direct(w, &code, sign, weight);
        reference_products(w, w->rest, w->corr);
        reference_event e = {level, HUGE_VALL, -1, -1};
        reference_enter(w, &code, level, parted, parted_sign, &e);
        if (rules->lasso) reference_leave(&code, weight, &e);
        if (rules->lambda > 0) reference_earlier(&e, level - rules->lambda);
        if (rules->mu > 0) reference_earlier(&e, reference_coherent(w, level, rules->mu));
        reference_move(w, &code, weight, e.fall);
        reference_decide(&code, level, level - (e.second - e.fall), level);
        level -= e.fall;
        parted = -1;
        ended = (e.enters < 0 && e.leaves < 0) || (e.enters >= 0 && code.count >= rules->sparsity);
        if (ended) break;
        if (e.leaves >= 0) {
            parted = code.support[e.leaves];
            parted_sign = sign[e.leaves];
            reference_remove(&code, sign, e.leaves);
        } else {
            const long double c = w->corr[e.enters] - e.fall * w->slope[e.enters];
            code.support[code.count] = e.enters;
            code.value[code.count] = 0;
            sign[code.count++] = c < 0 ? -1 : 1;
        }
    }
    return code;
}

#endif
