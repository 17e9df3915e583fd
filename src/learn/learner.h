/* The learner: signals, a dictionary, and the loop. Used by the public handle (learn.c) and by the regularisation path
 * of gamma (path.c). */
#ifndef INCO_LEARN_LEARNER_H
#define INCO_LEARN_LEARNER_H

#include "base/cluster.h"
#include "mat/subspace.h"

typedef struct learner learner;

/* `signals` are the preprocessed training signals, and must outlive the learner. NULL for a method that
 * designs. The options are copied and must have been checked; their watcher receives progress. */
int learner_new(learner **result, const inco_source *signals, const inco_options *options, inco_error *error);
void learner_free(learner *l);
/* Sets the subspace that the signals span, which must outlive the learner: atoms stay in it (docs/theory/span.md).
 * Without it they may be anywhere. */
void learner_set_span(learner *l, const subspace *span);

/* Sets the ranks that share the coding passes, which must outlive the learner. This learner is on rank 0; those of the
 * other ranks follow its orders (serve.h). */
void learner_set_cluster(learner *l, cluster *by);

/* Sets an initial dictionary, which is copied and normalised, instead of the option init. */
int learner_start_from(learner *l, const inco_mat *dictionary, inco_error *error);
/* Sets the dictionary itself: D x L, double, unit norm. Takes ownership of *dictionary and clears it. */
void learner_take_dictionary(learner *l, inco_mat *dictionary);
/* Changes the signals: all, or those that are kept if every `held_out`-th is held out (data/holdout.h). For iterations
 * there are always as many. */
void learner_set_signals(learner *l, const inco_source *signals, int64_t held_out);
/* Discards dictionary, state and results, except the seconds spent. */
void learner_restart(learner *l);

/* A run in three parts: the initial dictionary and all that an iteration needs; iterations until a stopping rule or the
 * caller stops them; the result with its error and coherence. `began` is the start of the run, by clock_seconds. The
 * second returns INCO_STOPPED if the caller stopped it; the third, if told so, does only what is necessary. */
int learner_begin(learner *l, double began, inco_error *error);
int learner_iterate(learner *l, inco_error *error);
int learner_finish(learner *l, int stopped, inco_error *error);

/* The dictionary between iterations, in double, without data if there is none yet; after a run the result, in the
 * precision wanted. */
inco_mat *learner_dictionary(learner *l);
inco_mat *learner_result(learner *l);
inco_learn_info *learner_info(learner *l);
/* Per atom, the number of signals that use it in the result; NULL before, and without data. */
const int64_t *learner_use_counts(const learner *l);

/* Computes codes of the signals in the result, and appends them to `codes` (may be NULL); the info receives their
 * error. */
int learner_encode(learner *l, inco_csc *codes, inco_error *error);

#endif
