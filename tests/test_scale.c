/* Numbers at the ends of their range: the same result, or an error that says why; never Inf, NaN or a false zero. */
#include "check.h"

#include <stdlib.h>

#include "base/memory.h"
#include "learning.h"
#include "metric/coherence.h"

static inco_mat scaled(const inco_mat *m, double factor) {
    inco_mat copy;
    assert_int_equal(mat_convert(&copy, m, m->type, NULL), INCO_OK);
    for (int64_t j = 0; j < m->cols; j++)
        for (int64_t i = 0; i < m->rows; i++) mat_set(&copy, i, j, mat_get(m, i, j) * factor);
    return copy;
}

/* Codes x; all values are finite if it succeeds. */
static int code(const inco_mat *d, const inco_mat *x, inco_encode_info *info, inco_error *error) {
    inco_options *o = OPTIONS("coder", "omp", "sparsity", "3");
    inco_source source = mat_source_of(x);
    inco_csc codes = {0};
    int status = inco_encode(d, &source, o, &codes, info, error);
    for (int64_t k = 0; status == INCO_OK && k < codes.start[codes.cols]; k++)
        assert_true(isfinite(codes.type == INCO_F32 ? ((float *)codes.value)[k] : ((double *)codes.value)[k]));
    inco_csc_free(&codes);
    inco_options_free(o);
    return status;
}

static void codes_of_signals_of_any_scale(void **state) {
    (void)state;
    inco_mat d = check_dictionary(INCO_F64, 8, 16, 1), x = check_random(INCO_F64, 8, 40, 2);
    inco_encode_info usual = INCO_INIT(inco_encode_info), info = usual;
    inco_error error;
    assert_int_equal(code(&d, &x, &usual, NULL), INCO_OK);
    for (int power = -1070; power <= 1020; power += 10) {
        inco_mat y = scaled(&x, ldexp(1, power));
        const int status = code(&d, &y, &info, &error);
        if (status == INCO_OK) {
            assert_near(info.relative_error, usual.relative_error, 1e-12);
            assert_true(info.nonzeros == usual.nonzeros);
        } else {
            assert_int_equal(status, INCO_EDATA);
            assert_non_null(strstr(error.message, "multiply the data by a power of two"));
        }
        assert_true(status == INCO_OK || power > 400 || power < -400);
        inco_mat_free(&y);
    }
    inco_mat_free(&d);
    inco_mat_free(&x);
}

/* Denormal signals among others are coded as zero, which is what they are beside them. */
static void some_signals_may_be_tiny(void **state) {
    (void)state;
    inco_mat d = check_dictionary(INCO_F64, 8, 16, 1), x = check_random(INCO_F64, 8, 40, 2);
    inco_encode_info info = INCO_INIT(inco_encode_info);
    for (int64_t i = 0; i < 8; i++) mat_set(&x, i, 7, 1e-310);
    assert_int_equal(code(&d, &x, &info, NULL), INCO_OK);
    assert_int_equal(info.zero_signals, 1);
    assert_true(info.relative_error > 0.1 && info.relative_error < 0.9);
    inco_mat_free(&d);
    inco_mat_free(&x);
}

static void atoms_of_any_norm(void **state) {
    (void)state;
    inco_mat d = check_dictionary(INCO_F64, 8, 16, 1), x = check_random(INCO_F64, 8, 40, 2);
    inco_encode_info info = INCO_INIT(inco_encode_info);
    inco_error error;
    for (int power = -1000; power <= 1000; power += 100) {
        inco_mat e = scaled(&d, ldexp(1, power));
        assert_int_equal(code(&e, &x, &info, NULL), INCO_OK);
        inco_mat_free(&e);
    }
    inco_mat e = scaled(&d, 1e-310);
    assert_int_equal(code(&e, &x, &info, &error), INCO_ENUMERIC);
    assert_non_null(strstr(error.message, "normalise the atoms"));
    inco_mat_free(&e);
    inco_mat_free(&d);
    inco_mat_free(&x);
}

/* Powers of two change no digit: the error is that of the signals as they are. */
static void learning_at_any_scale(void **state) {
    static const char *const methods[] = {"ksvd", "idl", "mod", "online"};
    const inco_type type = *(inco_type *)*state;
    inco_mat x = check_random(type, 8, 60, 3);
    for (int m = 0; m < 4; m++) {
        double error_at_one = 0;
        for (int step = 0; step <= 27; step++) {
            const int power = step ? 80 * step - 1140 : 0; /* 0, -1060, ..., 1020 */
            if (type == INCO_F32 && (power < -120 || power > 127)) continue;
            inco_mat y = scaled(&x, ldexp(1, power)), d = {0};
            inco_options *o = OPTIONS("atoms", "12", "iterations", "2", "method", methods[m], "normalize", "none",
                                      "coder", "omp", "sparsity", "2");
            inco_learn_info info = INCO_INIT(inco_learn_info);
            inco_error error;
            const int status = learn(&y, o, &d, &info, &error);
            if (status == INCO_OK) {
                assert_true(mat_is_normalized(&d) || type == INCO_F32);
                assert_true(info.relative_error > 0.05 && info.relative_error < 0.95);
                if (!step) error_at_one = info.relative_error;
                assert_near(info.relative_error, error_at_one, type == INCO_F32 ? 1e-5 : 1e-12);
            } else {
                assert_true(step > 0);
                assert_int_equal(status, INCO_EDATA);
                assert_non_null(strstr(error.message, "power of two"));
            }
            inco_mat_free(&d);
            inco_mat_free(&y);
            inco_options_free(o);
        }
    }
    inco_mat_free(&x);
}

