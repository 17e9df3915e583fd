/* h(D) = sum over pairs i < j of max(0, |d_i'd_j| - tau)^2: the violation of a bound tau (docs/theory/bound.md). */
#ifndef INCO_PAIRS_HINGE_H
#define INCO_PAIRS_HINGE_H

#include "pairs/pairs.h"

/* Pairs near the bound, by atom: neighbours near[k] of atom j for start[j] <= k < start[j + 1], in both directions. */
typedef struct hinge_list {
    int64_t count, capacity; /* entries, twice the number of pairs; capacity */
    int64_t *start;          /* cols + 1 */
    int32_t *near;
    int64_t *mirror; /* index of this atom in the list of the neighbour */
    double *excess;  /* violation of the product, 0 if it is within the bound */
} hinge_list;

typedef struct hinge {
    int64_t pairs;         /* number above tau in the last evaluation */
    double max;            /* largest |d_i'd_j| in the last evaluation */
    double margin;         /* hinge_eval_pairs: products above tau - margin are gathered; halved if there are too
                            * many */
    int64_t visits, walks; /* evaluations by hinge_eval_pairs over the list, and over all products */
    int64_t mends;         /* repairs of the list */
    int64_t wanted;        /* a list of up to so many pairs is kept for the caller, even if all products cost less */

    pairs_work all;
    struct hinge_slot *slot; /* per block of products, or part of the list */
    hinge_list list;
    int listed;    /* whether there is a list */
    int patience;  /* evaluations until gathering is retried */
    double limit;  /* used when the list was gathered */
    inco_mat from; /* the atoms when the list was gathered */
    double *moved; /* how far each atom has moved since */
    char *loose;   /* whether it has moved too far */
} hinge;

/* Workspace for D x L dictionaries. hinge_close is required after a failure too. */
int hinge_open(hinge *w, int64_t rows, int64_t cols, int threads, inco_error *error);
void hinge_close(hinge *w);

/* h = h(D); gradient (D x L, double, compact; may be NULL) += weight * dh/dD (BOUND-2). d: double, compact. Computes
 * all products in blocks, without an L x L matrix. The same bits for any number of threads. */
int hinge_eval(hinge *w, const inco_mat *d, double tau, double weight, const inco_mat *gradient, double *h,
               inco_error *error);

/* Like hinge_eval, for unit-norm atoms, but only over the list as long as no other pair can exceed tau (BOUND-3). If
 * atoms have moved too far, their pairs above tau - margin are gathered again. If no pair exceeds tau, w->max is at
 * least tau - margin: the largest in the list, or the bound on the others. */
int hinge_eval_pairs(hinge *w, const inco_mat *d, double tau, double weight, const inco_mat *gradient, double *h,
                     inco_error *error);

#endif
