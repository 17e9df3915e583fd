/* How much of the signals is variation, and how much their common mean; how evenly their energy is spread. */
#ifndef INCO_DATA_VARIANCE_H
#define INCO_DATA_VARIANCE_H

#include <inco/inco.h>

/* To six digits, which do not depend on the order of sums: of M = sum w x x' over at most 4096 signals, spread over the
 * data, or over all signals if they have weights w. */
typedef struct variance {
    double share;    /* sum w |x - m|^2 / tr M, m the mean of the signals; 1 if all are zero */
    double evenness; /* (tr M)^2 / tr M^2: r if r eigenvalues of M are equal and the others 0, at least 1; 0 if it was
                        not measured, with more than 1024 dimensions */
} variance;

int variance_measure(const inco_source *signals, int threads, variance *result, inco_error *error);

#endif
