/* A spool: bytes that need not stay in memory, in a temporary file without a name, which vanishes with the process. */
#ifndef INCO_BASE_SPOOL_H
#define INCO_BASE_SPOOL_H

#include <inco/inco.h>

/* Opens such a file, in TMPDIR or else in /var/tmp. Returns its descriptor, or a negative status. */
int spool_file(inco_error *error);

/* Reads `count` bytes at `offset` of an open file. Returns 0, errno, or -1 at the end of the file. */
int spool_read_at(int fd, int64_t offset, void *bytes, size_t count);

typedef struct spool {
    int fd; /* descriptor + 1; 0: nothing was written yet */
    int64_t used;
} spool;

/* Writes bytes at an offset up to `used`, over earlier ones or behind them; append: at `used`. */
int spool_write(spool *s, int64_t offset, const void *bytes, size_t count, inco_error *error);
int spool_append(spool *s, const void *bytes, size_t count, inco_error *error);
/* Reads bytes that were appended; several threads may do so at once. */
int spool_read(const spool *s, int64_t offset, void *bytes, size_t count, inco_error *error);
void spool_free(spool *s);

#endif
