/* One pass over the data: signals are read and coded in fixed groups, and each group is handed to a visitor. */
#ifndef INCO_DATA_PASS_H
#define INCO_DATA_PASS_H

#include "sparse/csc.h"

enum { PASS_GROUP = 4096 }; /* signals; a leaf of the tree that sums are taken in */

typedef struct pass_group {
    int64_t first, total;   /* number of its first signal; signals of the pass */
    const inco_mat *x;      /* D x count */
    const csc *codes;       /* L x count */
    const double *residual; /* ||x - D c||^2 of each */
} pass_group;

typedef struct pass {
    const inco_source *source;
    inco_coder *coder;
    int64_t atoms;
    int threads;
    void *self;
    int (*visit)(void *self, const pass_group *group, inco_error *error); /* positive: stops the pass */
    double seconds_io, seconds_code;                                      /* added to */
    /* Instead of coding, solve anew for the coefficients of these codes of an earlier pass, by group, in this
     * dictionary (D x L, double), of which the products of the atoms are given; NULL: code. */
    csc *held;
    const inco_mat *dictionary, *products;
} pass;

/* The dictionary to code in; making it ready counts as coding. */
int pass_dictionary(pass *p, const inco_mat *dictionary, inco_error *error);

/* INCO_STOPPED when a visitor stopped it. */
int pass_run(pass *p, inco_error *error);
/* The same in groups of another size. */
int pass_run_groups(pass *p, int64_t size, inco_error *error);

/* ||X - D C||^2 of a group, signal by signal, in double; added up in the order of the signals. */
int pass_error(const inco_mat *dictionary, const pass_group *group, int threads, double *error_energy, double *energy,
               inco_error *error);

#endif
