/* The leading eigenvector of a symmetric matrix by the Lanczos method: a few products with the matrix where a
 * tridiagonal reduction would take n of them. */
#ifndef INCO_MAT_LANCZOS_H
#define INCO_MAT_LANCZOS_H

#include <inco/inco.h>

typedef struct lanczos {
    int64_t order;                                   /* of the largest matrix it takes */
    inco_mat basis;                                  /* order x steps, orthonormal columns */
    double *alpha, *beta, *copy, *top, *work, *next; /* the tridiagonal matrix; a copy of it; its vector; scratch */
    int64_t *iwork;
} lanczos;

int lanczos_new(lanczos *w, int64_t order, inco_error *error); /* lanczos_free is needed after a failure too */
void lanczos_free(lanczos *w);

/* Replaces v, a start of any norm with some part along it, by the unit eigenvector of the largest eigenvalue of a
 * (double, positive semidefinite, lower triangle read): |a v - value v| <= 1e-12 value, as far as rounding allows. A
 * zero matrix leaves v and gives the value 0. */
int lanczos_top(lanczos *w, const inco_mat *a, double *v, double *value, inco_error *error);

#endif
