/* The alternating loop: code all signals, keep A and B of the codes, or the codes themselves when the method needs
 * them, update the dictionary from them. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/parallel.h"
#include "code/coder.h"
#include "dict/init.h"
#include "learn/bound.h"
#include "learn/design.h"
#include "learn/exchange.h"
#include "learn/learner.h"
#include "mat/blas.h"
#include "mat/mat.h"
#include "metric/coherence.h"
#include "sparse/csc.h"

/* ---- Making ---- */

int inco_learner_new(inco_learner **result, const inco_source *source, const inco_options *options, inco_error *error) {
    inco_learner *learner = NEW(inco_learner, 1);
    int status;
    *result = NULL;
    if (!learner) return error_no_memory(error);
    if (!(learner->options = inco_options_copy(options))) TRY(error_no_memory(error));
    TRY(options_check_learn(options, error));
    learner->threads = parallel_threads(options->threads);
    learner->method = method_find(options->method);
    learner->info.size = sizeof learner->info;
    learner->progress.size = sizeof learner->progress;
    if (options->method == METHOD_PARAMETRIC) {
        if (source) TRY(error_set(error, INCO_EINVAL, "--method parametric designs atoms without data: give none"));
        learner->data.source = design_source(options);
        *result = learner;
        return status;
    }
    if (!source) TRY(error_set(error, INCO_EINVAL, "there is no data to learn from"));
    TRY(prepare(&learner->data, source, options_precision(options, source->type), (int)options->center,
                options->normalize == NORMALIZE_UNIT, error));
    *result = learner;
done:
    if (status < 0) inco_learner_free(learner);
    return status;
}

static int64_t group_count(const inco_learner *learner) {
    return (learner->data.source.count + PASS_GROUP - 1) / PASS_GROUP;
}

void inco_learner_free(inco_learner *learner) {
    if (!learner) return;
    inco_options_free(learner->options);
    prepare_free(&learner->data);
    inco_mat_free(&learner->d);
    inco_mat_free(&learner->result);
    inco_coder_free(learner->coder);
    collector_free(learner->sums);
    training_free(&learner->held);
    for (int64_t i = 0; learner->codes && i < group_count(learner); i++) inco_csc_free(&learner->codes[i]);
    memory_free(learner->codes);
    memory_free(learner->use);
    memory_free(learner->usage);
    memory_free(learner->uses);
    worst_free(&learner->worst);
    replace_free(&learner->replacing);
    path_free(&learner->path);
    online_free(&learner->online);
    memory_free(learner->unknowns);
    memory_free(learner);
}

void inco_learner_on_progress(inco_learner *learner, inco_progress_fn callback, void *self) {
    learner->callback = callback;
    learner->callback_self = self;
}

inco_mat inco_learner_dictionary(const inco_learner *learner) {
    inco_mat view = learner->result;
    view.owner = NULL;
    return view;
}

const inco_learn_info *inco_learner_info(const inco_learner *learner) {
    return &learner->info;
}

const int64_t *inco_learner_usage(const inco_learner *learner) {
    return learner->usage;
}

int inco_learner_start_from(inco_learner *learner, const inco_mat *dictionary, inco_error *error) {
    const int64_t dim = learner->data.source.dim, atoms = learner->options->atoms;
    int64_t row, col;
    if (learner->options->method == METHOD_PARAMETRIC)
        return error_set(error, INCO_EINVAL,
                         "--method parametric starts from its own family of atoms, not from others");
    if (dictionary->rows != dim)
        return error_set(error, INCO_EDIM, "the dictionary to start from has %lld dimensions, the signals have %lld",
                         (long long)dictionary->rows, (long long)dim);
    if (dictionary->cols < 1 || (atoms != OPTION_UNSET && atoms != dictionary->cols))
        return error_set(error, INCO_EDIM, "the dictionary to start from has %lld atoms, --atoms asks for %lld",
                         (long long)dictionary->cols, (long long)(atoms == OPTION_UNSET ? 1 : atoms));
    if (mat_find_nonfinite(dictionary, &row, &col))
        return error_set(error, INCO_EDATA,
                         "the dictionary to start from has a NaN or Inf: atom %lld, feature %lld "
                         "(from 0)",
                         (long long)col, (long long)row);
    inco_mat_free(&learner->d);
    int status = mat_convert(&learner->d, dictionary, INCO_F64, error);
    if (status >= 0 && mat_normalize_columns(&learner->d, NULL) > 0)
        status = error_set(error, INCO_EDATA, "the dictionary to start from has atoms that are all zero");
    return status;
}

