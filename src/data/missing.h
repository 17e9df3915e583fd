/* Signals with missing entries (docs/theory/missing.md). Inside the library a missing entry is NaN in a source whose
 * member `missing` is set. */
#ifndef INCO_DATA_MISSING_H
#define INCO_DATA_MISSING_H

#include "base/options.h"
#include "data/subset.h"
#include "sparse/csc.h"

/* A source in which the entries that a mask leaves out are NaN. */
typedef struct masked {
    inco_source source;
    const inco_source *from;
} masked;

/* `m` must not move, and `from` must live, as long as m->source is in use. Entries are missing by the mask of the
 * source, or are NaN by its member `missing` or by the option; `options` may be NULL. */
void missing_open(masked *m, const inco_source *from, const inco_options *options);

/* What missing_keep has found. */
typedef struct missing_counts {
    int64_t entries; /* missing entries, of the signals with others */
    int64_t empty;   /* signals without an observed entry */
} missing_counts;

/* Makes `present` the signals with observed entries; if these are all, present->source is `from` itself. Refuses a
 * feature that no signal has, unless `any` allows it. Reads all signals. subset_free is required after a failure too.
 */
int missing_keep(subset *present, const inco_source *from, int any, missing_counts *counts, inco_error *error);

/* Signals that are being filled: x_i = (D c)_i at missing entries (M-1). */
typedef struct filling {
    const inco_mat *dictionary; /* D x L, any type */
    const double *norms;        /* by which codes are for longer atoms than those of the dictionary; NULL: 1 */
    const csc *codes;
    const inco_mat *x;
    unsigned char *missing; /* rows x cols of x: set to 1 where an entry was missing, else 0 */
    int threads;
} filling;

/* Returns whether an entry was missing, 1 or 0; or INCO_ENOMEM. */
int missing_fill(const filling *job, inco_error *error);

#endif
