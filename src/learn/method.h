/* What a method of --method is to the learner: a table of functions. The methods are listed in methods.c, each in a
 * file of its own, and nothing but this table tells them apart. */
#ifndef INCO_LEARN_METHOD_H
#define INCO_LEARN_METHOD_H

#include "base/options.h"
#include "data/training.h"
#include "learn/learner.h"
#include "update/update.h"

/* Where learning stands. */
typedef struct method_input {
    const inco_options *options;
    inco_type type; /* of the signals */
    int64_t atoms;
    int64_t iteration; /* completed */
    double energy;     /* ||X||^2; 0 before the first coding pass */
    int threads;
    void *own; /* the method's state */
    /* For an update: */
    int64_t round;         /* of this iteration, from 0: those after the first have refitted coefficients */
    double relative_error; /* of this iteration's codes */
    const statistics *s;   /* A, B and ||X||^2; with needs_codes ||X||^2 alone */
    training *held;        /* with needs_codes: residuals and codes of all signals */
} method_input;

/* Functions that are NULL have nothing to do. */
typedef struct method {
    const char *name;
    int designs;     /* without data: `start` makes the initial dictionary, and there are no codes */
    int needs_codes; /* `update` needs the residuals and codes of all signals, instead of A and B */
    size_t own_size; /* bytes of the method's state between iterations, zero at first */

    /* Of the options that belong to some methods alone it knows those of its own part and these, a|b|c. */
    const options_part *part;
    const char *takes;
    int takes_auto;                                               /* --gamma auto may choose its gamma */
    int (*check)(const inco_options *options, inco_error *error); /* do the options go together? */

    /* Before the first iteration of a run: checks what depends on the dictionary's size, makes the state. */
    int (*start)(learner *l, inco_error *error);
    /* One iteration, from the learner's dictionary to its next one. INCO_STOPPED when the caller stopped it; the
     * learner then puts the dictionary back. */
    int (*step)(learner *l, inco_error *error);
    /* For `step` = alternate_step: the dictionary for the codes just found. */
    int (*update)(inco_mat *d, const method_input *in, update_result *result, inco_error *error);
    /* After the last iteration, `stopped` or not: may change the result, which has the precision asked for. */
    int (*finish)(learner *l, int stopped, inco_error *error);

    double (*gamma)(const method_input *in);              /* weight of ||D'D - I||^2; NULL: no such penalty */
    int64_t (*code_updates)(const inco_options *options); /* the default of that option; NULL: 0 */
    void (*describe)(const method_input *in, inco_learn_info *info); /* its own members of the results */

    /* To and from a checkpoint, for a method with a state. `resume` gets a zero state, and may fail half-way. */
    int (*save)(const void *own, const inco_stream *stream); /* 0, or INCO_EIO */
    int (*resume)(void *own, const inco_mat *d, const inco_stream *stream, inco_error *error);
    void (*free)(void *own); /* what the state owns, not the state itself */
} method;

/* Method i, NULL past the last; the method that the options ask for. */
const method *method_at(int i);
const method *method_of(const inco_options *options);

#endif
