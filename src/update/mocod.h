/* MOCOD's fixed-point iteration with free norms (docs/theory/mocod.md). */
#ifndef INCO_UPDATE_MOCOD_H
#define INCO_UPDATE_MOCOD_H

#include "update/update.h"

typedef struct mocod_trace {
    double f;          /* (MOCOD-1) at the end */
    int steps, damped; /* all steps; damped steps */
} mocod_trace;

/* mocod_update without the final normalisation: d receives the dictionary with free norms. */
int mocod_free(inco_mat *d, const statistics *s, const update_settings *settings, mocod_trace *trace,
               inco_error *error);

#endif
