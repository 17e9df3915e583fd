/* The state of --method online, for streams of batches and for its tests too. */
#ifndef INCO_LEARN_METHOD_ONLINE_H
#define INCO_LEARN_METHOD_ONLINE_H

#include "data/collector.h"
#include "learn/learner.h"

/* A, B and the energy of all signals seen, with exponentially decreasing weights. */
typedef struct online_sums {
    inco_mat a, b;
    double energy;
    double weight; /* sum of the weights of the signals; 0: none seen yet */
} online_sums;

typedef struct online_state {
    online_sums sums; /* state between iterations, with the dictionary */
    collector *batch; /* A and B of the current batch */
    int stream;       /* the signals are the next ones of a stream, not all */
    int64_t seen;     /* signals added to the sums */
} online_state;

int online_sums_copy(online_sums *to, const online_sums *from, inco_error *error);

/* Penalty weight for sums that stand for `weight` signals instead of all (ONLINE-3). */
double online_gamma(const learner *l);

#endif
