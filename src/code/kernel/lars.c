/* Least angle regression, the LASSO path, and LARC (docs/theory/lars.md).
 *
 * The path is followed for decreasing C = max |d'r|. With the signs s of the active correlations and z = R'^-1 s, the
 * residual moves along u = Q z, for which d_j'u = s_j on the active atoms. When C decreases by t, every correlation
 * decreases by t times its slope (P z)_j, (L-1). The energy of the residual is |r_LS|^2 + z'z C^2, with r_LS the
 * least-squares residual, (L-4). A new atom adds one entry to z, and one column of P to the slopes, (L-2).
 *
 * Names: the fall of a move is the decrease of C; the level is C. */
#include "code/kernel/column.h"

#ifdef KERNEL_f32
#define PARALLEL 1e-5 /* an atom whose slope is this close to 1 never reaches C */
#else
#define PARALLEL 1e-12
#endif

typedef struct event {
    double fall;  /* decrease of C until the event */
    int64_t atom; /* -1: no event before C = 0 */
    int sign;
} event;

typedef struct path {
    double level;   /* C */
    double pending; /* decrease of C that is not yet applied to the correlations in memory */
    double turn2;   /* z'z */
    double left;    /* |r_LS|^2 */
    double energy;
    double slope_rounding, rounding; /* bounds on the rounding errors of slopes and correlations in float32 */
    double row, row_level;           /* sums over the atoms: see set_window */
    int lasso;
    int64_t parted; /* LASSO: the atom just dropped, which must not return with the same sign; else -1 */
    int parted_sign;
} path;

/* Updates the next event by an atom with correlation c and slope v that reaches sign * C: (L-3). */
static inline void meet(double c, double v, int sign, const path *at, int64_t atom, event *next) {
    double gap = at->level - sign * c, closing = 1 - sign * v;
    if (closing <= PARALLEL) return;
    double fall = gap > 0 ? gap / closing : 0;
    if (!(fall < next->fall)) return;
    next->fall = fall;
    next->atom = atom;
    next->sign = sign;
}

/* ---- The next event: approximate events of all blocks in one pass, then exact events where they are first ---- */

/* v, negated where c is negative: the rate at which |c| decreases. */
static inline vector along(const kernel_work *w, vector c, vector v) {
    const vector_bits flipped = w->rules.nonnegative ? (vector_bits){0} : SIGN_BITS;
    return (vector)((vector_bits)v ^ ((vector_bits)c & flipped));
}

/* Minus the approximate fall until an atom with correlation c and slope v reaches C with the current sign of c; `first`
 * if that is larger. Lane by lane. */
static inline vector note_fall(const kernel_work *w, vector level, vector c, vector v, vector first) {
    const vector closing = vector_of(1) - along(w, c, v);
    const vector fall = (basis_wanted(w, c) - level) * about_inverse(closing);
    return vector_max_where(first, fall, closing, vector_of((real)PARALLEL));
}

/* Stores in w->maximum, per lane of block b, minus the approximate fall until its first atom reaches C. Returns the
 * lane-wise maximum with `before`, that of earlier blocks. */
static inline vector note_first(const kernel_work *w, int64_t b, vector first, vector before) {
    ((vector *)w->maximum)[b] = first;
    return vector_max(before, first);
}

/* Set of the atoms of block b that reach C when it falls by `fall` to `level`: those with |c - fall v| > level. Active
 * atoms are stored with c = v = 0 and do not pass this test. */
static inline atom_set meeting(const kernel_work *w, int64_t b, double fall, double level) {
    const vector *c = basis_vectors(w->corr, b), *v = basis_vectors(w->slope, b);
    const vector step = vector_of((real)fall), bar = vector_of((real)level);
    atom_set met = 0;
    for (int i = 0; i < VECTORS; i++)
        met |= (atom_set)lanes_greater(basis_wanted(w, c[i] - step * v[i]), bar) << i * (int)LANES;
    return met;
}

