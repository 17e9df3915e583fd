/* Minimisation over unit-norm atoms: the unknowns are vectors V, the dictionary D is V with its columns normalised. The
 * equations are in docs/theory/idl.md. */
#ifndef INCO_OPTIM_SPHERE_H
#define INCO_OPTIM_SPHERE_H

#include "optim/lbfgs.h"

/* d (D x L, double, compact) = v with its columns normalised; norm gets their lengths. A column of zeros stays one. */
void sphere_normalize(int threads, const double *v, const inco_mat *d, double *norm);

/* (IDL-7): from the gradient by D that by V, in place: g_j <- (g_j - d_j (d_j'g_j)) / ||v_j||. radial (may be NULL)
 * gets d_j'g_j. A column of zeros has none. */
void sphere_project(int threads, const inco_mat *d, const double *norm, double *g, double *radial);

/* Names a point that a line search has reached by its unit vectors d, where the gradient is ||v_j|| times as long, so
 * that the norms never drift. */
void sphere_rename(int threads, const inco_mat *d, const double *norm, lbfgs_point *at);

#endif
