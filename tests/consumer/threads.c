/* Two threads in another program: results have the same bits as on one thread, also in a forked child, and idle threads
 * use no processor time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <inco/inco.h>

enum { DIM = 16, ATOMS = 40, SIGNALS = 6000, MOST = 8 };

static const char *const runs[][MOST] = {
    {"method", "idl"},
    {"method", "ksvd"},
    {"method", "idl", "max-coherence", "0.5"},
    {NULL}, /* the last designs a frame */
};
enum { RUNS = sizeof runs / sizeof *runs };

static void fail(const char *what) {
    fprintf(stderr, "threads.c: %s\n", what);
    _exit(1);
}

/* Uniform in (-1, 1). */
static double draw(void) {
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)state / 9223372036854775808.0;
}

static void set(inco_options *options, const char *name, const char *value) {
    inco_error error = {0};
    if (inco_options_set(options, name, value, &error) < 0) fail(error.message);
}

/* Learns from x, or designs a frame. The caller frees the result. */
static inco_mat make(const inco_mat *x, const char *const *run, const char *threads) {
    inco_source source = INCO_INIT(inco_source);
    inco_options *options = inco_options_new();
    inco_error error = {0};
    inco_mat d = {0};
    set(options, "atoms", "40");
    set(options, "threads", threads);
    if (run[0]) {
        set(options, "coder", "omp");
        set(options, "sparsity", "3");
        set(options, "iterations", "2");
        for (int i = 0; i < MOST && run[i]; i += 2) set(options, run[i], run[i + 1]);
        if (inco_source_from_mat(&source, x, &error) < 0) fail(error.message);
        if (inco_learn(&source, options, &d, NULL, &error) < 0) fail(error.message);
    } else {
        set(options, "dim", "16");
        set(options, "starts", "3");
        set(options, "steps", "3");
        if (inco_frame(options, &d, NULL, &error) < 0) fail(error.message);
    }
    inco_options_free(options);
    return d;
}

static void compare(const inco_mat *x, inco_mat *expected) {
    for (int i = 0; i < RUNS; i++) {
        inco_mat d = make(x, runs[i], "2");
        if (memcmp(d.data, expected[i].data, sizeof(double) * DIM * ATOMS)) fail("other bits with two threads");
        inco_mat_free(&d);
    }
}

static void compare_in_child(const inco_mat *x, inco_mat *expected) {
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        alarm(100); /* ends a child that hangs */
        compare(x, expected);
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status) fail("a forked child failed");
}

static void rest(void) {
    nanosleep(&(struct timespec){.tv_nsec = 500000000}, NULL);
}

/* A thread that polls for work would use all of the half second. */
static void check_idle(void) {
    rest(); /* OpenBLAS's own threads, unused here, poll for a moment after they are created */
    const clock_t before = clock();
    rest();
    const double seconds = (double)(clock() - before) / CLOCKS_PER_SEC;
    if (seconds > 0.1) fail("threads without work keep a processor busy");
}

int main(void) {
    static double signals[DIM * SIGNALS];
    inco_mat x, expected[RUNS];
    for (int i = 0; i < DIM * SIGNALS; i++) signals[i] = draw();
    inco_mat_view(&x, INCO_F64, DIM, SIGNALS, signals);
    for (int i = 0; i < RUNS; i++) expected[i] = make(&x, runs[i], "1");
    compare(&x, expected);
    compare_in_child(&x, expected);
    compare(&x, expected);
    check_idle();
    for (int i = 0; i < RUNS; i++) inco_mat_free(&expected[i]);
    puts("two threads: same bits, also in a child");
    return 0;
}
