/* Learning without data: a parametric dictionary, alternation by alternation. */
#ifndef INCO_LEARN_DESIGN_H
#define INCO_LEARN_DESIGN_H

#include <inco/inco.h>

/* What stands in for data: no signals, of the dimension and precision that the options ask for. */
inco_source design_source(const inco_options *options);

/* The dictionary and its unknowns at the family's start; info gets its coherence. */
int design_start(inco_learner *learner, inco_error *error);

/* One iteration. */
int design_step(inco_learner *learner, inco_error *error);

#endif
