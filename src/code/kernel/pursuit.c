/* Orthogonal matching pursuit and orthogonal least squares, and their non-negative forms (docs/theory/pursuit.md).
 *
 * Both add the atom of largest key and project anew. OMP's key is |d'r|; OLS's is (d'r)^2 over the squared norm of what
 * is left of d outside the span. */
#include "base/options.h"
#include "code/kernel/basis.h"

/* The best atom found so far. For OMP `key` is |d'r|, for OLS (d'r)^2 / norm. */
typedef struct choice {
    int64_t atom; /* -1: none */
    real key;
    real runner; /* OMP with a margin: the next best key, where it comes within the slack */
    real slack;  /* the margin times ||x|| */
} choice;

static void take(choice *best, int64_t atom, real key) {
    if (key > best->key) {
        best->runner = best->key;
        best->key = key;
        best->atom = atom;
    } else if (key > best->runner) {
        best->runner = key;
    }
}

/* The key of atom j if it may be chosen, else 0. */
static inline real key_of(const kernel_work *w, int64_t j) {
    real c = ((const real *)w->corr)[j], left = ((const real *)w->norm)[j];
    if (((const real *)w->free)[j] == 0 || (w->rules.nonnegative && c < 0)) return 0;
    if (w->rules.coder == CODER_OMP) return c < 0 ? -c : c;
    return left > (real)PIVOT ? c * c / left : 0;
}

/* Just below the largest key of a block: what a first look compares with. */
static real first_limit(const vector key[VECTORS], const vector norm[VECTORS], int ols) {
    vector largest = {0};
    for (int i = 0; i < VECTORS; i++) {
        vector_bits live = norm[i] > (real)PIVOT;
        vector k = ols ? vector_select(live, key[i] / vector_select(live, norm[i], vector_of(1)), (vector){0}) : key[i];
        largest = vector_max(largest, k);
    }
    return largest_lane(largest) * (1 - 8 * (real)ROUNDING);
}

/* Looks through one block for an atom with a key above the limit: a cheap test of all lanes, c^2 > limit * norm without
 * a division for OLS, and the key itself only where it succeeds. Atoms already chosen have correlations near 0. */
static inline void look_closer(const kernel_work *w, int64_t b, const vector key[VECTORS], real limit, choice *best) {
    const vector *norm = (const vector *)((const real *)w->norm + b * BLOCK), bar = vector_of(limit - best->slack);
    const int ols = w->rules.coder == CODER_OLS;
    unsigned found[VECTORS], any = 0;
    for (int i = 0; i < VECTORS; i++) any |= found[i] = lanes_greater(key[i], ols ? bar * norm[i] : bar);
    for (int i = 0; any && i < VECTORS; i++) {
        for (unsigned lanes = found[i]; lanes; lanes &= lanes - 1) {
            int64_t j = b * BLOCK + i * (int)LANES + __builtin_ctz(lanes);
            take(best, j, key_of(w, j));
        }
    }
}

/* The best atom of a block, if it is better than the best so far. */
static inline void look(const kernel_work *w, int64_t b, const vector c[VECTORS], choice *best) {
    const vector *norm = (const vector *)((const real *)w->norm + b * BLOCK);
    const int ols = w->rules.coder == CODER_OLS;
    vector key[VECTORS];
    for (int i = 0; i < VECTORS; i++) {
        vector allowed = w->rules.nonnegative ? vector_max(c[i], (vector){0}) : vector_abs(c[i]);
        key[i] = ols ? allowed * allowed : allowed;
    }
    const int first = best->atom < 0;
    look_closer(w, b, key, first ? first_limit(key, norm, ols) : best->key, best);
    if (first && best->atom < 0) look_closer(w, b, key, 0, best);
}

/* Nothing chosen yet. */
static choice no_choice(const kernel_work *w, double energy) {
    return (choice){-1, 0, 0, (real)(w->margin * sqrt(energy))};
}

static choice look_everywhere(const kernel_work *w, choice best) {
    for (int64_t b = 0; b < w->stride / BLOCK; b++)
        look(w, b, (const vector *)((const real *)w->corr + b * BLOCK), &best);
    return best;
}

/* One pass: p = (g_j - P r) / rho, correlations less alpha p, remaining norms less p^2, and the next choice. */
static choice add_column(kernel_work *w, choice best, int64_t j, double rho, double alpha) {
    const real *gram = basis_gram(w, j);
    for (int64_t b = 0; b < w->stride / BLOCK; b++) {
        vector p[VECTORS], *c = (vector *)((real *)w->corr + b * BLOCK),
                           *norm = (vector *)((real *)w->norm + b * BLOCK);
        basis_new_block(w, b, gram, (real)(1 / rho), p);
        for (int i = 0; i < VECTORS; i++) c[i] -= (real)alpha * p[i];
        if (w->rules.coder == CODER_OLS)
            for (int i = 0; i < VECTORS; i++) norm[i] -= p[i] * p[i];
        look(w, b, c, &best);
    }
    return best;
}

/* Largest |d'r| (or d'r) over the atoms left. */
static double largest_correlation(const kernel_work *w, choice best) {
    if (w->rules.coder == CODER_OMP) return best.key;
    const real *c = w->corr, *free = w->free;
    double largest = 0;
    for (int64_t j = 0; j < w->stride; j++) {
        double key = (double)(w->rules.nonnegative ? c[j] : (real)fabs(c[j])) * (double)free[j];
        largest = key > largest ? key : largest;
    }
    return largest;
}

