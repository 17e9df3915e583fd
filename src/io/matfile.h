/* MATLAB's and Octave's .mat through matio. Signals and atoms are columns of the matrix: the same bytes as ours. */
#ifndef INCO_IO_MATFILE_H
#define INCO_IO_MATFILE_H

#include "io/io.h"

int matfile_load(const char *path, const io_how *how, io_array *out, inco_error *error);
int matfile_save(output *out, const io_array *array, const io_how *how, inco_error *error);
/* Codes as a sparse matrix, atoms x signals. MATLAB's are double: floats are converted. */
int matfile_load_list(const char *path, const char *name, double **values, int64_t *count, inco_error *error);
int matfile_load_codes(const char *path, int64_t limit, csc *codes, inco_origin *origin, inco_error *error);
int matfile_save_codes(output *out, const csc *codes, const inco_origin *origin, inco_error *error);

#endif
