/* Orthogonal matching pursuit and orthogonal least squares, and their nonnegative variants (docs/theory/pursuit.md).
 *
 * Each step adds the atom with the largest key and projects onto the new span. The key of OMP is |d'r|, that of OLS is
 * (d'r)^2 / norm, where norm is the squared distance of d from the span (its remaining norm). */
#include "code/kernel/column.h"

/* Key of an atom, and an interval that contains the key in exact arithmetic. */
typedef struct keys {
    real key, low, high;
} keys;

/* The best atom found so far, and bounds on the others. */
typedef struct choice {
    int64_t atom; /* -1: none */
    keys of;
    real rival;        /* upper bound on the runner-up's key; every atom whose `high` is above best.low was examined */
    real slack, blunt; /* error bounds of correlations and, for OLS, of remaining norms; 0: not verified */
    real dependent;    /* atoms with at most this remaining norm are linearly dependent */
    int64_t steps;     /* completed, with one column each, and */
    double rounding, row, row2; /* sums over them: see set_windows */
} choice;

static void take(choice *best, int64_t atom, keys of) {
    if (of.key > best->of.key || (of.key == best->of.key && of.key > 0 && atom < best->atom)) {
        best->rival = best->of.high > best->rival ? best->of.high : best->rival;
        best->of = of;
        best->atom = atom;
    } else if (of.high > best->rival) {
        best->rival = of.high;
    }
}

/* Key of atom j; 0 if it may not be chosen. */
static inline keys keys_of(const kernel_work *w, int64_t j, const choice *best) {
    const real c = ((const real *)w->corr)[j], left = ((const real *)w->norm)[j], size = c < 0 ? -c : c;
    if (((const real *)w->free)[j] == 0 || (w->rules.nonnegative && c < 0)) return (keys){0, 0, 0};
    if (w->rules.coder != CODER_OLS) return (keys){size, size - best->slack, size + best->slack};
    if (left <= best->dependent) return (keys){0, 0, 0};
    const real more = size + best->slack, less = size > best->slack ? size - best->slack : 0;
    return (keys){c * c / left, less * less / (left + best->blunt), more * more / (left - best->blunt)};
}

/* Resets the search. */
static inline void forget(choice *best) {
    best->atom = -1;
    best->of = (keys){0, 0, 0};
    best->rival = 0;
}

/* Searches all atoms. */
static void look_everywhere(const kernel_work *w, choice *best) {
    forget(best);
    for (int64_t j = 0; j < w->stride; j++) take(best, j, keys_of(w, j, best));
}

/* ---- The best atom: approximate largest keys of all blocks, then exact keys where they are largest ---- */

/* What the search maximises: correlations (OMP), approximate keys (OLS), or the upper ends of their intervals (OLS that
 * is verified). */
typedef enum measure { CORRELATIONS, KEYS, MARGINS } measure;

static measure measure_of(const kernel_work *w, const choice *best) {
    return w->rules.coder != CODER_OLS ? CORRELATIONS : best->blunt > 0 ? MARGINS : KEYS;
}

/* Approximate keys of a vector of atoms, and `before` where that is larger. Atoms already chosen have correlations near
 * 0. */
static inline vector larger_keys(const kernel_work *w, vector c, vector norm, vector before) {
    const vector size = w->rules.nonnegative ? vector_max(c, (vector){0}) : c;
    return vector_max_where(before, size * size * about_inverse(norm), norm, vector_of((real)PIVOT));
}

/* The same for the upper ends of the intervals; infinite if set_aside must exclude an atom. */
static inline vector larger_margins(const kernel_work *w, vector c, vector norm, const choice *best, vector before) {
    const vector size = vector_max(basis_wanted(w, c) + best->slack, (vector){0});
    const vector key = size * size * about_inverse(norm - best->blunt);
    return vector_max(before, vector_select(norm > best->dependent, key, vector_of((real)INFINITY)));
}

/* The same by any measure, a compile-time constant. */
static inline __attribute__((always_inline)) vector larger_of(const kernel_work *w, measure by, vector c, vector norm,
                                                              const choice *best, vector before) {
    if (by == CORRELATIONS) return vector_max(before, basis_wanted(w, c));
    return by == KEYS ? larger_keys(w, c, norm, before) : larger_margins(w, c, norm, best, before);
}

/* Stores the lane-wise maximum of block b in w->maximum. Returns the maximum with `before`, that of earlier blocks. */
static inline vector note(const kernel_work *w, int64_t b, vector maximum, vector before) {
    ((vector *)w->maximum)[b] = maximum;
    return vector_max(before, maximum);
}

