#include "learn/residuals.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/parallel.h"
#include "code/coder.h"
#include "learn/pass.h"
#include "learn/prepare.h"
#include "mat/blas.h"
#include "mat/mat.h"

/* As far as three quarters of what a code can have: beyond, any dictionary spans the signal. */
static const int64_t steps[] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 120};
enum { STEPS = sizeof steps / sizeof *steps };

typedef struct measurement {
    double *share; /* ||x - D c|| / ||x||, of the signals with energy so far */
    int64_t count;
} measurement;

static int take_group(void *self, const pass_group *group, inco_error *error) {
    measurement *m = self;
    (void)error;
    for (int64_t n = 0; n < group->x->cols; n++) {
        const double norm = mat_column_norm(group->x, n);
        if (norm > 0) m->share[m->count++] = sqrt(fmax(group->residual[n], 0)) / norm;
    }
    return INCO_OK;
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Between the two values next to it, as NumPy does. */
static double quantile(const double *sorted, int64_t count, double q) {
    const double place = q * (double)(count - 1);
    const int64_t below = (int64_t)floor(place), above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (place - (double)below) * (sorted[above] - sorted[below]);
}

static int measure_at(int64_t k, const inco_mat *dictionary, const inco_source *source, inco_options *options,
                      measurement *m, inco_error *error) {
    pass p = {.source = source,
              .atoms = dictionary->cols,
              .threads = parallel_threads(options->threads),
              .self = m,
              .visit = take_group};
    int status;
    m->count = 0;
    TRY(inco_options_set_number(options, "sparsity", (double)k, error));
    TRY(inco_coder_new(&p.coder, dictionary, source->type, options, error));
    TRY(pass_run(&p, error));
    if (!m->count)
        TRY(error_set(error, INCO_EDATA, "none of the %lld test signals has any energy", (long long)source->count));
    qsort(m->share, (size_t)m->count, sizeof *m->share, compare);
done:
    inco_coder_free(p.coder);
    return status;
}

/* Are codes of so many atoms to be measured? */
static int is_wanted(const residuals_task *task, int64_t atoms) {
    const inco_mat *d = task->dictionary;
    return atoms <= task->max_atoms && 4 * atoms <= 3 * (d->rows < d->cols ? d->rows : d->cols);
}

static int measure_all(const residuals_task *task, const inco_source *source, inco_options *options, measurement *m,
                       inco_residuals *r, inco_error *error) {
    int status = INCO_OK;
    for (int i = 0; i < STEPS && (i == 0 || is_wanted(task, steps[i])); i++) {
        TRY(measure_at(steps[i], task->dictionary, source, options, m, error));
        r->cardinality[i] = (double)steps[i];
        r->lower[i] = quantile(m->share, m->count, 0.25);
        r->median[i] = quantile(m->share, m->count, 0.5);
        r->upper[i] = quantile(m->share, m->count, 0.75);
        r->count = i + 1;
        r->signals = m->count;
    }
done:
    return status;
}

/* OMP with nothing but the number of atoms to stop it. */
static inco_options *pursuit_options(int threads, inco_error *error) {
    inco_options *o = inco_options_new();
    if (!o || inco_options_set(o, "coder", "omp", error) < 0) {
        inco_options_free(o);
        return NULL;
    }
    o->threads = threads;
    return o;
}

static int check(const inco_mat *dictionary, const inco_source *source, const inco_options *options,
                 inco_error *error) {
    if (dictionary->rows != source->dim)
        return error_set(error, INCO_EDIM, "the dictionary's atoms have %lld dimensions, the test signals have %lld",
                         (long long)dictionary->rows, (long long)source->dim);
    if (options->center == CENTER_FEATURE)
        return error_set(error, INCO_EINVAL,
                         "the means that --center feature took off are not kept: take them off the test signals, "
                         "and measure them with --center none");
    return INCO_OK;
}

int residuals_measure(const residuals_task *task, inco_residuals *r, inco_error *error) {
    inco_options *pursuit = NULL;
    measurement m = {0};
    prepared data = {0};
    int status;
    *r = (inco_residuals){.size = sizeof *r};
    blas_enter();
    TRY(prepare(&data, task->signals, INCO_F64, task->center, 0, error));
    pursuit = pursuit_options(task->threads, error);
    m.share = NEW_RAW(double, task->signals->count);
    r->cardinality = NEW(double, 4 * STEPS);
    if (!pursuit || !m.share || !r->cardinality) TRY(error_no_memory(error));
    r->lower = r->cardinality + STEPS;
    r->median = r->lower + STEPS;
    r->upper = r->median + STEPS;
    TRY(measure_all(task, &data.source, pursuit, &m, r, error));
done:
    if (status < 0) inco_residuals_free(r);
    memory_free(m.share);
    inco_options_free(pursuit);
    prepare_free(&data);
    blas_leave();
    return status;
}

int inco_residuals_measure(const inco_mat *dictionary, const inco_source *source, const inco_options *options,
                           inco_residuals *r, inco_error *error) {
    const residuals_task task = {.dictionary = dictionary,
                                 .signals = source,
                                 .center = (int)options->center,
                                 .max_atoms = INT64_MAX,
                                 .threads = (int)options->threads};
    int status = check(dictionary, source, options, error);
    if (status < 0) *r = (inco_residuals){.size = sizeof *r};
    return status < 0 ? status : residuals_measure(&task, r, error);
}

void inco_residuals_free(inco_residuals *r) {
    memory_free(r->cardinality);
    *r = (inco_residuals){.size = sizeof *r};
}
