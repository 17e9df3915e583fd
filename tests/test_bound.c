/* Learning with a coherence bound, and least-squares refits of codes. */
#include <stdlib.h>

#include "code/coder.h"
#include "code/refit.h"
#include "learning.h"
#include "mat/blas.h"
#include "sparse/csc.h"

static double product(const inco_mat *a, int64_t j, const inco_mat *b, int64_t k) {
    double sum = 0;
    for (int64_t i = 0; i < a->rows; i++) sum += mat_get(a, i, j) * mat_get(b, i, k);
    return sum;
}

/* Largest |d_i'd_j| of the atoms as stored, normalised. */
static double largest_product(const inco_mat *d) {
    double largest = 0;
    for (int64_t j = 0; j < d->cols; j++)
        for (int64_t k = 0; k < j; k++)
            largest = fmax(largest, fabs(product(d, j, d, k)) / sqrt(product(d, j, d, j) * product(d, k, d, k)));
    return largest;
}

/* ---- Refits ---- */

/* Codes of three atoms with arbitrary coefficients. */
static csc some_codes(const inco_mat *d, const inco_mat *x) {
    inco_options *o = check_options((const char *const[]){"coder", "omp", "sparsity", "3", NULL});
    inco_coder *coder;
    csc codes = {0};
    assert_int_equal(inco_coder_new(&coder, d, x->type, o, NULL), INCO_OK);
    assert_int_equal(coder_run(coder, x, &codes, NULL, NULL), INCO_OK);
    for (int64_t k = 0; k < codes.start[codes.cols]; k++) {
        if (codes.type == INCO_F32)
            ((float *)codes.value)[k] = 7;
        else
            ((double *)codes.value)[k] = 7;
    }
    inco_coder_free(coder);
    inco_options_free(o);
    return codes;
}

static inco_mat products_of(const inco_mat *d) {
    inco_mat gram;
    assert_int_equal(inco_mat_new(&gram, INCO_F64, d->cols, d->cols, NULL), INCO_OK);
    blas_multiply(1, "TN", 1, d, d, 0, &gram);
    return gram;
}

static void rest_of(const inco_mat *d, const inco_mat *x, const csc *codes, int64_t n, double *rest) {
    for (int64_t i = 0; i < x->rows; i++) {
        rest[i] = mat_get(x, i, n);
        for (int64_t k = codes->start[n]; k < codes->start[n + 1]; k++)
            rest[i] -= csc_value(codes, k) * mat_get(d, i, codes->index[k]);
    }
}

/* Least squares: the residual is orthogonal to the support. */
static void refitted_codes_leave_nothing_of_their_atoms(void **state) {
    const inco_type type = *(inco_type *)*state;
    const double rounding = type == INCO_F32 ? 1e-6 : 1e-13;
    inco_mat d = check_dictionary(INCO_F64, 12, 30, 1), x = check_random(type, 12, 200, 2);
    inco_mat gram = products_of(&d);
    csc codes = some_codes(&d, &x);
    double *residual = calloc(200, sizeof *residual), rest[12];
    assert_int_equal(refit_codes(&d, &gram, &x, &codes, residual, 2, NULL), INCO_OK);
    for (int64_t n = 0; n < 200; n++) {
        inco_mat r = mat_view(INCO_F64, 12, 1, rest);
        rest_of(&d, &x, &codes, n, rest);
        for (int64_t k = codes.start[n]; k < codes.start[n + 1]; k++)
            assert_true(fabs(product(&d, codes.index[k], &r, 0)) <= rounding * sqrt(product(&x, n, &x, n)));
        assert_true(fabs(product(&r, 0, &r, 0) - residual[n]) <= rounding * product(&x, n, &x, n));
    }
    free(residual);
    csc_free(&codes);
    inco_mat_free(&gram);
    inco_mat_free(&d);
    inco_mat_free(&x);
}

static void codes_of_dependent_atoms_stay(void **state) {
    (void)state;
    inco_mat d = check_dictionary(INCO_F64, 6, 3, 3), x = check_random(INCO_F64, 6, 1, 4);
    int64_t start[] = {0, 2};
    int32_t index[] = {0, 1};
    double value[] = {0.5, 0.25}, residual, rest[6];
    csc codes = {.type = INCO_F64, .rows = 3, .cols = 1, .start = start, .index = index, .value = value};
    inco_mat r = mat_view(INCO_F64, 6, 1, rest);
    for (int64_t i = 0; i < 6; i++) mat_set(&d, i, 1, mat_get(&d, i, 0));
    inco_mat gram = products_of(&d);
    assert_int_equal(refit_codes(&d, &gram, &x, &codes, &residual, 1, NULL), INCO_OK);
    assert_true(value[0] == 0.5 && value[1] == 0.25);
    rest_of(&d, &x, &codes, 0, rest);
    assert_true(fabs(residual - product(&r, 0, &r, 0)) <= 1e-12 * residual);
    inco_mat_free(&gram);
    inco_mat_free(&d);
    inco_mat_free(&x);
}

/* ---- Learning ---- */

