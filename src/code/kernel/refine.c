/* Computes coefficients in double for a support found in float32, and proves that double would have found it
 * (docs/theory/pursuit.md and lars.md, "Double precision from float32").
 *
 * The factor R of the support in double bounds the errors of all values that float32 compared: (P-11) to (P-16), (L-8).
 * If the bounds are within the windows that float32 assumed, only the atoms that it listed as rivals could change its
 * choices, and these are compared in double. */
#include "base/range.h"
#include "code/kernel/basis.h"

#ifdef KERNEL_f64

/* The bounds are sums of first-order terms; this factor covers second-order terms while ||E|| <= 0.01, and the rounding
 * of the bounds themselves. */
static const double SECOND_ORDER = 1.02;
/* Relative to a window of float32: keys closer than this are ties. The error of keys in double is 2^-29 of the
 * window. */
static const double TIE = 1e-3;

enum { PAIR = 2 * LANES }; /* columns processed together; divides `pitch` */

static double dot(int64_t n, const double *x, const double *y) {
    vector sum[2] = {{0}, {0}};
    int64_t i = 0;
    double tail = 0;
    for (; i + 2 * (int64_t)LANES <= n; i += 2 * LANES) {
        sum[0] += vector_load(x + i) * vector_load(y + i);
        sum[1] += vector_load(x + i + LANES) * vector_load(y + i + LANES);
    }
    for (; i < n; i++) tail += x[i] * y[i];
    sum[0] += sum[1];
    for (unsigned lane = 0; lane < LANES; lane++) tail += sum[0][lane];
    return tail;
}

static const double *atom(const kernel_refinement *job, int64_t m) {
    return job->dictionary + job->fast->support[m] * job->dim;
}

enum { ATOMS = 4 }; /* atoms processed together, with independent sums */

/* out[i] = d'y for atom number m + i, i < ATOMS; the same bits as dot(). */
static void dots(const kernel_refinement *job, int64_t m, const double *y, double *out) {
    const double *d[ATOMS];
    vector sum[ATOMS][2];
    int64_t i = 0;
    for (int a = 0; a < ATOMS; a++) {
        d[a] = atom(job, m + a);
        sum[a][0] = sum[a][1] = (vector){0};
        out[a] = 0;
    }
    for (; i + 2 * (int64_t)LANES <= job->dim; i += 2 * LANES)
        for (int a = 0; a < ATOMS; a++) {
            sum[a][0] += vector_load(d[a] + i) * vector_load(y + i);
            sum[a][1] += vector_load(d[a] + i + LANES) * vector_load(y + i + LANES);
        }
    for (; i < job->dim; i++)
        for (int a = 0; a < ATOMS; a++) out[a] += d[a][i] * y[i];
    for (int a = 0; a < ATOMS; a++) {
        sum[a][0] += sum[a][1];
        for (unsigned lane = 0; lane < LANES; lane++) out[a] += sum[a][0][lane];
    }
}

/* out = D_S' y */
static void products(const kernel_refinement *job, const double *y, double *out) {
    int64_t m = 0;
    for (; m + ATOMS <= job->fast->rank; m += ATOMS) dots(job, m, y, out + m);
    for (; m < job->fast->rank; m++) out[m] = dot(job->dim, atom(job, m), y);
}

static double *row_of(const kernel_refinement *job, double *matrix, int64_t i) {
    return matrix + i * job->pitch;
}

/* sum -= sum of f[h * f_step] M(h, :) over the rows first <= h < end, for `vectors` vectors of columns from m on;
 * `vectors` is a compile-time constant. Each vector is one chain of additions: the more, the less they wait. */
static inline __attribute__((always_inline)) void subtract_vectors(const kernel_refinement *job, int64_t m, int vectors,
                                                                   const double *f, int64_t f_step,
                                                                   const double *matrix, int64_t first, int64_t end,
                                                                   vector sum[]) {
    for (int64_t h = first; h < end; h++) {
        const vector *from = (const vector *)(matrix + h * job->pitch + m), x = vector_of(f[h * f_step]);
        for (int i = 0; i < vectors; i++) sum[i] -= x * from[i];
    }
}

/* row -= sum of f[h * f_step] M(h, :) over the rows first <= h < end of the upper triangular matrix M, in pairs of
 * vectors from the pair that contains `column` on. Skips the pairs of a row of M left of its diagonal. */
