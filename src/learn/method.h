/* Interface of a method to the learner: a table of functions. methods.c lists the methods, each in its own file;
 * nothing else depends on which method runs. */
#ifndef INCO_LEARN_METHOD_H
#define INCO_LEARN_METHOD_H

#include "base/options.h"
#include "data/training.h"
#include "learn/learner.h"
#include "update/update.h"

/* Current state of learning. */
typedef struct method_input {
    const inco_options *options;
    inco_type type; /* of the signals */
    int64_t atoms;
    int64_t rank;         /* dimension of the span of the signals */
    const subspace *span; /* NULL: R^D */
    int64_t iteration;    /* completed */
    double energy;        /* ||X||^2; 0 before the first coding pass */
    int threads;
    void *own;                /* the method's state */
    const watcher_poll *poll; /* asked within long updates: may stop them */
    /* For an update: */
    int64_t round;         /* index of the update within this iteration: later ones have refitted coefficients */
    double relative_error; /* of this iteration's codes */
    const statistics *s;   /* A, B and ||X||^2; with needs_codes only ||X||^2 */
    training *held;        /* with needs_codes: residuals and codes of all signals */
} method_input;

/* Functions may be NULL if there is nothing to do. */
typedef struct method {
    const char *name;
    int designs;     /* no data: `start` makes the initial dictionary, and there are no codes */
    int needs_codes; /* `update` needs the residuals and codes of all signals, instead of A and B */
    size_t own_size; /* size of the method's state between iterations, initially zero */

    /* Of the options that belong to some methods only, it accepts those of its own part and these, a|b|c. */
    const options_part *part;
    const char *takes;
    /* For a method with a target: max-coherence must be given, and is met within this. NULL: no target. */
    double (*tolerance)(const inco_options *options);
    int takes_auto;                                               /* --gamma auto may choose gamma */
    int (*check)(const inco_options *options, inco_error *error); /* checks that the options are compatible */

    /* Before the first iteration of a run: checks that depend on the size of the dictionary, and initial state. */
    int (*start)(learner *l, inco_error *error);
    /* One iteration: updates the learner's dictionary. INCO_STOPPED if the caller stopped it; the learner then restores
     * the dictionary. */
    int (*step)(learner *l, inco_error *error);
    /* For `step` = alternate_step: updates the dictionary for the current codes. */
    int (*update)(inco_mat *d, const method_input *in, update_result *result, inco_error *error);
    /* After the last iteration, also if `stopped`: may change the result, which has the precision wanted. */
    int (*finish)(learner *l, int stopped, inco_error *error);

    int (*stops_by_gain)(const inco_options *options);    /* omp and ols stop at (GAIN-1) by default; NULL: no */
    double (*gamma)(const method_input *in);              /* weight of ||D'D - I||^2; NULL: no such penalty */
    int64_t (*code_updates)(const inco_options *options); /* the default of that option; NULL: 0 */
    void (*describe)(const method_input *in, inco_learn_info *info); /* fills in its own fields of the results */

    /* Checkpoint functions of a method with state. `resume` gets a zero state, and may fail midway. */
    int (*save)(const void *own, const inco_stream *stream); /* 0, or INCO_EIO */
    int (*resume)(void *own, const inco_mat *d, const inco_stream *stream, inco_error *error);
    void (*free)(void *own); /* frees what the state owns, not the state itself */
} method;

/* Method i, NULL past the last; the method chosen by the options. */
const method *method_at(int i);
const method *method_of(const inco_options *options);

#endif
