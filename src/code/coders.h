/* The coders, in the order of --help, and the kernels of src/code/kernel that they use. */
#ifndef INCO_CODE_CODERS_H
#define INCO_CODE_CODERS_H

#include <stdint.h>

/* Constant and name of each kernel; `isa` is the suffix of its compiled names. */
#define KERNELS(X, isa)                                                                                                \
    X(KERNEL_PURSUIT, pursuit, isa)                                                                                    \
    X(KERNEL_LARS, lars, isa)

/* Constant, name, kernel, whether it supports nonnegative coefficients, whether its coefficients are least squares on
 * the support, residual coherence in 160 dimensions at which it stops if no rule is given (-1: none), whether it then
 * stops at a twentieth of the dimensions instead; without either, a rule is required; help. */
#define CODERS(X)                                                                                                      \
    X(CODER_OMP, "omp", KERNEL_PURSUIT, 1, 1, -1, 1, "orthogonal matching pursuit")                                 \
    X(CODER_OLS, "ols", KERNEL_PURSUIT, 1, 1, -1, 1, "orthogonal least squares")                                    \
    X(CODER_LARC, "larc", KERNEL_LARS, 0, 0, 0.2, 0, "least angle regression, stopped at a residual coherence")        \
    X(CODER_LARS, "lars", KERNEL_LARS, 0, 0, -1, 0, "least angle regression")                                          \
    X(CODER_LASSO, "lasso", KERNEL_LARS, 1, 0, -1, 0, "the lasso, by homotopy")

#define CODERS_CONSTANT(constant, name, kernel, nonnegative, squares, coherence, sparse, help) constant,
enum { CODERS(CODERS_CONSTANT) };

#define KERNELS_CONSTANT(constant, name, isa) constant,
enum { KERNELS(KERNELS_CONSTANT, ) KERNEL_COUNT };

typedef struct coder_kind {
    const char *name;
    int kernel;
    int nonnegative;
    int least_squares;
    double residual_coherence;
    int sparse;
} coder_kind;

const coder_kind *coder_kind_at(int64_t coder);

#endif
