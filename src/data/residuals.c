#include "data/residuals.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/common.h"
#include "base/error.h"
#include "base/handle.h"
#include "base/memory.h"
#include "base/owner.h"
#include "base/range.h"
#include "base/sized.h"
#include "base/source.h"
#include "code/coder.h"
#include "code/coders.h"
#include "data/missing.h"
#include "data/pass.h"
#include "data/prepare.h"
#include "mat/blas.h"
#include "mat/mat.h"

/* Up to three quarters of the maximum number of atoms: beyond, any dictionary spans the signal. */
static const int64_t steps[] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 120};
enum { STEPS = sizeof steps / sizeof *steps };

typedef struct weighted_share {
    double share; /* ||x - D c|| / ||x|| */
    double weight;
} weighted_share;

typedef struct measurement {
    const residuals_task *task;
    const inco_source *signals; /* in double */
    double start;
    int step, steps;       /* the current cardinality, and how many to measure */
    weighted_share *share; /* of the nonzero signals so far */
    int64_t count;
    double *quartiles; /* STEPS entries each: cardinality, lower, median, upper */
} measurement;

static int tell(const measurement *m, int64_t done) {
    const inco_progress now = {.phase = "residuals",
                               .iteration = m->step + 1,
                               .iterations = m->steps,
                               .done = done,
                               .total = m->signals->count,
                               .seconds = clock_seconds() - m->start};
    return watcher_tell(m->task->watch, &now);
}

static int take_group(void *self, const pass_group *group, inco_error *error) {
    measurement *m = self;
    (void)error;
    for (int64_t n = 0; n < group->x->cols; n++) {
        const double norm = group->missing ? sqrt(pass_energy(group, n)) : mat_column_norm(group->x, n);
        if (norm > 0 && pass_weight(group, n) > 0)
            m->share[m->count++] = (weighted_share){sqrt(fmax(group->residual[n], 0)) / norm, pass_weight(group, n)};
    }
    return tell(m, group->first + group->x->cols);
}

static int compare(const void *a, const void *b) {
    const double x = ((const weighted_share *)a)->share, y = ((const weighted_share *)b)->share;
    return (x > y) - (x < y);
}

/* The share at a place of the sorted list in which every share stands as often as its weight, at least once on average:
 * smaller weights are enlarged. */
static double share_at(const weighted_share *sorted, int64_t count, double scale, double place) {
    double before = 0;
    int64_t n = 0;
    while (n + 1 < count && (before += scale * sorted[n].weight) <= place) n++;
    return sorted[n].share;
}

/* (W-5): linear interpolation, like NumPy. */
static double quantile(const weighted_share *sorted, int64_t count, double q) {
    double weight = 0;
    for (int64_t n = 0; n < count; n++) weight += sorted[n].weight;
    const double scale = fmax(1, (double)count / weight), place = q * (scale * weight - 1), below = floor(place);
    const double low = share_at(sorted, count, scale, below), high = share_at(sorted, count, scale, below + 1);
    return low + (place - below) * (high - low);
}

/* By OMP that stops at k atoms only. */
static int measure_at(measurement *m, int64_t k, inco_error *error) {
    const inco_mat *d = m->task->dictionary;
    const int threads = m->task->threads;
    const coder_options rules = coder_options_for(CODER_OMP, k);
    pass p = {.source = m->signals, .atoms = d->cols, .threads = threads, .self = m, .visit = take_group};
    int status;
    m->count = 0;
    TRY(coder_new(&p.coder, d, m->signals->type, &rules, threads, error));
    if (m->signals->missing) TRY(coder_take_gaps(p.coder, error));
    TRY(pass_run(&p, error));
    if (status == INCO_OK && !m->count)
        TRY(error_set(error, INCO_EDATA, "all %lld test signals are zero", (long long)m->signals->count));
    qsort(m->share, (size_t)m->count, sizeof *m->share, compare);
done:
    inco_coder_free(p.coder);
    return status;
}

