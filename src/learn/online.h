/* The pass of online learning: sums over the codes that forget, and a dictionary that moves with every batch. */
#ifndef INCO_LEARN_ONLINE_H
#define INCO_LEARN_ONLINE_H

#include <inco/inco.h>

/* A, B and the energy of all signals seen, each weighed by how long ago that was: with the dictionary the state between
 * two iterations. */
typedef struct online_sums {
    inco_mat a, b;
    double energy;
    double weight; /* the sum of the signals' weights; 0: none seen yet */
} online_sums;

void online_free(online_sums *sums);

/* One iteration: codes all signals batch by batch and updates the atoms after each. INCO_STOPPED when the caller
 * stopped it half-way; the sums are then as before. */
int online_pass(inco_learner *learner, inco_error *error);

/* To and from a checkpoint. */
int online_save(const inco_learner *learner, const inco_stream *stream);
int online_resume(online_sums *sums, const inco_mat *d, const inco_stream *stream, inco_error *error);

#endif
