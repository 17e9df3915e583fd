/* The loop of the learner: iterations until a stopping rule or the caller ends them, with replacement of atoms in
 * between. */
#include <math.h>

#include "base/clock.h"
#include "base/common.h"
#include "base/error.h"
#include "design/design_options.h"
#include "learn/learn_options.h"
#include "learn/learner_state.h"
#include "mat/mat.h"
#include "metric/coherence.h"
#include "replace/exchange.h"

/* ---- Replacements ---- */

/* Atoms exchanged count as used. */
static int choose_exchanges(learner *l, inco_error *error) {
    replacement_list *list = &l->replacing;
    exchange_input in = {.d = &l->d,
                         .signals = &l->signals,
                         .coder = l->coder,
                         .worst = &l->notes.worst,
                         .use_energy = l->notes.use_energy,
                         .gamma = learner_gamma(l),
                         .threads = l->threads};
    int status = exchange_choose(&in, list, &l->info.seconds_code, error);
    for (int64_t i = 0; i < list->count; i++)
        l->notes.use_weight[list->item[i].atom] = (double)replace_options_of(l->options)->min_uses;
    return status;
}

static int choose_replacements(learner *l, inco_error *error) {
    const replace_options *o = replace_options_of(l->options);
    const replacement_rule rule = {.policy = (int)o->unused,
                                   .bound = o->replace,
                                   .min_uses = (double)o->min_uses,
                                   .use_weight = l->notes.use_weight,
                                   .d = &l->d,
                                   .source = &l->signals,
                                   .worst = &l->notes.worst,
                                   .seed = common_seed(l->options),
                                   .round = (uint64_t)l->iteration,
                                   .threads = l->threads};
    int status = INCO_OK;
    l->replacing.count = 0;
    if (learner_exchanges(l)) status = choose_exchanges(l, error);
    return status < 0 ? status : replace_choose(&l->replacing, &rule, error);
}

void learner_count_replacements(learner *l, int64_t sign) {
    const replacement_list *list = &l->replacing;
    l->info.replaced += sign * list->count;
    l->info.replaced_coherent += sign * replace_count(list, REPLACED_COHERENT);
    l->info.replaced_exchanged += sign * replace_count(list, REPLACED_EXCHANGED);
}

/* Applies the replacements chosen by the last iteration, since another one follows. */
static int apply_replacements(learner *l, inco_error *error) {
    l->progress.replaced = l->replacing.count;
    learner_count_replacements(l, 1);
    return replace_apply(&l->replacing, &l->d, &l->signals, error);
}

/* ---- Iterations ---- */

/* ||D - E|| / ||E|| */
static double change_between(const inco_mat *d, const inco_mat *e) {
    double change = 0, norm = 0;
    const double *x = d->data, *y = e->data;
    for (int64_t i = 0; i < d->rows * d->cols; i++) {
        change += (x[i] - y[i]) * (x[i] - y[i]);
        norm += y[i] * y[i];
    }
    return sqrt(change / norm);
}

static int step(learner *l, inco_error *error) {
    int status = l->method->step(l, error);
    if (status == WATCHER_STOPPED) return INCO_STOPPED;
    return status == INCO_OK && !l->method->designs ? choose_replacements(l, error) : status;
}

/* INCO_STOPPED if the caller stopped it; the dictionary is then unchanged. */
static int iterate(learner *l, double *change, inco_error *error) {
    inco_mat before = {0};
    coherence mu;
    int status;
    l->progress.iteration = l->iteration + 1;
    l->progress.iterations = learn_options_of(l->options)->iterations;
    l->progress.total = l->signals.count;
    TRY(mat_convert(&before, &l->d, INCO_F64, error));
    TRY(apply_replacements(l, error));
    if ((status = step(l, error)) != INCO_OK) {
        mat_copy(&l->d, &before);
        learner_count_replacements(l, -1);
        goto done;
    }
    TRY(subspace_project_atoms(l->span, &l->d, l->threads, NULL, error));
    TRY(coherence_measure(&l->d, l->threads, &mu, error));
    *change = change_between(&l->d, &before);
    l->progress.coherence_max = mu.max;
    l->progress.coherence_rms = mu.rms;
    l->progress.gamma = learner_gamma(l);
    l->iteration++;
done:
    inco_mat_free(&before);
    return status;
}

int learner_iterate(learner *l, inco_error *error) {
    const learn_options *o = learn_options_of(l->options);
    const double seconds = design_options_of(l->options)->stop_seconds;
    const char *rule = NULL;
    while (!rule && l->iteration < o->iterations) {
        double change = 0;
        int status = iterate(l, &change, error);
        if (status == INCO_OK) status = learner_tell(l, "iteration");
        if (status != INCO_OK) return status;
        if (seconds > 0 && clock_seconds() - l->began >= seconds) rule = "seconds";
        if (o->stop_change > 0 && change <= o->stop_change) rule = "change";
    }
    l->info.stopped_by = rule ? rule : "iterations";
    return INCO_OK;
}
