/* Separation of atoms after an update: pairwise decorrelation (INK-SVD), iterative projection and rotation (IPR). */
#include "check.h"

#include "base/memory.h"
#include "mat/blas.h"
#include "metric/coherence.h"
#include "pairs/decorrelate.h"
#include "sparse/csc.h"
#include "update/ipr.h"

static double coherence_of(const inco_mat *d) {
    coherence mu;
    assert_int_equal(coherence_measure(d, 1, &mu, NULL), INCO_OK);
    return mu.max;
}

static void assert_unit_norms(const inco_mat *d) {
    for (int64_t j = 0; j < d->cols; j++) assert_near(mat_column_norm(d, j), 1, 1e-14);
}

static inco_mat copy_of(const inco_mat *m) {
    inco_mat copy;
    assert_int_equal(mat_convert(&copy, m, m->type, NULL), INCO_OK);
    return copy;
}

/* One pair is rotated in its plane, by equal angles, to the bound up to rounding; other atoms stay. */
static void a_pair_is_rotated_to_the_bound(void **state) {
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        inco_mat d, old;
        assert_int_equal(inco_mat_new(&d, INCO_F64, 5, 3, NULL), INCO_OK);
        mat_set(&d, 0, 0, 1);
        mat_set(&d, 0, 1, sign * 0.8);
        mat_set(&d, 1, 1, sign * 0.6);
        mat_set(&d, 4, 2, 1);
        old = copy_of(&d);
        const decorrelation settings = {0.3, 1e-15, 10, 1, 0, 1, NULL, NULL};
        decorrelation_result result;
        assert_int_equal(decorrelate(&d, &settings, &result, NULL), INCO_OK);
        assert_int_equal(result.pairs, 1);
        const double product = blas_dot(5, mat_column(&d, 0), mat_column(&d, 1));
        assert_near(product, sign * 0.3, 1e-15);
        assert_near(blas_dot(5, mat_column(&d, 0), mat_column(&old, 0)),
                    blas_dot(5, mat_column(&d, 1), mat_column(&old, 1)), 1e-15);
        for (int64_t j = 0; j < 2; j++)
            for (int64_t i = 2; i < 5; i++) assert_near(mat_get(&d, i, j), 0, 1e-15);
        assert_memory_equal(mat_column(&d, 2), mat_column(&old, 2), 5 * sizeof(double));
        inco_mat_free(&d);
        inco_mat_free(&old);
    }
}

/* Atoms 0 and 2 are both close to 1: the closer pair, 0 and 1, is rotated; 2 waits for the next pass. */
static void the_worst_pair_goes_first_and_an_atom_has_one_pair(void **state) {
    (void)state;
    inco_mat d;
    assert_int_equal(inco_mat_new(&d, INCO_F64, 3, 3, NULL), INCO_OK);
    const double x[] = {1, 0, 0, 0.95, sqrt(1 - 0.95 * 0.95), 0, 0.6, 0.8 * 0.6, 0.8 * 0.8};
    memcpy(d.data, x, sizeof x);
    const decorrelation settings = {0.5, 0.001, 1, 1, 0, 1, NULL, NULL};
    decorrelation_result result;
    assert_int_equal(decorrelate(&d, &settings, &result, NULL), INCO_OK);
    assert_int_equal(result.passes, 1);
    assert_int_equal(result.pairs, 1);
    assert_near(blas_dot(3, mat_column(&d, 0), mat_column(&d, 1)), 0.5, 1e-15);
    assert_memory_equal(mat_column(&d, 2), x + 6, 3 * sizeof(double));
    assert_near(result.coherence, coherence_of(&d), 1e-15);
    inco_mat_free(&d);
}

/* Down to twice the Welch bound, with more than one panel of atoms: the same bits for any number of threads. */
static void all_pairs_end_below_the_bound(void **state) {
    (void)state;
    const double bounds[] = {0.9, 0.5, 0.3, 0.25};
    int64_t last = 0;
    for (int b = 0; b < 4; b++) {
        inco_mat first = {0};
        for (int threads = 1; threads <= 8; threads += threads < 3 ? 1 : 5) {
            inco_mat d = check_dictionary(INCO_F64, 40, 150, 80);
            for (int64_t i = 0; i < 40; i++) mat_set(&d, i, 140, mat_get(&d, i, 3) + 0.01 * mat_get(&d, i, 4));
            mat_normalize_columns(&d, NULL);
            const decorrelation settings = {bounds[b], 1e-3, 1000, 1, 2, threads, NULL, NULL};
            decorrelation_result result;
            assert_int_equal(decorrelate(&d, &settings, &result, NULL), INCO_OK);
            assert_true(coherence_of(&d) <= bounds[b] + 1e-3);
            assert_near(coherence_of(&d), result.coherence, 1e-14);
            assert_unit_norms(&d);
            assert_true(result.passes > 0 && result.passes < 1000 && result.pairs >= result.passes);
            if (threads > 1) {
                assert_memory_equal(d.data, first.data, 40 * 150 * sizeof(double));
                inco_mat_free(&d);
                continue;
            }
            assert_true(result.passes >= last);
            last = result.passes;
            first = d;
        }
        inco_mat_free(&first);
    }
    assert_true(last > 10);
}

