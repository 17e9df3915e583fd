/* Interface between passes over the signals and their kernels, which are compiled for each precision and instruction set. */
#ifndef INCO_DATA_SUMS_H
#define INCO_DATA_SUMS_H

#include "sparse/csc.h"

/* A nonzero of the codes, listed by atom. */
typedef struct sums_entry {
    int64_t at;    /* its index among the nonzeros */
    int32_t count; /* number of nonzeros from it to the end of the signal's code */
    int32_t signal;
} sums_entry;

/* One atom: the signals that use it, and the columns to sum into. */
typedef struct sums_atom {
    const inco_mat *x;       /* D x N */
    const csc *codes;        /* L x N, of the same type */
    const sums_entry *entry; /* in ascending order of signals */
    int64_t entries;
    double *a, *b;        /* columns of A and B: L, where rows above the atom's own are not changed; D */
    const double *weight; /* per signal; NULL: 1 */
} sums_atom;

typedef void (*sums_kernel)(const sums_atom *atom);

/* Returns the kernel for a precision on this CPU. */
sums_kernel sums_choose(inco_type type);

/* One signal x and its code c. */
typedef struct sums_signal {
    const inco_mat *dictionary; /* D x L */
    const csc *codes;
    int64_t number; /* of the signal among the codes */
    const double *x;
} sums_signal;

/* Returns ||x - D c||^2, in double. */
typedef double (*sums_residual)(const sums_signal *signal);

/* Returns the kernel for the dictionary's precision on this CPU. */
sums_residual sums_choose_residual(inco_type type);

#endif
