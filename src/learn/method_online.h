/* The state of --method online, for its tests too. */
#ifndef INCO_LEARN_METHOD_ONLINE_H
#define INCO_LEARN_METHOD_ONLINE_H

#include "data/collector.h"

/* A, B and the energy of all signals seen, with exponentially decreasing weights. */
typedef struct online_sums {
    inco_mat a, b;
    double energy;
    double weight; /* sum of the weights of the signals; 0: none seen yet */
} online_sums;

typedef struct online_state {
    online_sums sums; /* state between iterations, with the dictionary */
    collector *batch; /* A and B of the current batch */
} online_state;

#endif
