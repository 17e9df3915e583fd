/* Dense matrices: allocation, conversion, checks. */
#ifndef INCO_MAT_MAT_H
#define INCO_MAT_MAT_H

#include <inco/inco.h>

#include "base/owner.h"

/* A view of contiguous columns in memory owned by somebody else. */
static inline inco_mat mat_view(inco_type type, int64_t rows, int64_t cols, void *data) {
    return (inco_mat){type, rows, cols, rows, data, NULL};
}

/* Fails, naming the matrix `what`, if it is NULL or its type, sizes or data are invalid. */
int mat_need(const inco_mat *m, const char *what, inco_error *error);

/* Like inco_mat_new, without zeroing. */
int mat_new_raw(inco_mat *m, inco_type type, int64_t rows, int64_t cols, inco_error *error);

/* Columns first .. first + count - 1. */
inco_mat mat_columns(const inco_mat *m, int64_t first, int64_t count);
/* `rows` x `cols` entries from (row, col) on. */
inco_mat mat_part(const inco_mat *m, int64_t row, int64_t col, int64_t rows, int64_t cols);

static inline void *mat_column(const inco_mat *m, int64_t j) {
    return (char *)m->data + (size_t)(j * m->ld) * m->type;
}
static inline double mat_get(const inco_mat *m, int64_t i, int64_t j) {
    const void *column = mat_column(m, j);
    return m->type == INCO_F32 ? (double)((const float *)column)[i] : ((const double *)column)[i];
}
static inline void mat_set(const inco_mat *m, int64_t i, int64_t j, double value) {
    void *column = mat_column(m, j);
    if (m->type == INCO_F32)
        ((float *)column)[i] = (float)value;
    else
        ((double *)column)[i] = value;
}

/* Frees several matrices: MAT_FREE_ALL(&a, &b). */
#define MAT_FREE_ALL(...) mat_free_all((inco_mat *const[]){__VA_ARGS__, NULL})
void mat_free_all(inco_mat *const *list);

/* A source over the columns of a matrix, which must outlive it. */
inco_source mat_source_of(const inco_mat *x);

/* Copies values into `to`, of the same shape and any type. */
void mat_copy(const inco_mat *to, const inco_mat *from);
/* Makes a compact copy (ld = rows) of the given type. */
int mat_convert(inco_mat *to, const inco_mat *from, inco_type type, inco_error *error);
/* to = from', of any type. */
void mat_copy_transposed(const inco_mat *to, const inco_mat *from);
/* Copies the lower triangle of a square matrix to the upper. */
void mat_mirror(const inco_mat *m);
/* Makes a compact transposed copy of the same type. */
int mat_transpose(inco_mat *to, const inco_mat *from, inco_error *error);

/* Returns 1 and the position of the first NaN or Inf in memory order, else 0. */
int mat_find_nonfinite(const inco_mat *m, int64_t *row, int64_t *col);
/* Refuses NaN and Inf in a dictionary, which messages call `name`. */
int mat_check_atoms(const inco_mat *d, const char *name, inco_error *error);

/* Identifies the values in float32, which every file format preserves: 1 to 2^52, which a double holds. */
int64_t mat_fingerprint(const inco_mat *m);

/* Returns whether every column is finite and of unit norm, up to 1e-9. */
int mat_is_normalized(const inco_mat *m);

/* Inner product, in double, of column j of two matrices of the same type. */
double mat_column_dot(const inco_mat *a, const inco_mat *b, int64_t j);
double mat_column_norm(const inco_mat *m, int64_t j);   /* in double, without overflow for any float */
double mat_column_energy(const inco_mat *m, int64_t j); /* squared norm, for entries whose squares do not overflow */
/* Normalises every column, in double; zero columns stay. norms may be NULL. Returns the number of zero columns. */
int64_t mat_normalize_columns(const inco_mat *m, double *norms);

#endif
