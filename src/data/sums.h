/* Between the collector and its kernels, compiled for each precision and instruction set as the coders' are. */
#ifndef INCO_DATA_SUMS_H
#define INCO_DATA_SUMS_H

#include "sparse/csc.h"

/* A nonzero of the codes, seen from its atom. */
typedef struct sums_use {
    int64_t at;    /* its number among the codes' nonzeros */
    int32_t count; /* it and those that follow it in the signal's code */
    int32_t signal;
} sums_use;

/* One atom: the signals that use it, and what they are summed into. */
typedef struct sums_atom {
    const inco_mat *x;   /* D x N */
    const csc *codes;    /* L x N, of the same type */
    const sums_use *use; /* by rising signal */
    int64_t uses;
    double *a, *b; /* columns of A and B: L, of which those above the atom's own row are left alone; D */
} sums_atom;

typedef void (*sums_kernel)(const sums_atom *atom);

/* The kernel for a precision and this CPU. */
sums_kernel sums_choose(inco_type type);

#endif
