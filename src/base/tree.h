/* Sums of equally long arrays over a sequence of chunks, in a fixed binary tree. The result depends on the chunks and
 * their order alone, never on threads or ranks; log2(chunks) partial sums are held. */
#ifndef INCO_BASE_TREE_H
#define INCO_BASE_TREE_H

#include <stdint.h>

typedef struct tree_sum tree_sum;

/* Of arrays of `length`; that of the total has room for `room` numbers, at least as many. NULL without memory. */
tree_sum *tree_new(int64_t length, int64_t room, int threads);
void tree_free(tree_sum *tree);
void tree_clear(tree_sum *tree); /* empties it, keeping its memory */

/* A zeroed array to put the next chunk's terms into; NULL when there is no memory. */
double *tree_next(tree_sum *tree);
void tree_push(tree_sum *tree); /* the array from tree_next is full */

/* The sum of all chunks pushed, valid until tree_clear; NULL when there are none. The caller may change it when nothing
 * more is pushed before that. */
double *tree_total(tree_sum *tree);

#endif
