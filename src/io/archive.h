/* A zip archive of arrays (.npz), through libzip. */
#ifndef INCO_IO_ARCHIVE_H
#define INCO_IO_ARCHIVE_H

#include "io/file.h"
#include "io/npy.h"

/* ---- Reading ---- */

typedef struct archive archive;

/* libzip reads the requested members of the file. Members may take `limit` bytes (base/limit.h). */
int archive_open(archive **a, const char *path, int64_t limit, inco_error *error);
/* The same of bytes in memory, which it takes over; `name` is for messages. */
int archive_open_bytes(archive **a, file_bytes *bytes, const char *name, int64_t limit, inco_error *error);
void archive_close(archive *a);
int64_t archive_length(const archive *a); /* bytes of the file */
int64_t archive_count(const archive *a);
/* Name of the member without ".npy", valid as long as the archive; NULL if it is not an array. `length` may be NULL. */
const char *archive_name(const archive *a, int64_t member, int *length);
enum { ARCHIVE_LABEL = 400 };
void archive_label(const archive *a, int64_t member, char text[ARCHIVE_LABEL]); /* for messages */
int64_t archive_find(const archive *a, const char *name);                       /* -1: none */
/* Only the header of a member. */
int archive_header(archive *a, int64_t member, npy_header *header, inco_error *error);
/* All bytes of a member. */
int archive_read(archive *a, int64_t member, file_bytes *bytes, inco_error *error);

/* ---- Writing, to an output ---- */

typedef struct archive_array {
    const char *name, *item; /* item as in NumPy's type names: "f4", "U12" */
    int fortran, dims;
    int64_t shape[2];
    const void *data; /* not copied: must be valid until archive_finish */
} archive_array;

enum { ARCHIVE_MAX = 16 }; /* maximum number of members */
typedef struct archive_writer archive_writer;

int archive_new(archive_writer **w, output *out, inco_error *error);
/* Integers and text are deflated; floats, which hardly shrink, are stored. */
int archive_add(archive_writer *w, const archive_array *array, inco_error *error);
/* Writes the archive if status is not negative, and frees the writer. */
int archive_finish(archive_writer *w, int status, inco_error *error);

#endif
