/* The state of the learner: creation, initial dictionary, queries. */
#include "learn/learner.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/common.h"
#include "base/error.h"
#include "base/memory.h"
#include "code/coder.h"
#include "data/prepare.h"
#include "data/weights.h"
#include "design/design_options.h"
#include "design/init.h"
#include "learn/learn_options.h"
#include "learn/learner_state.h"
#include "learn/need.h"
#include "mat/mat.h"
#include "replace/exchange.h"

static const double REPORT_SECONDS = 0.05;

/* ---- Creating ---- */

/* Reports again from inside a step, with its phase, if the last report was a while ago. */
static int ask(void *self) {
    learner *l = self;
    return clock_seconds() - l->told >= REPORT_SECONDS && learner_tell(l, l->progress.phase) != INCO_OK;
}

int learner_new(learner **result, const inco_source *signals, const inco_options *options, inco_error *error) {
    const inco_source none = {.size = sizeof none, .type = common_precision(options, INCO_F32)};
    learner *l = NEW(learner, 1);
    *result = NULL;
    if (!l) return error_no_memory(error);
    l->signals = signals ? *signals : none;
    l->whole = signals;
    l->gain = -1;
    l->threads = common_threads(options);
    l->method = method_of(options);
    l->info.size = sizeof l->info;
    l->progress.size = sizeof l->progress;
    l->poll = (watcher_poll){ask, l};
    l->options = inco_options_copy(options);
    l->own = memory_new(1, l->method->own_size);
    if (!l->options || !l->own) {
        learner_free(l);
        return error_no_memory(error);
    }
    *result = l;
    return INCO_OK;
}

void learner_free(learner *l) {
    if (!l) return;
    if (l->method->free && l->own) l->method->free(l->own);
    memory_free(l->own);
    inco_options_free(l->options);
    inco_mat_free(&l->d);
    inco_mat_free(&l->result);
    inco_coder_free(l->coder);
    replace_free(&l->replacing);
    notes_free(&l->notes);
    holdout_free(&l->split);
    alternate_free(&l->stores);
    memory_free(l->use_count);
    memory_free(l);
}

void learner_set_span(learner *l, const subspace *span) {
    l->span = span;
}

void learner_set_cluster(learner *l, cluster *by) {
    l->cluster = by;
}

int64_t learner_rank(const learner *l) {
    if (!l->span) return l->d.rows;
    return l->span->rank > 0 ? l->span->rank : l->span->dim;
}

/* ---- The initial dictionary ---- */

static int check_start(const learner *l, const inco_mat *dictionary, inco_error *error) {
    const int64_t dim = l->signals.dim, atoms = design_options_of(l->options)->atoms;
    int64_t row, col;
    if (l->method->designs)
        return error_set(error, INCO_EINVAL, "option 'method' = '%s' has its own initial atoms and takes no others",
                         l->method->name);
    if (dictionary->rows != dim)
        return error_set(error, INCO_EDIM, "the initial dictionary has %lld dimensions, the signals have %lld",
                         (long long)dictionary->rows, (long long)dim);
    if (dictionary->cols < 1 || (atoms != OPTION_UNSET && atoms != dictionary->cols))
        return error_set(error, INCO_EDIM, "the initial dictionary has %lld atoms, but option 'atoms' is %lld",
                         (long long)dictionary->cols, (long long)(atoms == OPTION_UNSET ? 1 : atoms));
    if (mat_find_nonfinite(dictionary, &row, &col))
        return error_set(error, INCO_EDATA,
                         "the initial dictionary has a NaN or Inf: atom %lld, feature %lld (counted from 0)",
                         (long long)col, (long long)row);
    return INCO_OK;
}

int learner_start_from(learner *l, const inco_mat *dictionary, inco_error *error) {
    int status = check_start(l, dictionary, error);
    if (status < 0) return status;
    inco_mat_free(&l->d);
    status = mat_convert(&l->d, dictionary, INCO_F64, error);
    if (status >= 0 && mat_normalize_columns(&l->d, NULL) > 0)
        status = error_set(error, INCO_EDATA, "the initial dictionary has atoms that are all zero");
    l->given = 1;
    return status;
}