static inco_options *bounded(const char *bound, const char *option, const char *value) {
    return check_options((const char *const[]){"atoms", "40", "coder", "omp", "sparsity", "4", "iterations", "4",
                                               "max-coherence", bound, option, value, NULL});
}

/* Exactly, in either precision, with and without the penalty; the Welch bound of 16 x 40 is .196. */
static void a_bound_is_kept(void **state) {
    static const char *const bounds[] = {"0.9", "0.5", "0.3", "0.25"}, *const gammas[] = {"0", "0.1"};
    const inco_type type = *(inco_type *)*state;
    inco_mat truth = check_dictionary(type, 16, 40, 5), x = planted_signals(&truth, 1500, 4, 6), d;
    inco_learn_info info = INCO_INIT(inco_learn_info);
    for (int i = 0; i < 8; i++) {
        inco_options *o = bounded(bounds[i % 4], "gamma-relative", gammas[i / 4]);
        assert_int_equal(learn(&x, o, &d, &info, NULL), INCO_OK);
        assert_true(largest_product(&d) <= atof(bounds[i % 4]));
        assert_true(info.coherence_max <= info.coherence_target);
        assert_true(info.coherence_target == atof(bounds[i % 4]));
        inco_mat_free(&d);
        inco_options_free(o);
    }
    inco_mat_free(&truth);
    inco_mat_free(&x);
}

/* Without iterations: the initial dictionary itself is made to satisfy the bound. */
static void a_bound_is_kept_without_iterations(void **state) {
    const inco_type type = *(inco_type *)*state;
    inco_mat truth = check_dictionary(type, 16, 40, 5), x = planted_signals(&truth, 1500, 4, 6), d;
    inco_options *o = bounded("0.4", "iterations", "0");
    assert_int_equal(learn(&x, o, &d, NULL, NULL), INCO_OK);
    assert_true(largest_product(&d) <= 0.4);
    inco_options_free(o);
    inco_mat_free(&d);
    inco_mat_free(&truth);
    inco_mat_free(&x);
}

/* Stops in one phase, from its first call on; `closing` counts the reports of the final search. */
typedef struct stopper {
    const char *phase;
    int stopping, closing;
} stopper;

static int stop_there(void *self, const inco_progress *now) {
    stopper *s = self;
    s->closing += !strcmp(now->phase, "bound");
    s->stopping |= !strcmp(now->phase, s->phase);
    return s->stopping;
}

/* A stopped run satisfies the bound, also if it is stopped in the final search, which then reports no more. */
static void a_stopped_run_keeps_its_bound(void **state) {
    (void)state;
    inco_mat truth = check_dictionary(INCO_F64, 16, 40, 5), x = planted_signals(&truth, 1500, 4, 6);
    inco_source source = mat_source_of(&x);
    inco_options *o = bounded("0.3", "iterations", "8");
    stopper stops[] = {{"iteration", 0, 0}, {"bound", 0, 0}};
    for (int i = 0; i < 2; i++) {
        inco_learner *learner;
        check_watch(o, stop_there, &stops[i]);
        assert_int_equal(inco_learner_new(&learner, &source, o, NULL), INCO_OK);
        assert_int_equal(inco_learner_run(learner, NULL), INCO_STOPPED);
        const inco_learn_info info = check_info(learner);
        assert_int_equal(info.iterations, i == 0 ? 1 : 8);
        assert_string_equal(info.stopped_by, "callback");
        assert_int_equal(info.unused, -1); /* there was no final coding */
        assert_true(info.coherence_max <= 0.3);
        assert_int_equal(stops[i].closing, i);
        inco_learner_free(learner);
    }
    inco_options_free(o);
    inco_mat_free(&truth);
    inco_mat_free(&x);
}

static int note_coherence(void *self, const inco_progress *now) {
    if (!strcmp(now->phase, "iteration")) ((double *)self)[now->iteration - 1] = now->coherence_max;
    return 0;
}

/* (BOUND-8): the first update is free, the next come closer, the last are near the bound. If the initial dictionary
 * satisfies the bound, all updates stay near it. */
static void a_bound_is_approached(void **state) {
    (void)state;
    enum { ITERATIONS = 8 };
    inco_mat truth = check_dictionary(INCO_F64, 16, 40, 5), x = planted_signals(&truth, 1500, 4, 6), kept;
    inco_source source = mat_source_of(&x);
    inco_options *o = bounded("0.3", "iterations", "8");
    double coherence[ITERATIONS] = {0};
    inco_learner *learner;
    check_watch(o, note_coherence, coherence);
    assert_int_equal(inco_learner_new(&learner, &source, o, NULL), INCO_OK);
    assert_int_equal(inco_learner_run(learner, NULL), INCO_OK);
    assert_true(coherence[0] > 0.51); /* the bound of the second */
    for (int t = 1; t < ITERATIONS; t++) assert_true(coherence[t] < 1.15 * (0.3 + 0.7 * pow(0.3, t)));
    kept = check_learned(learner);
    inco_learner *again;
    assert_int_equal(inco_learner_new(&again, &source, o, NULL), INCO_OK);
    assert_int_equal(inco_learner_start_from(again, &kept, NULL), INCO_OK);
    assert_int_equal(inco_learner_run(again, NULL), INCO_OK);
    for (int t = 0; t < ITERATIONS; t++) assert_true(coherence[t] < 1.15 * 0.3);
    inco_learner_free(again);
    inco_learner_free(learner);
    inco_options_free(o);
    inco_mat_free(&truth);
    inco_mat_free(&x);
}

