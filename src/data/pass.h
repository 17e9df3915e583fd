/* One pass over the data: signals are read and coded in fixed groups, and each group is passed to a visitor. */
#ifndef INCO_DATA_PASS_H
#define INCO_DATA_PASS_H

#include "base/cluster.h"
#include "data/kept.h"
#include "sparse/csc.h"

enum { PASS_GROUP = 4096 }; /* signals; a leaf of the summation tree */

typedef struct pass_group {
    int64_t first, number;        /* index of its first signal; which group of the pass it is */
    int64_t done, total;          /* for progress: signals of the pass coded with it, on all ranks; all */
    const inco_mat *x;            /* D x count */
    const csc *codes;             /* L x count */
    const double *residual;       /* ||x - D c||^2 per signal */
    const double *weight;         /* per signal; NULL: 1 */
    const unsigned char *missing; /* D x count: 1 where an entry was missing, and x has that of D c (M-1); NULL: none */
} pass_group;

static inline double pass_weight(const pass_group *group, int64_t n) {
    return group->weight ? group->weight[n] : 1;
}

/* ||x||^2 over the observed entries of signal n. */
double pass_energy(const pass_group *group, int64_t n);

/* The sum of the weights of a group, and of the nonzeros of its codes times these weights. */
double pass_total_weight(const pass_group *group);
double pass_total_nonzeros(const pass_group *group);

typedef struct pass {
    const inco_source *source;
    int64_t first, count; /* signals of the pass; count 0: all */
    cluster *cluster;     /* the ranks that share its groups (cluster_share); NULL: one process */
    inco_coder *coder;
    int64_t atoms;
    int threads;
    int status; /* of the preparations for it on this rank; negative: no rank codes anything, and all fail */
    void *self;
    int (*visit)(void *self, const pass_group *group, inco_error *error); /* a positive result stops the pass */
    double seconds_io, seconds_code;                                      /* accumulated */
    /* If not NULL: refits the coefficients of these codes of an earlier pass by least squares in this dictionary (D x
     * L, double) with this Gram matrix, instead of coding. */
    kept *held;
    const inco_mat *dictionary, *products;
} pass;

/* Sets the dictionary to code in; its preparation counts as coding time. */
int pass_dictionary(pass *p, const inco_mat *dictionary, inco_error *error);

/* INCO_STOPPED if a visitor stopped it. All ranks of a cluster have the same outcome. */
int pass_run(pass *p, inco_error *error);

/* Number of groups, on all ranks. */
int64_t pass_groups(const pass *p);

/* Adds the weighted ||X - D C||^2 and ||X||^2 of a group over the observed entries, in double, summed in the order of
 * the signals. */
int pass_error(const inco_mat *dictionary, const pass_group *group, int threads, double *error_energy, double *energy,
               inco_error *error);

#endif
