/* Initial dictionaries. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "design/init.h"
#include "metric/coherence.h"

static inco_mat new_dictionary(int64_t dim, int64_t atoms) {
    inco_mat d;
    assert_int_equal(inco_mat_new(&d, INCO_F64, dim, atoms, NULL), INCO_OK);
    return d;
}

static void unit_norms(const inco_mat *d) {
    for (int64_t j = 0; j < d->cols; j++) assert_near(mat_column_norm(d, j), 1, 1e-14);
}

static double inner(const inco_mat *a, int64_t i, const inco_mat *b, int64_t j) {
    double sum = 0;
    for (int64_t k = 0; k < a->rows; k++) sum += mat_get(a, k, i) * mat_get(b, k, j);
    return sum;
}

/* ---- Signals ---- */

/* The signal with the direction of an atom. */
static int64_t signal_of(const inco_mat *d, int64_t atom, const inco_mat *x) {
    for (int64_t n = 0; n < x->cols; n++)
        if (inner(d, atom, x, n) > (1 - 1e-6) * mat_column_norm(x, n) && mat_column_norm(x, n) > 0) return n;
    return -1;
}

static void sample_takes_distinct_signals_with_energy(void **state) {
    const inco_type types[] = {INCO_F32, INCO_F64};
    (void)state;
    for (int k = 0; k < 2; k++) {
        inco_mat x = check_random(types[k], 12, 60, 3), d = new_dictionary(12, 40), other = new_dictionary(12, 40);
        int seen[60] = {0}, ordered = 1, differ = 0;
        for (int64_t n = 0; n < 60; n += 3)
            memset(mat_column(&x, n), 0, 12 * (size_t)types[k]); /* 40 nonzero signals */
        inco_source source = mat_source_of(&x);
        assert_int_equal(init_sample(&d, &source, 9, 1, NULL), INCO_OK);
        unit_norms(&d);
        for (int64_t j = 0, last = -1; j < 40; j++) {
            int64_t n = signal_of(&d, j, &x);
            assert_true(n >= 0 && n % 3 != 0);
            assert_false(seen[n]++);
            ordered = ordered && n > last;
            last = n;
        }
        assert_false(ordered);
        assert_int_equal(init_sample(&other, &source, 9, 1, NULL), INCO_OK);
        assert_memory_equal(d.data, other.data, 12 * 40 * sizeof(double));
        assert_int_equal(init_sample(&other, &source, 10, 1, NULL), INCO_OK);
        differ = memcmp(d.data, other.data, 12 * 40 * sizeof(double)) != 0;
        assert_true(differ);
        inco_mat_free(&x);
        inco_mat_free(&d);
        inco_mat_free(&other);
    }
}

static void too_few_signals_are_refused(void **state) {
    inco_error error = {0};
    (void)state;
    inco_mat x = check_random(INCO_F32, 5, 10, 3), d = new_dictionary(5, 9), long_atoms = new_dictionary(6, 4);
    memset(mat_column(&x, 4), 0, 2 * 5 * sizeof(float));
    inco_source source = mat_source_of(&x);
    assert_int_equal(init_sample(&d, &source, 0, 1, &error), INCO_EDATA);
    assert_string_equal(error.message,
                        "option 'init' = 'sample' needs at least as many signals as atoms: 8 distinct "
                        "nonzero signals, 9 atoms; give more signals, fewer atoms, or option 'init' = 'dct' or random");
    assert_int_equal(init_sample(&long_atoms, &source, 0, 1, &error), INCO_EDIM);
    for (int64_t n = 0; n < 10; n++) mat_set(&x, 2, n, NAN);
    assert_int_equal(init_sample(&d, &source, 0, 1, &error), INCO_EDATA);
    assert_non_null(strstr(error.message, "feature 2 (both counted from 0) is NaN"));
    inco_mat_free(&x);
    inco_mat_free(&d);
    inco_mat_free(&long_atoms);
}

static int broken_read(void *self, int64_t first, int64_t count, void *out, inco_error *error) {
    (void)self, (void)first, (void)count, (void)out;
    if (error) strcpy(error->message, "gone");
    return INCO_EIO;
}