/* The difference of equal, or opposite, atoms has no direction. */
static void identical_and_opposite_atoms_are_parted(void **state) {
    (void)state;
    inco_mat d = check_dictionary(INCO_F64, 12, 9, 81);
    for (int64_t i = 0; i < 12; i++) {
        mat_set(&d, i, 1, mat_get(&d, i, 0));
        mat_set(&d, i, 2, -mat_get(&d, i, 0));
        mat_set(&d, i, 5, mat_get(&d, i, 4));
        mat_set(&d, i, 8, -mat_get(&d, i, 7));
    }
    const decorrelation settings = {0.4, 1e-3, 1000, 3, 0, 2, NULL, NULL};
    decorrelation_result result;
    assert_int_equal(decorrelate(&d, &settings, &result, NULL), INCO_OK);
    assert_true(coherence_of(&d) <= 0.401);
    assert_unit_norms(&d);
    inco_mat_free(&d);
}

static void an_impossible_bound_stops_at_the_limit(void **state) {
    (void)state;
    inco_mat d = check_dictionary(INCO_F64, 6, 30, 82), old = copy_of(&d);
    decorrelation settings = {0.05, 1e-3, 7, 3, 0, 2, NULL, NULL};
    decorrelation_result result;
    assert_int_equal(decorrelate(&d, &settings, &result, NULL), INCO_OK);
    assert_int_equal(result.passes, 7);
    assert_true(result.coherence > 0.051 && result.coherence >= coherence_bound(6, 30));
    assert_unit_norms(&d);
    settings.bound = 1; /* nothing to do */
    mat_copy(&d, &old);
    assert_int_equal(decorrelate(&d, &settings, &result, NULL), INCO_OK);
    assert_int_equal(result.passes, 0);
    for (int64_t j = 0; j < 30; j++)
        for (int64_t i = 0; i < 6; i++) assert_near(mat_get(&d, i, j), mat_get(&old, i, j), 1e-15);
    inco_mat_free(&d);
    inco_mat_free(&old);
}

/* ---- IPR ---- */

/* Signals of three atoms each, with their codes. */
static training training_for(inco_type type, const inco_mat *d, int64_t signals) {
    training t;
    csc codes;
    inco_mat x = check_random(type, d->rows, signals, 83);
    assert_int_equal(csc_new(&codes, type, d->cols, signals, 3 * signals, NULL), INCO_OK);
    for (int64_t n = 0; n < signals; n++) {
        for (int64_t k = 0; k < 3; k++) {
            const int64_t atom = (7 * n + k * (d->cols / 3)) % d->cols, at = 3 * n + k;
            codes.index[at] = (int32_t)atom;
            double value = rng_normal(84, RNG_TEST, (uint64_t)at);
            if (type == INCO_F32)
                ((float *)codes.value)[at] = (float)value;
            else
                ((double *)codes.value)[at] = value;
            for (int64_t i = 0; i < d->rows; i++)
                mat_set(&x, i, n, 0.1 * mat_get(&x, i, n) + value * mat_get(d, i, atom));
        }
        codes.start[n + 1] = 3 * n + 3;
        codes.cols++;
    }
    assert_int_equal(training_new(&t, type, d->rows, signals, 2, NULL), INCO_OK);
    assert_int_equal(training_add(&t, d, &(pass_group){.x = &x, .codes = &codes}, NULL), INCO_OK);
    assert_int_equal(training_complete(&t, NULL), INCO_OK);
    inco_mat_free(&x);
    csc_free(&codes);
    return t;
}

/* The bound is reached, and no small rotation of the result fits the data better. */
static void projections_meet_the_bound_and_the_rotation_is_the_best(void **state) {
    const inco_type type = *(inco_type *)*state;
    const int64_t sizes[][2] = {{16, 40}, {20, 12}};
    for (int s = 0; s < 2; s++) { /* more atoms than dimensions, and fewer */
        inco_mat old = check_dictionary(INCO_F64, sizes[s][0], sizes[s][1], 85), d = copy_of(&old);
        training t = training_for(type, &old, 600);
        const ipr_settings settings = {0.3, 1e-3, 100, 1, 0, 2, 0, NULL};
        ipr_result result;
        double best, turned;
        assert_true(coherence_of(&d) > 0.4);
        assert_int_equal(ipr_project(&d, &t, &settings, &result, NULL), INCO_OK);
        assert_true(coherence_of(&d) <= 0.301);
        assert_near(coherence_of(&d), result.coherence, 1e-10);
        assert_true(result.iterations > 0 && result.iterations < 100);
        assert_unit_norms(&d);
        assert_int_equal(training_error_in(&t, &old, &d, &best, NULL), INCO_OK);
        for (int64_t a = 0; a < 5; a++) {
            inco_mat e = copy_of(&d);
            const double angle = a % 2 ? 0.02 : -0.02;
            for (int64_t j = 0; j < e.cols; j++) { /* the plane of features a and a + 1 */
                double u = mat_get(&d, a, j), v = mat_get(&d, a + 1, j);
                mat_set(&e, a, j, cos(angle) * u - sin(angle) * v);
                mat_set(&e, a + 1, j, sin(angle) * u + cos(angle) * v);
            }
            assert_int_equal(training_error_in(&t, &old, &e, &turned, NULL), INCO_OK);
            assert_true(best < turned);
            inco_mat_free(&e);
        }
        inco_mat_free(&old);
        inco_mat_free(&d);
        training_free(&t);
    }
}

