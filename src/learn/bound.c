#include "learn/bound.h"

#include <math.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/options.h"
#include "learn/decohere.h"
#include "learn/learner.h"
#include "metric/coherence.h"

static const double EASE = 0.3; /* what is left after an iteration of the way from the start to the bound (BOUND-8) */
static const double PUSH = 25;  /* of what exceeds the bound, beside the energy that an atom has to code */

int bound_check(double bound, int64_t dim, int64_t atoms, inco_error *error) {
    const double least = coherence_bound(dim, atoms);
    const char *name = (double)atoms > (double)dim * ((double)dim + 1) / 2 ? "Levenshtein" : "Welch";
    if (bound >= least - 1e-12) return INCO_OK;
    return error_set(error, INCO_EINVAL,
                     "--max-coherence %g cannot be kept: %lld atoms of %lld dimensions have a coherence of %.6f or "
                     "more (%s bound)",
                     bound, (long long)atoms, (long long)dim, least, name);
}

double bound_rounding(inco_type type) {
    return type == INCO_F32 ? 2.5e-7 : 1e-12;
}

int bound_check_rounding(double bound, inco_type type, inco_error *error) {
    const double least = 4 * bound_rounding(type);
    if (bound >= least) return INCO_OK;
    return error_set(error, INCO_EINVAL, "--max-coherence %g is lost in the rounding to %s: give %g or more", bound,
                     type == INCO_F32 ? "f32" : "f64", least);
}

static int is_bounded(const inco_learner *learner) {
    return learner->options->method == METHOD_IDL && !isnan(learner->options->max_coherence);
}

double bound_push(const inco_learner *learner) {
    return is_bounded(learner) ? PUSH * learner->energy / (double)learner->d.cols : 0;
}

int bound_begin(inco_learner *learner, inco_error *error) {
    coherence mu;
    int status;
    if (!is_bounded(learner) || learner->iteration > 0) return INCO_OK;
    if ((status = coherence_measure(&learner->d, learner->threads, &mu, error)) >= 0) learner->start_coherence = mu.max;
    return status;
}

double bound_now(const inco_learner *learner) {
    const double bound = learner->options->max_coherence, over = fmax(0, learner->start_coherence - bound);
    return bound + over * pow(EASE, (double)learner->iteration);
}

int bound_check_learner(const inco_learner *learner, inco_error *error) {
    const double bound = learner->options->max_coherence;
    if (!is_bounded(learner)) return INCO_OK;
    int status = bound_check(bound, learner->d.rows, learner->d.cols, error);
    return status < 0 ? status : bound_check_rounding(bound, learner->data.source.type, error);
}

/* The closing search is shown, and can be stopped. */
static int show(void *self, const inco_progress *now) {
    inco_learner *learner = self;
    learner->progress.coherence_max = now->coherence_max;
    return learner_tell(learner, "bound");
}

/* Not so when learning was stopped before: what it saves keeps the bound. */
static int show_only(void *self, const inco_progress *now) {
    show(self, now);
    return 0;
}

int bound_keep(inco_learner *learner, int stopped, inco_error *error) {
    const double start = clock_seconds();
    inco_decohere_input input = {sizeof input, &learner->result, NULL, stopped ? show_only : show, learner};
    inco_decohere_info info;
    inco_options *options = NULL;
    inco_mat kept = {0};
    int status = INCO_OK;
    if (!is_bounded(learner)) return status;
    if (!(options = inco_options_new())) TRY(error_no_memory(error));
    options->max_coherence = learner->options->max_coherence;
    options->seed = learner->options->seed;
    options->threads = learner->threads;
    TRY(decohere(&input, options, stopped ? NEAREST_SHORTLY : NEAREST_ROUGHLY, &kept, &info, error));
    inco_mat_free(&learner->result);
    learner->result = kept;
    learner->info.seconds_update += clock_seconds() - start;
done:
    inco_options_free(options);
    return status;
}
