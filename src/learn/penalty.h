/* The weight of the penalty ||D'D - I||^2 by the options gamma and gamma-relative. */
#ifndef INCO_LEARN_PENALTY_H
#define INCO_LEARN_PENALTY_H

#include "learn/method.h"

/* gamma as given, else R ||X||^2 / L, R as given or by default. A method's `gamma`. */
double penalty_gamma(const method_input *in);
/* The same with another R. */
double penalty_gamma_relative(const method_input *in, double relative);

#endif
