/* Pursuit over the observed entries of signals with missing entries (docs/theory/missing.md). */
#ifndef INCO_CODE_GAPS_H
#define INCO_CODE_GAPS_H

#include "code/kernel.h"

enum { GAPS_BLOCK = 128 }; /* maximum number of signals per call */

typedef struct gaps_coder gaps_coder;

/* The code of a signal, for unit-norm atoms, in the order in which they were chosen. */
typedef struct gaps_code {
    int64_t missing; /* entries; 0: the signal is complete, and was not coded here */
    int64_t count, skipped;
    double energy, residual; /* of the observed entries: ||x||^2, ||x - D c||^2 */
    const int32_t *support;
    const double *value;
} gaps_code;

typedef struct gaps_rules {
    kernel_rules rules;
    double residual_norm; /* -1: none */
    inco_type type;       /* of the signals, whose rounding errors matter */
    int64_t dim, atoms;
    int threads;
} gaps_rules;

int gaps_coder_new(gaps_coder **result, const gaps_rules *rules, inco_error *error);
void gaps_coder_free(gaps_coder *g);
/* Sets the atoms: unit norm, or zero. */
void gaps_coder_dictionary(gaps_coder *g, const inco_mat *unit);
/* Codes those of the signals (at most GAPS_BLOCK) that have missing entries, which are NaN. Returns their number, or
 * INCO_ENOMEM. The codes belong to the thread, until its next call. */
int gaps_coder_run(gaps_coder *g, const inco_mat *x, int thread);
const gaps_code *gaps_coder_code(const gaps_coder *g, int64_t n, int thread);

#endif
