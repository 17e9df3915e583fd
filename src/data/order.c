#include "data/order.h"

#include "base/range.h"
#include "base/source.h"

enum { BLOCK = 16 };                           /* consecutive signals, read together */
static const int64_t LARGEST_STEP = 1LL << 30; /* products with block numbers stay below 2^63 for 2^37 signals */
static const double GOLDEN = 0.6180339887498949;

static int64_t common_divisor(int64_t a, int64_t b) {
    while (b) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

int64_t order_index(const spread_order *o, int64_t i) {
    return i < o->blocks * BLOCK ? i / BLOCK * o->step % o->blocks * BLOCK + i % BLOCK : i;
}

static int read_spread(void *self, int64_t first, int64_t count, void *out, inco_error *error) {
    const spread_order *o = self;
    const inco_source *from = o->from;
    int status = INCO_OK;
    for (int64_t done = 0, run; done < count && status >= 0; done += run) {
        const int64_t i = first + done;
        run = range_min(BLOCK - i % BLOCK, count - done);
        status =
            source_read(from, order_index(o, i), run, (char *)out + (size_t)(done * from->dim) * from->type, error);
    }
    return status;
}

static int read_weights(void *self, int64_t first, int64_t count, double *out, inco_error *error) {
    const spread_order *o = self;
    int status = INCO_OK;
    for (int64_t done = 0, run; done < count && status >= 0; done += run) {
        const int64_t i = first + done;
        run = range_min(BLOCK - i % BLOCK, count - done);
        status = source_weights(o->from, order_index(o, i), run, out + done, error);
    }
    return status;
}

void order_make(spread_order *o, const inco_source *from) {
    const int64_t blocks = from->count / BLOCK;
    *o = (spread_order){.source = *from, .from = from, .blocks = blocks, .step = 1};
    o->source.self = o;
    o->source.read = read_spread;
    o->source.weights = from->weights ? read_weights : NULL;
    if (from->sequential || blocks < 2) return;
    o->step = range_min((int64_t)(GOLDEN * (double)blocks), LARGEST_STEP);
    while (common_divisor(o->step, blocks) > 1) o->step--;
}
