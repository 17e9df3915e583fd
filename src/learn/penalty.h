/* Weight of the penalty ||D'D - I||^2, from the options gamma and gamma-relative, or the targets that determine it. */
#ifndef INCO_LEARN_PENALTY_H
#define INCO_LEARN_PENALTY_H

#include "learn/method.h"

typedef struct penalty_options {
    double gamma, gamma_relative, target_rms, target_error;
} penalty_options;
OPTIONS_DECLARE(penalty)

/* Options of a method with the penalty. */
#define PENALTY_TAKES "gamma|gamma-relative"

/* Fails if the weight is given twice. For `check` of a method. */
int penalty_check(const inco_options *options, inco_error *error);

/* Fails if the weight is so large that the signals do not count. */
int penalty_check_weight(const method_input *in, double gamma, inco_error *error);

/* R if given, else the method's usual one. */
double penalty_relative(const inco_options *options, double usual);

/* gamma if given, else R ||X||^2 / L. For `gamma` of a method. */
double penalty_gamma_relative(const method_input *in, double usual);
/* The same with the usual R = 0.1. */
double penalty_gamma(const method_input *in);

#endif
