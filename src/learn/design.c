#include "learn/design.h"

#include <math.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "dict/gammatone.h"
#include "learn/learner.h"
#include "metric/coherence.h"

inco_source design_source(const inco_options *options) {
    return (inco_source){
        .size = sizeof(inco_source), .dim = options->window, .type = options_precision(options, INCO_F32)};
}

static parametric_family family_of(const inco_learner *learner) {
    return gammatone_family(learner->options->window, learner->options->rate);
}

int design_start(inco_learner *learner, inco_error *error) {
    const parametric_family family = family_of(learner);
    coherence mu;
    int status = INCO_OK;
    if (learner->unknowns) return status;
    TRY(inco_mat_new(&learner->d, INCO_F64, family.dim, learner->options->atoms, error));
    learner->unknowns = NEW(double, learner->d.cols *family.unknowns);
    if (!learner->unknowns) TRY(error_no_memory(error));
    parametric_start(&family, &learner->d, learner->unknowns);
    TRY(coherence_measure(&learner->d, learner->threads, &mu, error));
    learner->info.start_coherence_max = mu.max;
    learner->info.start_coherence_rms = mu.rms;
done:
    return status;
}

/* (PARAMETRIC-2): Welch's bound for the first half of the iterations, which spreads all atoms; then what only the pairs
 * most alike exceed, which parts them. */
static double target_of(const inco_learner *learner) {
    const double bound = coherence_bound(learner->d.rows, learner->d.cols);
    return 2 * learner->iteration < learner->options->iterations ? bound : fmax(bound, 0.5);
}

int design_step(inco_learner *learner, inco_error *error) {
    const parametric_family family = family_of(learner);
    const update_settings settings = {.iterations = (int)learner->options->update_iterations,
                                      .threads = learner->threads};
    update_result result;
    int status = learner_tell(learner, "update");
    if (status != INCO_OK) return status;
    const double start = clock_seconds();
    status = parametric_update(&family, &learner->d, learner->unknowns, target_of(learner), &settings, &result, error);
    learner->info.seconds_update += learner->progress.seconds_update = clock_seconds() - start;
    if (status < 0) return status;
    learner->progress.relative_error = learner->progress.mean_cardinality = NAN;
    learner->progress.objective_before = result.before;
    learner->progress.objective = learner->info.objective = result.after;
    learner->progress.update_iterations = result.iterations;
    return status;
}