/* A weight that leaves nothing of the signals is refused; below, the penalty still falls. */
static void huge_weights(void **state) {
    (void)state;
    static const char *const weights[] = {"1e10", "1e20", "1e28", "1e40", "1e300"};
    inco_mat x = check_random(INCO_F64, 8, 200, 3);
    for (int i = 0; i < 5; i++) {
        inco_options *o = OPTIONS("atoms", "12", "iterations", "3", "gamma", weights[i], "coder", "omp", "sparsity",
                                  "2", "init", "random");
        inco_learn_info info = INCO_INIT(inco_learn_info);
        inco_error error;
        inco_mat d = {0};
        const int status = learn(&x, o, &d, &info, &error);
        assert_int_equal(status, i < 3 ? INCO_OK : INCO_EINVAL);
        if (i < 3)
            assert_true(info.coherence_rms < 1.05 * sqrt((12.0 / 8 - 1) / 11)); /* near a tight frame */
        else
            assert_non_null(strstr(error.message, "the signals do not count at all"));
        inco_mat_free(&d);
        inco_options_free(o);
    }
    inco_mat_free(&x);
}

static void huge_weights_with_other_methods(void **state) {
    (void)state;
    static const char *const methods[] = {"mocod", "aksvdc", "online"};
    inco_mat x = check_random(INCO_F64, 8, 200, 3);
    for (int i = 0; i < 3; i++) {
        inco_options *o = OPTIONS("method", methods[i], "atoms", "12", "iterations", "3", "gamma", "1e300", "coder",
                                  "omp", "sparsity", "2");
        inco_learn_info info = INCO_INIT(inco_learn_info);
        inco_error error;
        inco_mat d = {0};
        assert_int_equal(learn(&x, o, &d, &info, &error), INCO_EINVAL);
        assert_non_null(strstr(error.message, "the signals do not count at all"));
        inco_mat_free(&d);
        inco_options_free(o);
    }
    inco_mat_free(&x);
}

static void decoding_does_not_overflow(void **state) {
    (void)state;
    double atoms[] = {1e200, 0, 0, 1}, value[] = {1e200};
    int64_t start[] = {0, 1}, index[] = {0};
    const inco_csc codes = {INCO_F64, 2, 1, start, index, value, NULL};
    const inco_mat d = mat_view(INCO_F64, 2, 2, atoms);
    inco_mat signals;
    assert_int_equal(inco_decode(&d, &codes, NULL, &signals, NULL), INCO_ENUMERIC);
    assert_null(signals.data);
}

/* Two identical atoms: no code of one atom is guaranteed, whatever the rounding of their product. */
static void guarantees_are_on_the_safe_side(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        inco_mat d = check_random(INCO_F64, 37, 5, seed);
        for (int64_t i = 0; i < 37; i++) mat_set(&d, i, 4, 1.7 * mat_get(&d, i, 1));
        inco_metrics m = INCO_INIT(inco_metrics);
        assert_int_equal(inco_inspect(&d, NULL, &m, NULL), INCO_OK);
        assert_int_equal(m.erc_sparsity, 0);
        assert_int_equal(m.babel_sparsity, 0);
        inco_metrics_free(&m);
        inco_mat_free(&d);
    }
    const double babel[] = {0.3, 0.5, 0.8};
    assert_int_equal(coherence_babel_sparsity(babel, 3, 10), 2); /* .3; .3 + .5; .5 + .8 */
}

/* Every failing allocation gives an error; without one, the result has the same bits. */
static void failing_memory_changes_nothing(void **state) {
    (void)state;
    inco_mat d = check_dictionary(INCO_F64, 16, 40, 1), x = check_random(INCO_F64, 16, 70, 2);
    inco_options *o = OPTIONS("coder", "omp", "sparsity", "6", "threads", "1");
    double first[70];
    int failures = 0;
    for (int64_t k = 0; k < 80; k++) { /* 0: none fails */
        inco_coder *coder = NULL;
        inco_csc codes = {0};
        double residual[70] = {0};
        assert_int_equal(inco_coder_new(&coder, &d, INCO_F64, o, NULL), INCO_OK);
        memory_fail_at(k);
        const int status = inco_coder_run(coder, &x, &codes, residual, NULL);
        memory_fail_at(0);
        assert_true(status == INCO_OK || (k > 0 && status == INCO_ENOMEM));
        failures += status == INCO_ENOMEM;
        if (k == 0) memcpy(first, residual, sizeof first);
        if (status == INCO_OK) assert_memory_equal(first, residual, sizeof first);
        inco_csc_free(&codes);
        inco_coder_free(coder);
    }
    assert_true(failures >= 3);
    inco_options_free(o);
    inco_mat_free(&d);
    inco_mat_free(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_of_signals_of_any_scale),
        cmocka_unit_test(some_signals_may_be_tiny),
        cmocka_unit_test(atoms_of_any_norm),
        BOTH(learning_at_any_scale),
        cmocka_unit_test(huge_weights),
        cmocka_unit_test(huge_weights_with_other_methods),
        cmocka_unit_test(decoding_does_not_overflow),
        cmocka_unit_test(guarantees_are_on_the_safe_side),
        cmocka_unit_test(failing_memory_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
