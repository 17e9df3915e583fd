/* Targets instead of gamma. */
#include "learning.h"

static inco_options *aimed(const char *option, const char *value) {
    return check_options(
        (const char *const[]){"atoms", "40", "coder", "omp", "sparsity", "4", "iterations", "25", option, value, NULL});
}

/* The Welch bound of 16 x 40 is .196; without a penalty the RMS coherence ends at .24. The first point of the path has
 * the least gamma that satisfies the target; the one written has no larger error. */
static void a_root_mean_square_coherence_is_met(void **state) {
    static const char *const targets[] = {"0.23", "0.21", "0.1965", "0.19613"};
    const inco_type type = *(inco_type *)*state;
    inco_mat truth = check_dictionary(type, 16, 40, 5), x = planted_signals(&truth, 1500, 4, 6);
    const inco_source source = mat_source_of(&x);
    double gamma = 0;
    for (int i = 0; i < 4; i++) {
        inco_path path = INCO_INIT(inco_path);
        inco_path_point least = INCO_INIT(inco_path_point), written = INCO_INIT(inco_path_point);
        inco_options *o = aimed("target-rms", targets[i]);
        inco_learner *learner;
        const double target = inco_options_get_number(o, "target-rms");
        assert_int_equal(inco_learner_new(&learner, &source, o, NULL), INCO_OK);
        assert_int_equal(inco_learner_run(learner, NULL), INCO_OK);
        assert_int_equal(inco_learner_path(learner, &path, NULL), INCO_OK);
        assert_int_equal(inco_learner_path_point(learner, 0, &least, NULL), INCO_OK);
        assert_int_equal(inco_learner_path_point(learner, path.chosen, &written, NULL), INCO_OK);
        const double tight = inco_bound(16, 40), over = pow(least.coherence_rms, 2) - tight * tight;
        assert_true(least.coherence_rms <= target * (1 + 1e-6) && written.coherence_rms <= target * (1 + 1e-6));
        assert_true(over >= 0.99 * (target * target - tight * tight)); /* gamma is not larger than necessary */
        assert_true(least.gamma > gamma);                              /* a lower coherence needs a larger gamma */
        assert_true(written.relative_error <= least.relative_error);
        gamma = least.gamma;
        inco_learner_free(learner);
        inco_options_free(o);
    }
    inco_mat_free(&truth);
    inco_mat_free(&x);
}

/* Random walks: smooth signals, for which incoherence has a small cost. */
static inco_mat walks(inco_type type) {
    inco_mat x = check_random(type, 16, 4000, 7);
    for (int64_t n = 0; n < x.cols; n++)
        for (int64_t i = 1; i < x.rows; i++) mat_set(&x, i, n, mat_get(&x, i, n) + mat_get(&x, i - 1, n));
    return x;
}

/* Either the error is used up, to what the search leaves between two weights, or there is nothing left to buy: the
 * frame is tight. */
static void an_error_is_met(void **state) {
    static const char *const targets[] = {"0.3", "0.26", "0.245"};
    const inco_type type = *(inco_type *)*state;
    inco_mat x = walks(type), d;
    for (int i = 0; i < 3; i++) {
        inco_learn_info info = INCO_INIT(inco_learn_info);
        inco_options *o = aimed("target-error", targets[i]);
        const double target = inco_options_get_number(o, "target-error");
        assert_int_equal(learn(&x, o, &d, &info, NULL), INCO_OK);
        assert_true(info.relative_error <= target);
        assert_true(info.relative_error >= 0.99 * target || info.coherence_rms < 1.001 * info.welch);
        inco_mat_free(&d);
        inco_options_free(o);
    }
    inco_mat_free(&x);
}

/* The update that is steered has the least weight; of those above it one may have a lower error. */
static void a_target_needs_no_penalty(void **state) {
    (void)state;
    inco_mat truth = check_dictionary(INCO_F64, 16, 40, 5), x = planted_signals(&truth, 1500, 4, 6);
    const inco_source source = mat_source_of(&x);
    inco_options *o = aimed("target-rms", "0.9");
    inco_learner *learner;
    inco_path_point least = INCO_INIT(inco_path_point);
    assert_int_equal(inco_learner_new(&learner, &source, o, NULL), INCO_OK);
    assert_int_equal(inco_learner_run(learner, NULL), INCO_OK);
    assert_int_equal(inco_learner_path_point(learner, 0, &least, NULL), INCO_OK);
    assert_true(least.gamma_relative < 1.001e-6 && least.coherence_rms < 0.9);
    assert_true(check_info(learner).relative_error <= least.relative_error);
    inco_learner_free(learner);
    inco_options_free(o);
    inco_mat_free(&truth);
    inco_mat_free(&x);
}

static void targets_that_make_no_sense_are_refused(void **state) {
    (void)state;
    inco_mat truth = check_dictionary(INCO_F64, 16, 40, 5), x = planted_signals(&truth, 200, 4, 6), d;
    inco_error error;
    inco_options *low = aimed("target-rms", "0.19"), *two = aimed("target-rms", "0.3"),
                 *other = aimed("target-error", "0.3"), *none = aimed("target-error", "0");
    assert_int_equal(learn(&x, none, &d, NULL, &error), INCO_EINVAL);
    assert_string_equal(error.message, "option 'target-error' = 0 is infeasible: give an error above 0");
    inco_options_free(none);
    assert_int_equal(learn(&x, low, &d, NULL, &error), INCO_EINVAL);
    assert_string_equal(error.message,
                        "option 'target-rms' = 0.19 is infeasible: 40 atoms of 16 dimensions have an rms "
                        "coherence of at least 0.196116 (that of a tight frame)");
    inco_options_set(two, "gamma", "1", NULL);
    assert_int_equal(learn(&x, two, &d, NULL, &error), INCO_EINVAL);
    assert_string_equal(error.message, "options 'gamma' and 'target-rms' set the same weight: give one of them");
    inco_options_set(other, "method", "mod", NULL);
    assert_int_equal(learn(&x, other, &d, NULL, &error), INCO_EINVAL);
    assert_string_equal(error.message, "option 'target-error' belongs to option 'method' = 'idl', not to mod");
    inco_options_free(low);
    inco_options_free(two);
    inco_options_free(other);
    inco_mat_free(&truth);
    inco_mat_free(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        BOTH(a_root_mean_square_coherence_is_met),
        BOTH(an_error_is_met),
        cmocka_unit_test(a_target_needs_no_penalty),
        cmocka_unit_test(targets_that_make_no_sense_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
