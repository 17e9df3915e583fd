/* --method online: an update after every batch of signals, from sums with forgetting (docs/theory/online.md). */
#include "learn/method_online.h"

#include <math.h>

#include "learn/learner_state.h"
#include "learn/penalty.h"
#include "update/online.h"

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

/* beta for a batch of n signals: (ONLINE-2), in a stream (ONLINE-7). */
static double factor_of(const learner *l, const batch_place *batch) {
    const online_state *own = l->own;
    const double forget = online_options_of(l->options)->forget, n = (double)batch->count;
    if (own->stream) return pow((double)own->seen / ((double)own->seen + n), -log2(forget));
    return pow(forget, n / (double)l->signals.count);
}

/* ---- The penalty, if given ---- */

static double gamma_of(const method_input *in) {
    const inco_options *o = in->options;
    const int given = inco_options_given(o, "gamma") || inco_options_given(o, "gamma-relative");
    return given ? penalty_gamma(in) : 0;
}

/* All signals, in a stream those seen. */
static int64_t count_of(const learner *l) {
    const online_state *own = l->own;
    return own->stream ? own->seen : l->signals.count;
}

double online_gamma(const learner *l) {
    const inco_options *o = l->options;
    const batch_sums *sums = &((const online_state *)l->own)->batches.sums;
    const penalty_options *penalty = penalty_options_of(o);
    if (inco_options_given(o, "gamma")) return penalty->gamma / batches_scale(sums, count_of(l));
    return inco_options_given(o, "gamma-relative") ? penalty->gamma_relative * sums->energy / (double)l->d.cols : 0;
}

/* ---- The update ---- */

static int update(learner *l, const batch_place *batch, const statistics *s, update_result *result, inco_error *error) {
    online_state *own = l->own;
    own->seen += batch->count;
    const update_settings settings = {.gamma = online_gamma(l), .threads = l->threads};
    method_input in = learner_input(l);
    in.energy = s->energy;
    int status = penalty_check_weight(&in, settings.gamma, error);
    if (status >= 0) status = online_update(&l->d, s, &settings, result, error);
    if (status < 0) return status;
    l->progress.update_iterations++;
    if (!result) return status;
    const double scale = batches_scale(&own->batches.sums, count_of(l));
    result->before *= scale;
    result->after *= scale;
    return status;
}

static int step(learner *l, inco_error *error) {
    const batch_rule rule = {&l->signals, size_of, factor_of, update};
    online_state *own = l->own;
    return batches_run(l, &own->batches, &rule, error);
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
                              .takes = PENALTY_TAKES,
                              .check = penalty_check,
                              .own_size = sizeof(online_state),
                              .step = step,
                              .gamma = gamma_of,
                              .save = save,
                              .resume = resume,
                              .free = free_state};
