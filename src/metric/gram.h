/* All inner products of the normalised atoms, block by block, without the L x L matrix. */
#ifndef INCO_METRIC_GRAM_H
#define INCO_METRIC_GRAM_H

#include <inco/inco.h>

enum { GRAM_BLOCK = 256 };

/* The atoms that count, in the order of `index`. */
typedef struct gram_atoms {
    const inco_mat *d;    /* any type */
    const int64_t *index; /* columns of d; NULL: all */
    const double *norm;   /* by column of d, to divide by; NULL: they have unit norm */
    int64_t count;
} gram_atoms;

/* g[i + j * rows] = d_(first + i)' d_(second + j). With first = second only i < j is to be looked at; else first <
 * second, and every entry is another pair. */
typedef struct gram_block {
    const double *g;
    int64_t first, second, rows, cols;
    int64_t slot; /* its place among the blocks of this round, below gram_slots() */
    int thread;
} gram_block;

/* Blocks are visited in rounds; those of a round share no atom and may be visited at once, from several threads. `fold`
 * is called after each round from the calling thread, with the slots that were visited. Rounds and slots depend on the
 * number of atoms alone, so that what is summed by slot, and over slots in order, has the same bits for any number of
 * threads. */
typedef struct gram_visitor {
    void *self;
    void (*visit)(void *self, const gram_block *block);
    void (*fold)(void *self, int64_t slots);
    int (*tell)(void *self, int64_t round, int64_t rounds); /* after a round; positive stops the walk; may be NULL */
} gram_visitor;

int64_t gram_slots(int64_t count);
/* INCO_STOPPED when `tell` stopped it. */
int gram_walk(const gram_atoms *atoms, int threads, const gram_visitor *visitor, inco_error *error);

/* Atoms first .. first + count - 1, normalised, in double. */
void gram_gather(const gram_atoms *atoms, int64_t first, int64_t count, double *out);

#endif
