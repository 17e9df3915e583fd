/* Reference implementation of the coders in long double, by their definition: each step is solved from scratch. Slow
 * and short. Counterpart of tests/python/reference.py. */
#ifndef INCO_TESTS_REFERENCE_H
#define INCO_TESTS_REFERENCE_H

#include <float.h>

#include "check.h"

enum { REFERENCE_ATOMS = 64 }; /* maximum support */

typedef struct reference_rules {
    int ols, lasso;         /* variants of the pursuit and of the path */
    int64_t sparsity;       /* at most REFERENCE_ATOMS */
    double lambda, mu, tol; /* max |d'r|, residual coherence, ||r|| / ||x||; 0: off */
} reference_rules;

typedef struct reference_code {
    int64_t count;
    int64_t support[REFERENCE_ATOMS];
    long double value[REFERENCE_ATOMS];
    int64_t skips, skipped[REFERENCE_ATOMS]; /* atoms that a path left out, since they depend on its others */
    long double margin; /* of the closest decision: its distance as a multiple of the error of double; up to 1: a tie */
    long double blur;   /* error in double of the level at which a path ended */
} reference_code;

/* The atoms and, after them, the signal: columns 0 to `atoms`. */
typedef struct reference_work {
    int64_t dim, atoms;
    const double *d;      /* dim x atoms, unit norm */
    long double *outside; /* the columns outside the span of the support, dim x (atoms + 1) */
    long double *share;   /* their least-squares coefficients on the support, REFERENCE_ATOMS x (atoms + 1) */
    long double *rest, *corr, *slope, *direction, *key, *key_error;
    long double rounding; /* of correlations along a path, in units of double */
} reference_work;

