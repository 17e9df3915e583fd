/* The parallel loop: every iteration runs once, on threads that may start late, be refused, or be shared by several
 * callers. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/parallel.h"
#include "base/pool.h"
#include "check.h"

/* Runs `act` in a child process, which has no workers at first. Returns its exit status, -1 if it was killed or
 * hung. */
static int in_child(int (*act)(void)) {
    const pid_t child = fork();
    int status;
    assert_true(child >= 0);
    if (child == 0) {
        alarm(100);
        _exit(act());
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* ---- Iterations ---- */

enum { THREADS_MAX = 16, COUNT = 400 };

typedef struct tally {
    int threads;
    atomic_int runs[COUNT];
    atomic_int busy[THREADS_MAX];
    atomic_int wrong; /* thread numbers out of range, or used twice at once */
} tally;

static int count_run(void *self, int64_t i, int thread, inco_error *error) {
    tally *t = self;
    (void)error;
    if (thread < 0 || thread >= t->threads) {
        t->wrong++;
        return INCO_OK;
    }
    t->wrong += atomic_exchange(&t->busy[thread], 1);
    if (i % 7 == 0) sched_yield();
    t->runs[i]++;
    atomic_store(&t->busy[thread], 0);
    return INCO_OK;
}

/* Number of errors in a loop. */
static int loop_errors(int threads) {
    tally t = {.threads = threads};
    const int status = parallel_for(threads, COUNT, count_run, &t, NULL);
    int errors = (status != INCO_OK) + t.wrong;
    for (int i = 0; i < COUNT; i++) errors += t.runs[i] != 1;
    return errors;
}

static void every_iteration_runs_once(void **state) {
    (void)state;
    for (int threads = 1; threads <= THREADS_MAX; threads++)
        for (int repeat = 0; repeat < 20; repeat++) assert_int_equal(loop_errors(threads), 0);
    assert_true(pool_workers() < THREADS_MAX);
    assert_int_equal(parallel_for(4, 0, count_run, NULL, NULL), INCO_OK);
}

static int fails_at_some(void *self, int64_t i, int thread, inco_error *error) {
    (void)thread;
    ((int *)self)[i]++;
    return i == 37 || i == 12 || i == 80 ? error_set(error, INCO_EDATA, "at %d", (int)i) : 0;
}

static void the_first_failure_is_reported(void **state) {
    (void)state;
    for (int threads = 1; threads <= 8; threads++) {
        int runs[100] = {0};
        inco_error error = {0};
        assert_int_equal(parallel_for(threads, 100, fails_at_some, runs, &error), INCO_EDATA);
        assert_string_equal(error.message, "at 12");
        for (int i = 0; i <= 12; i++) assert_int_equal(runs[i], 1);
        assert_int_equal(parallel_for(threads, 100, fails_at_some, runs, NULL), INCO_EDATA);
    }
    assert_true(parallel_threads(0) >= 1);
    assert_int_equal(parallel_threads(5), 5);
}

typedef struct short_loops {
    uint64_t value[50], loop;
} short_loops;

static int add_piece(void *self, int64_t i, int thread, inco_error *error) {
    short_loops *s = self;
    (void)thread, (void)error;
    s->value[i] = s->value[i] * 3 + s->loop + (uint64_t)i;
    return INCO_OK;
}

static short_loops run_short_loops(int threads) {
    short_loops s = {0};
    for (; s.loop < 2000; s.loop++) parallel_for(threads, (int64_t)(s.loop % 51), add_piece, &s, NULL);
    return s;
}

/* A loop begins after the previous one has ended. */
static void short_loops_follow_one_another(void **state) {
    (void)state;
    const short_loops alone = run_short_loops(1);
    for (int threads = 2; threads <= 8; threads++) {
        const short_loops shared = run_short_loops(threads);
        assert_memory_equal(shared.value, alone.value, sizeof alone.value);
    }
}

/* ---- Nested loops, and several callers ---- */

static int run_inner_loop(void *self, int64_t i, int thread, inco_error *error) {
    (void)i, (void)thread, (void)error;
    atomic_fetch_add((atomic_int *)self, loop_errors(4));
    return INCO_OK;
}

static void loops_can_be_nested(void **state) {
    (void)state;
    for (int threads = 1; threads <= 4; threads++) {
        atomic_int errors = 0;
        assert_int_equal(parallel_for(threads, 30, run_inner_loop, &errors, NULL), INCO_OK);
        assert_int_equal(errors, 0);
    }
}

static void *call_often(void *self) {
    for (int i = 0; i < 200; i++) atomic_fetch_add((atomic_int *)self, loop_errors(2 + i % 3));
    return NULL;
}

static void several_threads_can_call(void **state) {
    enum { CALLERS = 6 };
    pthread_t caller[CALLERS];
    atomic_int errors = 0;
    (void)state;
    for (int i = 0; i < CALLERS; i++) assert_int_equal(pthread_create(&caller[i], NULL, call_often, &errors), 0);
    for (int i = 0; i < CALLERS; i++) pthread_join(caller[i], NULL);
    assert_int_equal(errors, 0);
    assert_true(pool_workers() <= 3 * CALLERS);
}

/* ---- Threads that are refused ---- */

static int errors_with_two_workers(void) {
    pool_limit(2);
    return loop_errors(8) + (pool_workers() != 2);
}

static int errors_without_workers(void) {
    const struct rlimit none = {0, 0};
    if (setrlimit(RLIMIT_AS, &none)) return 1; /* no stack for a thread */
    return loop_errors(8) + (pool_workers() != 0);
}

/* Runs before any other loop: the stacks of earlier threads could be reused. */
static void loops_run_when_threads_are_refused(void **state) {
    (void)state;
    assert_int_equal(pool_workers(), 0);
    if (!SANITIZED_THREADS && !SANITIZED_MEMORY) assert_int_equal(in_child(errors_without_workers), 0);
    assert_int_equal(in_child(errors_with_two_workers), 0);
}

/* ---- Forks and exits ---- */

static int errors_in_child(void) {
    int errors = pool_workers() != 0;
    for (int repeat = 0; repeat < 20; repeat++) errors += loop_errors(4);
    return errors + (pool_workers() == 0);
}

static int errors_in_grandchild(void) {
    return loop_errors(3) + in_child(errors_in_child);
}

static void a_child_makes_workers_of_its_own(void **state) {
    (void)state;
    if (SANITIZED_THREADS) skip();
    assert_int_equal(loop_errors(4), 0);
    assert_int_equal(in_child(errors_in_child), 0);
    assert_int_equal(in_child(errors_in_grandchild), 0);
    assert_int_equal(loop_errors(4), 0);
}

typedef struct endless {
    atomic_int stop, errors;
} endless;

static void *call_until_stopped(void *self) {
    endless *e = self;
    while (!atomic_load(&e->stop)) atomic_fetch_add(&e->errors, loop_errors(3));
    return NULL;
}

static void forks_amid_loops_of_other_threads(void **state) {
    (void)state;
    pthread_t caller[2];
    endless e = {0};
    if (SANITIZED_THREADS) skip();
    for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&caller[i], NULL, call_until_stopped, &e), 0);
    for (int i = 0; i < 30; i++) assert_int_equal(in_child(errors_in_child), 0);
    atomic_store(&e.stop, 1);
    for (int i = 0; i < 2; i++) pthread_join(caller[i], NULL);
    assert_int_equal(e.errors, 0);
}

