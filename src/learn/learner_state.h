/* Internals of the learner, for its own files (learner.c, loop.c, result.c, alternate.c, checkpoint.c, path.c) and for
 * methods with an iteration of their own. */
#ifndef INCO_LEARN_LEARNER_STATE_H
#define INCO_LEARN_LEARNER_STATE_H

#include "data/holdout.h"
#include "data/variance.h"
#include "learn/alternate.h"
#include "learn/learner.h"
#include "learn/method.h"
#include "replace/notes.h"
#include "replace/replace.h"

struct learner {
    inco_options *options;
    inco_source signals;      /* those that it learns from; none for a method that designs */
    double weight;            /* sum of their weights, once a run has begun */
    const inco_source *whole; /* all signals */
    int64_t held_out;         /* every so many signals one is held out, and is not among `signals`; 0: none */
    holdout split;            /* on the other ranks of a cluster: the same */
    cluster *cluster;         /* the ranks that share coding passes; NULL: one process */
    const subspace *span;     /* of the signals; NULL: R^D */
    int threads;
    const method *method;

    /* The state between iterations. */
    inco_mat d; /* D x L, double, unit norm */
    int given;  /* its initial value was given, not made */
    int64_t iteration;
    replacement_list replacing; /* chosen after an update, applied before the next coding */
    void *own;                  /* state of the method */
    int exchanges;              /* its default for the option exchange, set by its `start` */
    variance about;             /* the signals, once `measured` */
    int measured;

    /* The coding passes. */
    double gain; /* (GAIN-1): where the coder stops, chosen by rank 0; -1: where the options say */
    inco_coder *coder;
    double coder_gain; /* with which it was opened */
    double energy; /* ||X||^2, after the first pass; 0 before */
    pass_notes notes;
    alternation stores; /* for alternate_step */

    /* The run. */
    double began, told; /* by clock_seconds: its start, and the last report to the watcher */
    inco_progress progress;
    watcher_poll poll; /* for steps that report nothing themselves */

    /* Results. */
    inco_mat result;    /* the dictionary in the precision wanted */
    int64_t *use_count; /* per atom: number of signals that use it in the result */
    inco_learn_info info;
};

/* Dimension of the span of the signals; D if they are all zero. */
int64_t learner_rank(const learner *l);

/* The variance of the signals, which defaults depend on. */
int learner_variance(learner *l, variance *result, inco_error *error);

/* Creates what coding passes need, once there is a dictionary. */
int learner_make_passes(learner *l, inco_error *error);

/* The current input of the method. */
method_input learner_input(const learner *l);
/* Weight of the penalty, after the first coding pass; 0 for a method without penalty. */
double learner_gamma(const learner *l);

/* Whether atoms are exchanged after every update. */
int learner_exchanges(const learner *l);

/* sign 1 counts the replacements chosen by the last iteration, -1 uncounts them. */
void learner_count_replacements(learner *l, int64_t sign);

/* Calls the watcher; returns INCO_STOPPED if the caller wants to stop. */
int learner_tell(learner *l, const char *phase);

/* sqrt(residual / energy) of squared norms; 0 if the energy is 0. */
double learner_relative_error(double residual, double energy);

#endif
