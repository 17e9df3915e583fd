/* --method ipr: K-SVD, then projections of the Gram matrix (docs/theory/ipr.md). */
#include "base/common.h"
#include "design/bound.h"
#include "learn/alternate.h"
#include "learn/sweep.h"
#include "update/ipr.h"

static const double TOLERANCE = 1e-3; /* of the bound */

typedef struct ipr_options {
    int64_t iterations;
} ipr_options;
OPTIONS_DECLARE(ipr)

static const option_row rows[] = {
    INTEGER_OPTION(ipr_options, iterations, "ipr-iterations", "N", "100", 1, OPTION_MANY, INCO_LEARN, "Methods",
                   "ipr: maximum number of projections per update; they stop at a coherence of MU + 0.001"),
};

const options_part ipr_part = {OPTIONS_PART(rows, ipr_options)};

static int project(inco_mat *d, const method_input *in, update_result *result, inco_error *error) {
    const ipr_settings settings = {bound_options_of(in->options)->max_coherence,
                                   TOLERANCE,
                                   ipr_options_of(in->options)->iterations,
                                   common_seed(in->options),
                                   (uint64_t)in->iteration,
                                   in->threads,
                                   in->rank,
                                   in->poll};
    ipr_result reached;
    int status = ipr_project(d, in->held, &settings, &reached, error);
    result->passes = reached.iterations;
    return status;
}

static int update(inco_mat *d, const method_input *in, update_result *result, inco_error *error) {
    return sweep_and_spread(d, in, project, result, error);
}

static double tolerance_of(const inco_options *options) {
    (void)options;
    return TOLERANCE;
}

const method method_ipr = {.name = "ipr",
                           .part = &ipr_part,
                           .takes = "max-coherence",
                           .needs_codes = 1,
                           .step = alternate_step,
                           .update = update,
                           .tolerance = tolerance_of};
