/* The state of --method online, for streams of batches and for its tests too. */
#ifndef INCO_LEARN_METHOD_ONLINE_H
#define INCO_LEARN_METHOD_ONLINE_H

#include "learn/batches.h"

typedef struct online_state {
    batch_state batches;
    int stream;      /* the signals are the next ones of a stream, not all */
    double seen;     /* weight of the signals added to the sums, */
    int64_t signals; /* and their number */
} online_state;

/* Penalty weight for sums that stand for `weight` signals instead of all (ONLINE-3). */
double online_gamma(const learner *l);

#endif