static void subtract_rows(const kernel_refinement *job, double *row, int64_t column, const double *f, int64_t f_step,
                          const double *matrix, int64_t first, int64_t end) {
    int64_t m = column / PAIR * PAIR;
    for (; m + PAIR < job->fast->rank; m += 2 * PAIR) {
        const int64_t both = range_min(end, m + PAIR), last = range_min(end, m + 2 * PAIR);
        vector *to = (vector *)(row + m), sum[4] = {to[0], to[1], to[2], to[3]};
        subtract_vectors(job, m, 4, f, f_step, matrix, first, both, sum);
        subtract_vectors(job, m + PAIR, 2, f, f_step, matrix, both, last, sum + 2);
        for (int i = 0; i < 4; i++) to[i] = sum[i];
    }
    if (m >= job->fast->rank) return;
    vector *to = (vector *)(row + m), sum[2] = {to[0], to[1]};
    subtract_vectors(job, m, 2, f, f_step, matrix, first, range_min(end, m + PAIR), sum);
    to[0] = sum[0];
    to[1] = sum[1];
}

/* Scales row i of an upper triangular matrix, and zeroes its entries left of the diagonal. */
static void finish_row(const kernel_refinement *job, double *row, int64_t i, double scale) {
    for (int64_t m = i / PAIR * PAIR; m < i; m++) row[m] = 0;
    for (int64_t m = i; m < job->fast->rank; m++) row[m] *= scale;
}

/* ---- The factor ---- */

/* Gathers the upper triangle of G_SS by rows. All of it before the factorisation: its cache misses overlap. */
static void gather_gram(const kernel_refinement *job) {
    const int32_t *support = job->fast->support;
    for (int64_t i = 0; i < job->fast->rank; i++) {
        double *row = row_of(job, job->upper, i);
        const double *gram = (const double *)job->to->gram + support[i] * job->to->stride;
        row[i] = 1;
        for (int64_t m = i + 1; m < job->fast->rank; m++) row[m] = gram[support[m]];
    }
}

/* Computes R by rows and alpha = R'^-1 D_S'x. Returns 0 if an atom is linearly dependent on those before it. */
static int factorize(const kernel_refinement *job, double *alpha) {
    const int64_t k = job->fast->rank;
    gather_gram(job);
    products(job, job->signal, alpha);
    for (int64_t i = 0; i < k; i++) {
        double *row = row_of(job, job->upper, i), a = alpha[i];
        subtract_rows(job, row, i, job->upper + i, job->pitch, job->upper, 0, i);
        if (row[i] <= PIVOT) return 0;
        const double scale = 1 / sqrt(row[i]);
        finish_row(job, row, i, scale);
        for (int64_t h = 0; h < i; h++) a -= row_of(job, job->upper, h)[i] * alpha[h];
        alpha[i] = a * scale;
    }
    return 1;
}

/* Computes Y = R^-1 by rows: R(i, i) Y(i, :) = I(i, :) - sum of R(i, j) Y(j, :) over j > i. */
static void invert(const kernel_refinement *job) {
    const int64_t k = job->fast->rank;
    for (int64_t i = k - 1; i >= 0; i--) {
        const double *r = row_of(job, job->upper, i);
        double *y = row_of(job, job->inverse, i);
        for (int64_t m = i / PAIR * PAIR; m < k; m++) y[m] = m == i;
        subtract_rows(job, y, i, r, 1, job->inverse, i + 1, k);
        finish_row(job, y, i, 1 / r[i]);
    }
}

/* y <- R^-1 y */
static void solve_back(const kernel_refinement *job, double *y) {
    for (int64_t i = job->fast->rank - 1; i >= 0; i--) {
        const double *row = row_of(job, job->upper, i);
        y[i] = (y[i] - dot(job->fast->rank - i - 1, row + i + 1, y + i + 1)) / row[i];
    }
}

/* y <- R'^-1 y */
static void solve_forward(const kernel_refinement *job, double *y) {
    for (int64_t i = 0; i < job->fast->rank; i++) {
        const double *row = row_of(job, job->upper, i);
        y[i] /= row[i];
        for (int64_t m = i + 1; m < job->fast->rank; m++) y[m] -= row[m] * y[i];
    }
}

/* ---- Bounds ---- */

