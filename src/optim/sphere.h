/* Minimisation over unit-norm atoms: the unknowns are vectors V, the dictionary D is V with its columns normalised. The
 * equations are in docs/theory/idl.md. */
#ifndef INCO_OPTIM_SPHERE_H
#define INCO_OPTIM_SPHERE_H

#include "optim/lbfgs.h"

/* d (D x L, double, compact) = v with its columns normalised; norm receives their norms. A zero column stays zero. */
void sphere_normalize(int threads, const double *v, const inco_mat *d, double *norm);

/* (IDL-7): converts the gradient by D to that by V, in place: g_j <- (g_j - d_j (d_j'g_j)) / ||v_j||. norm: NULL for
 * unit norms. radial (may be NULL) receives d_j'g_j. A zero column has no gradient. */
void sphere_project(int threads, const inco_mat *d, const double *norm, double *g, double *radial);

/* Normalises the columns of V at the point that a line search has reached, and rescales the gradient accordingly, by
 * ||v_j||, so that the norms do not drift. */
void sphere_rename(int threads, const inco_mat *d, const double *norm, lbfgs_point *at);

#endif
