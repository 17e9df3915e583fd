/* A file as bytes in memory. It is never mapped: a file that is truncated while it is read gives an error, not a
 * signal. */
#ifndef INCO_IO_FILE_H
#define INCO_IO_FILE_H

#include <inco/inco.h>

#include "mat/mat.h"

typedef struct file_bytes {
    const unsigned char *data;
    size_t length;
    owner *owner; /* a matrix over these bytes may take it over; it is then NULL here */
    const char *path;
    int reader;   /* descriptor + 1 while parts may be missing (file_need); else 0 */
    int nameless; /* it cannot be opened again by its path */
} file_bytes;

/* Opens a file, reading nothing yet: `data` has the addresses of its bytes, which take memory only once file_need has
 * read them. Pipes and "-", standard input, are first copied to a temporary file, so that they may be larger than
 * memory and be read several times. Empty files, folders and missing files are refused with a message that names the
 * path. The bytes may be changed in memory. */
int file_open(file_bytes *file, const char *path, inco_error *error);
/* Reads these bytes, which are within `length`. Fails if the file has become shorter. */
int file_need(file_bytes *file, size_t offset, size_t count, inco_error *error);
/* Both, for the whole file, of at most `limit` bytes (base/limit.h). */
int file_read(file_bytes *file, const char *path, int64_t limit, inco_error *error);
void file_release(file_bytes *file);
/* A block of memory instead of a file; the caller fills it through the returned pointer. NULL: out of memory. */
unsigned char *file_block(file_bytes *file, size_t length);

/* Only the checks of file_open, for libraries that open files themselves; *length (may be NULL): the size of a regular
 * file, -1 for others. */
int file_check(const char *path, int64_t *length, inco_error *error);

/* The number in the first `count` bytes, the lowest one first. */
static inline uint64_t file_little(const unsigned char *bytes, int count) {
    uint64_t value = 0;
    for (int i = count - 1; i >= 0; i--) value = value << 8 | bytes[i];
    return value;
}

/* Reads `count` bytes at `offset` of an open file; `path` is for messages. */
int file_read_at(int fd, const char *path, int64_t offset, void *bytes, size_t count, inco_error *error);

#endif
