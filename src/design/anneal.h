/* Frames of low coherence: minimises p-norms of the inner products for increasing p (docs/theory/frame.md). */
#ifndef INCO_DESIGN_ANNEAL_H
#define INCO_DESIGN_ANNEAL_H

#include "mat/subspace.h"

enum { ANNEAL_FIRST = 2, ANNEAL_LAST = 20 }; /* levels: p = 2^level */

typedef struct anneal_settings {
    int first, last;        /* levels to go through */
    int iterations;         /* maximum number of L-BFGS iterations per level */
    int tight;              /* make the frame tight */
    double target;          /* stops when max |d_i'd_j| <= target; 0: goes through all levels */
    const subspace *within; /* where atoms stay that begin there; NULL: all of R^D */
    int threads;
    /* Called after every iteration; a nonzero result stops. May be NULL. */
    int (*tell)(void *self, int level, double coherence);
    void *self;
} anneal_settings;

/* d: D x L, double, compact, unit-norm columns, changed in place; *coherence is its largest |d_i'd_j|, in and out.
 * INCO_STOPPED if `tell` stopped it. */
int anneal(inco_mat *d, const anneal_settings *settings, double *coherence, inco_error *error);

/* Replaces d, with unit-norm columns and nearly tight, by a tight frame close to it. *deviation receives the largest
 * entry of |D D' - (L / D) I|. */
int anneal_tighten(inco_mat *d, int threads, double *deviation, inco_error *error);

#endif
