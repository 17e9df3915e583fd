/* Interface between the collector and its kernels, which are compiled for each precision and instruction set. */
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
    double *a, *b; /* columns of A and B: L, where rows above the atom's own are not changed; D */
} sums_atom;

typedef void (*sums_kernel)(const sums_atom *atom);

/* Returns the kernel for a precision on this CPU. */
sums_kernel sums_choose(inco_type type);

#endif
