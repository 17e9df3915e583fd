#include "learn/alternate.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/range.h"
#include "code/coder.h"
#include "learn/learn_options.h"
#include "learn/learner_state.h"
#include "learn/penalty.h"
#include "mat/blas.h"
#include "mat/mat.h"
#include "sparse/csc.h"

/* ---- Stores ---- */

/* Number of times per iteration that coefficients are refitted and the dictionary is updated again. */
static int64_t code_updates(const learner *l) {
    const int64_t given = learn_options_of(l->options)->code_updates;
    if (given != OPTION_UNSET) return given;
    return l->method->code_updates ? l->method->code_updates(l->options) : 0;
}

static int make_stores(learner *l, inco_error *error) {
    alternation *stores = &l->stores;
    const inco_source *signals = &l->signals;
    if (l->method->needs_codes && !stores->held.square) {
        int status = training_new(&stores->held, signals->type, signals->dim, signals->count, l->threads, error);
        if (status < 0) training_free(&stores->held);
        return status;
    }
    if (!l->method->needs_codes && !stores->sums && !(stores->sums = collector_new(l->d.rows, l->d.cols, l->threads)))
        return error_no_memory(error);
    if (code_updates(l) > 0 && !stores->codes) {
        stores->code_groups = range_blocks(signals->count, PASS_GROUP);
        if (!(stores->codes = NEW(csc, stores->code_groups))) return error_no_memory(error);
    }
    return INCO_OK;
}

void alternate_free(alternation *stores) {
    collector_free(stores->sums);
    training_free(&stores->held);
    for (int64_t i = 0; stores->codes && i < stores->code_groups; i++) csc_free(&stores->codes[i]);
    memory_free(stores->codes);
    *stores = (alternation){0};
}

static void clear_stores(learner *l) {
    if (l->method->needs_codes)
        training_clear(&l->stores.held);
    else
        collector_clear(l->stores.sums);
}

/* A and B, or the codes, of the last pass; *residual (may be NULL) = ||X - D C||^2, which costs a product with A. */
static int total_stores(learner *l, statistics *s, double *residual, inco_error *error) {
    *s = (statistics){.energy = l->stores.held.energy};
    if (!l->method->needs_codes) {
        *s = collector_total(l->stores.sums);
        int status = subspace_project(l->span, &s->b, l->threads, error);
        if (status < 0 || !residual) return status;
        return update_objective(&l->d, s, 0, l->threads, residual, error);
    }
    int status = training_complete(&l->stores.held, error);
    if (status >= 0 && residual) *residual = training_error(&l->stores.held);
    return status;
}

/* ---- Coding ---- */

/* Stores the codes of a group, replacing its previous ones. */
static int keep_codes(alternation *stores, const pass_group *group, inco_error *error) {
    csc *kept = &stores->codes[group->first / PASS_GROUP];
    csc_free(kept);
    int status = csc_new(kept, group->codes->type, group->codes->rows, group->codes->cols, 0, error);
    return status < 0 ? status : csc_append(kept, group->codes, error);
}

typedef struct gathering {
    learner *l;
    int64_t nonzeros;
} gathering;

static int gather(void *self, const pass_group *group, inco_error *error) {
    gathering *g = self;
    learner *l = g->l;
    alternation *stores = &l->stores;
    int status = l->method->needs_codes ? training_add(&stores->held, &l->d, group->x, group->codes, error)
                                        : collector_add(stores->sums, group, error);
    if (status >= 0 && stores->codes) status = keep_codes(stores, group, error);
    if (status < 0) return status;
    g->nonzeros += csc_nonzeros(group->codes);
    notes_add(&l->notes, group);
    l->progress.done = group->first + group->x->cols;
    return learner_tell(l, "code");
}

static int code_all(learner *l, statistics *s, inco_error *error) {
    gathering g = {l, 0};
    pass p = {.source = &l->signals,
              .coder = l->coder,
              .atoms = l->d.cols,
              .threads = l->threads,
              .self = &g,
              .visit = gather};
    double residual;
    l->progress.done = 0;
    notes_clear(&l->notes);
    clear_stores(l);
    int status = pass_dictionary(&p, &l->d, error);
    if (status >= 0) status = pass_run(&p, error);
    l->info.seconds_io += p.seconds_io;
    l->info.seconds_code += l->progress.seconds_code = p.seconds_code;
    if (status != INCO_OK) return status;
    worst_sort(&l->notes.worst);
    status = total_stores(l, s, &residual, error);
    if (status < 0) return status;
    l->energy = s->energy;
    l->progress.relative_error = learner_relative_error(residual, s->energy);
    l->progress.mean_cardinality = (double)g.nonzeros / (double)l->signals.count;
    return status;
}

static int gather_refitted(void *self, const pass_group *group, inco_error *error) {
    learner *l = self;
    int status = collector_add(l->stores.sums, group, error);
    return status < 0 ? status : learner_tell(l, "update");
}

/* A and B of the stored codes, with coefficients refitted by least squares in the current dictionary. */
static int refit_all(learner *l, statistics *s, inco_error *error) {
    inco_mat products = {0};
    pass p = {.source = &l->signals,
              .atoms = l->d.cols,
              .threads = l->threads,
              .self = l,
              .visit = gather_refitted,
              .held = l->stores.codes,
              .dictionary = &l->d,
              .products = &products};
    const double start = clock_seconds();
    int status = mat_new_raw(&products, INCO_F64, l->d.cols, l->d.cols, error);
    if (status < 0) return status;
    blas_multiply(l->threads, "TN", 1, &l->d, &l->d, 0, &products);
    p.seconds_code = clock_seconds() - start;
    collector_clear(l->stores.sums);
    status = pass_run(&p, error);
    inco_mat_free(&products);
    l->info.seconds_io += p.seconds_io;
    l->info.seconds_update += p.seconds_code;
    l->progress.seconds_update += p.seconds_code;
    return status == INCO_OK ? total_stores(l, s, NULL, error) : status;
}

/* ---- Updating ---- */

/* Ranks signals by their residual after the update, which has changed the codes too. */
static void rank_signals(learner *l) {
    worst_list *worst = &l->notes.worst;
    worst->count = 0;
    training_error(&l->stores.held);
    for (int64_t n = 0; n < l->signals.count; n++) worst_offer(worst, n, l->stores.held.square[n]);
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

int alternate_step(learner *l, inco_error *error) {
    statistics s;
    int status = make_stores(l, error);
    if (status == INCO_OK) status = code_all(l, &s, error);
    if (status != INCO_OK) return status;
    l->progress.seconds_update = 0;
    l->progress.update_iterations = l->progress.gamma_updates = 0;
    if ((status = learner_tell(l, "update")) != INCO_OK) return status;
    status = update(l, 0, &s, error);
    for (int64_t i = 1; i <= code_updates(l) && status == INCO_OK; i++) {
        status = refit_all(l, &s, error);
        if (status == INCO_OK) status = update(l, i, &s, error);
    }
    return status;
}
