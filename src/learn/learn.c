/* inco_learner and inco_learn: preprocessing of the signals, the regularisation path of gamma if requested, and the
 * learner. */
#include "learn/learn.h"

#include "base/clock.h"
#include "base/common.h"
#include "base/error.h"
#include "base/handle.h"
#include "base/memory.h"
#include "base/sized.h"
#include "base/source.h"
#include "code/coder_options.h"
#include "data/span.h"
#include "design/design_options.h"
#include "learn/initial.h"
#include "learn/learn_options.h"
#include "learn/method.h"
#include "learn/serve.h"
#include "mat/blas.h"
#include "mat/mat.h"
#include "sparse/wide.h"

/* ---- Creating ---- */

int inco_learn_needs_data(const inco_options *options) {
    return handle_is(options, "options") && !method_of(options)->designs;
}

/* There is data if the method needs it, and none if it does not; the codes of all signals are not exchanged between
 * ranks. */
static int check_new(inco_learner *handle, const inco_source *source, inco_error *error) {
    const method *m = method_of(handle->options);
    const int needed = inco_learn_needs_data(handle->options);
    int status;
    TRY(learn_check(handle->options, error));
    if (!needed && source) TRY(error_set(error, INCO_EINVAL, "option 'method' = '%s' takes no data", m->name));
    if (needed && !source) TRY(error_set(error, INCO_EINVAL, "there is no data to learn from"));
    if (handle->cluster && m->needs_codes)
        TRY(error_set(error, INCO_EINVAL,
                      "option 'method' = '%s' holds the codes of all signals, and does not run on a cluster: use a "
                      "method that needs their sums only, such as idl, or one process",
                      m->name));
    if (source) TRY(source_take(&handle->given, source, error));
done:
    return status;
}

static int open_data(inco_learner *handle, inco_error *error) {
    const inco_options *options = handle->options;
    const prepare_options *own = prepare_options_of(options);
    handle->data.cluster = handle->cluster;
    int status;
    missing_open(&handle->observed, &handle->given, options);
    const inco_source *given = &handle->observed.source;
    if (given->missing)
        TRY(coder_check_gaps(coder_options_of(options)->coder, (int)coder_options_of(options)->nonnegative, error));
    TRY(prepare(&handle->data, given, common_precision(options, given->type), (int)own->center,
                own->normalize == NORMALIZE_UNIT, error));
    if (!(handle->data.print = print_new(given, handle->cluster))) TRY(error_no_memory(error));
    TRY(weights_keep(&handle->weighted, &handle->data.source, error));
    TRY(missing_keep(&handle->kept, &handle->weighted.source, 0, &handle->missing, error));
done:
    return status;
}

/* All ranks succeed, or all fail, in both parts: what each checks for itself, and what they do together. */
static int open_learner(inco_learner *handle, const inco_source *source, inco_error *error) {
    int status;
    TRY(cluster_agree(handle->cluster, check_new(handle, source, error), error));
    TRY(serve_compare(handle, error));
    status = source ? open_data(handle, error) : INCO_OK;
    if (status >= 0) status = learner_new(&handle->core, source ? &handle->kept.source : NULL, handle->options, error);
    TRY(cluster_agree(handle->cluster, status, error));
    learner_set_cluster(handle->core, handle->cluster);
    handle->serving = 1;
done:
    return status;
}

int inco_learner_new(inco_learner **result, const inco_source *source, const inco_options *options, inco_error *error) {
    inco_learner *handle = NULL;
    int status;
    if (!result) return error_null(error, "learner");
    *result = NULL;
    TRY(handle_need(options, "options", error));
    if (!(handle = HANDLE(inco_learner, LEARNER))) TRY(error_no_memory(error));
    if (!(handle->options = inco_options_copy(options))) TRY(error_no_memory(error));
    handle->cluster = options_cluster(options, &handle->own_cluster);
    TRY(open_learner(handle, source, error));
    *result = handle;
done:
    if (status < 0) inco_learner_free(handle);
    return status;
}

void inco_learner_free(inco_learner *handle) {
    if (!handle_end(handle, LEARNER)) return;
    if (handle->serving && cluster_is_first(handle->cluster)) serve_ask(handle->cluster, SERVE_END, NULL);
    learner_free(handle->core);
    path_free(&handle->path);
    subset_free(&handle->kept);
    subset_free(&handle->weighted);
    prepare_free(&handle->data);
    subspace_free(&handle->span);
    inco_options_free(handle->options);
    handle_free(handle);
}

