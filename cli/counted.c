#include "counted.h"

static int read_counted(void *self, int64_t first, int64_t count, void *out, inco_error *error) {
    counted *c = self;
    int status = c->from->read(c->from->self, first, count, out, error);
    if (status < 0) return status;
    const int64_t done = atomic_fetch_add(&c->done, count) + count;
    if (!atomic_flag_test_and_set(&c->drawing)) {
        progress_coding(&c->progress, done, c->source.count);
        atomic_flag_clear(&c->drawing);
    }
    return status;
}

void counted_open(counted *c, const inco_source *from, int quiet) {
    c->source = (inco_source){sizeof(inco_source), from->dim, from->count, from->type, c, read_counted};
    c->from = from;
    c->progress = progress_start(quiet);
    atomic_init(&c->done, 0);
    atomic_flag_clear(&c->drawing);
}
