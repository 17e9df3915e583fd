/* The coders of --coder, in the order of its choices, and the kernels of src/code/kernel that they use. */
#ifndef INCO_CODE_CODERS_H
#define INCO_CODE_CODERS_H

#include <stdint.h>

/* Constant and name of the kernel; `isa` is for its names as compiled. */
#define KERNELS(X, isa)                                                                                                \
    X(KERNEL_PURSUIT, pursuit, isa)                                                                                    \
    X(KERNEL_LARS, lars, isa)

/* Constant, name, kernel, can its coefficients be held at zero or more, are they of least squares,
 * the residual coherence at which it stops when no rule is given (-1: it needs a rule), help. */
#define CODERS(X)                                                                                                      \
    X(CODER_LARC, "larc", KERNEL_LARS, 0, 0, 0.2, "least angle regression to a residual coherence")                    \
    X(CODER_OMP, "omp", KERNEL_PURSUIT, 1, 1, -1, "orthogonal matching pursuit")                                       \
    X(CODER_OLS, "ols", KERNEL_PURSUIT, 1, 1, -1, "orthogonal least squares")                                          \
    X(CODER_LARS, "lars", KERNEL_LARS, 0, 0, -1, "the path of least angle regression")                                 \
    X(CODER_LASSO, "lasso", KERNEL_LARS, 1, 0, -1, "the path of the lasso")

#define CODERS_CONSTANT(constant, name, kernel, nonnegative, squares, coherence, help) constant,
enum { CODERS(CODERS_CONSTANT) };

#define KERNELS_CONSTANT(constant, name, isa) constant,
enum { KERNELS(KERNELS_CONSTANT, ) KERNEL_COUNT };

typedef struct coder_kind {
    const char *name;
    int kernel;
    int nonnegative;
    int least_squares;
    double residual_coherence;
} coder_kind;

const coder_kind *coder_kind_at(int64_t coder);

#endif
