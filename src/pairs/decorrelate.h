/* Pairwise decorrelation: rotates the most coherent pairs of atoms apart until no inner product exceeds a bound. The
 * equations are in docs/theory/inksvd.md. */
#ifndef INCO_PAIRS_DECORRELATE_H
#define INCO_PAIRS_DECORRELATE_H

#include <inco/inco.h>

typedef struct decorrelation {
    double bound, tolerance; /* done when max |d_i'd_j| <= bound + tolerance */
    int64_t passes;          /* at most */
    uint64_t seed, round;    /* of the directions for atoms that are alike; round: the iteration */
    int threads;
} decorrelation;

typedef struct decorrelation_result {
    int64_t passes, pairs; /* passes that rotated something; pairs rotated in all of them */
    double coherence;      /* reached */
} decorrelation_result;

/* d: D x L, double, unit-norm columns, changed in place. */
int decorrelate(inco_mat *d, const decorrelation *settings, decorrelation_result *result, inco_error *error);

/* A unit vector of random direction, a function of seed, round and index. */
void decorrelate_direction(double *v, int64_t dim, uint64_t seed, uint64_t round, uint64_t index);

#endif
