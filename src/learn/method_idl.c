/* --method idl: least squares with a penalty on coherence (docs/theory/idl.md), with a bound that the update approaches
 * and the result satisfies (docs/theory/bound.md), or a target that sets the penalty's weight
 * (docs/theory/steering.md); at first in batches of signals (docs/theory/schedule.md). */
#include <math.h>

#include "base/clock.h"
#include "base/common.h"
#include "base/error.h"
#include "base/range.h"
#include "code/coder_options.h"
#include "data/order.h"
#include "design/bound.h"
#include "learn/batches.h"
#include "learn/learn_options.h"
#include "learn/learner_state.h"
#include "learn/penalty.h"
#include "learn/steer.h"

static const double EASE = 0.3; /* what is left after an iteration of the way from the start to the bound (BOUND-8) */
static const double PUSH = 25;  /* on pairs above the bound, relative to the energy that an atom has to code */

static const double ENOUGH = 2e-3; /* of an update's decrease: an iteration that promises less is left out */

/* (SCHED-1): a batch has the GROW-th part of all signals coded so far, and at least LEAST signals per atom; (SCHED-2):
 * the weight of a signal decreases as the FORGET-th power of the signals seen; FEW iterations suffice for sums that
 * change with the next batch. ENOUGH_SIGNALS per atom for option schedule = auto. */
enum { GROW = 8, LEAST = 2, FEW = 5, ENOUGH_SIGNALS = 8 };
static const double FORGET = 3.3;

/* ---- Options ---- */

#define TAKES PENALTY_TAKES "|target-rms|target-error"

enum { NORMS_SPHERE, NORMS_RESCALE };
enum { UPDATE_PRECONDITIONED, UPDATE_PLAIN };

typedef struct idl_options {
    int64_t norms, update;
} idl_options;
OPTIONS_DECLARE(idl)

static const option_row rows[] = {
    CHOICE_OPTION(
        idl_options, norms, "norms", "NAME", "sphere", "sphere|rescale", INCO_LEARN, "Methods",
        "sphere: unit norms are kept during the update; rescale: atoms are normalised after the update, as in the "
        "paper"),
    CHOICE_OPTION(idl_options, update, "update", "NAME", "preconditioned", "preconditioned|plain", INCO_LEARN,
                  "Methods",
                  "idl: preconditioned: L-BFGS starts from a model of the objective's curvature and comes close to the "
                  "minimum in a few iterations; plain: it starts from the gradient, as in the paper, and stops early, "
                  "which regularises if there are few signals per atom"),
};

const options_part idl_part = {OPTIONS_PART(rows, idl_options)};

static double bound_of(const inco_options *o) {
    return bound_options_of(o)->max_coherence;
}

static int is_bounded(const inco_options *o) {
    return !isnan(bound_of(o));
}

static int is_steered(const inco_options *o) {
    return !isnan(penalty_options_of(o)->target_rms);
}

static int check(const inco_options *options, inco_error *error) {
    int status;
    TRY(options_check_one(options, TAKES, "set the same weight", error));
    if (is_bounded(options) && idl_options_of(options)->norms == NORMS_RESCALE)
        TRY(error_set(error, INCO_EINVAL,
                      "option 'max-coherence' needs unit norms during the update: remove option 'norms' = 'rescale'"));
done:
    return status;
}

/* ---- State ---- */

typedef struct idl_state {
    double start_coherence; /* with a bound */
    double gamma;           /* of the last update, with a target; 0 before the first */
    double growing;         /* 1: the first iterations learn in batches */
    batch_state batches;
} idl_state;

static double gamma_of(const method_input *in) {
    const idl_state *own = in->own;
    return is_steered(in->options) ? own->gamma : penalty_gamma(in);
}

/* ---- Initialisation ---- */

/* (BOUND-8): the bound of the first update is the coherence of the initial dictionary. */
static int measure_start(learner *l, inco_error *error) {
    idl_state *own = l->own;
    coherence mu;
    if (l->iteration > 0) return INCO_OK;
    int status = coherence_measure(&l->d, l->threads, &mu, error);
    if (status >= 0) own->start_coherence = mu.max;
    return status;
}

/* With a bound, batches would miss the updates of the codes, which are worth more. */
static int wants_batches(const learner *l) {
    const int64_t schedule = learn_options_of(l->options)->schedule;
    if (schedule != SCHEDULE_AUTO) return schedule == SCHEDULE_GROWING;
    return !is_bounded(l->options) && !l->given && l->signals.count / ENOUGH_SIGNALS >= l->d.cols;
}

