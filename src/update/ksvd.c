#include "update/ksvd.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/range.h"
#include "base/rng.h"
#include "mat/blas.h"
#include "mat/lanczos.h"
#include "mat/mat.h"
#include "sparse/csc.h"

/* The signals that use an atom are processed in blocks of fixed length, and sums over blocks are added in order. An
 * atom with little work is processed by one thread, with the same bits. */
enum { SIGNALS_TOGETHER = 64, CHUNK = 1024, STRIPE = 32, WORTH_SHARING = 1 << 15 };

typedef struct sweep {
    training *t;
    inco_mat *d;
    const ksvd_rule *rule;
    int64_t dim, last;     /* last: the atom to stop before */
    int64_t maximum;       /* maximum number of signals per atom */
    double *partial;       /* D per block of signals */
    double *old, *new;     /* the atom before and after the update */
    inco_mat e, workspace; /* exact form: columns of E; memory for gram */
    double *start;         /* exact form: start of the eigenvector; then D normal numbers */
    lanczos eigen;
    /* the current atom */
    int64_t atom, first, count; /* its nonzeros in by_atom */
    int threads;                /* as many as pay off for this atom */
    int64_t chunk, chunk_count; /* signals of it in e */
    int transposed;             /* E'E instead of E E' */
    inco_mat gram;              /* E E' or E'E, lower triangle */
    double overlap;             /* new'old */
} sweep;

static int64_t blocks_of(int64_t count, int64_t together) {
    return range_blocks(count, together);
}

/* Parallel loop over the blocks of the current atom. */
static void share(sweep *w, int64_t count, parallel_body body) {
    parallel_for(w->threads, count, body, w, NULL);
}

static int64_t signal_at(const sweep *w, int64_t k) {
    return w->t->by_atom.index[w->first + k];
}
static double code_at(const sweep *w, int64_t k) {
    return csc_value(&w->t->by_atom, w->first + k);
}

/* ---- Columns of either type with vectors in double ---- */

/* out += a r */
static void add_column(const inco_mat *r, int64_t n, double a, double *out) {
    if (r->type == INCO_F32) {
        const float *x = mat_column(r, n);
        for (int64_t i = 0; i < r->rows; i++) out[i] += a * (double)x[i];
    } else {
        const double *x = mat_column(r, n);
        for (int64_t i = 0; i < r->rows; i++) out[i] += a * x[i];
    }
}

/* v'r, in four interleaved sums */
#define DOT(type)                                                                                                      \
    static double dot_##type(int64_t n, const type *x, const double *v) {                                              \
        double s0 = 0, s1 = 0, s2 = 0, s3 = 0;                                                                         \
        int64_t i = 0;                                                                                                 \
        for (; i + 4 <= n; i += 4) {                                                                                   \
            s0 += (double)x[i] * v[i], s1 += (double)x[i + 1] * v[i + 1];                                              \
            s2 += (double)x[i + 2] * v[i + 2], s3 += (double)x[i + 3] * v[i + 3];                                      \
        }                                                                                                              \
        for (; i < n; i++) s0 += (double)x[i] * v[i];                                                                  \
        return (s0 + s2) + (s1 + s3);                                                                                  \
    }
DOT(float)
DOT(double)

static double dot_column(const inco_mat *r, int64_t n, const double *v) {
    return r->type == INCO_F32 ? dot_float(r->rows, mat_column(r, n), v) : dot_double(r->rows, mat_column(r, n), v);
}

/* r += a u - b v */
static void shift_column(const inco_mat *r, int64_t n, double a, const double *u, double b, const double *v) {
    if (r->type == INCO_F32) {
        float *x = mat_column(r, n);
        for (int64_t i = 0; i < r->rows; i++) x[i] = (float)((double)x[i] + a * u[i] - b * v[i]);
    } else {
        double *x = mat_column(r, n);
        for (int64_t i = 0; i < r->rows; i++) x[i] += a * u[i] - b * v[i];
    }
}

/* ---- The new atom, approximately: E c (KSVD-5) ---- */

static int add_block(void *self, int64_t block, int thread, inco_error *error) {
    const sweep *w = self;
    const int64_t first = block * SIGNALS_TOGETHER, left = w->count - first;
    double *sum = w->partial + block * w->dim;
    memset(sum, 0, (size_t)w->dim * sizeof *sum);
    for (int64_t k = first; k < first + range_min(left, SIGNALS_TOGETHER); k++)
        add_column(&w->t->residual, signal_at(w, k), code_at(w, k), sum);
    (void)thread, (void)error;
    return INCO_OK;
}

