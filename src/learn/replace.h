/* Atoms that no signal uses, or that are too much like another, and the signals that take their place. */
#ifndef INCO_LEARN_REPLACE_H
#define INCO_LEARN_REPLACE_H

#include "dict/update.h"

/* The signals with the largest error of a pass, as many as there are atoms at most. */
typedef struct worst_signal {
    double error;
    int64_t signal;
} worst_signal;

typedef struct worst_list {
    worst_signal *item; /* a heap with the least of them on top */
    int64_t count, room;
} worst_list;

int worst_new(worst_list *list, int64_t room); /* INCO_ENOMEM, or 0 */
void worst_free(worst_list *list);
void worst_offer(worst_list *list, int64_t signal, double error);
void worst_sort(worst_list *list); /* the largest error first; the list takes no more offers until it is emptied */

/* Which signal takes the place of which atom. Chosen after an update, applied before the next coding: a dictionary that
 * is not trained any further keeps its own atoms. */
typedef struct replacement {
    int64_t atom, signal;
    int64_t coherent; /* 1: because of another atom; 0: unused */
} replacement;

typedef struct replacement_list {
    replacement *item;
    int64_t count, room;
} replacement_list;

typedef struct replacement_rule {
    int policy;                /* UNUSED_... */
    double bound;              /* |d_i'd_j| above it is too much; NaN: nothing is */
    const double *use;         /* by atom: the sum of squares of its codes, A_jj */
    const inco_mat *d;         /* after the update */
    const inco_source *source; /* the prepared signals */
    const worst_list *worst;   /* sorted */
    uint64_t seed, round;      /* round: the iteration, so that every one draws anew */
    int threads;
} replacement_rule;

/* Finds signals with energy for the atoms without use, and for those that some other atom, as it is or as it has been
 * replaced by now, is too coherent with. Every signal of the worst is taken once. `list` has room for all atoms. */
int replace_choose(replacement_list *list, const replacement_rule *rule, inco_error *error);

/* Puts the signals, normalised, into d. */
int replace_apply(const replacement_list *list, inco_mat *d, const inco_source *source, inco_error *error);

#endif
