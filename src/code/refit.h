/* Least squares on supports that are known already. */
#ifndef INCO_CODE_REFIT_H
#define INCO_CODE_REFIT_H

#include "sparse/csc.h"

/* The coefficients of every code become those of least squares on its atoms in d (D x L, double), of which gram has the
 * products D'D. Where they are dependent to rounding, the code stays as it was. residual gets ||x - D c||^2 of each
 * signal. */
int refit_codes(const inco_mat *d, const inco_mat *gram, const inco_mat *x, const csc *codes, double *residual,
                int threads, inco_error *error);

#endif
