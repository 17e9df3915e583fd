/* L-BFGS on functions with a known minimum. */
#include "check.h"

#include "base/error.h"
#include "base/memory.h"
#include "optim/lbfgs.h"

enum { MOST = 600000 };

/* sum 100 (x_2i+1 - x_2i^2)^2 + (1 - x_2i)^2, minimal at (1, ..., 1). */
static int rosenbrock(void *self, lbfgs_point *at, inco_error *error) {
    const int64_t n = *(int64_t *)self;
    (void)error;
    at->f = 0;
    for (int64_t i = 0; i < n; i += 2) {
        double a = 1 - at->x[i], b = at->x[i + 1] - at->x[i] * at->x[i];
        at->f += 100 * b * b + a * a;
        at->gradient[i] = -400 * b * at->x[i] - 2 * a;
        at->gradient[i + 1] = 200 * b;
    }
    return INCO_OK;
}

static double weight(int64_t i, int64_t n) {
    return pow(10, 6 * (double)i / (double)(n - 1));
}

/* 1/2 sum w_i (x_i - 1)^2, w from 1 to 1e6. */
static int stretched(void *self, lbfgs_point *at, inco_error *error) {
    const int64_t n = *(int64_t *)self;
    (void)error;
    at->f = 0;
    for (int64_t i = 0; i < n; i++) {
        double e = at->x[i] - 1;
        at->f += weight(i, n) * e * e / 2;
        at->gradient[i] = weight(i, n) * e;
    }
    return INCO_OK;
}

/* Its exact step: -g'p / p'Wp. */
static int exact_step(void *self, lbfgs_line *line, lbfgs_point *at, inco_error *error) {
    const int64_t n = *(int64_t *)self;
    double curvature = 0;
    for (int64_t i = 0; i < n; i++) curvature += weight(i, n) * line->p[i] * line->p[i];
    line->step = -line->slope / curvature;
    for (int64_t i = 0; i < n; i++) at->x[i] = line->origin[i] + line->step * line->p[i];
    return stretched(self, at, error);
}

/* sum x_i - log x_i: infinite or NaN if an x_i is not positive, minimal at 1. */
static int barrier(void *self, lbfgs_point *at, inco_error *error) {
    const int64_t n = *(int64_t *)self;
    (void)error;
    at->f = 0;
    for (int64_t i = 0; i < n; i++) {
        at->f += at->x[i] - log(at->x[i]);
        at->gradient[i] = 1 - 1 / at->x[i];
    }
    return INCO_OK;
}

/* Unbounded below. */
static int slope(void *self, lbfgs_point *at, inco_error *error) {
    (void)self, (void)error;
    at->f = -at->x[0];
    at->gradient[0] = -1;
    return INCO_OK;
}

/* |x|: its slope does not vanish. */
static int kink(void *self, lbfgs_point *at, inco_error *error) {
    (void)self, (void)error;
    at->f = fabs(at->x[0]);
    at->gradient[0] = at->x[0] < 0 ? -1 : 1;
    return INCO_OK;
}

typedef int (*function)(void *self, lbfgs_point *at, inco_error *error);

static lbfgs_result minimize(function f, int64_t n, double *x, lbfgs_settings settings) {
    inco_error error = {0};
    lbfgs_problem problem = {.self = &n, .n = n, .eval = f};
    lbfgs_result result;
    if (lbfgs_minimize(&problem, &settings, x, &result, &error) != INCO_OK) fail_msg("%s", error.message);
    return result;
}

static void start_rosenbrock(double *x, int64_t n) {
    for (int64_t i = 0; i < n; i++) x[i] = i % 2 ? 1 : -1.2;
}

static void rosenbrock_is_solved(void **state) {
    double x[200];
    (void)state;
    for (int64_t n = 2; n <= 200; n *= 10)
        for (int memory = 1; memory <= 10; memory += 3) {
            start_rosenbrock(x, n);
            lbfgs_result r = minimize(rosenbrock, n, x, (lbfgs_settings){memory, 2000, 1e-9, 1, 0});
            assert_true(r.iterations < 2000);
            assert_true(r.gradient_norm <= 1e-9 * sqrt((double)n) * 1.0001);
            assert_true(r.after < 1e-15);
            assert_true(r.evaluations >= r.iterations + 1 && r.evaluations < 3 * r.iterations);
            for (int64_t i = 0; i < n; i++) assert_near(x[i], 1, 1e-6);
        }
}

/* The number of steps depends on rounding: 13,000 to over 20,000 with three pairs. The limit is far below what steepest
 * descent may need, condition / 4 log(f / f*) = 14 million: more would mean that the pairs are useless. */
static void stretched_quadratic_is_solved(void **state) {
    const int limit = 200000;
    double x[30];
    (void)state;
    for (int memory = 3; memory <= 30; memory *= 3) {
        for (int i = 0; i < 30; i++) x[i] = -1 - i % 3;
        lbfgs_result r = minimize(stretched, 30, x, (lbfgs_settings){memory, limit, 1e-8, 1, 0});
        assert_true(r.iterations < limit);
        for (int i = 0; i < 30; i++) assert_near(x[i], 1, 1e-7);
    }
}

/* With exact steps and all pairs the directions are conjugate: n steps suffice for any condition number. */
static void exact_steps_end_after_n(void **state) {
    double x[8];
    int64_t n = 8;
    inco_error error = {0};
    lbfgs_problem problem = {.self = &n, .n = n, .eval = stretched, .advance = exact_step};
    lbfgs_settings settings = {8, 9, 0, 1, 0};
    lbfgs_result r;
    (void)state;
    for (int i = 0; i < 8; i++) x[i] = -1 - i % 3;
    assert_int_equal(lbfgs_minimize(&problem, &settings, x, &r, &error), INCO_OK);
    for (int i = 0; i < 8; i++) assert_near(x[i], 1, 1e-6);
}

