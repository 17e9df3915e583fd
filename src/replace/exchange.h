/* Atoms of little worth, exchanged for what the residuals of the worst coded signals have in common. The equations are
 * in docs/theory/exchange.md. */
#ifndef INCO_REPLACE_EXCHANGE_H
#define INCO_REPLACE_EXCHANGE_H

#include "replace/replace.h"

/* Worst coded signals to note in a pass, and lines that one iteration may exchange: by the option exchange. */
int64_t exchange_signals(const inco_options *options, int64_t atoms);
int64_t exchange_lines(const inco_options *options, int64_t atoms);

typedef struct exchange_input {
    const inco_mat *d; /* after the update */
    const inco_source *signals;
    inco_coder *coder;        /* gets d for its dictionary */
    const worst_list *worst;  /* signals */
    const double *use_energy; /* by atom: A_jj */
    double gamma;             /* of the penalty in the objective */
    int threads;
} exchange_input;

/* After an update: adds the exchanges that pay to `list`. *seconds_code is added to. */
int exchange_choose(const exchange_input *in, replacement_list *list, double *seconds_code, inco_error *error);

#endif
