#include "design/bound.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mat/mat.h"

enum { ATTEMPTS = 3, MAX_STEPS = 300, MIN_STEPS = 60 };
static const double MIN_WEIGHT = 1e-3;
static const double STEPS_WORK = 3e11; /* D L^2 times the iterations of one stage */

static const option_row rows[] = {
    REAL_OPTION(bound_options, max_coherence, "max-coherence", "MU", NULL, 0, 1, INCO_LEARN | INCO_DECOHERE,
                "Dictionary",
                "bound on the largest |d_i'd_j|; idl, online and decohere enforce it; for inksvd, ipr and idb it is a "
                "target, which inksvd and ipr try to reach within a tolerance and idb rarely reaches"),
};

const options_part bound_part = {OPTIONS_PART(rows, bound_options)};

/* ---- Feasibility ---- */

int bound_check_given(const inco_options *options, const char *method, inco_error *error) {
    if (!isnan(bound_options_of(options)->max_coherence)) return INCO_OK;
    return error_set(error, INCO_EINVAL, "option 'method' = '%s' needs a target: option 'max-coherence'", method);
}

int bound_check(double bound, int64_t dim, int64_t atoms, inco_error *error) {
    const double least = coherence_bound(dim, atoms);
    if (bound >= least - 1e-12) return INCO_OK;
    return error_set(error, INCO_EINVAL,
                     "option 'max-coherence' = %g is infeasible: %lld atoms of %lld dimensions have a coherence of at "
                     "least %.6f (%s)",
                     bound, (long long)atoms, (long long)dim, least, inco_bound_name(dim, atoms));
}

/* Maximum increase of a product of unit vectors by rounding to a type. */
static double rounding_of(inco_type type) {
    return type == INCO_F32 ? 2.5e-7 : 1e-12;
}

int bound_check_rounding(double bound, inco_type type, inco_error *error) {
    const double least = 4 * rounding_of(type);
    if (bound >= least) return INCO_OK;
    return error_set(error, INCO_EINVAL,
                     "option 'max-coherence' = %g is below the rounding errors of %s: give %g or more", bound,
                     type == INCO_F32 ? "f32" : "f64", least);
}

/* ---- Atoms and norms ---- */

static int measure_norms(bound_work *w, int64_t *used, inco_error *error) {
    const inco_mat *d = w->task->dictionary;
    *used = 0;
    w->norm = NEW_RAW(double, d->cols);
    w->weight = NEW_RAW(double, d->cols);
    w->index = NEW_RAW(int64_t, d->cols);
    if (!w->norm || !w->weight || !w->index) return error_no_memory(error);
    for (int64_t j = 0; j < d->cols; j++) {
        w->norm[j] = mat_column_norm(d, j);
        if (!isfinite(w->norm[j] * w->norm[j]))
            return error_set(error, INCO_EDATA,
                             "the norm of atom %lld (counted from 0) is too large: scale the dictionary", (long long)j);
        if (w->norm[j] > 0) w->index[(*used)++] = j;
    }
    return INCO_OK;
}

/* (DECO-1): the weights are squared norms, at least MIN_WEIGHT of their mean, so that atoms of small norm do not move
 * far. */
static int gather_atoms(bound_work *w, inco_error *error) {
    const inco_mat *d = w->task->dictionary;
    double sum = 0;
    int64_t used;
    int status;
    TRY(measure_norms(w, &used, error));
    TRY(mat_new_raw(&w->atoms, INCO_F64, d->rows, used, error));
    const gram_atoms atoms = {d, w->index, w->norm, used};
    gram_gather(&atoms, 0, used, w->atoms.data);
    mat_normalize_columns(&w->atoms, NULL);
    for (int64_t k = 0; k < used; k++) sum += w->weight[k] = w->norm[w->index[k]] * w->norm[w->index[k]];
    for (int64_t k = 0; k < used; k++) w->weight[k] = fmax(w->weight[k], MIN_WEIGHT * sum / (double)used);
done:
    return status;
}

/* Coherence of the nonzero atoms of d, as stored. */
static int measure(const bound_work *w, const inco_mat *d, coherence *mu, inco_error *error) {
    double *norm = NEW_RAW(double, d->cols);
    if (!norm) return error_no_memory(error);
    for (int64_t j = 0; j < d->cols; j++) norm[j] = mat_column_norm(d, j);
    const gram_atoms atoms = {d, w->index, norm, w->atoms.cols};
    int status = coherence_measure_atoms(&atoms, w->task->threads, mu, error);
    memory_free(norm);
    return status;
}

