#include "machine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/rng.h"
#include "mat/blas.h"
#include "mat/mat.h"

enum { PROBE_SIGNALS = 4096 };

void stop_on(int status, const inco_error *error) {
    if (status >= 0) return;
    fprintf(stderr, "inco-bench: %s\n", error->message);
    exit(1);
}

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

inco_mat machine_signals(inco_type type, int64_t dim, int64_t count, uint64_t seed) {
    inco_mat x;
    inco_error error;
    stop_on(inco_mat_new(&x, type, dim, count, &error), &error);
    for (int64_t n = 0; n < count; n++) make_signal(&x, n, seed);
    mat_normalize_columns(&x, NULL);
    return x;
}

/* ---- Speed ---- */

void machine_open(machine_probe *probe, int64_t dim, int64_t atoms, int64_t signals) {
    const int64_t count = signals < PROBE_SIGNALS ? signals : PROBE_SIGNALS;
    inco_error error;
    probe->scale = (double)signals / (double)count;
    for (int i = 0; i < 2; i++) {
        const inco_type type = i ? INCO_F64 : INCO_F32;
        probe->d[i] = machine_signals(type, dim, atoms, 100);
        probe->x[i] = machine_signals(type, dim, count, 200);
        stop_on(inco_mat_new(&probe->product[i], type, atoms, count, &error), &error);
    }
}

void machine_close(machine_probe *probe) {
    for (int i = 0; i < 2; i++) {
        inco_mat_free(&probe->d[i]);
        inco_mat_free(&probe->x[i]);
        inco_mat_free(&probe->product[i]);
    }
}

static double time_product(const machine_probe *probe, int wide) {
    double start = clock_seconds();
    blas_multiply(1, "TN", 1, &probe->d[wide], &probe->x[wide], 0, &probe->product[wide]);
    return clock_seconds() - start;
}

/* Inner products of two arrays of 128 KB each, the fastest of several; aligned, else every other read touches two
 * lines. */
static double cache_speed(void) {
    enum { LENGTH = 1 << 14, TIMES = 50, TRIES = 5 };
    static _Alignas(64) double x[LENGTH], y[LENGTH];
    double best = 0;
    for (int i = 0; i < LENGTH; i++) x[i] = y[i] = i; /* pages never written would all map to the same one */
    for (int try = 0; try < TRIES; try++) {
        double start = clock_seconds();
        for (int i = 0; i < TIMES; i++) y[0] = blas_dot(LENGTH, x, y) > 0; /* so that none is optimised away */
        best = fmax(best, 16.0 * LENGTH * TIMES / (clock_seconds() - start) / 1e9);
    }
    return best;
}

machine machine_measure(const machine_probe *probe) {
    const double work = 2e-9 * (double)probe->d[0].rows * (double)probe->d[0].cols * (double)probe->x[0].cols;
    const double wide = time_product(probe, 1), narrow = time_product(probe, 0);
    return (machine){probe->scale * wide, work / wide, work / narrow, cache_speed(), 0};
}

double machine_memory(void) {
    enum { LENGTH = 1 << 24 };
    double *x = malloc(LENGTH * sizeof *x), *y = malloc(LENGTH * sizeof *y), best = 0;
    for (int i = 0; x && y && i < LENGTH; i++) x[i] = y[i] = 0;
    for (int i = 0; x && y && i < 4; i++) {
        double start = clock_seconds();
        blas_axpy(LENGTH, 1.5, x, y);
        best = fmax(best, 24.0 * LENGTH / (clock_seconds() - start) / 1e9);
    }
    free(x);
    free(y);
    return best;
}

machine machine_between(machine a, machine b) {
    return (machine){(a.product + b.product) / 2, (a.dgemm + b.dgemm) / 2, (a.sgemm + b.sgemm) / 2,
                     (a.cache + b.cache) / 2, (a.memory + b.memory) / 2};
}

/* ---- Memory ---- */

void machine_reset_peak(void) {
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (!file) return;
    fputs("5", file);
    fclose(file);
}

double machine_peak(void) {
    char line[256];
    double kilobytes = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, "VmHWM:", 6)) kilobytes = atof(line + 6);
    if (file) fclose(file);
    struct rusage usage;
    if (kilobytes == 0 && getrusage(RUSAGE_SELF, &usage) == 0) kilobytes = (double)usage.ru_maxrss;
    return kilobytes / 1024;
}
