/* --target-rms: finds, in every update, the smallest gamma that reaches an rms coherence (docs/theory/steering.md). */
#ifndef INCO_LEARN_STEER_H
#define INCO_LEARN_STEER_H

#include "update/update.h"

typedef struct steer_task {
    double target;
    const statistics *s;
    int64_t rank; /* dimension of the span of the signals */
    int threads;
    /* Updates d with a weight. */
    int (*update)(const void *self, inco_mat *d, double gamma, update_result *result, inco_error *error);
    const void *self;
} steer_task;

/* Fails, naming the lowest feasible value, if no dictionary of this size reaches the targets; NaN: none. */
int steer_check(double target_rms, double target_error, int64_t dim, int64_t atoms, inco_error *error);

/* Updates d with the gamma that reaches the target. *gamma is that of the last update, 0 before the first, and is
 * replaced. */
int steer_update(double *gamma, const steer_task *task, inco_mat *d, update_result *result, inco_error *error);

#endif
