/* The K-SVD family: atoms are updated one after another, each with its codes, on the residual kept in place. The
 * equations are in docs/theory/ksvd.md. */
#ifndef INCO_DICT_KSVD_H
#define INCO_DICT_KSVD_H

#include "dict/training.h"

typedef enum ksvd_form {
    KSVD_EXACT,      /* the leading left singular vector (KSVD-3) */
    KSVD_APPROXIMATE /* one power step towards it (KSVD-5) */
} ksvd_form;

/* One sweep over the atoms of d (D x L, double, unit-norm columns) that some signal uses; the others stay. ||R||^2 does
 * not rise with any atom. */
int ksvd_sweep(inco_mat *d, training *t, ksvd_form form, inco_error *error);

/* The same for atoms first .. last - 1 alone. */
int ksvd_atoms(inco_mat *d, training *t, ksvd_form form, int64_t first, int64_t last, inco_error *error);

#endif
