/* Matrices and codes in NumPy's .npz. */
#ifndef INCO_IO_NPZ_H
#define INCO_IO_NPZ_H

#include "io/file.h"
#include "io/io.h"

int npz_load(const char *path, const io_how *how, io_array *out, inco_error *error);
/* The same of bytes in memory, which it takes over; `name` is for messages. */
int npz_matrix(file_bytes *file, const char *name, const io_how *how, inco_mat *m, inco_error *error);
int npz_save(output *out, const io_array *array, const io_how *how, inco_error *error);
/* The file beside a dictionary: its mean, and a number that identifies the dictionary. */
int npz_save_mean(output *out, const inco_mat *mean, int64_t fingerprint, inco_error *error);
int npz_load_list(const char *path, const char *name, double **values, int64_t *count, inco_error *error);
/* Codes as scipy.sparse.save_npz writes them: CSR, and CSC and COO when reading. */
int npz_load_codes(const char *path, int64_t limit, csc *codes, inco_origin *origin, inco_error *error);
/* The same of bytes in memory. */
int npz_codes(file_bytes *file, const char *name, int64_t limit, csc *codes, inco_origin *origin, inco_error *error);
int npz_save_codes(output *out, const csc *codes, const inco_origin *origin, inco_error *error);

#endif
