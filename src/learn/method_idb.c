/* --method idb: approximate K-SVD with a barrier between atoms above a bound (docs/theory/idb.md). */
#include "update/idb.h"

#include "base/error.h"
#include "design/bound.h"
#include "learn/alternate.h"
#include "learn/penalty.h"
#include "learn/sweep.h"

static const double TOLERANCE = 1e-3; /* tolerance of the bound */

typedef struct idb_options {
    double barrier;
} idb_options;
OPTIONS_DECLARE(idb)

static const option_row rows[] = {
    REAL_OPTION(idb_options, barrier, "barrier", "LAMBDA", "25", 0, DBL_MAX, INCO_LEARN, "Methods",
                "idb: weight, in addition to G, of the barrier between atoms above option 'max-coherence'"),
};

const options_part idb_part = {OPTIONS_PART(rows, idb_options)};

static int check(const inco_options *options, inco_error *error) {
    int status;
    TRY(penalty_check(options, error));
    if (bound_options_of(options)->max_coherence == 0)
        TRY(error_set(error, INCO_EINVAL, "option 'method' = 'idb' needs option 'max-coherence' above 0"));
done:
    return status;
}

static const double USUAL = 0.0075; /* relative to the energy of each atom */

static double gamma_of(const method_input *in) {
    return penalty_gamma_relative(in, USUAL);
}

static int update(inco_mat *d, const method_input *in, update_result *result, inco_error *error) {
    const inco_options *o = in->options;
    const double gamma = penalty_options_of(o)->gamma;
    const int relative = isnan(gamma);
    const idb_settings settings = {bound_options_of(o)->max_coherence, idb_options_of(o)->barrier,
                                   relative ? penalty_relative(o, USUAL) : gamma, relative};
    idb w;
    int status = idb_open(&w, d, &settings, error);
    if (status >= 0) status = sweep_update(d, in, &w.rule, result, error);
    idb_close(&w);
    return status;
}

static double tolerance_of(const inco_options *options) {
    (void)options;
    return TOLERANCE;
}

const method method_idb = {.name = "idb",
                           .part = &idb_part,
                           .takes = PENALTY_TAKES "|max-coherence",
                           .check = check,
                           .needs_codes = 1,
                           .step = alternate_step,
                           .update = update,
                           .gamma = gamma_of,
                           .tolerance = tolerance_of};
