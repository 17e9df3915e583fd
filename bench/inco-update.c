/* How far one update of IDL comes: the share of the attainable decrease of its objective, and the time that it takes.
 *
 *   inco-update [NAME=VALUE]... IN...    options of `inco learn`: window=160 signals=8000 atoms=500 gamma=5
 *
 * Learns from IN by preconditioned updates. At iterations 1, 5 and 12 the same A, B and D are given to 15 plain
 * iterations, to the default update, and to as many iterations as it takes to come to rest, which attain all that there
 * is; times are those of the processor, on one thread. With max-coherence the pairs above it count as in a late
 * iteration of `inco learn`. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/source.h"
#include "code/coder.h"
#include "data/prepare.h"
#include "data/span.h"
#include "design/init.h"
#include "machine.h"
#include "mat/blas.h"
#include "mat/keeper.h"
#include "mat/mat.h"
#include "update/update.h"

enum { ITERATIONS = 12, BLOCK = 1024, THOROUGH = 3000, REPEATS = 5 };
static const double ENOUGH = 2e-3, PUSH = 25; /* of learn/method_idl.c */

typedef struct problem {
    inco_mat x, d; /* signals as learned from; the dictionary */
    statistics s;
    update_settings settings;
    subspace span;
    inco_type given; /* of the signals */
} problem;

/* ---- A and B ---- */

/* `dense` (L x BLOCK, zero) gets the codes of some signals. */
static void spread_codes(const csc *codes, int64_t first, const inco_mat *dense) {
    memset(dense->data, 0, (size_t)(dense->rows * dense->cols) * sizeof(double));
    for (int64_t n = 0; n < dense->cols; n++)
        for (int64_t k = codes->start[first + n]; k < codes->start[first + n + 1]; k++)
            mat_set(dense, codes->index[k], n, csc_value(codes, k));
}

static void code_signals(problem *p, const inco_options *o) {
    inco_error error = {0};
    inco_coder *coder;
    csc codes = {0};
    inco_mat dense;
    stop_on(inco_coder_new(&coder, &p->d, INCO_F64, o, &error), &error);
    stop_on(coder_run(coder, &p->x, &codes, NULL, &error), &error);
    stop_on(inco_mat_new(&dense, INCO_F64, p->d.cols, BLOCK, &error), &error);
    for (int64_t first = 0; first < p->x.cols; first += BLOCK) {
        const int64_t count = p->x.cols - first < BLOCK ? p->x.cols - first : BLOCK;
        const inco_mat c = mat_columns(&dense, 0, count), x = mat_columns(&p->x, first, count);
        spread_codes(&codes, first, &c);
        blas_multiply(p->settings.threads, "NT", 1, &c, &c, first > 0, &p->s.a);
        blas_multiply(p->settings.threads, "NT", 1, &x, &c, first > 0, &p->s.b);
    }
    inco_mat_free(&dense);
    csc_free(&codes);
    inco_coder_free(coder);
}

/* ---- One update ---- */

