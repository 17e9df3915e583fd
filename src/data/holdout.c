#include "data/holdout.h"

#include "base/range.h"
#include "base/source.h"

/* Reads `run` consecutive signals, to place `at` of out. */
static int read_run(const holdout *h, int64_t first, int64_t run, int64_t at, void *out, inco_error *error) {
    const inco_source *from = h->from;
    return source_read(from, first, run, (char *)out + (size_t)(at * from->dim) * from->type, error);
}

/* Kept signal i is signal i + i / (step - 1); runs of step - 1 are consecutive. */
static int read_kept(void *self, int64_t first, int64_t count, void *out, inco_error *error) {
    const holdout *h = self;
    const int64_t maximum = h->step - 1;
    int status = INCO_OK;
    for (int64_t done = 0, run; done < count && status >= 0; done += run) {
        const int64_t i = first + done, rest = maximum - i % maximum;
        run = range_min(rest, count - done);
        status = read_run(h, i + i / maximum, run, done, out, error);
    }
    return status;
}

static int read_held(void *self, int64_t first, int64_t count, void *out, inco_error *error) {
    const holdout *h = self;
    int status = INCO_OK;
    for (int64_t i = 0; i < count && status >= 0; i++)
        status = read_run(h, (first + i + 1) * h->step - 1, 1, i, out, error);
    return status;
}

void holdout_make(holdout *h, const inco_source *from, int64_t step) {
    const int64_t held = from->count / step;
    h->from = from;
    h->step = step;
    h->kept = h->held = *from;
    h->kept.count -= held;
    h->held.count = held;
    h->kept.self = h->held.self = h;
    h->kept.read = read_kept;
    h->held.read = read_held;
}
