/* What inspect counts and sums over all pairs of atoms. */
#ifndef INCO_METRIC_TALLY_H
#define INCO_METRIC_TALLY_H

#include "metric/gram.h"

/* Fills in of `metrics` all that is a statistic of the pairs: coherence, histogram, Babel function, duplicates, worst
 * pairs (named by their columns in d). Pairs at or above `duplicate` count as duplicates. */
int tally_pairs(const gram_atoms *atoms, double duplicate, int threads, inco_metrics *metrics, inco_error *error);

#endif
