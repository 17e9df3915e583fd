/* inco_encode and inco_decode: codes of all signals of a source, and signals of codes. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/common.h"
#include "base/error.h"
#include "base/handle.h"
#include "base/memory.h"
#include "base/sized.h"
#include "base/source.h"
#include "code/coder.h"
#include "data/gather.h"
#include "data/missing.h"
#include "data/pass.h"
#include "data/prepare.h"
#include "data/totals.h"
#include "mat/blas.h"
#include "mat/mat.h"
#include "sparse/wide.h"

typedef struct encoding {
    const inco_mat *dictionary;
    inco_csc *codes;
    const inco_options *options;
    cluster own_cluster, *cluster; /* the ranks that share the signals; NULL: one process */
    int threads;
    double start;
    totals *totals;
} encoding;

typedef struct group_taker {
    encoding *e;
    const inco_coder *coder;
} group_taker;

static int take_group(void *self, const pass_group *group, inco_error *error) {
    const group_taker *taker = self;
    encoding *e = taker->e;
    int status = wide_append(e->codes, group->codes, error);
    if (status >= 0) status = totals_add(e->totals, e->dictionary, taker->coder, group, error);
    const inco_progress now = {
        .phase = "code", .done = group->done, .total = group->total, .seconds = clock_seconds() - e->start};
    return status < 0 ? status : watcher_tell(options_watcher(e->options), &now);
}

static inco_encode_info describe(const encoding *e, const pass *p, const totals_sum *sum, int64_t signals) {
    inco_encode_info info = {.size = sizeof info, .dim = e->dictionary->rows, .atoms = e->dictionary->cols};
    info.signals = signals;
    info.nonzeros = sum->nonzeros;
    info.mean_cardinality = signals ? (double)sum->nonzeros / (double)signals : 0;
    info.relative_error = sum->energy > 0 ? sqrt(sum->residual / sum->energy) : 0;
    info.snr_db = -20 * log10(info.relative_error);
    info.skipped_atoms = sum->skipped;
    info.zero_signals = sum->zero_signals;
    info.zero_atoms = coder_seen(p->coder).zero_atoms;
    info.missing_entries = sum->missing;
    info.empty_signals = sum->empty;
    info.seconds_code = p->seconds_code;
    info.seconds_io = p->seconds_io;
    info.seconds_total = clock_seconds() - e->start;
    return info;
}

static int check_encode(const inco_mat *dictionary, const inco_source *source, const inco_options *o,
                        inco_error *error) {
    if (dictionary->rows != source->dim)
        return error_set(error, INCO_EDIM, "the atoms have %lld dimensions, the signals have %lld",
                         (long long)dictionary->rows, (long long)source->dim);
    if (prepare_options_of(o)->center == CENTER_FEATURE)
        return error_set(error, INCO_EINVAL,
                         "option 'center' = 'feature' belongs to learning: the mean is that of the training signals, "
                         "which a dictionary learned with it has");
    return INCO_OK;
}

static int open_encoding(encoding *e, const inco_source *source, prepared *data, pass *p, inco_error *error) {
    const inco_mat *d = e->dictionary;
    const inco_options *o = e->options;
    const inco_type type = common_precision(o, d->type > source->type ? d->type : source->type);
    int status;
    TRY(check_encode(d, source, o, error));
    TRY(prepare(data, source, type, (int)prepare_options_of(o)->center, 0, error));
    TRY(wide_new(e->codes, type, d->cols, cluster_is_first(e->cluster) ? source->count : 0, error));
    TRY(inco_coder_new(&p->coder, d, type, o, error));
    if (source->missing) TRY(coder_take_gaps(p->coder, error));
    if (!(e->totals = totals_new(d->cols, e->threads, e->cluster))) TRY(error_no_memory(error));
    totals_begin(e->totals, p->coder);
    p->seconds_code = clock_seconds() - e->start;
done:
    return status;
}

/* Codes, on rank 0 those of all ranks. If stopped, one process keeps what it has, a cluster nothing. */
static int finish_encoding(encoding *e, prepared *data, const pass *p, int stopped, totals_sum *sum,
                           inco_error *error) {
    int status;
    *sum = (totals_sum){0};
    if (stopped && cluster_ranks(e->cluster) > 1) return INCO_OK;
    TRY(totals_find(e->totals, pass_groups(p), sum, error));
    TRY(gather_codes(e->codes, e->cluster, error));
    TRY(cluster_agree(e->cluster, prepare_check_tiny(data, error), error));
done:
    return status;
}

