/* The subspace that signals span, up to rounding (docs/theory/span.md). */
#ifndef INCO_DATA_SPAN_H
#define INCO_DATA_SPAN_H

#include "mat/subspace.h"

/* `precision`: the coarser of the types that the signals were given in and are read in. Reads signals until they span
 * R^D, and all if they do not. Without a nonzero signal the rank is 0. */
int span_find(subspace *span, const inco_source *signals, inco_type precision, inco_error *error);

#endif
