/* The options of learning that all methods share. */
#ifndef INCO_LEARN_LEARN_OPTIONS_H
#define INCO_LEARN_LEARN_OPTIONS_H

#include "base/options.h"

enum { SCHEDULE_AUTO, SCHEDULE_GROWING, SCHEDULE_BATCH };

typedef struct learn_options {
    int64_t method, iterations, update_iterations, code_updates, schedule;
    double stop_change;
    char *init;
} learn_options;
OPTIONS_DECLARE(learn)

/* Checks that the options of learning are compatible. */
int learn_check(const inco_options *options, inco_error *error);

#endif