static int encode(encoding *e, const inco_source *source, inco_encode_info *info, inco_error *error) {
    prepared data = {.cluster = e->cluster};
    group_taker taker = {.e = e};
    pass p = {.source = &data.source,
              .cluster = e->cluster,
              .atoms = e->dictionary->cols,
              .threads = e->threads,
              .self = &taker,
              .visit = take_group};
    totals_sum sum;
    int status, stopped;
    p.status = open_encoding(e, source, &data, &p, error);
    taker.coder = p.coder;
    TRY(stopped = pass_run(&p, error));
    TRY(finish_encoding(e, &data, &p, stopped, &sum, error));
    const int all = !stopped && cluster_ranks(e->cluster) > 1;
    const inco_encode_info own = describe(e, &p, &sum, all ? source->count : e->codes->cols);
    sized_give(info, &own, sizeof own);
    status = stopped;
done:
    inco_coder_free(p.coder);
    prepare_free(&data);
    totals_free(e->totals);
    return status;
}

int inco_encode(const inco_mat *dictionary, const inco_source *given, const inco_options *options, inco_csc *codes,
                inco_encode_info *info, inco_error *error) {
    encoding e = {.dictionary = dictionary, .codes = codes, .options = options, .start = clock_seconds()};
    inco_source source;
    masked observed;
    int status;
    if (!codes) return error_null(error, "codes");
    *codes = (inco_csc){0};
    TRY(mat_need(dictionary, "dictionary", error));
    TRY(handle_need(options, "options", error));
    TRY(SIZED_CHECK(inco_encode_info, info, error));
    TRY(source_take(&source, given, error));
    missing_open(&observed, &source, options);
    e.threads = common_threads(options);
    e.cluster = options_cluster(options, &e.own_cluster);
    status = blas_enter(e.threads, error);
    if (status >= 0) status = encode(&e, &observed.source, info, error);
    blas_leave();
    if (status < 0) inco_csc_free(codes);
done:
    return status;
}

/* x_n = sum_k c_kn d_k, plus the mean subtracted before coding. */
int inco_decode(const inco_mat *dictionary, const inco_csc *codes, const inco_origin *given, inco_mat *signals,
                inco_error *error) {
    inco_origin origin = {0};
    if (!signals) return error_null(error, "matrix");
    *signals = (inco_mat){0};
    if (mat_need(dictionary, "dictionary", error) < 0 || wide_check(codes, error) < 0) return INCO_EINVAL;
    if (given && SIZED_TAKE(inco_origin, &origin, given, error) < 0) return INCO_EINVAL;
    const inco_type type = dictionary->type > codes->type ? dictionary->type : codes->type;
    const double *mean = origin.mean;
    if (codes->rows != dictionary->cols)
        return error_set(error, INCO_EDIM, "the codes are for %lld atoms, the dictionary has %lld",
                         (long long)codes->rows, (long long)dictionary->cols);
    if (origin.dictionary && origin.dictionary != mat_fingerprint(dictionary))
        return error_set(error, INCO_EDATA, "the codes belong to another dictionary of the same size");
    if (mean && origin.signals != codes->cols)
        return error_set(error, INCO_EDIM, "there are %lld codes and %lld means", (long long)codes->cols,
                         (long long)origin.signals);
    double *x = NEW_RAW(double, dictionary->rows);
    int status = x ? mat_new_raw(signals, type, dictionary->rows, codes->cols, error) : error_no_memory(error);
    for (int64_t n = 0; status >= 0 && n < codes->cols; n++) {
        for (int64_t i = 0; i < signals->rows; i++) x[i] = mean ? mean[n] : 0;
        for (int64_t k = codes->start[n]; k < codes->start[n + 1]; k++)
            for (int64_t i = 0; i < signals->rows; i++)
                x[i] += wide_value(codes, k) * mat_get(dictionary, i, codes->index[k]);
        double sum = 0;
        for (int64_t i = 0; i < signals->rows; i++) {
            mat_set(signals, i, n, x[i]);
            sum += mat_get(signals, i, n) - mat_get(signals, i, n); /* NaN if not finite */
        }
        if (sum != 0)
            status = error_set(error, INCO_ENUMERIC,
                               "signal %lld (counted from 0) is beyond the largest %s: scale the codes", (long long)n,
                               type == INCO_F32 ? "float32" : "float64");
    }
    if (status < 0) inco_mat_free(signals);
    memory_free(x);
    return status;
}
