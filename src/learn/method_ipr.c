/* --method ipr: K-SVD, then projections of the Gram matrix (docs/theory/ipr.md). */
#include "base/options.h"
#include "dict/ipr.h"
#include "learn/alternate.h"
#include "learn/sweep.h"

static const double TOLERANCE = 1e-3; /* that the bound is met within */

static int project(inco_mat *d, const method_input *in, update_result *result, inco_error *error) {
    const inco_options *o = in->options;
    const ipr_settings settings = {o->max_coherence,        TOLERANCE,  o->ipr_iterations, (uint64_t)o->seed,
                                   (uint64_t)in->iteration, in->threads};
    ipr_result reached;
    int status = ipr_project(d, in->held, &settings, &reached, error);
    result->passes = reached.iterations;
    return status;
}

static int update(inco_mat *d, const method_input *in, update_result *result, inco_error *error) {
    return sweep_and_spread(d, in, project, result, error);
}

static void describe(const method_input *in, inco_learn_info *info) {
    info->coherence_target = in->options->max_coherence + TOLERANCE;
}

const method method_ipr = {
    .name = "ipr", .needs_codes = 1, .step = alternate_step, .update = update, .describe = describe};
