/* Between the coder, written once, and its kernels, compiled for each precision and instruction set. A kernel codes one
 * signal: from G = D'D, a0 = D'x and x'x alone. */
#ifndef INCO_CODE_KERNEL_H
#define INCO_CODE_KERNEL_H

#include <stdint.h>

#include <inco/inco.h>

#include "base/memory.h"
#include "code/coders.h"

enum {
    KERNEL_PAD = 128,    /* arrays over atoms are padded with zeros to a multiple of this */
    KERNEL_CHUNK = 64,   /* columns of P that are allocated at a time */
    KERNEL_BEGUN = 4,    /* columns of P that can be begun before their atoms are chosen, */
    KERNEL_GUESSES = 2,  /* and most that one pass begins */
    KERNEL_NEAR = 49152, /* bytes of P that the nearest cache holds, about */
    KERNEL_PITCH = 16,   /* rows of the matrices over a support are padded to a multiple of this */
    KERNEL_RIVALS = 64,  /* atoms of a signal that float32 cannot tell from the one chosen, before it gives up */
};

/* Unit roundoff of float32. */
#define KERNEL_UNIT 0x1p-24

/* `atom` may have had the largest key at step `step` or later, and float32 cannot tell. */
typedef struct kernel_rival {
    int32_t step, atom;
} kernel_rival;

/* What float32 takes its numbers to be wrong by, at most, when it makes one choice: correlations by `corr`, squared
 * remaining norms by `norm`. kernel/refine.c proves it for each signal, or has the signal recoded. */
typedef struct kernel_window {
    double corr, norm;
    double rounding; /* a path's own roundings, part of corr */
} kernel_window;

/* When to stop and which variant: the same for all signals. Rules that are off are negative. */
typedef struct kernel_rules {
    int coder; /* CODER_OMP, ... */
    int nonnegative, refit;
    int64_t atoms;    /* most atoms in a code */
    double coherence; /* max |d'r| / ||r|| */
    double tolerance; /* ||r|| / ||x|| */
    double lambda;    /* max |d'r| */
} kernel_rules;

/* What a kernel has done since its workspace was made: for tests and benchmarks, that nothing is done twice. */
typedef struct kernel_effort {
    int64_t atoms;      /* added to a basis */
    int64_t bytes;      /* of P and G read in whole columns */
    int64_t multiplied; /* numbers of P and G, for columns begun in vain too */
} kernel_effort;

/* A column of P begun before its atom is chosen: P r over the first `columns` of P, r being the atom's row. */
typedef struct kernel_begun {
    int64_t atom; /* -1: none */
    int64_t columns;
    void *sum; /* real, stride */
} kernel_begun;

typedef enum kernel_end { END_OF_PATH, END_EVENT, END_LAMBDA, END_COHERENCE, END_TOLERANCE } kernel_end;

/* One thread's state: what is given, what is worked on, and the result. Arrays named "real" are float or double. With
 * S the support, G_SS = R'R its Cholesky factor and Q = D_S R^-1 orthonormal, P = D'Q holds the products of all atoms
 * with the basis; everything else follows from its columns. */
typedef struct kernel_work {
    _Alignas(MEMORY_ALIGN) kernel_rules rules; /* so that threads share no line of the cache */
    int64_t stride;                            /* atoms, padded */
    const void *gram;                          /* real, column j at j * stride */
    const void *usable; /* real, stride: 1 for atoms that may be chosen, 0 for zero atoms and padding */

    void **chunk;                     /* P by chunks of columns: real, stride * KERNEL_CHUNK each, see kernel/basis.h */
    int64_t chunks;                   /* made so far */
    void *corr, *slope, *free, *norm; /* real, stride: d'r; d'u along the path; usable and not chosen; 1 - |Q'd|^2 */
    void *row[1 + KERNEL_GUESSES];    /* real, atoms: rows of P, of the atom whose column is made and of guesses */
    void *most;                       /* real, stride: about the largest keys of every block, by lane */
    kernel_begun begun[KERNEL_BEGUN]; /* see kernel/column.h */
    int64_t begin_from;               /* columns of P from which on passes begin others: more than KERNEL_NEAR */
    double *factor;                   /* R, packed by columns: column k at k (k + 1) / 2 */
    double *proj;                     /* Q'x */
    double *turn;                     /* R'^-1 s: the path's direction in the basis */
    double *entry;                    /* where on the path each atom entered; LASSO: its coefficient */
    double *solution;                 /* of R b = y */
    int32_t *retired;                 /* atoms given up for this signal as dependent */

    int64_t verified;    /* when refine.c verifies the choices: the signals' dimensions; else 0 */
    kernel_rival *rival; /* ... KERNEL_RIVALS: what to compare in double */
    int64_t rivals;
    kernel_window *window; /* ... for every choice, and the end of a path */
    int64_t rotations;     /* ... of the columns of P, by atoms that left */
    double *level;         /* ... max |d'r| at every choice and at the end; infinite where no rule asks for it */
    int uncertain;         /* rounding errors had a say: the signal is to be recoded in float64 */
    kernel_end ended;      /* what ended a path: refine.c recomputes its end */
    int64_t rank;          /* size of the basis: support, factor and turn before zeros were taken out */
    int32_t next;          /* the atom that would have entered next, and its sign */
    int next_sign;

    int64_t count; /* the support's size, the result's nonzeros in the end */
    int32_t *support;
    double *value;
    double residual; /* ||x - D c||^2 */
    int64_t skipped; /* how many in retired */
    kernel_effort effort;
} kernel_work;

/* Codes the signal with a0 = D'x (real, stride) and energy x'x. INCO_ENOMEM, or 0. */
typedef int (*kernel_run)(kernel_work *work, const void *a0, double energy);

/* For signals coded in float32 (`fast`) whose result is wanted in double: verifies the support and solves for the
 * coefficients, from the atoms and the signal in double. */
typedef struct kernel_refinement {
    _Alignas(MEMORY_ALIGN) const double *dictionary; /* D x L, unit-norm columns; aligned as kernel_work */
    const double *signal;
    const float *products; /* D'x, as `fast` was given it */
    int64_t dim;
    double energy; /* x'x */
    kernel_work *fast;
    kernel_work *to;                                  /* support, value, count, residual: the result */
    double *fit, *path, *alpha, *turn, *row, *errors; /* workspace: the support's size, */
    double *rest, *moved;                             /* dim */
    double *upper, *inverse;                          /* R and R^-1, by rows of `pitch` */
    int64_t pitch;
} kernel_refinement;

/* 1 when done; 0 when the support may not be that of double, and the signal has to be recoded in float64. */
typedef int (*kernel_refine)(kernel_refinement *job);
kernel_refine kernel_choose_refine(void);

/* The kernel for a coder, precision and this CPU. */
kernel_run kernel_choose(int coder, inco_type type);

#endif
