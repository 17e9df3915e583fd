/* Orthogonal matching pursuit and orthogonal least squares over the observed entries of each signal.
 *
 * Each signal has a dictionary of its own, the observed rows of the atoms. No Gram matrix is formed: the basis Q of the
 * atoms chosen is kept, over the observed rows, and a new vector q changes the correlations by D'q, (M-5). Several
 * signals take their steps together, so that these products are one matrix product. */
#include "code/gaps.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mat/blas.h"
#include "mat/gaps.h"
#include "mat/mat.h"

enum { TOGETHER = 32, PIECE = 16 }; /* signals; vectors of a basis allocated at a time */
static const double PIVOT = 1e-10;  /* atoms with a smaller share outside the span are linearly dependent */

/* A signal that is being coded. */
typedef struct slot {
    int64_t signal, at; /* its number in the block; its column in the matrices */
    int64_t observed, capacity;
    double tolerance; /* of the squared residual; -1: none */
    double *basis;    /* dim x capacity */
    double *factor;   /* R, packed by columns, capacity */
    double *proj;     /* Q'x, capacity */
    gaps_code *code;
    int32_t *support; /* of the code */
    double *value;
} slot;

typedef struct gaps_work {
    inco_mat seen, residual, next;      /* dim x TOGETHER: 1 if observed, else 0; residuals; the latest q */
    inco_mat corr, norm, scale, change; /* atoms x TOGETHER: d'r; |d|^2 minus the part in the span; 1 / |d|, 0 if not to
                                         * be chosen; D'q */
    slot slots[TOGETHER];
    gaps_code code[GAPS_BLOCK];
    int32_t *support; /* maximum x GAPS_BLOCK, as value */
    double *value;
} gaps_work;

struct gaps_coder {
    gaps_rules how;
    int64_t maximum;         /* atoms of a code */
    double nothing;          /* correlations below this, relative to ||x||, are rounding errors */
    inco_mat atoms, squares; /* dim x atoms: D, D o D */
    gaps_work *work;         /* one per thread */
};

/* ---- Making ---- */

static void work_free(gaps_work *w) {
    MAT_FREE_ALL(&w->seen, &w->residual, &w->next, &w->corr, &w->norm, &w->scale, &w->change);
    for (int i = 0; i < TOGETHER; i++) {
        memory_free(w->slots[i].basis);
        memory_free(w->slots[i].factor);
        memory_free(w->slots[i].proj);
    }
    memory_free(w->support);
    memory_free(w->value);
}

static int work_new(gaps_work *w, const gaps_coder *g, inco_error *error) {
    inco_mat *const high[] = {&w->seen, &w->residual, &w->next};
    inco_mat *const wide[] = {&w->corr, &w->norm, &w->scale, &w->change};
    int status = INCO_OK;
    for (int i = 0; status >= 0 && i < 3; i++) status = mat_new_raw(high[i], INCO_F64, g->how.dim, TOGETHER, error);
    for (int i = 0; status >= 0 && i < 4; i++) status = mat_new_raw(wide[i], INCO_F64, g->how.atoms, TOGETHER, error);
    w->support = NEW(int32_t, g->maximum * GAPS_BLOCK);
    w->value = NEW(double, g->maximum * GAPS_BLOCK);
    if (status >= 0 && (!w->support || !w->value)) status = error_no_memory(error);
    return status;
}

int gaps_coder_new(gaps_coder **result, const gaps_rules *how, inco_error *error) {
    gaps_coder *g = NEW(gaps_coder, 1);
    int status;
    *result = NULL;
    if (!g) return error_no_memory(error);
    g->how = *how;
    g->maximum = how->rules.atoms;
    g->nothing = how->type == INCO_F32 ? 2e-6 : 1e-13;
    if (!(g->work = NEW(gaps_work, how->threads))) TRY(error_no_memory(error));
    TRY(mat_new_raw(&g->atoms, INCO_F64, how->dim, how->atoms, error));
    TRY(mat_new_raw(&g->squares, INCO_F64, how->dim, how->atoms, error));
    for (int t = 0; t < how->threads; t++) TRY(work_new(&g->work[t], g, error));
    *result = g;
done:
    if (status < 0) gaps_coder_free(g);
    return status;
}