int inco_learner_start_from(inco_learner *handle, const inco_mat *dictionary, inco_error *error) {
    int status = handle_need(handle, LEARNER, error);
    if (status >= 0) status = mat_need(dictionary, "dictionary", error);
    return status < 0 ? status : learner_start_from(handle->core, dictionary, error);
}

/* ---- Running ---- */

/* Reads the initial dictionary if the option init names a file, unless a dictionary was given or resumed. */
static int read_initial(inco_learner *handle, inco_error *error) {
    const char *init = learn_options_of(handle->options)->init;
    const int64_t atoms = design_options_of(handle->options)->atoms;
    inco_error trouble = {0};
    inco_mat loaded;
    if (options_is_among(init, "sample|dct|random") || learner_dictionary(handle->core)->data) return INCO_OK;
    int status = initial_load(init, handle->options, &loaded, &trouble);
    if (status >= 0 && atoms != OPTION_UNSET && atoms != loaded.cols)
        status =
            error_set(&trouble, INCO_EINVAL, "the file has %lld atoms, but option 'atoms' is %lld: remove the option",
                      (long long)loaded.cols, (long long)atoms);
    if (status >= 0) status = learner_start_from(handle->core, &loaded, &trouble);
    inco_mat_free(&loaded);
    if (status < 0) error_set(error, status, "option 'init' = '%s': %.900s", init, trouble.message);
    return status;
}

/* The span of the signals, with the rounding errors of the type that they came in or are learned in. */
static int find_span(inco_learner *handle, inco_error *error) {
    const inco_source *signals = &handle->kept.source;
    const int narrow = handle->given.type == INCO_F32 || signals->type == INCO_F32;
    if (!signals->count || handle->span.dim) return INCO_OK;
    int status = span_find(&handle->span, signals, narrow ? INCO_F32 : INCO_F64, error);
    if (status >= 0) learner_set_span(handle->core, &handle->span);
    return status;
}

/* The iterations, or the points of a regularisation path; then the result. */
static int run(inco_learner *handle, double began, inco_error *error) {
    learner *l = handle->core;
    const path_task task = {.signals = &handle->kept.source, .options = handle->options, .learner = l, .began = began};
    int status, stopped;
    TRY(find_span(handle, error));
    TRY(read_initial(handle, error));
    if (path_wanted(handle->options)) {
        TRY(stopped = path_run(&handle->path, &task, error));
    } else {
        TRY(learner_begin(l, began, error));
        TRY(stopped = learner_iterate(l, error));
    }
    TRY(serve_ask(handle->cluster, SERVE_CHECK, error));
    TRY(prepare_check_tiny(&handle->data, error));
    TRY(learner_finish(l, stopped, error));
    learner_info(l)->left_out = handle->data.source.count - handle->weighted.source.count;
    learner_info(l)->empty_signals = handle->missing.empty;
done:
    return status;
}

int inco_learner_run(inco_learner *handle, inco_error *error) {
    int status = handle_need(handle, LEARNER, error);
    if (status < 0) return status;
    if (!cluster_is_first(handle->cluster))
        return error_set(error, INCO_EINVAL, "rank %lld of a cluster serves the learner of rank 0: inco_learner_serve",
                         (long long)cluster_rank(handle->cluster));
    status = blas_enter(common_threads(handle->options), error);
    if (status >= 0) status = run(handle, clock_seconds(), error);
    blas_leave();
    return status;
}

/* ---- Results ---- */

int inco_learner_dictionary(const inco_learner *handle, inco_mat *view, inco_error *error) {
    if (!view) return error_null(error, "view");
    *view = (inco_mat){0};
    int status = handle_need(handle, LEARNER, error);
    if (status < 0) return status;
    const inco_mat *result = learner_result(handle->core);
    *view = result->data ? *result : *learner_dictionary(handle->core);
    view->owner = NULL;
    return INCO_OK;
}

int inco_learner_mean(const inco_learner *handle, inco_mat *view, inco_error *error) {
    if (!view) return error_null(error, "view");
    *view = (inco_mat){0};
    int status = handle_need(handle, LEARNER, error);
    if (status >= 0 && handle->data.mean) *view = mat_view(INCO_F64, handle->data.source.dim, 1, handle->data.mean);
    return status;
}

int inco_learner_info(const inco_learner *handle, inco_learn_info *info, inco_error *error) {
    int status = handle_need(handle, LEARNER, error);
    if (status >= 0) status = SIZED_NEED(inco_learn_info, info, error);
    if (status >= 0) sized_give(info, learner_info(handle->core), sizeof *info);
    return status;
}

