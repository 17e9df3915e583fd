/* Norms, zero atoms, statistics and precision around the search (docs/theory/decohere.md). */
#include "learn/decohere.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/parallel.h"
#include "dict/nearest.h"
#include "learn/bound.h"
#include "learn/prepare.h"
#include "learn/stats.h"
#include "mat/blas.h"
#include "mat/mat.h"
#include "metric/coherence.h"
#include "sparse/csc.h"

enum { ATTEMPTS = 3, STEPS_MOST = 300, STEPS_LEAST = 60 };
static const double LEAST_WEIGHT = 1e-3;
static const double STEPS_WORK = 3e11; /* D L^2 in all, of one stage's steps */

typedef struct decoherence {
    const inco_decohere_input *input;
    const inco_options *options;
    inco_decohere_info *info;
    nearest_care care;
    double began;
    inco_mat given;        /* the atoms that are not zero, normalised, in double */
    inco_mat unit;         /* the same while they are changed */
    double *norm, *weight; /* norms of all atoms; squares of those that are not zero */
    int64_t *index, used;  /* columns of the dictionary that are not zero */
    collector *sums;
    statistics s; /* with data */
    int64_t nonzeros;
    inco_progress progress;
} decoherence;

/* ---- What is asked ---- */

static int check_numbers(const inco_mat *d, inco_error *error) {
    int64_t feature, atom;
    if (d->rows < 1 || d->cols < 1) return error_set(error, INCO_EDIM, "the dictionary is empty");
    if (mat_find_nonfinite(d, &feature, &atom))
        return error_set(error, INCO_EDATA,
                         "the dictionary has a NaN or Inf in atom %lld, feature %lld (counted from 0)", (long long)atom,
                         (long long)feature);
    return INCO_OK;
}

/* Without data there is nothing to code, or to cut and scale. */
static int check_data(const decoherence *w, inco_error *error) {
    const inco_source *data = w->input->data;
    if (data && data->dim != w->info->dim)
        return error_set(error, INCO_EDIM, "the dictionary's atoms have %lld dimensions, the signals have %lld",
                         (long long)w->info->dim, (long long)data->dim);
    if (data && data->count < 1) return error_set(error, INCO_EDATA, "there are no signals in the data");
    for (int i = 0; inco_option_at(i) && !data; i++) {
        const inco_option *o = inco_option_at(i);
        const int any = !strcmp(o->name, "columns") || !strcmp(o->name, "variable") || !strcmp(o->name, "precision");
        const int of_data = !strcmp(o->group, "Sparse coding") || (!strcmp(o->group, "Data") && !any);
        if (of_data && (o->commands & INCO_DECOHERE) && inco_options_given(w->options, o->name))
            return error_set(error, INCO_EINVAL, "--%s has a meaning with --data only", o->name);
    }
    return INCO_OK;
}

/* ---- Atoms and norms ---- */

/* (DECO-1): squared norms, but no less than LEAST_WEIGHT of their mean, so that a faint atom has a place too. */
static void weigh_atoms(const decoherence *w) {
    double sum = 0;
    for (int64_t k = 0; k < w->used; k++) sum += w->weight[k] = w->norm[w->index[k]] * w->norm[w->index[k]];
    for (int64_t k = 0; k < w->used; k++) w->weight[k] = fmax(w->weight[k], LEAST_WEIGHT * sum / (double)w->used);
}

static int take_atoms(decoherence *w, inco_error *error) {
    const inco_mat *d = w->input->dictionary;
    int status = INCO_OK;
    w->norm = NEW_RAW(double, d->cols);
    w->weight = NEW_RAW(double, d->cols);
    w->index = NEW_RAW(int64_t, d->cols);
    if (!w->norm || !w->weight || !w->index) TRY(error_no_memory(error));
    for (int64_t j = 0; j < d->cols; j++) {
        w->norm[j] = mat_column_norm(d, j);
        if (!isfinite(w->norm[j] * w->norm[j]))
            TRY(error_set(error, INCO_EDATA,
                          "the norm of atom %lld (counted from 0) is too large: scale the dictionary", (long long)j));
        if (w->norm[j] > 0) w->index[w->used++] = j;
    }
    TRY(mat_new_raw(&w->given, INCO_F64, d->rows, w->used, error));
    const gram_atoms atoms = {d, w->index, w->norm, w->used};
    gram_gather(&atoms, 0, w->used, w->given.data);
    mat_normalize_columns(&w->given, NULL);
    weigh_atoms(w);
    w->info->zero_atoms = d->cols - w->used;
done:
    return status;
}

