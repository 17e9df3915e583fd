/* Least squares on given supports. */
#ifndef INCO_CODE_REFIT_H
#define INCO_CODE_REFIT_H

#include "sparse/csc.h"

/* Recomputes the coefficients of every code by least squares on its support in d (D x L, double), with Gram matrix
 * `gram`. If the support is numerically dependent, the code stays unchanged. residual receives ||x - D c||^2 per
 * signal. Entries of x that are NaN are missing: the others count. */
int refit_codes(const inco_mat *d, const inco_mat *gram, const inco_mat *x, const csc *codes, double *residual,
                int threads, inco_error *error);

#endif
