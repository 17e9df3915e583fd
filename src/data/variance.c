#include "data/variance.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/range.h"
#include "base/source.h"
#include "data/order.h"
#include "mat/blas.h"
#include "mat/gaps.h"
#include "mat/mat.h"

enum { SIGNALS = 4096, CHUNK = 256 };
enum { WIDE = 1024 }; /* dimensions above which M is not computed */

/* Adds the signals of a chunk, times their weights w, to sum, and their energy to *energy; the weights of the signals
 * that lack a feature to sum too, after the features. Returns the sum of w. */
static double add(const inco_mat *x, const double *w, double *sum, double *energy) {
    double weight = 0;
    for (int64_t n = 0; n < x->cols; n++) {
        weight += w[n];
        *energy += w[n] * gaps_energy(x, n);
        for (int64_t i = 0; i < x->rows; i++) {
            const double value = mat_get(x, i, n);
            if (isnan(value))
                sum[x->rows + i] += w[n];
            else
                sum[i] += w[n] * value;
        }
    }
    return weight;
}

/* M += sum w x x', with 0 at missing entries. */
static void add_square(const inco_mat *x, const double *w, const inco_mat *scaled, const inco_mat *m, int threads) {
    const inco_mat to = mat_columns(scaled, 0, x->cols);
    for (int64_t n = 0; n < x->cols; n++)
        for (int64_t i = 0; i < x->rows; i++) {
            const double value = mat_get(x, i, n);
            mat_set(&to, i, n, isnan(value) ? 0 : sqrt(w[n]) * value);
        }
    blas_multiply(threads, "NT", 1, &to, &to, 1, m);
}

/* Sums over the signals. */
typedef struct moments {
    double *sum; /* 2 D, see add */
    double weight, energy;
    inco_mat x, scaled; /* a chunk */
    inco_mat square;    /* M; no data if it is not measured */
} moments;

static int open_moments(moments *m, const inco_source *signals, inco_error *error) {
    const int64_t dim = signals->dim;
    int status;
    if (!(m->sum = NEW(double, 2 * dim))) TRY(error_no_memory(error));
    TRY(mat_new_raw(&m->x, signals->type, dim, CHUNK, error));
    if (dim > WIDE) goto done;
    TRY(mat_new_raw(&m->scaled, INCO_F64, dim, CHUNK, error));
    TRY(inco_mat_new(&m->square, INCO_F64, dim, dim, error));
done:
    return status;
}

static int add_all(moments *m, const inco_source *signals, int threads, inco_error *error) {
    const int64_t count = signals->weights ? signals->count : range_min(signals->count, SIGNALS);
    double w[CHUNK];
    spread_order order;
    int status = INCO_OK;
    order_make(&order, signals);
    for (int64_t first = 0; first < count; first += CHUNK) {
        const inco_mat part = mat_columns(&m->x, 0, range_min(count - first, CHUNK));
        TRY(source_read(&order.source, first, part.cols, part.data, error));
        TRY(source_weights(&order.source, first, part.cols, w, error));
        m->weight += add(&part, w, m->sum, &m->energy);
        if (m->square.data) add_square(&part, w, &m->scaled, &m->square, threads);
    }
done:
    return status;
}

/* |sum w x|^2, each feature as if it were observed in all signals. */
static double square_of_mean(const moments *m, int64_t dim) {
    double square = 0;
    for (int64_t i = 0; i < dim; i++) {
        const double missing = m->sum[dim + i], observed = m->weight - missing;
        square += m->sum[i] * m->sum[i] * (missing > 0 && observed > 0 ? m->weight / observed : 1);
    }
    return square;
}

/* 1 / |M / tr M|^2 */
static double evenness_of(const inco_mat *square, double energy) {
    const int64_t count = square->rows * square->cols;
    double *m = square->data;
    for (int64_t i = 0; i < count; i++) m[i] /= energy;
    return 1 / blas_dot(count, m, m);
}

static double rounded(double x) {
    return round(x * 1e6) / 1e6;
}

int variance_measure(const inco_source *signals, int threads, variance *result, inco_error *error) {
    const int64_t dim = signals->dim;
    moments m = {0};
    int status;
    *result = (variance){.share = 1};
    TRY(open_moments(&m, signals, error));
    TRY(add_all(&m, signals, threads, error));
    if (!(m.energy > 0)) goto done;
    result->share = rounded(fmax(0, 1 - square_of_mean(&m, dim) / m.weight / m.energy));
    if (m.square.data) result->evenness = rounded(evenness_of(&m.square, m.energy));
done:
    MAT_FREE_ALL(&m.x, &m.scaled, &m.square);
    memory_free(m.sum);
    return status;
}
