/* Learning in a child of a process that has learned, or is learning, with threads. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "learning.h"

typedef struct fixture {
    inco_mat x, expected; /* expected: learned from x on one thread */
    inco_options *options;
    atomic_int stop, wrong;
} fixture;

/* Returns 1 if learning fails, or gives other bits than on one thread. */
static int learns_wrongly(const fixture *f) {
    inco_mat d = {0};
    const int status = learn(&f->x, f->options, &d, NULL, NULL);
    const size_t bytes = (size_t)(f->expected.rows * f->expected.cols) * sizeof(double);
    const int wrong = status < 0 || memcmp(d.data, f->expected.data, bytes) != 0;
    inco_mat_free(&d);
    return wrong;
}

static void open_fixture(fixture *f, const char *method) {
    *f = (fixture){.x = check_random(INCO_F64, 20, 1500, 1)};
    f->options =
        OPTIONS("atoms", "150", "coder", "omp", "sparsity", "3", "iterations", "1", "method", method, "threads", "1");
    assert_int_equal(learn(&f->x, f->options, &f->expected, NULL, NULL), INCO_OK);
    assert_int_equal(inco_options_set(f->options, "threads", "3", NULL), INCO_OK);
}

static void close_fixture(fixture *f) {
    inco_mat_free(&f->x);
    inco_mat_free(&f->expected);
    inco_options_free(f->options);
}

/* Learns in a child process; returns 0 on success. A child that hangs is killed. */
static int errors_in_child(const fixture *f) {
    const pid_t child = fork();
    int status;
    assert_true(child >= 0);
    if (child == 0) {
        alarm(100);
        _exit(learns_wrongly(f));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

static void a_child_learns_as_its_parent_did(void **state) {
    static const char *const methods[] = {"idl", "ksvd"};
    (void)state;
    if (SANITIZED_THREADS) skip();
    for (int m = 0; m < 2; m++) {
        fixture f;
        open_fixture(&f, methods[m]);
        assert_int_equal(learns_wrongly(&f), 0);
        assert_int_equal(errors_in_child(&f), 0);
        assert_int_equal(learns_wrongly(&f), 0);
        close_fixture(&f);
    }
}

static void *learn_until_stopped(void *self) {
    fixture *f = self;
    while (!atomic_load(&f->stop)) f->wrong += learns_wrongly(f);
    return NULL;
}

/* Forks at arbitrary moments of another thread's run, while products hold the locks of BLAS. The allocator of
 * AddressSanitizer has locks too, which stay locked in the child. */
static void a_child_learns_while_its_parent_does(void **state) {
    static const char *const methods[] = {"idl", "ksvd"};
    (void)state;
    if (SANITIZED_THREADS || SANITIZED_MEMORY) skip();
    for (int m = 0; m < 2; m++) {
        fixture f;
        pthread_t learner;
        open_fixture(&f, methods[m]);
        assert_int_equal(pthread_create(&learner, NULL, learn_until_stopped, &f), 0);
        for (int i = 0; i < 40; i++) assert_int_equal(errors_in_child(&f), 0);
        atomic_store(&f.stop, 1);
        pthread_join(learner, NULL);
        assert_int_equal(f.wrong, 0);
        close_fixture(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_child_learns_as_its_parent_did),
        cmocka_unit_test(a_child_learns_while_its_parent_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
