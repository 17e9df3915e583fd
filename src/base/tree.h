/* Sums of equally long arrays over a sequence of chunks, in a fixed binary tree. The result depends only on the chunks
 * and their order, not on threads or ranks; log2(chunks) partial sums are in memory. */
#ifndef INCO_BASE_TREE_H
#define INCO_BASE_TREE_H

#include <stdint.h>

#include "base/cluster.h"

typedef struct tree_sum tree_sum;

/* For arrays of `length` numbers; the array of the total has `capacity` >= length. NULL: out of memory.
 */
tree_sum *tree_new(int64_t length, int64_t capacity, int threads);
void tree_free(tree_sum *tree);
void tree_clear(tree_sum *tree); /* empties it, keeping its memory */

/* Returns a zeroed array for the terms of the next chunk; NULL: out of memory. */
double *tree_next(tree_sum *tree);
/* The array from tree_next is full: that of chunk `number`, which follows the one before. */
void tree_push(tree_sum *tree, int64_t number);

/* Returns the sum of all chunks pushed, valid until tree_clear; NULL if there are none. The caller may change it if
 * nothing more is pushed before tree_clear. */
double *tree_total(tree_sum *tree);

/* The same over all ranks, each of which has pushed its share of `chunks` (cluster_share): *total on rank 0, NULL on
 * the others. A rank sends at most log2(chunks) partial sums. */
int tree_reduce(tree_sum *tree, cluster *c, int64_t chunks, double **total, inco_error *error);

#endif
