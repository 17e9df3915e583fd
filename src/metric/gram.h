/* All inner products of the normalised atoms in blocks, without an L x L matrix. */
#ifndef INCO_METRIC_GRAM_H
#define INCO_METRIC_GRAM_H

#include <inco/inco.h>

enum { GRAM_BLOCK = 256 };

/* A subset of atoms, in the order of `index`. */
typedef struct gram_atoms {
    const inco_mat *d;    /* any type */
    const int64_t *index; /* columns of d; NULL: all */
    const double *norm;   /* norms by column of d, to divide by; NULL: unit norm */
    int64_t count;
} gram_atoms;

/* g[i + j * rows] = d_(first + i)' d_(second + j). If first = second, only i < j is valid; else first < second, and all
 * entries are. */
typedef struct gram_block {
    const double *g;
    int64_t first, second, rows, cols;
    int64_t slot; /* index among the blocks of this round, below gram_slots() */
    int thread;
} gram_block;

/* Blocks are visited in rounds; the blocks of a round share no atom and may be visited in parallel. `fold` is called
 * after each round from the calling thread, with the slots that were visited. Rounds and slots depend only on the
 * number of atoms, so that sums by slot, and over slots in order, have the same bits for any number of threads. */
typedef struct gram_visitor {
    void *self;
    void (*visit)(void *self, const gram_block *block);
    void (*fold)(void *self, int64_t slots);
    int (*tell)(void *self, int64_t round, int64_t rounds); /* after a round; a positive result stops the walk; may be
                                                             * NULL */
} gram_visitor;

int64_t gram_slots(int64_t count);
/* INCO_STOPPED if `tell` stopped it. */
int gram_walk(const gram_atoms *atoms, int threads, const gram_visitor *visitor, inco_error *error);

/* Atoms first .. first + count - 1, normalised, in double. */
void gram_gather(const gram_atoms *atoms, int64_t first, int64_t count, double *out);

#endif
