/* Between the coder, written once, and its kernels, compiled for each precision and instruction set. A kernel codes one
 * signal: from G = D'D, a0 = D'x and x'x alone. */
#ifndef INCO_CODE_KERNEL_H
#define INCO_CODE_KERNEL_H

#include <stdint.h>

#include <inco/inco.h>

enum {
    KERNEL_PAD = 128,  /* arrays over atoms are padded with zeros to a multiple of this */
    KERNEL_CHUNK = 64, /* columns of P that are allocated at a time */
};

/* When to stop and which variant: the same for all signals. Rules that are off are negative. */
typedef struct kernel_rules {
    int coder; /* CODER_OMP, ... of base/options.h */
    int nonnegative, refit;
    int64_t atoms;    /* most atoms in a code */
    double coherence; /* max |d'r| / ||r|| */
    double tolerance; /* ||r|| / ||x|| */
    double lambda;    /* max |d'r| */
} kernel_rules;

/* One thread's state: what is given, what is worked on, and the result. Arrays named "real" are float or double. With
 * S the support, G_SS = R'R its Cholesky factor and Q = D_S R^-1 orthonormal, P = D'Q holds the products of all atoms
 * with the basis; everything else follows from its columns. */
typedef struct kernel_work {
    kernel_rules rules;
    int64_t stride;     /* atoms, padded */
    const void *gram;   /* real, column j at j * stride */
    const void *usable; /* real, stride: 1 for atoms that may be chosen, 0 for zero atoms and padding */

    void **chunk;                     /* P by chunks of columns: real, stride * KERNEL_CHUNK each, see kernel/basis.h */
    int64_t chunks;                   /* made so far */
    void *corr, *slope, *free, *norm; /* real, stride: d'r; d'u along the path; usable and not chosen; 1 - |Q'd|^2 */
    void *row;                        /* real, atoms: a row of P */
    double *factor;                   /* R, packed by columns: column k at k (k + 1) / 2 */
    double *proj;                     /* Q'x */
    double *turn;                     /* R'^-1 s: the path's direction in the basis */
    double *entry;                    /* where on the path each atom entered; LASSO: its coefficient */
    double *solution;                 /* of R b = y */
    int32_t *retired;                 /* atoms given up for this signal as dependent */

    int64_t count; /* the support's size, the result's nonzeros in the end */
    int32_t *support;
    double *value;
    double residual; /* ||x - D c||^2 */
    int64_t skipped; /* how many in retired */
} kernel_work;

/* Codes the signal with a0 = D'x (real, stride) and energy x'x. INCO_ENOMEM, or 0. */
typedef int (*kernel_run)(kernel_work *work, const void *a0, double energy);

/* The kernel for a coder, precision and this CPU. */
kernel_run kernel_choose(int coder, inco_type type);

#endif