/* Updates the next event by those of block b within `fall`. */
static void look_closer(const kernel_work *w, const path *at, int64_t b, double fall, event *next) {
    for (atom_set met = meeting(w, b, fall, at->level - fall); met; met &= met - 1) {
        int64_t j = b * BLOCK + set_first(met);
        if (((const real *)w->free)[j] == 0) continue;
        double cj = (double)((const real *)w->corr)[j], vj = (double)((const real *)w->slope)[j];
        meet(cj, vj, 1, at, j, next);
        if (!w->rules.nonnegative) meet(cj, vj, -1, at, j, next);
    }
}

/* Finds the next event, given the lane-wise maxima of all blocks. An atom reaches C with the opposite sign only after a
 * fall of C / (1 + |v|), |v| <= |z|, which is rarely early enough; only then all atoms are searched. */
static void first_of_all(const kernel_work *w, const path *at, vector found, event *next) {
    const int64_t blocks = w->stride / BLOCK;
    const double about = larger(0, -(double)largest_lane(found)) * (1 + 2 * ABOUT) + 8 * ROUNDING * at->level;
    next->fall = at->level;
    next->atom = -1;
    next->sign = 0;
    for (int64_t from = 0; from < blocks; from += 64)
        for (uint64_t above = basis_blocks_above(w, from, (real)-about); above; above &= above - 1)
            look_closer(w, at, from + __builtin_ctzll(above), smaller(about, at->level), next);
    if (next->fall > about || next->fall * (1 + sqrt(at->turn2)) >= at->level)
        for (int64_t b = 0; b < blocks; b++) look_closer(w, at, b, next->fall, next);
}

/* Applies a fall of C to the correlations of a block. */
static inline void follow(kernel_work *w, int64_t b, real fall) {
    vector *c = basis_vectors(w->corr, b), *v = basis_vectors(w->slope, b);
    for (int i = 0; i < VECTORS; i++) c[i] -= fall * v[i];
}

/* Finds the next event along the current direction. The atom just dropped is considered with the opposite sign only. */
static void next_event(kernel_work *w, path *at, event *next) {
    const vector level = vector_of((real)at->level);
    vector found = -level;
    real *free = w->free;
    if (at->parted >= 0) free[at->parted] = 0;
    for (int64_t b = 0; b < w->stride / BLOCK; b++) {
        const vector *c = basis_vectors(w->corr, b), *v = basis_vectors(w->slope, b);
        vector first = -level;
        follow(w, b, (real)at->pending);
        for (int i = 0; i < VECTORS; i++) first = note_fall(w, level, c[i], v[i], first);
        found = note_first(w, b, first, found);
    }
    at->pending = 0;
    first_of_all(w, at, found, next);
    if (at->parted >= 0) {
        int64_t j = at->parted;
        free[j] = 1;
        if (!w->rules.nonnegative)
            meet((double)((real *)w->corr)[j], (double)((real *)w->slope)[j], -at->parted_sign, at, j, next);
        at->parted = -1;
    }
}

/* Guesses the atoms that reach C next after the one whose column is computed. Correlations and w->maximum do not
 * include the pending fall. */
static void guess(kernel_work *w, const path *at, column_pass *pass) {
    const double fall = -(double)column_guess_bar(w, pass) * (1 + 2 * ABOUT), level = at->level + at->pending - fall;
    if (!(level > 0)) return;
    for (int64_t from = 0; from < w->stride / BLOCK; from += 64)
        for (uint64_t above = basis_blocks_above(w, from, (real)-fall); above; above &= above - 1) {
            const int64_t b = from + __builtin_ctzll(above);
            for (atom_set met = meeting(w, b, fall, level); met; met &= met - 1) {
                const int64_t j = b * BLOCK + set_first(met);
                if (((const real *)w->free)[j] != 0) column_guess(w, j, pass);
            }
        }
}

/* Sets the window of the current level: (L-8) with SPREAD / rho in place of the inverse of R. Returns its width. */
static double set_window(kernel_work *w, const path *at) {
    const double corr =
        basis_first_window(w, at->energy) + at->rounding + SPREAD * (at->row_level - at->level * at->row);
    w->window[w->count] = (kernel_window){corr, 0, at->rounding};
    w->level[w->count] = at->level;
    return corr;
}

/* Lists the atoms that may have reached C already: those with |d'r| > bar = C - window, after applying `pending`.
 * Returns 0 if there are too many. */