/* E c = R c + d |c|^2 */
static void power_step(sweep *w) {
    const int64_t blocks = blocks_of(w->count, SIGNALS_TOGETHER);
    const double use = training_use_energy(w->t, w->atom);
    share(w, blocks, add_block);
    for (int64_t i = 0; i < w->dim; i++) w->new[i] = use * w->old[i];
    for (int64_t b = 0; b < blocks; b++) blas_axpy(w->dim, 1, w->partial + b * w->dim, w->new);
}

/* ---- The new atom, exactly: the leading eigenvector of E E' (KSVD-3) ---- */

/* Columns of E = R + d c for a block of the chunk's signals. */
static int gather_block(void *self, int64_t block, int thread, inco_error *error) {
    const sweep *w = self;
    const int64_t first = block * SIGNALS_TOGETHER, left = w->chunk_count - first;
    for (int64_t k = first; k < first + range_min(left, SIGNALS_TOGETHER); k++) {
        inco_mat from = mat_columns(&w->t->residual, signal_at(w, w->chunk + k), 1), to = mat_columns(&w->e, k, 1);
        mat_copy(&to, &from);
        blas_axpy(w->dim, code_at(w, w->chunk + k), w->old, to.data);
    }
    (void)thread, (void)error;
    return INCO_OK;
}

/* A stripe of columns of the lower triangle of E E' or E'E. */
static int multiply_stripe(void *self, int64_t stripe, int thread, inco_error *error) {
    const sweep *w = self;
    const int64_t first = stripe * STRIPE, size = w->gram.rows;
    const int64_t cols = range_min(size - first, STRIPE);
    const inco_mat to = mat_part(&w->gram, first, first, size - first, cols);
    const inco_mat left =
        w->transposed ? mat_columns(&w->e, first, to.rows) : mat_part(&w->e, first, 0, to.rows, w->chunk_count);
    const inco_mat right =
        w->transposed ? mat_columns(&w->e, first, cols) : mat_part(&w->e, first, 0, cols, w->chunk_count);
    blas_multiply(1, w->transposed ? "TN" : "NT", 1, &left, &right, w->chunk > 0, &to);
    (void)thread, (void)error;
    return INCO_OK;
}

/* The smaller of E E' and E'E; a long E is processed in chunks. */
static void make_gram(sweep *w) {
    w->transposed = w->count <= w->dim && w->count <= CHUNK;
    const int64_t size = w->transposed ? w->count : w->dim;
    w->gram = mat_view(INCO_F64, size, size, w->workspace.data);
    for (w->chunk = 0; w->chunk < w->count; w->chunk += CHUNK) {
        w->chunk_count = range_min(w->count - w->chunk, CHUNK);
        share(w, blocks_of(w->chunk_count, SIGNALS_TOGETHER), gather_block);
        share(w, blocks_of(size, STRIPE), multiply_stripe);
    }
}

/* Starts from the old atom, or E' times it. A small random vector is added, since the iteration would never leave an
 * eigenvector of another eigenvalue. */
static void make_start(sweep *w) {
    const int64_t size = w->gram.rows;
    const inco_mat e = mat_columns(&w->e, 0, w->chunk_count);
    if (w->transposed)
        blas_gemv_transposed(&e, 1, w->old, 0, w->start);
    else
        memcpy(w->start, w->old, (size_t)size * sizeof(double));
    const double norm = sqrt(blas_dot(size, w->start, w->start)), share = 1e-3 / sqrt((double)size);
    blas_axpy(size, norm > 0 ? share * norm : 1, w->start + w->dim, w->start);
}

static int singular_vector(sweep *w, inco_error *error) {
    double value = 0;
    make_gram(w);
    make_start(w);
    int status = lanczos_top(&w->eigen, &w->gram, w->start, &value, error);
    if (status < 0) return status;
    if (w->transposed) {
        const inco_mat e = mat_columns(&w->e, 0, w->count);
        blas_gemv(&e, 1, w->start, 0, w->new);
    } else {
        memcpy(w->new, w->start, (size_t)w->dim * sizeof(double));
    }
    if (!(value > 0)) memset(w->new, 0, (size_t)w->dim * sizeof(double)); /* E = 0 */
    const double sign = blas_dot(w->dim, w->new, w->old) < 0 ? -1 : 1;    /* the sign closer to the old atom */
    for (int64_t i = 0; i < w->dim; i++) w->new[i] *= sign;
    return INCO_OK;
}

