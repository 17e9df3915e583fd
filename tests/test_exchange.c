/* Exchange of atoms that reduce the error little: common lines of residuals, and runs with exchange. */
#include "learning.h"

#include <stdlib.h>

#include "base/memory.h"
#include "mat/blas.h"
#include "replace/lines.h"

/* ---- Lines ---- */

/* Vectors on six random lines, 10 on the first, 20 on the second, ..., with noise. */
static inco_mat vectors_on(const inco_mat *lines, double noise) {
    inco_mat r = check_random(INCO_F64, lines->rows, 210, 31);
    int64_t n = 0;
    for (int64_t i = 0; i < 6; i++)
        for (int64_t k = 0; k < 10 * (i + 1); k++, n++) {
            const double size = 1 + 0.1 * fabs(rng_normal(32, RNG_TEST, (uint64_t)n)), sign = n % 2 ? -size : size;
            for (int64_t j = 0; j < r.rows; j++)
                mat_set(&r, j, n, noise * mat_get(&r, j, n) + sign * mat_get(lines, j, i));
        }
    return r;
}

static void lines_are_found_with_their_gains(void **state) {
    (void)state;
    inco_mat truth = check_dictionary(INCO_F64, 12, 6, 30), r = vectors_on(&truth, 0.02), z, again;
    double gain[6], gain_again[6], taken[6] = {0}, all = 0;
    int64_t found;
    assert_int_equal(inco_mat_new(&z, INCO_F64, 12, 6, NULL), INCO_OK);
    assert_int_equal(inco_mat_new(&again, INCO_F64, 12, 6, NULL), INCO_OK);
    assert_int_equal(lines_find(&z, gain, &found, &(lines_input){&r, NULL, 1}, NULL), INCO_OK);
    assert_int_equal(found, 6);
    for (int64_t i = 0; i < 6; i++) { /* the line with the most vectors first */
        assert_true(fabs(blas_dot(12, mat_column(&z, i), mat_column(&truth, 5 - i))) > 0.999);
        assert_near(mat_column_norm(&z, i), 1, 1e-14);
        assert_true(i == 0 || gain[i] <= gain[i - 1]);
    }
    for (int64_t n = 0; n < r.cols; n++) {
        int64_t best = 0;
        double product[6];
        blas_gemv_transposed(&z, 1, mat_column(&r, n), 0, product);
        for (int64_t i = 1; i < 6; i++)
            if (fabs(product[i]) > fabs(product[best])) best = i;
        taken[best] += product[best] * product[best];
        all += blas_dot(12, mat_column(&r, n), mat_column(&r, n));
    }
    for (int64_t i = 0; i < 6; i++) assert_near(gain[i] / taken[i], 1, 1e-12), all -= gain[i];
    assert_true(all >= 0 && all < 1.2 * 0.02 * 0.02 * 12 * 210); /* the energy of the noise */
    assert_int_equal(lines_find(&again, gain_again, &found, &(lines_input){&r, NULL, 3}, NULL), INCO_OK);
    assert_memory_equal(again.data, z.data, 12 * 6 * sizeof(double));
    assert_memory_equal(gain_again, gain, sizeof gain);
    inco_mat_free(&truth);
    inco_mat_free(&r);
    inco_mat_free(&z);
    inco_mat_free(&again);
}

/* At most as many lines as the vectors have directions; none for zero vectors. */
static void there_may_be_fewer_lines(void **state) {
    (void)state;
    inco_mat truth = check_dictionary(INCO_F64, 12, 6, 30), r = vectors_on(&truth, 0), z;
    double gain[8];
    int64_t found;
    assert_int_equal(inco_mat_new(&z, INCO_F64, 12, 8, NULL), INCO_OK);
    assert_int_equal(lines_find(&z, gain, &found, &(lines_input){&r, NULL, 1}, NULL), INCO_OK);
    assert_int_equal(found, 6);
    memset(r.data, 0, (size_t)(r.rows * r.cols) * sizeof(double));
    assert_int_equal(lines_find(&z, gain, &found, &(lines_input){&r, NULL, 1}, NULL), INCO_OK);
    assert_int_equal(found, 0);
    inco_mat none = mat_columns(&r, 0, 0);
    assert_int_equal(lines_find(&z, gain, &found, &(lines_input){&none, NULL, 1}, NULL), INCO_OK);
    assert_int_equal(found, 0);
    for (int64_t k = 1; k < 5; k++) {
        memory_fail_at(k);
        assert_int_equal(lines_find(&z, gain, &found, &(lines_input){&r, NULL, 1}, NULL), INCO_ENOMEM);
        memory_fail_at(0);
    }
    inco_mat_free(&truth);
    inco_mat_free(&r);
    inco_mat_free(&z);
}

/* ---- Runs ---- */

