/* --method ksvd, aksvd: K-SVD, exact and approximate (docs/theory/ksvd.md). */
#include "learn/alternate.h"
#include "learn/sweep.h"

static int update_exactly(inco_mat *d, const method_input *in, update_result *result, inco_error *error) {
    const ksvd_rule rule = {.form = KSVD_EXACT};
    return sweep_update(d, in, &rule, result, error);
}

static int update_approximately(inco_mat *d, const method_input *in, update_result *result, inco_error *error) {
    const ksvd_rule rule = {.form = KSVD_APPROXIMATE};
    return sweep_update(d, in, &rule, result, error);
}

#define TAKES "replace|replace-last"

const method method_ksvd = {
    .name = "ksvd", .takes = TAKES, .needs_codes = 1, .step = alternate_step, .update = update_exactly};

const method method_aksvd = {
    .name = "aksvd", .takes = TAKES, .needs_codes = 1, .step = alternate_step, .update = update_approximately};
