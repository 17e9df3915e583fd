/* MOCOD: the fixed point and its damping. */
#include "sample.h"

#include "base/memory.h"
#include "update/idl.h"
#include "update/mocod.h"

static const int64_t shapes[][2] = {{8, 20}, {20, 8}, {9, 9}};
static const double weights[][2] = {{0, 0}, {0.3, 0}, {0.3, 2}, {40, 0.5}, {5000, 100}}; /* zeta, eta */
enum { SHAPES = 3, WEIGHTS = 5 };

static double norm_penalty(const inco_mat *d) {
    double sum = 0;
    for (int64_t j = 0; j < d->cols; j++) sum += pow(pow(mat_column_norm(d, j), 2) - 1, 2);
    return sum;
}

static update_result update(const sample *t, inco_mat *d, update_settings settings) {
    update_result r;
    inco_error error = {0};
    double before = direct_objective(t, d, settings.gamma);
    if (mocod_update(d, &t->s, &settings, &r, &error) != INCO_OK) fail_msg("%s", error.message);
    double after = direct_objective(t, d, settings.gamma);
    assert_near(r.before, before, 1e-11 * (before + t->s.energy));
    assert_near(r.after, after, 1e-11 * (after + t->s.energy));
    return r;
}

/* Gradient of the objective, by its definition. */
static inco_mat gradient_at(const sample *t, const inco_mat *d, double zeta, double eta) {
    inco_mat g = copy_of(&t->s.b), gram;
    assert_int_equal(inco_mat_new(&gram, INCO_F64, d->cols, d->cols, NULL), INCO_OK);
    blas_multiply(1, "NN", 2, d, &t->s.a, -2, &g);
    blas_multiply(1, "TN", 1, d, d, 0, &gram);
    for (int64_t j = 0; j < d->cols; j++) {
        mat_set(&gram, j, j, mat_get(&gram, j, j) - 1);
        blas_axpy(d->rows, 4 * eta * mat_get(&gram, j, j), mat_column(d, j), mat_column(&g, j));
    }
    blas_multiply(1, "NN", 4 * zeta, d, &gram, 1, &g);
    inco_mat_free(&gram);
    return g;
}

static double size_of(const inco_mat *m) {
    return sqrt(blas_dot(m->rows * m->cols, m->data, m->data));
}

/* Runs the update with free norms, from t->d. */
static mocod_trace follow(const sample *t, double zeta, double eta, int steps, inco_mat *d) {
    mocod_trace trace;
    update_settings settings = {.gamma = zeta, .eta = eta, .iterations = steps, .threads = 1};
    assert_int_equal(mocod_free(d, &t->s, &settings, &trace, NULL), INCO_OK);
    return trace;
}

static void the_objective_never_rises(void **state) {
    (void)state;
    for (int k = 0; k < SHAPES; k++) {
        sample t = sample_new(shapes[k][0], shapes[k][1], 120, 0, 0.2);
        for (int i = 0; i < WEIGHTS; i++) {
            double last = INFINITY;
            for (int steps = 0; steps <= 40; steps++) {
                inco_mat d = copy_of(&t.d);
                mocod_trace trace = follow(&t, weights[i][0], weights[i][1], steps, &d);
                double f = direct_objective(&t, &d, weights[i][0]) + weights[i][1] * norm_penalty(&d);
                assert_near(trace.f, f, 1e-11 * (f + t.s.energy));
                assert_true(trace.f <= last);
                last = trace.f;
                inco_mat_free(&d);
            }
        }
        sample_free(&t);
    }
}

static void the_limit_is_stationary(void **state) {
    (void)state;
    for (int k = 0; k < SHAPES; k++) {
        sample t = sample_new(shapes[k][0], shapes[k][1], 400, 0, 0.2);
        for (int i = 0; i < 3; i++) {
            inco_mat d = copy_of(&t.d), start = gradient_at(&t, &d, weights[i][0], weights[i][1]);
            follow(&t, weights[i][0], weights[i][1], 3000, &d);
            inco_mat g = gradient_at(&t, &d, weights[i][0], weights[i][1]);
            assert_true(size_of(&g) <= 1e-5 * size_of(&start));
            inco_mat_free(&g);
            inco_mat_free(&start);
            inco_mat_free(&d);
        }
        sample_free(&t);
    }
}