static int list_rivals(kernel_work *w, double pending, double bar) {
    for (int64_t b = 0; b < w->stride / BLOCK; b++)
        for (atom_set met = meeting(w, b, pending, bar); met; met &= met - 1) {
            const int64_t j = b * BLOCK + set_first(met);
            if (((const real *)w->free)[j] != 0 && !basis_list_rival(w, w->count, j)) return 0;
        }
    return 1;
}

/* One pass over all atoms: applies the pending fall to the correlations, p = (g_j - P r) / rho, slopes += z p, and the
 * next event. */
static void add_column(kernel_work *w, path *at, int64_t j, double rho, double z, event *next) {
    const double bar = w->verified && !at->lasso ? at->level - set_window(w, at) : INFINITY;
    const vector level = vector_of((real)at->level);
    vector found = -level, largest = {0};
    column_pass pass = {.atom = j, .begun = column_begun(w, j)};
    if (column_wants_guesses(w, &pass)) guess(w, at, &pass);
    for (int64_t place = 0; place < w->stride / BLOCK; place++) {
        const int64_t b = basis_order(w, place);
        basis_expect(w, j, place + AHEAD);
        vector *corr = basis_vectors(w->corr, b), *slope = basis_vectors(w->slope, b);
        vector sum[VECTORS], first = -level; /* stay in registers */
        column_block(w, b, &pass, sum);
        for (int i = 0; i < VECTORS; i++) {
            const vector p = column_entry(w, b, i, &pass, (real)(1 / rho), sum[i]);
            const vector c = corr[i] = corr[i] - (real)at->pending * slope[i];
            const vector v = slope[i] = slope[i] + (real)z * p;
            largest = vector_max(largest, vector_abs(c));
            first = note_fall(w, level, c, v, first);
        }
        found = note_first(w, b, first, found);
    }
    at->pending = 0;
    if ((double)largest_lane(largest) > bar && !list_rivals(w, 0, bar)) w->uncertain = 1;
    if (pass.begun) pass.begun->atom = -1;
    first_of_all(w, at, found, next);
}

/* |r_LS|^2 = x'x - |Q'x|^2; 0 if the difference is within rounding errors. */
static double residual_of(double energy, double difference) {
    return difference > ROUNDING * energy ? difference : 0;
}

/* Adds an atom to the active set. New entries: (s - r'z) / rho of z, (d_j'x - r'Q'x) / rho of Q'x. */
static void add_atom(kernel_work *w, path *at, event *next, double rho, double a0) {
    const int64_t k = w->count, j = next->atom;
    double *column = basis_column(w, k), z = (next->sign - basis_dot(k, column, w->turn)) / rho;
    column[k] = rho;
    w->support[k] = (int32_t)j;
    w->turn[k] = z;
    w->proj[k] = (a0 - basis_dot(k, column, w->proj)) / rho;
    w->entry[k] = at->lasso ? 0 : at->level;
    ((real *)w->free)[j] = 0;
    at->turn2 += z * z;
    at->left = residual_of(at->energy, at->left - w->proj[k] * w->proj[k]);
    at->parted = -1;
    ((real *)w->slope)[j] = (real)(-z * rho); /* such that the pass sets both to 0 */
    ((real *)w->corr)[j] = (real)(at->pending * -z * rho);
    add_column(w, at, j, rho, z, next);
    ((real *)w->slope)[j] = ((real *)w->corr)[j] = 0;
    const double error = basis_rounding(k, rho) * fabs(z);
    at->slope_rounding += KERNEL_UNIT * (sqrt(at->turn2) + 2 * fabs(z));
    at->row += error;
    at->row_level += error * at->level;
    w->count++;
    w->effort.atoms++;
}

/* Sign of active atom number m, from s = R'z. */
static int sign_of(const kernel_work *w, int64_t m) {
    return basis_dot(m + 1, basis_column(w, m), w->turn) < 0 ? -1 : 1;
}

/* LASSO: removes atom number i, whose coefficient reached zero. Its correlation is s C, and its slope follows from its
 * row of P. */
