/* --method mod: least squares without penalty (docs/theory/mod.md). */
#include "learn/alternate.h"
#include "learn/method.h"

static int update(inco_mat *d, const method_input *in, update_result *result, inco_error *error) {
    const update_settings settings = {.threads = in->threads};
    return mod_update(d, in->s, &settings, result, error);
}

const method method_mod = {.name = "mod", .takes = "code-updates", .step = alternate_step, .update = update};
