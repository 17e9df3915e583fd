/* Missing entries of signals, which are NaN (docs/theory/missing.md). All functions pass over them. */
#ifndef INCO_MAT_GAPS_H
#define INCO_MAT_GAPS_H

#include <inco/inco.h>

/* Atoms whose observed entries have less than this share of their energy say too little of the others (M-4). */
#define GAPS_LEAST 0.01

int64_t gaps_count(const inco_mat *x, int64_t n); /* number of missing entries of column n */
double gaps_energy(const inco_mat *x, int64_t n); /* squared norm of the observed entries */
double gaps_norm(const inco_mat *x, int64_t n);   /* (M-2): the norm, as estimated from the observed entries */
double gaps_mean(const inco_mat *x, int64_t n);   /* of the observed entries; 0 without any */
void gaps_divide(const inco_mat *x, int64_t n, double by);
void gaps_zero(const inco_mat *x); /* sets missing entries to 0 */
/* Fills missing entries by the multiple of y that is nearest to the observed ones (M-7). */
void gaps_fill_along(const inco_mat *x, int64_t n, const double *y);
/* Fills the missing entries of all columns along the mean of the columns. `mean` has x->rows values, for use here. */
void gaps_fill_by_mean(const inco_mat *x, double *mean);
/* Fills the missing entries of column n along the atom of d (double) that has the largest correlation with it over the
 * observed entries. */
void gaps_fill_by_atom(const inco_mat *x, int64_t n, const inco_mat *d);
/* Sets them to one kind of NaN, so that equal signals have equal bytes. Returns 1 and the position of the first
 * infinite entry, else 0. */
int gaps_check(const inco_mat *x, int64_t *row, int64_t *col);

#endif
