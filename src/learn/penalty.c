#include "learn/penalty.h"

#include "base/error.h"

static const option_row rows[] = {
    REAL_OR_AUTO_OPTION(
        penalty_options, gamma, "gamma", "G|auto", NULL, 0, DBL_MAX, INCO_LEARN, "Dictionary",
        "weight of the coherence penalty in ||X - DC||^2 + G ||D'D - I||^2; auto (idl): the largest on a "
        "regularisation path whose residual on held-out signals is within 1 % of the lowest"),
    REAL_OPTION(penalty_options, gamma_relative, "gamma-relative", "R", NULL, 0, DBL_MAX, INCO_LEARN, "Dictionary",
                "weight relative to the data: G = R ||X||^2 / L (default with idl: 0.016 v^2 + 0.1 w^8, where v is "
                "the share of the energy of the signals about their mean, and w, at most 1, says how white they are; "
                "aksvdc, mocod: 0.1); idb: relative to the coefficient "
                "energy of each atom, default 0.0075"),
    REAL_OPTION(penalty_options, target_rms, "target-rms", "R", NULL, 0, 1, INCO_LEARN, "Dictionary",
                "idl: the lowest relative error on the regularisation path of gamma with an rms coherence of at most "
                "R"),
    REAL_OPTION(penalty_options, target_error, "target-error", "E", NULL, 0, 1, INCO_LEARN, "Dictionary",
                "idl: the lowest rms coherence on the regularisation path of gamma with a relative error of at most "
                "E"),
};

const options_part penalty_part = {OPTIONS_PART(rows, penalty_options)};

int penalty_check(const inco_options *options, inco_error *error) {
    return options_check_one(options, PENALTY_TAKES, "set the same weight", error);
}

int penalty_check_weight(const method_input *in, double gamma, inco_error *error) {
    const double maximum = 1e30 * in->energy / (double)in->atoms;
    if (!(in->energy > 0) || gamma <= maximum) return INCO_OK;
    return error_set(
        error, INCO_EINVAL,
        "the weight of the penalty, option 'gamma', is %g: beyond %g the signals do not count at all; a frame "
        "needs none",
        gamma, maximum);
}

double penalty_relative(const inco_options *options, double usual) {
    const double given = penalty_options_of(options)->gamma_relative;
    return isnan(given) ? usual : given;
}

double penalty_gamma_relative(const method_input *in, double usual) {
    const double gamma = penalty_options_of(in->options)->gamma;
    return isnan(gamma) ? penalty_relative(in->options, usual) * in->energy / (double)in->atoms : gamma;
}

double penalty_gamma(const method_input *in) {
    return penalty_gamma_relative(in, 0.1);
}