static void drop_atom(kernel_work *w, path *at, int64_t i) {
    int64_t j = w->support[i];
    double slope = 0;
    at->parted = j;
    at->parted_sign = sign_of(w, i);
    for (int64_t b = 0; b < w->stride / BLOCK; b++) follow(w, b, (real)at->pending);
    at->pending = 0;
    basis_drop(w, i);
    basis_axpy(w, w->count, (real)-w->turn[w->count], w->slope);
    at->slope_rounding += KERNEL_UNIT * (sqrt(at->turn2) + 2 * fabs(w->turn[w->count]));
    at->turn2 = basis_dot(w->count, w->turn, w->turn);
    at->left = residual_of(at->energy, at->energy - basis_dot(w->count, w->proj, w->proj));
    for (int64_t m = 0; m < w->count; m++) slope += (double)basis_entry(w, j, m) * w->turn[m];
    ((real *)w->corr)[j] = (real)(at->parted_sign * at->level);
    ((real *)w->slope)[j] = (real)slope;
    ((real *)w->free)[j] = 1;
}

/* Returns the level at which the first stopping rule ends the path, at most the current one; 0 if none does.
 *   coherence: C = mu ||r||, C^2 (1 - mu^2 z'z) = mu^2 |r_LS|^2
 *   tolerance: |r_LS|^2 + z'z C^2 = tol^2 ||x||^2 */
static double stop_level(const kernel_work *w, const path *at, kernel_end *which) {
    const kernel_rules *rules = &w->rules;
    double stop = rules->lambda > 0 ? rules->lambda : 0;
    *which = stop > 0 ? END_LAMBDA : END_OF_PATH;
    if (rules->coherence >= 0) {
        double share = 1 - rules->coherence * rules->coherence * at->turn2;
        double level = share > 0 ? rules->coherence * sqrt(at->left / share) : at->level;
        if (level > stop) stop = level, *which = END_COHERENCE;
    }
    if (rules->tolerance >= 0) {
        double margin = rules->tolerance * rules->tolerance * at->energy - at->left;
        double level = margin >= 0 && at->turn2 > 0 ? sqrt(margin / at->turn2) : 0;
        if (level > stop) stop = level, *which = END_TOLERANCE;
    }
    return smaller(stop, at->level);
}

/* LASSO: returns the coefficient that first reaches zero when coefficients change by w->solution per unit of fall; -1
 * if none does before `fall`. A coefficient that is zero and would change against its sign leaves at once. */
static int64_t first_to_vanish(const kernel_work *w, double *fall) {
    int64_t first = -1;
    for (int64_t m = 0; m < w->count; m++) {
        double b = w->entry[m], q = w->solution[m], when;
        if (b == 0) {
            if (q * sign_of(w, m) >= 0) continue;
            when = 0;
        } else {
            if (b * q >= 0) continue;
            when = -b / q;
        }
        if (when < *fall) first = m, *fall = when;
    }
    return first;
}

/* Follows the path for a fall of at most `next->fall`. Returns what ended the move: 0 the event, 1 a stopping rule, 2 a
 * LASSO drop (done here). */
static int move(kernel_work *w, path *at, const event *next) {
    kernel_end which;
    double fall = next->fall, stop = stop_level(w, at, &which);
    int ended = stop > 0 && at->level - stop <= fall;
    if (ended) fall = at->level - stop;
    w->ended = ended ? which : next->atom < 0 ? END_OF_PATH : END_EVENT;
    w->next = (int32_t)next->atom;
    w->next_sign = next->sign;
    int64_t leaves = -1;
    if (at->lasso) {
        basis_solve(w, w->turn, w->solution);
        leaves = first_to_vanish(w, &fall);
        for (int64_t m = 0; m < w->count; m++) w->entry[m] += fall * w->solution[m];
    }
    at->rounding += KERNEL_UNIT * (at->level + 2 * fall * sqrt(at->turn2)) + fall * at->slope_rounding;
    at->level -= fall;
    at->pending += fall;
    if (leaves < 0) return ended;
    w->entry[leaves] = 0;
    drop_atom(w, at, leaves);
    return 2;
}

static int finished(kernel_work *w, const path *at, const event *next) {
    kernel_end which;
    if (next->atom < 0 || at->level <= NOTHING * sqrt(at->energy)) return w->uncertain = 1;
    return w->count >= w->rules.atoms || (w->count == 0 && at->level <= stop_level(w, at, &which));
}

