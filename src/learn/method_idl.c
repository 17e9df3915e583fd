/* --method idl: least squares with a penalty on coherence (docs/theory/idl.md), with a bound that the update approaches
 * and the result satisfies (docs/theory/bound.md), or a target that sets the penalty's weight
 * (docs/theory/steering.md); at first in batches of signals (docs/theory/schedule.md). */
#include <math.h>

#include "base/error.h"
#include "base/range.h"
#include "code/coder_options.h"
#include "data/order.h"
#include "learn/batches.h"
#include "learn/bounded.h"
#include "learn/checkpoint.h"
#include "learn/learn_options.h"
#include "learn/learner_state.h"
#include "learn/penalty.h"
#include "learn/steer.h"
#include "metric/coherence.h"
#include "update/dropout.h"

static const double ENOUGH = 2e-3; /* of an update's decrease: an iteration that promises less is left out */

/* (SCHED-1): a batch has the GROW-th part of all signals coded so far, and at least LEAST signals per atom; (SCHED-2):
 * the weight of a signal decreases as the FORGET-th power of the signals seen; FEW iterations suffice for sums that
 * change with the next batch. ENOUGH_SIGNALS per atom, and MANY in all, for option schedule = auto. */
enum { GROW = 8, LEAST = 2, FEW = 3, ENOUGH_SIGNALS = 8, MANY = 64 };
static const double FORGET = 3.3;

/* (SCHED-5): the weight of the penalty relative to the data if none is given, for signals without a common mean, and
 * what is added for white ones. */
static const double WEIGHT = 0.016, WHITE = 0.1;

static const double DROPOUT = 0.15; /* (DROP-4): if none is given, for signals without a common mean */

/* ---- Options ---- */

#define TAKES PENALTY_TAKES "|target-rms|target-error"

enum { NORMS_SPHERE, NORMS_RESCALE };
enum { UPDATE_PRECONDITIONED, UPDATE_PLAIN };

typedef struct idl_options {
    int64_t norms, update;
    double dropout;
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
    REAL_OPTION(
        idl_options, dropout, "dropout", "P", NULL, 0, 0.9, INCO_LEARN, "Methods",
        "idl: update as if each atom of a code were left out with probability P, so that the others do not rely "
        "on it (default, if coefficients are least squares, norms = sphere and there is no max-coherence: 0.15 times "
        "the cube root of v, see option gamma-relative; else 0)"),
};

const options_part idl_part = {OPTIONS_PART(rows, idl_options)};

static int is_steered(const inco_options *o) {
    return !isnan(penalty_options_of(o)->target_rms);
}

static int check(const inco_options *options, inco_error *error) {
    int status;
    TRY(options_check_one(options, TAKES, "set the same weight", error));
    if (bounded_is(options) && idl_options_of(options)->norms == NORMS_RESCALE)
        TRY(error_set(error, INCO_EINVAL,
                      "option 'max-coherence' needs unit norms during the update: remove option 'norms' = 'rescale'"));
    if (idl_options_of(options)->dropout > 0 && idl_options_of(options)->norms == NORMS_RESCALE)
        TRY(error_set(error, INCO_EINVAL,
                      "option 'dropout' needs unit norms during the update: remove option 'norms' = 'rescale'"));
done:
    return status;
}

/* ---- State ---- */

typedef struct idl_state {
    double start_coherence; /* with a bound */
    double gamma;           /* of the last update, with a target; 0 before the first */
    double growing;         /* 1: the first iterations learn in batches */
    double relative;        /* weight of the penalty relative to the data, if none is given */
    double dropout;         /* set by `start` in every run */
    batch_state batches;
    inco_mat axes; /* of the last update in this pass */
} idl_state;

static double gamma_of(const method_input *in) {
    const idl_state *own = in->own;
    return is_steered(in->options) ? own->gamma : penalty_gamma_relative(in, own->relative);
}

/* ---- Initialisation ---- */

/* With a bound, batches would miss the updates of the codes, which are worth more. */
static int wants_batches(const learner *l) {
    const int64_t schedule = learn_options_of(l->options)->schedule;
    if (schedule != SCHEDULE_AUTO) return schedule == SCHEDULE_GROWING;
    const int64_t count = l->signals.count;
    return !bounded_is(l->options) && !l->given && count >= MANY && count / ENOUGH_SIGNALS >= l->d.cols;
}

/* (SCHED-5): signals with a common mean are coded best by atoms that share it, which the penalty would prevent; white
 * ones by a tight frame, to which it leads. */
static int choose_weight(learner *l, inco_error *error) {
    const penalty_options *o = penalty_options_of(l->options);
    idl_state *own = l->own;
    variance about;
    if (l->iteration > 0 || !isnan(o->gamma) || !isnan(o->gamma_relative)) return INCO_OK;
    int status = learner_variance(l, &about, error);
    if (status < 0) return status;
    const double white = fmin(1, about.evenness / (double)learner_rank(l));
    own->relative = WEIGHT * about.share * about.share + WHITE * pow(white, 8);
    return status;
}

/* (DROP-4): for coefficients that are not shrunken already. */
static int choose_dropout(learner *l, inco_error *error) {
    const idl_options *o = idl_options_of(l->options);
    idl_state *own = l->own;
    variance about;
    own->dropout = isnan(o->dropout) ? 0 : o->dropout;
    if (!isnan(o->dropout) || o->norms == NORMS_RESCALE || bounded_is(l->options)) return INCO_OK;
    if (!coder_is_least_squares(coder_options_of(l->options))) return INCO_OK;
    int status = learner_variance(l, &about, error);
    if (status >= 0) own->dropout = DROPOUT * cbrt(about.share);
    return status;
}