static int make_start(inco_learner *learner, inco_error *error) {
    const inco_options *o = learner->options;
    const uint64_t seed = (uint64_t)o->seed;
    const int patches = o->patch_rows * o->patch_cols == learner->data.source.dim;
    if (o->method == METHOD_PARAMETRIC) return design_start(learner, error);
    if (learner->d.data) return INCO_OK;
    if (o->atoms == OPTION_UNSET)
        return error_set(error, INCO_EINVAL, "--atoms is needed: how many atoms should be learned?");
    int status = inco_mat_new(&learner->d, INCO_F64, learner->data.source.dim, o->atoms, error);
    if (status < 0) return status;
    if (!strcmp(o->init, "sample")) return init_sample(&learner->d, &learner->data.source, seed, error);
    if (!strcmp(o->init, "random")) return init_random(&learner->d, seed, error);
    if (!strcmp(o->init, "dct"))
        return init_dct(&learner->d, patches ? o->patch_rows : learner->d.rows, patches ? o->patch_cols : 1, error);
    return error_set(error, INCO_EINVAL,
                     "--init '%s' is not sample, dct or random, and no dictionary was given to start "
                     "from",
                     o->init);
}

/* Where a pass puts what the method needs. */
static int make_stores(inco_learner *learner, inco_error *error) {
    const inco_source *source = &learner->data.source;
    const inco_mat *d = &learner->d;
    if (!learner->use && !(learner->use = NEW(double, d->cols))) return error_no_memory(error);
    if (!learner->uses && !(learner->uses = NEW(int64_t, d->cols))) return error_no_memory(error);
    if (learner->method->holds && !learner->held.square)
        return training_new(&learner->held, source->type, source->dim, source->count, learner->threads, error);
    if (!learner->method->holds && !learner->sums &&
        !(learner->sums = collector_new(d->rows, d->cols, learner->threads)))
        return error_no_memory(error);
    if (options_code_updates(learner->options) > 0 && !learner->codes &&
        !(learner->codes = NEW(inco_csc, group_count(learner))))
        return error_no_memory(error);
    return INCO_OK;
}

/* What run needs once there is a dictionary. */
static int make_parts(inco_learner *learner, inco_error *error) {
    const inco_mat *d = &learner->d;
    int status = INCO_OK;
    if (learner->options->method == METHOD_PARAMETRIC) return status;
    if (!learner->coder)
        status = coder_open(&learner->coder, d->rows, d->cols, learner->data.source.type, learner->options, error);
    if (status >= 0) status = make_stores(learner, error);
    if (status < 0) return status;
    const int64_t worst = learner->options->exchange ? EXCHANGE_SIGNALS * d->cols : d->cols;
    if (!learner->worst.item && worst_new(&learner->worst, worst) < 0) return error_no_memory(error);
    return learner->replacing.item ? INCO_OK : replace_new(&learner->replacing, d, learner->options, error);
}

/* ---- One iteration ---- */

int learner_tell(inco_learner *learner, const char *phase) {
    if (!learner->callback) return 0;
    learner->progress.phase = phase;
    learner->progress.seconds = clock_seconds() - learner->start;
    return learner->callback(learner->callback_self, &learner->progress) ? INCO_STOPPED : 0;
}

/* Keeps the codes of a group, in the place of its last ones. */
static int keep_codes(inco_learner *learner, const pass_group *group, inco_error *error) {
    inco_csc *kept = &learner->codes[group->first / PASS_GROUP];
    inco_csc_free(kept);
    int status = csc_new(kept, group->codes->type, group->codes->rows, group->codes->cols, 0, error);
    return status < 0 ? status : csc_append(kept, group->codes, error);
}

void learner_clear_notes(inco_learner *learner) {
    memset(learner->use, 0, (size_t)learner->d.cols * sizeof *learner->use);
    memset(learner->uses, 0, (size_t)learner->d.cols * sizeof *learner->uses);
    learner->worst.count = 0;
}

void learner_note(inco_learner *learner, const pass_group *group) {
    const inco_csc *codes = group->codes;
    for (int64_t k = 0; k < csc_nonzeros(codes); k++) {
        const double value = csc_value(codes, k);
        learner->use[codes->index[k]] += value * value;
        learner->uses[codes->index[k]] += value != 0;
    }
    for (int64_t n = 0; n < group->x->cols; n++) worst_offer(&learner->worst, group->first + n, group->residual[n]);
}

