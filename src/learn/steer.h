/* --target-rms and --target-error: the weight gamma that leads to a target, found again in every update. The equations
 * are in docs/theory/steering.md. */
#ifndef INCO_LEARN_STEER_H
#define INCO_LEARN_STEER_H

#include "update/update.h"

/* State between iterations. */
typedef struct steering {
    double gamma;     /* found last; 0 before the first update, and where the target needs no penalty */
    double predicted; /* relative error that the last update expected, at its codes; 0 before the first */
    double ratio;     /* the error that the next coding gave, to the one expected */
} steering;

typedef struct steer_task {
    double target_rms, target_error; /* one of them is NaN */
    const statistics *s;
    int threads;
    /* An update of d with a weight. */
    int (*update)(const void *self, inco_mat *d, double gamma, update_result *result, inco_error *error);
    const void *self;
} steer_task;

/* Fails, naming the number, when no dictionary of this size meets the target. */
int steer_check(double target_rms, double target_error, int64_t dim, int64_t atoms, inco_error *error);

/* After a coding: compares its relative error with the one expected. */
void steer_begin(steering *steer, double relative_error);

/* The update of d, with the gamma that meets the target. */
int steer_update(steering *steer, const steer_task *task, inco_mat *d, update_result *result, inco_error *error);

#endif
