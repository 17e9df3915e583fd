/* The weight of the penalty ||D'D - I||^2 by the options gamma and gamma-relative. */
#ifndef INCO_LEARN_PENALTY_H
#define INCO_LEARN_PENALTY_H

#include "learn/method.h"

typedef struct penalty_options {
    double gamma, gamma_relative;
} penalty_options;
OPTIONS_DECLARE(penalty)

/* What a method with a penalty takes of the options. */
#define PENALTY_TAKES "gamma|gamma-relative"

/* Fails when the weight is given twice. A method's `check`. */
int penalty_check(const inco_options *options, inco_error *error);

/* gamma as given, else R ||X||^2 / L, R as given or by default. A method's `gamma`. */
double penalty_gamma(const method_input *in);
/* The same with another R. */
double penalty_gamma_relative(const method_input *in, double relative);

#endif
