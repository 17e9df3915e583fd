/* The options of sparse coding. */
#ifndef INCO_CODE_CODER_OPTIONS_H
#define INCO_CODE_CODER_OPTIONS_H

#include "base/options.h"

typedef struct coder_options {
    int64_t coder, sparsity, refit, nonnegative;
    double residual_coherence, tolerance, residual_norm, lambda;
} coder_options;
OPTIONS_DECLARE(coder)

/* Options of a coder that stops at `sparsity` atoms only. */
coder_options coder_options_for(int coder, int64_t sparsity);

/* Fails if there is no stopping rule, or the coder does not support an option. coder_check is the same as an options
 * check. */
int coder_options_check(const coder_options *rules, inco_error *error);
int coder_check(const inco_options *options, inco_error *error);

/* Fails if a coder does not take signals with missing entries. */
int coder_check_gaps(int64_t coder, int nonnegative, inco_error *error);

/* Residual coherence at which to stop in `dim` dimensions: the value given, else the coder's default if there is no
 * other rule; -1: none. The residual coherence of white noise decreases as 1 / sqrt(dim), and so do the defaults. */
double coder_residual_coherence(const coder_options *rules, int64_t dim);

/* Whether codes are limited by the coder's default number of atoms alone: no stopping rule is given. */
int coder_has_default_sparsity(const coder_options *rules);
/* Maximum number of atoms: the value given, else the coder's default if there is no other rule; dim: none. */
int64_t coder_sparsity(const coder_options *rules, int64_t dim);

/* Returns whether the coefficients are least squares on the support. */
int coder_is_least_squares(const coder_options *rules);

#endif
