#include "learn/penalty.h"

#include <math.h>

#include "base/options.h"

double penalty_gamma_relative(const method_input *in, double relative) {
    return isnan(in->options->gamma) ? relative * in->energy / (double)in->atoms : in->options->gamma;
}

double penalty_gamma(const method_input *in) {
    return penalty_gamma_relative(in, in->options->gamma_relative);
}
