/* The nearest dictionary that satisfies a bound, and inco_decohere. */
#include "check.h"
#include "sample.h"

#include "base/memory.h"
#include "design/nearest.h"
#include "metric/coherence.h"

static double coherence_of(const inco_mat *d) {
    coherence mu;
    assert_int_equal(coherence_measure(d, 1, &mu, NULL), INCO_OK);
    return mu.max;
}

static double distance(const inco_mat *d, const inco_mat *e) {
    double sum = 0;
    for (int64_t j = 0; j < d->cols; j++)
        for (int64_t i = 0; i < d->rows; i++) sum += pow(mat_get(d, i, j) - mat_get(e, i, j), 2);
    return sum;
}

static nearest_result run_with(inco_mat *d, const double *weight, const statistics *s,
                               const nearest_settings *settings) {
    nearest_result result;
    inco_error error = {0};
    if (nearest(d, weight, s, settings, &result, &error) != INCO_OK) fail_msg("%s", error.message);
    assert_near(coherence_of(d), result.coherence, 1e-14);
    for (int64_t j = 0; j < d->cols; j++) assert_near(mat_column_norm(d, j), 1, 1e-14);
    return result;
}

static nearest_result run_nearest(inco_mat *d, const double *weight, const statistics *s, double bound) {
    const nearest_settings settings = {.bound = bound, .iterations = 300, .threads = 2};
    return run_with(d, weight, s, &settings);
}

/* Two atoms violate the bound: each is rotated by half of the missing angle, or as the weights divide it. */
static void two_atoms_turn_apart(void **state) {
    (void)state;
    const double bound = 0.5, angle = 0.3, missing = acos(bound) - angle;
    for (int opposite = 0; opposite < 2; opposite++) {
        inco_mat d;
        assert_int_equal(inco_mat_new(&d, INCO_F64, 3, 2, NULL), INCO_OK);
        mat_set(&d, 0, 0, 1);
        mat_set(&d, 0, 1, opposite ? -cos(angle) : cos(angle));
        mat_set(&d, 1, 1, opposite ? -sin(angle) : sin(angle));
        inco_mat old = copy_of(&d);
        nearest_result r = run_nearest(&d, NULL, NULL, bound);
        assert_int_equal(r.reached, 1);
        assert_near(r.coherence, bound, 1e-4 * bound);
        assert_near(r.after, 2 * pow(2 * sin(missing / 4), 2), 1e-4);
        assert_near(r.after, distance(&d, &old), 1e-12);
        assert_near(mat_get(&d, 1, 0), -sin(missing / 2), 1e-4);
        inco_mat_free(&d);
        inco_mat_free(&old);
    }
}

static void a_heavy_atom_moves_less(void **state) {
    (void)state;
    const double weight[] = {1e4, 1};
    inco_mat d;
    assert_int_equal(inco_mat_new(&d, INCO_F64, 2, 2, NULL), INCO_OK);
    mat_set(&d, 0, 0, 1);
    mat_set(&d, 0, 1, cos(0.3));
    mat_set(&d, 1, 1, sin(0.3));
    assert_int_equal(run_nearest(&d, weight, NULL, 0.5).reached, 1);
    assert_near(mat_get(&d, 0, 0), 1, 1e-6);
    assert_near(mat_get(&d, 0, 1), 0.5, 1e-2);
    inco_mat_free(&d);
}

static void atoms_that_keep_the_bound_stay(void **state) {
    (void)state;
    inco_mat d = check_dictionary(INCO_F64, 20, 30, 111), old = copy_of(&d);
    nearest_result r = run_nearest(&d, NULL, NULL, coherence_of(&d));
    assert_true(r.reached && r.stages == 0 && r.after == 0);
    assert_memory_equal(d.data, old.data, 600 * sizeof(double));
    /* one pair above the bound: the others do not move */
    for (int64_t i = 0; i < 20; i++) mat_set(&d, i, 1, mat_get(&d, i, 0) + 0.1 * mat_get(&d, i, 1));
    mat_normalize_columns(&d, NULL);
    mat_copy(&old, &d);
    r = run_nearest(&d, NULL, NULL, 0.9);
    assert_int_equal(r.reached, 1);
    assert_memory_not_equal(mat_column(&d, 0), mat_column(&old, 0), 40 * sizeof(double));
    assert_memory_equal(mat_column(&d, 2), mat_column(&old, 2), 28 * 20 * sizeof(double));
    inco_mat_free(&d);
    inco_mat_free(&old);
}

/* Sixteen atoms in six dimensions, initially only three different ones. */
static void equal_and_opposite_atoms_part(void **state) {
    (void)state;
    inco_mat d = check_dictionary(INCO_F64, 6, 16, 112);
    for (int64_t j = 3; j < 16; j++)
        for (int64_t i = 0; i < 6; i++) mat_set(&d, i, j, (j % 2 ? 1 : -1) * mat_get(&d, i, j % 3));
    nearest_result r = run_nearest(&d, NULL, NULL, 0.6);
    assert_int_equal(r.reached, 1);
    assert_true(r.coherence <= 0.6);
    inco_mat_free(&d);
}

