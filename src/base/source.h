/* Sources of signals. */
#ifndef INCO_BASE_SOURCE_H
#define INCO_BASE_SOURCE_H

#include <inco/inco.h>

/* Copies the caller's source to the library's struct, and checks it: it has a `read` function and valid sizes. */
int source_take(inco_source *own, const inco_source *given, inco_error *error);

static inline int source_read(const inco_source *source, int64_t first, int64_t count, void *out, inco_error *error) {
    return source->read(source->self, first, count, out, error);
}

/* The weights of signals; 1 for a source without weights. */
static inline int source_weights(const inco_source *source, int64_t first, int64_t count, double *out,
                                 inco_error *error) {
    if (source->weights) return source->weights(source->self, first, count, out, error);
    for (int64_t n = 0; n < count; n++) out[n] = 1;
    return INCO_OK;
}

#endif