static int exit_amid_loops(void) {
    static endless e;
    pthread_t caller;
    if (pthread_create(&caller, NULL, call_until_stopped, &e)) return 1;
    usleep(1000);
    exit(0);
}

static int exit_from_a_body(void *self, int64_t i, int thread, inco_error *error) {
    (void)self, (void)i, (void)error;
    if (thread > 0) exit(0);
    sched_yield();
    return INCO_OK;
}

static int exit_from_worker(void) {
    while (parallel_for(4, COUNT, exit_from_a_body, NULL, NULL) == INCO_OK) continue;
    return 1;
}

static int exit_at_rest(void) {
    const int errors = loop_errors(4);
    exit(errors > 0);
}

static void processes_end_at_any_time(void **state) {
    (void)state;
    if (SANITIZED_THREADS) skip();
    assert_int_equal(in_child(exit_at_rest), 0);
    assert_int_equal(in_child(exit_amid_loops), 0);
    assert_int_equal(in_child(exit_from_worker), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_run_when_threads_are_refused),
        cmocka_unit_test(every_iteration_runs_once),
        cmocka_unit_test(the_first_failure_is_reported),
        cmocka_unit_test(short_loops_follow_one_another),
        cmocka_unit_test(loops_can_be_nested),
        cmocka_unit_test(several_threads_can_call),
        cmocka_unit_test(a_child_makes_workers_of_its_own),
        cmocka_unit_test(forks_amid_loops_of_other_threads),
        cmocka_unit_test(processes_end_at_any_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
