/* Coherence bounds: feasibility, and the nearest dictionary that satisfies a bound after rounding to the output type
 * (docs/theory/decohere.md). */
#ifndef INCO_DESIGN_BOUND_H
#define INCO_DESIGN_BOUND_H

#include "base/options.h"
#include "design/nearest.h"
#include "metric/coherence.h"

typedef struct bound_options {
    double max_coherence;
} bound_options;
OPTIONS_DECLARE(bound)

/* Fails if a method that needs a bound has none. */
int bound_check_given(const inco_options *options, const char *method, inco_error *error);

/* Fails, naming the lowest feasible value, if no dictionary of this size satisfies the bound. */
int bound_check(double bound, int64_t dim, int64_t atoms, inco_error *error);

/* Fails if the bound is below the rounding errors of the output type. */
int bound_check_rounding(double bound, inco_type type, inco_error *error);

typedef struct bound_task {
    const inco_mat *dictionary; /* atoms of any norm; zero atoms are ignored */
    double bound;
    inco_type type; /* of the result */
    nearest_care care;
    uint64_t seed;
    const subspace *within; /* where atoms stay that begin there; NULL: all of R^D */
    int threads;
    int (*tell)(void *self, int stage, double coherence); /* as in nearest_settings */
    void *self;
} bound_task;

typedef struct bound_work {
    const bound_task *task;
    inco_mat atoms;         /* nonzero atoms, normalised, in double */
    inco_mat moved;         /* the same, during the search */
    int64_t *index;         /* nonzero columns of the dictionary */
    double *norm, *weight;  /* norms of all columns; squared norms of the nonzero ones */
    double coherence_given; /* of the input dictionary */
    coherence now;          /* of the result, as stored */
    int reached;            /* whether the result satisfies the bound */
    int64_t moved_atoms, stages, iterations;
    double change; /* ||E - D|| / ||D|| */
    double square; /* with statistics: ||X - E C||^2; NaN if no search was needed */
} bound_work;

/* Gathers the nonzero atoms, and makes `result`, the rounded dictionary. Fails if the bound is infeasible. The task
 * must outlive the work; bound_close is required after a failure too. */
int bound_open(bound_work *w, const bound_task *task, inco_mat *result, inco_error *error);

/* Unless the bound is satisfied: replaces `result` by the nearest dictionary that satisfies it, by (DECO-1), or with
 * statistics by (DECO-2); if the bound is not reached, by the least coherent one found. INCO_STOPPED if `tell` stopped
 * it. */
int bound_search(bound_work *w, const statistics *s, inco_mat *result, inco_error *error);
void bound_close(bound_work *w);

/* Open, search and close, without statistics. */
int bound_enforce(const bound_task *task, inco_mat *result, inco_error *error);

#endif
