/* Directions that many vectors have in common: lines through the origin, each vector with the line closest to it. The
 * equations are in docs/theory/exchange.md. */
#ifndef INCO_REPLACE_LINES_H
#define INCO_REPLACE_LINES_H

#include <inco/inco.h>

/* Finds up to z->cols lines for the columns of r (double). Columns of z (double) get their unit vectors, `gain` the
 * energy of r that each takes up, both by falling gain. *found: how many there are; fewer when r has no more. */
int lines_find(inco_mat *z, double *gain, int64_t *found, const inco_mat *r, int threads, inco_error *error);

#endif