/* What a coding pass leaves behind besides. */
typedef struct gathering {
    inco_learner *learner;
    int64_t nonzeros;
} gathering;

static int gather(void *self, const pass_group *group, inco_error *error) {
    gathering *g = self;
    inco_learner *learner = g->learner;
    int status = learner->method->holds ? training_add(&learner->held, &learner->d, group->x, group->codes, error)
                                        : collector_add(learner->sums, group, error);
    if (status >= 0 && learner->codes) status = keep_codes(learner, group, error);
    if (status < 0) return status;
    g->nonzeros += csc_nonzeros(group->codes);
    learner_note(learner, group);
    learner->progress.signals_done = group->first + group->x->cols;
    return learner_tell(learner, "code");
}

/* ||X - D C||^2 / ||X||^2 from A and B; 0 without energy. */
static double relative_square(double rest, double energy) {
    return energy > 0 ? fmax(rest, 0) / energy : 0;
}

static void clear_stores(inco_learner *learner) {
    learner->progress.signals_done = 0;
    learner_clear_notes(learner);
    if (learner->method->holds)
        training_clear(&learner->held);
    else
        collector_clear(learner->sums);
}

/* A and B, or the codes, of the pass just made; *rest = ||X - D C||^2, which is a product with A, unless it is NULL. */
static int total_stores(inco_learner *learner, statistics *s, double *rest, inco_error *error) {
    *s = (statistics){.energy = learner->held.energy};
    if (!learner->method->holds) {
        *s = collector_total(learner->sums);
        return rest ? objective(&learner->d, s, 0, learner->threads, rest, error) : INCO_OK;
    }
    int status = training_complete(&learner->held, error);
    if (status >= 0 && rest) *rest = training_error(&learner->held);
    return status;
}

static int code_all(inco_learner *learner, statistics *s, inco_error *error) {
    const inco_source *source = &learner->data.source;
    gathering g = {learner, 0};
    pass p = {.source = source,
              .coder = learner->coder,
              .atoms = learner->d.cols,
              .threads = learner->threads,
              .self = &g,
              .visit = gather};
    double rest;
    clear_stores(learner);
    int status = pass_dictionary(&p, &learner->d, error);
    if (status >= 0) status = pass_run(&p, error);
    learner->info.seconds_io += p.seconds_io;
    learner->info.seconds_code += learner->progress.seconds_code = p.seconds_code;
    if (status != INCO_OK) return status;
    worst_sort(&learner->worst);
    status = total_stores(learner, s, &rest, error);
    if (status < 0) return status;
    learner->energy = s->energy;
    learner->progress.relative_error = sqrt(relative_square(rest, s->energy));
    learner->progress.mean_cardinality = (double)g.nonzeros / (double)source->count;
    return status;
}

static int gather_refitted(void *self, const pass_group *group, inco_error *error) {
    inco_learner *learner = self;
    int status = collector_add(learner->sums, group, error);
    return status < 0 ? status : learner_tell(learner, "update");
}

/* A and B of the codes kept, their coefficients solved for anew in the dictionary as it is now. */
static int refit_all(inco_learner *learner, statistics *s, inco_error *error) {
    inco_mat products = {0};
    pass p = {.source = &learner->data.source,
              .atoms = learner->d.cols,
              .threads = learner->threads,
              .self = learner,
              .visit = gather_refitted,
              .held = learner->codes,
              .dictionary = &learner->d,
              .products = &products};
    double start = clock_seconds();
    int status = mat_new_raw(&products, INCO_F64, learner->d.cols, learner->d.cols, error);
    if (status < 0) return status;
    blas_multiply(learner->threads, "TN", 1, &learner->d, &learner->d, 0, &products);
    p.seconds_code = clock_seconds() - start;
    collector_clear(learner->sums);
    status = pass_run(&p, error);
    inco_mat_free(&products);
    learner->info.seconds_io += p.seconds_io;
    learner->info.seconds_update += p.seconds_code;
    learner->progress.seconds_update += p.seconds_code;
    return status == INCO_OK ? total_stores(learner, s, NULL, error) : status;
}

double learner_gamma(const inco_learner *learner) {
    const inco_options *o = learner->options;
    const int given = inco_options_given(o, "gamma") || inco_options_given(o, "gamma-relative");
    if (!learner->method->penalised || (o->method == METHOD_ONLINE && !given)) return 0;
    if (steer_wanted(o)) return learner->steer.gamma;
    if (path_wanted(o)) return path_gamma_relative(learner) * learner->energy / (double)learner->d.cols;
    return isnan(o->gamma) ? options_gamma_relative(o) * learner->energy / (double)learner->d.cols : o->gamma;
}

