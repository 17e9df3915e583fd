/* A whole file as bytes in memory: mapped where it can be, so that nothing is copied; the parsers work on these. */
#ifndef INCO_IO_FILE_H
#define INCO_IO_FILE_H

#include <inco/inco.h>

#include "mat/mat.h"

typedef struct file_bytes {
    const unsigned char *data;
    size_t length;
    owner *owner; /* a matrix over these bytes may take it over: then NULL here */
} file_bytes;

/* Empty files, folders and missing files are refused with a message that names the path. The mapping is private and
 * writable: a change in memory never reaches the file. */
int file_read(file_bytes *file, const char *path, inco_error *error);
void file_release(file_bytes *file);
/* A block of memory in the place of a file; the caller fills it through the pointer returned. NULL: no memory. */
unsigned char *file_block(file_bytes *file, size_t length);

/* The same checks alone, for libraries that open files themselves. */
int file_check(const char *path, inco_error *error);

#endif