static int start(learner *l, inco_error *error) {
    const inco_options *o = l->options;
    idl_state *own = l->own;
    int status = INCO_OK;
    if (l->iteration == 0) own->growing = wants_batches(l);
    if (!is_bounded(o)) goto done;
    TRY(bound_check(bound_of(o), learner_rank(l), l->d.cols, error));
    TRY(bound_check_rounding(bound_of(o), l->signals.type, error));
    TRY(measure_start(l, error));
done:
    return status;
}

/* ---- The update ---- */

typedef struct idl_task {
    const method_input *in;
    double passes;  /* over the data, completed */
    int iterations; /* of L-BFGS, at most */
} idl_task;

/* (BOUND-8): the bound of this update, and (BOUND-6): the weight of its violation. */
static void add_bound(update_settings *settings, const idl_task *task) {
    const method_input *in = task->in;
    const idl_state *own = in->own;
    const double bound = bound_of(in->options), over = fmax(0, own->start_coherence - bound);
    if (!is_bounded(in->options)) return;
    settings->bound = bound + over * pow(EASE, task->passes);
    settings->push = PUSH * in->energy / (double)in->atoms;
}

static int update_with(const void *self, inco_mat *d, double gamma, update_result *result, inco_error *error) {
    const idl_task *task = self;
    const method_input *in = task->in;
    update_settings settings = {.gamma = gamma,
                                .rescale = idl_options_of(in->options)->norms == NORMS_RESCALE,
                                .iterations = task->iterations,
                                .threads = in->threads,
                                .plain = idl_options_of(in->options)->update == UPDATE_PLAIN,
                                .enough = is_bounded(in->options) ? 0 : ENOUGH, /* new pairs are not foreseen */
                                .narrow = in->type == INCO_F32,
                                .within = in->span,
                                .poll = in->poll};
    add_bound(&settings, task);
    return idl_update(d, in->s, &settings, result, error);
}

static int update_iterations(const inco_options *o) {
    return (int)learn_options_of(o)->update_iterations;
}

static int update(inco_mat *d, const method_input *in, update_result *result, inco_error *error) {
    const idl_task task = {in, (double)in->iteration, update_iterations(in->options)};
    const steer_task steering = {
        penalty_options_of(in->options)->target_rms, in->s, in->rank, in->threads, update_with, &task};
    idl_state *own = in->own;
    if (!is_steered(in->options)) return update_with(&task, d, gamma_of(in), result, error);
    return steer_update(&own->gamma, &steering, d, result, error);
}

/* ---- Batches ---- */

/* Signals coded before signal `first` of this pass. */
static double coded_before(const learner *l, int64_t first) {
    return (double)l->iteration * (double)l->signals.count + (double)first;
}

/* (SCHED-1), until the end of the pass if less than half a batch would be left. */
static int64_t size_of(const learner *l, int64_t first) {
    const int64_t left = l->signals.count - first, least = range_min(LEAST * l->d.cols, left);
    const double share = fmin(coded_before(l, first) / GROW, (double)left);
    const int64_t size = share > (double)least ? (int64_t)share : least;
    return left < size + size / 2 ? left : size;
}

/* (SCHED-2) */
static double factor_of(const learner *l, const batch_place *batch) {
    const double t = coded_before(l, batch->first);
    return pow(t / (t + (double)batch->count), FORGET);
}

/* The penalty has the same weight relative to the sums as to all signals (ONLINE-3). */
static int update_batch(learner *l, const batch_place *batch, const statistics *s, update_result *result,
                        inco_error *error) {
    const idl_state *own = l->own;
    const double count = (double)l->signals.count, scale = batches_scale(&own->batches.sums, l->signals.count);
    const double passes = coded_before(l, batch->first) / count;
    method_input in = learner_input(l);
    update_result unused, *r = result ? result : &unused;
    in.s = s;
    in.energy = s->energy;
    const double gamma = penalty_gamma(&in) / (isnan(penalty_options_of(l->options)->gamma) ? 1 : scale);
    const idl_task task = {&in, passes, range_min(FEW, update_iterations(l->options))};
    int status = penalty_check_weight(&in, gamma, error);
    if (status >= 0) status = update_with(&task, &l->d, gamma, r, error);
    if (status < 0) return status;
    l->progress.update_iterations += r->iterations;
    r->before *= scale;
    r->after *= scale;
    return status;
}

