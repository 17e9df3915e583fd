/* MOCOD's fixed point with free norms. The equations are in docs/theory/mocod.md. */
#ifndef INCO_UPDATE_MOCOD_H
#define INCO_UPDATE_MOCOD_H

#include "update/update.h"

typedef struct mocod_trace {
    double f;          /* (MOCOD-1) where it ended */
    int steps, damped; /* taken in all; shortened among them */
} mocod_trace;

/* The search of mocod_update without the scaling to unit norm at its end: d gets the dictionary with free norms. */
int mocod_free(inco_mat *d, const statistics *s, const update_settings *settings, mocod_trace *trace,
               inco_error *error);

#endif
