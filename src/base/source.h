/* Sources of signals. */
#ifndef INCO_BASE_SOURCE_H
#define INCO_BASE_SOURCE_H

#include <inco/inco.h>

/* Copies the caller's source to the library's struct, and checks it: it has a `read` function and valid sizes. */
int source_take(inco_source *own, const inco_source *given, inco_error *error);

static inline int source_read(const inco_source *source, int64_t first, int64_t count, void *out, inco_error *error) {
    return source->read(source->self, first, count, out, error);
}

#endif
