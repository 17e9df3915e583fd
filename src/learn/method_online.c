/* --method online: an update after every batch of signals, from sums with forgetting (docs/theory/online.md). */
#include "learn/method_online.h"

#include <math.h>

#include "learn/bounded.h"
#include "learn/penalty.h"
#include "metric/coherence.h"
#include "update/online.h"

enum { BOUNDED_ITERATIONS = 5 };

typedef struct online_options {
    int64_t batch;
    double forget;
} online_options;
OPTIONS_DECLARE(online)

static const option_row rows[] = {
    INTEGER_OPTION(online_options, batch, "batch", "N", "512", 1, OPTION_MANY, INCO_LEARN, "Methods",
                   "online: batch size: signals coded between two updates, in the order of the data"),
    REAL_OPTION(online_options, forget, "forget", "F", "0.1", 1e-9, 1, INCO_LEARN, "Methods",
                "online: forgetting: the weight of a signal after one pass over all others (1: no forgetting)"),
};

const options_part online_part = {OPTIONS_PART(rows, online_options)};

/* ---- Batches ---- */

static int64_t size_of(const learner *l, int64_t first) {
    (void)first;
    return online_options_of(l->options)->batch;
}

/* beta for a batch: (ONLINE-2), in a stream (ONLINE-7). */
static double factor_of(const learner *l, const batch_place *batch) {
    const online_state *own = l->own;
    const double forget = online_options_of(l->options)->forget;
    if (own->stream) return pow(own->seen / (own->seen + batch->weight), -log2(forget));
    return pow(forget, batch->weight / l->weight);
}

/* ---- The penalty, if given ---- */

static double gamma_of(const method_input *in) {
    const inco_options *o = in->options;
    const int given = inco_options_given(o, "gamma") || inco_options_given(o, "gamma-relative");
    return given ? penalty_gamma(in) : 0;
}

/* Weight of all signals, in a stream of those seen. */
static double weight_of(const learner *l) {
    const online_state *own = l->own;
    return own->stream ? own->seen : l->weight;
}

double online_gamma(const learner *l) {
    const inco_options *o = l->options;
    const batch_sums *sums = &((const online_state *)l->own)->batches.sums;
    const penalty_options *penalty = penalty_options_of(o);
    if (inco_options_given(o, "gamma")) return penalty->gamma / batches_scale(sums, weight_of(l));
    return inco_options_given(o, "gamma-relative") ? penalty->gamma_relative * sums->observed / (double)l->d.cols : 0;
}

/* ---- The update ---- */

/* (ONLINE-8): the share of a pass that a batch is; in a stream, a pass doubles the number of signals seen. */
static double passes_of(const learner *l, const batch_place *batch) {
    const online_state *own = l->own;
    const double before = own->seen - batch->weight;
    if (!own->stream) return batch->weight / l->weight;
    return before > 0 ? log2(own->seen / before) : 0;
}

/* With a bound: a few iterations of L-BFGS over all atoms, since pairs of atoms are to be separated (BOUND-5). */
static int update_bounded(learner *l, const batch_place *batch, const method_input *in, update_settings *settings,
                          update_result *result, inco_error *error) {
    coherence mu;
    update_result unused;
    int status = coherence_measure(&l->d, l->threads, &mu, error);
    if (status < 0) return status;
    settings->iterations = BOUNDED_ITERATIONS;
    settings->narrow = in->type == INCO_F32;
    settings->within = in->span;
    settings->poll = in->poll;
    bounded_update(settings, in, mu.max, passes_of(l, batch));
    return idl_update(&l->d, in->s, settings, result ? result : &unused, error);
}

static int update(learner *l, const batch_place *batch, const statistics *s, update_result *result, inco_error *error) {
    online_state *own = l->own;
    own->seen += batch->weight;
    own->signals += batch->count;
    update_settings settings = {.gamma = online_gamma(l), .threads = l->threads};
    method_input in = learner_input(l);
    in.s = s;
    in.energy = s->observed;
    int status = penalty_check_weight(&in, settings.gamma, error);
    if (status < 0) return status;
    status = bounded_is(l->options) ? update_bounded(l, batch, &in, &settings, result, error)
                                    : online_update(&l->d, s, &settings, result, error);
    if (status < 0) return status;
    l->progress.update_iterations++;
    if (!result) return status;
    const double scale = batches_scale(&own->batches.sums, weight_of(l));
    result->before *= scale;
    result->after *= scale;
    return status;
}

static int step(learner *l, inco_error *error) {
    const batch_rule rule = {0, size_of, factor_of, update};
    online_state *own = l->own;
    return batches_run(l, &own->batches, &rule, error);
}

static int start(learner *l, inco_error *error) {
    return bounded_check(l, error);
}

/* ---- Checkpoints ---- */

static int save(const void *self, const inco_stream *stream) {
    return batches_save(&((const online_state *)self)->batches, stream);
}

static int resume(void *self, const inco_mat *d, const inco_stream *stream, inco_error *error) {
    return batches_resume(&((online_state *)self)->batches, d, stream, error);
}

static void free_state(void *self) {
    batches_free(&((online_state *)self)->batches);
}

const method method_online = {.name = "online",
                              .part = &online_part,
                              .takes = PENALTY_TAKES "|max-coherence",
                              .check = penalty_check,
                              .own_size = sizeof(online_state),
                              .start = start,
                              .step = step,
                              .finish = bounded_finish,
                              .describe = bounded_describe,
                              .gamma = gamma_of,
                              .save = save,
                              .resume = resume,
                              .free = free_state};