void gaps_coder_free(gaps_coder *g) {
    if (!g) return;
    for (int t = 0; g->work && t < g->how.threads; t++) work_free(&g->work[t]);
    memory_free(g->work);
    inco_mat_free(&g->atoms);
    inco_mat_free(&g->squares);
    memory_free(g);
}

void gaps_coder_dictionary(gaps_coder *g, const inco_mat *unit) {
    mat_copy(&g->atoms, unit);
    const double *x = g->atoms.data;
    double *square = g->squares.data;
    for (int64_t i = 0; i < g->how.dim * g->how.atoms; i++) square[i] = x[i] * x[i];
}

/* Capacity for one more vector in the basis. Returns 0 or INCO_ENOMEM. */
static int slot_grow(slot *s, int64_t dim) {
    const int64_t used = s->code->count, more = used + PIECE;
    if (used < s->capacity) return INCO_OK;
    double *basis = memory_grow(s->basis, dim * used, dim * more, sizeof(double));
    if (basis) s->basis = basis;
    double *factor = memory_grow(s->factor, used * (used + 1) / 2, more * (more + 1) / 2, sizeof(double));
    if (factor) s->factor = factor;
    double *proj = memory_grow(s->proj, used, more, sizeof(double));
    if (proj) s->proj = proj;
    if (!basis || !factor || !proj) return INCO_ENOMEM;
    s->capacity = more;
    return INCO_OK;
}

/* ---- Starting ---- */

static double tolerance_of(const gaps_coder *g, const slot *s) {
    const double relative = g->how.rules.tolerance, norm = g->how.residual_norm;
    double square = relative >= 0 ? relative * relative * s->code->energy : -1;
    if (norm >= 0) square = fmax(square, norm * norm * (double)s->observed / (double)g->how.dim); /* (M-6) */
    return square;
}

/* Reads a signal: its observed entries and where they are. */
static void slot_read(const gaps_coder *g, gaps_work *w, slot *s, const inco_mat *x) {
    double *seen = mat_column(&w->seen, s->at), *residual = mat_column(&w->residual, s->at);
    for (int64_t i = 0; i < x->rows; i++) {
        const double value = mat_get(x, i, s->signal);
        seen[i] = isnan(value) ? 0 : 1;
        residual[i] = isnan(value) ? 0 : value;
    }
    s->code = &w->code[s->signal];
    s->observed = x->rows - s->code->missing;
    s->support = w->support + s->signal * g->maximum;
    s->value = w->value + s->signal * g->maximum;
    s->code->energy = s->code->residual = blas_dot(x->rows, residual, residual);
    s->code->support = s->support;
    s->code->value = s->value;
    s->tolerance = tolerance_of(g, s);
}

/* a0 = D'x and the observed norms of the atoms, for the first `count` slots, (M-4). */
static void start(const gaps_coder *g, gaps_work *w, int64_t count) {
    const inco_mat seen = mat_columns(&w->seen, 0, count), residual = mat_columns(&w->residual, 0, count);
    const inco_mat corr = mat_columns(&w->corr, 0, count), norm = mat_columns(&w->norm, 0, count);
    blas_multiply(1, "TN", 1, &g->atoms, &residual, 0, &corr);
    blas_multiply(1, "TN", 1, &g->squares, &seen, 0, &norm);
    for (int64_t k = 0; k < count; k++) {
        const double *square = mat_column(&w->norm, k);
        double *scale = mat_column(&w->scale, k);
        for (int64_t j = 0; j < g->how.atoms; j++) scale[j] = square[j] >= GAPS_LEAST ? 1 / sqrt(square[j]) : 0;
    }
}

/* ---- Steps ---- */

