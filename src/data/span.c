/* Signals pass through a small matrix: [F X] and [L 0] have the same left singular vectors and values if [F X] = L Q.
 * Unlike X X', the triangular factor L keeps small singular values apart from zero. */
#include "data/span.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/range.h"
#include "base/source.h"
#include "mat/blas.h"
#include "mat/gaps.h"
#include "mat/mat.h"

enum { LEAST_PIECE = 256 };
enum { MOST_DIM = 2048 }; /* beyond it memory for D x D matrices is too much to ask: only constants are looked for */

typedef struct finder {
    const inco_source *signals;
    double noise, constant; /* (SPAN-2), (SPAN-3): limits of singular values, for unit-norm signals */
    int64_t read, count;    /* signals read; the nonzero ones among them */
    inco_mat piece;         /* signals as read */
    inco_mat m;             /* [L X]; in dimensions beyond MOST_DIM X alone */
    double mean;            /* sum of squared parts of the unit-norm signals along constants */
    double *values;         /* singular values */
} finder;

/* ---- Reading ---- */

static int is_small(const finder *f) {
    return f->signals->dim <= MOST_DIM;
}

static int open_finder(finder *f, inco_type precision, inco_error *error) {
    const int64_t dim = f->signals->dim, piece = dim > LEAST_PIECE && is_small(f) ? dim : LEAST_PIECE;
    int status;
    f->noise = subspace_noise(precision);
    f->constant = sqrt(ldexp(1, precision == INCO_F32 ? -24 : -53));
    if (!(f->values = NEW(double, dim))) TRY(error_no_memory(error));
    TRY(mat_new_raw(&f->piece, f->signals->type, dim, piece, error));
    TRY(inco_mat_new(&f->m, INCO_F64, dim, piece + (is_small(f) ? dim : 0), error));
done:
    return status;
}

/* Adds the squared part along constants of a unit-norm signal. */
static void add_mean(finder *f, const double *x) {
    const int64_t dim = f->signals->dim;
    double sum = 0;
    for (int64_t i = 0; i < dim; i++) sum += x[i];
    f->mean += sum * sum / (double)dim;
}

/* Reads the next signals, scaled to unit norm: the rounding error of a signal is relative to its own norm. */
static int add_piece(finder *f, inco_error *error) {
    const int64_t left = f->signals->count - f->read, count = range_min(left, f->piece.cols);
    const int64_t before = is_small(f) ? f->m.rows : 0;
    const inco_mat from = mat_columns(&f->piece, 0, count), to = mat_columns(&f->m, before, count);
    int status = source_read(f->signals, f->read, count, from.data, error);
    if (status < 0) return status;
    if (f->signals->missing) gaps_zero(&from);
    mat_copy(&to, &from);
    f->count += count - mat_normalize_columns(&to, NULL);
    f->read += count;
    for (int64_t n = 0; n < count; n++) add_mean(f, mat_column(&to, n));
    inco_mat whole = mat_columns(&f->m, 0, before + count);
    return is_small(f) ? lapack_lq(&whole, error) : INCO_OK;
}

/* ---- The rank ---- */

/* (SPAN-3) */
static int lacks_constants(const finder *f) {
    return sqrt(f->mean) <= f->constant * sqrt((double)f->count);
}

/* (SPAN-6): what the factors L themselves add, relative to the norm of the signals. */
static double noise_of_factors(const finder *f) {
    const double dim = (double)f->m.rows, pieces = (double)range_blocks(f->read, f->piece.cols);
    return ldexp(sqrt(dim * pieces) * (double)f->m.cols, -53);
}

/* Number of singular values of L above the noise (SPAN-2). */
static int64_t count_values(const finder *f) {
    const double least = fmax(f->noise, noise_of_factors(f)) * sqrt((double)f->count);
    int64_t rank = 0;
    while (rank < f->m.rows && f->values[rank] > least) rank++;
    return rank;
}

/* Whether the signals read so far span R^D, and thus all signals do. */
static int is_full(finder *f, int *full, inco_error *error) {
    *full = 0;
    if (f->count == 0 || lacks_constants(f)) return INCO_OK;
    const inco_mat triangle = mat_columns(&f->m, 0, f->m.rows);
    int status = is_small(f) ? lapack_singular_values(&triangle, f->values, error) : INCO_OK;
    *full = status >= 0 && (!is_small(f) || count_values(f) == f->m.rows);
    return status;
}

/* Reads until the signals span R^D, which is tried whenever their number has doubled. */
static int read_signals(finder *f, int *full, inco_error *error) {
    const int64_t dim = f->signals->dim;
    int64_t next = is_small(f) ? 2 * dim : 1;
    int status = INCO_OK;
    *full = 0;
    while (!*full && f->read < f->signals->count) {
        TRY(add_piece(f, error));
        if (f->count < next && f->read < f->signals->count) continue;
        TRY(is_full(f, full, error));
        next = 2 * f->count;
    }
done:
    return status;
}

/* ---- The subspace ---- */

/* Takes constants out of the columns of L. */
static void remove_constants(const inco_mat *triangle) {
    const int64_t dim = triangle->rows;
    for (int64_t j = 0; j < dim; j++) {
        double *x = mat_column(triangle, j), sum = 0;
        for (int64_t i = 0; i < dim; i++) sum += x[i];
        for (int64_t i = 0; i < dim; i++) x[i] -= sum / (double)dim;
    }
}

static int decompose(finder *f, subspace *span, inco_error *error) {
    const int64_t dim = f->m.rows;
    inco_mat triangle = mat_columns(&f->m, 0, dim), u = {0}, vt = {0};
    int status;
    TRY(mat_new_raw(&u, INCO_F64, dim, dim, error));
    TRY(mat_new_raw(&vt, INCO_F64, dim, dim, error));
    if (lacks_constants(f)) remove_constants(&triangle);
    TRY(lapack_svd(&triangle, &u, f->values, &vt, error));
    TRY(subspace_make(span, &u, count_values(f), error));
done:
    inco_mat_free(&u);
    inco_mat_free(&vt);
    return status;
}

/* In many dimensions: all of R^D, or all but constants. */
static int leave_constants(const finder *f, subspace *span, inco_error *error) {
    const int64_t dim = f->m.rows;
    *span = subspace_whole(dim);
    if (!lacks_constants(f)) return INCO_OK;
    span->rank = dim - 1;
    span->complement = 1;
    int status = mat_new_raw(&span->basis, INCO_F64, dim, 1, error);
    for (int64_t i = 0; status >= 0 && i < dim; i++) mat_set(&span->basis, i, 0, 1 / sqrt((double)dim));
    return status;
}

int span_find(subspace *span, const inco_source *signals, inco_type precision, inco_error *error) {
    finder f = {.signals = signals};
    int full, status;
    *span = subspace_whole(signals->dim);
    TRY(open_finder(&f, precision, error));
    TRY(read_signals(&f, &full, error));
    if (full) goto done;
    if (f.count == 0)
        span->rank = 0;
    else
        TRY(is_small(&f) ? decompose(&f, span, error) : leave_constants(&f, span, error));
done:
    inco_mat_free(&f.piece);
    inco_mat_free(&f.m);
    memory_free(f.values);
    if (status < 0) subspace_free(span);
    return status;
}
