#include "data/prepare.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/range.h"
#include "base/source.h"
#include "base/tree.h"
#include "data/missing.h"
#include "mat/gaps.h"
#include "mat/mat.h"

enum { READ_CHUNK = 1024 };

static const option_row rows[] = {
    CHOICE_OPTION(prepare_options, normalize, "normalize", "NAME", "unit", "unit|none", INCO_LEARN | INCO_DECOHERE,
                  "Data", "normalise every training signal to unit norm, or none"),
    CHOICE_OPTION(prepare_options, center, "center", "NAME", "none", "none|signal|feature",
                  OPTIONS_CODING | INCO_INSPECT, "Data",
                  "subtract nothing, the mean of each signal, or (learn) the mean of each feature over all signals, "
                  "which is kept with the dictionary"),
};

const options_part prepare_part = {OPTIONS_PART(rows, prepare_options)};

/* Reads signals and refuses Inf, and NaN unless it marks missing entries, naming the position. */
static int read_checked(const inco_source *from, int64_t first, const inco_mat *x, inco_error *error) {
    int64_t row, col;
    int status = source_read(from, first, x->cols, x->data, error);
    if (status < 0) return status;
    if (!(from->missing ? gaps_check(x, &row, &col) : mat_find_nonfinite(x, &row, &col))) return INCO_OK;
    const int is_gap = isnan(mat_get(x, row, col));
    return error_set(error, INCO_EDATA, "signal %lld has a NaN or Inf at feature %lld (both from 0)%s",
                     (long long)(first + col), (long long)row,
                     is_gap ? "; with option 'missing' = 'nan', NaN is a missing entry" : "");
}

static int read_noted(const prepared *p, int64_t first, const inco_mat *x, inco_error *error) {
    int status = read_checked(p->from, first, x, error);
    if (status >= 0 && p->print) print_note(p->print, first, x->cols, x->data);
    return status;
}

/* The same, converted to the type of `out`. */
static int read_converted(const prepared *p, int64_t first, const inco_mat *out, inco_error *error) {
    const inco_type type = p->from->type;
    inco_mat raw = {0};
    if (type == out->type) return read_noted(p, first, out, error);
    int status = mat_new_raw(&raw, type, out->rows, out->cols, error);
    if (status >= 0) status = read_noted(p, first, &raw, error);
    if (status >= 0) mat_copy(out, &raw);
    inco_mat_free(&raw);
    return status;
}

static double mean_of(const inco_mat *x, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < x->rows; i++) sum += mat_get(x, i, n);
    return isnan(sum) ? gaps_mean(x, n) : sum / (double)x->rows;
}

/* The norm of a signal, (M-2) if it has missing entries. */
static double norm_of(const prepared *p, const inco_mat *x, int64_t n) {
    return p->source.missing ? gaps_norm(x, n) : mat_column_norm(x, n);
}

static void divide_signals(const inco_mat *x) {
    for (int64_t n = 0; n < x->cols; n++) {
        const inco_mat one = mat_columns(x, n, 1);
        const double norm = gaps_count(x, n) ? gaps_norm(x, n) : 0;
        if (norm > 0)
            gaps_divide(x, n, norm);
        else
            mat_normalize_columns(&one, NULL);
    }
}

/* The same for a signal with missing entries, which stay. */
static void center_observed(const inco_mat *x, int64_t n) {
    const double before = gaps_norm(x, n), rounding = x->type == INCO_F32 ? 1e-6 : 1e-15;
    for (int pass = 0; pass < 2; pass++) {
        const double mean = gaps_mean(x, n);
        for (int64_t i = 0; i < x->rows; i++) mat_set(x, i, n, mat_get(x, i, n) - mean);
    }
    const int constant = gaps_norm(x, n) <= rounding * before;
    for (int64_t i = 0; constant && i < x->rows; i++)
        if (!isnan(mat_get(x, i, n))) mat_set(x, i, n, 0);
}

/* The difference has a mean again, by the rounding of the first: it is subtracted too, or it would count where the mean
 * was large. A constant signal minus its mean consists of rounding errors: it is set to zero, since normalisation would
 * amplify them. */
static void center_signal(const inco_mat *x, int64_t n) {
    const double mean = mean_of(x, n), before = mat_column_norm(x, n), rounding = x->type == INCO_F32 ? 1e-6 : 1e-15;
    double remainder = 0;
    for (int64_t i = 0; i < x->rows; i++) remainder += (mat_get(x, i, n) - mean) / (double)x->rows;
    for (int64_t i = 0; i < x->rows; i++) mat_set(x, i, n, mat_get(x, i, n) - mean - remainder);
    if (mat_column_norm(x, n) <= rounding * before) memset(mat_column(x, n), 0, (size_t)x->rows * x->type);
}

