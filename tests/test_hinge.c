/* Violations of a bound on inner products, over all pairs and over a list of pairs. */
#include "check.h"

#include "base/memory.h"
#include "mat/blas.h"
#include "pairs/hinge.h"

/* By the definition, term by term; the gradient is `scale` times it. */
static double direct(const inco_mat *d, double tau, double scale, const inco_mat *gradient, int64_t *pairs,
                     double *max) {
    double h = 0;
    *pairs = 0;
    *max = 0;
    for (int64_t j = 0; j < d->cols; j++)
        for (int64_t i = 0; i < j; i++) {
            double g = 0;
            for (int64_t k = 0; k < d->rows; k++) g += mat_get(d, k, i) * mat_get(d, k, j);
            *max = fmax(*max, fabs(g));
            const double excess = fabs(g) - tau;
            if (excess <= 0) continue;
            h += excess * excess;
            ++*pairs;
            for (int64_t k = 0; k < d->rows; k++) {
                const double x = scale * 2 * (g < 0 ? -excess : excess);
                mat_set(gradient, k, i, mat_get(gradient, k, i) + x * mat_get(d, k, j));
                mat_set(gradient, k, j, mat_get(gradient, k, j) + x * mat_get(d, k, i));
            }
        }
    return h;
}

typedef int (*evaluation)(hinge *w, const inco_mat *d, double tau, double weight, const inco_mat *gradient, double *h,
                          inco_error *error);

static void compare(evaluation eval, int64_t rows, int64_t cols, double tau, int threads) {
    inco_mat d = check_dictionary(INCO_F64, rows, cols, 91), wanted = check_random(INCO_F64, rows, cols, 92), g;
    hinge w;
    double h, max;
    int64_t pairs;
    assert_int_equal(mat_convert(&g, &wanted, INCO_F64, NULL), INCO_OK);
    assert_int_equal(hinge_open(&w, rows, cols, threads, NULL), INCO_OK);
    assert_int_equal(eval(&w, &d, tau, 0.7, &g, &h, NULL), INCO_OK);
    assert_near(h, direct(&d, tau, 0.7, &wanted, &pairs, &max), 1e-12 * (1 + h));
    assert_int_equal(w.pairs, pairs);
    if (eval == hinge_eval || max > tau) assert_near(w.max, max, 1e-14);
    for (int64_t j = 0; j < cols; j++)
        for (int64_t i = 0; i < rows; i++) assert_near(mat_get(&g, i, j), mat_get(&wanted, i, j), 1e-11);
    assert_int_equal(eval(&w, &d, tau, 0.7, NULL, &max, NULL), INCO_OK); /* without the gradient */
    assert_true(h == max);
    hinge_close(&w);
    inco_mat_free(&d);
    inco_mat_free(&wanted);
    inco_mat_free(&g);
}

/* Few violations, many, nearly none; one block, several, an incomplete last block; a single atom. */
static void value_and_gradient_are_the_sums_over_pairs(void **state) {
    (void)state;
    const int64_t sizes[][2] = {{5, 1}, {3, 2}, {12, 64}, {20, 150}, {7, 600}};
    for (int s = 0; s < 5; s++) {
        compare(hinge_eval, sizes[s][0], sizes[s][1], 0.05, 2);
        compare(hinge_eval, sizes[s][0], sizes[s][1], 0.6, 1);
        compare(hinge_eval, sizes[s][0], sizes[s][1], 0.999, 2);
        compare(hinge_eval_pairs, sizes[s][0], sizes[s][1], 0.05, 2);
        compare(hinge_eval_pairs, sizes[s][0], sizes[s][1], 0.8, 1);
        compare(hinge_eval_pairs, sizes[s][0], sizes[s][1], 0.9, 2);
    }
}

