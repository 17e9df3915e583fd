/* The learner: signals, a dictionary, and the loop over both. The public handle (learn.c) and the regularisation path
 * of gamma (path.c) stand above it, and use it through these functions. */
#ifndef INCO_LEARN_LEARNER_H
#define INCO_LEARN_LEARNER_H

#include <inco/inco.h>

typedef struct learner learner;

/* `signals` are those to learn from as they are; what `signals->self` stands for must outlive the learner. NULL for a
 * method that designs. The options are copied, and have been checked; their watcher is told of progress. */
int learner_new(learner **result, const inco_source *signals, const inco_options *options, inco_error *error);
void learner_free(learner *l);

/* An initial dictionary, which is copied and normalised, instead of the option init. */
int learner_start_from(learner *l, const inco_mat *dictionary, inco_error *error);
/* The dictionary itself: D x L, double, unit norm. *dictionary is taken over, and cleared. */
void learner_take_dictionary(learner *l, inco_mat *dictionary);
/* gamma = relative ||X||^2 / L from now on, whatever the options say. */
void learner_set_weight(learner *l, double relative);

/* A run in three parts: the initial dictionary and all that an iteration needs; iterations until a rule or the caller
 * stops them; the result, its error and its coherence. `began` is when the run began, by clock_seconds. The second
 * returns INCO_STOPPED when the caller stopped it; the third, told so, does the least that is needed. */
int learner_begin(learner *l, double began, inco_error *error);
int learner_iterate(learner *l, inco_error *error);
int learner_finish(learner *l, int stopped, inco_error *error);
/* All three. */
int learner_run(learner *l, double began, inco_error *error);

/* The dictionary between iterations, in double, without data when there is none yet; after a run the result, in the
 * precision asked for. */
inco_mat *learner_dictionary(learner *l);
inco_mat *learner_result(learner *l);
inco_learn_info *learner_info(learner *l);
double learner_energy(const learner *l); /* ||X||^2, once a coding pass has been made */
/* By atom, the signals that use it in the result; NULL before, and without data. */
const int64_t *learner_use_counts(const learner *l);

/* Codes of the signals in the result, appended to `codes` unless it is NULL; the results tell their error. */
int learner_encode(learner *l, inco_csc *codes, inco_error *error);

#endif
