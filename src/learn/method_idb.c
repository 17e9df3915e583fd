/* --method idb: approximate K-SVD in which atoms beyond a bound push each other away (docs/theory/idb.md). */
#include "dict/idb.h"

#include <math.h>

#include "base/options.h"
#include "learn/alternate.h"
#include "learn/penalty.h"
#include "learn/sweep.h"

static const double TOLERANCE = 1e-3; /* that the bound is aimed at within */

/* Relative to the energy of each atom. */
static double relative_of(const inco_options *o) {
    return inco_options_given(o, "gamma-relative") ? o->gamma_relative : 0.0075;
}

static double gamma_of(const method_input *in) {
    return penalty_gamma_relative(in, relative_of(in->options));
}

static int update(inco_mat *d, const method_input *in, update_result *result, inco_error *error) {
    const inco_options *o = in->options;
    const int relative = isnan(o->gamma);
    const idb_settings settings = {o->max_coherence, o->barrier, relative ? relative_of(o) : o->gamma, relative};
    idb w;
    int status = idb_open(&w, d, &settings, error);
    if (status >= 0) status = sweep_update(d, in, &w.rule, result, error);
    idb_close(&w);
    return status;
}

static void describe(const method_input *in, inco_learn_info *info) {
    info->coherence_target = in->options->max_coherence + TOLERANCE;
}

const method method_idb = {
    .name = "idb", .needs_codes = 1, .step = alternate_step, .update = update, .gamma = gamma_of, .describe = describe};
