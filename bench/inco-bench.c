/* inco-bench: speed of the coders, the update and the metrics, relative to that of BLAS, cache and memory in the same
 * run. Usage: inco-bench [--case NAME]... [options]; --help lists them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <inco/inco.h>

#include "../cli/fast_blas.h"
#include "cases.h"
#include "machine.h"

enum { CASES_MAX = 64, REPEATS_MAX = 64 };

typedef struct request {
    setup sizes;
    const char *name[CASES_MAX];
    int count;
    int types[2]; /* float, double */
    const char *csv, *json;
} request;

/* Medians over the repeats. */
typedef struct figures {
    double seconds, multiple; /* in units of D'X in double */
    double gemm_share,
        cache_share; /* relative to the speed of GEMM in the same type, and to the reading speed of the cache */
    double peak;     /* MB */
    outcome last;
} figures;

typedef struct writers {
    FILE *csv, *json;
    int rows;
} writers;

/* ---- Measurement ---- */

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int64_t count) {
    qsort(values, (size_t)count, sizeof *values, by_value);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* The machine is measured before and after each run, so that other load affects both. */
static figures measure(const setup *s, const machine_probe *probe, const char *name) {
    double seconds[REPEATS_MAX], multiple[REPEATS_MAX], gemm[REPEATS_MAX], cache[REPEATS_MAX];
    figures f = {0};
    machine_reset_peak();
    for (int64_t r = 0; r < s->repeats; r++) {
        const machine before = machine_measure(probe);
        const outcome out = f.last = case_run(s, name);
        const machine can = machine_between(before, machine_measure(probe));
        const double speed = s->type == INCO_F32 ? can.sgemm : can.dgemm;
        seconds[r] = out.seconds;
        multiple[r] = out.seconds / can.product;
        gemm[r] = 2e-9 * out.multiplied / out.seconds / speed / s->threads;
        cache[r] = 1e-9 * out.bytes / out.seconds / can.cache / s->threads;
    }
    f.seconds = median(seconds, s->repeats);
    f.multiple = median(multiple, s->repeats);
    f.gemm_share = median(gemm, s->repeats);
    f.cache_share = median(cache, s->repeats);
    f.peak = machine_peak();
    return f;
}

/* ---- Output ---- */

static const char *type_name(const setup *s) {
    return s->type == INCO_F32 ? "f32" : "f64";
}

static double rate(const figures *f) {
    return f->last.signals / f->seconds;
}

static void write_row(const setup *s, const char *name, const figures *f) {
    printf("%-16s %s  %3d %9.3f %8.2f %11.0f %6.0f %% %6.0f %% %8.0f   %s %.4g\n", name, type_name(s), s->threads,
           f->seconds, f->multiple, rate(f), 100 * f->gemm_share, 100 * f->cache_share, f->peak, f->last.detail,
           f->last.value);
    fflush(stdout);
}

static void write_csv(FILE *to, const setup *s, const char *name, const figures *f) {
    fprintf(to, "%s,%s,%d,%lld,%lld,%lld,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%s,%.6g\n", name, type_name(s), s->threads,
            (long long)s->dim, (long long)s->atoms, (long long)s->signals, f->seconds, f->multiple, rate(f),
            f->gemm_share, f->cache_share, f->peak, f->last.detail, f->last.value);
}

static void write_json(FILE *to, int first, const setup *s, const char *name, const figures *f) {
    fprintf(to, "%s\n    {\"case\": \"%s\", \"type\": \"%s\", \"threads\": %d, \"dim\": %lld, \"atoms\": %lld, ",
            first ? "" : ",", name, type_name(s), s->threads, (long long)s->dim, (long long)s->atoms);
    fprintf(to, "\"signals\": %lld, \"seconds\": %.6g, \"multiple\": %.6g, \"signals_per_second\": %.6g, ",
            (long long)s->signals, f->seconds, f->multiple, rate(f));
    fprintf(to, "\"gemm_share\": %.6g, \"cache_share\": %.6g, \"peak_mb\": %.6g, \"%s\": %.6g}", f->gemm_share,
            f->cache_share, f->peak, f->last.detail, f->last.value);
}

static void open_table(const setup *s, const machine *can) {
    printf("inco %s, %s, %s\n", inco_version(), inco_isa(), inco_blas());
    printf("D = %lld, L = %lld, N = %lld, %lld repeats\n", (long long)s->dim, (long long)s->atoms,
           (long long)s->signals, (long long)s->repeats);
    printf("D'X in double on one thread %.3f s; dgemm %.1f GFLOP/s, sgemm %.1f GFLOP/s; cache %.0f GB/s, memory %.1f "
           "GB/s\n\n",
           can->product, can->dgemm, can->sgemm, can->cache, can->memory);
    printf("%-16s %s %s %9s %8s %11s %8s %8s %8s\n", "case", "type", "thr", "seconds", "x D'X", "signals/s", "of GEMM",
           "of cache", "peak MB");
}

static void open_json(FILE *to, const machine *can) {
    fprintf(to, "{\"version\": \"%s\", \"isa\": \"%s\", \"blas\": \"%s\",\n", inco_version(), inco_isa(), inco_blas());
    fprintf(to, " \"product_seconds\": %.6g, \"dgemm_gflops\": %.6g, \"sgemm_gflops\": %.6g, ", can->product,
            can->dgemm, can->sgemm);
    fprintf(to, "\"cache_gbs\": %.6g, \"memory_gbs\": %.6g,\n \"cases\": [", can->cache, can->memory);
}

static FILE *open_file(const char *path) {
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!path || file) return file;
    fprintf(stderr, "inco-bench: cannot write %s\n", path);
    exit(1);
}

