/* Error and counts of all codes of a pass, summed over its groups in a fixed tree. */
#ifndef INCO_DATA_TOTALS_H
#define INCO_DATA_TOTALS_H

#include "data/pass.h"

typedef struct totals totals;

typedef struct totals_sum {
    double residual, energy; /* ||X - D C||^2, ||X||^2, in double */
    int64_t nonzeros;
    int64_t skipped, zero_signals; /* as counted by the coder */
    int64_t missing, empty;        /* missing entries of the others; signals without an observed entry */
    double cardinality, weight;    /* nonzeros times weights; sum of the weights */
    const double *use_count;       /* per atom: its nonzeros; valid until totals_free */
} totals_sum;

/* `by`: the ranks that share the pass, or NULL. NULL: out of memory. */
totals *totals_new(int64_t atoms, int threads, cluster *by);
void totals_free(totals *t);
/* Before the pass: what the coder has seen so far does not count. */
void totals_begin(totals *t, const inco_coder *coder);

/* Adds the codes of a group, which `coder` made; `dictionary` is that of the codes. */
int totals_add(totals *t, const inco_mat *dictionary, const inco_coder *coder, const pass_group *group,
               inco_error *error);
/* The sums over all `groups` groups of the pass, on all ranks; without ranks, over those that were added. */
int totals_find(totals *t, int64_t groups, totals_sum *sum, inco_error *error);

#endif