/* Squared gain of atom j: OMP (d'r)^2 / |d|^2, OLS (d'r)^2 / remaining norm. */
static inline double gain_of(int ols, double c, double norm, double scale) {
    if (ols) return scale > 0 && norm * scale * scale > PIVOT ? c * c / norm : 0;
    return c * c * scale * scale;
}

/* The atom with the largest gain, the first one of several; -1: none. */
static int64_t choose(const gaps_coder *g, const gaps_work *w, const slot *s, double *gain) {
    const double *corr = mat_column(&w->corr, s->at), *norm = mat_column(&w->norm, s->at);
    const double *scale = mat_column(&w->scale, s->at);
    const int ols = g->how.rules.coder == CODER_OLS;
    int64_t best = -1;
    *gain = 0;
    for (int64_t j = 0; j < g->how.atoms; j++) {
        const double own = gain_of(ols, corr[j], norm[j], scale[j]);
        if (own <= *gain) continue;
        *gain = own;
        best = j;
    }
    return best;
}

/* max |d'r| / |d| over the observed rows. */
static double largest_correlation(const gaps_coder *g, const gaps_work *w, const slot *s) {
    const double *corr = mat_column(&w->corr, s->at), *scale = mat_column(&w->scale, s->at);
    double largest = 0;
    for (int64_t j = 0; j < g->how.atoms; j++) largest = fmax(largest, fabs(corr[j]) * scale[j]);
    return largest;
}

static int is_complete(const gaps_coder *g, const slot *s) {
    return s->code->count >= g->maximum || s->code->count >= s->observed || s->code->residual <= s->tolerance;
}

/* Whether the rules on correlations end the code. */
static int ends(const gaps_coder *g, const gaps_work *w, const slot *s, double gain) {
    const kernel_rules *rules = &g->how.rules;
    if (sqrt(gain) <= g->nothing * sqrt(s->code->energy)) return 1;
    if (rules->lambda < 0 && rules->coherence < 0) return 0;
    const double c = largest_correlation(g, w, s);
    return (rules->lambda >= 0 && c <= rules->lambda) ||
           (rules->coherence >= 0 && c <= rules->coherence * sqrt(s->code->residual));
}

/* q = (d - Q Q'd) / rho over the observed rows, orthogonalised twice, and its column of R. Returns 0 if the atom is
 * linearly dependent. */
static int orthogonalise(const gaps_coder *g, const gaps_work *w, slot *s, int64_t j) {
    const int64_t dim = g->how.dim, m = s->code->count;
    const double *atom = mat_column(&g->atoms, j), *seen = mat_column(&w->seen, s->at);
    double *q = s->basis + m * dim, *r = s->factor + m * (m + 1) / 2;
    for (int64_t i = 0; i < dim; i++) q[i] = seen[i] * atom[i];
    const double before = blas_dot(dim, q, q);
    memset(r, 0, (size_t)(m + 1) * sizeof *r);
    for (int64_t k = 0; k < 2 * m; k++) {
        const double *other = s->basis + k % m * dim, part = blas_dot(dim, other, q);
        blas_axpy(dim, -part, other, q);
        r[k % m] += part;
    }
    const double after = blas_dot(dim, q, q), rho = sqrt(after);
    if (!(after > PIVOT * before)) return 0;
    for (int64_t i = 0; i < dim; i++) q[i] /= rho;
    r[m] = rho;
    return 1;
}

/* Adds atom j, whose q is in the basis: x loses (q'x) q. */
static void add_atom(const gaps_coder *g, const gaps_work *w, slot *s, int64_t j) {
    const int64_t dim = g->how.dim, m = s->code->count++;
    double *residual = mat_column(&w->residual, s->at);
    const double *q = s->basis + m * dim;
    s->proj[m] = blas_dot(dim, q, residual);
    blas_axpy(dim, -s->proj[m], q, residual);
    s->code->residual = blas_dot(dim, residual, residual);
    s->support[m] = (int32_t)j;
    ((double *)mat_column(&w->scale, s->at))[j] = 0;
}

