/* Coherence of unit-norm atoms over all pairs i < j, in blocks. Definitions: docs/theory/coherence.md. */
#ifndef INCO_METRIC_COHERENCE_H
#define INCO_METRIC_COHERENCE_H

#include "metric/gram.h"

typedef struct coherence {
    double max, rms, mean; /* of |d_i'd_j| */
} coherence;

/* d: D x L, double, unit-norm columns. */
int coherence_measure(const inco_mat *d, int threads, coherence *result, inco_error *error);
/* For atoms of any type and norm, normalised first. */
int coherence_measure_atoms(const gram_atoms *atoms, int threads, coherence *result, inco_error *error);

/* Minimum rms: that of a tight frame; 0 for L <= D. */
double coherence_least_rms(int64_t dim, int64_t atoms);
/* Lower bound on the coherence of L unit vectors in D dimensions: 0 for L <= D, Welch, or Levenshtein for L > D (D + 1)
 * / 2. */
double coherence_bound(int64_t dim, int64_t atoms);

/* Largest k with k < (1 + 1 / mu) / 2, at most the number of atoms. */
int64_t coherence_sparsity(double mu, int64_t atoms);
/* The largest k for which the Babel function proves recovery, babel(k - 1) + babel(k) < 1, with rounding errors on the
 * safe side. */
int64_t coherence_babel_sparsity(const double *babel, int64_t count, int64_t dim);

#endif
