/* Results of a run: from its log, coherence and spectrum of its dictionary, residuals of the test signals, and recovery
 * of planted codes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reproduce.h"

/* ---- The log ---- */

/* Members of the last line of the log, and their names in the results. */
static const struct {
    const char *member, *name;
} results[] = {{"end.relative_error", "relative_error"},
               {"end.mean_cardinality", "mean_cardinality"},
               {"end.gamma_relative", "gamma_relative"},
               {"end.tight_ratio", "tight_ratio"},
               {"end.replaced", "replaced"},
               {"end.replaced_coherent", "replaced_coherent"},
               {"end.unused", "unused"},
               {"end.spread.passes", "spread_passes"},
               {"end.spread.pairs", "spread_pairs"},
               {"end.spread.seconds", "spread_seconds"},
               {"end.spread.target", "target"},
               {"end.seconds.code", "seconds_code"},
               {"end.seconds.update", "seconds_update"}};

static void take_iterations(const inco_log *log, numbers *n) {
    static const char *const names[] = {"iteration_error", "iteration_cardinality", "iteration_change",
                                        "iteration_passes"};
    const int64_t count = inco_log_iterations(log);
    for (int list = 0; list < 4; list++)
        for (int64_t i = 0; i < count; i++) {
            inco_progress it = INCO_INIT(inco_progress);
            inco_log_iteration(log, i, &it, NULL);
            const double values[] = {it.relative_error, it.mean_cardinality, it.objective / it.objective_before - 1,
                                     (double)it.spread_passes};
            numbers_add(n, names[list], (double)it.iteration, values[list]);
        }
}

static int measure_log(experiment *e, int64_t seed, const grid_run *g, numbers *n) {
    run *r = e->run;
    inco_log *log = NULL;
    char stopped[32] = "", *path = reproduce_path(e, seed, g->id, ".jsonl");
    int status = INCO_OK;
    if (!path) TRY(run_no_memory(r));
    TRY(inco_log_load(&log, path, &r->error));
    inco_log_text(log, "end.stopped_by", stopped, sizeof stopped);
    if (strcmp(stopped, "iterations"))
        TRY(run_fail(r, INCO_EFORMAT, "'%s' is not the log of a completed run: delete it", path));
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        const double value = inco_log_number(log, results[i].member);
        if (!isnan(value)) numbers_add(n, results[i].name, 0, value);
    }
    take_iterations(log, n);
done:
    inco_log_free(log);
    free(path);
    return status;
}

/* ---- The dictionary ---- */

/* Distance from flat: root mean square of s_i / sqrt(L / D) - 1; 0 for a tight frame. */
static double deviation(const inco_metrics *m) {
    double sum = 0;
    for (int64_t i = 0; i < m->singular_count; i++) {
        const double d = m->singular[i] / m->flat_singular - 1;
        sum += d * d;
    }
    return sqrt(sum / (double)m->singular_count);
}

static int measure_dictionary(experiment *e, const inco_mat *dictionary, numbers *n) {
    inco_metrics m = INCO_INIT(inco_metrics);
    double pairs = (double)dictionary->cols * ((double)dictionary->cols - 1) / 2;
    int status = inco_inspect(dictionary, e->run->options, &m, &e->run->error);
    if (status < 0) return status;
    numbers_add(n, "coherence_max", 0, m.coherence_max);
    numbers_add(n, "coherence_rms", 0, m.coherence_rms);
    numbers_add(n, "coherence_mean", 0, m.coherence_mean);
    numbers_add(n, "coherence_median", 0, m.coherence_median);
    numbers_add(n, "welch", 0, m.welch);
    numbers_add(n, "norm_min", 0, m.norm_min);
    numbers_add(n, "norm_max", 0, m.norm_max);
    numbers_add(n, "flat", 0, m.flat_singular);
    numbers_add(n, "deviation", 0, deviation(&m));
    for (int64_t i = 0; i < m.singular_count; i++) numbers_add(n, "singular", (double)(i + 1), m.singular[i]);
    for (int64_t i = 0; i < m.histogram_count; i++)
        numbers_add(n, "histogram", (double)i / (double)m.histogram_count, (double)m.histogram[i] / pairs);
    inco_metrics_free(&m);
    return status;
}

