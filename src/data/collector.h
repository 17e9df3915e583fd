/* Collects A = C C', B = X C' and ||X||^2 group by group. */
#ifndef INCO_DATA_COLLECTOR_H
#define INCO_DATA_COLLECTOR_H

#include "data/pass.h"
#include "data/statistics.h"

typedef struct collector collector;

/* Sums over all signals of a pass. */
typedef struct collected {
    statistics s;
    double residual;         /* of ||x - D c||^2, as coded */
    double nonzeros;          /* of the codes */
    double weight;            /* of the signals; all of these sums are weighted */
    const double *use_weight; /* per atom: of the signals that use it */
} collected;

/* `by`: the ranks that share the groups, or NULL. NULL: out of memory. */
collector *collector_new(int64_t dim, int64_t atoms, int threads, cluster *by);
void collector_free(collector *c);
void collector_clear(collector *c);
int collector_add(collector *c, const pass_group *group, inco_error *error);
/* Sums over all `groups` groups, on rank 0; on the others empty. Views, valid until collector_clear; nothing may be
 * added before that. */
int collector_total(collector *c, int64_t groups, collected *total, inco_error *error);

#endif
