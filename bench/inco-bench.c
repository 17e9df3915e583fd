/* inco-bench: how fast the coders, the update and the metrics are, as multiples of what this machine's BLAS and memory
 * can do in the same run. Usage: inco-bench [--case NAME]... [options]; --help lists them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <inco/inco.h>

#include "../cli/fast_blas.h"
#include "base/clock.h"
#include "base/rng.h"
#include "dict/update.h"
#include "mat/blas.h"
#include "mat/mat.h"

typedef struct setup {
    int64_t dim, atoms, signals, repeats;
    int threads;
    inco_type type;
    const char *csv;
} setup;

typedef struct bench_case {
    const char *name, *coder, *rule; /* a coder with its stop rule ... */
    const char *value;
    double (*run)(const setup *s, const struct bench_case *c, double *work); /* ... or a function of its own */
} bench_case;

typedef struct problem {
    inco_mat x, d;
} problem;

static void stop_on(int status, const inco_error *error) {
    if (status >= 0) return;
    fprintf(stderr, "inco-bench: %s\n", error->message);
    exit(1);
}

/* ---- Data: sums of damped partials with a falling spectrum and some noise, as windows of speech are ---- */

static void make_signal(const inco_mat *x, int64_t n, uint64_t seed) {
    const double pi = 3.14159265358979323846;
    for (int64_t i = 0; i < x->rows; i++)
        mat_set(x, i, n, 0.02 * rng_normal(seed, RNG_TEST, (uint64_t)(n * x->rows + i)));
    for (int k = 0; k < 8; k++) {
        uint64_t draw = (uint64_t)(n * 8 + k);
        double u = rng_uniform(seed + 1, RNG_TEST, draw), f = 0.3 * u * u, a = rng_normal(seed + 2, RNG_TEST, draw);
        double phase = rng_uniform(seed + 3, RNG_TEST, draw);
        for (int64_t i = 0; i < x->rows; i++)
            mat_set(x, i, n, mat_get(x, i, n) + a * exp(-3 * f) * cos(2 * pi * (f * (double)i + phase)));
    }
}

static inco_mat make_signals(const setup *s, int64_t count, uint64_t seed) {
    inco_mat x;
    inco_error error;
    stop_on(inco_mat_new(&x, s->type, s->dim, count, &error), &error);
    for (int64_t n = 0; n < count; n++) make_signal(&x, n, seed);
    mat_normalize_columns(&x, NULL);
    return x;
}

/* ---- What the machine can do ---- */

/* Seconds of the product D'X in double on one thread: the unit of all figures. */
static double time_product(const setup *s) {
    setup in_double = *s;
    in_double.type = INCO_F64;
    static inco_mat d, x, product; /* made once: the sizes do not change in a run */
    inco_error error;
    if (!d.data) {
        d = make_signals(&in_double, s->atoms, 100);
        x = make_signals(&in_double, s->signals < 4096 ? s->signals : 4096, 200);
        stop_on(inco_mat_new(&product, INCO_F64, s->atoms, x.cols, &error), &error);
    }
    double start = clock_seconds();
    blas_multiply(1, "TN", 1, &d, &x, 0, &product);
    return (clock_seconds() - start) * (double)s->signals / (double)x.cols;
}

/* GB/s of y += a x over arrays larger than any cache. */
static double bandwidth(void) {
    enum { LENGTH = 1 << 24 };
    double *x = calloc(LENGTH, sizeof *x), *y = calloc(LENGTH, sizeof *y), best = 0;
    for (int i = 0; x && y && i < 4; i++) {
        double start = clock_seconds();
        blas_axpy(LENGTH, 1.5, x, y);
        best = fmax(best, 24.0 * LENGTH / (clock_seconds() - start) / 1e9);
    }
    free(x);
    free(y);
    return best;
}

/* ---- The cases ---- */

static inco_options *options_for(const setup *s, const bench_case *c, const char *value) {
    inco_options *o = inco_options_new();
    inco_error error = {0};
    stop_on(inco_options_set_number(o, "threads", s->threads, &error), &error);
    stop_on(inco_options_set(o, "coder", c->coder, &error), &error);
    stop_on(inco_options_set(o, c->rule, value, &error), &error);
    return o;
}

