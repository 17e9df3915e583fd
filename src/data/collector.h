/* Collects A = C C', B = X C' and ||X||^2 group by group. */
#ifndef INCO_DATA_COLLECTOR_H
#define INCO_DATA_COLLECTOR_H

#include "data/pass.h"
#include "data/statistics.h"

typedef struct collector collector;

collector *collector_new(int64_t dim, int64_t atoms, int threads); /* NULL: out of memory */
void collector_free(collector *c);
void collector_clear(collector *c);
int collector_add(collector *c, const pass_group *group, inco_error *error);
/* Views of the sums, valid until collector_clear; nothing may be added before that. At least one group must have been
 * added. */
statistics collector_total(collector *c);

#endif