/* Bounds the error of each entry of a row of P, for any atom: (P-12), (P-13). */
static void bound_rows(const kernel_refinement *job, double *error) {
    const int64_t k = job->fast->rank;
    for (int64_t m = 0; m < k; m++) error[m] = 0;
    for (int64_t j = 0; j < k; j++) {
        const double *own = basis_column(job->fast, j), *y = row_of(job, job->inverse, j);
        double length = 0, differs = 0;
        for (int64_t i = 0; i <= j; i++) {
            const double d = row_of(job, job->upper, i)[j] - own[i];
            differs += d * d;
            length += i < j ? own[i] * own[i] : 0;
        }
        const double rounding = 1 + 3 * own[j] + (double)(j + 1) * sqrt(length);
        const double h = SECOND_ORDER * (KERNEL_UNIT * rounding + sqrt(differs));
        for (int64_t m = j; m < k; m++) error[m] += h * fabs(y[m]);
    }
}

/* ---- Pursuits ---- */

/* Bounds for one choice. */
typedef struct certainty {
    double corr, norm; /* errors of d'r and of the squared remaining norms */
    double residual;   /* ||r||^2 */
} certainty;

/* Sums over the choices so far. */
typedef struct sums {
    double rounding, row, row2, proj2;
} sums;

/* Error bounds for choice number `step`: (P-14) to (P-16). */
static certainty bound_step(const kernel_refinement *job, const sums *s, int64_t step, double residual) {
    const double size = sqrt(job->energy);
    const double corr = KERNEL_UNIT * (((double)job->dim + 12) * size + s->rounding) + sqrt(s->proj2) + s->row;
    const double norm = KERNEL_UNIT * (double)(step + 2) + 2 * sqrt(s->row2);
    return (certainty){SECOND_ORDER * corr, SECOND_ORDER * norm, residual};
}

static void add_step(const kernel_refinement *job, sums *s, int64_t i, double alpha, double error, double residual) {
    const double used = (double)(float)job->fast->proj[i];
    s->rounding += sqrt(residual) + fabs(used);
    s->proj2 += (alpha - used) * (alpha - used);
    s->row += error * fabs(used);
    s->row2 += error * error;
}

/* Evaluates the stopping rules other than the number of atoms, given max |d'r| up to an error. Returns 1: the code is
 * complete; 0: it is not; -1: ambiguous. */
static int rules_say(const kernel_refinement *job, int64_t step, certainty at) {
    const kernel_rules *rules = &job->fast->rules;
    const double level = job->fast->level[step];
    double limit = rules->lambda >= 0 ? rules->lambda : -1;
    if (rules->tolerance >= 0 && at.residual <= rules->tolerance * rules->tolerance * job->energy) return 1;
    if (rules->coherence >= 0) limit = larger(limit, rules->coherence * sqrt(at.residual));
    if (limit < 0 || level - at.corr > limit) return 0;
    return level + at.corr <= limit ? 1 : -1;
}

/* Returns whether a rival has a smaller key than each atom chosen from its step on. Its row p of P gives its key at
 * every step: c = d'x - sum of p alpha, left = 1 - sum of p^2. */
static int rival_loses(const kernel_refinement *job, const double *alpha, kernel_rival rival) {
    const int ols = job->fast->rules.coder == CODER_OLS;
    const int32_t *support = job->fast->support;
    const double *gram = (const double *)job->to->gram + rival.atom * job->to->stride;
    double *p = job->row, left = 1, c = dot(job->dim, job->dictionary + rival.atom * job->dim, job->signal);
    for (int64_t i = 0; i < job->fast->rank; i++) p[i] = gram[support[i]];
    for (int64_t i = 0; i < job->fast->rank && support[i] != rival.atom; i++) {
        const double *row = row_of(job, job->upper, i);
        const double maximum = fabs(c) + TIE * job->fast->window[i].corr, key = alpha[i] * alpha[i];
        const double share = ols ? larger(left - TIE * job->fast->window[i].norm, 0) : row[i] * row[i];
        if (i >= rival.step && maximum * maximum >= key * share) return 0;
        p[i] /= row[i];
        for (int64_t m = i + 1; m < job->fast->rank; m++) p[m] -= row[m] * p[i];
        c -= p[i] * alpha[i];
        left -= p[i] * p[i];
    }
    return 1;
}