const int64_t *inco_learner_usage(const inco_learner *handle, int64_t *atoms) {
    const int64_t *use_count = handle_is(handle, LEARNER) ? learner_use_counts(handle->core) : NULL;
    if (atoms) *atoms = use_count ? learner_result(handle->core)->cols : 0;
    return use_count;
}

int inco_learner_path(const inco_learner *handle, inco_path *path, inco_error *error) {
    int status = handle_need(handle, LEARNER, error);
    if (status >= 0) status = SIZED_NEED(inco_path, path, error);
    if (status < 0) return status;
    inco_path own = handle->path.table.path;
    own.cardinality = handle->path.table.cardinality;
    sized_give(path, &own, sizeof own);
    return INCO_OK;
}

int inco_learner_path_point(const inco_learner *handle, int64_t i, inco_path_point *point, inco_error *error) {
    int status = handle_need(handle, LEARNER, error);
    if (status >= 0) status = SIZED_NEED(inco_path_point, point, error);
    if (status < 0) return status;
    const path_table *table = &handle->path.table;
    if (i < 0 || i >= table->path.count)
        return error_set(error, INCO_EINVAL, "the path has %lld points: there is no point %lld, counted from 0",
                         (long long)table->path.count, (long long)i);
    inco_path_point own = table->point[i];
    own.residual = table->residual[i];
    sized_give(point, &own, sizeof own);
    return INCO_OK;
}

/* Converts codes of the normalised signals to codes of the signals as given. */
static int undo_normalization(const prepared *data, inco_csc *codes, inco_error *error) {
    double *norm = NEW_RAW(double, codes->cols);
    int status = norm ? prepare_norms(data, norm, error) : error_no_memory(error);
    for (int64_t n = 0; status >= 0 && n < codes->cols; n++)
        for (int64_t k = codes->start[n]; k < codes->start[n + 1]; k++)
            if (codes->type == INCO_F32)
                ((float *)codes->value)[k] = (float)(norm[n] * (double)((float *)codes->value)[k]);
            else
                ((double *)codes->value)[k] *= norm[n];
    memory_free(norm);
    return status;
}

/* Codes of all signals, the left-out ones too; the results stay. */
static int encode_all(inco_learner *handle, inco_csc *codes, inco_error *error) {
    const inco_learn_info before = *learner_info(handle->core);
    if (handle->cluster && handle->kept.source.count < handle->data.source.count)
        return error_set(
            error, INCO_EINVAL,
            "signals of weight 0, or without an observed entry, have no codes on a cluster: leave them out, "
            "or use one process");
    learner_set_signals(handle->core, &handle->data.source, 0);
    int status = learner_encode(handle->core, codes, error);
    learner_set_signals(handle->core, &handle->kept.source, 0);
    if (handle->kept.source.count < handle->data.source.count) *learner_info(handle->core) = before;
    return status;
}

int inco_learner_encode(inco_learner *handle, inco_csc *codes, inco_error *error) {
    if (!codes) return error_null(error, "codes");
    *codes = (inco_csc){0};
    if (handle_need(handle, LEARNER, error) < 0) return INCO_EINVAL;
    const inco_mat *d = learner_result(handle->core);
    if (!d->data) return error_set(error, INCO_EINVAL, "there are no codes before the learner has run");
    if (!handle->data.source.count) return error_set(error, INCO_EINVAL, "there are no signals to code");
    int status = wide_new(codes, d->type, d->cols, handle->data.source.count, error);
    if (status < 0) return status;
    status = blas_enter(common_threads(handle->options), error);
    if (status >= 0) status = encode_all(handle, codes, error);
    blas_leave();
    if (status == INCO_OK) status = undo_normalization(&handle->data, codes, error);
    if (status != INCO_OK) inco_csc_free(codes);
    return status;
}

int inco_learn(const inco_source *source, const inco_options *options, inco_mat *dictionary, inco_learn_info *info,
               inco_error *error) {
    inco_learner *handle = NULL;
    int status;
    if (!dictionary) return error_null(error, "dictionary");
    *dictionary = (inco_mat){0};
    TRY(SIZED_CHECK(inco_learn_info, info, error));
    TRY(inco_learner_new(&handle, source, options, error));
    TRY(inco_learner_run(handle, error));
    *dictionary = *learner_result(handle->core);
    *learner_result(handle->core) = (inco_mat){0};
    sized_give(info, learner_info(handle->core), sizeof *info);
done:
    inco_learner_free(handle);
    return status;
}
