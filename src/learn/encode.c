/* Codes of all signals of a source, and signals of codes. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/parallel.h"
#include "code/coder.h"
#include "learn/pass.h"
#include "learn/prepare.h"
#include "mat/blas.h"
#include "mat/mat.h"
#include "sparse/csc.h"

typedef struct encoding {
    const inco_mat *dictionary;
    inco_csc *codes;
    int threads;
    double rest, energy;
} encoding;

static int take_group(void *self, const pass_group *group, inco_error *error) {
    encoding *e = self;
    int status = csc_append(e->codes, group->codes, error);
    if (status < 0) return status;
    return pass_error(e->dictionary, group, e->threads, &e->rest, &e->energy, error);
}

static void fill_info(inco_encode_info *info, const encoding *e, const pass *p) {
    const inco_csc *codes = e->codes;
    coder_counts seen = coder_seen(p->coder);
    *info = (inco_encode_info){.size = sizeof *info, .dim = e->dictionary->rows, .atoms = codes->rows};
    info->signals = codes->cols;
    info->nonzeros = csc_nonzeros(codes);
    info->mean_cardinality = codes->cols ? (double)info->nonzeros / (double)codes->cols : 0;
    info->relative_error = e->energy > 0 ? sqrt(e->rest / e->energy) : 0;
    info->snr_db = -20 * log10(info->relative_error);
    info->skipped_atoms = seen.skipped;
    info->zero_signals = seen.zero_signals;
    info->zero_atoms = seen.zero_atoms;
    info->seconds_code = p->seconds_code;
    info->seconds_io = p->seconds_io;
}

static int check_encode(const inco_mat *dictionary, const inco_source *source, const inco_options *o,
                        inco_error *error) {
    if (dictionary->rows != source->dim)
        return error_set(error, INCO_EDIM, "the dictionary's atoms have %lld dimensions, the signals have %lld",
                         (long long)dictionary->rows, (long long)source->dim);
    if (o->center == CENTER_FEATURE)
        return error_set(error, INCO_EINVAL,
                         "--center feature belongs to learn: take the training mean off the signals "
                         "before encode");
    return INCO_OK;
}

int inco_encode(const inco_mat *dictionary, const inco_source *source, const inco_options *options, inco_csc *codes,
                inco_encode_info *info, inco_error *error) {
    const double start = clock_seconds();
    const inco_type wider = dictionary->type > source->type ? dictionary->type : source->type;
    const inco_type type = options_precision(options, wider);
    prepared data = {0};
    encoding e = {dictionary, codes, parallel_threads(options->threads), 0, 0};
    pass p = {.source = &data.source, .atoms = dictionary->cols, .threads = e.threads, .self = &e, .visit = take_group};
    int status;
    blas_enter();
    *codes = (inco_csc){0};
    TRY(check_encode(dictionary, source, options, error));
    TRY(prepare(&data, source, type, (int)options->center, 0, error));
    TRY(csc_new(codes, type, dictionary->cols, source->count, 0, error));
    TRY(inco_coder_new(&p.coder, dictionary, type, options, error));
    p.seconds_code = clock_seconds() - start;
    TRY(pass_run(&p, error));
    if (info) fill_info(info, &e, &p);
    if (info) info->seconds_total = clock_seconds() - start;
done:
    if (status < 0) inco_csc_free(codes);
    inco_coder_free(p.coder);
    prepare_free(&data);
    blas_leave();
    return status;
}

/* x_n = sum_k c_kn d_k, plus the mean that was taken off. */
int inco_decode(const inco_mat *dictionary, const inco_csc *codes, const inco_origin *origin, inco_mat *signals,
                inco_error *error) {
    const inco_type type = dictionary->type > codes->type ? dictionary->type : codes->type;
    const double *mean = origin && origin->mean ? origin->mean : NULL;
    if (codes->rows != dictionary->cols)
        return error_set(error, INCO_EDIM, "the codes are for %lld atoms, the dictionary has %lld",
                         (long long)codes->rows, (long long)dictionary->cols);
    if (mean && origin->signals != codes->cols)
        return error_set(error, INCO_EDIM, "there are %lld codes and %lld means", (long long)codes->cols,
                         (long long)origin->signals);
    double *x = NEW_RAW(double, dictionary->rows);
    int status = x ? mat_new_raw(signals, type, dictionary->rows, codes->cols, error) : error_no_memory(error);
    for (int64_t n = 0; status >= 0 && n < codes->cols; n++) {
        for (int64_t i = 0; i < signals->rows; i++) x[i] = mean ? mean[n] : 0;
        for (int64_t k = codes->start[n]; k < codes->start[n + 1]; k++)
            for (int64_t i = 0; i < signals->rows; i++)
                x[i] += csc_value(codes, k) * mat_get(dictionary, i, codes->index[k]);
        for (int64_t i = 0; i < signals->rows; i++) mat_set(signals, i, n, x[i]);
    }
    memory_free(x);
    return status;
}