/* At eta = 0 the objective, and so the optimum, is that of IDL with free norms. */
static void without_norms_the_optimum_is_that_of_idl(void **state) {
    (void)state;
    for (int k = 0; k < SHAPES; k++) {
        sample t = sample_new(shapes[k][0], shapes[k][1], 2000, 0, 0.2);
        inco_mat d = copy_of(&t.d), e = copy_of(&t.d);
        update_result r, q;
        update_settings settings = {.gamma = 3, .rescale = 1, .iterations = 3000, .threads = 1};
        r = update(&t, &d, settings);
        assert_int_equal(idl_update(&e, &t.s, &settings, &q, NULL), INCO_OK);
        assert_near(r.after, q.after, 1e-7 * q.after);
        for (int64_t j = 0; j < d.cols; j++)
            for (int64_t i = 0; i < d.rows; i++) assert_near(mat_get(&d, i, j), mat_get(&e, i, j), 1e-5);
        inco_mat_free(&d);
        inco_mat_free(&e);
        sample_free(&t);
    }
}

/* The undamped fixed-point iteration increases the objective for a strong penalty: damping must act, and steps must
 * remain. */
static void strong_penalties_are_damped(void **state) {
    (void)state;
    sample t = sample_new(8, 20, 120, 0, 0.2);
    inco_mat d = copy_of(&t.d);
    mocod_trace trace = follow(&t, 5000, 0, 40, &d);
    assert_true(trace.damped > 0);
    assert_int_equal(trace.steps, 40);
    inco_mat_free(&d);
    sample_free(&t);
}

static void a_heavy_eta_holds_the_norms(void **state) {
    (void)state;
    sample t = sample_new(8, 20, 400, 0, 0.2);
    double last = INFINITY;
    const double etas[] = {0, 10, 1000};
    for (int i = 0; i < 3; i++) {
        inco_mat d = copy_of(&t.d);
        follow(&t, 0.3, etas[i], 500, &d);
        assert_true(norm_penalty(&d) < last);
        last = norm_penalty(&d);
        inco_mat_free(&d);
    }
    assert_true(last < 0.2);
    sample_free(&t);
}

static void the_result_has_unit_norms(void **state) {
    (void)state;
    sample t = sample_new(16, 40, 400, 0, 0.3);
    for (int i = 0; i < WEIGHTS; i++) {
        inco_mat d = copy_of(&t.d);
        update_result r = update(
            &t, &d, (update_settings){.gamma = weights[i][0], .iterations = 15, .threads = 1, .eta = weights[i][1]});
        assert_true(r.iterations >= 1 && r.iterations <= 15);
        for (int64_t j = 0; j < d.cols; j++) assert_near(mat_column_norm(&d, j), 1, 1e-14);
        inco_mat_free(&d);
    }
    sample_free(&t);
}

/* Two atoms always used together, two unused, one zero: results are finite, and zero stays zero. */
static void singular_statistics_are_harmless(void **state) {
    int64_t row, col;
    (void)state;
    sample t = sample_new(8, 20, 200, 2, 0.2);
    for (int64_t n = 0; n < 200; n++) mat_set(&t.c, 1, n, mat_get(&t.c, 0, n));
    blas_multiply(1, "NT", 1, &t.c, &t.c, 0, &t.s.a);
    blas_multiply(1, "NT", 1, &t.x, &t.c, 0, &t.s.b);
    memset(mat_column(&t.d, 19), 0, 8 * sizeof(double));
    for (int i = 0; i < WEIGHTS; i++) {
        inco_mat d = copy_of(&t.d);
        update(&t, &d, (update_settings){.gamma = weights[i][0], .iterations = 15, .threads = 1, .eta = weights[i][1]});
        assert_false(mat_find_nonfinite(&d, &row, &col));
        assert_true(mat_column_norm(&d, 19) == 0);
        for (int64_t k = 0; k < 8 && weights[i][0] == 0; k++)
            assert_near(mat_get(&d, k, 18), mat_get(&t.d, k, 18), 1e-14);
        inco_mat_free(&d);
    }
    sample_free(&t);
}

