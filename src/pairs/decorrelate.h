/* Pairwise decorrelation: rotates the most coherent pairs of atoms until no inner product exceeds a bound
 * (docs/theory/inksvd.md). */
#ifndef INCO_PAIRS_DECORRELATE_H
#define INCO_PAIRS_DECORRELATE_H

#include "base/watcher.h"
#include "mat/subspace.h"

typedef struct decorrelation {
    double bound, tolerance; /* stops when max |d_i'd_j| <= bound + tolerance */
    int64_t passes;          /* maximum */
    uint64_t seed, round;    /* seed of the directions for equal atoms; round: the iteration */
    int threads;
    const subspace *within;   /* where these directions are; NULL: all of R^D */
    const watcher_poll *poll; /* asked before every pass; may be NULL */
} decorrelation;

typedef struct decorrelation_result {
    int64_t passes, pairs; /* passes with rotations; pairs rotated in all passes */
    double coherence;      /* reached */
} decorrelation_result;

/* d: D x L, double, unit-norm columns, changed in place. */
int decorrelate(inco_mat *d, const decorrelation *settings, decorrelation_result *result, inco_error *error);

/* Random unit vector, a function of seed, round and index. */
void decorrelate_direction(double *v, int64_t dim, uint64_t seed, uint64_t round, uint64_t index);

#endif
