/* The origin of codes, as named arrays of doubles that any container of arrays can store with the codes. */
#ifndef INCO_IO_ORIGIN_H
#define INCO_IO_ORIGIN_H

#include <inco/inco.h>

#define ORIGIN_PREFIX "origin_" /* of the names of its arrays */

/* Arrays owned by an origin; the pointers of the origin itself are read-only. */
typedef struct origin_arrays {
    int64_t *shape;
    double *mean;
} origin_arrays;

/* Creates an origin without arrays, which the caller sets here and in the origin. NULL: out of memory. */
origin_arrays *origin_new(inco_origin *origin, int64_t signals);

/* Fails if an origin of audio or images lacks its files or their shapes. */
int origin_check(const inco_origin *origin, inco_error *error);

typedef struct origin_field {
    const char *name;
    int whole, dims;      /* whether integers; 0 for a number, 1 for a list, 2 for a table */
    int64_t rows, cols;   /* 1 for missing dimensions */
    const double *values; /* row after row */
} origin_field;

enum { ORIGIN_FIELDS = 8 };

typedef struct origin_table {
    origin_field field[ORIGIN_FIELDS];
    int count; /* 0: nothing to store */
    double numbers[ORIGIN_FIELDS];
    double *shape;
} origin_table;

/* origin may be NULL. The table refers to the origin's means. */
int origin_describe(origin_table *table, const inco_origin *origin, inco_error *error);
void origin_table_free(origin_table *table);

/* Reads fields by name: returns 0 and allocates *values, or sets it to NULL if there is no such field. */
typedef struct origin_reader {
    int (*get)(void *self, const char *name, double **values, int64_t *count, inco_error *error);
    void *self;
    const char *path;
} origin_reader;

int origin_restore(inco_origin *origin, const origin_reader *reader, int64_t signals, inco_error *error);

#endif
