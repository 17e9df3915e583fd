/* inco_inspect: everything there is to say about how coherent a dictionary is. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/parallel.h"
#include "mat/blas.h"
#include "mat/mat.h"
#include "metric/coherence.h"
#include "metric/spectrum.h"
#include "metric/tally.h"

static int check(const inco_mat *d, inco_error *error) {
    int64_t feature, atom;
    if (d->rows < 0 || d->cols < 0 || d->ld < d->rows || (d->type != INCO_F32 && d->type != INCO_F64))
        return error_set(error, INCO_EINVAL, "the dictionary is not a matrix of floats or doubles");
    if (mat_find_nonfinite(d, &feature, &atom))
        return error_set(error, INCO_EDATA,
                         "the dictionary has a NaN or Inf in atom %lld, feature %lld (counted from 0)", (long long)atom,
                         (long long)feature);
    return INCO_OK;
}

/* Norms of all atoms, and the atoms that are not zero. */
static int measure_norms(const inco_mat *d, double *norm, int64_t *index, inco_metrics *m, inco_error *error) {
    int64_t used = 0;
    for (int64_t j = 0; j < d->cols; j++) {
        norm[j] = mat_column_norm(d, j);
        if (!isfinite(norm[j]))
            return error_set(
                error, INCO_EDATA,
                "the norm of atom %lld (counted from 0) is beyond the largest double: scale the dictionary",
                (long long)j);
        if (norm[j] > 0) index[used++] = j;
        m->norm_min = j == 0 ? norm[j] : fmin(m->norm_min, norm[j]);
        m->norm_max = fmax(m->norm_max, norm[j]);
    }
    m->zero_atoms = d->cols - used;
    return INCO_OK;
}

/* Values beyond the rank that the atoms in use can have are zero, and stay. */
static int measure_spectrum(const gram_atoms *atoms, int threads, inco_metrics *m, inco_error *error) {
    int status = INCO_OK;
    m->singular_count = m->dim < m->atoms ? m->dim : m->atoms;
    m->singular = NEW(double, m->singular_count);
    if (!m->singular) return error_no_memory(error);
    if (atoms->count > 0) TRY(spectrum_measure(atoms, threads, m->singular, error));
    if (m->dim > 0) m->flat_singular = sqrt((double)atoms->count / (double)m->dim);
    if (m->singular_count > 0) m->frame_upper = m->singular[0] * m->singular[0];
    if (m->dim > 0 && atoms->count >= m->dim) m->frame_lower = pow(m->singular[m->dim - 1], 2);
done:
    return status;
}

static int inspect(const inco_mat *d, const inco_options *options, inco_metrics *m, inco_error *error) {
    const int threads = parallel_threads(options ? options->threads : 0);
    double *norm = NEW_RAW(double, d->cols);
    int64_t *index = NEW_RAW(int64_t, d->cols);
    int status = norm && index ? check(d, error) : error_no_memory(error);
    if (status < 0) goto done;
    TRY(measure_norms(d, norm, index, m, error));
    gram_atoms atoms = {d, index, norm, d->cols - m->zero_atoms};
    TRY(tally_pairs(&atoms, options ? options->duplicates : 0.99, threads, m, error));
    m->welch = coherence_bound(m->dim, atoms.count);
    m->erc_sparsity = coherence_sparsity(m->coherence_max, atoms.count);
    TRY(measure_spectrum(&atoms, threads, m, error));
done:
    memory_free(norm);
    memory_free(index);
    return status;
}

int inco_inspect(const inco_mat *dictionary, const inco_options *options, inco_metrics *metrics, inco_error *error) {
    memset(metrics, 0, sizeof *metrics);
    metrics->size = sizeof *metrics;
    metrics->dim = dictionary->rows;
    metrics->atoms = dictionary->cols;
    blas_enter();
    int status = inspect(dictionary, options, metrics, error);
    blas_leave();
    if (status < 0) inco_metrics_free(metrics);
    return status;
}

void inco_metrics_free(inco_metrics *metrics) {
    if (!metrics) return;
    memory_free(metrics->singular);
    metrics->singular = NULL;
    metrics->singular_count = 0;
}
