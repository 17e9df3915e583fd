/* Atoms that no signal uses, or that are too much like another, and the signals that take their place. */
#ifndef INCO_REPLACE_REPLACE_H
#define INCO_REPLACE_REPLACE_H

#include "base/options.h"

enum { UNUSED_KEEP, UNUSED_WORST, UNUSED_SAMPLE };

typedef struct replace_options {
    int64_t unused, min_uses, exchange;
    double replace;
} replace_options;
OPTIONS_DECLARE(replace)

/* Do they go together? */
int replace_check(const inco_options *options, inco_error *error);

/* The signals with the largest error of a pass, as many as there are atoms at most. */
typedef struct worst_signal {
    double error;
    int64_t signal;
} worst_signal;

typedef struct worst_list {
    worst_signal *item; /* a heap with the least of them on top */
    int64_t count, capacity;
} worst_list;

int worst_new(worst_list *list, int64_t capacity); /* INCO_ENOMEM, or 0 */
void worst_free(worst_list *list);
void worst_offer(worst_list *list, int64_t signal, double error);
void worst_sort(worst_list *list); /* the largest error first; the list takes no more offers until it is emptied */

/* Which signal, or which of the lines that exchange.h finds, takes the place of which atom. Chosen after an update,
 * applied before the next coding: a dictionary that is not trained any further keeps its own atoms. */
enum { REPLACED_UNUSED, REPLACED_COHERENT, REPLACED_EXCHANGED };

typedef struct replacement {
    int64_t atom, by; /* by: a signal, or REPLACED_EXCHANGED a line */
    int64_t reason;   /* REPLACED_... */
} replacement;

typedef struct replacement_list {
    replacement *item;
    int64_t count;
    inco_mat lines; /* D x some, double; its first ones are those exchanged */
} replacement_list;

/* For a dictionary of this size, and up to `lines` lines. */
int replace_new(replacement_list *list, int64_t dim, int64_t atoms, int64_t lines, inco_error *error);
void replace_free(replacement_list *list);

typedef struct replacement_rule {
    int policy;                /* UNUSED_... */
    int64_t min_uses;          /* an atom that fewer signals use is unused */
    double bound;              /* |d_i'd_j| above it is too much; NaN: nothing is */
    const int64_t *use_count;  /* by atom: signals that use it */
    const inco_mat *d;         /* after the update */
    const inco_source *source; /* the prepared signals */
    const worst_list *worst;   /* sorted */
    uint64_t seed, round;      /* round: the iteration, so that every one draws anew */
    int threads;
} replacement_rule;

/* Finds signals with energy for the atoms with too little use, and for those that some other atom, as it is or as it
 * has been replaced by now, is too coherent with. Every signal of the worst is taken once. Adds to `list`. */
int replace_choose(replacement_list *list, const replacement_rule *rule, inco_error *error);

int64_t replace_count(const replacement_list *list, int64_t reason);

/* Puts the signals, normalised, and the lines into d. */
int replace_apply(const replacement_list *list, inco_mat *d, const inco_source *source, inco_error *error);

#endif
