/* Design of dictionaries whose atoms are given by a few parameters each. The equations are in
 * docs/theory/parametric.md. */
#ifndef INCO_DESIGN_PARAMETRIC_H
#define INCO_DESIGN_PARAMETRIC_H

#include "update/update.h"

enum { PARAMETRIC_MOST = 8 }; /* unknowns per atom */

/* A family of atoms of `dim` samples at `rate` Hz. Its unknowns run over all real numbers: ranges are its own affair.
 */
typedef struct parametric_family {
    int64_t dim;
    double rate;
    int unknowns; /* per atom */
    /* Unknowns of atom j of `atoms`, spread over what the family can do. */
    void (*start)(const struct parametric_family *family, int64_t j, int64_t atoms, double *x);
    /* The atom, of unit norm, and its derivative by each unknown (dim values each; NULL: not wanted). */
    void (*atom)(const struct parametric_family *family, const double *x, double *atom, double *derivative);
} parametric_family;

/* d (D x L, double) and x (unknowns of all atoms in turn) at the family's start. */
void parametric_start(const parametric_family *family, inco_mat *d, double *x);

/* Moves the atoms that crowd most to free places of the family, each only where it lowers (PARAMETRIC-1) by much.
 * Returns how many, an eighth of all at most, or a failure. */
int parametric_relocate(const parametric_family *family, inco_mat *d, double *x, double mu, int threads,
                        inco_error *error);

/* One alternation: crowded atoms are moved, then the target of (PARAMETRIC-2) with off-diagonals of mu at most, then
 * L-BFGS in the unknowns towards it. Lowers sum over i != j of max(0, |d_i'd_j| - mu)^2: what `result` has before and
 * after. Of the settings iterations and threads are used. */
int parametric_update(const parametric_family *family, inco_mat *d, double *x, double mu,
                      const update_settings *settings, update_result *result, inco_error *error);

#endif
