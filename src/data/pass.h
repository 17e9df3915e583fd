/* One pass over the data: signals are read and coded in fixed groups, and each group is passed to a visitor. */
#ifndef INCO_DATA_PASS_H
#define INCO_DATA_PASS_H

#include "sparse/csc.h"

enum { PASS_GROUP = 4096 }; /* signals; a leaf of the summation tree */

typedef struct pass_group {
    int64_t first, total;   /* index of its first signal; number of signals of the pass */
    const inco_mat *x;      /* D x count */
    const csc *codes;       /* L x count */
    const double *residual; /* ||x - D c||^2 per signal */
} pass_group;

typedef struct pass {
    const inco_source *source;
    inco_coder *coder;
    int64_t atoms;
    int threads;
    void *self;
    int (*visit)(void *self, const pass_group *group, inco_error *error); /* a positive result stops the pass */
    /* Size of the group that begins with signal `first`, at most PASS_GROUP; NULL: PASS_GROUP. */
    int64_t (*group)(const void *self, int64_t first);
    double seconds_io, seconds_code; /* accumulated */
    /* If not NULL: refits the coefficients of these codes of an earlier pass, one per group, by least squares in this
     * dictionary (D x L, double) with this Gram matrix, instead of coding. */
    csc *held;
    const inco_mat *dictionary, *products;
} pass;

/* Sets the dictionary to code in; its preparation counts as coding time. */
int pass_dictionary(pass *p, const inco_mat *dictionary, inco_error *error);

/* INCO_STOPPED if a visitor stopped it. */
int pass_run(pass *p, inco_error *error);

/* ||X - D C||^2 of a group, in double, summed in the order of the signals. */
int pass_error(const inco_mat *dictionary, const pass_group *group, int threads, double *error_energy, double *energy,
               inco_error *error);

#endif
