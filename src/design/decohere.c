/* inco_decohere: options, statistics of the data, progress and results of the search for the nearest dictionary that
 * satisfies a bound (docs/theory/decohere.md). */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/common.h"
#include "base/error.h"
#include "base/handle.h"
#include "base/sized.h"
#include "base/source.h"
#include "data/collector.h"
#include "data/prepare.h"
#include "data/weights.h"
#include "design/bound.h"
#include "mat/blas.h"
#include "mat/mat.h"
#include "sparse/csc.h"

typedef struct decoherence {
    const inco_mat *dictionary;
    const inco_source *data; /* may be NULL */
    const inco_options *options;
    inco_decohere_info *info;
    int threads;
    bound_work search;
    double began;
    collector *sums;
    statistics s; /* with data */
    inco_progress progress;
} decoherence;

static int check(const inco_options *options, inco_error *error) {
    if (!isnan(bound_options_of(options)->max_coherence)) return INCO_OK;
    return error_set(error, INCO_EINVAL, "bound missing: option 'max-coherence'");
}

const options_part decohere_part = {.commands = INCO_DECOHERE, .check = check};

/* Refuses options of preprocessing and coding without data. */
static int check_data(const decoherence *w, inco_error *error) {
    const inco_source *data = w->data;
    if (data && data->dim != w->info->dim)
        return error_set(error, INCO_EDIM, "the atoms have %lld dimensions, the signals have %lld",
                         (long long)w->info->dim, (long long)data->dim);
    if (data && data->count < 1) return error_set(error, INCO_EDATA, "there are no signals in the data");
    for (int i = 0; options_at(i) && !data; i++) {
        const inco_option *o = options_at(i);
        const int any = !strcmp(o->name, "columns") || !strcmp(o->name, "variable");
        const int of_data = !strcmp(o->group, "Sparse coding") || (!strcmp(o->group, "Data") && !any);
        if (of_data && (o->commands & INCO_DECOHERE) && inco_options_given(w->options, o->name))
            return error_set(error, INCO_EINVAL, "option '%s' needs data: give data, or remove the option", o->name);
    }
    return INCO_OK;
}

/* ---- Data ---- */

static int add_group(void *self, const pass_group *group, inco_error *error) {
    decoherence *w = self;
    const inco_progress now = {
        .phase = "code", .done = group->done, .total = group->total, .seconds = clock_seconds() - w->began};
    int status = collector_add(w->sums, group, error);
    return status < 0 ? status : watcher_tell(options_watcher(w->options), &now);
}

static double relative_error(const decoherence *w, double square) {
    return w->s.energy > 0 ? sqrt(fmax(square, 0) / w->s.energy) : 0;
}

/* Keeps atoms that no signal uses near their input: A_jj = e, b_j = e d_j, with the e of a rarely used atom. */
static void hold_unused(decoherence *w) {
    const inco_mat *atoms = &w->search.atoms;
    double trace = 0;
    for (int64_t j = 0; j < atoms->cols; j++) trace += mat_get(&w->s.a, j, j);
    const double hold = trace > 0 ? 1e-3 * trace / (double)atoms->cols : 1;
    for (int64_t j = 0; j < atoms->cols; j++) {
        if (mat_get(&w->s.a, j, j) > 0) continue;
        mat_set(&w->s.a, j, j, hold);
        blas_axpy(atoms->rows, hold, mat_column(atoms, j), mat_column(&w->s.b, j));
    }
}

/* Computes A = C C' and B = X C', with codes in the input dictionary. */
static int code_data(decoherence *w, inco_error *error) {
    const inco_source *source = w->data;
    const inco_mat *d = w->dictionary, *atoms = &w->search.atoms;
    const inco_type wider = d->type > source->type ? d->type : source->type;
    const inco_type type = common_precision(w->options, wider);
    const prepare_options *own = prepare_options_of(w->options);
    prepared data = {0};
    subset present = {0};
    pass p = {.source = &present.source, .atoms = atoms->cols, .threads = w->threads, .self = w, .visit = add_group};
    collected sums;
    double square;
    int status;
    TRY(prepare(&data, source, type, (int)own->center, own->normalize == NORMALIZE_UNIT, error));
    TRY(weights_keep(&present, &data.source, error));
    TRY(inco_coder_new(&p.coder, atoms, type, w->options, error));
    if (!(w->sums = collector_new(d->rows, atoms->cols, w->threads, NULL))) TRY(error_no_memory(error));
    if ((status = pass_run(&p, error)) != INCO_OK) goto done;
    TRY(collector_total(w->sums, pass_groups(&p), &sums, error));
    w->s = sums.s;
    TRY(update_objective(atoms, &w->s, 0, w->threads, &square, error));
    w->info->relative_error_before = w->info->relative_error = relative_error(w, square);
    w->info->signals = present.source.count;
    w->info->mean_cardinality = sums.nonzeros / sums.weight;
    w->info->seconds_code = p.seconds_code;
    hold_unused(w);
done:
    inco_coder_free(p.coder);
    subset_free(&present);
    prepare_free(&data);
    return status;
}

