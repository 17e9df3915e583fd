#include "learn/bounded.h"

#include <math.h>

#include "base/clock.h"
#include "base/common.h"
#include "base/error.h"
#include "design/bound.h"
#include "mat/mat.h"

static const double EASE = 0.3; /* share of the way from the start to the bound that remains after a pass (BOUND-8) */
static const double PUSH = 25;  /* on pairs above the bound, relative to the energy that an atom has to code */

static double bound_of(const inco_options *o) {
    return bound_options_of(o)->max_coherence;
}

int bounded_is(const inco_options *o) {
    return !isnan(bound_of(o));
}

int bounded_check(const learner *l, inco_error *error) {
    if (!bounded_is(l->options)) return INCO_OK;
    int status = bound_check(bound_of(l->options), learner_rank(l), l->d.cols, error);
    return status < 0 ? status : bound_check_rounding(bound_of(l->options), l->signals.type, error);
}

void bounded_update(update_settings *settings, const method_input *in, double start, double passes) {
    const double bound = bound_of(in->options);
    if (!bounded_is(in->options)) return;
    settings->bound = bound + fmax(0, start - bound) * pow(EASE, passes);
    settings->push = PUSH * in->energy / (double)in->atoms;
}

/* The final search reports progress, and can be stopped. */
static int show(void *self, int stage, double mu) {
    learner *l = self;
    (void)stage;
    l->progress.coherence_max = mu;
    return learner_tell(l, "bound");
}

static int enforce(learner *l, nearest_care care, inco_error *error) {
    const bound_task task = {.dictionary = &l->result,
                             .bound = bound_of(l->options),
                             .type = l->result.type,
                             .care = care,
                             .seed = common_seed(l->options),
                             .within = l->span,
                             .threads = l->threads,
                             .tell = care == NEAREST_QUICKLY ? NULL : show,
                             .self = l};
    inco_mat bounded;
    int status = bound_enforce(&task, &bounded, error);
    if (status < 0) return status;
    inco_mat_free(&l->result);
    l->result = bounded;
    return status;
}

int bounded_finish(learner *l, int stopped, inco_error *error) {
    const double began = clock_seconds();
    int status;
    if (!bounded_is(l->options)) return INCO_OK;
    if (!stopped) TRY(stopped = enforce(l, NEAREST_ROUGHLY, error));
    if (stopped) TRY(enforce(l, NEAREST_QUICKLY, error));
    l->info.seconds_update += clock_seconds() - began;
    status = stopped;
done:
    return status;
}

void bounded_describe(const method_input *in, inco_learn_info *info) {
    info->coherence_target = bounded_is(in->options) ? bound_of(in->options) : 0;
}
