/* Signals that stay in their file until they are read: native floats, one signal after the other. */
#ifndef INCO_IO_ROWS_H
#define INCO_IO_ROWS_H

#include <inco/inco.h>
#include <sys/types.h>

#include "io/file.h"

typedef struct io_rows {
    int keep_open; /* set by the caller: hold the file open, rather than open it for every read */
    const char *path;
    int64_t offset; /* of the first signal */
    size_t bytes;   /* of a signal; 0: the signals are in memory instead */
    int fd;         /* descriptor + 1, if it is held */
    dev_t device;
    ino_t inode; /* of the file, to notice if another one has taken its name */
} io_rows;

/* Leaves the signals in the file, whose descriptor it may take over. The path must outlive it. */
int rows_take(io_rows *rows, file_bytes *file, int64_t offset, size_t bytes, inco_error *error);
int rows_read(const io_rows *rows, int64_t first, int64_t count, void *out, inco_error *error);
void rows_close(io_rows *rows);

#endif