static void bits_do_not_depend_on_threads(void **state) {
    (void)state;
    sample t = sample_new(48, 300, 900, 0, 0.3);
    inco_mat one = copy_of(&t.d), many = copy_of(&t.d);
    update(&t, &one, (update_settings){.gamma = 0.5, .iterations = 4, .threads = 1, .eta = 1});
    update(&t, &many, (update_settings){.gamma = 0.5, .iterations = 4, .threads = 3, .eta = 1});
    assert_memory_equal(one.data, many.data, 48 * 300 * sizeof(double));
    inco_mat_free(&one);
    inco_mat_free(&many);
    sample_free(&t);
}

static void wrong_sizes_and_numbers_are_refused(void **state) {
    (void)state;
    sample t = sample_new(8, 20, 60, 0, 0.2);
    inco_mat small = check_dictionary(INCO_F64, 8, 19, 5), d = copy_of(&t.d);
    update_settings settings = {.gamma = 0.3, .iterations = 3, .threads = 1, .eta = 1};
    update_result r;
    inco_error error = {0};
    assert_int_equal(mocod_update(&small, &t.s, &settings, &r, &error), INCO_EDIM);
    mat_set(&t.s.b, 2, 2, NAN);
    assert_int_equal(mocod_update(&d, &t.s, &settings, &r, &error), INCO_ENUMERIC);
    assert_memory_equal(d.data, t.d.data, 8 * 20 * sizeof(double));
    inco_mat_free(&d);
    inco_mat_free(&small);
    sample_free(&t);
}

/* Every allocation fails once, with the Cholesky factorisation and with the eigenvalues of a singular matrix. */
static void lack_of_memory_is_reported(void **state) {
    (void)state;
    for (int singular = 0; singular < 2; singular++) {
        sample t = sample_new(8, 20, 60, singular ? 3 : 0, 0.2);
        inco_mat d = copy_of(&t.d);
        update_settings settings = {
            .gamma = singular ? 0 : 0.3, .iterations = 3, .threads = 1, .eta = singular ? 0 : 1};
        update_result r;
        memory_fail_at(0);
        assert_int_equal(mocod_update(&d, &t.s, &settings, &r, NULL), INCO_OK);
        int64_t allocations = memory_fail_at(0);
        assert_true(allocations > 5);
        mat_copy(&d, &t.d);
        for (int64_t k = 1; k <= allocations; k++) {
            inco_error error = {0};
            memory_fail_at(k);
            assert_int_equal(mocod_update(&d, &t.s, &settings, &r, &error), INCO_ENOMEM);
            assert_int_equal(error.code, INCO_ENOMEM);
            assert_memory_equal(d.data, t.d.data, 8 * 20 * sizeof(double));
        }
        memory_fail_at(0);
        inco_mat_free(&d);
        sample_free(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_objective_never_rises),
        cmocka_unit_test(the_limit_is_stationary),
        cmocka_unit_test(without_norms_the_optimum_is_that_of_idl),
        cmocka_unit_test(strong_penalties_are_damped),
        cmocka_unit_test(a_heavy_eta_holds_the_norms),
        cmocka_unit_test(the_result_has_unit_norms),
        cmocka_unit_test(singular_statistics_are_harmless),
        cmocka_unit_test(bits_do_not_depend_on_threads),
        cmocka_unit_test(wrong_sizes_and_numbers_are_refused),
        cmocka_unit_test(lack_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
