/* The objective of IDL as a problem for L-BFGS, in both forms (docs/theory/idl.md). */
#ifndef INCO_UPDATE_IDL_H
#define INCO_UPDATE_IDL_H

#include "optim/lbfgs.h"
#include "pairs/hinge.h"
#include "update/curvature.h"
#include "update/fit.h"
#include "update/update.h"

typedef struct idl {
    lbfgs_problem problem;
    const statistics *s;
    double gamma;
    double bound, push; /* (BOUND-5): push * h, with tau = bound */
    int threads;
    const subspace *within; /* the span of the signals; NULL: all of R^D */
    hinge pairs;
    inco_mat x;            /* the unknown, D x L: the dictionary, or vectors that give it when normalised */
    inco_mat d;            /* the dictionary last evaluated: x itself, or its normalised columns */
    fit_work fit;          /* |X - D C|^2 */
    inco_mat e;            /* (IDL-2): D D' - I or D'D - I, whichever is smaller */
    inco_mat pa, e1, e2;   /* along a line: P A, and e(t) = e + t e1 + t^2 e2 */
    double *norm;          /* spheres: of the columns of x */
    const double *radius;  /* spheres: the norms that the columns of x keep; NULL: 1 */
    double *radial;        /* spheres: d_j' (gradient by d_j) */
    double *smooth;        /* the same without the pairs above the bound */
    inco_mat pull, held;   /* with a model: the gradient of the violation of the bound, at d and at the line's origin */
    int trimmed;           /* (LBFGS-10): the newest pair, the only one, is without that violation */
    curvature_model model; /* unless the update is plain */
    int stale;             /* d, the fit and e are not those of the line's origin */
} idl;

/* Starts from a normalised copy of d. The statistics must outlive it. idl_close is required after a failure too. */
int idl_open(idl *w, const inco_mat *d, const statistics *s, const update_settings *settings, inco_error *error);
void idl_close(idl *w);

/* f(D + t P) - f(D) = q[1] t + q[2] t^2 + q[3] t^3 + q[4] t^4, D the dictionary last evaluated; q[0] = 0. */
void idl_line(idl *w, const double *p, double q[5]);

/* Checks that the sizes match. */
int update_check(const inco_mat *d, const statistics *s, inco_error *error);

#endif
