/* Lists of atoms or pairs of atoms as text files, for spreadsheets and scripts. */
#ifndef INCO_CLI_LISTS_H
#define INCO_CLI_LISTS_H

#include "run.h"

/* A column of a list: indices, or numbers; with neither, the number of the row. */
typedef struct list_column {
    const char *name;
    const int64_t *indices; /* negative: none */
    const double *numbers;  /* NaN: none */
} list_column;

/* Writes `rows` rows atomically: as JSON, an array per column, if the extension is .json, else as CSV. */
int lists_write(run *r, const char *path, const list_column *columns, int count, int64_t rows);

#endif
