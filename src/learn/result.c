/* The result of the learner: the dictionary in the precision wanted, its codes, error, coherence and spectrum. */
#include <math.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/range.h"
#include "code/coder.h"
#include "design/bound.h"
#include "learn/learner_state.h"
#include "mat/blas.h"
#include "mat/mat.h"
#include "metric/coherence.h"
#include "sparse/wide.h"

typedef struct final_pass {
    learner *l;
    inco_csc *codes;    /* NULL: not wanted */
    int64_t *use_count; /* per atom */
    double residual, energy;
    int64_t nonzeros;
} final_pass;

static int look_at_codes(void *self, const pass_group *group, inco_error *error) {
    final_pass *f = self;
    learner *l = f->l;
    int status = pass_error(&l->result, group, l->threads, &f->residual, &f->energy, error);
    for (int64_t k = 0; k < csc_nonzeros(group->codes); k++) f->use_count[group->codes->index[k]]++;
    f->nonzeros += csc_nonzeros(group->codes);
    if (status >= 0 && f->codes) status = wide_append(f->codes, group->codes, error);
    l->progress.done = group->first + group->x->cols;
    return status < 0 ? status : learner_tell(l, "final");
}

static void describe_codes(learner *l, final_pass *f, const coder_counts *before) {
    const coder_counts seen = coder_seen(l->coder);
    inco_learn_info *info = &l->info;
    info->relative_error = learner_relative_error(f->residual, f->energy);
    info->mean_cardinality = (double)f->nonzeros / (double)l->signals.count;
    info->skipped_atoms = seen.skipped - before->skipped;
    info->zero_signals = seen.zero_signals - before->zero_signals;
    if (l->energy == 0) l->energy = f->energy; /* resumed after its last iteration */
    info->unused = 0;
    for (int64_t j = 0; j < l->result.cols; j++) info->unused += !f->use_count[j];
    memory_free(l->use_count);
    l->use_count = f->use_count;
    f->use_count = NULL;
}

int learner_encode(learner *l, inco_csc *codes, inco_error *error) {
    const int64_t atoms = l->result.cols;
    final_pass f = {.l = l, .codes = codes, .use_count = NEW(int64_t, atoms)};
    pass p = {.source = &l->signals,
              .coder = l->coder,
              .atoms = atoms,
              .threads = l->threads,
              .self = &f,
              .visit = look_at_codes};
    const coder_counts before = coder_seen(l->coder);
    int status = f.use_count ? pass_dictionary(&p, &l->result, error) : error_no_memory(error);
    if (status >= 0) status = pass_run(&p, error);
    l->info.seconds_io += p.seconds_io;
    l->info.seconds_code += p.seconds_code;
    if (status == INCO_OK) describe_codes(l, &f, &before);
    memory_free(f.use_count);
    return status;
}

/* Coherence and spectrum, in double, of the values as stored. */
static int measure(learner *l, inco_error *error) {
    inco_learn_info *info = &l->info;
    const inco_mat *d = &l->result;
    const int64_t count = range_min(d->rows, d->cols), rank = learner_rank(l);
    double *values = NEW(double, count);
    inco_mat exact = {0};
    coherence mu = {0};
    int status;
    if (!values) TRY(error_no_memory(error));
    TRY(mat_convert(&exact, d, INCO_F64, error));
    mat_normalize_columns(&exact, NULL);
    TRY(coherence_measure(&exact, l->threads, &mu, error));
    TRY(lapack_singular_values(&exact, values, error));
    info->coherence_max = mu.max;
    info->coherence_rms = mu.rms;
    info->coherence_mean = mu.mean;
    info->welch = coherence_bound(rank, d->cols);
    info->singular_max = values[0];
    info->singular_min = values[range_min(rank, count) - 1];
done:
    inco_mat_free(&exact);
    memory_free(values);
    return status;
}

static void describe(learner *l) {
    inco_learn_info *info = &l->info;
    const method_input in = learner_input(l);
    const double rank = (double)learner_rank(l), atoms = (double)l->d.cols, energy = l->energy;
    info->dim = l->d.rows;
    info->rank = l->span ? l->span->rank : l->d.rows;
    info->atoms = l->d.cols;
    info->signals = l->signals.count;
    info->iterations = l->iteration;
    info->precision = l->signals.type;
    info->gamma = learner_gamma(l);
    info->gamma_relative = energy > 0 ? info->gamma * atoms / energy : 0;
    info->tight_ratio = energy > 0 ? info->gamma * (atoms * atoms / rank - atoms) / energy : 0;
    if (l->method->tolerance)
        info->coherence_target = bound_options_of(l->options)->max_coherence + l->method->tolerance(l->options);
    if (l->method->describe) l->method->describe(&in, info);
    info->isa = inco_isa();
    info->blas = inco_blas();
    info->threads = l->threads;
    info->seconds_total = clock_seconds() - l->began;
}

/* The dictionary in the precision wanted. By the published rule with the replacements that the last update has led to;
 * a run that is continued starts from the dictionary without them, and applies them itself. */
static int make_result(learner *l, inco_error *error) {
    const replace_options *o = replace_options_of(l->options);
    const int apply = !isnan(o->replace) && o->last == LAST_PUBLISHED;
    inco_mat d = {0};
    int status;
    inco_mat_free(&l->result);
    l->info.replaced_last = isnan(o->replace) ? 0 : l->replacing.count;
    TRY(mat_convert(&d, &l->d, INCO_F64, error));
    if (apply) TRY(replace_apply(&l->replacing, &d, &l->signals, error));
    if (apply) learner_count_replacements(l, 1);
    TRY(mat_convert(&l->result, &d, l->signals.type, error));
done:
    inco_mat_free(&d);
    return status;
}

int learner_finish(learner *l, int stopped, inco_error *error) {
    int status, ended = INCO_OK;
    TRY(make_result(l, error));
    if (l->method->finish) TRY(ended = l->method->finish(l, stopped, error));
    if (stopped == INCO_OK) stopped = ended;
    if (stopped == INCO_OK && l->coder) TRY(stopped = learner_encode(l, NULL, error));
    if (stopped > 0) l->info.stopped_by = "callback";
    TRY(measure(l, error));
    describe(l);
    status = stopped;
done:
    return status;
}

int learner_run(learner *l, double began, inco_error *error) {
    int status, stopped;
    TRY(learner_begin(l, began, error));
    TRY(stopped = learner_iterate(l, error));
    TRY(learner_finish(l, stopped, error));
done:
    return status;
}
