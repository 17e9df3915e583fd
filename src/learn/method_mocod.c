/* --method mocod: penalties on coherence and norms, by a fixed-point iteration (docs/theory/mocod.md). */
#include "learn/alternate.h"
#include "learn/learn_options.h"
#include "learn/method.h"
#include "learn/penalty.h"

typedef struct mocod_options {
    double eta;
} mocod_options;
OPTIONS_DECLARE(mocod)

static const option_row rows[] = {
    REAL_OPTION(mocod_options, eta, "eta", "E", NULL, 0, DBL_MAX, INCO_LEARN, "Methods",
                "mocod: weight of the penalty sum_j (||d_j||^2 - 1)^2 during the update (default ||X||^2 / L)"),
};

const options_part mocod_part = {OPTIONS_PART(rows, mocod_options)};

static double eta_of(const method_input *in) {
    const double eta = mocod_options_of(in->options)->eta;
    return isnan(eta) ? in->energy / (double)in->atoms : eta;
}

static int update(inco_mat *d, const method_input *in, update_result *result, inco_error *error) {
    const update_settings settings = {.gamma = penalty_gamma(in),
                                      .eta = eta_of(in),
                                      .iterations = (int)learn_options_of(in->options)->update_iterations,
                                      .threads = in->threads,
                                      .within = in->span,
                                      .poll = in->poll};
    return mocod_update(d, in->s, &settings, result, error);
}

static void describe(const method_input *in, inco_learn_info *info) {
    info->eta = eta_of(in);
}

const method method_mocod = {.name = "mocod",
                             .part = &mocod_part,
                             .takes = PENALTY_TAKES "|update-iterations|code-updates",
                             .check = penalty_check,
                             .step = alternate_step,
                             .update = update,
                             .gamma = penalty_gamma,
                             .describe = describe};