static double eta_of(const inco_learner *learner) {
    const inco_options *o = learner->options;
    if (o->method != METHOD_MOCOD) return 0;
    return isnan(o->eta) ? learner->energy / (double)learner->d.cols : o->eta;
}

/* Signals by what the update left of them. */
static void rank_signals(inco_learner *learner) {
    learner->worst.count = 0;
    training_error(&learner->held);
    for (int64_t n = 0; n < learner->data.source.count; n++) worst_offer(&learner->worst, n, learner->held.square[n]);
    worst_sort(&learner->worst);
}

static int update(inco_learner *learner, const statistics *s, inco_error *error) {
    const inco_options *o = learner->options;
    method_input in = {o,
                       s,
                       &learner->held,
                       (uint64_t)learner->iteration,
                       {.gamma = learner_gamma(learner),
                        .rescale = o->norms == NORMS_RESCALE,
                        .iterations = (int)o->update_iterations,
                        .threads = learner->threads,
                        .narrow = learner->data.source.type == INCO_F32,
                        .eta = eta_of(learner),
                        .bound = bound_now(learner),
                        .push = bound_push(learner)}};
    update_result result = {0};
    double start = clock_seconds(), seconds;
    int status = steer_wanted(o) ? steer_update(learner, &in, &result, error)
                                 : learner->method->update(&learner->d, &in, &result, error);
    if (status >= 0 && learner->method->holds) rank_signals(learner);
    seconds = clock_seconds() - start;
    learner->info.seconds_update += seconds;
    learner->progress.seconds_update += seconds;
    learner->progress.objective_before = result.before;
    learner->progress.objective = learner->info.objective = result.after;
    learner->progress.update_iterations += result.iterations;
    learner->info.spread_passes += learner->progress.spread_passes = result.passes;
    learner->info.spread_pairs += learner->progress.spread_pairs = result.pairs;
    learner->info.seconds_spread += result.seconds_spread;
    return status;
}

static int choose_replacements(inco_learner *learner, inco_error *error) {
    const inco_options *o = learner->options;
    replacement_rule rule = {.policy = (int)o->unused,
                             .bound = o->replace,
                             .min_uses = o->min_uses,
                             .uses = learner->uses,
                             .d = &learner->d,
                             .source = &learner->data.source,
                             .worst = &learner->worst,
                             .seed = (uint64_t)o->seed,
                             .round = (uint64_t)learner->iteration,
                             .threads = learner->threads};
    int status = INCO_OK;
    learner->replacing.count = 0;
    if (o->exchange) status = exchange_choose(learner, error);
    return status < 0 ? status : replace_choose(&learner->replacing, &rule, error);
}

/* sign 1 counts what the last iteration chose as replaced, -1 takes it back. */
static void count_replacements(inco_learner *learner, int64_t sign) {
    const replacement_list *list = &learner->replacing;
    learner->info.replaced += sign * list->count;
    learner->info.replaced_coherent += sign * replace_count(list, REPLACED_COHERENT);
    learner->info.replaced_exchanged += sign * replace_count(list, REPLACED_EXCHANGED);
}

/* What the last iteration chose takes its place now that the dictionary is trained on. */
static int apply_replacements(inco_learner *learner, inco_error *error) {
    learner->progress.replaced = learner->replacing.count;
    count_replacements(learner, 1);
    return replace_apply(&learner->replacing, &learner->d, &learner->data.source, error);
}

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

/* Codes, updates the dictionary, and chooses what replaces unused atoms. */
static int step(inco_learner *learner, inco_error *error) {
    statistics s;
    int status;
    if (learner->options->method == METHOD_ONLINE) {
        if ((status = online_pass(learner, error)) != INCO_OK) return status;
        return choose_replacements(learner, error);
    }
    if (learner->options->method == METHOD_PARAMETRIC) return design_step(learner, error);
    if ((status = code_all(learner, &s, error)) != INCO_OK) return status;
    learner->progress.seconds_update = 0;
    learner->progress.update_iterations = 0;
    steer_begin(learner);
    if ((status = learner_tell(learner, "update")) != INCO_OK) return status;
    if ((status = update(learner, &s, error)) != INCO_OK) return status;
    for (int64_t i = 0; i < options_code_updates(learner->options); i++) {
        if ((status = refit_all(learner, &s, error)) != INCO_OK) return status;
        if ((status = update(learner, &s, error)) != INCO_OK) return status;
    }
    return choose_replacements(learner, error);
}

