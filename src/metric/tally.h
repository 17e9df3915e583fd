/* Counts and sums of inspect over all pairs of atoms. */
#ifndef INCO_METRIC_TALLY_H
#define INCO_METRIC_TALLY_H

#include "metric/gram.h"

/* LISTED: maximum number of near duplicates that are listed. */
enum { TALLY_BABEL = 64, TALLY_BINS = 100, TALLY_PAIRS = 20, TALLY_LISTED = 1000000 };

/* As in inco_metrics, whose arrays point to this. */
typedef struct tally_result {
    double max, rms, mean, median; /* of |d_i'd_j| */
    int64_t duplicates;
    int64_t histogram[TALLY_BINS];
    int64_t babel_count;
    double babel[TALLY_BABEL];
    int64_t pair_count;
    int64_t pair_first[TALLY_PAIRS], pair_second[TALLY_PAIRS]; /* columns of d */
    double pair_similarity[TALLY_PAIRS];
    /* Allocated: per column of d, NULL for fewer than two atoms; and the most coherent near duplicates. */
    int64_t *nearest; /* the most similar column; -1 for a column that is not among the atoms */
    double *nearest_similarity;
    int64_t listed;
    int64_t *listed_first, *listed_second;
    double *listed_similarity;
} tally_result;

typedef struct tally_settings {
    double duplicate; /* threshold for duplicates */
    int threads;
    void *self; /* for `tell`, as in gram_visitor */
    int (*tell)(void *self, int64_t round, int64_t rounds);
} tally_settings;

/* INCO_STOPPED if `tell` stopped it; the result is then incomplete. */
int tally_pairs(const gram_atoms *atoms, const tally_settings *settings, tally_result *result, inco_error *error);

/* Frees the arrays of a result. */
void tally_result_free(tally_result *result);

#endif