/* ---- Test signals ---- */

static int measure_test(experiment *e, int64_t seed, const inco_mat *dictionary, numbers *n) {
    run *r = e->run;
    inco_mat x = {0};
    inco_source source = INCO_INIT(inco_source);
    inco_residuals found = INCO_INIT(inco_residuals);
    char *path = reproduce_path(e, seed, "test", ".npy");
    int status = INCO_OK;
    if (!path) TRY(run_no_memory(r));
    TRY(inco_load(path, NULL, &x, &r->error));
    TRY(inco_source_from_mat(&source, &x, &r->error));
    TRY(inco_residuals_measure(dictionary, &source, r->options, &found, &r->error));
    numbers_add(n, "test_signals", 0, (double)found.signals);
    for (int64_t i = 0; i < found.count; i++) numbers_add(n, "residual", found.cardinality[i], found.median[i]);
    for (int64_t i = 0; i < found.count; i++) numbers_add(n, "residual_lower", found.cardinality[i], found.lower[i]);
    for (int64_t i = 0; i < found.count; i++) numbers_add(n, "residual_upper", found.cardinality[i], found.upper[i]);
    TRY(speech_measure(e, seed, &(speech_task){dictionary, &x, &found}, n));
done:
    inco_residuals_free(&found);
    inco_mat_free(&x);
    free(path);
    return status;
}

/* ---- Planted codes ---- */

enum { PLANTED = 1000 }; /* signals per cardinality */
static const int planted_at[] = {1, 2, 3, 5, 8, 12, 16, 20, 25, 30, 40, 50, 60};
enum { PLANTED_AT = sizeof planted_at / sizeof *planted_at };

typedef unsigned short dice[3];

