/* h(D) = sum over pairs i < j of max(0, |d_i'd_j| - tau)^2: what exceeds a bound tau. The equations are in
 * docs/theory/bound.md. */
#ifndef INCO_PAIRS_HINGE_H
#define INCO_PAIRS_HINGE_H

#include "pairs/pairs.h"

/* The pairs near the bound, by atom: neighbours near[k] of atom j for start[j] <= k < start[j + 1], both ways. */
typedef struct hinge_list {
    int64_t count, room; /* entries, twice the pairs; entries there is memory for */
    int64_t *start;      /* cols + 1 */
    int32_t *near;
    int64_t *mirror; /* where the neighbour has this atom */
    double *excess;  /* of the product, 0 for those within the bound */
} hinge_list;

typedef struct hinge {
    int64_t pairs;         /* above tau, when last evaluated */
    double max;            /* the largest |d_i'd_j|, when last evaluated */
    double margin;         /* hinge_eval_pairs: products above tau - margin are gathered; halved when too many are */
    int64_t visits, walks; /* times that hinge_eval_pairs went over a list, and over all products; since open */
    int64_t mends;         /* times that it went over the products of some atoms to mend the list */

    pairs_work all;
    struct hinge_slot *slot; /* by block of products, or part of the list */
    hinge_list list;
    int listed;    /* there is a list */
    int patience;  /* evaluations to go before gathering is tried again */
    double limit;  /* that it was gathered with */
    inco_mat from; /* the atoms that it was gathered from */
    double *moved; /* how far each has moved since */
    char *loose;   /* has it moved too far? */
} hinge;

/* Workspace for D x L dictionaries. hinge_close is needed after a failure too. */
int hinge_open(hinge *w, int64_t rows, int64_t cols, int threads, inco_error *error);
void hinge_close(hinge *w);

/* *h = h(D); gradient (D x L, double, compact; may be NULL) += weight * dh/dD (BOUND-2). d: double, compact. Over all
 * products, in blocks: no L x L matrix. The same bits for any number of threads. */
int hinge_eval(hinge *w, const inco_mat *d, double tau, double weight, const inco_mat *gradient, double *h,
               inco_error *error);

/* Gathers the pairs with |d_i'd_j| > limit, of unit-norm atoms. No list is kept (w->listed = 0) when they are so many
 * that going over all products costs less. */
int hinge_collect(hinge *w, const inco_mat *d, double limit, inco_error *error);

/* As hinge_eval, for unit-norm atoms, over the list alone as long as no other pair can exceed tau (BOUND-3). Where
 * atoms have moved too far for that, their pairs above tau - margin are gathered anew. w->max is at least tau - margin
 * when no pair exceeds it: the largest in the list, or what the others may have. */
int hinge_eval_pairs(hinge *w, const inco_mat *d, double tau, double weight, const inco_mat *gradient, double *h,
                     inco_error *error);

#endif
