/* Atoms that no signal uses, and the signals that take their place. */
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

typedef struct replacement {
    int policy;                /* UNUSED_... */
    const inco_source *source; /* the prepared signals */
    worst_list *worst;
    uint64_t seed, round; /* round: the iteration, so that every one draws anew */
} replacement;

/* Replaces the atoms with A_jj = 0. *replaced gets their number. */
int replace_unused(inco_mat *d, const statistics *s, const replacement *how, int64_t *replaced, inco_error *error);

#endif