/* Lanes of vector i of block b whose keys may be above the bar; for OLS, (|c| + slack)^2 > bar (norm - blunt). */
static inline unsigned lanes_above(const kernel_work *w, int64_t b, int i, real bar, const choice *best) {
    const vector size = basis_wanted(w, basis_vectors(w->corr, b)[i]);
    if (w->rules.coder != CODER_OLS) return lanes_greater(size, vector_of(bar));
    const vector norm = basis_vectors(w->norm, b)[i];
    const vector more = vector_max(size, (vector){0}) + best->slack;
    return lanes_greater(more * more, bar * (norm - best->blunt));
}

/* Set of the atoms of a block whose keys may be above the bar. */
static inline atom_set atoms_above(const kernel_work *w, int64_t b, real bar, const choice *best) {
    atom_set above = 0;
    for (int i = 0; i < VECTORS; i++) above |= (atom_set)lanes_above(w, b, i, bar, best) << i * (int)LANES;
    return above;
}

static inline void look_closer(const kernel_work *w, int64_t b, real bar, choice *best) {
    for (atom_set above = atoms_above(w, b, bar, best); above; above &= above - 1) {
        int64_t j = b * BLOCK + set_first(above);
        take(best, j, keys_of(w, j, best));
    }
}

/* Finds the best of the atoms in blocks with a lane of w->maximum above the bar. */
static void look_above(const kernel_work *w, real bar, choice *best) {
    forget(best);
    for (int64_t first = 0; first < w->stride / BLOCK; first += 64)
        for (uint64_t above = basis_blocks_above(w, first, bar); above; above &= above - 1)
            look_closer(w, first + __builtin_ctzll(above), bar * (1 - (real)ABOUT), best);
}

/* Finds the atom with the largest key, given the lane-wise maxima of all blocks. Falls back to a search over all atoms
 * if the result is not certain: the atom may not be chosen, or a candidate with a key close to it was not examined. */
static void pick_largest(const kernel_work *w, choice *best, vector maximum) {
    const int ols = w->rules.coder == CODER_OLS;
    const real largest = largest_lane(maximum);
    real bar = ols ? largest * (1 - 3 * (real)ABOUT) : largest * (1 - (real)ROUNDING) - 2 * best->slack;
    look_above(w, bar, best);
    if (ols && best->atom >= 0 && best->of.low * (1 - (real)ABOUT) < bar) {
        bar = best->of.low * (1 - 2 * (real)ABOUT); /* wide intervals: examine candidates down to best->of.low */
        look_above(w, bar, best);
    }
    if (best->atom < 0 || w->skipped > 0 || (ols && best->of.low * (1 - (real)ABOUT) < bar)) look_everywhere(w, best);
}

/* Lists the atoms that may have a larger key than the one chosen. */
static void list_rivals(kernel_work *w, const choice *best) {
    const real bar = best->of.low * (1 - (real)ABOUT) - 2 * best->slack;
    for (int64_t b = 0; b < w->stride / BLOCK; b++)
        for (atom_set above = atoms_above(w, b, bar, best); above; above &= above - 1) {
            const int64_t j = b * BLOCK + set_first(above);
            if (j != best->atom && keys_of(w, j, best).high > best->of.low && !basis_list_rival(w, best->steps, j))
                w->uncertain = 1;
        }
}

/* OLS: an atom whose remaining norm is at most twice its error may have any key. Lists and excludes such atoms. */
static void set_aside(kernel_work *w, const choice *best) {
    real *norm = w->norm, *free = w->free;
    for (int64_t j = 0; j < w->stride; j++) {
        if (norm[j] > best->dependent) continue;
        if (free[j] != 0 && !basis_list_rival(w, best->steps, j)) w->uncertain = 1;
        free[j] = ((real *)w->corr)[j] = 0;
        norm[j] = 1; /* its key is 0 from now on */
    }
}

/* ---- Steps ---- */

/* Sets the windows of the next choice, which are verified afterwards: (P-14) to (P-16), with SPREAD / rho in place of
 * the inverse of R. */
static void set_windows(const kernel_work *w, choice *best, double energy) {
    const int64_t step = best->steps;
    const kernel_window window = {.corr =
                                      basis_first_window(w, energy) + KERNEL_UNIT * best->rounding + SPREAD * best->row,
                                  .norm = KERNEL_UNIT * (double)(step + 4) + 2 * SPREAD * sqrt(best->row2)};
    if (step < w->rules.atoms) w->window[step] = window;
    best->slack = (real)window.corr;
    best->blunt = (real)window.norm;
    best->dependent = 2 * best->blunt > (real)PIVOT ? 2 * best->blunt : (real)PIVOT;
}