static void values_that_are_not_finite_are_backed_out_of(void **state) {
    double x[4] = {0.01, 5, 1e-3, 40};
    (void)state;
    lbfgs_result r = minimize(barrier, 4, x, (lbfgs_settings){5, 200, 1e-8, 1, 0});
    assert_true(isfinite(r.before) && r.after < r.before);
    for (int i = 0; i < 4; i++) assert_near(x[i], 1, 1e-6);
}

static void a_start_that_is_not_finite_is_refused(void **state) {
    double x[1] = {-1};
    int64_t n = 1;
    inco_error error = {0};
    lbfgs_problem problem = {.self = &n, .n = 1, .eval = barrier};
    lbfgs_settings settings = {5, 10, 0, 1, 0};
    lbfgs_result result;
    (void)state;
    assert_int_equal(lbfgs_minimize(&problem, &settings, x, &result, &error), INCO_ENUMERIC);
    assert_non_null(strstr(error.message, "not finite"));
    assert_true(x[0] == -1);
}

/* One iteration more each time, from the same point: the values decrease, and each run repeats the previous one. */
static void f_never_rises(void **state) {
    double x[20], last = INFINITY;
    (void)state;
    for (int iterations = 0; iterations <= 120; iterations++) {
        start_rosenbrock(x, 20);
        lbfgs_result r = minimize(rosenbrock, 20, x, (lbfgs_settings){4, iterations, 0, 1, 0});
        lbfgs_point at = {x, (double[20]){0}, 0};
        int64_t n = 20;
        rosenbrock(&n, &at, NULL);
        assert_true(at.f == r.after);
        assert_true(r.after <= last);
        assert_true(r.iterations <= iterations);
        if (iterations == 0) assert_true(r.after == r.before);
        last = r.after;
    }
    assert_true(last < 1e-20);
}

static void nothing_to_do_is_done_at_once(void **state) {
    double x[2] = {1, 1};
    (void)state;
    lbfgs_result r = minimize(rosenbrock, 2, x, (lbfgs_settings){5, 100, 0, 1, 0});
    assert_int_equal(r.iterations, 0);
    assert_int_equal(r.evaluations, 1);
    assert_true(x[0] == 1 && x[1] == 1);
}

static void hopeless_functions_end(void **state) {
    double x[1] = {0};
    (void)state;
    lbfgs_result r = minimize(slope, 1, x, (lbfgs_settings){5, 20, 1e-8, 1, 0});
    assert_true(r.after < 0 && r.after == -x[0]);
    x[0] = 3;
    r = minimize(kink, 1, x, (lbfgs_settings){5, 1000, 1e-8, 1, 0});
    assert_true(r.after == fabs(x[0]));
    assert_true(r.after < 1e-3);
}

/* Sums over pieces have the same bits for any number of threads. */
static void bits_do_not_depend_on_threads(void **state) {
    static double one[MOST], many[MOST];
    const int threads[] = {2, 3, 8};
    (void)state;
    start_rosenbrock(one, MOST);
    lbfgs_result r = minimize(rosenbrock, MOST, one, (lbfgs_settings){3, 8, 0, 1, 0});
    assert_true(r.after < r.before);
    for (int i = 0; i < 3; i++) {
        start_rosenbrock(many, MOST);
        lbfgs_result q = minimize(rosenbrock, MOST, many, (lbfgs_settings){3, 8, 0, threads[i], 0});
        assert_memory_equal(one, many, sizeof one);
        assert_true(q.after == r.after && q.evaluations == r.evaluations);
    }
}

static int failing_eval(void *self, lbfgs_point *at, inco_error *error) {
    int *left = self;
    if ((*left)-- == 0) return error_set(error, INCO_EIO, "enough");
    at->f = at->x[0] * at->x[0];
    at->gradient[0] = 2 * at->x[0];
    return INCO_OK;
}

static void failures_come_through(void **state) {
    double x[1] = {1};
    int left;
    inco_error error = {0};
    lbfgs_problem problem = {.self = &left, .n = 1, .eval = failing_eval};
    lbfgs_settings settings = {5, 10, 0, 1, 0};
    lbfgs_result result;
    (void)state;
    for (int calls = 0; calls < 2; calls++) {
        left = calls;
        x[0] = 1;
        assert_int_equal(lbfgs_minimize(&problem, &settings, x, &result, &error), INCO_EIO);
        assert_string_equal(error.message, "enough");
        assert_true(x[0] == 1);
    }
    memory_fail_at(0);
    left = 1000;
    assert_int_equal(lbfgs_minimize(&problem, &settings, x, &result, &error), INCO_OK);
    const int64_t allocations = memory_fail_at(0);
    assert_true(allocations >= 4);
    for (int64_t k = 1; k <= allocations; k++) {
        left = 1000;
        memory_fail_at(k);
        assert_int_equal(lbfgs_minimize(&problem, &settings, x, &result, &error), INCO_ENOMEM);
    }
    memory_fail_at(0);
    assert_int_equal(lbfgs_minimize(&problem, &settings, x, &result, &error), INCO_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rosenbrock_is_solved),
        cmocka_unit_test(stretched_quadratic_is_solved),
        cmocka_unit_test(exact_steps_end_after_n),
        cmocka_unit_test(values_that_are_not_finite_are_backed_out_of),
        cmocka_unit_test(a_start_that_is_not_finite_is_refused),
        cmocka_unit_test(f_never_rises),
        cmocka_unit_test(nothing_to_do_is_done_at_once),
        cmocka_unit_test(hopeless_functions_end),
        cmocka_unit_test(bits_do_not_depend_on_threads),
        cmocka_unit_test(failures_come_through),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