/* The signals with the largest errors, by their indices in the data. */
static void rename_worst(learner *l, const spread_order *order) {
    worst_list *worst = &l->notes.worst;
    for (int64_t i = 0; i < worst->count; i++) worst->item[i].signal = order_index(order, worst->item[i].signal);
}

/* A pass with several updates, or with one. */
static int step(learner *l, inco_error *error) {
    idl_state *own = l->own;
    spread_order order;
    if (!own->growing || size_of(l, 0) == l->signals.count) {
        batches_free(&own->batches);
        return alternate_step(l, error);
    }
    order_make(&order, &l->signals);
    const batch_rule rule = {&order.source, size_of, factor_of, update_batch};
    int status = batches_run(l, &own->batches, &rule, error);
    if (status == INCO_OK) rename_worst(l, &order);
    return status;
}

/* ---- Refitted coefficients, in whole passes ---- */

static int64_t code_updates(const inco_options *o) {
    if (!is_bounded(o) || coder_options_of(o)->nonnegative) return 0;
    return coder_is_least_squares(coder_options_of(o)) ? 3 : 1;
}

/* ---- The end ---- */

/* The final search reports progress, and can be stopped. */
static int show(void *self, int stage, double mu) {
    learner *l = self;
    (void)stage;
    l->progress.coherence_max = mu;
    return learner_tell(l, "bound");
}

/* The same after a stop, but cannot be stopped again: the saved result must satisfy the bound. */
static int show_only(void *self, int stage, double mu) {
    show(self, stage, mu);
    return 0;
}

/* Approximately the nearest dictionary that satisfies the bound; after a stop, by a shorter search. */
static int finish(learner *l, int stopped, inco_error *error) {
    const bound_task task = {.dictionary = &l->result,
                             .bound = bound_of(l->options),
                             .type = l->result.type,
                             .care = stopped ? NEAREST_SHORTLY : NEAREST_ROUGHLY,
                             .seed = common_seed(l->options),
                             .within = l->span,
                             .threads = l->threads,
                             .tell = stopped ? show_only : show,
                             .self = l};
    const double began = clock_seconds();
    inco_mat bounded;
    if (!is_bounded(l->options)) return INCO_OK;
    int status = bound_enforce(&task, &bounded, error);
    if (status < 0) return status;
    inco_mat_free(&l->result);
    l->result = bounded;
    l->info.seconds_update += clock_seconds() - began;
    return status;
}

static void describe(const method_input *in, inco_learn_info *info) {
    info->coherence_target = is_bounded(in->options) ? bound_of(in->options) : 0;
}

/* ---- Checkpoints ---- */

static int save(const void *self, const inco_stream *stream) {
    const idl_state *own = self;
    const double saved[] = {own->start_coherence, own->gamma, own->growing};
    if (stream->write(stream->self, saved, sizeof saved)) return INCO_EIO;
    return batches_save(&own->batches, stream);
}

static int resume(void *self, const inco_mat *d, const inco_stream *stream, inco_error *error) {
    idl_state *own = self;
    double saved[3];
    if (stream->read(stream->self, saved, sizeof saved))
        return error_set(error, INCO_EFORMAT, "the checkpoint ends too early");
    for (int i = 0; i < 3; i++)
        if (!(saved[i] >= 0 && isfinite(saved[i]))) return error_set(error, INCO_EFORMAT, "the checkpoint is damaged");
    *own = (idl_state){.start_coherence = saved[0], .gamma = saved[1], .growing = saved[2] > 0};
    return batches_resume(&own->batches, d, stream, error);
}

static void free_state(void *self) {
    batches_free(&((idl_state *)self)->batches);
}

const method method_idl = {.name = "idl",
                           .part = &idl_part,
                           .takes = TAKES "|update-iterations|max-coherence|code-updates|schedule",
                           .takes_auto = 1,
                           .check = check,
                           .own_size = sizeof(idl_state),
                           .start = start,
                           .step = step,
                           .update = update,
                           .finish = finish,
                           .gamma = gamma_of,
                           .code_updates = code_updates,
                           .describe = describe,
                           .save = save,
                           .resume = resume,
                           .free = free_state};
