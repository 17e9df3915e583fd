/* The alternation that most methods are: code all signals, keep A and B of the codes, or the codes themselves when the
 * method needs them, update the dictionary from them. */
#ifndef INCO_LEARN_ALTERNATE_H
#define INCO_LEARN_ALTERNATE_H

#include "data/stats.h"
#include "data/training.h"
#include "learn/learner.h"

/* What a coding pass leaves for the update. */
typedef struct alternation {
    collector *sums;     /* A and B ... */
    training held;       /* ... or residuals and codes, as the method needs */
    csc *codes;          /* with code updates: those of the pass, by group */
    int64_t code_groups; /* as many */
} alternation;

/* One iteration of a method with an `update`. */
int alternate_step(learner *l, inco_error *error);

void alternate_free(alternation *stores);

#endif