/* Bounds below and at the lowest known coherence. */
static void a_bound_near_the_limit(void **state) {
    (void)state;
    inco_mat d = check_dictionary(INCO_F64, 8, 20, 113), old = copy_of(&d);
    nearest_result r = run_nearest(&d, NULL, NULL, 0.29); /* Welch .281, many starts .315 */
    assert_int_equal(r.reached, 0);
    assert_true(r.coherence > 0.29 && r.coherence < 0.34);
    mat_copy(&d, &old);
    r = run_nearest(&d, NULL, NULL, 0.36);
    assert_true(r.reached && r.coherence <= 0.36);
    inco_mat_free(&d);
    inco_mat_free(&old);
}

/* With statistics the error is lower than that of the dictionary nearest in norm. */
/* (DECO-5): satisfies the bound after some twenty evaluations, from atoms that are equal too, and stays near the input.
 */
static void a_quick_search_satisfies_the_bound(void **state) {
    (void)state;
    const double bounds[] = {0.7, 0.5, 0.35};
    for (int i = 0; i < 3; i++) {
        const nearest_settings quick = {
            .bound = bounds[i], .iterations = 300, .threads = 2, .care = NEAREST_QUICKLY, .seed = 3};
        inco_mat d = check_dictionary(INCO_F64, 16, 40, 7);
        memcpy(mat_column(&d, 4), mat_column(&d, 11), 16 * sizeof(double));
        inco_mat old = copy_of(&d), near = copy_of(&d);
        const nearest_result r = run_with(&d, NULL, NULL, &quick);
        const nearest_result best = run_nearest(&near, NULL, NULL, bounds[i]);
        assert_int_equal(r.reached, 1);
        assert_true(r.coherence <= bounds[i]);
        assert_true(2 * r.evaluations < best.evaluations);
        assert_true(distance(&near, &old) <= distance(&d, &old));
        assert_true(distance(&d, &old) < 3 * distance(&near, &old));
        inco_mat_free(&d);
        inco_mat_free(&old);
        inco_mat_free(&near);
    }
}

static void data_weighs_the_change(void **state) {
    (void)state;
    sample t = sample_new(12, 30, 600, 0, 0.1);
    inco_mat d = copy_of(&t.d), e = copy_of(&t.d);
    const double bound = 0.45;
    assert_true(coherence_of(&t.d) > 0.6);
    nearest_result by_data = run_nearest(&d, NULL, &t.s, bound), by_norm = run_nearest(&e, NULL, NULL, bound);
    assert_true(by_data.reached && by_norm.reached);
    assert_near(by_data.after, direct_objective(&t, &d, 0), 1e-9 * t.s.energy);
    assert_near(by_data.before, direct_objective(&t, &t.d, 0), 1e-9 * t.s.energy);
    assert_true(by_data.after < 0.9 * direct_objective(&t, &e, 0));
    assert_true(distance(&t.d, &e) < distance(&t.d, &d));
    inco_mat_free(&d);
    inco_mat_free(&e);
    sample_free(&t);
}

static void nearest_lacks_memory(void **state) {
    (void)state;
    int done = 0;
    inco_mat old = check_dictionary(INCO_F64, 3, 5, 114);
    for (int64_t k = 1; !done; k++) {
        const nearest_settings settings = {.bound = 0.46, .iterations = 3, .threads = 1}; /* Welch .408 */
        nearest_result result;
        inco_mat d = copy_of(&old);
        memory_fail_at(k);
        int status = nearest(&d, NULL, NULL, &settings, &result, NULL);
        memory_fail_at(0);
        done = status == INCO_OK;
        if (!done) assert_int_equal(status, INCO_ENOMEM);
        inco_mat_free(&d);
        assert_true(k < 5000);
    }
    inco_mat_free(&old);
}

/* ---- inco_decohere ---- */

static inco_mat decohere(const inco_mat *d, const inco_source *data, inco_options *o, inco_decohere_info *info) {
    inco_error error = {0};
    inco_metrics m = INCO_INIT(inco_metrics);
    inco_mat e;
    if (inco_decohere(d, data, o, &e, info, &error) != INCO_OK) fail_msg("%s", error.message);
    assert_int_equal(inco_inspect(&e, NULL, &m, NULL), INCO_OK);
    assert_near(m.coherence_max, info->coherence_max, 1e-15);
    assert_int_equal(m.coherence_max <= info->bound, info->reached);
    inco_metrics_free(&m);
    inco_options_free(o);
    return e;
}

