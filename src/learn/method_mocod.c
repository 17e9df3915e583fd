/* --method mocod: the penalty on coherence and one on norms, by a fixed point (docs/theory/mocod.md). */
#include <math.h>

#include "base/options.h"
#include "learn/alternate.h"
#include "learn/method.h"
#include "learn/penalty.h"

static double eta_of(const method_input *in) {
    return isnan(in->options->eta) ? in->energy / (double)in->atoms : in->options->eta;
}

static int update(inco_mat *d, const method_input *in, update_result *result, inco_error *error) {
    const update_settings settings = {.gamma = penalty_gamma(in),
                                      .eta = eta_of(in),
                                      .iterations = (int)in->options->update_iterations,
                                      .threads = in->threads};
    return mocod_update(d, in->s, &settings, result, error);
}

static void describe(const method_input *in, inco_learn_info *info) {
    info->eta = eta_of(in);
}

const method method_mocod = {
    .name = "mocod", .step = alternate_step, .update = update, .gamma = penalty_gamma, .describe = describe};
