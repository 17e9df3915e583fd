/* inco_inspect: metrics of a dictionary. */
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/common.h"
#include "base/error.h"
#include "base/handle.h"
#include "base/memory.h"
#include "base/owner.h"
#include "base/parallel.h"
#include "base/range.h"
#include "base/sized.h"
#include "mat/blas.h"
#include "mat/mat.h"
#include "mat/subspace.h"
#include "metric/coherence.h"
#include "metric/spectrum.h"
#include "metric/tally.h"

typedef struct inspect_options {
    double duplicates;
} inspect_options;
OPTIONS_DECLARE(inspect)

static const option_row rows[] = {
    REAL_OPTION(inspect_options, duplicates, "duplicates", "MU", "0.99", 0, 1, INCO_INSPECT, "Metrics",
                "pairs of atoms with |d_i'd_j| >= MU are near duplicates"),
};

const options_part inspect_part = {OPTIONS_PART(rows, inspect_options)};

/* Shares of the atoms at which the quantiles of the similarity with the nearest atom are measured. */
static const double levels[] = {0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1};
enum { LEVELS = sizeof levels / sizeof *levels };

/* Memory of the arrays of the result, which owns it. */
typedef struct arrays {
    tally_result pairs;
    int64_t histogram[TALLY_BINS]; /* of the similarity with the nearest atom */
    double quantile[LEVELS];
    double singular[];
} arrays;

static void release_arrays(owner *own) {
    arrays *a = own->base;
    tally_result_free(&a->pairs);
    memory_free(a);
}

typedef struct inspection {
    const inco_mat *d;
    const inco_options *options; /* may be NULL */
    int threads;
    double start;
    double *norm;   /* of all atoms */
    int64_t *index; /* the nonzero atoms */
    arrays *to;
    inco_metrics *m;
} inspection;

static int measure_norms(const inspection *w, inco_error *error) {
    const inco_mat *d = w->d;
    inco_metrics *m = w->m;
    double *norm = w->norm;
    int64_t used = 0;
    for (int64_t j = 0; j < d->cols; j++) {
        norm[j] = mat_column_norm(d, j);
        if (!isfinite(norm[j]))
            return error_set(
                error, INCO_EDATA,
                "the norm of atom %lld (counted from 0) is beyond the largest double: scale the dictionary",
                (long long)j);
        if (norm[j] > 0) w->index[used++] = j;
        m->norm_min = j == 0 ? norm[j] : fmin(m->norm_min, norm[j]);
        m->norm_max = fmax(m->norm_max, norm[j]);
    }
    m->zero_atoms = d->cols - used;
    return INCO_OK;
}