void learner_take_dictionary(learner *l, inco_mat *dictionary) {
    inco_mat_free(&l->d);
    l->d = *dictionary;
    *dictionary = (inco_mat){0};
}

void learner_set_signals(learner *l, const inco_source *signals, int64_t held_out) {
    l->signals = *signals;
    l->held_out = held_out;
    l->measured = 0;
    l->progress.total = signals->count;
}

void learner_restart(learner *l) {
    inco_learn_info *info = &l->info;
    inco_mat_free(&l->d);
    inco_mat_free(&l->result);
    if (l->method->free) l->method->free(l->own);
    if (l->method->own_size) memset(l->own, 0, l->method->own_size);
    l->iteration = l->replacing.count = 0;
    l->energy = info->objective = 0;
    info->replaced = info->replaced_coherent = info->replaced_exchanged = 0;
    info->spread_passes = info->spread_pairs = 0;
}

/* Creates the initial dictionary by the option init, unless there is one; files are read by learn.c. */
static int make_initial(learner *l, inco_error *error) {
    const int64_t atoms = design_options_of(l->options)->atoms, *patch = common_options_of(l->options)->patch;
    const uint64_t seed = common_seed(l->options);
    const char *init = learn_options_of(l->options)->init;
    int status;
    if (l->d.data) return INCO_OK;
    if (atoms == OPTION_UNSET) return error_set(error, INCO_EINVAL, "number of atoms missing: option 'atoms'");
    TRY(inco_mat_new(&l->d, INCO_F64, l->signals.dim, atoms, error));
    if (!strcmp(init, "sample"))
        TRY(init_sample(&l->d, &l->signals, seed, l->threads, error));
    else if (!strcmp(init, "random"))
        TRY(init_random(&l->d, seed, error));
    else if (patch[0] * patch[1] == l->signals.dim)
        TRY(init_dct(&l->d, patch[0], patch[1], error));
    else
        TRY(init_dct(&l->d, l->d.rows, 1, error));
done:
    if (status < 0) inco_mat_free(&l->d);
    return status;
}

/* Replaces the zero atoms of d by random signals; *count: how many. */
static int replace_zero_atoms(learner *l, int64_t *count, inco_error *error) {
    inco_mat drawn = {0};
    int64_t used = 0;
    int status = INCO_OK;
    *count = 0;
    for (int64_t j = 0; j < l->d.cols; j++) *count += mat_column_norm(&l->d, j) == 0;
    if (*count == 0) return status;
    TRY(inco_mat_new(&drawn, INCO_F64, l->d.rows, *count, error));
    status = init_sample(&drawn, &l->signals, common_seed(l->options), l->threads, error);
    if (status == INCO_EDATA)
        error_set(
            error, INCO_EDATA,
            "%lld initial atoms are orthogonal to all signals, and there are fewer nonzero signals to replace them",
            (long long)*count);
    if (status < 0) goto done;
    TRY(subspace_project_atoms(l->span, &drawn, l->threads, NULL, error));
    for (int64_t j = 0; j < l->d.cols; j++) {
        const inco_mat atom = mat_columns(&l->d, j, 1);
        if (mat_column_norm(&l->d, j) > 0) continue;
        const inco_mat from = mat_columns(&drawn, used++, 1);
        mat_copy(&atom, &from);
    }
done:
    inco_mat_free(&drawn);
    return status;
}

int learner_variance(learner *l, variance *result, inco_error *error) {
    int status = INCO_OK;
    if (!l->measured) TRY(variance_measure(&l->signals, l->threads, &l->about, error));
    l->measured = 1;
    *result = l->about;
done:
    return status;
}

