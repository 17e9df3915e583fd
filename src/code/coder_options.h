/* The options of sparse coding. */
#ifndef INCO_CODE_CODER_OPTIONS_H
#define INCO_CODE_CODER_OPTIONS_H

#include "base/options.h"

typedef struct coder_options {
    int64_t coder, sparsity, refit, nonnegative;
    double residual_coherence, tolerance, lambda;
} coder_options;
OPTIONS_DECLARE(coder)

/* A coder with nothing but the number of atoms to stop it. */
coder_options coder_options_for(int coder, int64_t sparsity);

/* Fails when there is no rule to stop by, or the coder cannot do what is asked. The second, of all options, is for who
 * checks them. */
int coder_options_check(const coder_options *rules, inco_error *error);
int coder_check(const inco_options *options, inco_error *error);

/* Residual coherence at which to stop: the value given, else the coder's own when there is no other rule; -1 for none.
 */
double coder_residual_coherence(const coder_options *rules);

/* Are the coefficients those of least squares on their support? */
int coder_is_least_squares(const coder_options *rules);

#endif
