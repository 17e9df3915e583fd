/* Iterative projections and rotations: clips the Gram matrix, factors it, and rotates the result to fit the data
 * (docs/theory/ipr.md). */
#ifndef INCO_UPDATE_IPR_H
#define INCO_UPDATE_IPR_H

#include "base/watcher.h"
#include "data/training.h"

typedef struct ipr_settings {
    double bound, tolerance; /* stops when max |d_i'd_j| <= bound + tolerance */
    int64_t iterations;      /* maximum */
    uint64_t seed, round;    /* of the directions for atoms that become zero */
    int threads;
    int64_t rank;             /* of the subspace that the signals span; 0: D */
    const watcher_poll *poll; /* asked before every projection; may be NULL */
} ipr_settings;

typedef struct ipr_result {
    int64_t iterations; /* projections made */
    double coherence;   /* reached */
} ipr_result;

/* d: D x L, double, unit-norm columns, the dictionary of t's residual; replaced. */
int ipr_project(inco_mat *d, training *t, const ipr_settings *settings, ipr_result *result, inco_error *error);

#endif
