/* The K-SVD family: updates one atom after another, each with its coefficients, on a residual updated in place
 * (docs/theory/ksvd.md). */
#ifndef INCO_UPDATE_KSVD_H
#define INCO_UPDATE_KSVD_H

#include "base/watcher.h"
#include "data/training.h"

typedef enum ksvd_form {
    KSVD_EXACT,      /* the leading left singular vector (KSVD-3) */
    KSVD_APPROXIMATE /* one power iteration (KSVD-5) */
} ksvd_form;

typedef struct ksvd_rule {
    ksvd_form form;
    /* KSVD_APPROXIMATE: changes the step E c of atom j before normalisation; d holds the old atom. May be NULL. */
    void (*push)(void *self, const inco_mat *d, int64_t j, double *step);
    void *self;
    const watcher_poll *poll; /* asked before every atom; may be NULL */
} ksvd_rule;

/* Updates atoms first .. last - 1 of d (D x L, double, unit-norm columns) that some signal uses, in their order, each
 * with its coefficients; the others stay unchanged. Without a push no atom increases ||R||^2. */
int ksvd_atoms(inco_mat *d, training *t, const ksvd_rule *rule, int64_t first, int64_t last, inco_error *error);

/* All atoms. */
int ksvd_sweep(inco_mat *d, training *t, const ksvd_rule *rule, inco_error *error);

#endif
