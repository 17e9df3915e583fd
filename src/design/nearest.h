/* The nearest dictionary that satisfies a coherence bound (docs/theory/decohere.md). */
#ifndef INCO_DESIGN_NEAREST_H
#define INCO_DESIGN_NEAREST_H

#include "mat/subspace.h"
#include "update/update.h"

/* Effort. ROUGHLY: looser tolerance, three times as fast; the bound still holds. QUICKLY: the first dictionary found
 * that satisfies the bound, near the input but not the nearest (DECO-5); some twenty evaluations; may miss a bound that
 * is close to the lowest possible. */
typedef enum nearest_care { NEAREST_FINELY, NEAREST_ROUGHLY, NEAREST_QUICKLY } nearest_care;

typedef struct nearest_settings {
    double bound;   /* upper bound on |d_i'd_j|; above 0 */
    int iterations; /* maximum number of L-BFGS iterations per stage */
    nearest_care care;
    uint64_t seed;          /* of the directions in which equal atoms are separated */
    const subspace *within; /* where atoms stay that begin there; NULL: all of R^D */
    int threads;
    /* Called after every iteration, with the current stage, from 1, and the coherence; a nonzero result stops. May be
     * NULL. */
    int (*tell)(void *self, int stage, double coherence);
    void *self;
} nearest_settings;

typedef struct nearest_result {
    double coherence;     /* largest |d_i'd_j| of the result */
    int reached;          /* whether it satisfies the bound */
    double before, after; /* (DECO-1) or (DECO-2), for the input and for the result */
    int stages, iterations, evaluations;
} nearest_result;

enum { NEAREST_STAGES = 60 }; /* maximum */

/* d: D x L, double, compact, unit-norm columns, replaced by unit-norm columns that satisfy the bound: the nearest by
 * (DECO-1), with weights `weight` (L; NULL: all one), if s is NULL; else by (DECO-2). If the bound is not reached, d is
 * the least coherent dictionary found. INCO_STOPPED if `tell` stopped it. */
int nearest(inco_mat *d, const double *weight, const statistics *s, const nearest_settings *settings,
            nearest_result *result, inco_error *error);

#endif