/* Adds the errors of a new column, (P-12), to the windows of correlations and norms. */
static void widen_windows(const kernel_work *w, choice *best, double rho, double alpha, double energy) {
    const double error = basis_rounding(w->count, rho);
    best->steps = w->count + 1;
    best->rounding += sqrt(w->residual) + fabs(alpha);
    best->row += error * fabs(alpha);
    best->row2 += error * error;
    set_windows(w, best, energy);
}

/* Chooses the best atom by the correlations and norms in memory. */
static void choose(const kernel_work *w, choice *best) {
    const measure by = measure_of(w, best);
    vector maximum = {0};
    for (int64_t b = 0; b < w->stride / BLOCK; b++) {
        const vector *c = basis_vectors(w->corr, b), *norm = basis_vectors(w->norm, b);
        vector most = {0};
        for (int i = 0; i < VECTORS; i++) most = larger_of(w, by, c[i], norm[i], best, most);
        maximum = note(w, b, most, maximum);
    }
    pick_largest(w, best, maximum);
}

/* One pass over all atoms: p = (g_j - P r) / rho, D'r -= alpha p, for OLS norm -= p^2. Returns the lane-wise maximum.
 * `by` is a compile-time constant. */
static inline __attribute__((always_inline)) vector pass_over(kernel_work *w, const column_pass *pass, measure by,
                                                              real scale, real alpha, const choice *next) {
    const choice bounds = *next; /* a copy: gcc reads *next again after each store */
    vector maximum = {0};
    for (int64_t place = 0; place < w->stride / BLOCK; place++) {
        const int64_t b = basis_order(w, place);
        vector *corr = basis_vectors(w->corr, b), *norm = basis_vectors(w->norm, b);
        vector sum[VECTORS], most[2] = {{0}}; /* stay in registers */
        basis_expect(w, pass->atom, place + AHEAD);
        column_block(w, b, pass, sum);
        for (int i = 0; i < VECTORS; i++) {
            const vector p = column_entry(w, b, i, pass, scale, sum[i]);
            const vector c = corr[i] = corr[i] - alpha * p;
            if (by != CORRELATIONS) norm[i] = norm[i] - p * p;
            most[i % 2] = larger_of(w, by, c, by != CORRELATIONS ? norm[i] : c, &bounds, most[i % 2]);
        }
        maximum = note(w, b, vector_max(most[0], most[1]), maximum);
    }
    return maximum;
}

/* Adds the column of atom j to P, updates the correlations and finds the next atom. */
static void add_column(kernel_work *w, int64_t j, double rho, double alpha, choice *next) {
    const column_pass pass = {.atom = j};
    const measure by = measure_of(w, next);
    const real scale = (real)(1 / rho), a = (real)alpha;
    const vector maximum = by == CORRELATIONS ? pass_over(w, &pass, CORRELATIONS, scale, a, next)
                           : by == KEYS       ? pass_over(w, &pass, KEYS, scale, a, next)
                                              : pass_over(w, &pass, MARGINS, scale, a, next);
    if (w->verified && largest_lane(maximum) == (real)INFINITY) {
        set_aside(w, next);
        choose(w, next);
    } else {
        pick_largest(w, next, maximum);
    }
}

/* Returns whether the residual is within rounding errors of zero. The gain of the best atom is at least max |d'r|. */
static int nothing_left(const kernel_work *w, const choice *best, double energy) {
    double gain = w->rules.coder == CODER_OLS ? sqrt((double)best->of.key) : (double)best->of.key;
    return gain <= NOTHING * sqrt(energy);
}

/* Returns whether a code of `count` atoms is complete by its size or its residual. */
static int complete(const kernel_work *w, int64_t count, double energy) {
    const kernel_rules *rules = &w->rules;
    if (count >= rules->atoms) return 1;
    return rules->tolerance >= 0 && w->residual <= rules->tolerance * rules->tolerance * energy;
}

/* Returns whether the code is complete. */
static int finished(kernel_work *w, const choice *best, double energy) {
    const kernel_rules *rules = &w->rules;
    if (w->verified && w->count < rules->atoms) w->level[w->count] = INFINITY;
    if (complete(w, w->count, energy)) return 1;
    if (best->atom < 0 || nothing_left(w, best, energy)) return w->uncertain = 1;
    if (rules->lambda < 0 && rules->coherence < 0) return 0;
    double c = rules->coder != CODER_OLS ? (double)best->of.key : (double)basis_largest(w);
    if (w->verified) w->level[w->count] = c;
    return (rules->lambda >= 0 && c <= rules->lambda) ||
           (rules->coherence >= 0 && c <= rules->coherence * sqrt(w->residual));
}

