/* Checked calls of BLAS and LAPACK. BLAS always runs on one thread; large products are split here into fixed blocks, so
 * that the bits of a product depend only on its shape. */
#ifndef INCO_MAT_BLAS_H
#define INCO_MAT_BLAS_H

#include <inco/inco.h>

#include "mat/keeper.h"

/* C = alpha op(A) op(B) + beta C. form is "NN", "TN", "NT" or "TT"; all matrices have the same type and matching
 * shapes. With A = B and form "TN" or "NT", C is symmetric and half of it is computed; if beta is not 0, C must be
 * symmetric before. */
void blas_multiply(int threads, const char *form, double alpha, const inco_mat *a, const inco_mat *b, double beta,
                   const inco_mat *c);

/* For tests and benchmarks: number of multiplications in all matrix products since the last call. */
int64_t blas_multiplied(void);

/* Inner product of two arrays of n doubles, pairwise over fixed pieces. */
double blas_dot(int64_t n, const double *x, const double *y);
void blas_axpy(int64_t n, double alpha, const double *x, double *y); /* y += alpha x */
double blas_largest(int64_t n, const double *x);                     /* max |x_i|, 0 for n = 0 */

/* A += x y' + y x' for symmetric A; only the lower triangle is changed. */
void blas_syr2(const double *x, const double *y, const inco_mat *a);
/* y = A x for symmetric A, of which only the lower triangle is read; and y = M x, y = M'x for any M. All double. */
void blas_symv(const inco_mat *a, const double *x, double *y);
void blas_gemv(const inco_mat *m, double alpha, const double *x, double beta, double *y);
void blas_gemv_transposed(const inco_mat *m, double alpha, const double *x, double beta, double *y);

/* Solves X A = B for symmetric positive semidefinite A (L x L), B and X D x L: by Cholesky, or if A is singular by the
 * pseudo-inverse without eigenvalues below 1e-8 of the largest. X overwrites B; A is destroyed. */
int lapack_solve_right(inco_mat *a, inco_mat *b, inco_error *error);

/* x = A^-1 x for a small symmetric positive definite A (upper triangle read, destroyed). Returns 0 if A is numerically
 * singular; x is then unchanged. */
int lapack_solve_positive(const inco_mat *a, double *x);

/* Replaces m (double, rows <= cols) by the factor L of m = L Q: lower triangular in its first `rows` columns, with the
 * singular values of m. The other columns are undefined. */
int lapack_lq(inco_mat *m, inco_error *error);

/* Largest eigenvalue of an n x n tridiagonal matrix, with its unit eigenvector. `diagonal` (n) and `beside` (n) are
 * destroyed; work and iwork have 6 n entries. */
int lapack_tridiagonal_top(int64_t n, double *diagonal, double *beside, double *value, double *vector, double *work,
                           int64_t *iwork, inco_error *error);

/* The vectors.cols largest eigenvalues of a symmetric matrix (lower triangle read, destroyed), ascending, and their
 * unit eigenvectors. `values` has the size of the matrix. */
int lapack_leading_eigenvectors(inco_mat *a, double *values, inco_mat *vectors, inco_error *error);
/* The same by QR iterations for all eigenvectors, which takes longer: a fallback if the other fails. */
int lapack_leading_by_qr(inco_mat *a, double *values, inco_mat *vectors, inco_error *error);

/* All eigenvalues of a symmetric matrix (lower triangle read), ascending; it is replaced by their unit eigenvectors. */
int lapack_eigenvectors(inco_mat *a, double *values, inco_error *error);

/* m = U diag(values) V' for square m (double, destroyed): U and V', values descending. */
int lapack_svd(inco_mat *m, inco_mat *u, double *values, inco_mat *vt, inco_error *error);

/* All min(rows, cols) singular values of m (any type), descending. */
int lapack_singular_values(const inco_mat *m, double *values, inco_error *error);

#endif
