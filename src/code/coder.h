/* The sparse coder: a dictionary prepared for coding, and one workspace per thread. */
#ifndef INCO_CODE_CODER_H
#define INCO_CODE_CODER_H

#include "code/coder_options.h"
#include "sparse/csc.h"

/* Counters since the coder was created. */
typedef struct coder_counts {
    int64_t skipped; /* linearly dependent atoms skipped, summed over signals */
    int64_t zero_signals;
    int64_t zero_atoms;
    int64_t grams; /* Gram matrices computed */
    int64_t again; /* signals recoded in float64: float32 was ambiguous */
    int64_t atoms; /* added to bases, and bytes of bases and Gram matrices read: see kernel_effort */
    int64_t bytes;
    int64_t multiplied; /* in computing bases */
} coder_counts;

coder_counts coder_seen(const inco_coder *coder);

/* For tests: a coder in double that does not use float32. */
void coder_without_fast(inco_coder *coder);
/* For tests: a coder without guesses (kernel/column.h). */
void coder_without_guesses(inco_coder *coder);

typedef struct coder_shape {
    int64_t dim, atoms;
    inco_type type;
    int threads;
} coder_shape;

/* Creates a coder without a dictionary: coder_set_dictionary sets one, or another of the same size. */
int coder_open(inco_coder **result, const coder_shape *shape, const coder_options *rules, inco_error *error);
int coder_set_dictionary(inco_coder *coder, const inco_mat *dictionary, inco_error *error);
/* From now on NaN is a missing entry of a signal (docs/theory/missing.md).
 * Fails if the coder cannot leave entries out. */
int coder_take_gaps(inco_coder *coder, inco_error *error);
/* The atoms in unit norm, and their norms before. */
const inco_mat *coder_atoms(const inco_coder *coder, const double **norms);

/* Like inco_coder_run, for internal codes, which are created here and must be freed after a failure too. */
int coder_run(inco_coder *coder, const inco_mat *x, csc *codes, double *residual, inco_error *error);

/* inco_coder_new with coder_options. */
int coder_new(inco_coder **result, const inco_mat *dictionary, inco_type type, const coder_options *rules, int threads,
              inco_error *error);

#endif
