#include "learn/alternate.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/limit.h"
#include "base/memory.h"
#include "base/range.h"
#include "code/coder.h"
#include "learn/coding.h"
#include "learn/learn_options.h"
#include "learn/learner_state.h"
#include "learn/penalty.h"
#include "mat/blas.h"
#include "mat/mat.h"
#include "sparse/csc.h"

/* Number of times per iteration that coefficients are refitted and the dictionary is updated again. */
static int64_t code_updates(const learner *l) {
    const int64_t given = learn_options_of(l->options)->code_updates;
    if (given != OPTION_UNSET) return given;
    return l->method->code_updates ? l->method->code_updates(l->options) : 0;
}

int64_t alternate_codes_limit(const inco_options *options) {
    enum { CODES = 256 << 20 };
    return range_min(CODES, limit_of(options) / 4);
}

void alternate_free(alternation *stores) {
    collector_free(stores->sums);
    training_free(&stores->held);
    kept_free(stores->codes);
    *stores = (alternation){0};
}

/* ---- Coding ---- */

static int project(const learner *l, const statistics *s, inco_error *error) {
    return l->method->needs_codes ? INCO_OK : subspace_project(l->span, &s->b, l->threads, error);
}

static int code_all(learner *l, statistics *s, inco_error *error) {
    const int64_t count = l->signals.count;
    const int held = l->method->needs_codes;
    const serve_order order = {.count = count, .keep = !held && code_updates(l) > 0};
    collected sums;
    double residual, nonzeros;
    l->progress.done = 0;
    l->progress.seconds_code = 0;
    notes_clear(&l->notes);
    int status = coding_sums(l, order, &sums, error);
    if (status != INCO_OK) return status;
    worst_sort(&l->notes.worst);
    nonzeros = held ? training_nonzeros(&l->stores.held) : sums.nonzeros;
    *s = sums.s;
    TRY(project(l, s, error));
    if (held) {
        TRY(training_complete(&l->stores.held, error));
        residual = training_error(&l->stores.held);
    } else {
        TRY(update_objective(&l->d, s, 0, l->threads, &residual, error)); /* a product with A */
    }
    l->energy = s->observed;
    l->progress.relative_error = learner_relative_error(residual, s->observed);
    l->progress.mean_cardinality = nonzeros / l->weight;
done:
    return status;
}

/* ---- Updating ---- */

/* Ranks signals by their residual after the update, which has changed the codes too. */
static void rank_signals(learner *l) {
    worst_list *worst = &l->notes.worst;
    const training *held = &l->stores.held;
    worst_clear(worst);
    training_error(&l->stores.held);
    for (int64_t n = 0; n < l->signals.count; n++)
        worst_offer(worst, (worst_signal){held->square[n], held->weight ? held->weight[n] : 1, n});
    worst_sort(worst);
}

static int update(learner *l, int64_t round, const statistics *s, inco_error *error) {
    method_input in = learner_input(l);
    update_result result = {0};
    const double start = clock_seconds();
    in.round = round;
    in.s = s;
    in.held = &l->stores.held;
    int status = l->method->gamma ? penalty_check_weight(&in, l->method->gamma(&in), error) : INCO_OK;
    if (status >= 0) status = l->method->update(&l->d, &in, &result, error);
    if (status == WATCHER_STOPPED) return status;
    if (status >= 0 && l->method->needs_codes) rank_signals(l);
    const double seconds = clock_seconds() - start;
    l->info.seconds_update += seconds;
    l->progress.seconds_update += seconds;
    l->progress.objective_before = result.before;
    l->progress.objective = l->info.objective = result.after;
    l->progress.update_iterations += result.iterations;
    l->progress.gamma_updates += result.gammas;
    l->info.spread_passes += l->progress.spread_passes = result.passes;
    l->info.spread_pairs += l->progress.spread_pairs = result.pairs;
    l->info.seconds_spread += result.seconds_spread;
    return status;
}

/* Codes all signals and updates; then updates with coefficients refitted by least squares in the current dictionary. */
int alternate_step(learner *l, inco_error *error) {
    statistics s;
    int status = code_all(l, &s, error);
    if (status != INCO_OK) return status;
    l->progress.seconds_update = 0;
    l->progress.update_iterations = l->progress.gamma_updates = 0;
    if ((status = learner_tell(l, "update")) != INCO_OK) return status;
    status = update(l, 0, &s, error);
    for (int64_t i = 1; i <= code_updates(l) && status == INCO_OK; i++) {
        collected sums;
        if ((status = coding_refit(l, &sums, error)) != INCO_OK) return status;
        s = sums.s;
        status = project(l, &s, error);
        if (status == INCO_OK) status = update(l, i, &s, error);
    }
    return status;
}
