/* --target-rms and --target-error: finds, in every update, the gamma that reaches a target
 * (docs/theory/steering.md). */
#ifndef INCO_LEARN_STEER_H
#define INCO_LEARN_STEER_H

#include "update/update.h"

/* State between iterations. */
typedef struct steering {
    double gamma;     /* of the last update; 0 before the first, and if the target needs no penalty */
    double predicted; /* relative error that the last update expected, with its codes; 0 before the first */
    double ratio;     /* error of the following coding, relative to the expected one */
} steering;

typedef struct steer_task {
    double target_rms, target_error; /* one of them is NaN */
    const statistics *s;
    int threads;
    /* Updates d with a weight. */
    int (*update)(const void *self, inco_mat *d, double gamma, update_result *result, inco_error *error);
    const void *self;
} steer_task;

/* Fails, naming the lowest feasible value, if no dictionary of this size reaches the target. */
int steer_check(double target_rms, double target_error, int64_t dim, int64_t atoms, inco_error *error);

/* After a coding: compares its relative error with the one expected. */
void steer_begin(steering *steer, double relative_error);

/* Updates d with the gamma that reaches the target. */
int steer_update(steering *steer, const steer_task *task, inco_mat *d, update_result *result, inco_error *error);

#endif
