/* Weights of signals (docs/theory/weights.md). */
#ifndef INCO_DATA_WEIGHTS_H
#define INCO_DATA_WEIGHTS_H

#include "data/subset.h"

/* Makes `present` the signals of positive weight, and refuses weights that are negative, NaN, infinite or all zero. If no
 * weight is zero, present->source is `from` itself. subset_free is required after a failure too. */
int weights_keep(subset *present, const inco_source *from, inco_error *error);

/* The sum of the weights. */
int weights_total(const inco_source *signals, double *total, inco_error *error);

/* Adds the weights to a fingerprint of the signals; without weights it stays. */
int weights_print(const inco_source *signals, uint64_t *print, inco_error *error);

#endif
