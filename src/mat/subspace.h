/* A subspace of R^D, and projections onto it (docs/theory/span.md). */
#ifndef INCO_MAT_SUBSPACE_H
#define INCO_MAT_SUBSPACE_H

#include <inco/inco.h>

typedef struct subspace {
    int64_t dim, rank;
    inco_mat basis; /* orthonormal columns, of the subspace or of its complement; empty: all of R^D */
    int complement; /* which */
} subspace;

subspace subspace_whole(int64_t dim);
void subspace_free(subspace *s);

/* From an orthogonal matrix u (D x D) whose first `rank` columns span the subspace: copies the smaller of its two
 * parts. */
int subspace_make(subspace *s, const inco_mat *u, int64_t rank, inco_error *error);

/* A part of a vector outside of the subspace that is smaller than this, relative to the vector, is rounding. */
static const double SUBSPACE_ROUNDING = 1e-12;

/* Projects the columns of m (double); s = NULL: leaves them as they are. Those that are in the subspace up to rounding
 * stay as they are, so that a second projection changes no bit. */
int subspace_project(const subspace *s, const inco_mat *m, int threads, inco_error *error);

/* The same for unit-norm columns, which are normalised again; those of which less than 1e-6 is in the subspace become
 * zero. *seen (may be NULL): number of columns of which more than 1e-3 was outside. */
int subspace_project_atoms(const subspace *s, const inco_mat *d, int threads, int64_t *seen, inco_error *error);

/* Singular values, relative to the root of the sum of their squares, that rounding to a type may leave of a zero one
 * (SPAN-2). */
double subspace_noise(inco_type type);

#endif
