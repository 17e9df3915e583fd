/* Arrays of Octave or MATLAB as matrices, codes and signals of the library, and its results as arrays. Failures are
 * described in an inco_error and returned as a status: nothing here raises an error of the host, except when it is out
 * of memory. */
#ifndef INCO_OCTAVE_CONVERT_H
#define INCO_OCTAVE_CONVERT_H

#include <stdarg.h>
#include <stddef.h>

#include <inco/inco.h>

#include "mex.h"

/* Fails with a message. */
int convert_fail(inco_error *error, int status, const char *format, ...);

/* Makes *m a view of a full real matrix, double or single; `name` is that of the argument. */
int convert_matrix(inco_mat *m, const mxArray *array, const char *name, inco_error *error);
/* Makes *codes a view of a sparse matrix. */
int convert_codes(inco_csc *codes, const mxArray *array, const char *name, inco_error *error);

/* Signals: a matrix, or names of files as text or as a cell array of texts. */
typedef struct signals {
    inco_mat x;
    inco_data *data;
    inco_source source;
} signals;
int signals_open(signals *s, const mxArray *array, const inco_options *options, inco_error *error);
void signals_close(signals *s);

/* Copies of results. */
mxArray *convert_to_array(const inco_mat *m);
mxArray *convert_to_sparse(const inco_csc *codes);
mxArray *convert_doubles(const double *values, int64_t rows, int64_t cols);
mxArray *convert_integers(const int64_t *values, int64_t count, int64_t offset); /* a row; adds `offset` to each */

/* Fields of a struct of the library that become fields of a struct of the host. */
typedef enum field_kind { FIELD_REAL, FIELD_INTEGER, FIELD_ENUM, FIELD_TEXT } field_kind;
typedef struct field {
    const char *name;
    size_t offset;
    field_kind kind;
} field;
#define FIELD(type, member)                                                                                            \
    {                                                                                                                  \
#member, offsetof(type, member),                                                                                  \
     _Generic(((const type *)0)->member, double: FIELD_REAL, int64_t: FIELD_INTEGER, const char *: FIELD_TEXT,         \
              default: FIELD_ENUM)    \
    }

/* Returns a field as a number; NaN for text. */
double field_number(const field *f, const void *base);
/* Returns a 1 x 1 struct with `count` fields of the struct at `base`. */
mxArray *convert_to_struct(const field *fields, int count, const void *base);
/* Adds a field; the struct owns its value then. */
void struct_add(mxArray *to, const char *name, mxArray *value);

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

#endif
