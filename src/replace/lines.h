/* Common directions of many vectors: lines through the origin, each vector assigned to the closest line
 * (docs/theory/exchange.md). */
#ifndef INCO_REPLACE_LINES_H
#define INCO_REPLACE_LINES_H

#include <inco/inco.h>

/* Vectors r (columns, double) with weights. */
typedef struct lines_input {
    const inco_mat *r;
    const double *weight; /* per vector; NULL: 1 */
    int threads;
} lines_input;

/* Finds up to z->cols lines for the vectors. The columns of z (double) receive their unit vectors, `gain` the weighted
 * energy of r that each captures, both in descending order of gain. *found: their number, which may be less. */
int lines_find(inco_mat *z, double *gain, int64_t *found, const lines_input *in, inco_error *error);

#endif
