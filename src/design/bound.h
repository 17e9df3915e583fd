/* A bound on coherence: whether it can be satisfied, and the dictionary near a given one that satisfies it as rounded
 * to the type that is written. The equations are in docs/theory/decohere.md. */
#ifndef INCO_DESIGN_BOUND_H
#define INCO_DESIGN_BOUND_H

#include "base/options.h"
#include "design/nearest.h"
#include "metric/coherence.h"

typedef struct bound_options {
    double max_coherence;
} bound_options;
OPTIONS_DECLARE(bound)

/* Fails when there is none for a method that needs it. */
int bound_check_given(const inco_options *options, const char *method, inco_error *error);

/* Fails, naming the number, when no dictionary of this size satisfies the bound. */
int bound_check(double bound, int64_t dim, int64_t atoms, inco_error *error);

/* Fails when the bound is lost in the rounding to the type that the dictionary is written in. */
int bound_check_rounding(double bound, inco_type type, inco_error *error);

typedef struct bound_task {
    const inco_mat *dictionary; /* atoms of any norm; zero atoms stay and do not count */
    double bound;
    inco_type type; /* of the dictionary to be made */
    nearest_care care;
    uint64_t seed;
    int threads;
    int (*tell)(void *self, int stage, double coherence); /* as in nearest_settings */
    void *self;
} bound_task;

typedef struct bound_work {
    const bound_task *task;
    inco_mat atoms;         /* those that are not zero, normalised, in double */
    inco_mat moved;         /* the same while they are changed */
    int64_t *index;         /* columns of the dictionary that are not zero */
    double *norm, *weight;  /* norms of all columns; squares of those that are not zero */
    double coherence_given; /* of the dictionary given */
    coherence now;          /* of the result, as stored */
    int reached;            /* does the result satisfy the bound? */
    int64_t moved_atoms, stages, iterations;
    double change; /* ||E - D|| / ||D|| */
    double square; /* with statistics: ||X - E C||^2; NaN when there was nothing to search for */
} bound_work;

/* Gathers the atoms that are not zero, and makes `result`, the dictionary as rounded. Fails when the bound cannot be
 * satisfied. The task must outlive the work; bound_close is needed after a failure too. */
int bound_open(bound_work *w, const bound_task *task, inco_mat *result, inco_error *error);

/* Unless the bound is reached: puts the nearest dictionary that satisfies it into `result`, in the sense of (DECO-1),
 * or with statistics of (DECO-2); where it is not reached, the least coherent one found. INCO_STOPPED when `tell`
 * stopped it. */
int bound_search(bound_work *w, const statistics *s, inco_mat *result, inco_error *error);
void bound_close(bound_work *w);

/* All of it, without statistics. */
int bound_enforce(const bound_task *task, inco_mat *result, inco_error *error);

#endif