/* The largest product of the atoms of d that are not zero, as stored. */
static int measure(const decoherence *w, const inco_mat *d, coherence *mu, inco_error *error) {
    double *norm = NEW_RAW(double, d->cols);
    if (!norm) return error_no_memory(error);
    for (int64_t j = 0; j < d->cols; j++) norm[j] = mat_column_norm(d, j);
    const gram_atoms atoms = {d, w->index, norm, w->used};
    int status = coherence_measure_atoms(&atoms, w->info->threads, mu, error);
    memory_free(norm);
    return status;
}

/* Atoms that have moved get their norms back; the others stay as they are, to the bit where the type is the same. */
static void put_atoms(const decoherence *w, const inco_mat *out) {
    const inco_mat *d = w->input->dictionary;
    const size_t bytes = (size_t)d->rows * sizeof(double);
    double change = 0, all = 0;
    w->info->moved = 0;
    mat_copy(out, d);
    for (int64_t k = 0; k < w->used; k++) {
        const int64_t j = w->index[k];
        const double *unit = mat_column(&w->unit, k);
        const int moved = memcmp(unit, mat_column(&w->given, k), bytes) != 0;
        w->info->moved += moved;
        for (int64_t i = 0; i < d->rows && moved; i++) mat_set(out, i, j, w->norm[j] * unit[i]);
        for (int64_t i = 0; i < d->rows; i++) {
            change += pow(mat_get(out, i, j) - mat_get(d, i, j), 2);
            all += pow(mat_get(d, i, j), 2);
        }
    }
    w->info->change = all > 0 ? sqrt(change / all) : 0;
}

/* ---- Data ---- */

static int add_group(void *self, const pass_group *group, inco_error *error) {
    decoherence *w = self;
    w->nonzeros += csc_nonzeros(group->codes);
    return collector_add(w->sums, group, error);
}

static double relative_error(const decoherence *w, double square) {
    return w->s.energy > 0 ? sqrt(fmax(square, 0) / w->s.energy) : 0;
}

/* An atom that no signal uses stays near where it was: A_jj = e, b_j = e d_j with e that of a rarely used one. */
static void hold_unused(decoherence *w) {
    double trace = 0;
    for (int64_t j = 0; j < w->used; j++) trace += mat_get(&w->s.a, j, j);
    const double hold = trace > 0 ? 1e-3 * trace / (double)w->used : 1;
    for (int64_t j = 0; j < w->used; j++) {
        if (mat_get(&w->s.a, j, j) > 0) continue;
        mat_set(&w->s.a, j, j, hold);
        blas_axpy(w->given.rows, hold, mat_column(&w->given, j), mat_column(&w->s.b, j));
    }
}

/* A = C C' and B = X C' with codes in the dictionary given. */
static int code_data(decoherence *w, inco_error *error) {
    const inco_source *source = w->input->data;
    const inco_mat *d = w->input->dictionary;
    const inco_type wider = d->type > source->type ? d->type : source->type;
    const inco_type type = options_precision(w->options, wider);
    prepared data = {0};
    pass p = {.source = &data.source, .atoms = w->used, .threads = w->info->threads, .self = w, .visit = add_group};
    double square;
    int status;
    TRY(prepare(&data, source, type, (int)w->options->center, w->options->normalize == NORMALIZE_UNIT, error));
    TRY(inco_coder_new(&p.coder, &w->given, type, w->options, error));
    if (!(w->sums = collector_new(d->rows, w->used, w->info->threads))) TRY(error_no_memory(error));
    TRY(pass_run(&p, error));
    w->s = collector_total(w->sums);
    TRY(objective(&w->given, &w->s, 0, w->info->threads, &square, error));
    w->info->relative_error_before = w->info->relative_error = relative_error(w, square);
    w->info->signals = source->count;
    w->info->mean_cardinality = (double)w->nonzeros / (double)source->count;
    w->info->seconds_code = p.seconds_code;
    hold_unused(w);
done:
    inco_coder_free(p.coder);
    prepare_free(&data);
    return status;
}

/* ---- The search ---- */