static void center_features(const inco_mat *x, const double *mean) {
    for (int64_t n = 0; n < x->cols; n++)
        for (int64_t i = 0; i < x->rows; i++) mat_set(x, i, n, mat_get(x, i, n) - mean[i]);
}

static int read_centred(const prepared *p, int64_t first, const inco_mat *x, inco_error *error) {
    int status = read_converted(p, first, x, error);
    if (status < 0) return status;
    for (int64_t n = 0; p->center == CENTER_SIGNAL && n < x->cols; n++)
        if (p->source.missing && gaps_count(x, n))
            center_observed(x, n);
        else
            center_signal(x, n);
    if (p->center == CENTER_FEATURE) center_features(x, p->mean);
    return INCO_OK;
}

/* Squared norms beyond these limits overflow, or lose digits. Signals of unit norm are never beyond. */
static int check_scale(prepared *p, int64_t first, const inco_mat *x, inco_error *error) {
    const double smallest = 1e-280, largest = x->type == INCO_F32 ? 1e74 : 1e290;
    for (int64_t n = 0; n < x->cols; n++) {
        const double energy = p->source.missing ? gaps_energy(x, n) : mat_column_energy(x, n);
        if (energy > largest)
            return error_set(error, INCO_EDATA,
                             "the norm of signal %lld (counted from 0) is %g, too large to compute with: multiply the "
                             "data by a power of two, such as %g",
                             (long long)(first + n), norm_of(p, x, n), ldexp(1, -ilogb(norm_of(p, x, n))));
        if (energy >= smallest)
            atomic_store(&p->usable, 1);
        else if (norm_of(p, x, n) > 0)
            atomic_store(&p->tiny, 1);
    }
    return INCO_OK;
}

static int take_flags(void *self, int64_t other, inco_error *error) {
    prepared *p = self;
    int flags[2] = {0, 0},
        status = cluster_move(p->cluster, flags, sizeof flags, other, cluster_rank(p->cluster), error);
    if (flags[0]) atomic_store(&p->tiny, 1);
    if (flags[1]) atomic_store(&p->usable, 1);
    return status;
}

static int give_flags(void *self, int64_t other, inco_error *error) {
    prepared *p = self;
    int flags[2] = {atomic_load(&p->tiny), atomic_load(&p->usable)};
    return cluster_move(p->cluster, flags, sizeof flags, cluster_rank(p->cluster), other, error);
}

int prepare_check_tiny(prepared *p, inco_error *error) {
    int status = cluster_gather(p->cluster, take_flags, give_flags, p, error);
    if (status < 0 || !atomic_load(&p->tiny) || atomic_load(&p->usable) || !cluster_is_first(p->cluster)) return status;
    return error_set(
        error, INCO_EDATA,
        "all signals are zero or have norms below 1e-140, too small to compute with: multiply the data by a "
        "power of two, such as %g",
        ldexp(1, 512));
}

static int read_prepared(void *self, int64_t first, int64_t count, void *out, inco_error *error) {
    prepared *p = self;
    inco_mat x = mat_view(p->source.type, p->source.dim, count, out);
    int status = read_centred(p, first, &x, error);
    if (status < 0 || !p->unit) return status < 0 ? status : check_scale(p, first, &x, error);
    if (p->source.missing)
        divide_signals(&x);
    else
        mat_normalize_columns(&x, NULL);
    return INCO_OK;
}

static int read_weights(void *self, int64_t first, int64_t count, double *out, inco_error *error) {
    const prepared *p = self;
    return source_weights(p->from, first, count, out, error);
}

int prepare_norms(const prepared *p, double *norm, inco_error *error) {
    const int64_t count = p->source.count;
    inco_mat x = {0};
    int status = p->unit ? mat_new_raw(&x, p->source.type, p->source.dim, READ_CHUNK, error) : INCO_OK;
    for (int64_t first = 0; status >= 0 && first < count; first += READ_CHUNK) {
        const int64_t these = range_min(count - first, READ_CHUNK);
        const inco_mat part = mat_columns(&x, 0, these);
        if (p->unit) status = read_centred(p, first, &part, error);
        for (int64_t n = 0; status >= 0 && n < these; n++) norm[first + n] = p->unit ? norm_of(p, &part, n) : 1;
    }
    inco_mat_free(&x);
    return status;
}

