/* Sealed bytes in a stream: their length and fingerprint, then the bytes. A reader believes none of them before the
 * fingerprint has been compared, and allocates at most twice as much as the stream holds. */
#ifndef INCO_BASE_SEALED_H
#define INCO_BASE_SEALED_H

#include <inco/inco.h>

/* Writes what `produce` writes to its stream. It is called twice, first to measure, and must write the same bytes.
 * Returns 0, or nonzero if writing failed. */
int sealed_write(const inco_stream *to, int (*produce)(const void *self, const inco_stream *stream), const void *self);

typedef struct sealed {
    unsigned char *bytes;
    size_t length, read;
} sealed;

/* Reads all of the bytes. Fails if they are damaged, or if the stream has more. `what` names them. */
int sealed_read(sealed *s, const inco_stream *from, const char *what, inco_error *error);
void sealed_free(sealed *s);

/* A stream that reads these bytes; the number that it has not read yet. */
inco_stream sealed_stream(sealed *s);
size_t sealed_left(const inco_stream *stream);

#endif
