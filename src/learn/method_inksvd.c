/* --method inksvd: K-SVD, then rotations of coherent pairs (docs/theory/inksvd.md). */
#include "base/options.h"
#include "dict/decorrelate.h"
#include "learn/alternate.h"
#include "learn/sweep.h"

static int rotate_pairs(inco_mat *d, const method_input *in, update_result *result, inco_error *error) {
    const inco_options *o = in->options;
    const decorrelation settings = {o->max_coherence,  o->decorrelation_tolerance, o->decorrelation_passes,
                                    (uint64_t)o->seed, (uint64_t)in->iteration,    in->threads};
    decorrelation_result reached;
    int status = decorrelate(d, &settings, &reached, error);
    result->passes = reached.passes;
    result->pairs = reached.pairs;
    return status;
}

static int update(inco_mat *d, const method_input *in, update_result *result, inco_error *error) {
    return sweep_and_spread(d, in, rotate_pairs, result, error);
}

static void describe(const method_input *in, inco_learn_info *info) {
    info->coherence_target = in->options->max_coherence + in->options->decorrelation_tolerance;
}

const method method_inksvd = {
    .name = "inksvd", .needs_codes = 1, .step = alternate_step, .update = update, .describe = describe};
