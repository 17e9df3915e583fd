/* A whole file as bytes in memory, memory-mapped if possible. */
#ifndef INCO_IO_FILE_H
#define INCO_IO_FILE_H

#include <inco/inco.h>

#include "mat/mat.h"

typedef struct file_bytes {
    const unsigned char *data;
    size_t length;
    owner *owner; /* a matrix over these bytes may take it over; it is then NULL here */
} file_bytes;

/* Empty files, folders and missing files are refused with a message that names the path. The mapping is private and
 * writable: changes in memory do not affect the file. */
int file_read(file_bytes *file, const char *path, inco_error *error);
void file_release(file_bytes *file);
/* A block of memory instead of a file; the caller fills it through the returned pointer. NULL: out of memory. */
unsigned char *file_block(file_bytes *file, size_t length);

/* Only the checks of file_read, for libraries that open files themselves. */
int file_check(const char *path, inco_error *error);

#endif
