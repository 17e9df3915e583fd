/* The state of --method online, for its tests too. */
#ifndef INCO_LEARN_METHOD_ONLINE_H
#define INCO_LEARN_METHOD_ONLINE_H

#include "data/stats.h"

/* A, B and the energy of all signals seen, each weighed by how long ago that was. */
typedef struct online_sums {
    inco_mat a, b;
    double energy;
    double weight; /* the sum of the signals' weights; 0: none seen yet */
} online_sums;

typedef struct online_state {
    online_sums sums; /* with the dictionary the state between iterations */
    collector *batch; /* A and B of the batch at hand */
} online_state;

#endif
