/* Interface between the coder and its kernels, which are compiled for each precision and instruction set. A kernel
 * codes one signal, given G = D'D, a0 = D'x and x'x. */
#ifndef INCO_CODE_KERNEL_H
#define INCO_CODE_KERNEL_H

#include <stdint.h>

#include <inco/inco.h>

#include "base/memory.h"
#include "code/coders.h"

enum {
    KERNEL_PAD = 128,    /* arrays over atoms are padded with zeros to a multiple of this */
    KERNEL_CHUNK = 64,   /* columns of P allocated at a time */
    KERNEL_BEGUN = 4,    /* columns of P that can be computed in part before their atoms are chosen, */
    KERNEL_GUESSES = 2,  /* and the maximum number begun in one pass */
    KERNEL_NEAR = 49152, /* bytes of P that fit into the L1 cache, about */
    KERNEL_PITCH = 16,   /* rows of matrices over the support are padded to a multiple of this */
    KERNEL_RIVALS = 64,  /* maximum number of rivals per signal; with more, the signal is recoded in float64 */
};

/* Unit roundoff of float32. */
#define KERNEL_UNIT 0x1p-24

/* A rival: `atom` may have had the largest key at step `step` or later; ambiguous in float32. */
typedef struct kernel_rival {
    int32_t step, atom;
} kernel_rival;

/* Error bounds assumed by float32 for one choice: of correlations (`corr`) and of squared remaining norms (`norm`).
 * kernel/refine.c proves them for each signal, or has the signal recoded. */
typedef struct kernel_window {
    double corr, norm;
    double rounding; /* part of corr: rounding errors along a path */
} kernel_window;

/* Variant and stopping rules. Rules that are off are negative. */
typedef struct kernel_rules {
    int coder, kernel; /* CODER_OMP, ...; KERNEL_PURSUIT, ... */
    int nonnegative, refit;
    int64_t atoms;    /* maximum number of atoms in a code */
    double coherence; /* max |d'r| / ||r|| */
    double tolerance; /* ||r|| / ||x|| */
    double lambda;    /* max |d'r| */
} kernel_rules;

/* Work counters since the workspace was allocated, for tests and benchmarks. */
typedef struct kernel_effort {
    int64_t atoms;      /* added to a basis */
    int64_t bytes;      /* of P and G read in whole columns */
    int64_t multiplied; /* entries of P and G, including those for columns that were begun and not used */
} kernel_effort;

/* Partial column of P of an atom that is not chosen yet: P r over the first `columns` of P, r = row of the atom. */
typedef struct kernel_begun {
    int64_t atom; /* -1: none */
    int64_t columns;
    void *sum; /* real, stride */
} kernel_begun;

typedef enum kernel_end { END_OF_PATH, END_EVENT, END_LAMBDA, END_COHERENCE, END_TOLERANCE } kernel_end;

/* Input, workspace and result of one thread. "real" means float or double. With S the support, G_SS = R'R its Cholesky
 * factorisation and Q = D_S R^-1 an orthonormal basis, P = D'Q holds the inner products of all atoms with the basis;
 * everything else follows from its columns. */
typedef struct kernel_work {
    _Alignas(MEMORY_ALIGN) kernel_rules rules; /* aligned: threads share no cache line */
    int64_t stride;                            /* atoms, padded */
    const void *gram;                          /* real, column j at j * stride */
    const void *usable; /* real, stride: 1 for atoms that may be chosen, 0 for zero atoms and padding */

    void **chunk;                     /* P in chunks of columns: real, stride * KERNEL_CHUNK each, see kernel/basis.h */
    int64_t chunks;                   /* allocated so far */
    void *corr, *slope, *free, *norm; /* real, stride: d'r; d'u along the path; usable and not chosen; 1 - |Q'd|^2 */
    void *row[1 + KERNEL_GUESSES];    /* real, atoms: rows of P, of the atom whose column is computed and of guesses */
    void *maximum;                    /* real, stride: largest keys of every block, per lane, approximately */
    kernel_begun begun[KERNEL_BEGUN]; /* see kernel/column.h */
    int guesses;                      /* columns begun per pass, by kernel_guesses */
    int64_t begin_from;               /* number of columns above which P exceeds KERNEL_NEAR, and guesses pay off */
    double *factor;                   /* R, packed by columns: column k at k (k + 1) / 2 */
    double *proj;                     /* Q'x */
    double *turn;                     /* z = R'^-1 s: direction of the path in the basis */
    double *entry;                    /* level at which each atom entered; LASSO: its coefficient */
    double *solution;                 /* of R b = y */
    int32_t *retired;                 /* atoms skipped for this signal as linearly dependent */

    int64_t verified;    /* dimension of the signals if refine.c verifies the choices; else 0 */
    kernel_rival *rival; /* ... KERNEL_RIVALS: atoms to compare in double */
    int64_t rivals;
    kernel_window *window; /* ... for every choice, and for the end of a path */
    int64_t rotations;     /* ... of the columns of P, when atoms left */
    double *level;         /* ... max |d'r| at every choice and at the end; infinite if no rule needs it */
    int uncertain;         /* a decision was within rounding errors: recode the signal in float64 */
    kernel_end ended;      /* what ended the path: refine.c recomputes its end */
    int64_t rank;          /* size of the basis: of support, factor and turn, including zero coefficients */
    int32_t next;          /* the atom that would have entered next, and its sign */
    int next_sign;

    int64_t count; /* size of the support; finally the number of nonzeros */
    int32_t *support;
    double *value;
    double residual; /* ||x - D c||^2 */
    int64_t skipped; /* number of retired atoms */
    kernel_effort effort;
} kernel_work;

/* Codes the signal with a0 = D'x (real, stride) and energy x'x. Returns 0 or INCO_ENOMEM. */
typedef int (*kernel_run)(kernel_work *work, const void *a0, double energy);

/* Double precision for a signal coded in float32 (`fast`): verifies the support and computes the coefficients, from the
 * atoms and the signal in double. */
typedef struct kernel_refinement {
    _Alignas(MEMORY_ALIGN) const double *dictionary; /* D x L, unit-norm columns; aligned as kernel_work */
    const double *signal;
    const float *products; /* D'x as given to `fast` */
    int64_t dim;
    double energy; /* x'x */
    kernel_work *fast;
    kernel_work *to;                                  /* support, value, count, residual: the result */
    double *fit, *path, *alpha, *turn, *row, *errors; /* workspace of the size of the support, */
    double *residual, *moved;                         /* dim */
    double *upper, *inverse;                          /* R and R^-1, by rows of `pitch` */
    int64_t pitch;
} kernel_refinement;

/* Returns 1 on success; 0 if double may have a different support: the signal must be recoded in float64. */
typedef int (*kernel_refine)(kernel_refinement *job);
kernel_refine kernel_choose_refine(void);

/* Returns the number of columns that a pass should begin on this CPU, at most KERNEL_GUESSES; 1 but for AVX-512. */
int kernel_guesses(void);

/* Returns the kernel for a coder and precision on this CPU. */
kernel_run kernel_choose(int coder, inco_type type);

#endif
