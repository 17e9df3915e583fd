/* Splits signals into training signals and held-out signals, by their content: equal signals are on the same side, and
 * the order of the signals does not matter (docs/theory/weights.md). */
#ifndef INCO_DATA_HOLDOUT_H
#define INCO_DATA_HOLDOUT_H

#include "data/subset.h"

typedef struct holdout {
    subset kept, held;
    int64_t step;
} holdout;

/* Holds out one of `step` signals, about. Reads the signals once. `h` must not move as long as its sources are in use;
 * holdout_free is required after a failure too. */
int holdout_make(holdout *h, const inco_source *from, int64_t step, int threads, inco_error *error);
void holdout_free(holdout *h);

#endif
