/* A pass over the signals in batches, with an update after each, from sums that forget former batches: --method online,
 * and the first iterations of --method idl (docs/theory/online.md, schedule.md). */
#ifndef INCO_LEARN_BATCHES_H
#define INCO_LEARN_BATCHES_H

#include "data/collector.h"
#include "learn/learner.h"
#include "update/update.h"

/* A, B and the energies of all signals seen, with decreasing weights. */
typedef struct batch_sums {
    inco_mat a, b;
    double energy, observed; /* as in statistics */
    double weight;           /* sum of the weights of the signals; 0: none seen yet */
} batch_sums;

/* Part of the state of a method, initially zero. */
typedef struct batch_state {
    batch_sums sums; /* state between iterations, with the dictionary */
} batch_state;

typedef struct batch_place {
    int64_t first, count; /* signals of the pass */
    double weight;        /* of the signals coded so far */
} batch_place;

/* How a method learns in batches. */
typedef struct batch_rule {
    int64_t spread; /* batches take the signals in the order of data/order.h, else in that of the data */
    /* Size of the batch that begins with signal `first` of the pass. */
    int64_t (*size)(const learner *l, int64_t first);
    /* Factor of the sums when this batch is added. */
    double (*factor)(const learner *l, const batch_place *batch);
    /* Updates the dictionary for the sums, to which this batch was added. The result, for all signals, is NULL unless
     * the batch is the last one of the pass. */
    int (*update)(learner *l, const batch_place *batch, const statistics *s, update_result *result, inco_error *error);
} batch_rule;

/* One pass. If it fails or is stopped, the sums are as before; the caller restores the dictionary. */
int batches_run(learner *l, batch_state *own, const batch_rule *rule, inco_error *error);

/* From sums of weight w to all signals, of weight `weight`: the factor weight / w. */
double batches_scale(const batch_sums *sums, double weight);

int batches_copy(batch_sums *to, const batch_sums *from, inco_error *error);
void batches_free(batch_state *own);

/* For checkpoints: `save` and `resume` of a method. */
int batches_save(const batch_state *own, const inco_stream *stream);
int batches_resume(batch_state *own, const inco_mat *d, const inco_stream *stream, inco_error *error);

#endif
