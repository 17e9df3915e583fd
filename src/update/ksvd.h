/* The K-SVD family: atoms are updated one after another, each with its codes, on the residual kept in place. The
 * equations are in docs/theory/ksvd.md. */
#ifndef INCO_UPDATE_KSVD_H
#define INCO_UPDATE_KSVD_H

#include "data/training.h"

typedef enum ksvd_form {
    KSVD_EXACT,      /* the leading left singular vector (KSVD-3) */
    KSVD_APPROXIMATE /* one power step towards it (KSVD-5) */
} ksvd_form;

typedef struct ksvd_rule {
    ksvd_form form;
    /* KSVD_APPROXIMATE: changes the step E c of atom j before it is scaled to unit norm; d holds the old atom. May be
     * NULL. */
    void (*push)(void *self, const inco_mat *d, int64_t j, double *step);
    void *self;
} ksvd_rule;

/* Updates atoms first .. last - 1 of d (D x L, double, unit-norm columns) that some signal uses, in their order, each
 * with its codes; the others stay. Without a push ||R||^2 does not rise with any atom. */
int ksvd_atoms(inco_mat *d, training *t, const ksvd_rule *rule, int64_t first, int64_t last, inco_error *error);

/* All atoms. */
int ksvd_sweep(inco_mat *d, training *t, const ksvd_rule *rule, inco_error *error);

#endif
