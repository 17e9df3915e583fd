/* Coherence of unit-norm atoms, over all pairs i < j, in blocks. The definitions are in docs/theory/coherence.md. */
#ifndef INCO_METRIC_COHERENCE_H
#define INCO_METRIC_COHERENCE_H

#include "metric/gram.h"

typedef struct coherence {
    double max, rms, mean; /* of |d_i'd_j| */
} coherence;

/* d: D x L, double, unit-norm columns. */
int coherence_measure(const inco_mat *d, int threads, coherence *result, inco_error *error);
/* Of atoms of any type and norm, as if scaled to unit norm. */
int coherence_measure_atoms(const gram_atoms *atoms, int threads, coherence *result, inco_error *error);

/* The least root mean square that they can have: that of a tight frame; 0 for L <= D. */
double coherence_least_rms(int64_t dim, int64_t atoms);
/* The least coherence that L unit vectors in D dimensions can have, as far as is known: 0 for L <= D, Welch's bound,
 * and Levenshtein's for L > D (D + 1) / 2. */
double coherence_bound(int64_t dim, int64_t atoms);

/* The largest k with k < (1 + 1 / mu) / 2, at most the number of atoms. */
int64_t coherence_sparsity(double mu, int64_t atoms);

#endif