/* Returns whether all choices and the stop are proved. */
static int choices_stand(const kernel_refinement *job, const double *alpha, const double *error) {
    const int64_t k = job->fast->rank, maximum = job->fast->rules.atoms;
    const int ols = job->fast->rules.coder == CODER_OLS;
    double residual = job->energy;
    sums s = {0};
    for (int64_t step = 0; step <= k && step < maximum; step++) {
        const certainty at = bound_step(job, &s, step, residual);
        const kernel_window window = job->fast->window[step];
        if (at.corr > window.corr || (ols && at.norm > window.norm)) return 0;
        if (rules_say(job, step, at) != (step == k)) return 0;
        if (step == k) break;
        residual = larger(residual - alpha[step] * alpha[step], 0);
        add_step(job, &s, step, alpha[step], error[step], residual);
    }
    job->to->residual = residual;
    for (int64_t i = 0; i < job->fast->rivals; i++)
        if (!rival_loses(job, alpha, job->fast->rival[i])) return 0;
    return 1;
}

static int refine_pursuit(kernel_refinement *job) {
    invert(job);
    bound_rows(job, job->errors);
    if (!choices_stand(job, job->fit, job->errors)) return 0;
    solve_back(job, job->fit);
    return 1;
}

/* ---- Paths ---- */

/* y += scale D_S b */
static void combine(const kernel_refinement *job, double scale, const double *b, double *y) {
    int64_t m = 0;
    for (; m + ATOMS <= job->fast->rank; m += ATOMS) {
        const double *d0 = atom(job, m), *d1 = atom(job, m + 1), *d2 = atom(job, m + 2), *d3 = atom(job, m + 3);
        const double c0 = scale * b[m], c1 = scale * b[m + 1], c2 = scale * b[m + 2], c3 = scale * b[m + 3];
        for (int64_t i = 0; i < job->dim; i++) y[i] = (((y[i] + c0 * d0[i]) + c1 * d1[i]) + c2 * d2[i]) + c3 * d3[i];
    }
    for (; m < job->fast->rank; m++) {
        const double *d = atom(job, m), c = scale * b[m];
        for (int64_t i = 0; i < job->dim; i++) y[i] += c * d[i];
    }
}

/* Returns the level C at which the path ended: (L-5) to (L-7), or (L-9) where the next atom enters; negative if there
 * is none. */
static double end_level(const kernel_refinement *job, double left, double turn2) {
    const kernel_work *fast = job->fast;
    const kernel_rules *rules = &fast->rules;
    if (fast->ended == END_LAMBDA) return rules->lambda;
    if (fast->ended == END_COHERENCE) {
        double share = 1 - rules->coherence * rules->coherence * turn2;
        return share > 0 ? rules->coherence * sqrt(left / share) : -1;
    }
    if (fast->ended == END_TOLERANCE) {
        double margin = rules->tolerance * rules->tolerance * job->energy - left;
        return margin >= 0 ? sqrt(margin / turn2) : -1;
    }
    if (fast->ended == END_OF_PATH) return 0;
    const double *d = job->dictionary + fast->next * job->dim;
    return dot(job->dim, d, job->residual) / (fast->next_sign - dot(job->dim, d, job->moved));
}

/* Returns whether the errors of the correlations are within the window, (L-8): at `level`, which is that of event m in
 * float32, or that of the end in double. `turn` is z = R'^-1 s in double. Includes the atom that enters, whose move is
 * 0 in float32. */
static int event_is_within(const kernel_refinement *job, int64_t m, const double *alpha, const double *turn,
                           double level) {
    const kernel_work *fast = job->fast;
    double differs = 0, row = 0;
    for (int64_t i = 0; i <= m && i < fast->rank; i++) {
        const int lasso = fast->rules.coder == CODER_LASSO;
        const double used = lasso ? fast->entry[i] : fast->turn[i] * (fast->level[i] - fast->level[m]);
        const double d = alpha[i] - level * turn[i] - used;
        differs += d * d;
        row += job->errors[i] * fabs(used);
    }
    const double first = KERNEL_UNIT * ((double)job->dim + 12) * sqrt(job->energy) + fast->window[m].rounding;
    return SECOND_ORDER * (first + sqrt(differs) + row) <= fast->window[m].corr;
}

