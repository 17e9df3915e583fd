#include "data/weights.h"

#include <math.h>

#include "base/error.h"
#include "base/fingerprint.h"
#include "base/range.h"
#include "base/source.h"

enum { TOGETHER = 1024 }; /* weights read at a time */

/* Calls `look` with the weights, block by block. */
static int visit(const inco_source *signals,
                 int (*look)(void *self, int64_t first, int64_t count, const double *w, inco_error *error), void *self,
                 inco_error *error) {
    double w[TOGETHER];
    int status = INCO_OK;
    for (int64_t first = 0; status >= 0 && first < signals->count; first += TOGETHER) {
        const int64_t count = range_min(TOGETHER, signals->count - first);
        status = source_weights(signals, first, count, w, error);
        if (status >= 0) status = look(self, first, count, w, error);
    }
    return status;
}

static int keep_positive(void *self, int64_t first, int64_t count, const double *w, inco_error *error) {
    subset *present = self;
    for (int64_t n = 0; n < count; n++) {
        if (!(w[n] >= 0 && isfinite(w[n])))
            return error_set(error, INCO_EDATA,
                             "the weight of signal %lld (counted from 0) is %g: weights are nonnegative numbers",
                             (long long)(first + n), w[n]);
        if (w[n] > 0) subset_add(present, first + n);
    }
    return INCO_OK;
}

int weights_keep(subset *present, const inco_source *from, inco_error *error) {
    int status;
    if (!from->weights) {
        *present = (subset){.source = *from, .from = from};
        return INCO_OK;
    }
    TRY(subset_new(present, from, error));
    TRY(visit(from, keep_positive, present, error));
    subset_complete(present);
    if (present->source.count == 0)
        TRY(error_set(error, INCO_EDATA, "all %lld weights are zero: no signal is left to learn from",
                      (long long)from->count));
    if (present->source.count < from->count) goto done;
    subset_free(present);
    *present = (subset){.source = *from, .from = from};
done:
    return status;
}

static int add(void *self, int64_t first, int64_t count, const double *w, inco_error *error) {
    for (int64_t n = 0; n < count; n++) *(double *)self += w[n];
    (void)first, (void)error;
    return INCO_OK;
}

int weights_total(const inco_source *signals, double *total, inco_error *error) {
    *total = signals->weights ? 0 : (double)signals->count;
    return signals->weights ? visit(signals, add, total, error) : INCO_OK;
}

static int print(void *self, int64_t first, int64_t count, const double *w, inco_error *error) {
    (void)first, (void)error;
    fingerprint_add(self, w, (size_t)count * sizeof *w);
    return INCO_OK;
}

int weights_print(const inco_source *signals, uint64_t *total, inco_error *error) {
    fingerprint_sum sum;
    if (!signals->weights) return INCO_OK;
    fingerprint_begin(&sum);
    int status = visit(signals, print, &sum, error);
    *total ^= fingerprint_end(&sum);
    return status;
}
