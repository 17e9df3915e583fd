#include "data/variance.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/range.h"
#include "base/source.h"
#include "data/order.h"
#include "mat/gaps.h"
#include "mat/mat.h"

enum { SIGNALS = 4096, CHUNK = 256 };

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

int variance_share(const inco_source *signals, double *share, inco_error *error) {
    const int64_t dim = signals->dim;
    const int64_t count = signals->weights ? signals->count : range_min(signals->count, SIGNALS);
    double *sum = NEW(double, 2 * dim), w[CHUNK], weight = 0, energy = 0, square = 0;
    spread_order order;
    inco_mat x = {0};
    int status = sum ? mat_new_raw(&x, signals->type, dim, CHUNK, error) : error_no_memory(error);
    order_make(&order, signals);
    for (int64_t first = 0; status >= 0 && first < count; first += CHUNK) {
        const inco_mat part = mat_columns(&x, 0, range_min(count - first, CHUNK));
        status = source_read(&order.source, first, part.cols, part.data, error);
        if (status >= 0) status = source_weights(&order.source, first, part.cols, w, error);
        if (status >= 0) weight += add(&part, w, sum, &energy);
    }
    for (int64_t i = 0; status >= 0 && i < dim; i++) {
        const double observed = weight - sum[dim + i];
        square += sum[i] * sum[i] * (sum[dim + i] > 0 && observed > 0 ? weight / observed : 1);
    }
    *share = energy > 0 ? fmax(0, 1 - square / weight / energy) : 1;
    inco_mat_free(&x);
    memory_free(sum);
    return status;
}