/* Of the processor: other load does not count. */
static double cpu_seconds(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

typedef struct outcome {
    double decrease, seconds; /* the least of some runs */
    int iterations;
} outcome;

static outcome run(const problem *p, update_settings settings, int repeats, const inco_mat *result) {
    outcome out = {.seconds = INFINITY};
    inco_error error = {0};
    inco_mat d;
    for (int i = 0; i < repeats; i++) {
        update_result r;
        stop_on(mat_convert(&d, &p->d, INCO_F64, &error), &error);
        const double start = cpu_seconds();
        stop_on(idl_update(&d, &p->s, &settings, &r, &error), &error);
        out = (outcome){r.before - r.after, fmin(out.seconds, cpu_seconds() - start), r.iterations};
        if (result) mat_copy(result, &d);
        inco_mat_free(&d);
    }
    return out;
}

static void report(const problem *p, int iteration) {
    update_settings plain = p->settings, all = p->settings, all_plain;
    plain.plain = 1;
    plain.iterations = 15;
    all.iterations = THOROUGH;
    all.enough = 0;
    all_plain = all;
    all_plain.plain = 1;
    const double attainable = fmax(run(p, all, 1, NULL).decrease, run(p, all_plain, 1, NULL).decrease);
    const outcome before = run(p, plain, REPEATS, NULL), now = run(p, p->settings, REPEATS, NULL);
    printf("%9d %12.4f %12.4f %12d %12.2f\n", iteration, before.decrease / attainable, now.decrease / attainable,
           now.iterations, now.seconds / before.seconds);
    fflush(stdout);
}

/* ---- The run ---- */

static void open_problem(problem *p, const inco_options *o, const inco_source *given, int64_t atoms) {
    const prepare_options *own = prepare_options_of(o);
    inco_error error = {0};
    prepared data;
    stop_on(prepare(&data, given, INCO_F64, (int)own->center, own->normalize == NORMALIZE_UNIT, &error), &error);
    stop_on(inco_mat_new(&p->x, INCO_F64, given->dim, given->count, &error), &error);
    stop_on(source_read(&data.source, 0, given->count, p->x.data, &error), &error);
    stop_on(inco_mat_new(&p->d, INCO_F64, given->dim, atoms, &error), &error);
    stop_on(init_sample(&p->d, &data.source, 0, 1, &error), &error);
    stop_on(span_find(&p->span, &data.source, given->type, &error), &error);
    stop_on(subspace_project_atoms(&p->span, &p->d, 1, NULL, &error), &error);
    stop_on(inco_mat_new(&p->s.a, INCO_F64, atoms, atoms, &error), &error);
    stop_on(inco_mat_new(&p->s.b, INCO_F64, given->dim, atoms, &error), &error);
    p->s.energy = blas_dot(given->dim * given->count, p->x.data, p->x.data);
    p->given = given->type;
    prepare_free(&data);
}

static double number_of(const inco_options *o, const char *name, double otherwise) {
    const double value = inco_options_get_number(o, name);
    return isnan(value) ? otherwise : value;
}

static void settle(problem *p, const inco_options *o) {
    const double bound = number_of(o, "max-coherence", NAN), atoms = (double)p->d.cols;
    const double relative = number_of(o, "gamma-relative", 0.1) * p->s.energy / atoms;
    p->settings = (update_settings){.gamma = number_of(o, "gamma", relative), .iterations = 15, .enough = ENOUGH};
    p->settings.threads = 1;
    p->settings.narrow = p->given == INCO_F32;
    p->settings.within = &p->span;
    if (isnan(bound)) return;
    p->settings.bound = bound;
    p->settings.push = PUSH * p->s.energy / atoms;
}

int main(int count, char **words) {
    inco_options *o = inco_options_new();
    inco_error error = {0};
    inco_data *data;
    inco_source source = INCO_INIT(inco_source);
    problem p = {0};
    int first = 1;
    for (char *sign; first < count && (sign = strchr(words[first], '=')); first++) {
        *sign = 0;
        stop_on(inco_options_set(o, words[first], sign + 1, &error), &error);
    }
    stop_on(inco_data_open(&data, (const char *const *)words + first, count - first, o, &error), &error);
    stop_on(inco_data_source(data, &source, &error), &error);
    open_problem(&p, o, &source, (int64_t)number_of(o, "atoms", 256));
    settle(&p, o);
    printf("gamma %g, %lld x %lld, %lld signals, one thread; shares of the attainable decrease\n", p.settings.gamma,
           (long long)p.d.rows, (long long)p.d.cols, (long long)p.x.cols);
    printf("iteration     plain 15      default   iterations   time ratio\n");
    stop_on(blas_enter(1, &error), &error); /* as in every public call: its threads would count as well */
    for (int i = 1; i <= ITERATIONS; i++) {
        code_signals(&p, o);
        if (i == 1 || i == 5 || i == ITERATIONS) report(&p, i);
        run(&p, p.settings, 1, &p.d);
    }
    blas_leave();
    inco_data_free(data);
    inco_options_free(o);
    return 0;
}