static int tell(void *self, int64_t round, int64_t rounds) {
    const inspection *w = self;
    const inco_progress now = {
        .phase = "inspect", .done = round, .total = rounds, .seconds = clock_seconds() - w->start};
    return w->options ? watcher_tell(options_watcher(w->options), &now) : INCO_OK;
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Quantiles by linear interpolation, as NumPy's. */
static void measure_quantiles(double *values, int64_t count, double *quantile) {
    qsort(values, (size_t)count, sizeof *values, ascending);
    for (int k = 0; k < LEVELS; k++) {
        const double place = levels[k] * (double)(count - 1);
        const int64_t below = (int64_t)place, above = range_min(below + 1, count - 1);
        quantile[k] = values[below] + (place - (double)below) * (values[above] - values[below]);
    }
}

/* The distribution of |d_i'd_j| of the nonzero atoms with their nearest ones. */
static int measure_nearest(const inspection *w, inco_error *error) {
    const tally_result *pairs = &w->to->pairs;
    inco_metrics *m = w->m;
    int64_t count = 0;
    if (!pairs->nearest) return INCO_OK;
    double *values = NEW_RAW(double, m->atoms);
    if (!values) return error_no_memory(error);
    for (int64_t j = 0; j < m->atoms; j++) {
        const double size = fabs(pairs->nearest_similarity[j]);
        if (pairs->nearest[j] < 0) continue;
        values[count++] = size;
        w->to->histogram[range_min((int64_t)(size * TALLY_BINS), TALLY_BINS - 1)]++;
    }
    measure_quantiles(values, count, w->to->quantile);
    memory_free(values);
    m->nearest_count = m->atoms;
    m->nearest = pairs->nearest;
    m->nearest_similarity = pairs->nearest_similarity;
    m->nearest_histogram = w->to->histogram;
    m->quantile_count = LEVELS;
    m->quantile_level = levels;
    m->nearest_quantile = w->to->quantile;
    return INCO_OK;
}

static int measure_pairs(inspection *w, const gram_atoms *atoms, inco_error *error) {
    const tally_settings settings = {w->options ? inspect_options_of(w->options)->duplicates : 0.99, w->threads, w,
                                     tell};
    tally_result *pairs = &w->to->pairs;
    inco_metrics *m = w->m;
    int status = tally_pairs(atoms, &settings, pairs, error);
    m->coherence_max = pairs->max;
    m->coherence_rms = pairs->rms;
    m->coherence_mean = pairs->mean;
    m->coherence_median = pairs->median;
    m->duplicates = pairs->duplicates;
    m->histogram_count = TALLY_BINS;
    m->histogram = pairs->histogram;
    m->babel_count = pairs->babel_count;
    m->babel = pairs->babel;
    m->babel_sparsity = coherence_babel_sparsity(m->babel, m->babel_count, m->dim);
    m->pair_count = pairs->pair_count;
    m->pair_first = pairs->pair_first;
    m->pair_second = pairs->pair_second;
    m->pair_similarity = pairs->pair_similarity;
    m->duplicate_count = pairs->listed;
    m->duplicate_first = pairs->listed_first;
    m->duplicate_second = pairs->listed_second;
    m->duplicate_similarity = pairs->listed_similarity;
    m->erc_sparsity = coherence_sparsity(m->coherence_max, atoms->count);
    return status;
}

/* (COH-10): the rank counts the singular values of unit-norm atoms that are more than rounding errors, those of
 * learning included. Values beyond the maximum rank of the nonzero atoms stay zero. */
static int measure_spectrum(const inspection *w, const gram_atoms *atoms, inco_error *error) {
    inco_metrics *m = w->m;
    const double noise = fmax(subspace_noise(w->d->type), SUBSPACE_ROUNDING) * sqrt((double)atoms->count);
    const double *s = m->singular = w->to->singular;
    int status = INCO_OK;
    if (atoms->count > 0) TRY(spectrum_measure(atoms, w->threads, w->to->singular, error));
    while (m->rank < m->singular_count && s[m->rank] > noise) m->rank++;
    m->welch = coherence_bound(m->rank, atoms->count);
    if (m->rank == 0) goto done;
    m->flat_singular = sqrt((double)atoms->count / (double)m->rank);
    m->frame_upper = s[0] * s[0];
    m->frame_lower = pow(s[m->rank - 1], 2);
done:
    return status;
}

static int inspect(inspection *w, inco_error *error) {
    const int64_t dim = w->d->rows, atoms = w->d->cols, count = range_min(dim, atoms);
    int status;
    TRY(mat_check_atoms(w->d, "dictionary", error));
    w->norm = NEW_RAW(double, atoms);
    w->index = NEW_RAW(int64_t, atoms);
    w->to = memory_new(1, sizeof *w->to + (size_t)count * sizeof *w->to->singular);
    *w->m = (inco_metrics){.size = sizeof *w->m, .dim = dim, .atoms = atoms, .singular_count = count};
    w->m->owner = w->to ? owner_new(release_arrays, w->to, 0) : NULL;
    if (!w->m->owner) memory_free(w->to);
    if (!w->norm || !w->index || !w->m->owner) TRY(error_no_memory(error));
    TRY(measure_norms(w, error));
    const gram_atoms nonzero = {w->d, w->index, w->norm, atoms - w->m->zero_atoms};
    TRY(measure_pairs(w, &nonzero, error));
    if (status == INCO_OK) TRY(measure_nearest(w, error));
    if (status == INCO_OK) TRY(measure_spectrum(w, &nonzero, error));
done:
    if (status != INCO_OK) inco_metrics_free(w->m);
    memory_free(w->norm);
    memory_free(w->index);
    return status;
}

int inco_inspect(const inco_mat *dictionary, const inco_options *options, inco_metrics *metrics, inco_error *error) {
    inco_metrics own = INCO_INIT(inco_metrics);
    inspection w = {.d = dictionary, .options = options, .start = clock_seconds(), .m = &own};
    int status;
    TRY(SIZED_NEED(inco_metrics, metrics, error));
    TRY(mat_need(dictionary, "dictionary", error));
    if (options) TRY(handle_need(options, "options", error));
    w.threads = options ? common_threads(options) : parallel_threads(0);
    status = blas_enter(w.threads, error);
    if (status >= 0) status = inspect(&w, error);
    blas_leave();
    sized_give(metrics, &own, sizeof own);
done:
    return status;
}

void inco_metrics_free(inco_metrics *metrics) {
    sized_clear(metrics);
}
