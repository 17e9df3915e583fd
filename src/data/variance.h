/* How much of the signals is variation, and how much their common mean. */
#ifndef INCO_DATA_VARIANCE_H
#define INCO_DATA_VARIANCE_H

#include <inco/inco.h>

/* *share = sum w |x - m|^2 / sum w |x|^2 over at most 4096 signals, spread over the data, or over all signals if they
 * have weights w; m is their mean. 1 if all are zero. */
int variance_share(const inco_source *signals, double *share, inco_error *error);

#endif
