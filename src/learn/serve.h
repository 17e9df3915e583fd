/* Orders of rank 0 to the other ranks of a cluster. Rank 0 runs the learner; the others wait in inco_learner_serve for
 * an order, and all ranks then call the same function, which shares its work among them. */
#ifndef INCO_LEARN_SERVE_H
#define INCO_LEARN_SERVE_H

#include "base/cluster.h"

enum { SERVE_END, SERVE_SUMS, SERVE_REFIT, SERVE_FINAL, SERVE_PRINT, SERVE_CHECK };

typedef struct serve_order {
    int64_t what; /* SERVE_... */
    /* For a coding pass: */
    int64_t atoms;
    int64_t first, count; /* its signals */
    int64_t held_out;     /* one of so many signals is held out of the pass; 0: none */
    int64_t spread;       /* in the order of data/order.h */
    double gain;          /* as in the learner */
    int64_t keep;         /* the codes are stored, to be refitted; or (SERVE_FINAL) wanted on rank 0 */
} serve_order;

/* On rank 0: gives an order. On the other ranks: receives it. */
int serve_pass_on(cluster *c, serve_order *order, inco_error *error);
/* On rank 0: gives an order that has no other field. */
int serve_ask(cluster *c, int64_t what, inco_error *error);

#endif