static void the_bits_are_those_of_one_thread(void **state) {
    (void)state;
    const int64_t rows = 40, cols = 700; /* enough work for several threads */
    inco_mat d = check_dictionary(INCO_F64, rows, cols, 93);
    const evaluation evals[] = {hinge_eval, hinge_eval_pairs};
    const double taus[] = {0.1, 0.45};
    for (int k = 0; k < 2; k++) {
        inco_mat g[3];
        double h[3];
        for (int i = 0; i < 3; i++) {
            hinge w;
            assert_int_equal(inco_mat_new(&g[i], INCO_F64, rows, cols, NULL), INCO_OK);
            assert_int_equal(hinge_open(&w, rows, cols, 1 + i, NULL), INCO_OK);
            assert_int_equal(evals[k](&w, &d, taus[k], 1, &g[i], &h[i], NULL), INCO_OK);
            assert_int_equal(w.visits, k);
            hinge_close(&w);
        }
        for (int i = 1; i < 3; i++) {
            assert_true(h[i] == h[0] && h[0] > 0);
            assert_memory_equal(g[i].data, g[0].data, (size_t)(rows * cols) * sizeof(double));
        }
        for (int i = 0; i < 3; i++) inco_mat_free(&g[i]);
    }
    inco_mat_free(&d);
}

/* Atoms move: the list is used while it is certain to be complete, gathered again when it is not, and never wrong. */
static void a_list_is_never_out_of_date(void **state) {
    (void)state;
    const int64_t rows = 30, cols = 400;
    inco_mat d = check_dictionary(INCO_F64, rows, cols, 94);
    hinge w, whole;
    assert_int_equal(hinge_open(&w, rows, cols, 2, NULL), INCO_OK);
    assert_int_equal(hinge_open(&whole, rows, cols, 1, NULL), INCO_OK);
    w.margin = 0.1;
    for (int step = 0; step < 12; step++) {
        double h, wanted;
        assert_int_equal(hinge_eval_pairs(&w, &d, 0.55, 1, NULL, &h, NULL), INCO_OK);
        assert_int_equal(hinge_eval(&whole, &d, 0.55, 1, NULL, &wanted, NULL), INCO_OK);
        assert_near(h, wanted, 1e-13);
        assert_int_equal(w.pairs, whole.pairs);
        assert_true(whole.pairs > 0 && w.max >= whole.max - 1e-14);
        for (int64_t j = 0; j < cols; j++)
            for (int64_t i = 0; i < rows; i++)
                mat_set(&d, i, j,
                        mat_get(&d, i, j) +
                            0.005 * rng_normal(95 + (uint64_t)step, RNG_TEST, (uint64_t)(i + j * rows)));
        mat_normalize_columns(&d, NULL);
    }
    assert_true(w.walks > 1 && w.walks < 12);
    assert_int_equal(w.visits, 12);
    hinge_close(&w);
    hinge_close(&whole);
    inco_mat_free(&d);
}

/* A list that is longer than worth while is kept if it is wanted, and all products give the value. */
static void a_long_list_is_kept_if_wanted(void **state) {
    (void)state;
    const int64_t rows = 10, cols = 100;
    inco_mat d = check_dictionary(INCO_F64, rows, cols, 98);
    for (int wanted = 0; wanted < 2; wanted++) {
        hinge w, whole;
        double h, all;
        int64_t near = 0;
        assert_int_equal(hinge_open(&w, rows, cols, 1, NULL), INCO_OK);
        assert_int_equal(hinge_open(&whole, rows, cols, 1, NULL), INCO_OK);
        w.wanted = wanted ? cols * cols : 0;
        assert_int_equal(hinge_eval_pairs(&w, &d, 0.4, 1, NULL, &h, NULL), INCO_OK);
        assert_int_equal(hinge_eval(&whole, &d, 0.4, 1, NULL, &all, NULL), INCO_OK);
        assert_true(h == all && w.visits == 0);
        assert_int_equal(w.listed, wanted);
        for (int64_t j = 0; j < cols; j++)
            for (int64_t i = 0; i < j; i++)
                near += fabs(blas_dot(rows, mat_column(&d, i), mat_column(&d, j))) > 0.4 - w.margin;
        if (wanted) assert_int_equal(w.list.count, 2 * near);
        hinge_close(&w);
        hinge_close(&whole);
    }
    inco_mat_free(&d);
}

