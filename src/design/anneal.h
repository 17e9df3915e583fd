/* Frames of low coherence: the largest inner product lowered through power sums of rising order. The equations are in
 * docs/theory/frame.md. */
#ifndef INCO_DESIGN_ANNEAL_H
#define INCO_DESIGN_ANNEAL_H

#include <inco/inco.h>

enum { ANNEAL_FIRST = 2, ANNEAL_LAST = 20 }; /* levels: p = 2^level */

typedef struct anneal_settings {
    int first, last; /* levels to go through */
    int iterations;  /* of L-BFGS at each, at most */
    int tight;       /* end with a tight frame */
    double target;   /* done when no |d_i'd_j| exceeds it; 0: go through all levels */
    int threads;
    /* Told after every iteration; anything but 0 stops. May be NULL. */
    int (*tell)(void *self, int level, double coherence);
    void *self;
} anneal_settings;

/* d: D x L, double, compact, unit-norm columns, changed in place; *coherence is its largest |d_i'd_j|, in and out.
 * INCO_STOPPED when `tell` stopped it. */
int anneal(inco_mat *d, const anneal_settings *settings, double *coherence, inco_error *error);

/* Turns d, unit-norm columns and nearly tight, into a tight frame of unit-norm columns close by. *rest is the largest
 * entry of |D D' - (L / D) I| left. */
int anneal_tighten(inco_mat *d, int threads, double *rest, inco_error *error);

#endif
