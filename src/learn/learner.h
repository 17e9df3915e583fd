/* The learner's insides, for learn.c and checkpoint.c. */
#ifndef INCO_LEARN_LEARNER_H
#define INCO_LEARN_LEARNER_H

#include <inco/inco.h>

#include "dict/training.h"
#include "dict/update.h"
#include "learn/method.h"
#include "learn/online.h"
#include "learn/pass.h"
#include "learn/path.h"
#include "learn/prepare.h"
#include "learn/replace.h"
#include "learn/stats.h"
#include "learn/steer.h"

struct inco_learner {
    inco_options *options;
    prepared data;
    int threads;
    inco_mat d; /* D x L, double, unit norm: with `iteration` and `replacing` the state between iterations */
    replacement_list replacing;
    inco_mat result;        /* the same in the result's precision */
    int64_t iteration;      /* completed */
    double energy;          /* ||X||^2, once a pass has been made; 0 before */
    double start_coherence; /* with a bound part of the state */
    steering steer;         /* with a target for gamma part of the state */
    gamma_path path;        /* with --gamma auto, and info.path, part of the state */
    double *unknowns;       /* with --method parametric what its atoms are made of */
    online_sums online;     /* with --method online part of the state */
    inco_coder *coder;
    const method *method;
    collector *sums; /* A and B of a pass ... */
    training held;   /* ... or codes and residuals, as the method needs */
    inco_csc *codes; /* with --code-updates those of the pass, by group */
    double *use;     /* by atom: A_jj of the last pass */
    int64_t *usage;  /* by atom: signals that use it in the final coding */
    int64_t *uses;   /* by atom: the signals that used it */
    worst_list worst;
    inco_progress_fn callback;
    void *callback_self;
    inco_progress progress;
    inco_learn_info info;
    double start; /* when run was called */
};

/* Notes which atoms a group has used, and which of its signals are coded worst. Cleared before a pass. */
void learner_clear_notes(inco_learner *learner);
void learner_note(inco_learner *learner, const pass_group *group);

/* The weight of the penalty, once a pass has been made; 0 for a method without. */
double learner_gamma(const inco_learner *learner);

/* Calls back; positive when the caller wants to stop. */
int learner_tell(inco_learner *learner, const char *phase);

#endif
