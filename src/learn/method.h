/* The methods of --method: what each needs of a coding pass, and how it updates the dictionary. */
#ifndef INCO_LEARN_METHOD_H
#define INCO_LEARN_METHOD_H

#include "dict/training.h"
#include "dict/update.h"

/* What an update may use. */
typedef struct method_input {
    const inco_options *options;
    const statistics *s; /* A and B; for methods that hold the training signals ||X||^2 alone */
    training *held;      /* residuals and codes, for methods that hold them */
    uint64_t round;      /* the iteration, from 0 */
    update_settings settings;
} method_input;

typedef struct method {
    int option;    /* METHOD_... */
    int holds;     /* needs the residuals and codes of all signals, instead of A and B */
    int penalised; /* has --gamma */
    /* NULL for online learning, which updates while it codes (learn/online.c), and for designs (learn/design.c). */
    int (*update)(inco_mat *d, const method_input *in, update_result *result, inco_error *error);
} method;

const method *method_find(int64_t option);

#endif
