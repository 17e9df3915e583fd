/* All inner products of a dictionary's atoms, and gradients of sums over them, in blocks: no L x L matrix. */
#ifndef INCO_PAIRS_PAIRS_H
#define INCO_PAIRS_PAIRS_H

#include <inco/inco.h>

/* Products of atoms first .. with atoms second ..; every pair is in one block. Of a block with itself (first = second)
 * those of the pairs i < j, the others are zero. */
typedef struct pairs_block {
    inco_mat g;
    int64_t first, second;
    int64_t slot; /* its place among the blocks of this round, below w->blocks */
} pairs_block;

/* The blocks of a round share no atom and are visited at once, from several threads; `fold` is called after every round
 * from one, with the slots that may have been visited, and goes on while it returns 0. Rounds and slots depend on the
 * number of atoms alone. */
typedef struct pairs_visitor {
    void *self;
    void (*visit)(void *self, const pairs_block *block);
    int (*fold)(void *self, int64_t slots);
} pairs_visitor;

typedef struct pairs_work {
    int64_t rows, cols, block, blocks;
    int threads;
    double *room; /* a block of products for every thread */
    /* while under way: */
    int64_t round;
    const inco_mat *d;
    const pairs_visitor *visitor;
} pairs_work;

/* Workspace for D x L dictionaries. pairs_close is needed after a failure too. */
int pairs_open(pairs_work *w, int64_t rows, int64_t cols, int threads, inco_error *error);
void pairs_close(pairs_work *w);

/* d: D x L, double, compact. */
void pairs_walk(pairs_work *w, const inco_mat *d, const pairs_visitor *visitor);

/* For a visitor that has put weights in the place of the products, `active` of them not zero: adds to the gradient of
 * every atom scale * sum_i weight_ij d_i over the pairs of this block. */
void pairs_push(const pairs_block *block, int64_t active, double scale, const inco_mat *d, const inco_mat *gradient);

#endif
