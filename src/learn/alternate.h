/* The alternation of most methods: code all signals, keep A and B, or the codes themselves if the method needs them,
 * and update the dictionary. */
#ifndef INCO_LEARN_ALTERNATE_H
#define INCO_LEARN_ALTERNATE_H

#include "data/collector.h"
#include "data/training.h"
#include "learn/learner.h"

/* Results of a coding pass, for the update. */
typedef struct alternation {
    collector *sums;     /* A and B ... */
    training held;       /* ... or residuals and codes, depending on the method */
    kept *codes;         /* with code updates: those of the pass */
} alternation;

/* Bytes of codes, for code updates, that stay in memory; the others are spooled. */
int64_t alternate_codes_limit(const inco_options *options);

/* One iteration of a method with an `update`. */
int alternate_step(learner *l, inco_error *error);

void alternate_free(alternation *stores);

#endif