/* A few atoms move far, the others hardly: only pairs of those atoms are computed again. */
static void a_list_is_mended(void **state) {
    (void)state;
    const int64_t rows = 30, cols = 400;
    inco_mat d = check_dictionary(INCO_F64, rows, cols, 97);
    hinge w, whole;
    assert_int_equal(hinge_open(&w, rows, cols, 2, NULL), INCO_OK);
    assert_int_equal(hinge_open(&whole, rows, cols, 1, NULL), INCO_OK);
    w.margin = 0.1;
    for (int step = 0; step < 12; step++) {
        inco_mat g, wanted_g;
        double h, wanted;
        assert_int_equal(inco_mat_new(&g, INCO_F64, rows, cols, NULL), INCO_OK);
        assert_int_equal(inco_mat_new(&wanted_g, INCO_F64, rows, cols, NULL), INCO_OK);
        assert_int_equal(hinge_eval_pairs(&w, &d, 0.55, 1, &g, &h, NULL), INCO_OK);
        assert_int_equal(hinge_eval(&whole, &d, 0.55, 1, &wanted_g, &wanted, NULL), INCO_OK);
        assert_near(h, wanted, 1e-13);
        assert_int_equal(w.pairs, whole.pairs);
        for (int64_t k = 0; k < rows * cols; k++)
            assert_near(((double *)g.data)[k], ((double *)wanted_g.data)[k], 1e-13);
        for (int64_t j = 0; j < cols; j++) {
            const double far = j % 10 == step % 4 || j == 0 ? 0.1 : 0.0002;
            for (int64_t i = 0; i < rows; i++)
                mat_set(&d, i, j,
                        mat_get(&d, i, j) + far * rng_normal(120 + (uint64_t)step, RNG_TEST, (uint64_t)(i + j * rows)));
        }
        mat_normalize_columns(&d, NULL);
        inco_mat_free(&g);
        inco_mat_free(&wanted_g);
    }
    assert_int_equal(w.walks, 1);
    assert_int_equal(w.mends, 11);
    hinge_close(&w);
    hinge_close(&whole);
    inco_mat_free(&d);
}

static void without_memory_it_says_so(void **state) {
    (void)state;
    inco_mat d = check_dictionary(INCO_F64, 8, 100, 96), moved = check_dictionary(INCO_F64, 8, 100, 96);
    mat_set(&moved, 0, 3, mat_get(&moved, 0, 3) + 1);
    mat_normalize_columns(&moved, NULL);
    for (int64_t k = 1, done = 0; !done; k++) {
        hinge w;
        inco_error error = {0};
        double h;
        memory_fail_at(k);
        int status = hinge_open(&w, 8, 100, 1, &error);
        if (status == INCO_OK) status = hinge_eval_pairs(&w, &d, 0.85, 1, NULL, &h, &error);
        if (status == INCO_OK) status = hinge_eval_pairs(&w, &moved, 0.85, 1, NULL, &h, &error);
        memory_fail_at(0);
        hinge_close(&w);
        done = status == INCO_OK;
        if (!done) assert_int_equal(error.code, INCO_ENOMEM);
        assert_true(k < 100);
    }
    inco_mat_free(&moved);
    inco_mat_free(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(value_and_gradient_are_the_sums_over_pairs),
        cmocka_unit_test(the_bits_are_those_of_one_thread),
        cmocka_unit_test(a_list_is_never_out_of_date),
        cmocka_unit_test(a_list_is_mended),
        cmocka_unit_test(a_long_list_is_kept_if_wanted),
        cmocka_unit_test(without_memory_it_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