/* Stores moved atoms with their original norms; the others stay unchanged, bit for bit if the type is the same. */
static void put_atoms(bound_work *w, const inco_mat *out) {
    const inco_mat *d = w->task->dictionary;
    const size_t bytes = (size_t)d->rows * sizeof(double);
    double change = 0, all = 0;
    w->moved_atoms = 0;
    mat_copy(out, d);
    for (int64_t k = 0; k < w->atoms.cols; k++) {
        const int64_t j = w->index[k];
        const double *unit = mat_column(&w->moved, k);
        const int moved = memcmp(unit, mat_column(&w->atoms, k), bytes) != 0;
        w->moved_atoms += moved;
        for (int64_t i = 0; i < d->rows && moved; i++) mat_set(out, i, j, w->norm[j] * unit[i]);
        for (int64_t i = 0; i < d->rows; i++) {
            change += pow(mat_get(out, i, j) - mat_get(d, i, j), 2);
            all += pow(mat_get(d, i, j), 2);
        }
    }
    w->change = all > 0 ? sqrt(change / all) : 0;
}

/* ---- The search ---- */

static int steps_for(const inco_mat *atoms) {
    const double work = (double)atoms->rows * (double)atoms->cols * (double)atoms->cols;
    return (int)fmin(fmax(STEPS_WORK / work, MIN_STEPS), MAX_STEPS);
}

int bound_open(bound_work *w, const bound_task *task, inco_mat *result, inco_error *error) {
    const inco_mat *d = task->dictionary;
    int status = INCO_OK;
    *w = (bound_work){.task = task, .square = NAN};
    if (d->rows < 1 || d->cols < 1) TRY(error_set(error, INCO_EDIM, "the dictionary is empty"));
    TRY(mat_check_atoms(d, "dictionary", error));
    TRY(gather_atoms(w, error));
    TRY(mat_convert(result, d, task->type, error));
    TRY(measure(w, d, &w->now, error));
    w->coherence_given = w->now.max;
    if (d->type != task->type) TRY(measure(w, result, &w->now, error));
    w->reached = w->now.max <= task->bound;
    TRY(bound_check(task->bound, d->rows, w->atoms.cols, error));
    if (!w->reached) TRY(bound_check_rounding(task->bound, task->type, error));
done:
    return status;
}

/* Rounding to the output type may violate the bound slightly: the search uses a bound that is lower by this amount, and
 * lower again if that was not enough. */
int bound_search(bound_work *w, const statistics *s, inco_mat *result, inco_error *error) {
    const bound_task *task = w->task;
    nearest_settings settings = {.iterations = steps_for(&w->atoms),
                                 .care = task->care,
                                 .seed = task->seed,
                                 .within = task->within,
                                 .threads = task->threads,
                                 .tell = task->tell,
                                 .self = task->self};
    int status = INCO_OK;
    if (w->reached) return status;
    TRY(mat_new_raw(&w->moved, INCO_F64, w->atoms.rows, w->atoms.cols, error));
    for (int k = 0; k < ATTEMPTS && status == INCO_OK && !w->reached; k++) {
        nearest_result found;
        settings.bound = task->bound - ldexp(rounding_of(task->type), 2 * k);
        mat_copy(&w->moved, &w->atoms);
        TRY(nearest(&w->moved, w->weight, s, &settings, &found, error));
        put_atoms(w, result);
        if (measure(w, result, &w->now, error) < 0) TRY(error_no_memory(error));
        w->reached = w->now.max <= task->bound;
        w->stages += found.stages;
        w->iterations += found.iterations;
        w->square = found.after;
        if (!found.reached) break;
    }
done:
    return status;
}

void bound_close(bound_work *w) {
    inco_mat_free(&w->atoms);
    inco_mat_free(&w->moved);
    memory_free(w->norm);
    memory_free(w->weight);
    memory_free(w->index);
}

int bound_enforce(const bound_task *task, inco_mat *result, inco_error *error) {
    bound_work w;
    int status;
    *result = (inco_mat){0};
    TRY(bound_open(&w, task, result, error));
    TRY(bound_search(&w, NULL, result, error));
done:
    bound_close(&w);
    if (status < 0) inco_mat_free(result);
    return status;
}
