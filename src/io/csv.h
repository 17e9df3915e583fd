/* Numbers as text, one row per line. */
#ifndef INCO_IO_CSV_H
#define INCO_IO_CSV_H

#include "io/io.h"

typedef struct csv_how {
    const char *separators; /* in order of preference: the first that occurs in the first line is used; a blank stands
                             * for any run of blanks */
    int64_t limit;          /* of memory (base/limit.h) */
} csv_how;

/* `text` need not be null-terminated. The rows become the columns of m. */
int csv_parse(const char *text, size_t length, const char *name, const csv_how *how, inco_mat *m, inco_error *error);

int csv_load(const char *path, const io_how *how, io_array *out, inco_error *error);
int csv_save(output *out, const io_array *array, const io_how *how, inco_error *error);

#endif
