/* Smooth approximation of the largest inner product: F_p(D) = (1/p) log of the sum over i < j of |d_i'd_j|^p
 * (docs/theory/frame.md). */
#ifndef INCO_PAIRS_PEAK_H
#define INCO_PAIRS_PEAK_H

#include "pairs/pairs.h"

typedef struct peak {
    int levels; /* p = 2^levels; set by the caller, 1 to PEAK_LEVELS */
    double max; /* largest |d_i'd_j| in the last evaluation; the scale of the next one */
    pairs_work all;
    struct peak_slot *slot; /* per block of products */
} peak;

enum { PEAK_LEVELS = 24 };

/* peak_close is required after a failure too. */
int peak_open(peak *w, int64_t rows, int64_t cols, int threads, inco_error *error);
void peak_close(peak *w);

/* Returns F_p(D); gradient (D x L, double, compact) = dF/dD. -infinity for orthogonal atoms, which have no gradient.
 * The same bits for any number of threads. */
double peak_eval(peak *w, const inco_mat *d, const inco_mat *gradient);

/* Returns the largest |d_i'd_j|. */
double peak_largest(peak *w, const inco_mat *d);

#endif
