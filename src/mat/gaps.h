/* Missing entries of signals, which are NaN (docs/theory/missing.md). All functions pass over them. */
#ifndef INCO_MAT_GAPS_H
#define INCO_MAT_GAPS_H

#include <inco/inco.h>

int64_t gaps_count(const inco_mat *x, int64_t n); /* number of missing entries of column n */
double gaps_energy(const inco_mat *x, int64_t n); /* squared norm of the observed entries */
double gaps_norm(const inco_mat *x, int64_t n);   /* (M-2): the norm, as estimated from the observed entries */
double gaps_mean(const inco_mat *x, int64_t n);   /* of the observed entries; 0 without any */
void gaps_divide(const inco_mat *x, int64_t n, double by);
void gaps_zero(const inco_mat *x); /* sets missing entries to 0 */
/* Sets them to one kind of NaN, so that equal signals have equal bytes. Returns 1 and the position of the first
 * infinite entry, else 0. */
int gaps_check(const inco_mat *x, int64_t *row, int64_t *col);

#endif
