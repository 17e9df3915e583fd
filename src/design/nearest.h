/* The nearest dictionary that keeps a bound on its inner products. The equations are in docs/theory/decohere.md. */
#ifndef INCO_DESIGN_NEAREST_H
#define INCO_DESIGN_NEAREST_H

#include "update/update.h"

/* How long to look. Roughly: near the nearest is enough, in a third of the time; the bound is kept all the same.
 * Shortly: and a bound that the penalty alone does not reach is given up. */
typedef enum nearest_care { NEAREST_FINELY, NEAREST_ROUGHLY, NEAREST_SHORTLY } nearest_care;

typedef struct nearest_settings {
    double bound;   /* no |d_i'd_j| is to exceed it; above 0 */
    int iterations; /* of L-BFGS in one stage, at most */
    nearest_care care;
    uint64_t seed; /* of the directions in which equal atoms part */
    int threads;
    /* Told after every iteration, with the stage under way, counted from 1, and the coherence; anything but 0 stops.
     * May be NULL. */
    int (*tell)(void *self, int stage, double coherence);
    void *self;
} nearest_settings;

typedef struct nearest_result {
    double coherence;     /* the largest |d_i'd_j| in the end */
    int reached;          /* is that within the bound? */
    double before, after; /* (DECO-1) or (DECO-2), at the dictionary given and at the one returned */
    int stages, iterations, evaluations;
} nearest_result;

enum { NEAREST_STAGES = 60 }; /* at most */

/* d: D x L, double, compact, unit-norm columns, replaced by unit-norm columns that keep the bound. Without statistics
 * (NULL) they are the nearest in the sense of (DECO-1), `weight` (L, may be NULL: all one) for each; else of (DECO-2).
 * Where the bound cannot be reached, d gets the lowest coherence found. INCO_STOPPED when `tell` stopped it. */
int nearest(inco_mat *d, const double *weight, const statistics *s, const nearest_settings *settings,
            nearest_result *result, inco_error *error);

#endif