/* Adds the weighted features of a chunk of signals, and at last their weights; with missing entries, a weight per
 * feature instead (M-3). */
static int add_features(const prepared *p, int64_t first, const inco_mat *x, tree_sum *tree, inco_error *error) {
    double *sum = tree_next(tree), weight[READ_CHUNK];
    int status = sum ? read_converted(p, first, x, error) : error_no_memory(error);
    if (status >= 0) status = source_weights(p->from, first, x->cols, weight, error);
    for (int64_t n = 0; status >= 0 && n < x->cols; n++) {
        for (int64_t i = 0; i < x->rows; i++) {
            const double value = mat_get(x, i, n);
            if (!isnan(value)) sum[i] += weight[n] * value;
            if (!isnan(value) && p->source.missing) sum[x->rows + i] += weight[n];
        }
        if (!p->source.missing) sum[x->rows] += weight[n];
    }
    if (status >= 0) tree_push(tree, first / READ_CHUNK);
    return status;
}

/* Sums of the features over chunks of signals, added in a fixed tree; every rank adds its chunks. */
static int sum_features(const prepared *p, tree_sum *tree, inco_error *error) {
    const int64_t count = p->source.count, chunks = range_blocks(count, READ_CHUNK), rank = cluster_rank(p->cluster);
    const int64_t end = cluster_share(p->cluster, chunks, rank + 1);
    inco_mat x = {0};
    int status = tree ? mat_new_raw(&x, p->source.type, p->source.dim, READ_CHUNK, error) : error_no_memory(error);
    for (int64_t chunk = cluster_share(p->cluster, chunks, rank); status >= 0 && chunk < end; chunk++) {
        const int64_t first = chunk * READ_CHUNK;
        const inco_mat part = mat_columns(&x, 0, range_min(count - first, READ_CHUNK));
        status = add_features(p, first, &part, tree, error);
    }
    inco_mat_free(&x);
    return status;
}

static int find_feature_means(prepared *p, inco_error *error) {
    const int64_t dim = p->source.dim, count = p->source.count;
    const int64_t weights = p->source.missing ? dim : 1;
    tree_sum *tree = tree_new(dim + weights, dim + weights, 1);
    double *total;
    int status = (p->mean = NEW(double, dim)) ? sum_features(p, tree, error) : error_no_memory(error);
    TRY(cluster_agree(p->cluster, status, error));
    TRY(tree_reduce(tree, p->cluster, range_blocks(count, READ_CHUNK), &total, error));
    for (int64_t i = 0; total && i < dim; i++) {
        const double weight = total[dim + (p->source.missing ? i : 0)];
        p->mean[i] = weight > 0 || !p->source.missing ? total[i] / weight : 0;
    }
    TRY(cluster_broadcast(p->cluster, p->mean, (size_t)dim * sizeof *p->mean, error));
done:
    tree_free(tree);
    return status;
}

int prepare(prepared *p, const inco_source *from, inco_type type, int center, int unit, inco_error *error) {
    *p = (prepared){.cluster = p->cluster, .source = *from, .from = from, .center = center, .unit = unit};
    p->source.type = type;
    p->source.self = p;
    p->source.read = read_prepared;
    p->source.weights = from->weights ? read_weights : NULL;
    if (from->dim < 1 || from->count < 1)
        return error_set(error, INCO_EDATA, "there are no signals (%lld of %lld dimensions)", (long long)from->count,
                         (long long)from->dim);
    return center == CENTER_FEATURE ? find_feature_means(p, error) : INCO_OK;
}

void prepare_free(prepared *p) {
    memory_free(p->mean);
    print_free(p->print);
}

int inco_signal_means(const inco_source *given, double *means, inco_error *error) {
    inco_source own = {0}, source = {0};
    masked observed;
    inco_mat x = {0};
    int status = NEED(means);
    if (status >= 0) status = source_take(&own, given, error);
    missing_open(&observed, &own, NULL);
    source = observed.source;
    if (status >= 0) status = mat_new_raw(&x, source.type, source.dim, READ_CHUNK, error);
    for (int64_t first = 0; status >= 0 && first < source.count; first += READ_CHUNK) {
        inco_mat part = mat_columns(&x, 0, range_min(source.count - first, READ_CHUNK));
        status = read_checked(&source, first, &part, error);
        for (int64_t n = 0; status >= 0 && n < part.cols; n++) means[first + n] = mean_of(&part, n);
    }
    inco_mat_free(&x);
    return status;
}
