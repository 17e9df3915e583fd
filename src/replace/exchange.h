/* Exchange of atoms that reduce the error little for common directions of the largest residuals
 * (docs/theory/exchange.md). */
#ifndef INCO_REPLACE_EXCHANGE_H
#define INCO_REPLACE_EXCHANGE_H

#include "replace/replace.h"

/* Number of signals to note in a pass, and maximum number of lines exchanged per iteration. */
int64_t exchange_signals(int64_t atoms);
int64_t exchange_lines(int64_t atoms);

typedef struct exchange_input {
    const inco_mat *d; /* after the update */
    const inco_source *signals;
    inco_coder *coder;        /* its dictionary is set to d */
    const worst_list *worst;  /* signals */
    const double *use_energy; /* per atom: A_jj */
    double gamma;             /* weight of the penalty */
    int threads;
} exchange_input;

/* After an update: adds the exchanges that pay off to `list`. Adds to *seconds_code. */
int exchange_choose(const exchange_input *in, replacement_list *list, double *seconds_code, inco_error *error);

#endif