static int stop_in_second(void *self, const inco_progress *now) {
    (void)self;
    return now->iteration == 2 && !strcmp(now->phase, "code");
}

static void a_run_that_is_stopped_keeps_its_bound(void **state) {
    const inco_type type = *(inco_type *)*state;
    inco_mat truth = check_dictionary(type, 16, 40, 5), x = planted_signals(&truth, 1500, 4, 6);
    inco_source source = mat_source_of(&x);
    inco_options *o = bounded("0.3", "seed", "1");
    inco_learner *learner;
    check_watch(o, stop_in_second, NULL);
    assert_int_equal(inco_learner_new(&learner, &source, o, NULL), INCO_OK);
    assert_int_equal(inco_learner_run(learner, NULL), INCO_STOPPED);
    inco_mat d = check_learned(learner);
    assert_true(largest_product(&d) <= 0.3);
    assert_int_equal(check_info(learner).iterations, 1);
    inco_learner_free(learner);
    inco_options_free(o);
    inco_mat_free(&truth);
    inco_mat_free(&x);
}

static void a_bound_that_nothing_keeps_is_refused(void **state) {
    (void)state;
    inco_mat truth = check_dictionary(INCO_F32, 16, 40, 5), x = planted_signals(&truth, 200, 4, 6), d;
    inco_error error = {0};
    inco_options *low = bounded("0.19", "seed", "0"), *none = bounded("0", "atoms", "8");
    assert_int_equal(learn(&x, low, &d, NULL, &error), INCO_EINVAL);
    assert_string_equal(error.message,
                        "option 'max-coherence' = 0.19 is infeasible: 40 atoms of 16 dimensions have a coherence "
                        "of at least 0.196116 (Welch bound)");
    assert_int_equal(learn(&x, none, &d, NULL, &error), INCO_EINVAL);
    assert_string_equal(error.message,
                        "option 'max-coherence' = 0 is below the rounding errors of f32: give 1e-06 or more");
    inco_options_free(low);
    inco_options_free(none);
    inco_mat_free(&truth);
    inco_mat_free(&x);
}

/* Just above the Welch bound, which only an equiangular frame of this size attains: the best found is returned and
 * reported. */
static void a_bound_that_is_missed_is_told(void **state) {
    (void)state;
    inco_mat truth = check_dictionary(INCO_F64, 16, 40, 5), x = planted_signals(&truth, 400, 4, 6), d;
    inco_options *o = bounded("0.1962", "seed", "0");
    inco_learn_info info = INCO_INIT(inco_learn_info);
    assert_int_equal(learn(&x, o, &d, &info, NULL), INCO_OK);
    assert_true(info.coherence_max > info.coherence_target);
    assert_true(fabs(info.coherence_max - largest_product(&d)) < 1e-12);
    assert_true(info.coherence_max < 0.25);
    inco_options_free(o);
    inco_mat_free(&d);
    inco_mat_free(&truth);
    inco_mat_free(&x);
}

/* Refits between updates reduce the error after the same number of iterations. */
static void code_updates_lower_the_error(void **state) {
    static const char *const rounds[] = {"0", "3"}, *const methods[] = {"idl", "mod", "mocod"};
    const inco_type type = *(inco_type *)*state;
    inco_mat truth = check_dictionary(type, 16, 40, 5), x = planted_signals(&truth, 1500, 4, 6), d;
    for (int m = 0; m < 3; m++) {
        double error[2];
        for (int i = 0; i < 2; i++) {
            inco_learn_info info = INCO_INIT(inco_learn_info);
            inco_options *o =
                check_options((const char *const[]){"atoms", "40", "coder", "omp", "sparsity", "4", "iterations", "4",
                                                    "method", methods[m], "code-updates", rounds[i], NULL});
            if (m == 0) inco_options_set(o, "schedule", "batch", NULL);
            assert_int_equal(learn(&x, o, &d, &info, NULL), INCO_OK);
            error[i] = info.relative_error;
            inco_mat_free(&d);
            inco_options_free(o);
        }
        assert_true(error[1] < 0.97 * error[0]);
    }
    inco_mat_free(&truth);
    inco_mat_free(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        BOTH(refitted_codes_leave_nothing_of_their_atoms),
        cmocka_unit_test(codes_of_dependent_atoms_stay),
        BOTH(a_bound_is_kept),
        BOTH(a_bound_is_kept_without_iterations),
        BOTH(a_run_that_is_stopped_keeps_its_bound),
        cmocka_unit_test(a_stopped_run_keeps_its_bound),
        cmocka_unit_test(a_bound_is_approached),
        cmocka_unit_test(a_bound_that_nothing_keeps_is_refused),
        cmocka_unit_test(a_bound_that_is_missed_is_told),
        BOTH(code_updates_lower_the_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