/* The next atom of a signal. Returns 1; 0 if the code is complete, INCO_ENOMEM. */
static int step(const gaps_coder *g, gaps_work *w, slot *s) {
    double gain;
    int64_t j;
    if (is_complete(g, s)) return 0;
    if (slot_grow(s, g->how.dim) < 0) return INCO_ENOMEM;
    while ((j = choose(g, w, s, &gain)) >= 0 && !ends(g, w, s, gain)) {
        if (orthogonalise(g, w, s, j)) {
            add_atom(g, w, s, j);
            return !is_complete(g, s);
        }
        ((double *)mat_column(&w->scale, s->at))[j] = 0;
        s->code->skipped++;
    }
    return 0;
}

/* c = R^-1 Q'x */
static void solve(slot *s) {
    for (int64_t m = s->code->count - 1; m >= 0; m--) {
        double sum = s->proj[m];
        for (int64_t k = m + 1; k < s->code->count; k++) sum -= s->factor[k * (k + 1) / 2 + m] * s->value[k];
        s->value[m] = sum / s->factor[m * (m + 1) / 2 + m];
    }
}

/* D'q of the slots that go on, in one product; their correlations and remaining norms, (M-5). */
static void follow(const gaps_coder *g, gaps_work *w, const int64_t *active, int64_t count) {
    const int64_t dim = g->how.dim, atoms = g->how.atoms;
    const inco_mat next = mat_columns(&w->next, 0, count), change = mat_columns(&w->change, 0, count);
    for (int64_t i = 0; i < count; i++) {
        const slot *s = &w->slots[active[i]];
        memcpy(mat_column(&next, i), s->basis + (s->code->count - 1) * dim, (size_t)dim * sizeof(double));
    }
    blas_multiply(1, "TN", 1, &g->atoms, &next, 0, &change);
    for (int64_t i = 0; i < count; i++) {
        const slot *s = &w->slots[active[i]];
        const double *p = mat_column(&change, i), alpha = s->proj[s->code->count - 1];
        double *corr = mat_column(&w->corr, s->at), *norm = mat_column(&w->norm, s->at);
        for (int64_t j = 0; j < atoms; j++) corr[j] -= alpha * p[j];
        for (int64_t j = 0; j < atoms && g->how.rules.coder == CODER_OLS; j++) norm[j] -= p[j] * p[j];
    }
}

/* Codes the signals of the first `count` slots. */
static int run_slots(const gaps_coder *g, gaps_work *w, int64_t count) {
    int64_t active[TOGETHER];
    start(g, w, count);
    for (int64_t k = 0; k < count; k++) active[k] = k;
    for (int64_t left = count; left > 0;) {
        int64_t kept = 0;
        for (int64_t i = 0; i < left; i++) {
            const int goes_on = step(g, w, &w->slots[active[i]]);
            if (goes_on < 0) return goes_on;
            if (goes_on) active[kept++] = active[i];
        }
        if ((left = kept) > 0) follow(g, w, active, left);
    }
    for (int64_t k = 0; k < count; k++) solve(&w->slots[k]);
    return INCO_OK;
}

int gaps_coder_run(gaps_coder *g, const inco_mat *x, int thread) {
    gaps_work *w = &g->work[thread];
    int status = INCO_OK, coded = 0;
    int64_t filled = 0;
    for (int64_t n = 0; status >= 0 && n < x->cols; n++) {
        w->code[n] = (gaps_code){.missing = gaps_count(x, n)};
        if (w->code[n].missing) {
            slot *s = &w->slots[filled];
            s->signal = n;
            s->at = filled++;
            slot_read(g, w, s, x);
            coded++;
        }
        if (filled < TOGETHER && (n + 1 < x->cols || !filled)) continue;
        status = run_slots(g, w, filled);
        filled = 0;
    }
    return status < 0 ? status : coded;
}

const gaps_code *gaps_coder_code(const gaps_coder *g, int64_t n, int thread) {
    return &g->work[thread].code[n];
}
