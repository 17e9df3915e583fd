/* The result of the learner: the dictionary in the precision wanted, its codes, error, coherence and spectrum. */
#include <math.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/range.h"
#include "design/bound.h"
#include "learn/coding.h"
#include "learn/learner_state.h"
#include "mat/blas.h"
#include "mat/mat.h"
#include "metric/coherence.h"

int learner_encode(learner *l, inco_csc *codes, inco_error *error) {
    return coding_final(l, codes, error);
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
    info->weight = l->weight;
    info->iterations = l->iteration;
    info->precision = l->signals.type;
    info->gamma = learner_gamma(l);
    info->gamma_relative = energy > 0 ? info->gamma * atoms / energy : 0;
    info->tight_ratio = energy > 0 ? info->gamma * (atoms * atoms / fmin(rank, atoms) - atoms) / energy : 0;
    info->stop_gain = fmax(l->gain, 0);
    if (l->method->tolerance)
        info->coherence_target = bound_options_of(l->options)->max_coherence + l->method->tolerance(l->options);
    if (l->method->describe) l->method->describe(&in, info);
    info->isa = inco_isa();
    info->blas = inco_blas();
    info->threads = l->threads;
    info->ranks = cluster_ranks(l->cluster);
    info->cluster_bytes = l->cluster ? l->cluster->bytes : 0;
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
    if (stopped == INCO_OK && l->coder) TRY(stopped = coding_final(l, NULL, error));
    if (stopped > 0) l->info.stopped_by = "callback";
    TRY(measure(l, error));
    describe(l);
    status = stopped;
done:
    return status;
}