/* ---- The call ---- */

static int tell(void *self, int stage, double mu) {
    decoherence *w = self;
    w->progress.iteration = stage;
    w->progress.coherence_max = mu;
    w->progress.seconds = clock_seconds() - w->began;
    return watcher_tell(options_watcher(w->options), &w->progress);
}

static void describe(const decoherence *w) {
    const bound_work *search = &w->search;
    inco_decohere_info *info = w->info;
    info->zero_atoms = info->atoms - search->atoms.cols;
    info->welch = coherence_bound(info->dim, search->atoms.cols);
    info->coherence_before = search->coherence_given;
    info->coherence_max = search->now.max;
    info->coherence_rms = search->now.rms;
    info->reached = search->reached;
    info->change = search->change;
    info->moved = search->moved_atoms;
    info->stages = search->stages;
    info->iterations = search->iterations;
    if (w->data && !isnan(search->square)) info->relative_error = relative_error(w, search->square);
}

static int run(decoherence *w, inco_mat *result, inco_error *error) {
    const bound_task task = {.dictionary = w->dictionary,
                             .bound = w->info->bound,
                             .type = w->info->precision,
                             .care = NEAREST_FINELY,
                             .seed = common_seed(w->options),
                             .threads = w->threads,
                             .tell = tell,
                             .self = w};
    int status;
    TRY(check_data(w, error));
    TRY(bound_open(&w->search, &task, result, error));
    if (w->data) TRY(code_data(w, error));
    if (status == INCO_OK) TRY(bound_search(&w->search, w->data ? &w->s : NULL, result, error));
    describe(w);
done:
    if (status < 0) inco_mat_free(result);
    bound_close(&w->search);
    return status;
}

static int decohere(decoherence *w, inco_mat *result, inco_error *error) {
    const inco_options *o = w->options;
    const inco_mat *d = w->dictionary;
    inco_decohere_info *info = w->info;
    int status = inco_options_check(o, INCO_DECOHERE, error);
    if (status < 0) return status;
    w->threads = common_threads(o);
    *info = (inco_decohere_info){.size = sizeof *info, .dim = d->rows, .atoms = d->cols, .threads = w->threads};
    info->mean_cardinality = info->relative_error_before = info->relative_error = NAN;
    info->bound = bound_options_of(o)->max_coherence;
    info->precision = common_precision(o, d->type);
    w->progress = (inco_progress){.size = sizeof w->progress, .phase = "decohere", .iterations = NEAREST_STAGES};
    status = blas_enter(w->threads, error);
    if (status >= 0) status = run(w, result, error);
    blas_leave();
    collector_free(w->sums);
    info->seconds_total = clock_seconds() - w->began;
    return status;
}

int inco_decohere(const inco_mat *dictionary, const inco_source *given, const inco_options *options, inco_mat *result,
                  inco_decohere_info *info, inco_error *error) {
    inco_source source = {0};
    inco_decohere_info own;
    decoherence w = {.dictionary = dictionary,
                     .data = given ? &source : NULL,
                     .options = options,
                     .info = &own,
                     .began = clock_seconds()};
    int status;
    if (!result) return error_null(error, "result");
    *result = (inco_mat){0};
    TRY(mat_need(dictionary, "dictionary", error));
    TRY(handle_need(options, "options", error));
    TRY(SIZED_CHECK(inco_decohere_info, info, error));
    if (given) TRY(source_take(&source, given, error));
    if (source.missing || source.mask)
        TRY(error_set(error, INCO_EINVAL,
                      "decohere needs all entries of the signals: fill the missing ones first, by "
                      "encode and decode"));
    TRY(decohere(&w, result, error));
    sized_give(info, &own, sizeof own);
done:
    return status;
}
