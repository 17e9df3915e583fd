/* All inner products of the atoms, and gradients of sums over them, in blocks without an L x L matrix. */
#ifndef INCO_PAIRS_PAIRS_H
#define INCO_PAIRS_PAIRS_H

#include <inco/inco.h>

/* Products of atoms first .. with atoms second ..; every pair is in one block. In a diagonal block (first = second)
 * only pairs i < j are nonzero. */
typedef struct pairs_block {
    inco_mat g;
    int64_t first, second;
    int64_t slot; /* index among the blocks of this round, below w->blocks */
} pairs_block;

/* The blocks of a round share no atom and are visited in parallel; after every round `fold` is called from one thread,
 * with the slots that may have been visited; a nonzero result stops the walk. Rounds and slots depend only on the
 * number of atoms. */
typedef struct pairs_visitor {
    void *self;
    void (*visit)(void *self, const pairs_block *block);
    int (*fold)(void *self, int64_t slots);
} pairs_visitor;

typedef struct pairs_work {
    int64_t rows, cols, block, blocks;
    int threads;
    double *products; /* one block of products per thread */
    /* during a walk: */
    int64_t round;
    const inco_mat *d;
    const pairs_visitor *visitor;
} pairs_work;

/* Workspace for D x L dictionaries. pairs_close is required after a failure too. */
int pairs_open(pairs_work *w, int64_t rows, int64_t cols, int threads, inco_error *error);
void pairs_close(pairs_work *w);

/* d: D x L, double, compact. */
void pairs_walk(pairs_work *w, const inco_mat *d, const pairs_visitor *visitor);

/* For a visitor that has replaced the products by weights, `active` of them nonzero: adds scale * sum_i weight_ij d_i
 * over the pairs of this block to the gradient of every atom. */
void pairs_push(const pairs_block *block, int64_t active, double scale, const inco_mat *d, const inco_mat *gradient);

#endif