/* The cardinalities to measure; there is always one. */
static int count_steps(const residuals_task *task) {
    const inco_mat *d = task->dictionary;
    const int64_t least = range_min(d->rows, d->cols);
    int count = 1;
    while (count < STEPS && steps[count] <= task->max_atoms && 4 * steps[count] <= 3 * least) count++;
    return count;
}

static int measure_all(measurement *m, inco_residuals *r, inco_error *error) {
    int status = INCO_OK;
    for (; m->step < m->steps; m->step++) {
        double *at = m->quartiles + m->step;
        if ((status = measure_at(m, steps[m->step], error)) != INCO_OK) break;
        at[0] = (double)steps[m->step];
        at[STEPS] = quantile(m->share, m->count, 0.25);
        at[2 * STEPS] = quantile(m->share, m->count, 0.5);
        at[3 * STEPS] = quantile(m->share, m->count, 0.75);
        r->count = m->step + 1;
        r->signals = m->count;
    }
    return status;
}

static int check(const inco_mat *dictionary, const inco_source *source, const inco_options *options,
                 inco_error *error) {
    if (dictionary->rows != source->dim)
        return error_set(error, INCO_EDIM, "the atoms have %lld dimensions, the test signals have %lld",
                         (long long)dictionary->rows, (long long)source->dim);
    if (prepare_options_of(options)->center == CENTER_FEATURE)
        return error_set(
            error, INCO_EINVAL,
            "option 'center' = 'feature' belongs to learning: subtract the mean of the training signals from the test "
            "signals, and use option 'center' = 'none'");
    return INCO_OK;
}

/* Allocates the quartiles, which the result owns. */
static int make_result(measurement *m, inco_residuals *r, inco_error *error) {
    m->quartiles = NEW(double, 4 * STEPS);
    r->owner = owner_of_block(m->quartiles);
    if (!r->owner) return error_no_memory(error);
    r->cardinality = m->quartiles;
    r->lower = m->quartiles + STEPS;
    r->median = m->quartiles + 2 * STEPS;
    r->upper = m->quartiles + 3 * STEPS;
    return INCO_OK;
}

int residuals_measure(const residuals_task *task, inco_residuals *r, inco_error *error) {
    prepared data = {0};
    measurement m = {.task = task, .signals = &data.source, .start = clock_seconds(), .steps = count_steps(task)};
    int status;
    *r = (inco_residuals){.size = sizeof *r};
    TRY(blas_enter(task->threads, error));
    TRY(prepare(&data, task->signals, INCO_F64, task->center, 0, error));
    TRY(make_result(&m, r, error));
    m.share = NEW_RAW(weighted_share, task->signals->count);
    if (!m.share) TRY(error_no_memory(error));
    TRY(measure_all(&m, r, error));
done:
    if (status < 0) inco_residuals_free(r);
    memory_free(m.share);
    prepare_free(&data);
    blas_leave();
    return status;
}

int inco_residuals_measure(const inco_mat *dictionary, const inco_source *given, const inco_options *options,
                           inco_residuals *residuals, inco_error *error) {
    inco_source source;
    masked observed;
    inco_residuals own;
    int status;
    TRY(SIZED_NEED(inco_residuals, residuals, error));
    TRY(mat_need(dictionary, "dictionary", error));
    TRY(handle_need(options, "options", error));
    TRY(source_take(&source, given, error));
    TRY(check(dictionary, &source, options, error));
    missing_open(&observed, &source, options);
    const residuals_task task = {.dictionary = dictionary,
                                 .signals = &observed.source,
                                 .center = (int)prepare_options_of(options)->center,
                                 .max_atoms = INT64_MAX,
                                 .threads = common_threads(options),
                                 .watch = options_watcher(options)};
    TRY(residuals_measure(&task, &own, error));
    sized_give(residuals, &own, sizeof own);
done:
    return status;
}

void inco_residuals_free(inco_residuals *residuals) {
    sized_clear(residuals);
}