/* INCO_STOPPED when the caller stopped it half-way: the dictionary is then as before. */
static int iterate(inco_learner *learner, double *change, inco_error *error) {
    inco_mat before = {0};
    coherence mu;
    int status;
    learner->progress.iteration = learner->iteration + 1;
    learner->progress.iterations = learner->options->iterations;
    learner->progress.signals = learner->data.source.count;
    TRY(mat_convert(&before, &learner->d, INCO_F64, error));
    TRY(apply_replacements(learner, error));
    if ((status = step(learner, error)) != INCO_OK) {
        mat_copy(&learner->d, &before);
        count_replacements(learner, -1);
        goto done;
    }
    TRY(coherence_measure(&learner->d, learner->threads, &mu, error));
    *change = change_between(&learner->d, &before);
    learner->progress.coherence_max = mu.max;
    learner->progress.coherence_rms = mu.rms;
    learner->progress.gamma = learner_gamma(learner);
    learner->progress.gamma_updates = learner->steer.updates;
    learner->iteration++;
done:
    inco_mat_free(&before);
    return status;
}

/* Iterates until a rule stops it; info.stopped_by names the rule. */
static int iterate_all(inco_learner *learner, inco_error *error) {
    const inco_options *o = learner->options;
    int status = bound_begin(learner, error);
    learner->info.stopped_by = "iterations";
    while (status >= 0 && learner->iteration < o->iterations) {
        double change = 0;
        status = iterate(learner, &change, error);
        if (status == INCO_OK) status = learner_tell(learner, "iteration");
        if (status > 0) learner->info.stopped_by = "callback";
        if (status != INCO_OK) return status;
        if (o->stop_change > 0 && change <= o->stop_change)
            learner->info.stopped_by = "change";
        else if (o->stop_seconds > 0 && clock_seconds() - learner->start >= o->stop_seconds)
            learner->info.stopped_by = "seconds";
        else
            continue;
        break;
    }
    return status;
}

/* ---- The end ---- */

typedef struct final_pass {
    inco_learner *learner;
    inco_csc *codes; /* NULL: not wanted */
    int64_t *used;   /* by atom: signals */
    double rest, energy;
    int64_t nonzeros;
} final_pass;

static int look_at_codes(void *self, const pass_group *group, inco_error *error) {
    final_pass *f = self;
    inco_learner *learner = f->learner;
    int status = pass_error(&learner->result, group, learner->threads, &f->rest, &f->energy, error);
    for (int64_t k = 0; k < csc_nonzeros(group->codes); k++) f->used[group->codes->index[k]]++;
    f->nonzeros += csc_nonzeros(group->codes);
    if (status >= 0 && f->codes) status = csc_append(f->codes, group->codes, error);
    learner->progress.signals_done = group->first + group->x->cols;
    return status < 0 ? status : learner_tell(learner, "final");
}

/* Codes the training signals in the result: its error, cardinality and use. */
static int code_finally(inco_learner *learner, inco_csc *codes, inco_error *error) {
    inco_learn_info *info = &learner->info;
    const int64_t atoms = learner->result.cols, count = learner->data.source.count;
    final_pass f = {.learner = learner, .codes = codes, .used = NEW(int64_t, atoms)};
    pass p = {.source = &learner->data.source,
              .coder = learner->coder,
              .atoms = atoms,
              .threads = learner->threads,
              .self = &f,
              .visit = look_at_codes};
    coder_counts before = coder_seen(learner->coder);
    int status = f.used ? pass_dictionary(&p, &learner->result, error) : error_no_memory(error);
    if (status >= 0) status = pass_run(&p, error);
    info->seconds_io += p.seconds_io;
    info->seconds_code += p.seconds_code;
    if (status == INCO_OK) {
        info->relative_error = sqrt(relative_square(f.rest, f.energy));
        info->mean_cardinality = (double)f.nonzeros / (double)count;
        info->skipped_atoms = coder_seen(learner->coder).skipped - before.skipped;
        info->zero_signals = coder_seen(learner->coder).zero_signals - before.zero_signals;
        if (learner->energy == 0) learner->energy = f.energy; /* resumed at its end */
        info->unused = 0;
        for (int64_t j = 0; j < atoms; j++) info->unused += !f.used[j];
        memory_free(learner->usage);
        learner->usage = f.used;
        f.used = NULL;
    }
    memory_free(f.used);
    return status;
}

