/* Design of dictionaries whose atoms have a few parameters each (docs/theory/parametric.md). */
#ifndef INCO_DESIGN_PARAMETRIC_H
#define INCO_DESIGN_PARAMETRIC_H

#include "update/update.h"

enum { PARAMETRIC_MAX = 8 }; /* maximum number of unknowns per atom */

/* A family of atoms of `dim` samples at `rate` Hz. Its unknowns are unconstrained real numbers, which the family maps
 * to its ranges. */
typedef struct parametric_family {
    int64_t dim;
    double rate;
    int unknowns; /* per atom */
    /* Initial unknowns of atom j of `atoms`, spread over the range of the family. */
    void (*start)(const struct parametric_family *family, int64_t j, int64_t atoms, double *x);
    /* Computes the normalised atom, and its derivative by each unknown (dim values each; may be NULL). */
    void (*atom)(const struct parametric_family *family, const double *x, double *atom, double *derivative);
} parametric_family;

/* Sets d (D x L, double) and x (unknowns of all atoms) to the initial atoms of the family. */
void parametric_start(const parametric_family *family, inco_mat *d, double *x);

/* Relocates the atoms with the largest cost to better candidates of the family, if this reduces (PARAMETRIC-1)
 * sufficiently. Returns their number, at most an eighth of all, or a failure. */
int parametric_relocate(const parametric_family *family, inco_mat *d, double *x, double mu, int threads,
                        inco_error *error);

/* One alternation: relocates atoms, computes the target of (PARAMETRIC-2), then minimises over the unknowns by L-BFGS.
 * Decreases the sum over i != j of max(0, |d_i'd_j| - mu)^2, which `result` has before and after. Uses the settings
 * iterations and threads. */
int parametric_update(const parametric_family *family, inco_mat *d, double *x, double mu,
                      const update_settings *settings, update_result *result, inco_error *error);

#endif