/* Learns from `start`; returns the share of true atoms found. */
static double run_from(const inco_mat *start, const inco_mat *x, inco_options *o, const inco_mat *truth,
                       inco_learn_info *info) {
    inco_source source = mat_source_of(x);
    inco_learner *learner;
    assert_int_equal(inco_learner_new(&learner, &source, o, NULL), INCO_OK);
    assert_int_equal(inco_learner_start_from(learner, start, NULL), INCO_OK);
    assert_int_equal(inco_learner_run(learner, NULL), INCO_OK);
    inco_mat d = check_learned(learner);
    const double share = recovered(truth, &d);
    *info = check_info(learner);
    inco_learner_free(learner);
    inco_options_free(o);
    return share;
}

/* Two atoms share a true one, and another true one is missing: without exchange this stays so. */
static void a_missing_atom_is_found(void **state) {
    const inco_type type = *(inco_type *)*state;
    static const char *const methods[][3] = {
        {"mod", NULL, NULL}, {"ksvd", NULL, NULL}, {"idl", "gamma-relative", "0.002"}, {"online", NULL, NULL}};
    inco_mat truth = check_dictionary(type, 20, 40, 33), x = planted_signals(&truth, 2000, 3, 34), start;
    assert_int_equal(mat_convert(&start, &truth, type, NULL), INCO_OK);
    for (int64_t i = 0; i < 20; i++)
        mat_set(&start, i, 7, mat_get(&truth, i, 3) + 0.05 * rng_normal(35, RNG_TEST, (uint64_t)i));
    for (int m = 0; m < 8; m++) {
        const char *const *method = methods[m / 2];
        inco_options *o =
            OPTIONS("method", method[0], "coder", "omp", "sparsity", "3", "iterations", "12", "threads", "1");
        inco_learn_info info = INCO_INIT(inco_learn_info);
        if (method[1]) assert_int_equal(inco_options_set(o, method[1], method[2], NULL), INCO_OK);
        if (m % 2) assert_int_equal(inco_options_set(o, "exchange", "yes", NULL), INCO_OK);
        const double share = run_from(&start, &x, o, &truth, &info);
        assert_true(m % 2 ? share == 1 : share < 1);
        assert_true(info.replaced >= info.replaced_exchanged);
        assert_int_equal(info.replaced_exchanged > 0, m % 2);
    }
    inco_mat_free(&truth);
    inco_mat_free(&x);
    inco_mat_free(&start);
}

/* All true atoms are present: no exchange pays off, with noise or without. */
static void a_good_dictionary_is_left_alone(void **state) {
    const inco_type type = *(inco_type *)*state;
    inco_mat truth = check_dictionary(type, 20, 40, 33), x = planted_signals(&truth, 2000, 3, 34);
    for (int noisy = 0; noisy < 2; noisy++) {
        inco_options *o = OPTIONS("method", "aksvd", "coder", "omp", "sparsity", "3", "iterations", "5", "threads", "1",
                                  "exchange", "yes");
        inco_learn_info info = INCO_INIT(inco_learn_info);
        assert_true(run_from(&truth, &x, o, &truth, &info) == 1);
        assert_int_equal(info.replaced, 0);
        for (int64_t n = 0; n < x.cols; n++)
            for (int64_t i = 0; i < 20; i++)
                mat_set(&x, i, n, mat_get(&x, i, n) + 0.05 * rng_normal(36, RNG_TEST, (uint64_t)(i + 20 * n)));
    }
    inco_mat_free(&truth);
    inco_mat_free(&x);
}

/* The penalty counts: the reduction of the error does not outweigh a line that makes a tight frame more coherent. */
static void a_strong_penalty_keeps_the_atoms(void **state) {
    (void)state;
    inco_mat x = check_random(INCO_F64, 12, 1500, 37), start = check_dictionary(INCO_F64, 12, 30, 38);
    int64_t exchanged[2];
    for (int strong = 0; strong < 2; strong++) {
        inco_options *o = OPTIONS("coder", "omp", "sparsity", "2", "iterations", "8", "threads", "1", "exchange", "yes",
                                  "gamma-relative", strong ? "1" : "0");
        inco_learn_info info = INCO_INIT(inco_learn_info);
        for (int64_t n = 0; n < x.cols && !strong; n++) /* a steep spectrum */
            for (int64_t i = 0; i < 12; i++) mat_set(&x, i, n, mat_get(&x, i, n) * pow(0.6, (double)i));
        run_from(&start, &x, o, &start, &info);
        exchanged[strong] = info.replaced_exchanged;
    }
    assert_true(exchanged[0] > 0);
    assert_int_equal(exchanged[1], 0);
    inco_mat_free(&x);
    inco_mat_free(&start);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_found_with_their_gains),
        cmocka_unit_test(there_may_be_fewer_lines),
        BOTH(a_missing_atom_is_found),
        BOTH(a_good_dictionary_is_left_alone),
        cmocka_unit_test(a_strong_penalty_keeps_the_atoms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
