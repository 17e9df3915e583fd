/* A bound on coherence around the learning loop: refused when no dictionary keeps it, kept in what the loop returns. */
#ifndef INCO_LEARN_BOUND_H
#define INCO_LEARN_BOUND_H

#include <inco/inco.h>

/* Fails, naming the number, when no dictionary of this size has a coherence of `bound`. */
int bound_check(double bound, int64_t dim, int64_t atoms, inco_error *error);

/* Fails when the bound is lost in the rounding to the type that the dictionary is written in. */
int bound_check_rounding(double bound, inco_type type, inco_error *error);

/* How much that rounding can add to a product of unit vectors. */
double bound_rounding(inco_type type);

/* Both, for what the learner is asked, once it has its start. */
int bound_check_learner(const inco_learner *learner, inco_error *error);

/* With --method idl and --max-coherence: puts in the place of the learner's result, of its own precision, about
 * the nearest dictionary that keeps the bound. INCO_STOPPED when the caller stopped it, and learning was not `stopped`
 * before; that search is shorter, and goes on to its end. */
int bound_keep(inco_learner *learner, int stopped, inco_error *error);

/* (BOUND-8): measures the start of a run, which is then part of its state. */
int bound_begin(inco_learner *learner, inco_error *error);
/* The bound that the next update keeps to. */
double bound_now(const inco_learner *learner);

/* (BOUND-6): the weight in the update of what exceeds the bound; 0 without one. */
double bound_push(const inco_learner *learner);

#endif