/* Levels closer than this are ties. */
static double path_tie(const kernel_refinement *job) {
    return TIE * KERNEL_UNIT * (double)job->dim * sqrt(job->energy);
}

/* Returns whether another rule than the one that ended the path in float32 might have ended it before, (L-12);
 * `residual` is ||r|| at its end. */
static int ended_late(const kernel_refinement *job, double level, double residual) {
    const kernel_rules *rules = &job->fast->rules;
    const kernel_end ended = job->fast->ended;
    const double tie = path_tie(job);
    if (ended != END_LAMBDA && rules->lambda > 0 && level <= rules->lambda + tie) return 1;
    if (ended != END_COHERENCE && rules->coherence >= 0 && level <= rules->coherence * residual + tie) return 1;
    return ended != END_TOLERANCE && rules->tolerance >= 0 && residual <= rules->tolerance * sqrt(job->energy) + tie;
}

/* Returns whether the order of entries is proved: in double, atom m enters at the level alpha_m / z_m, (L-10), which
 * must lie between the levels in float32 of the atoms before and after it, or the end; and no other atom could have
 * entered but the listed rivals. */
static int entries_stand(const kernel_refinement *job, const double *alpha, const double *turn, double end) {
    const int64_t k = job->fast->rank;
    const double *at = job->fast->level, tie = path_tie(job);
    for (int64_t m = 0; m < k; m++) {
        const double level = alpha[m] / turn[m], next = m + 1 < k ? at[m + 1] : end;
        if (!(level > next + tie) || (m > 0 && !(level < at[m - 1] - tie))) return 0;
        if (!event_is_within(job, m, alpha, turn, at[m])) return 0;
    }
    return 1;
}

/* Returns whether a rival stays below the level from its event to the end. Its row p of P gives c = d'x - p'alpha + C
 * p'z, linear between events, so that it suffices to check each event, without and with the atom that enters there. The
 * atom that would enter at the end is exempt there. */
static int rival_stays_below(const kernel_refinement *job, const double *alpha, const double *turn, double end,
                             kernel_rival rival) {
    const kernel_work *fast = job->fast;
    const double *gram = (const double *)job->to->gram + rival.atom * job->to->stride, tie = path_tie(job);
    double *p = job->row, z = 0, c = dot(job->dim, job->dictionary + rival.atom * job->dim, job->signal);
    for (int64_t i = 0; i < fast->rank; i++) p[i] = gram[fast->support[i]];
    for (int64_t i = 0; i < fast->rank && fast->support[i] != rival.atom; i++) {
        const double *row = row_of(job, job->upper, i), level = fast->level[i], before = fabs(c + level * z);
        p[i] /= row[i];
        for (int64_t m = i + 1; m < fast->rank; m++) p[m] -= row[m] * p[i];
        c -= p[i] * alpha[i];
        z += p[i] * turn[i];
        if (i >= rival.step && larger(before, fabs(c + level * z)) >= level - tie) return 0;
    }
    const int enters = fast->ended == END_EVENT && fast->next == rival.atom;
    return ((const float *)fast->free)[rival.atom] == 0 || enters || fabs(c + end * z) < end - tie;
}

/* Computes D'r = D'x - G_S b in float32, to fast->corr; b = fit - C path. Returns the error bound (L-11). */
static double residual_products(const kernel_refinement *job, double level) {
    const kernel_work *fast = job->fast;
    float *restrict c = fast->corr;
    double sum = 0;
    memcpy(c, job->products, (size_t)fast->stride * sizeof *c);
    for (int64_t m = 0; m < fast->rank; m++) {
        const double b = job->fit[m] - level * job->path[m];
        const float *g = (const float *)fast->gram + fast->support[m] * fast->stride, f = (float)b;
        for (int64_t j = 0; j < fast->stride; j++) c[j] -= f * g[j];
        sum += fabs(b);
    }
    const double k = (double)fast->rank;
    return SECOND_ORDER * KERNEL_UNIT * (((double)job->dim + 12 + k) * sqrt(job->energy) + (k + 3) * sum);
}

/* Returns whether |d'r| of every other atom is below the level at the end. Atoms that are ambiguous in float32 are
 * checked in double. */
