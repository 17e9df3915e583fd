/* The learner's insides, for its own files (learner.c, loop.c, result.c, alternate.c, checkpoint.c) and for methods
 * whose iteration is of its own kind. */
#ifndef INCO_LEARN_LEARNER_STATE_H
#define INCO_LEARN_LEARNER_STATE_H

#include "learn/alternate.h"
#include "learn/learner.h"
#include "learn/method.h"
#include "replace/notes.h"
#include "replace/replace.h"

struct learner {
    inco_options *options;
    inco_source signals; /* none for a method that designs */
    int threads;
    const method *method;

    /* The state between iterations. */
    inco_mat d; /* D x L, double, unit norm */
    int64_t iteration;
    replacement_list replacing; /* chosen after an update, put in place before the next coding */
    void *own;                  /* the method's */

    /* The coding passes. */
    inco_coder *coder;
    double energy; /* ||X||^2, once a pass has been made; 0 before */
    pass_notes notes;
    alternation stores; /* for alternate_step */

    /* The run. */
    double began; /* by clock_seconds */
    inco_progress progress;

    /* What it returns. */
    inco_mat result;    /* the dictionary in the precision asked for */
    int64_t *use_count; /* by atom: signals that use it in the result */
    inco_learn_info info;
};

/* What the method may know, as of now. */
method_input learner_input(const learner *l);
/* The weight of the penalty, once a coding pass has been made; 0 for a method without. */
double learner_gamma(const learner *l);

/* Tells the options' watcher; INCO_STOPPED when the caller wants to stop. */
int learner_tell(learner *l, const char *phase);

/* sqrt(residual / energy) of squared norms; 0 without energy. */
double learner_relative_error(double residual, double energy);

#endif