static void failures_come_through(void **state) {
    inco_error error = {0};
    (void)state;
    inco_mat x = check_random(INCO_F64, 5, 30, 3), d = new_dictionary(5, 9);
    inco_source source = mat_source_of(&x), broken = source;
    broken.read = broken_read;
    assert_int_equal(init_sample(&d, &broken, 0, 1, &error), INCO_EIO);
    assert_string_equal(error.message, "gone");
    memory_fail_at(0);
    assert_int_equal(init_sample(&d, &source, 0, 1, &error), INCO_OK);
    int64_t allocations = memory_fail_at(0);
    assert_true(allocations >= 3);
    for (int64_t k = 1; k <= allocations; k++) {
        memory_fail_at(k);
        assert_int_equal(init_sample(&d, &source, 0, 1, &error), INCO_ENOMEM);
    }
    memory_fail_at(0);
    assert_int_equal(init_dct(&d, 5, 1, &error), INCO_OK);
    allocations = memory_fail_at(0);
    for (int64_t k = 1; k <= allocations; k++) {
        memory_fail_at(k);
        assert_int_equal(init_dct(&d, 5, 1, &error), INCO_ENOMEM);
    }
    memory_fail_at(0);
    inco_mat_free(&x);
    inco_mat_free(&d);
}

/* ---- Cosines ---- */

static void first_is_constant_and_no_other_has_a_mean(const inco_mat *d) {
    for (int64_t i = 0; i < d->rows; i++) assert_near(mat_get(d, i, 0), 1 / sqrt((double)d->rows), 1e-14);
    for (int64_t j = 1; j < d->cols; j++) {
        double sum = 0;
        for (int64_t i = 0; i < d->rows; i++) sum += mat_get(d, i, j);
        assert_near(sum, 0, 1e-12);
    }
}

static void cosines_of_any_number(void **state) {
    const int64_t shapes[][3] = {{8, 8, 256}, {8, 8, 100}, {8, 8, 65},  {8, 8, 64},    {8, 8, 20},  {8, 8, 1},
                                 {4, 6, 60},  {1, 16, 40}, {16, 1, 40}, {160, 1, 512}, {160, 1, 30}};
    coherence mu;
    (void)state;
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        inco_mat d = new_dictionary(shapes[k][0] * shapes[k][1], shapes[k][2]);
        assert_int_equal(init_dct(&d, shapes[k][0], shapes[k][1], NULL), INCO_OK);
        unit_norms(&d);
        first_is_constant_and_no_other_has_a_mean(&d);
        assert_int_equal(coherence_measure(&d, 1, &mu, NULL), INCO_OK);
        assert_true(mu.max < 1 - 1e-6); /* no atom twice */
        inco_mat_free(&d);
    }
}

static void complete_cosines_are_orthonormal(void **state) {
    coherence mu;
    (void)state;
    inco_mat line = new_dictionary(16, 16), patch = new_dictionary(64, 64), few = new_dictionary(16, 5);
    assert_int_equal(init_dct(&line, 16, 1, NULL), INCO_OK);
    assert_int_equal(init_dct(&patch, 8, 8, NULL), INCO_OK);
    assert_int_equal(init_dct(&few, 16, 1, NULL), INCO_OK);
    const inco_mat *all[] = {&line, &patch, &few};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(coherence_measure(all[i], 1, &mu, NULL), INCO_OK);
        assert_true(mu.max < 1e-14);
    }
    inco_mat_free(&line);
    inco_mat_free(&patch);
    inco_mat_free(&few);
}

/* Pixel (r, c) is at r * cols + c: an atom that varies along rows only repeats in every row. */
static void patches_are_in_row_order(void **state) {
    (void)state;
    inco_mat d = new_dictionary(12, 24);
    assert_int_equal(init_dct(&d, 3, 4, NULL), INCO_OK);
    for (int64_t i = 0; i < 12; i++) assert_near(mat_get(&d, i, 1), mat_get(&d, i % 4, 1), 1e-14);
    for (int64_t i = 0; i < 12; i++) assert_near(mat_get(&d, i, 2), mat_get(&d, i - i % 4, 2), 1e-14);
    assert_true(fabs(mat_get(&d, 0, 1) - mat_get(&d, 3, 1)) > 0.1);
    assert_true(fabs(mat_get(&d, 0, 2) - mat_get(&d, 8, 2)) > 0.1);
    inco_mat_free(&d);
}