/* Adds the best atom, at distance rho from the span: alpha = d_j'r / rho. The last atom needs no column of P, since no
 * choice follows; except that a nonnegative code may lose atoms again. */
static void add_atom(kernel_work *w, choice *best, double rho, double energy) {
    const int64_t j = best->atom;
    double alpha = (double)((const real *)w->corr)[j] / rho;
    w->support[w->count] = (int32_t)j;
    basis_column(w, w->count)[w->count] = rho;
    w->proj[w->count] = alpha;
    w->entry[w->count] = w->turn[w->count] = 0;
    ((real *)w->free)[j] = 0;
    ((real *)w->norm)[j] += 1; /* it becomes 1, not 0, so that its key is 0 and never above a bar */
    w->residual = larger(w->residual - alpha * alpha, 0);
    if (w->verified) widen_windows(w, best, rho, alpha, energy);
    if (w->rules.nonnegative || !complete(w, w->count + 1, energy)) add_column(w, j, rho, alpha, best);
    w->count++;
    w->effort.atoms++;
}

/* Removes atom number i: the span loses a direction q, and the residual gains (q'x) q, (P-10). */
static void remove_atom(kernel_work *w, int64_t i) {
    ((real *)w->free)[w->support[i]] = 1;
    ((real *)w->norm)[w->support[i]] = 0;
    basis_drop(w, i);
    double lost = w->proj[w->count];
    basis_axpy(w, w->count, (real)lost, w->corr);
    w->residual += lost * lost;
    if (w->rules.coder != CODER_OLS) return;
    for (int64_t j = 0; j < w->stride; j++) {
        real p = basis_entry(w, j, w->count);
        ((real *)w->norm)[j] += p * p;
    }
}

/* Returns the coefficient that first reaches zero on the line from the old coefficients (w->entry) to the new solution,
 * and at which fraction of the line; -1 if the new solution is positive. */
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

/* Inner loop of Lawson and Hanson: moves towards the least-squares solution until a coefficient reaches zero, removes
 * its atom, and repeats. Returns 1 if atoms were removed. */
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
        if (newest && fraction == 0) basis_retire(w, atom); /* chosen because of rounding errors */
        removed = 1;
    }
    for (int64_t k = 0; k < w->count; k++) w->entry[k] = w->solution[k];
    return removed;
}

/* |x|^2 - 2 c'D'x + c'G c of the coefficients in `entry`: where atoms are nearly dependent, what steps and removals add
 * and subtract drifts away from it. */
static double residual_of(const kernel_work *w, const real *a0, double energy) {
    double sum = energy;
    for (int64_t m = 0; m < w->count; m++) {
        const real *column = (const real *)w->gram + w->support[m] * w->stride;
        double slope = -2 * (double)a0[w->support[m]];
        for (int64_t k = 0; k < w->count; k++) slope += w->entry[k] * (double)column[w->support[k]];
        sum += w->entry[m] * slope;
    }
    return larger(sum, 0);
}

int KERNEL(pursuit)(kernel_work *w, const void *a0, double energy);

int KERNEL(pursuit)(kernel_work *w, const void *a0, double energy) {
    basis_start(w, a0, energy);
    if (w->rules.coder == CODER_OLS)
        for (int64_t j = 0; j < w->stride; j++) ((real *)w->norm)[j] = 1;
    choice best = {.dependent = (real)PIVOT};
    if (w->verified) set_windows(w, &best, energy);
    choose(w, &best);
    /* One step per atom, plus removals; every round decreases the error, so the limit is only a safeguard. */
    for (int64_t step = 0, limit = 4 * w->rules.atoms + 64; step < limit && !finished(w, &best, energy); step++) {
        if (w->uncertain && w->verified) return INCO_OK; /* the signal is recoded in float64 */
        double left = basis_row(w, best.atom);
        if (left <= PIVOT) {
            basis_retire(w, best.atom);
            look_everywhere(w, &best);
            limit++;
            continue;
        }
        if (basis_reserve(w) < 0) return INCO_ENOMEM;
        if (w->verified && best.rival > best.of.low) list_rivals(w, &best);
        add_atom(w, &best, sqrt(left), energy);
        if (w->rules.nonnegative && make_nonnegative(w)) {
            w->residual = residual_of(w, a0, energy);
            look_everywhere(w, &best);
        }
    }
    w->rank = w->count;
    if (w->verified) return INCO_OK; /* kernel/refine.c computes the coefficients */
    basis_solve(w, w->proj, w->solution);
    basis_result(w, w->solution);
    return INCO_OK;
}