static inline long double reference_dot(int64_t n, const long double *a, const long double *b) {
    long double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static inline reference_work reference_open(const inco_mat *d) {
    reference_work w = {.dim = d->rows, .atoms = d->cols, .d = d->data};
    const int64_t columns = d->cols + 1, rows = d->rows + REFERENCE_ATOMS;
    long double *all = calloc((size_t)(columns * rows + 2 * d->rows + 4 * d->cols), sizeof *all);
    assert_non_null(all);
    w.outside = all;
    w.share = w.outside + columns * d->rows;
    w.rest = w.share + columns * REFERENCE_ATOMS;
    w.direction = w.rest + d->rows;
    w.corr = w.direction + d->rows;
    w.slope = w.corr + d->cols;
    w.key = w.slope + d->cols;
    w.key_error = w.key + d->cols;
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

static inline int reference_has(const reference_code *code, int64_t atom) {
    for (int64_t m = 0; m < code->count; m++)
        if (code->support[m] == atom) return 1;
    return 0;
}

/* Whether a path may not add the atom. */
static inline int reference_out(const reference_code *code, int64_t atom) {
    for (int64_t m = 0; m < code->skips; m++)
        if (code->skipped[m] == atom) return 1;
    return reference_has(code, atom);
}

/* Starts with the signal x and an empty support. */
static inline void reference_start(reference_work *w, const double *x) {
    for (int64_t i = 0; i < w->dim * w->atoms; i++) w->outside[i] = w->d[i];
    for (int64_t i = 0; i < w->dim; i++) w->outside[i + w->dim * w->atoms] = x[i];
    w->rounding = 0;
}

/* Adds atom j as number k to the support: removes its direction from all columns. If column l has the coefficient t on
 * the remainder of atom j, it has t on atom j and -t times the coefficients of atom j on the others. */
static inline void reference_deflate(reference_work *w, int64_t k, int64_t j) {
    long double *q = w->direction, own[REFERENCE_ATOMS];
    const long double *e = w->outside + j * w->dim, length = sqrtl(reference_dot(w->dim, e, e));
    for (int64_t i = 0; i < w->dim; i++) q[i] = e[i] / length;
    for (int64_t m = 0; m < k; m++) own[m] = w->share[m + j * REFERENCE_ATOMS];
    for (int64_t l = 0; l <= w->atoms; l++) {
        long double *y = w->outside + l * w->dim, *h = w->share + l * REFERENCE_ATOMS;
        const long double part = reference_dot(w->dim, q, y);
        for (int64_t i = 0; i < w->dim; i++) y[i] -= part * q[i];
        for (int64_t m = 0; m < k; m++) h[m] -= part / length * own[m];
        h[k] = part / length;
    }
}

/* ---- Errors of double: (P-17), (P-18) of docs/theory/pursuit.md and (L-13), (L-14) of lars.md ---- */

/* Error of an entry of the Gram matrix of all columns for which the computed values are exact. The other term bounds
 * the error of long double. */
static inline long double reference_unit(const reference_work *w, const reference_code *code) {
    const long double unit = 0x1p-53L + 8 * LDBL_EPSILON;
    return unit * ((long double)(2 * w->dim + 3 * code->count + 8) + w->rounding);
}

/* 1 + sum |b| */
static inline long double reference_length(int64_t count, const long double *b) {
    long double length = 1;
    for (int64_t m = 0; m < count; m++) length += fabsl(b[m]);
    return length;
}

/* The same for the coefficients of a column on the support. */
static inline long double reference_reach(const reference_work *w, const reference_code *code, int64_t column) {
    return reference_length(code->count, w->share + column * REFERENCE_ATOMS);
}

/* Notes a decision: the distance of two values, and the sum of their errors. */
static inline void reference_decide(reference_code *code, long double distance, long double error) {
    code->margin = fminl(code->margin, fabsl(distance) / error);
}

/* Cholesky factor of G_SS, where S is code->support. Valid until the next call on this thread. */
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

/* Solves G_SS b = right. */
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

/* Trace of G_SS^-1 = R^-1 R^-T: the sum of squares of R^-1, computed by rows of R^-T. */
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
 * and the right side is off by sqrt(k) D u and, at the end of a path, by sqrt(k) times the error of its level;
 * ||G_SS^-1|| is at most the trace. */
static inline double reference_tolerance(const reference_work *w, const reference_code *code) {
    const double u = 0x1p-53, k = (double)code->count, dim = (double)w->dim;
    const double length = (double)sqrtl(reference_dot(code->count, code->value, code->value));
    const double right = sqrt(k) * (u * dim + (double)code->blur);
    return (double)reference_trace(w, code) * (u * k * (dim + k + 1) * length + right);
}

/* ---- OMP and OLS ---- */

/* Computes the key of atom j and its error in double, both as roots for OLS; 0 for a dependent atom. A remaining norm
 * within its error of 1e-10 may be that of a dependent atom. */
static inline void reference_rate(reference_work *w, const reference_rules *rules, const reference_code *code,
                                  int64_t j) {
    const long double *e = w->outside + j * w->dim, *r = w->outside + w->atoms * w->dim;
    const long double c = fabsl(reference_dot(w->dim, e, r)), n = reference_dot(w->dim, e, e);
    const long double unit = reference_unit(w, code), reach = reference_reach(w, code, j);
    const long double off = unit * reach * reference_reach(w, code, w->atoms), blunt = unit * reach * reach;
    const long double root = rules->ols ? sqrtl(n) : 1, low = rules->ols ? sqrtl(fmaxl(n - blunt, 0)) : 1;
    const int usable = !reference_has(code, j) && n > 1e-10L;
    w->key[j] = usable ? c / root : 0;
    w->key_error[j] = n - blunt > 1e-10L ? (c + off) / low - c / root : HUGE_VALL;
}

/* The atom with the largest key; -1: none. */
static inline int64_t reference_best(reference_work *w, const reference_rules *rules, reference_code *code) {
    int64_t best = -1;
    for (int64_t j = 0; j < w->atoms; j++) {
        reference_rate(w, rules, code, j);
        if (w->key[j] > (best < 0 ? 0 : w->key[best])) best = j;
    }
    for (int64_t j = 0; j < w->atoms; j++)
        if (j != best && w->key[j] > 0)
            reference_decide(code, w->key[best] - w->key[j], w->key_error[best] + w->key_error[j]);
    return best;
}

static inline int reference_stops(const reference_work *w, const reference_rules *rules, long double energy,
                                  reference_code *code) {
    const long double *r = w->outside + w->atoms * w->dim, left = sqrtl(reference_dot(w->dim, r, r));
    const long double size = rules->tol * sqrtl(energy), unit = reference_unit(w, code);
    const long double reach = reference_reach(w, code, w->atoms), off = unit * reach * reach / (2 * left);
    long double level = 0, high = 0;
    if (code->count >= rules->sparsity) return 1;
    for (int64_t j = 0; j < w->atoms; j++) {
        level = fmaxl(level, fabsl(w->corr[j]));
        high = fmaxl(high, fabsl(w->corr[j]) + unit * reach * reference_reach(w, code, j));
    }
    if (rules->tol > 0) reference_decide(code, left - size, off);
    if (rules->lambda > 0) reference_decide(code, level - rules->lambda, high - level);
    if (rules->mu > 0) reference_decide(code, level - rules->mu * left, high - level + rules->mu * off);
    return left <= size || level <= rules->lambda || level <= rules->mu * left;
}

static inline reference_code reference_pursuit(reference_work *w, const double *x, const reference_rules *rules) {
    reference_code code = {.margin = HUGE_VALL};
    const long double *r = w->outside + w->atoms * w->dim;
    long double right[REFERENCE_ATOMS];
    reference_start(w, x);
    const long double energy = reference_dot(w->dim, r, r);
    for (;;) {
        reference_products(w, r, w->corr);
        if (reference_stops(w, rules, energy, &code)) break;
        const int64_t atom = reference_best(w, rules, &code);
        if (atom < 0) break;
        reference_deflate(w, code.count, atom);
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

/* The next event on a path, after a decrease of the level: an atom enters or leaves, or a rule ends the path. */
typedef struct reference_event {
    long double fall;
    int64_t enters, leaves;
} reference_event;

static inline int reference_earlier(reference_event *e, long double fall) {
    if (fall >= e->fall) return 0;
    e->fall = fall;
    e->enters = e->leaves = -1;
    return 1;
}

/* The smaller t in [0, level] with level - t = mu |r - t u|; infinite: none. */
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
            if (reference_out(code, j) || closing <= 1e-13L || (j == left && sign == left_sign)) continue;
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

/* The direction D_S weight along which all active correlations, of signs s, decrease equally. */
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

/* The first atom. Returns the level. */
static inline long double reference_first(const reference_work *w, reference_code *code, int *sign) {
    long double best = 0;
    for (int64_t j = 0; j < w->atoms; j++)
        if (fabsl(w->corr[j]) > best) {
            best = fabsl(w->corr[j]);
            code->support[0] = j;
            sign[0] = w->corr[j] < 0 ? -1 : 1;
        }
    for (int64_t j = 0; j < w->atoms; j++)
        if (j != code->support[0]) reference_decide(code, best - fabsl(w->corr[j]), 2 * reference_unit(w, code));
    code->count = 1;
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

/* Adds the rounding of a move by double: k times that of slopes of size ||u||, and that of the correlations. */
static inline void reference_round(reference_work *w, const reference_code *code, long double level, long double fall) {
    const long double length = sqrtl(reference_dot(w->dim, w->direction, w->direction));
    w->rounding += level + fall * length * (long double)(2 + 3 * code->count);
}

/* Error of ||r|| at a level: (L-14). */
static inline long double reference_residual_error(const reference_work *w, const reference_code *code,
                                                   const long double *weight, long double level) {
    const long double fit = reference_reach(w, code, w->atoms), move = reference_length(code->count, weight) - 1;
    const long double left = sqrtl(reference_dot(w->dim, w->rest, w->rest));
    return reference_unit(w, code) * reference_length(code->count, code->value) * (fit + level * move) / (2 * left);
}

/* Error of the level of an event, which has been moved to: (L-13), (L-14). */
static inline long double reference_level_error(const reference_work *w, const reference_rules *rules,
                                                const reference_code *code, const long double *weight,
                                                const reference_event *e, long double level) {
    const long double c = e->enters < 0 ? 0 : w->corr[e->enters] - e->fall * w->slope[e->enters];
    if (e->enters >= 0) {
        const long double closing = 1 - (c < 0 ? -1 : 1) * w->slope[e->enters];
        const long double reach = reference_reach(w, code, e->enters) * reference_length(code->count, code->value);
        return reference_unit(w, code) * reach / closing;
    }
    if (rules->mu <= 0 || level <= 0) return 0;
    const long double bends = 1 - rules->mu * rules->mu * reference_dot(w->dim, w->direction, w->direction);
    return rules->mu * reference_residual_error(w, code, weight, level) / bends;
}

/* Widens the error of the level at which the atom beyond the largest support would enter by that of other atoms that
 * may enter there. Which of them it is has no effect on the code. */
static inline void reference_widen(const reference_work *w, reference_code *code, const reference_event *e,
                                   long double level) {
    const long double unit = reference_unit(w, code) * reference_length(code->count, code->value);
    for (int64_t j = 0; j < w->atoms; j++)
        for (int sign = -1; sign <= 1; sign += 2) {
            const long double c = sign * (w->corr[j] - e->fall * w->slope[j]), closing = 1 - sign * w->slope[j];
            if (reference_out(code, j) || closing <= 0) continue;
            code->blur = fmaxl(code->blur, (unit * reference_reach(w, code, j) - (level - c)) / closing);
        }
}

/* Notes that every other atom, and every rule, is below the level of an event of LARS. */
static inline void reference_decide_event(const reference_work *w, const reference_rules *rules, reference_code *code,
                                          const long double *weight, const reference_event *e, long double level) {
    const long double off = code->blur, unit = reference_unit(w, code) * reference_length(code->count, code->value);
    const long double left = sqrtl(reference_dot(w->dim, w->rest, w->rest));
    for (int64_t j = 0; level > 0 && j < w->atoms; j++)
        for (int sign = -1; sign <= 1; sign += 2) {
            const long double c = sign * (w->corr[j] - e->fall * w->slope[j]), closing = fabsl(1 - sign * w->slope[j]);
            if (reference_out(code, j) || (j == e->enters && c > 0)) continue;
            reference_decide(code, level - c, unit * reference_reach(w, code, j) + closing * off);
        }
    if (e->enters < 0) return;
    if (rules->lambda > 0) reference_decide(code, level - rules->lambda, off);
    if (rules->mu <= 0) return;
    reference_decide(code, level - rules->mu * left,
                     off + rules->mu * reference_residual_error(w, code, weight, level));
}

/* Notes that the solution of the LASSO, which is unique whatever path leads to it, has this support: other atoms are
 * below the level, and coefficients differ from zero. */
static inline void reference_decide_solution(reference_work *w, const double *x, reference_code *code,
                                             long double level) {
    const long double unit = reference_unit(w, code) * reference_length(code->count, code->value);
    code->margin = HUGE_VALL;
    reference_start(w, x);
    for (int64_t m = 0; m < code->count; m++) reference_deflate(w, m, code->support[m]);
    reference_products(w, w->rest, w->corr);
    for (int64_t j = 0; j < w->atoms; j++)
        if (!reference_has(code, j))
            reference_decide(code, level - fabsl(w->corr[j]), unit * reference_reach(w, code, j));
    for (int64_t m = 0; m < code->count; m++) {
        long double right[REFERENCE_ATOMS] = {0}, row[REFERENCE_ATOMS]; /* of G_SS^-1 */
        right[m] = 1;
        reference_solve(w, code, right, row);
        reference_decide(code, code->value[m], unit * (reference_length(code->count, row) - 1));
    }
}

/* Whether atom j depends on the support of a path of LARS: its squared distance from their span is at most 1e-10. */
static inline int reference_depends(const reference_work *w, reference_code *code, int64_t j) {
    const long double *e = w->outside + j * w->dim, n = reference_dot(w->dim, e, e),
                      reach = reference_reach(w, code, j);
    reference_decide(code, n - 1e-10L, reference_unit(w, code) * reach * reach);
    return n <= 1e-10L;
}

/* The path ends where the atom after the last of `sparsity` atoms would enter, or by a rule. */
static inline reference_code reference_path(reference_work *w, const double *x, const reference_rules *rules) {
    reference_code code = {.margin = HUGE_VALL};
    long double weight[REFERENCE_ATOMS], level;
    int sign[REFERENCE_ATOMS], parted_sign = 0, added = 1;
    int64_t parted = -1;
    reference_start(w, x);
    for (int64_t i = 0; i < w->dim; i++) w->rest[i] = x[i];
    reference_products(w, w->rest, w->corr);
    level = reference_first(w, &code, sign);
    if (level <= rules->lambda) code.count = 0;
    for (int ended = code.count == 0; !ended;) {
        if (!rules->lasso && added) reference_deflate(w, code.count - 1, code.support[code.count - 1]);
        reference_direct(w, &code, sign, weight);
        reference_products(w, w->rest, w->corr);
        reference_event e = {level, -1, -1};
        reference_enter(w, &code, level, parted, parted_sign, &e);
        if (rules->lasso) reference_leave(&code, weight, &e);
        if (rules->lambda > 0) reference_earlier(&e, level - rules->lambda);
        if (rules->mu > 0) reference_earlier(&e, reference_coherent(w, level, rules->mu));
        reference_move(w, &code, weight, e.fall);
        reference_round(w, &code, level, e.fall);
        level -= e.fall;
        parted = -1;
        const int full = e.enters >= 0 && code.count >= rules->sparsity;
        ended = (e.enters < 0 && e.leaves < 0) || full;
        if (!rules->lasso) {
            code.blur = reference_level_error(w, rules, &code, weight, &e, level);
            if (full)
                reference_widen(w, &code, &e, level);
            else
                reference_decide_event(w, rules, &code, weight, &e, level);
        }
        if (ended) break;
        if (e.leaves >= 0) {
            parted = code.support[e.leaves];
            parted_sign = sign[e.leaves];
            reference_remove(&code, sign, e.leaves);
        } else if (!rules->lasso && reference_depends(w, &code, e.enters)) {
            assert_true(code.skips < REFERENCE_ATOMS);
            code.skipped[code.skips++] = e.enters;
            added = 0;
        } else {
            added = 1;
            const long double c = w->corr[e.enters] - e.fall * w->slope[e.enters];
            code.support[code.count] = e.enters;
            code.value[code.count] = 0;
            sign[code.count++] = c < 0 ? -1 : 1;
        }
    }
    if (rules->lasso) reference_decide_solution(w, x, &code, rules->lambda);
    return code;
}

#endif
