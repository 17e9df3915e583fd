/* Initial dictionaries: D x L, double, unit-norm columns. */
#ifndef INCO_DESIGN_INIT_H
#define INCO_DESIGN_INIT_H

#include <inco/inco.h>

/* Distinct random signals of the source, without zero signals. INCO_EDATA if there are too few. */
int init_sample(inco_mat *d, const inco_source *source, uint64_t seed, int threads, inco_error *error);

/* Overcomplete cosines, or the first atoms of the orthonormal DCT if L <= D; for patches (rows x cols = D, pixel (r, c)
 * at r * cols + c) products of two. Without patches rows = D, cols = 1. The first atom is constant, the others have
 * zero mean. */
int init_dct(inco_mat *d, int64_t patch_rows, int64_t patch_cols, inco_error *error);

/* Independent normal entries, normalised. */
int init_random(inco_mat *d, uint64_t seed, inco_error *error);

#endif
