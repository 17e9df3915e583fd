/* Codes of all signals between two passes, by group: in memory up to a limit, the others in a spool. */
#ifndef INCO_DATA_KEPT_H
#define INCO_DATA_KEPT_H

#include "sparse/csc.h"

typedef struct kept kept;

kept *kept_new(int64_t groups, int64_t limit); /* bytes in memory; NULL: out of memory */
void kept_free(kept *k);
/* Forgets all codes. */
void kept_clear(kept *k);
/* Takes over the codes of a group, also on failure. */
int kept_put(kept *k, int64_t group, csc *codes, inco_error *error);
/* Returns the codes of a group to the caller, who frees them or puts them back. */
int kept_take(kept *k, int64_t group, csc *codes, inco_error *error);

#endif
