/* The sparse coder: a dictionary made ready for coding, and a workspace per thread. */
#ifndef INCO_CODE_CODER_H
#define INCO_CODE_CODER_H

#include "code/coder_options.h"
#include "sparse/csc.h"

/* What a coder has met since it was made. */
typedef struct coder_counts {
    int64_t skipped; /* dependent atoms skipped, summed over signals */
    int64_t zero_signals;
    int64_t zero_atoms;
    int64_t grams; /* Gram matrices made */
    int64_t again; /* signals recoded in float64: float32 was ambiguous */
    int64_t atoms; /* added to bases, and bytes of bases and Gram matrices read for that: see kernel_effort */
    int64_t bytes;
    int64_t multiplied; /* by bases */
} coder_counts;

coder_counts coder_seen(const inco_coder *coder);

/* For tests: a coder in double that does everything in double. */
void coder_without_fast(inco_coder *coder);
/* For tests: a coder that begins no columns before their atoms are chosen. */
void coder_without_guesses(inco_coder *coder);

typedef struct coder_shape {
    int64_t dim, atoms;
    inco_type type;
    int threads;
} coder_shape;

/* A coder without a dictionary yet: coder_set_dictionary gives it one, or another of the same size. */
int coder_open(inco_coder **result, const coder_shape *shape, const coder_options *rules, inco_error *error);
int coder_set_dictionary(inco_coder *coder, const inco_mat *dictionary, inco_error *error);

/* As inco_coder_run, with codes of the library's own kind, made here. They are to be freed after a failure too. */
int coder_run(inco_coder *coder, const inco_mat *x, csc *codes, double *residual, inco_error *error);

/* inco_coder_new by rules. */
int coder_new(inco_coder **result, const inco_mat *dictionary, inco_type type, const coder_options *rules, int threads,
              inco_error *error);

#endif