/* Computes Q'(x - r) in w->entry. LARS: z_m times the fall since atom m entered; LASSO: R b with the coefficients b. */
static void take_parts(kernel_work *w, const path *at) {
    for (int64_t m = 0; m < w->count; m++) {
        double part = at->lasso ? 0 : w->turn[m] * (w->entry[m] - at->level);
        for (int64_t k = m; at->lasso && k < w->count; k++) part += basis_column(w, k)[m] * w->entry[k];
        w->entry[m] = part;
    }
}

/* Prepares the end of the path for kernel/refine.c. A window of 0 makes it check all atoms: if P was rotated by atoms
 * that left, or there are too many rivals. A path without atoms is uncertain if it was close to having one. */
static void take_to_verify(kernel_work *w, path *at) {
    kernel_end which;
    w->rank = w->count;
    if (at->lasso) {
        take_parts(w, at);
        at->row = at->row_level = 0;
        for (int64_t m = 0; m < w->count; m++)
            at->row_level += basis_rounding(m, basis_column(w, m)[m]) * fabs(w->entry[m]);
    }
    const double window = set_window(w, at);
    if (w->rotations > 0 || !list_rivals(w, at->pending, at->level - window)) w->window[w->count].corr = 0;
    if (w->count == 0 && w->rules.tolerance < 1 && stop_level(w, at, &which) - at->level <= window) w->uncertain = 1;
}

/* Computes the coefficients: those of the path, or refitted by least squares. */
static void take_result(kernel_work *w, const path *at) {
    w->residual = at->left + at->turn2 * at->level * at->level;
    if (w->rules.refit) {
        basis_solve(w, w->proj, w->solution);
        w->residual = at->left;
    } else if (at->lasso) {
        memcpy(w->solution, w->entry, (size_t)w->count * sizeof *w->solution);
    } else {
        take_parts(w, at);
        basis_solve(w, w->entry, w->solution);
    }
    basis_result(w, w->solution);
}

/* Returns the first event of the path: the first atom with the largest |d'x|. */
static event first_event(const kernel_work *w, path *at) {
    const real level = basis_largest(w), *c = w->corr;
    at->level = (double)level;
    for (int64_t v = 0; level > 0 && v < w->stride / (int64_t)LANES; v++) {
        const unsigned lanes = lanes_greater(basis_free(w, v), vector_of(level * (1 - (real)ROUNDING)));
        for (int64_t j = v * LANES; lanes && j < (v + 1) * LANES; j++)
            if (((const real *)w->free)[j] != 0 && (c[j] == level || (!w->rules.nonnegative && c[j] == -level)))
                return (event){0, j, c[j] < 0 ? -1 : 1};
    }
    return (event){0, -1, 0};
}

int KERNEL(lars)(kernel_work *w, const void *a0, double energy);

int KERNEL(lars)(kernel_work *w, const void *a0, double energy) {
    path at = {.left = energy, .energy = energy, .lasso = w->rules.coder == CODER_LASSO, .parted = -1};
    basis_start(w, a0, energy);
    memset(w->slope, 0, (size_t)w->stride * sizeof(real));
    event next = first_event(w, &at);
    /* LARS takes one step per atom, a LASSO path more because of drops; the limit is a safeguard. */
    int64_t steps = w->rules.tolerance >= 1 ? 0 : 8 * w->rules.atoms + 64;
    for (int ended = 0; !ended && steps > 0 && !finished(w, &at, &next); steps--) {
        if (w->uncertain && w->verified) return INCO_OK; /* the signal is recoded in float64 */
        double left = basis_row(w, next.atom);
        if (left <= PIVOT) {
            basis_retire(w, next.atom);
            ((real *)w->slope)[next.atom] = ((real *)w->corr)[next.atom] = 0;
            next_event(w, &at, &next);
            steps++;
        } else {
            if (basis_reserve(w) < 0) return INCO_ENOMEM;
            add_atom(w, &at, &next, sqrt(left), (double)((const real *)a0)[next.atom]);
        }
        while ((ended = move(w, &at, &next)) == 2) next_event(w, &at, &next);
    }
    if (w->verified)
        take_to_verify(w, &at);
    else
        take_result(w, &at);
    return INCO_OK;
}