static int tell(void *self, int stage, double mu) {
    decoherence *w = self;
    w->progress.iteration = stage;
    w->progress.coherence_max = mu;
    w->progress.seconds = clock_seconds() - w->began;
    return w->input->on_progress && w->input->on_progress(w->input->self, &w->progress);
}

static int steps_for(const decoherence *w) {
    const double work = (double)w->info->dim * (double)w->used * (double)w->used;
    return (int)fmin(fmax(STEPS_WORK / work, STEPS_LEAST), STEPS_MOST);
}

/* Rounding to the type written may cost a little of the bound: the search keeps a bound that much lower, and lower
 * still when that was not enough. */
static int search(decoherence *w, const inco_mat *out, inco_error *error) {
    inco_decohere_info *info = w->info;
    nearest_settings settings = {.iterations = steps_for(w),
                                 .care = w->care,
                                 .seed = (uint64_t)w->options->seed,
                                 .threads = info->threads,
                                 .tell = tell,
                                 .self = w};
    int status = INCO_OK;
    for (int k = 0; k < ATTEMPTS && status == INCO_OK && !info->reached; k++) {
        nearest_result found;
        coherence mu;
        settings.bound = info->bound - ldexp(bound_rounding(info->precision), 2 * k);
        mat_copy(&w->unit, &w->given);
        TRY(nearest(&w->unit, w->weight, w->input->data ? &w->s : NULL, &settings, &found, error));
        put_atoms(w, out);
        if (measure(w, out, &mu, error) < 0) TRY(error_no_memory(error));
        info->coherence_max = mu.max;
        info->coherence_rms = mu.rms;
        info->reached = mu.max <= info->bound;
        info->stages += found.stages;
        info->iterations += found.iterations;
        if (w->input->data) info->relative_error = relative_error(w, found.after);
        if (!found.reached) break;
    }
done:
    return status;
}

static int run(decoherence *w, inco_mat *result, inco_error *error) {
    inco_decohere_info *info = w->info;
    const inco_mat *d = w->input->dictionary;
    coherence mu;
    int status;
    TRY(check_data(w, error));
    TRY(check_numbers(d, error));
    TRY(take_atoms(w, error));
    info->welch = coherence_bound(info->dim, w->used);
    TRY(mat_convert(result, d, info->precision, error));
    TRY(measure(w, d, &mu, error));
    info->coherence_before = mu.max;
    if (d->type != info->precision) TRY(measure(w, result, &mu, error));
    info->coherence_max = mu.max;
    info->coherence_rms = mu.rms;
    info->reached = mu.max <= info->bound;
    TRY(bound_check(info->bound, info->dim, w->used, error));
    if (!info->reached) TRY(bound_check_rounding(info->bound, info->precision, error));
    if (w->input->data) TRY(code_data(w, error));
    if (info->reached) goto done;
    TRY(mat_new_raw(&w->unit, INCO_F64, d->rows, w->used, error));
    TRY(search(w, result, error));
done:
    if (status < 0) inco_mat_free(result);
    return status;
}

int decohere(const inco_decohere_input *input, const inco_options *options, nearest_care care, inco_mat *result,
             inco_decohere_info *info, inco_error *error) {
    decoherence w = {.input = input, .options = options, .info = info, .care = care, .began = clock_seconds()};
    const inco_mat *d = input->dictionary;
    *result = (inco_mat){0};
    *info = (inco_decohere_info){.size = sizeof *info, .dim = d->rows, .atoms = d->cols};
    info->mean_cardinality = info->relative_error_before = info->relative_error = NAN;
    info->bound = options->max_coherence;
    info->precision = options_precision(options, d->type);
    info->threads = parallel_threads(options->threads);
    w.progress = (inco_progress){.size = sizeof w.progress, .phase = "decohere", .iterations = NEAREST_STAGES};
    int status = options_check_decohere(options, error);
    if (status < 0) return status;
    blas_enter();
    status = run(&w, result, error);
    blas_leave();
    inco_mat_free(&w.given);
    inco_mat_free(&w.unit);
    memory_free(w.norm);
    memory_free(w.weight);
    memory_free(w.index);
    collector_free(w.sums);
    info->seconds_total = clock_seconds() - w.began;
    return status;
}

int inco_decohere(const inco_decohere_input *input, const inco_options *options, inco_mat *result,
                  inco_decohere_info *info, inco_error *error) {
    return decohere(input, options, NEAREST_FINELY, result, info, error);
}