static int start(learner *l, inco_error *error) {
    idl_state *own = l->own;
    coherence mu;
    int status;
    if (l->iteration == 0) own->growing = wants_batches(l);
    l->exchanges = own->growing > 0 && !l->signals.sequential;
    TRY(choose_weight(l, error));
    TRY(choose_dropout(l, error));
    if (!bounded_is(l->options)) goto done;
    TRY(bounded_check(l, error));
    if (l->iteration > 0) goto done;
    TRY(coherence_measure(&l->d, l->threads, &mu, error));
    own->start_coherence = mu.max; /* (BOUND-8): the bound of the first update */
done:
    return status;
}

/* ---- The update ---- */

typedef struct idl_task {
    const method_input *in;
    double passes;  /* over the data, completed */
    int iterations; /* of L-BFGS, at most */
    inco_mat *axes; /* of the updates of a pass */
} idl_task;

static int update_with(const void *self, inco_mat *d, double gamma, update_result *result, inco_error *error) {
    const idl_task *task = self;
    const method_input *in = task->in;
    const idl_state *own = in->own;
    update_settings settings = {.gamma = gamma,
                                .rescale = idl_options_of(in->options)->norms == NORMS_RESCALE,
                                .iterations = task->iterations,
                                .threads = in->threads,
                                .plain = idl_options_of(in->options)->update == UPDATE_PLAIN,
                                .enough = ENOUGH,
                                .narrow = in->type == INCO_F32,
                                .axes = idl_options_of(in->options)->norms == NORMS_SPHERE ? task->axes : NULL,
                                .within = in->span,
                                .poll = in->poll};
    bounded_update(&settings, in, own->start_coherence, task->passes);
    return dropout_update(d, in->s, own->dropout, &settings, result, error);
}

static int update_iterations(const inco_options *o) {
    return (int)learn_options_of(o)->update_iterations;
}

static int update(inco_mat *d, const method_input *in, update_result *result, inco_error *error) {
    const idl_task task = {in, (double)in->iteration, update_iterations(in->options), NULL};
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
    idl_state *own = l->own;
    const double count = (double)l->signals.count, scale = batches_scale(&own->batches.sums, l->weight);
    const double passes = coded_before(l, batch->first) / count;
    method_input in = learner_input(l);
    update_result unused = {0}, *r = result ? result : &unused;
    in.s = s;
    in.energy = s->observed;
    const double gamma = gamma_of(&in) / (isnan(penalty_options_of(l->options)->gamma) ? 1 : scale);
    const idl_task task = {&in, passes, range_min(FEW, update_iterations(l->options)), &own->axes};
    int status = penalty_check_weight(&in, gamma, error);
    if (status >= 0) status = update_with(&task, &l->d, gamma, r, error);
    if (status < 0) return status;
    l->progress.update_iterations += r->iterations;
    r->before *= scale;
    r->after *= scale;
    return status;
}

/* A pass with several updates, or with one. */
static int step(learner *l, inco_error *error) {
    idl_state *own = l->own;
    worst_list *worst = &l->notes.worst;
    spread_order order;
    if (!own->growing || size_of(l, 0) == l->signals.count) {
        batches_free(&own->batches);
        return alternate_step(l, error);
    }
    order_make(&order, &l->signals);
    inco_mat_free(&own->axes); /* a run that is resumed here has none */
    const batch_rule rule = {1, size_of, factor_of, update_batch};
    int status = batches_run(l, &own->batches, &rule, error);
    for (int64_t i = 0; status == INCO_OK && i < worst->count; i++) /* their indices in the data */
        worst->item[i].signal = order_index(&order, worst->item[i].signal);
    return status;
}

static int stops_by_gain(const inco_options *o) {
    return !bounded_is(o);
}

/* ---- Refitted coefficients, in whole passes ---- */

static int64_t code_updates(const inco_options *o) {
    if (!bounded_is(o) || coder_options_of(o)->nonnegative) return 0;
    return coder_is_least_squares(coder_options_of(o)) ? 3 : 1;
}

static void describe(const method_input *in, inco_learn_info *info) {
    bounded_describe(in, info);
    info->dropout = ((const idl_state *)in->own)->dropout;
}

/* ---- Checkpoints ---- */

static int save(const void *self, const inco_stream *stream) {
    const idl_state *own = self;
    const double saved[] = {own->start_coherence, own->gamma, own->growing, own->relative};
    if (stream->write(stream->self, saved, sizeof saved)) return INCO_EIO;
    return batches_save(&own->batches, stream);
}

static int resume(void *self, const inco_mat *d, const inco_stream *stream, inco_error *error) {
    idl_state *own = self;
    double saved[4];
    int status = checkpoint_read(stream, saved, sizeof saved, error);
    if (status < 0) return status;
    for (int i = 0; i < 4; i++)
        if (!(saved[i] >= 0 && isfinite(saved[i]))) return checkpoint_damaged(error);
    *own = (idl_state){.start_coherence = saved[0], .gamma = saved[1], .growing = saved[2] > 0, .relative = saved[3]};
    return batches_resume(&own->batches, d, stream, error);
}

static void free_state(void *self) {
    idl_state *own = self;
    batches_free(&own->batches);
    inco_mat_free(&own->axes);
}

const method method_idl = {.name = "idl",
                           .part = &idl_part,
                           .takes = TAKES "|update-iterations|max-coherence|code-updates|schedule",
                           .takes_auto = 1,
                           .stops_by_gain = stops_by_gain,
                           .check = check,
                           .own_size = sizeof(idl_state),
                           .start = start,
                           .step = step,
                           .update = update,
                           .finish = bounded_finish,
                           .gamma = gamma_of,
                           .code_updates = code_updates,
                           .describe = describe,
                           .save = save,
                           .resume = resume,
                           .free = free_state};