/* Norms of any size stay, zero atoms too, in both types; the bound holds for the values as stored. */
static void norms_and_zero_atoms_stay(void **state) {
    const inco_type type = *(inco_type *)*state;
    inco_mat d = check_dictionary(type, 10, 24, 115);
    inco_decohere_info info = INCO_INIT(inco_decohere_info);
    for (int64_t j = 0; j < 24; j++)
        for (int64_t i = 0; i < 10; i++)
            mat_set(&d, i, j, j == 5 ? 0 : mat_get(&d, i, j) * pow(10, (double)(j % 5) - 2));
    inco_mat e = decohere(&d, NULL, OPTIONS("max-coherence", "0.5"), &info);
    assert_true(info.reached && info.coherence_before > 0.6 && info.zero_atoms == 1 && e.type == type);
    assert_true(info.coherence_max > 0.4999);
    for (int64_t j = 0; j < 24; j++)
        assert_near(mat_column_norm(&e, j), mat_column_norm(&d, j), 1e-6 * mat_column_norm(&d, j));
    inco_mat none = check_random(type, 10, 24, 0);
    for (int64_t j = 0; j < 24; j++)
        for (int64_t i = 0; i < 10; i++) mat_set(&none, i, j, 0);
    assert_near(info.change, sqrt(distance(&d, &e) / distance(&d, &none)), 1e-12);
    inco_mat_free(&none);
    inco_mat_free(&d);
    inco_mat_free(&e);
}

static void a_dictionary_within_the_bound_is_returned(void **state) {
    (void)state;
    inco_mat d = check_random(INCO_F32, 30, 20, 116);
    inco_decohere_info info = INCO_INIT(inco_decohere_info);
    inco_mat e = decohere(&d, NULL, OPTIONS("max-coherence", "0.9"), &info);
    assert_true(info.reached && info.moved == 0 && info.change == 0);
    assert_memory_equal(d.data, e.data, 600 * sizeof(float));
    inco_mat_free(&d);
    inco_mat_free(&e);
}

static void data_is_coded_and_counted(void **state) {
    (void)state;
    sample t = sample_new(12, 30, 600, 4, 0.1);
    const inco_source source = mat_source_of(&t.x);
    inco_decohere_info info = INCO_INIT(inco_decohere_info), plain = INCO_INIT(inco_decohere_info);
    inco_mat e = decohere(&t.d, &source, OPTIONS("max-coherence", "0.45", "coder", "omp", "sparsity", "3"), &info);
    inco_mat f = decohere(&t.d, NULL, OPTIONS("max-coherence", "0.45"), &plain);
    assert_true(info.reached && plain.reached && info.signals == 600 && plain.signals == 0);
    assert_near(info.mean_cardinality, 3, 1e-12);
    assert_true(info.relative_error > 0 && info.relative_error_before > 0 && isnan(plain.relative_error));
    assert_true(info.change > plain.change);
    inco_mat_free(&e);
    inco_mat_free(&f);
    sample_free(&t);
}

static void refuse(const inco_mat *d, const inco_source *data, inco_options *o, int code, const char *says) {
    inco_decohere_info info = INCO_INIT(inco_decohere_info);
    inco_error error = {0};
    inco_mat e;
    assert_int_equal(inco_decohere(d, data, o, &e, &info, &error), code);
    if (!strstr(error.message, says)) fail_msg("'%s' is not in: %s", says, error.message);
    assert_null(e.data);
    inco_options_free(o);
}

static void what_cannot_be_is_refused(void **state) {
    (void)state;
    inco_mat d = check_dictionary(INCO_F64, 4, 8, 117), x = check_random(INCO_F64, 5, 10, 118);
    const inco_source source = mat_source_of(&x);
    refuse(&d, NULL, inco_options_new(), INCO_EINVAL, "option 'max-coherence'");
    refuse(&d, NULL, OPTIONS("max-coherence", "0.37"), INCO_EINVAL, "at least 0.377964 (Welch"); /* sqrt(4 / 28) */
    refuse(&d, NULL, OPTIONS("max-coherence", "0.5", "sparsity", "3"), INCO_EINVAL, "option 'sparsity'");
    refuse(&d, NULL, OPTIONS("max-coherence", "0.5", "center", "signal"), INCO_EINVAL, "option 'center'");
    refuse(&d, &source, OPTIONS("max-coherence", "0.5"), INCO_EDIM, "5");
    mat_set(&d, 2, 3, NAN);
    refuse(&d, NULL, OPTIONS("max-coherence", "0.5"), INCO_EDATA, "atom 3, feature 2");
    inco_mat_free(&d);
    d = check_dictionary(INCO_F32, 4, 3, 119);
    refuse(&d, NULL, OPTIONS("max-coherence", "1e-8"), INCO_EINVAL, "rounding");
    inco_mat_free(&d);
    inco_mat_free(&x);
}

int main(void) {
    static inco_type f32 = INCO_F32, f64 = INCO_F64;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_atoms_turn_apart),
        cmocka_unit_test(a_heavy_atom_moves_less),
        cmocka_unit_test(atoms_that_keep_the_bound_stay),
        cmocka_unit_test(equal_and_opposite_atoms_part),
        cmocka_unit_test(a_bound_near_the_limit),
        cmocka_unit_test(a_quick_search_satisfies_the_bound),
        cmocka_unit_test(data_weighs_the_change),
        cmocka_unit_test(nearest_lacks_memory),
        {"norms_and_zero_atoms_stay (f32)", norms_and_zero_atoms_stay, NULL, NULL, &f32},
        {"norms_and_zero_atoms_stay (f64)", norms_and_zero_atoms_stay, NULL, NULL, &f64},
        cmocka_unit_test(a_dictionary_within_the_bound_is_returned),
        cmocka_unit_test(data_is_coded_and_counted),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
