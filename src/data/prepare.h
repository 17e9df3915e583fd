/* Preprocessed training signals: converted to the precision wanted, centred, normalised. A source around a source. */
#ifndef INCO_DATA_PREPARE_H
#define INCO_DATA_PREPARE_H

#include <stdatomic.h>

#include "base/options.h"
#include "data/print.h"

enum { NORMALIZE_UNIT, NORMALIZE_NONE };
enum { CENTER_NONE, CENTER_SIGNAL, CENTER_FEATURE };

typedef struct prepare_options {
    int64_t normalize, center;
} prepare_options;
OPTIONS_DECLARE(prepare)

typedef struct prepared {
    cluster *cluster;   /* set before `prepare`: the ranks that prepare the same signals; NULL: one process */
    inco_source source; /* what to read from */
    const inco_source *from;
    int center, unit;        /* CENTER_..., normalise to unit norm? */
    double *mean;            /* per feature, for CENTER_FEATURE */
    atomic_int tiny, usable; /* signals were read whose norms are too small to compute with; others */
    data_print *print;       /* of the signals as given; NULL: none is gathered */
} prepared;

/* `p` must not move as long as p->source is in use. Its cluster is set; the rest is overwritten. */
int prepare(prepared *p, const inco_source *from, inco_type type, int center, int unit, inco_error *error);
void prepare_free(prepared *p);

/* Fails if signals were read that are not zero, but all of them too small to compute with. All ranks call it. */
int prepare_check_tiny(prepared *p, inco_error *error);

/* The norm of each signal before it was normalised, 1 for all if it was not. */
int prepare_norms(const prepared *p, double *norm, inco_error *error);

#endif
