/* Sources of signals. */
#ifndef INCO_BASE_SOURCE_H
#define INCO_BASE_SOURCE_H

#include <inco/inco.h>

/* The caller's source as the library's struct, checked: there is a function to read with, and the sizes make sense. */
int source_take(inco_source *own, const inco_source *given, inco_error *error);

static inline int source_read(const inco_source *source, int64_t first, int64_t count, void *out, inco_error *error) {
    return source->read(source->self, first, count, out, error);
}

#endif