/* (GAIN-1): a method may stop OMP and OLS by the gain of an atom, if signals have unit norm. */
static int choose_gain(learner *l, inco_error *error) {
    const inco_options *o = l->options;
    variance about;
    int status = INCO_OK;
    l->gain = -1;
    if (prepare_options_of(o)->normalize != NORMALIZE_UNIT) return status;
    if (!coder_has_default_sparsity(coder_options_of(o))) return status;
    if (!l->method->stops_by_gain || !l->method->stops_by_gain(o)) return status;
    TRY(learner_variance(l, &about, error));
    l->gain = fmin(0.3, sqrt(2 / (double)l->d.rows)) * cbrt(about.share);
done:
    return status;
}

/* Opens the coder, again if another gain was chosen. */
static int make_coder(learner *l, inco_error *error) {
    const coder_shape shape = {l->d.rows, l->d.cols, l->signals.type, l->threads};
    coder_options rules = *coder_options_of(l->options);
    if (l->gain >= 0) rules.lambda = l->gain;
    if (l->coder && l->coder_gain == l->gain) return INCO_OK;
    inco_coder_free(l->coder);
    l->coder = NULL;
    l->coder_gain = l->gain;
    return coder_open(&l->coder, &shape, &rules, error);
}

int learner_make_passes(learner *l, inco_error *error) {
    const int64_t dim = l->d.rows, atoms = l->d.cols;
    int status = INCO_OK;
    TRY(make_coder(l, error));
    if (l->signals.missing) TRY(coder_take_gaps(l->coder, error));
    if (!l->notes.worst.item)
        TRY(notes_new(&l->notes, atoms, learner_exchanges(l) ? exchange_signals(atoms) : atoms, error));
    if (!l->replacing.item) TRY(replace_new(&l->replacing, dim, atoms, exchange_lines(atoms), error));
done:
    return status;
}

/* The initial atoms are projected onto the span of the signals; those orthogonal to it are replaced. A dictionary that
 * has been there before keeps its bits. */
int learner_begin(learner *l, double began, inco_error *error) {
    int64_t projected, replaced;
    int status = INCO_OK;
    l->began = began;
    TRY(weights_total(&l->signals, &l->weight, error));
    if (!l->method->designs) {
        TRY(make_initial(l, error));
        TRY(need_check(&l->signals, l->d.cols, l->options, error));
        TRY(subspace_project_atoms(l->span, &l->d, l->threads, &projected, error));
        TRY(replace_zero_atoms(l, &replaced, error));
        l->info.start_projected += projected;
        l->info.start_replaced += replaced;
    }
    if (l->method->start) TRY(l->method->start(l, error));
    if (!l->method->designs) {
        TRY(choose_gain(l, error));
        TRY(learner_make_passes(l, error));
    }
    l->info.relative_error = l->info.mean_cardinality = NAN; /* until the final coding */
    l->info.unused = -1;
done:
    return status;
}

/* ---- Queries ---- */

inco_mat *learner_dictionary(learner *l) {
    return &l->d;
}

inco_mat *learner_result(learner *l) {
    return &l->result;
}

inco_learn_info *learner_info(learner *l) {
    return &l->info;
}

const int64_t *learner_use_counts(const learner *l) {
    return l->use_count;
}

method_input learner_input(const learner *l) {
    return (method_input){.options = l->options,
                          .type = l->signals.type,
                          .atoms = l->d.cols,
                          .rank = learner_rank(l),
                          .span = l->span,
                          .iteration = l->iteration,
                          .energy = l->energy,
                          .threads = l->threads,
                          .own = l->own,
                          .poll = &l->poll,
                          .relative_error = l->progress.relative_error};
}

int learner_exchanges(const learner *l) {
    const int64_t given = replace_options_of(l->options)->exchange;
    return inco_options_given(l->options, "exchange") ? given > 0 : l->exchanges;
}

double learner_gamma(const learner *l) {
    const method_input in = learner_input(l);
    return l->method->gamma ? l->method->gamma(&in) : 0;
}

int learner_tell(learner *l, const char *phase) {
    l->progress.phase = phase;
    l->told = clock_seconds();
    l->progress.seconds = l->told - l->began;
    return watcher_tell(options_watcher(l->options), &l->progress);
}

double learner_relative_error(double residual, double energy) {
    return energy > 0 ? sqrt(fmax(residual, 0) / energy) : 0;
}