/* What the best atom would take off the residual's norm is at least the largest correlation. */
static int nothing_left(const kernel_work *w, choice best, double energy) {
    double gain = w->rules.coder == CODER_OLS ? sqrt((double)best.key) : (double)best.key;
    return gain <= NOTHING * sqrt(energy);
}

/* Is the value below the limit? Notes when it is too close to tell from float32. */
static int below(kernel_work *w, double value, double limit, double slack) {
    if (slack > 0 && fabs(value - limit) <= slack) w->uncertain = 1;
    return value <= limit;
}

static int finished(kernel_work *w, choice best, double energy) {
    const kernel_rules *rules = &w->rules;
    const double slack = (double)best.slack;
    if (best.atom < 0 || nothing_left(w, best, energy)) return w->uncertain = 1;
    if (w->count >= rules->atoms) return 1;
    if (rules->tolerance >= 0 &&
        below(w, w->residual, rules->tolerance * rules->tolerance * energy, slack * sqrt(energy)))
        return 1;
    if (rules->lambda < 0 && rules->coherence < 0) return 0;
    double c = largest_correlation(w, best);
    return (rules->lambda >= 0 && below(w, c, rules->lambda, slack)) ||
           (rules->coherence >= 0 && below(w, c, rules->coherence * sqrt(w->residual), slack));
}

/* Adds atom j, at distance rho from the span: q'x = d_j'r / rho. */
static choice add_atom(kernel_work *w, choice none, int64_t j, double rho) {
    double alpha = (double)((const real *)w->corr)[j] / rho;
    w->support[w->count] = (int32_t)j;
    basis_column(w, w->count)[w->count] = rho;
    w->proj[w->count] = alpha;
    w->entry[w->count] = w->turn[w->count] = 0;
    ((real *)w->free)[j] = 0;
    choice next = add_column(w, none, j, rho, alpha);
    ((real *)w->norm)[j] = 1; /* it is 0 now: with 1 its key of 0 never makes the search look closer */
    w->residual -= alpha * alpha;
    if (w->residual < 0) w->residual = 0;
    w->count++;
    w->effort.atoms++;
    return next;
}

/* Takes atom number i out again: the span loses a direction q, the residual gains (q'x) q. */
static void remove_atom(kernel_work *w, int64_t i) {
    ((real *)w->free)[w->support[i]] = 1;
    ((real *)w->norm)[w->support[i]] = 0;
    basis_drop(w, i);
    double lost = w->proj[w->count];
    basis_axpy(w, w->count, (real)lost, w->corr);
    w->residual += lost * lost;
    if (w->rules.coder != CODER_OLS) return;
    for (int64_t j = 0; j < w->stride; j++) {
        real p = basis_block(w, j / BLOCK, w->count)[j % BLOCK];
        ((real *)w->norm)[j] += p * p;
    }
}

/* Of the coefficients that the new solution makes negative, the first to reach zero on the way there from the old ones
 * (kept in w->entry); -1 when all stay positive. */
static int64_t first_to_vanish(const kernel_work *w, double *fraction) {
    int64_t first = -1;
    *fraction = 1;
    for (int64_t m = 0; m < w->count; m++) {
        if (w->solution[m] > 0) continue;
        double f = w->entry[m] > 0 ? w->entry[m] / (w->entry[m] - w->solution[m]) : 0;
        if (first < 0 || f < *fraction) first = m, *fraction = f;
    }
    return first;
}

/* Lawson and Hanson's inner loop: moves towards the least-squares solution as far as all coefficients allow, takes out
 * the one that vanished, and starts again. Returns 1 when atoms were taken out. */
static int make_nonnegative(kernel_work *w) {
    int removed = 0;
    for (;;) {
        double fraction;
        basis_solve(w, w->proj, w->solution);
        int64_t m = first_to_vanish(w, &fraction);
        if (m < 0) break;
        for (int64_t k = 0; k < w->count; k++) w->entry[k] += fraction * (w->solution[k] - w->entry[k]);
        int64_t atom = w->support[m], newest = m == w->count - 1;
        remove_atom(w, m);
        if (newest && fraction == 0) basis_retire(w, atom); /* it came in for rounding errors alone */
        removed = 1;
    }
    for (int64_t k = 0; k < w->count; k++) w->entry[k] = w->solution[k];
    return removed;
}

int KERNEL(pursuit)(kernel_work *w, const void *a0, double energy);

int KERNEL(pursuit)(kernel_work *w, const void *a0, double energy) {
    basis_start(w, a0, energy);
    if (w->rules.coder == CODER_OLS)
        for (int64_t j = 0; j < w->stride; j++) ((real *)w->norm)[j] = 1;
    const choice none = no_choice(w, energy);
    choice best = look_everywhere(w, none);
    /* Without removals a step per atom; every round with removals lowers the error, so the limit is a safeguard. */
    for (int64_t step = 0, limit = 4 * w->rules.atoms + 64; step < limit && !finished(w, best, energy); step++) {
        double left = basis_row(w, best.atom);
        if (left <= PIVOT) {
            basis_retire(w, best.atom);
            best = look_everywhere(w, none);
            limit++;
            continue;
        }
        if (basis_reserve(w) < 0) return INCO_ENOMEM;
        if (best.key - best.runner < best.slack) w->uncertain = 1;
        best = add_atom(w, none, best.atom, sqrt(left));
        if (w->rules.nonnegative && make_nonnegative(w)) best = look_everywhere(w, none);
    }
    basis_solve(w, w->proj, w->solution);
    basis_result(w, w->solution);
    return INCO_OK;
}