static void cosines_that_cannot_be_are_refused(void **state) {
    inco_error error = {0};
    (void)state;
    inco_mat d = new_dictionary(12, 5), single = new_dictionary(1, 2), alone = new_dictionary(1, 1);
    assert_int_equal(init_dct(&d, 3, 5, &error), INCO_EDIM);
    assert_non_null(strstr(error.message, "3x5"));
    assert_int_equal(init_dct(&single, 1, 1, &error), INCO_EDATA);
    assert_int_equal(init_dct(&alone, 1, 1, &error), INCO_OK);
    assert_near(mat_get(&alone, 0, 0), 1, 1e-15);
    inco_mat_free(&d);
    inco_mat_free(&single);
    inco_mat_free(&alone);
}

/* The dictionary of 16 x 16 products for 8x8 patches in the test data, up to order. */
static void cosines_are_those_of_the_test_data(void **state) {
    const char *folder = getenv("INCO_TEST_DATA");
    char path[4096];
    inco_mat reference, d = new_dictionary(64, 256);
    inco_error error = {0};
    int found[256] = {0};
    (void)state;
    snprintf(path, sizeof path, "%s/patches/dct-64x256.npy", folder ? folder : "");
    FILE *file = folder ? fopen(path, "rb") : NULL;
    if (!file) {
        inco_mat_free(&d);
        skip();
    }
    fclose(file);
    if (inco_load(path, NULL, &reference, &error) != INCO_OK) fail_msg("%s", error.message);
    assert_int_equal(init_dct(&d, 8, 8, NULL), INCO_OK);
    for (int64_t j = 0; j < 256; j++) {
        int64_t best = 0;
        for (int64_t k = 1; k < 256; k++)
            if (fabs(inner(&reference, j, &d, k)) > fabs(inner(&reference, j, &d, best))) best = k;
        assert_near(fabs(inner(&reference, j, &d, best)), 1, 1e-12);
        assert_false(found[best]++);
    }
    inco_mat_free(&reference);
    inco_mat_free(&d);
}

/* ---- Random directions ---- */

static void random_directions(void **state) {
    double mean = 0, square = 0;
    (void)state;
    inco_mat d = new_dictionary(20, 500), again = new_dictionary(20, 500), other = new_dictionary(20, 500);
    assert_int_equal(init_random(&d, 4, NULL), INCO_OK);
    assert_int_equal(init_random(&again, 4, NULL), INCO_OK);
    assert_int_equal(init_random(&other, 5, NULL), INCO_OK);
    unit_norms(&d);
    assert_memory_equal(d.data, again.data, 20 * 500 * sizeof(double));
    assert_true(fabs(inner(&d, 0, &other, 0)) < 0.9);
    for (int64_t j = 0; j < 500; j++) {
        mean += mat_get(&d, 0, j) / 500;
        square += mat_get(&d, 7, j) * mat_get(&d, 7, j) / 500;
    }
    assert_near(mean, 0, 0.04);
    assert_near(square, 1.0 / 20, 0.012);
    inco_mat_free(&d);
    inco_mat_free(&again);
    inco_mat_free(&other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sample_takes_distinct_signals_with_energy),
        cmocka_unit_test(too_few_signals_are_refused),
        cmocka_unit_test(failures_come_through),
        cmocka_unit_test(cosines_of_any_number),
        cmocka_unit_test(complete_cosines_are_orthonormal),
        cmocka_unit_test(patches_are_in_row_order),
        cmocka_unit_test(cosines_that_cannot_be_are_refused),
        cmocka_unit_test(cosines_are_those_of_the_test_data),
        cmocka_unit_test(random_directions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