/* Mean cardinality of the first signals. */
static double cardinality(const setup *s, const bench_case *c, const problem *p, double lambda) {
    char value[32];
    inco_error error = {0};
    inco_coder *coder;
    inco_csc codes = {0};
    inco_mat few = mat_columns(&p->x, 0, p->x.cols < 500 ? p->x.cols : 500);
    snprintf(value, sizeof value, "%.17g", lambda);
    inco_options *o = options_for(s, c, value);
    stop_on(inco_coder_new(&coder, &p->d, s->type, o, &error), &error);
    stop_on(inco_coder_run(coder, &few, &codes, NULL, &error), &error);
    double mean = (double)codes.start[codes.cols] / (double)codes.cols;
    inco_csc_free(&codes);
    inco_coder_free(coder);
    inco_options_free(o);
    return mean;
}

/* The lambda that gives `wanted` atoms per signal, by bisection. */
static double find_lambda(const setup *s, const bench_case *c, const problem *p, double wanted) {
    double low = 1e-4, high = 1;
    for (int i = 0; i < 20; i++) {
        double middle = sqrt(low * high);
        if (cardinality(s, c, p, middle) > wanted)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static const problem *the_problem(const setup *s) {
    static problem made[2];
    problem *p = &made[s->type == INCO_F64];
    if (!p->x.data) {
        p->d = make_signals(s, s->atoms, 300);
        p->x = make_signals(s, s->signals, 400);
    }
    return p;
}

/* Seconds of coding, the Gram matrix included; *atoms: mean cardinality. */
static double run_coder(const setup *s, const bench_case *c, double *atoms) {
    const problem *p = the_problem(s);
    char value[32];
    inco_error error = {0};
    inco_coder *coder;
    inco_csc codes = {0};
    snprintf(value, sizeof value, "%s", c->value);
    if (!strcmp(c->rule, "lambda")) snprintf(value, sizeof value, "%.17g", find_lambda(s, c, p, atof(c->value)));
    inco_options *o = options_for(s, c, value);
    double start = clock_seconds();
    stop_on(inco_coder_new(&coder, &p->d, s->type, o, &error), &error);
    stop_on(inco_coder_run(coder, &p->x, &codes, NULL, &error), &error);
    double seconds = clock_seconds() - start;
    *atoms = (double)codes.start[codes.cols] / (double)codes.cols;
    inco_csc_free(&codes);
    inco_coder_free(coder);
    inco_options_free(o);
    return seconds;
}

/* 15 iterations of the update on the spheres. A and B as LARC's codes make them: a random sparse C. */
static double run_update(const setup *s, const bench_case *c, double *evaluations) {
    setup in_double = *s;
    in_double.type = INCO_F64;
    inco_mat d = make_signals(&in_double, s->atoms, 500), a, b, code;
    inco_error error = {0};
    update_settings settings = {.gamma = 5, .iterations = 15, .threads = s->threads};
    update_result result;
    stop_on(inco_mat_new(&a, INCO_F64, s->atoms, s->atoms, &error), &error);
    stop_on(inco_mat_new(&b, INCO_F64, s->dim, s->atoms, &error), &error);
    stop_on(inco_mat_new(&code, INCO_F64, s->atoms, 4 * s->atoms, &error), &error);
    for (int64_t n = 0; n < code.cols; n++)
        for (int k = 0; k < 20; k++) {
            uint64_t draw = (uint64_t)(20 * n + k);
            mat_set(&code, rng_below(1, RNG_TEST, draw, s->atoms), n, rng_normal(2, RNG_TEST, draw));
        }
    blas_multiply(s->threads, "NT", 1, &code, &code, 0, &a);
    inco_mat start_d = make_signals(&in_double, s->atoms, 600);
    blas_multiply(s->threads, "NN", 1, &start_d, &a, 0, &b);
    statistics stats = {a, b, blas_dot(s->dim * s->atoms, start_d.data, b.data)};
    double start = clock_seconds();
    stop_on(idl_update(&d, &stats, &settings, &result, &error), &error);
    double seconds = clock_seconds() - start;
    *evaluations = result.evaluations;
    inco_mat *all[] = {&d, &a, &b, &code, &start_d};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) inco_mat_free(all[i]);
    (void)c;
    return seconds;
}

static double run_iteration(const setup *s, const bench_case *c, double *share) {
    const problem *p = the_problem(s);
    inco_options *o = options_for(s, c, c->value);
    inco_source source = inco_source_from_mat(&p->x);
    inco_learner *learner;
    inco_error error = {0};
    stop_on(inco_options_set_number(o, "iterations", 1, &error), &error);
    stop_on(inco_options_set_number(o, "gamma", 5, &error), &error);
    stop_on(inco_learner_new(&learner, &source, o, &error), &error);
    stop_on(inco_learner_start_from(learner, &p->d, &error), &error);
    stop_on(inco_learner_run(learner, &error), &error);
    const inco_learn_info *info = inco_learner_info(learner);
    double seconds = info->seconds_total; /* two codings, one update */
    *share = 1 - info->seconds_code / seconds;
    inco_learner_free(learner);
    inco_options_free(o);
    return seconds;
}

static double run_inspect(const setup *s, const bench_case *c, double *mu) {
    setup large = *s;
    large.dim = 768;
    inco_mat d = make_signals(&large, 16384, 700);
    inco_options *o = inco_options_new();
    inco_metrics metrics;
    inco_error error = {0};
    stop_on(inco_options_set_number(o, "threads", s->threads, &error), &error);
    double start = clock_seconds();
    stop_on(inco_inspect(&d, o, &metrics, &error), &error);
    double seconds = clock_seconds() - start;
    *mu = metrics.coherence_max;
    inco_metrics_free(&metrics);
    inco_options_free(o);
    inco_mat_free(&d);
    (void)c;
    return seconds;
}

static const bench_case cases[] = {
    {"omp-10", "omp", "sparsity", "10", run_coder},
    {"omp-40", "omp", "sparsity", "40", run_coder},
    {"omp-20db", "omp", "tolerance", "0.1", run_coder},
    {"ols-10", "ols", "sparsity", "10", run_coder},
    {"ols-40", "ols", "sparsity", "40", run_coder},
    {"lars-40", "lars", "sparsity", "40", run_coder},
    {"lasso-10", "lasso", "lambda", "10", run_coder},
    {"larc", "larc", "residual-coherence", "0.2", run_coder},
    {"update", NULL, NULL, NULL, run_update},
    {"learn-iteration", "larc", "residual-coherence", "0.2", run_iteration},
    {"inspect-large", NULL, NULL, NULL, run_inspect},
};
enum { CASES = sizeof cases / sizeof *cases };

/* ---- Running and printing ---- */

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int64_t count) {
    qsort(values, (size_t)count, sizeof *values, by_value);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static void run_case(const setup *s, const bench_case *c, FILE *csv) {
    double seconds[64], multiple[64], detail = 0;
    for (int64_t r = 0; r < s->repeats; r++) { /* the unit is measured around each run: other load hits both */
        double before = time_product(s);
        seconds[r] = c->run(s, c, &detail);
        multiple[r] = seconds[r] / ((before + time_product(s)) / 2);
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    double t = median(seconds, s->repeats), m = median(multiple, s->repeats);
    const char *type = s->type == INCO_F32 ? "f32" : "f64";
    printf("%-16s %s %3d %9.3f %10.2f %12.0f %9.2f %8.0f\n", c->name, type, s->threads, t, m, (double)s->signals / t,
           detail, (double)usage.ru_maxrss / 1024);
    fflush(stdout);
    if (csv)
        fprintf(csv, "%s,%s,%d,%lld,%lld,%lld,%.6g,%.6g,%.6g,%.6g,%.6g\n", c->name, type, s->threads, (long long)s->dim,
                (long long)s->atoms, (long long)s->signals, t, m, (double)s->signals / t, detail,
                (double)usage.ru_maxrss / 1024);
}

static void print_head(const setup *s) {
    double product = time_product(s);
    product = fmin(product, time_product(s));
    printf("inco %s, %s, %s\n", inco_version(), inco_isa(), inco_blas());
    printf("D = %lld, L = %lld, N = %lld; D'X in double on one thread: %.3f s, %.1f GFLOP/s; memory %.1f GB/s\n",
           (long long)s->dim, (long long)s->atoms, (long long)s->signals, product,
           2e-9 * (double)s->dim * (double)s->atoms * (double)s->signals / product, bandwidth());
    printf("detail: atoms per signal; update: evaluations; learn-iteration: share not coding; inspect: coherence\n\n");
    printf("%-16s %s %s %9s %10s %12s %9s %8s\n", "case", "type", "thr", "seconds", "x D'X", "signals/s", "detail",
           "peak MB");
}

static void usage(FILE *to) {
    fprintf(to, "Usage: inco-bench [--case NAME]... [--dim D] [--atoms L] [--signals N] [--precision f32|f64|both]\n"
                "                  [--threads T] [--repeats R] [--csv FILE]\nCases:");
    for (int i = 0; i < CASES; i++) fprintf(to, " %s", cases[i].name);
    fprintf(to, "\nDefaults: all cases, D = 160, L = 1000, N = 30000, both, 1 thread, 3 repeats.\n");
}

static int64_t *number_option(setup *s, const char *name) {
    if (!strcmp(name, "--dim")) return &s->dim;
    if (!strcmp(name, "--atoms")) return &s->atoms;
    if (!strcmp(name, "--signals")) return &s->signals;
    return !strcmp(name, "--repeats") ? &s->repeats : NULL;
}

static int find_case(const char *name) {
    for (int i = 0; i < CASES; i++)
        if (!strcmp(cases[i].name, name)) return i;
    return -1;
}

/* 0, or 2 when the command line is wrong. */
static int parse(int argc, char **argv, setup *s, int wanted[CASES], int types[2]) {
    int named = 0;
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[++i] : NULL;
        int64_t *number = number_option(s, name);
        if (!value) return 2;
        if (number) {
            if ((*number = atoll(value)) < 1) return 2;
        } else if (!strcmp(name, "--case")) {
            int c = find_case(value);
            if (c < 0) return 2;
            wanted[c] = named = 1;
        } else if (!strcmp(name, "--threads")) {
            s->threads = atoi(value);
        } else if (!strcmp(name, "--csv")) {
            s->csv = value;
        } else if (!strcmp(name, "--precision")) {
            types[0] = strcmp(value, "f64") != 0;
            types[1] = strcmp(value, "f32") != 0;
        } else {
            return 2;
        }
    }
    for (int c = 0; !named && c < CASES; c++) wanted[c] = 1;
    return s->repeats > 64 || s->threads < 1 ? 2 : 0;
}

int main(int argc, char **argv) {
    setup s = {160, 1000, 30000, 3, 1, INCO_F64, NULL};
    int wanted[CASES] = {0}, types[2] = {1, 1};
    use_fast_blas(argv);
    if (argc == 2 && !strcmp(argv[1], "--help")) return usage(stdout), 0;
    if (parse(argc, argv, &s, wanted, types)) return usage(stderr), 2;
    FILE *csv = s.csv ? fopen(s.csv, "w") : NULL;
    if (s.csv && !csv) return fprintf(stderr, "inco-bench: cannot write %s\n", s.csv), 1;
    if (csv) fprintf(csv, "case,type,threads,dim,atoms,signals,seconds,multiple,signals_per_second,detail,peak_mb\n");
    inco_blas_one_thread();
    print_head(&s);
    for (int t = 1; t >= 0; t--) {
        if (!types[t]) continue;
        s.type = t ? INCO_F64 : INCO_F32;
        for (int c = 0; c < CASES; c++)
            if (wanted[c]) run_case(&s, &cases[c], csv);
    }
    return csv && fclose(csv) ? 1 : 0;
}