/* Coherence and spectrum, in double, of the values as stored. */
static int measure(inco_learner *learner, inco_error *error) {
    inco_learn_info *info = &learner->info;
    const inco_mat *d = &learner->result;
    const int64_t count = d->rows < d->cols ? d->rows : d->cols;
    double *values = NEW(double, count);
    inco_mat exact = {0};
    coherence mu = {0};
    int status;
    if (!values) TRY(error_no_memory(error));
    TRY(mat_convert(&exact, d, INCO_F64, error));
    mat_normalize_columns(&exact, NULL);
    TRY(coherence_measure(&exact, learner->threads, &mu, error));
    TRY(lapack_singular_values(&exact, values, error));
    info->coherence_max = mu.max;
    info->coherence_rms = mu.rms;
    info->coherence_mean = mu.mean;
    info->welch = coherence_bound(d->rows, d->cols);
    info->singular_max = values[0];
    info->singular_min = values[count - 1];
done:
    inco_mat_free(&exact);
    memory_free(values);
    return status;
}

static void describe(inco_learner *learner) {
    inco_learn_info *info = &learner->info;
    const inco_options *o = learner->options;
    const double dim = (double)learner->d.rows, atoms = (double)learner->d.cols, energy = learner->energy;
    info->dim = learner->d.rows;
    info->atoms = learner->d.cols;
    info->signals = learner->data.source.count;
    info->iterations = learner->iteration;
    info->precision = learner->data.source.type;
    info->gamma = learner_gamma(learner);
    info->gamma_relative = energy > 0 ? info->gamma * atoms / energy : 0;
    info->tight_ratio = energy > 0 ? info->gamma * (atoms * atoms / dim - atoms) / energy : 0;
    info->coherence_target = isnan(o->max_coherence) ? 0 : o->max_coherence + options_coherence_tolerance(o);
    info->eta = eta_of(learner);
    info->isa = inco_isa();
    info->blas = inco_blas();
    info->threads = learner->threads;
    info->seconds_total = clock_seconds() - learner->start;
}

static int run(inco_learner *learner, inco_error *error) {
    int status, stopped, ended;
    TRY(stopped = path_run(learner, error));
    TRY(make_start(learner, error));
    TRY(bound_check_learner(learner, error));
    TRY(steer_check(learner, error));
    TRY(make_parts(learner, error));
    learner->info.relative_error = learner->info.mean_cardinality = NAN; /* until the final coding */
    learner->info.unused = -1;
    if (stopped == INCO_OK) TRY(stopped = iterate_all(learner, error));
    inco_mat_free(&learner->result);
    TRY(mat_convert(&learner->result, path_dictionary(learner), learner->data.source.type, error));
    TRY(ended = bound_keep(learner, stopped, error));
    if (stopped == INCO_OK) stopped = ended;
    if (stopped == INCO_OK && learner->coder) TRY(stopped = code_finally(learner, NULL, error));
    if (stopped > 0) learner->info.stopped_by = "callback";
    TRY(measure(learner, error));
    describe(learner);
    status = stopped;
done:
    return status;
}

int inco_learner_run(inco_learner *learner, inco_error *error) {
    learner->start = clock_seconds();
    blas_enter();
    int status = run(learner, error);
    blas_leave();
    return status;
}

int inco_learner_encode(inco_learner *learner, inco_csc *codes, inco_error *error) {
    if (!learner->result.data) return error_set(error, INCO_EINVAL, "there are no codes before the learner has run");
    if (!learner->coder) return error_set(error, INCO_EINVAL, "there are no signals to code");
    int status = csc_new(codes, learner->result.type, learner->result.cols, 0, 0, error);
    if (status < 0) return status;
    blas_enter();
    status = code_finally(learner, codes, error);
    blas_leave();
    if (status != INCO_OK) inco_csc_free(codes);
    return status;
}

int inco_learn(const inco_source *source, const inco_options *options, inco_mat *dictionary, inco_learn_info *info,
               inco_error *error) {
    inco_learner *learner = NULL;
    int status;
    *dictionary = (inco_mat){0};
    TRY(inco_learner_new(&learner, source, options, error));
    TRY(inco_learner_run(learner, error));
    *dictionary = learner->result;
    learner->result = (inco_mat){0};
    if (info) *info = learner->info;
done:
    inco_learner_free(learner);
    return status;
}
