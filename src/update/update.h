/* Settings and results of dictionary updates. All matrices are double. */
#ifndef INCO_UPDATE_UPDATE_H
#define INCO_UPDATE_UPDATE_H

#include "base/watcher.h"
#include "data/statistics.h"
#include "mat/subspace.h"

typedef struct update_settings {
    double gamma;   /* weight of ||D'D - I||^2 */
    int rescale;    /* 1: norms are free during the search, normalised after it; 0: unit norms throughout (spheres) */
    int iterations; /* maximum number of L-BFGS iterations, or of fixed-point steps */
    int threads;
    int plain;      /* IDL: L-BFGS starts from a multiple of the identity, not from the model of the curvature */
    double enough;  /* IDL, not plain: stop when the predicted decrease of an iteration is less than this share of the
                       decrease so far */
    int narrow;     /* IDL on spheres: products with A in float32, once one in double was made */
    double eta;     /* MOCOD: weight of sum_j (||d_j||^2 - 1)^2 during the search */
    double bound;   /* IDL on spheres: |d_i'd_j| above it cost ... */
    double push;    /* ... this much times what they exceed it by, squared; 0: nothing */
    inco_mat *axes; /* IDL on spheres: D x D or empty, where the search begins; receives the axes in which it ended
                       (CURV-16). NULL: every update chooses its own */
    const subspace *within;   /* IDL, MOCOD: where atoms stay that begin there; NULL: all of R^D */
    const watcher_poll *poll; /* IDL, MOCOD: may stop the update; NULL: nobody */
} update_settings;

typedef struct update_result {
    double before, after; /* objective at the unit-norm dictionary given and at the one returned */
    int iterations;
    int evaluations; /* products with A */
    int64_t gammas;  /* number of weights tried for a target */
    /* of methods that go on to spread the atoms: */
    int64_t passes, pairs;
    double seconds_spread;
} update_result;

/* f(D) = ||X - D C||^2 + gamma ||D'D - I||^2 */
int update_objective(const inco_mat *d, const statistics *s, double gamma, int threads, double *f, inco_error *error);

/* IDL(gamma): lowers f by a few iterations of L-BFGS. d (D x L, double, unit-norm columns) is replaced. */
int idl_update(inco_mat *d, const statistics *s, const update_settings *settings, update_result *result,
               inco_error *error);

/* MOD: d = B A^-1, normalised; atoms without use (A_jj = 0) stay. gamma, rescale and iterations are not used. */
int mod_update(inco_mat *d, const statistics *s, const update_settings *settings, update_result *result,
               inco_error *error);

/* MOCOD: lowers f + eta sum_j (||d_j||^2 - 1)^2 over free norms by a damped fixed point, then normalises. Atoms without
 * use feel the penalties alone. rescale is not used. */
int mocod_update(inco_mat *d, const statistics *s, const update_settings *settings, update_result *result,
                 inco_error *error);

#endif
