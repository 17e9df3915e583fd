/* Signals in another order: a source around a source. Any consecutive signals of the new order come from everywhere in
 * the data, so that a batch of them represents data that is sorted (docs/theory/schedule.md). */
#ifndef INCO_DATA_ORDER_H
#define INCO_DATA_ORDER_H

#include <inco/inco.h>

typedef struct spread_order {
    inco_source source; /* the signals in the new order */
    const inco_source *from;
    int64_t blocks, step; /* (SCHED-4): number of whole blocks, and from one to the next */
} spread_order;

/* `o` must not move as long as o->source is in use. A sequential source keeps its order. */
void order_make(spread_order *o, const inco_source *from);

/* The index in the data of signal i of the new order. */
int64_t order_index(const spread_order *o, int64_t i);

#endif