static int close_files(writers *w) {
    if (w->json) fprintf(w->json, "]}\n");
    int bad = w->csv && (ferror(w->csv) | fclose(w->csv));
    bad |= w->json && (ferror(w->json) | fclose(w->json));
    if (bad) fprintf(stderr, "inco-bench: the results could not be written\n");
    return bad;
}

static void run_case(const setup *asked, const machine_probe *probe, const char *name, writers *w) {
    const setup s = case_setup(asked, name);
    const figures f = measure(&s, probe, name);
    write_row(&s, name, &f);
    if (w->csv) write_csv(w->csv, &s, name, &f);
    if (w->json) write_json(w->json, w->rows == 0, &s, name, &f);
    w->rows++;
}

/* ---- The command line ---- */

static void usage(FILE *to) {
    fprintf(to, "Usage: inco-bench [--case NAME]... [--dim D] [--atoms L] [--signals N] [--precision f32|f64|both]\n"
                "                  [--threads T] [--repeats R] [--csv FILE] [--json FILE]\nCases:");
    for (int i = 0; case_names[i]; i++) fprintf(to, " %s", case_names[i]);
    fprintf(to, "\n  and others of their kind: omp-K, ols-K, lars-K, lasso-K with K atoms, omp-20db with any dB,\n"
                "  larc-MU.\nDefaults: the cases listed, D = 160, L = 1000, N = 30000, both, 1 thread, 3 repeats.\n"
                "x D'X: multiples of that product's time in double on one thread. Shares are of the speed of GEMM in\n"
                "the same type and of reading the second-level cache, for each thread.\n");
}

static int64_t *number_option(setup *s, const char *name) {
    if (!strcmp(name, "--dim")) return &s->dim;
    if (!strcmp(name, "--atoms")) return &s->atoms;
    if (!strcmp(name, "--signals")) return &s->signals;
    return !strcmp(name, "--repeats") ? &s->repeats : NULL;
}

static int text_option(request *q, const char *name, const char *value) {
    if (!strcmp(name, "--case")) {
        if (q->count == CASES_MAX || !case_exists(value)) return 2;
        q->name[q->count++] = value;
    } else if (!strcmp(name, "--threads")) {
        q->sizes.threads = atoi(value);
    } else if (!strcmp(name, "--csv")) {
        q->csv = value;
    } else if (!strcmp(name, "--json")) {
        q->json = value;
    } else if (!strcmp(name, "--precision")) {
        q->types[0] = strcmp(value, "f64") != 0;
        q->types[1] = strcmp(value, "f32") != 0;
        return strcmp(value, "both") && q->types[0] && q->types[1] ? 2 : 0;
    } else {
        return 2;
    }
    return 0;
}

/* Returns 0, or 2 after a message if the command line is wrong. */
static int parse(int argc, char **argv, request *q) {
    for (int i = 1; i < argc; i += 2) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        int64_t *number = number_option(&q->sizes, name);
        const int wrong = !value || (number ? (*number = atoll(value)) < 1 : text_option(q, name, value));
        if (!wrong && q->sizes.repeats <= REPEATS_MAX && q->sizes.threads >= 1) continue;
        fprintf(stderr, "inco-bench: cannot use '%s%s%s'\n", name, value ? " " : "", value ? value : "");
        return 2;
    }
    const int none_named = q->count == 0;
    for (int i = 0; none_named && case_names[i]; i++) q->name[q->count++] = case_names[i];
    return 0;
}

int main(int argc, char **argv) {
    request q = {.sizes = {160, 1000, 30000, 3, 1, INCO_F64}, .types = {1, 1}};
    use_fast_blas(argv);
    if (argc == 2 && !strcmp(argv[1], "--help")) return usage(stdout), 0;
    if (parse(argc, argv, &q)) return usage(stderr), 2;
    writers w = {open_file(q.csv), open_file(q.json), 0};
    machine_probe probe;
    inco_blas_one_thread();
    machine_open(&probe, q.sizes.dim, q.sizes.atoms, q.sizes.signals);
    machine_measure(&probe); /* warm-up */
    machine can = machine_measure(&probe);
    can.memory = machine_memory();
    open_table(&q.sizes, &can);
    if (w.csv)
        fprintf(w.csv, "case,type,threads,dim,atoms,signals,seconds,multiple,signals_per_second,gemm_share,cache_share,"
                       "peak_mb,detail,value\n");
    if (w.json) open_json(w.json, &can);
    for (int wide = 1; wide >= 0; wide--) {
        q.sizes.type = wide ? INCO_F64 : INCO_F32;
        for (int c = 0; c < q.count && q.types[wide]; c++) {
            const int twice = !wide && q.types[1] && case_setup(&q.sizes, q.name[c]).type == INCO_F64;
            if (!twice) run_case(&q.sizes, &probe, q.name[c], &w);
        }
    }
    machine_close(&probe);
    return close_files(&w) ? 1 : 0;
}