/* A dictionary that satisfies the bound stays; an infeasible bound stops at the limit; a bound of zero leaves all atoms
 * finite. */
static void projections_at_the_limits(void **state) {
    (void)state;
    inco_mat old = check_dictionary(INCO_F64, 8, 20, 86), d = copy_of(&old);
    training t = training_for(INCO_F64, &old, 200);
    ipr_settings settings = {1, 1e-3, 4, 1, 0, 1, 0, NULL};
    ipr_result result;
    assert_int_equal(ipr_project(&d, &t, &settings, &result, NULL), INCO_OK);
    assert_int_equal(result.iterations, 0);
    assert_memory_equal(d.data, old.data, 8 * 20 * sizeof(double));
    for (settings.bound = 0.1; settings.bound >= 0; settings.bound -= 0.1) {
        mat_copy(&d, &old);
        assert_int_equal(ipr_project(&d, &t, &settings, &result, NULL), INCO_OK);
        assert_int_equal(result.iterations, 4);
        assert_near(coherence_of(&d), result.coherence, 1e-10);
        assert_true(result.coherence >= coherence_bound(8, 20));
        assert_unit_norms(&d);
    }
    inco_mat_free(&old);
    inco_mat_free(&d);
    training_free(&t);
}

/* Both methods for leading eigenvectors: A v = lambda v, orthonormal, the same eigenvalues, the largest of all. */
static void eigenvectors_agree(void **state) {
    (void)state;
    const int64_t n = 40, wanted = 15;
    int (*const ways[])(inco_mat *, double *, inco_mat *, inco_error *) = {lapack_leading_eigenvectors,
                                                                           lapack_leading_by_qr};
    inco_mat root = check_random(INCO_F64, n, n, 8), a, vectors, image;
    double values[2][40], trace = 0;
    assert_int_equal(inco_mat_new(&a, INCO_F64, n, n, NULL), INCO_OK);
    assert_int_equal(inco_mat_new(&vectors, INCO_F64, n, wanted, NULL), INCO_OK);
    assert_int_equal(inco_mat_new(&image, INCO_F64, n, wanted, NULL), INCO_OK);
    for (int way = 0; way < 2; way++) {
        blas_multiply(1, "NT", 1, &root, &root, 0, &a);
        assert_int_equal(ways[way](&a, values[way], &vectors, NULL), INCO_OK);
        blas_multiply(1, "NT", 1, &root, &root, 0, &a);
        blas_multiply(1, "NN", 1, &a, &vectors, 0, &image);
        for (int64_t k = 0; k < wanted; k++) {
            const double *v = mat_column(&vectors, k), *to = mat_column(&image, k);
            for (int64_t i = 0; i < n; i++) assert_true(fabs(to[i] - values[way][k] * v[i]) < 1e-10 * values[way][14]);
            assert_true(fabs(values[0][k] - values[way][k]) < 1e-10 * values[way][14]);
            for (int64_t j = 0; j < wanted; j++)
                assert_true(fabs(blas_dot(n, v, mat_column(&vectors, j)) - (j == k)) < 1e-10);
        }
    }
    for (int64_t i = 0; i < n; i++) trace += mat_get(&a, i, i);
    for (int64_t k = 0; k < wanted; k++) trace -= values[0][k];
    assert_true(trace > 0 && trace < (double)(n - wanted) * values[0][0]); /* the others are below these */
    inco_mat_free(&root);
    inco_mat_free(&a);
    inco_mat_free(&vectors);
    inco_mat_free(&image);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pair_is_rotated_to_the_bound),
        cmocka_unit_test(the_worst_pair_goes_first_and_an_atom_has_one_pair),
        cmocka_unit_test(all_pairs_end_below_the_bound),
        cmocka_unit_test(identical_and_opposite_atoms_are_parted),
        cmocka_unit_test(an_impossible_bound_stops_at_the_limit),
        BOTH(projections_meet_the_bound_and_the_rotation_is_the_best),
        cmocka_unit_test(projections_at_the_limits),
        cmocka_unit_test(eigenvectors_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