static int all_stay_below(const kernel_refinement *job, double level) {
    const kernel_work *fast = job->fast;
    const double limit = level - path_tie(job);
    const float bar = (float)(limit - 2 * residual_products(job, level)), *c = fast->corr;
    for (int64_t j = 0; j < fast->stride; j++) {
        if (fabsf(c[j]) < bar || ((const float *)fast->free)[j] == 0) continue;
        if (fast->ended == END_EVENT && fast->next == j) continue;
        if (fabs(dot(job->dim, job->dictionary + j * job->dim, job->residual)) >= limit) return 0;
    }
    return 1;
}

/* Returns whether double is proved to end with the same support and signs. */
static int path_stands(const kernel_refinement *job, const double *alpha, const double *turn, double end) {
    const kernel_work *fast = job->fast;
    const int lasso = fast->rules.coder == CODER_LASSO, listed = fast->window[fast->rank].corr > 0;
    if (!lasso || listed) {
        invert(job);
        bound_rows(job, job->errors);
    }
    if (!lasso && !entries_stand(job, alpha, turn, end)) return 0;
    for (int64_t i = 0; i < fast->rivals; i++)
        if (!rival_stays_below(job, alpha, turn, end, fast->rival[i])) return 0;
    return (listed && event_is_within(job, fast->rank, alpha, turn, end)) || all_stay_below(job, end);
}

/* Computes the coefficients fit - C path. Returns 0 if a LASSO coefficient does not have the sign of its
 * correlation. */
static int take_path(kernel_refinement *job, double level, const double *sign) {
    for (int64_t m = 0; m < job->fast->rank; m++) {
        const double c = job->fit[m] - level * job->path[m];
        if (job->fast->rules.coder == CODER_LASSO && !(c * sign[m] > 0)) return 0;
        if (!job->fast->rules.refit) job->fit[m] = c;
    }
    return 1;
}

/* Computes fit = G_SS^-1 D_S'x and rest = x - D_S fit, path = G_SS^-1 s and moved = D_S path, and from these the
 * result. Returns 0 if it is not proved. */
static int refine_path(kernel_refinement *job) {
    const int64_t k = job->fast->rank;
    double *sign = job->to->value, *alpha = job->alpha, *turn = job->turn;
    for (int64_t m = 0; m < k; m++) {
        sign[m] = dot(m + 1, basis_column(job->fast, m), job->fast->turn) < 0 ? -1 : 1;
        alpha[m] = job->fit[m];
        turn[m] = sign[m];
    }
    solve_forward(job, turn);
    memcpy(job->path, turn, (size_t)k * sizeof *turn);
    solve_back(job, job->fit);
    solve_back(job, job->path);
    memcpy(job->residual, job->signal, (size_t)job->dim * sizeof *job->residual);
    memset(job->moved, 0, (size_t)job->dim * sizeof *job->moved);
    combine(job, -1, job->fit, job->residual);
    combine(job, 1, job->path, job->moved);
    const double left = dot(job->dim, job->residual, job->residual), turn2 = dot(k, turn, turn);
    const double level = end_level(job, left, turn2);
    const double energy = left + turn2 * level * level;
    job->to->residual = job->fast->rules.refit ? left : energy;
    for (int64_t i = 0; i < job->dim; i++) job->residual[i] += level * job->moved[i];
    return level >= 0 && !ended_late(job, level, sqrt(energy)) && path_stands(job, alpha, turn, level) &&
           take_path(job, level, sign);
}

/* ---- The result ---- */

/* Stores the coefficients in job->fit, without zeros. */
static void take_result(const kernel_refinement *job) {
    kernel_work *to = job->to;
    to->count = to->skipped = 0;
    for (int64_t i = 0; i < job->fast->rank; i++) {
        if (job->fit[i] == 0) continue;
        to->support[to->count] = job->fast->support[i];
        to->value[to->count++] = job->fit[i];
    }
}

int KERNEL(refine)(kernel_refinement *job);

int KERNEL(refine)(kernel_refinement *job) {
    const double too_small = 1e-60; /* energies of signals whose products underflow in float32 */
    const int greedy = job->fast->rules.kernel == KERNEL_PURSUIT;
    if (job->fast->uncertain || job->energy < too_small || !factorize(job, job->fit)) return 0;
    job->to->residual = job->energy;
    if (greedy ? !refine_pursuit(job) : job->fast->rank > 0 && !refine_path(job)) return 0;
    take_result(job);
    return 1;
}

#else
typedef int kernel_refine_is_in_double;
#endif
