/* --method inksvd: K-SVD, then rotations of coherent pairs (docs/theory/inksvd.md). */
#include "base/common.h"
#include "design/bound.h"
#include "learn/alternate.h"
#include "learn/sweep.h"
#include "pairs/decorrelate.h"

typedef struct inksvd_options {
    double tolerance;
    int64_t passes;
} inksvd_options;
OPTIONS_DECLARE(inksvd)

static const option_row rows[] = {
    REAL_OPTION(inksvd_options, tolerance, "decorrelation-tolerance", "T", "0.001", 0, 1, INCO_LEARN, "Methods",
                "inksvd: rotate pairs until all |d_i'd_j| <= MU + T"),
    INTEGER_OPTION(inksvd_options, passes, "decorrelation-passes", "N", "1000", 1, OPTION_MANY, INCO_LEARN, "Methods",
                   "inksvd: maximum number of passes per update"),
};

const options_part inksvd_part = {OPTIONS_PART(rows, inksvd_options)};

static int rotate_pairs(inco_mat *d, const method_input *in, update_result *result, inco_error *error) {
    const inksvd_options *own = inksvd_options_of(in->options);
    const decorrelation settings = {bound_options_of(in->options)->max_coherence,
                                    own->tolerance,
                                    own->passes,
                                    common_seed(in->options),
                                    (uint64_t)in->iteration,
                                    in->threads,
                                    in->span,
                                    in->poll};
    decorrelation_result reached;
    int status = decorrelate(d, &settings, &reached, error);
    result->passes = reached.passes;
    result->pairs = reached.pairs;
    return status;
}

static int update(inco_mat *d, const method_input *in, update_result *result, inco_error *error) {
    return sweep_and_spread(d, in, rotate_pairs, result, error);
}

static double tolerance_of(const inco_options *options) {
    return inksvd_options_of(options)->tolerance;
}

const method method_inksvd = {.name = "inksvd",
                              .part = &inksvd_part,
                              .takes = "max-coherence",
                              .needs_codes = 1,
                              .step = alternate_step,
                              .update = update,
                              .tolerance = tolerance_of};