/* Normally distributed, by Box and Muller. */
static double draw_normal(dice state) {
    const double u = 1 - erand48(state), v = erand48(state);
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

/* Draws k atoms, each set with equal probability: the first k of a shuffled list. */
static void draw_atoms(int *list, int atoms, int k, dice state) {
    for (int i = 0; i < k; i++) {
        const int other = i + (int)(erand48(state) * (atoms - i)), swap = list[i];
        list[i] = list[other];
        list[other] = swap;
    }
}

/* x = sum of k atoms with coefficients from N(0, 1); `planted` marks the atoms of every signal. */
static void plant(const inco_mat *d, int k, const inco_mat *x, int *list, unsigned char *planted, dice state) {
    for (int64_t n = 0; n < x->cols; n++) {
        double *signal = (double *)x->data + n * x->ld;
        memset(signal, 0, (size_t)x->rows * sizeof *signal);
        draw_atoms(list, (int)d->cols, k, state);
        for (int i = 0; i < k; i++) {
            const double c = draw_normal(state), *atom = (const double *)d->data + list[i] * d->ld;
            planted[n * d->cols + list[i]] = 1;
            for (int64_t row = 0; row < x->rows; row++) signal[row] += c * atom[row];
        }
    }
}

/* Share of planted atoms recovered, and of signals with complete support recovered. */
static void compare(const inco_csc *codes, const unsigned char *planted, int k, double *atoms, double *supports) {
    int64_t right = 0, whole = 0;
    for (int64_t n = 0; n < codes->cols; n++) {
        int64_t found = 0;
        for (int64_t i = codes->start[n]; i < codes->start[n + 1]; i++)
            found += planted[n * codes->rows + codes->index[i]];
        right += found;
        whole += found == k;
    }
    *atoms = (double)right / ((double)codes->cols * k);
    *supports = (double)whole / (double)codes->cols;
}

typedef struct recovery {
    const inco_mat *d; /* in double */
    inco_mat x;
    int *list;
    unsigned char *planted;
    inco_options *options;
    double atoms[PLANTED_AT], supports[PLANTED_AT];
} recovery;

static int recover_at(run *r, recovery *v, int i, int64_t seed) {
    const int k = planted_at[i];
    dice state = {(unsigned short)(0x1234 + i), (unsigned short)seed, (unsigned short)(seed >> 16)};
    inco_coder *coder = NULL;
    inco_csc codes = {0};
    int status;
    memset(v->planted, 0, (size_t)(v->d->cols * PLANTED));
    for (int64_t a = 0; a < v->d->cols; a++) v->list[a] = (int)a;
    plant(v->d, k, &v->x, v->list, v->planted, state);
    TRY(inco_options_set_number(v->options, "sparsity", k, &r->error));
    TRY(inco_coder_new(&coder, v->d, INCO_F64, v->options, &r->error));
    TRY(inco_coder_run(coder, &v->x, &codes, NULL, &r->error));
    compare(&codes, v->planted, k, &v->atoms[i], &v->supports[i]);
done:
    inco_coder_free(coder);
    inco_csc_free(&codes);
    return status;
}

/* LARC with known cardinality, on signals planted in the dictionary itself. */
static int measure_recovery(experiment *e, int64_t seed, const inco_mat *d, numbers *n) {
    run *r = e->run;
    recovery v = {.d = d, .options = inco_options_new()};
    int status;
    v.list = calloc((size_t)d->cols, sizeof *v.list);
    v.planted = calloc((size_t)(d->cols * PLANTED), 1);
    if (!v.options || !v.list || !v.planted) TRY(run_no_memory(r));
    TRY(inco_mat_new(&v.x, INCO_F64, d->rows, PLANTED, &r->error));
    TRY(inco_options_set(v.options, "coder", "larc", &r->error));
    TRY(inco_options_set_number(v.options, "threads", inco_options_get_number(r->options, "threads"), &r->error));
    for (int i = 0; i < PLANTED_AT; i++) TRY(recover_at(r, &v, i, seed));
    for (int i = 0; i < PLANTED_AT; i++) numbers_add(n, "recovered_atoms", planted_at[i], v.atoms[i]);
    for (int i = 0; i < PLANTED_AT; i++) numbers_add(n, "recovered_supports", planted_at[i], v.supports[i]);
done:
    inco_mat_free(&v.x);
    inco_options_free(v.options);
    free(v.list);
    free(v.planted);
    return status;
}

/* ---- All results ---- */

/* The atoms in double, and of unit norm in double. */
static int widen(run *r, const inco_mat *from, inco_mat *to) {
    int status = inco_mat_new(to, INCO_F64, from->rows, from->cols, &r->error);
    for (int64_t a = 0; status >= 0 && a < from->cols; a++) {
        double *atom = (double *)to->data + a * to->ld, sum = 0;
        for (int64_t i = 0; i < from->rows; i++) {
            const int64_t at = i + a * from->ld;
            atom[i] = from->type == INCO_F32 ? ((const float *)from->data)[at] : ((const double *)from->data)[at];
            sum += atom[i] * atom[i];
        }
        for (int64_t i = 0; i < from->rows && sum > 0; i++) atom[i] /= sqrt(sum);
    }
    return status;
}

int measure_run(experiment *e, int64_t seed, const grid_run *g, numbers *n) {
    run *r = e->run;
    inco_mat stored = {0}, d = {0};
    char *path = reproduce_path(e, seed, g->id, ".npy");
    int status = INCO_OK;
    if (!path) TRY(run_no_memory(r));
    TRY(inco_load(path, NULL, &stored, &r->error));
    TRY(widen(r, &stored, &d));
    TRY(measure_log(e, seed, g, n));
    TRY(measure_dictionary(e, &stored, n));
    if (g->generalises) TRY(measure_test(e, seed, &d, n));
    if (g->recovers) TRY(measure_recovery(e, seed, &d, n));
done:
    inco_mat_free(&stored);
    inco_mat_free(&d);
    free(path);
    return status;
}
