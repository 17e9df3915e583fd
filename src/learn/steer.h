/* --target-rms and --target-error: the weight gamma that leads to a target, found again in every update. The equations
 * are in docs/theory/steering.md. */
#ifndef INCO_LEARN_STEER_H
#define INCO_LEARN_STEER_H

#include "learn/method.h"

/* Part of the state between iterations. */
typedef struct steering {
    double gamma;     /* found last; 0 before the first update, and where the target needs no penalty */
    double predicted; /* relative error that the last update expected, at its codes; 0 before the first */
    double ratio;     /* the error that coding anew gave, to the one expected */
    int64_t updates;  /* tried in this iteration */
} steering;

int steer_wanted(const inco_options *options);

/* Fails, naming the number, when no dictionary of this size has the coherence asked for. */
int steer_check(const inco_learner *learner, inco_error *error);

/* After a coding: compares its error with the one expected. */
void steer_begin(inco_learner *learner);

/* The learner's update, with the gamma that meets the target. */
int steer_update(inco_learner *learner, method_input *in, update_result *result, inco_error *error);

#endif
