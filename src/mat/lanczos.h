/* Leading eigenvector of a symmetric matrix by the Lanczos method: a few products with the matrix, where a tridiagonal
 * reduction costs n of them. */
#ifndef INCO_MAT_LANCZOS_H
#define INCO_MAT_LANCZOS_H

#include <inco/inco.h>

typedef struct lanczos {
    int64_t order;                                   /* maximum order of the matrix */
    inco_mat basis;                                  /* order x steps, orthonormal columns */
    double *alpha, *beta, *copy, *top, *work, *next; /* the tridiagonal matrix; a copy; its eigenvector; workspace */
    int64_t *iwork;
    double scale; /* of the matrix, a power of two */
} lanczos;

int lanczos_new(lanczos *w, int64_t order, inco_error *error); /* lanczos_free is required after a failure too */
void lanczos_free(lanczos *w);

/* Replaces v, an initial vector of any norm that is not orthogonal to it, by the unit eigenvector of the largest
 * eigenvalue of a (double, positive semidefinite, lower triangle read): |a v - value v| <= 1e-12 value, up to rounding.
 * A zero matrix leaves v unchanged and gives the value 0. */
int lanczos_top(lanczos *w, const inco_mat *a, double *v, double *value, inco_error *error);

#endif