/* ---- The codes that go with it, and the residual ---- */

/* c <- E'd = R'd + (old'd) c (KSVD-4), R <- R + old c_old - d c. */
static int absorb_block(void *self, int64_t block, int thread, inco_error *error) {
    const sweep *w = self;
    const int64_t first = block * SIGNALS_TOGETHER, left = w->count - first;
    for (int64_t k = first; k < first + range_min(left, SIGNALS_TOGETHER); k++) {
        const int64_t n = signal_at(w, k);
        const double before = code_at(w, k);
        csc_set_value(&w->t->by_atom, w->first + k, dot_column(&w->t->residual, n, w->new) + w->overlap * before);
        shift_column(&w->t->residual, n, before, w->old, code_at(w, k), w->new);
    }
    (void)thread, (void)error;
    return INCO_OK;
}

static int update_atom(sweep *w, inco_error *error) {
    double *atom = mat_column(w->d, w->atom);
    inco_mat column = mat_view(INCO_F64, w->dim, 1, w->new);
    int status = INCO_OK;
    w->first = w->t->by_atom.start[w->atom];
    w->count = w->t->by_atom.start[w->atom + 1] - w->first;
    if (w->count == 0) return status;
    w->threads = w->count * w->dim < WORTH_SHARING ? 1 : w->t->threads;
    memcpy(w->old, atom, (size_t)w->dim * sizeof *atom);
    if (w->rule->form == KSVD_EXACT)
        status = singular_vector(w, error);
    else
        power_step(w);
    if (w->rule->push) w->rule->push(w->rule->self, w->d, w->atom, w->new);
    if (status < 0 || mat_normalize_columns(&column, NULL) > 0) return status; /* E c = 0: the atom stays unchanged */
    w->overlap = blas_dot(w->dim, w->new, w->old);
    share(w, blocks_of(w->count, SIGNALS_TOGETHER), absorb_block);
    memcpy(atom, w->new, (size_t)w->dim * sizeof *atom);
    return status;
}

/* ---- The sweep ---- */

static int open_exact(sweep *w, inco_error *error) {
    int status;
    TRY(mat_new_raw(&w->e, INCO_F64, w->dim, range_min(w->maximum, CHUNK), error));
    TRY(mat_new_raw(&w->workspace, INCO_F64, w->dim, w->dim, error));
    TRY(lanczos_new(&w->eigen, w->dim, error));
    if (!(w->start = NEW_RAW(double, 2 * w->dim))) TRY(error_no_memory(error));
    for (int64_t i = 0; i < w->dim; i++) w->start[w->dim + i] = rng_normal(0, RNG_EIGENVECTOR, (uint64_t)i);
done:
    return status;
}

static int open_sweep(sweep *w, inco_error *error) {
    const int64_t *start = w->t->by_atom.start;
    for (int64_t j = 0; j < w->d->cols; j++)
        if (start[j + 1] - start[j] > w->maximum) w->maximum = start[j + 1] - start[j];
    w->partial = NEW_RAW(double, blocks_of(w->maximum, SIGNALS_TOGETHER) * w->dim);
    w->old = NEW_RAW(double, w->dim);
    w->new = NEW_RAW(double, w->dim);
    if (!w->partial || !w->old || !w->new) return error_no_memory(error);
    return w->rule->form == KSVD_EXACT ? open_exact(w, error) : INCO_OK;
}

static void close_sweep(sweep *w) {
    memory_free(w->partial);
    memory_free(w->old);
    memory_free(w->new);
    memory_free(w->start);
    inco_mat_free(&w->e);
    inco_mat_free(&w->workspace);
    lanczos_free(&w->eigen);
}

int ksvd_atoms(inco_mat *d, training *t, const ksvd_rule *rule, int64_t first, int64_t last, inco_error *error) {
    sweep w = {.t = t, .d = d, .rule = rule, .dim = d->rows, .atom = first, .last = last};
    int status = open_sweep(&w, error);
    for (; status >= 0 && w.atom < w.last; w.atom++)
        if ((status = watcher_ask(rule->poll)) >= 0) status = update_atom(&w, error);
    close_sweep(&w);
    return status;
}

int ksvd_sweep(inco_mat *d, training *t, const ksvd_rule *rule, inco_error *error) {
    return ksvd_atoms(d, t, rule, 0, d->cols, error);
}
