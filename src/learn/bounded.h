/* Methods that enforce a coherence bound: updates approach it, the result satisfies it (docs/theory/bound.md). */
#ifndef INCO_LEARN_BOUNDED_H
#define INCO_LEARN_BOUNDED_H

#include "learn/learner_state.h"

int bounded_is(const inco_options *o);

/* Fails if the bound, if given, is infeasible for the learner's dictionary. */
int bounded_check(const learner *l, inco_error *error);

/* (BOUND-8), (BOUND-6): the bound of an update after `passes` from a dictionary of coherence `start`, and the weight of
 * its violation. */
void bounded_update(update_settings *settings, const method_input *in, double start, double passes);

/* Approximately the nearest dictionary that satisfies the bound replaces the result; after a stop, or if the search is
 * stopped, the first one found (DECO-5). Without a bound: INCO_OK. */
int bounded_finish(learner *l, int stopped, inco_error *error);

void bounded_describe(const method_input *in, inco_learn_info *info);

#endif
