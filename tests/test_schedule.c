/* The schedule of growing batches: order of the signals, sizes and weights of the batches, and the loop. */
#include "learning.h"

#include <stdio.h>
#include <stdlib.h>

#include "data/order.h"
#include "learn/learn.h"
#include "learn/learner_state.h"
#include "mat/mat.h"
#include "metric/coherence.h"

/* ---- The order ---- */

static void the_order_is_a_permutation(void **state) {
    static const int64_t counts[] = {1, 15, 16, 31, 32, 33, 100, 1600, 4321, 30000};
    (void)state;
    for (int k = 0; k < 10; k++)
        for (int sequential = 0; sequential < 2; sequential++) {
            const inco_source from = {.count = counts[k], .dim = 1, .sequential = sequential};
            spread_order order;
            char *seen = calloc((size_t)counts[k], 1);
            order_make(&order, &from);
            for (int64_t i = 0; i < counts[k]; i++) {
                const int64_t n = order_index(&order, i);
                assert_true(n >= 0 && n < counts[k] && !seen[n]);
                if (sequential) assert_int_equal(n, i);
                seen[n] = 1;
            }
            free(seen);
        }
}

/* A batch of 1/16 of the signals has its share of every eighth of the data, up to a block of 16 at each end. */
static void batches_come_from_everywhere(void **state) {
    enum { COUNT = 16384, BATCH = COUNT / 16 };
    const inco_source from = {.count = COUNT, .dim = 1};
    spread_order order;
    (void)state;
    order_make(&order, &from);
    for (int64_t first = 0; first < COUNT; first += BATCH) {
        int64_t in[8] = {0};
        for (int64_t i = first; i < first + BATCH; i++) in[order_index(&order, i) / (COUNT / 8)]++;
        for (int k = 0; k < 8; k++) assert_in_range(in[k], BATCH / 8 - 32, BATCH / 8 + 32);
    }
}

static void signals_are_read_in_the_order(void **state) {
    (void)state;
    inco_mat x = check_random(INCO_F64, 3, 1003, 1), out;
    const inco_source from = mat_source_of(&x);
    spread_order order;
    order_make(&order, &from);
    assert_int_equal(inco_mat_new(&out, INCO_F64, 3, 200, NULL), INCO_OK);
    for (int64_t first = 0; first < 1003 - 200; first += 67) {
        assert_int_equal(order.source.read(order.source.self, first, 200, out.data, NULL), INCO_OK);
        for (int64_t i = 0; i < 200; i++)
            assert_memory_equal(mat_column(&out, i), mat_column(&x, order_index(&order, first + i)),
                                3 * sizeof(double));
    }
    inco_mat_free(&x);
    inco_mat_free(&out);
}

/* ---- The loop ---- */

typedef struct pass_log {
    int64_t iterations, steps[32]; /* batches per iteration */
    int64_t last_done, backwards, incomplete;
    double rise;
} pass_log;

static int note_pass(void *self, const inco_progress *now) {
    pass_log *log = self;
    if (!strcmp(now->phase, "code")) {
        log->backwards += now->done <= log->last_done;
        log->last_done = now->done;
        log->steps[now->iteration]++;
    }
    if (strcmp(now->phase, "iteration")) return 0;
    log->iterations++;
    log->incomplete += log->last_done != now->total;
    log->rise = fmax(log->rise, now->objective - now->objective_before);
    log->last_done = 0;
    return 0;
}

/* An iteration codes every signal once, in more batches at first than later; the last ones are whole passes. */
static void an_iteration_stays_one_pass(void **state) {
    const inco_type type = *(inco_type *)*state;
    inco_mat truth = check_dictionary(type, 12, 24, 3), x = planted_signals(&truth, 1000, 3, 4), d;
    inco_options *o = OPTIONS("atoms", "24", "coder", "omp", "sparsity", "3", "iterations", "12");
    inco_learn_info info = INCO_INIT(inco_learn_info);
    pass_log log = {.rise = -INFINITY};
    check_watch(o, note_pass, &log);
    assert_int_equal(learn(&x, o, &d, &info, NULL), INCO_OK);
    assert_int_equal(info.iterations, 12);
    assert_int_equal(log.iterations, 12);
    assert_int_equal(log.backwards + log.incomplete, 0);
    /* (SCHED-1): 48 signals until 384 were coded, then an eighth of those coded before */
    assert_in_range(log.steps[1], 8, 20);
    for (int i = 2; i <= 12; i++) assert_true(log.steps[i] <= log.steps[i - 1]);
    for (int i = 10; i <= 12; i++) assert_int_equal(log.steps[i], 1);
    assert_true(log.rise <= 0);
    inco_options_free(o);
    inco_mat_free(&d);
    inco_mat_free(&truth);
    inco_mat_free(&x);
}

static inco_mat learned_with(const inco_source *source, const char *schedule, const inco_mat *start,
                             const char *const more[]) {
    inco_options *o = check_options(more);
    inco_learner *handle;
    inco_mat d;
    assert_int_equal(inco_options_set(o, "schedule", schedule, NULL), INCO_OK);
    assert_int_equal(inco_learner_new(&handle, source, o, NULL), INCO_OK);
    if (start) assert_int_equal(inco_learner_start_from(handle, start, NULL), INCO_OK);
    assert_int_equal(inco_learner_run(handle, NULL), INCO_OK);
    const inco_mat view = check_learned(handle);
    assert_int_equal(mat_convert(&d, &view, INCO_F64, NULL), INCO_OK);
    inco_learner_free(handle);
    inco_options_free(o);
    return d;
}

static int same(inco_mat a, inco_mat b) {
    const int equal = !memcmp(a.data, b.data, (size_t)(a.rows * a.cols) * sizeof(double));
    inco_mat_free(&a);
    inco_mat_free(&b);
    return equal;
}

/* auto is growing if there are 64 signals and eight per atom, and the dictionary is not given. */
static void the_default_depends_on_the_signals(void **state) {
    static const char *const how[] = {"atoms", "20", "coder", "omp", "sparsity", "2", "iterations", "2", NULL};
    (void)state;
    inco_mat x = check_random(INCO_F64, 8, 160, 2), start = check_dictionary(INCO_F64, 8, 20, 3);
    inco_source source = mat_source_of(&x);
    assert_true(same(learned_with(&source, "auto", NULL, how), learned_with(&source, "growing", NULL, how)));
    assert_false(same(learned_with(&source, "auto", NULL, how), learned_with(&source, "batch", NULL, how)));
    assert_true(same(learned_with(&source, "auto", &start, how), learned_with(&source, "batch", &start, how)));
    assert_false(same(learned_with(&source, "auto", &start, how), learned_with(&source, "growing", &start, how)));
    source.count = 159;
    assert_true(same(learned_with(&source, "auto", NULL, how), learned_with(&source, "batch", NULL, how)));
    inco_mat_free(&x);
    inco_mat_free(&start);
}

/* Unit-norm signals with a common mean. */
static inco_mat shifted_signals(double shift) {
    inco_mat x = check_random(INCO_F64, 9, 300, 4);
    for (int64_t n = 0; n < x.cols; n++)
        for (int64_t i = 0; i < x.rows; i++) mat_set(&x, i, n, mat_get(&x, i, n) + shift);
    mat_normalize_columns(&x, NULL);
    return x;
}

/* v and the evenness of unit-norm signals, to six digits. */
static void measure_plainly(const inco_mat *x, double *v, double *evenness) {
    double mean = 0, square = 0;
    for (int64_t i = 0; i < x->rows; i++) {
        double sum = 0;
        for (int64_t n = 0; n < x->cols; n++) sum += mat_get(x, i, n) / (double)x->cols;
        mean += sum * sum;
        for (int64_t k = 0; k < x->rows; k++) {
            double m = 0;
            for (int64_t n = 0; n < x->cols; n++) m += mat_get(x, i, n) * mat_get(x, k, n) / (double)x->cols;
            square += m * m;
        }
    }
    *v = round((1 - mean) * 1e6) / 1e6;
    *evenness = round(1 / square * 1e6) / 1e6;
}

/* (GAIN-1), (DROP-4), (SCHED-5): the same bits as with these numbers. */
static void defaults_follow_the_variance(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        inco_mat x = shifted_signals(0.7 * k);
        const inco_source source = mat_source_of(&x);
        char lambda[32], dropout[32], weight[32];
        double v, evenness;
        measure_plainly(&x, &v, &evenness);
        snprintf(lambda, sizeof lambda, "%.17g", 0.3 * cbrt(v));
        snprintf(dropout, sizeof dropout, "%.17g", 0.15 * cbrt(v));
        snprintf(weight, sizeof weight, "%.17g", 0.016 * v * v + 0.1 * pow(fmin(1, evenness / 9), 8));
        assert_true(k ? v < 0.9 : evenness > 8);
        assert_true(same(learned_with(&source, "auto", NULL, (const char *const[]){"atoms", "20", NULL}),
                         learned_with(&source, "auto", NULL,
                                      (const char *const[]){"atoms", "20", "lambda", lambda, "dropout", dropout,
                                                            "gamma-relative", weight, NULL})));
        inco_learn_info info = INCO_INIT(inco_learn_info);
        inco_options *o = OPTIONS("atoms", "20");
        inco_mat d;
        assert_int_equal(learn(&x, o, &d, &info, NULL), INCO_OK);
        assert_near(info.stop_gain, atof(lambda), 1e-15);
        assert_near(info.dropout, atof(dropout), 1e-15);
        inco_options_free(o);
        MAT_FREE_ALL(&d, &x);
    }
}

/* Not for signals of any norm, shrunken coefficients, free norms, other methods or with a bound. */
static void defaults_have_their_conditions(void **state) {
    static const char *const pairs[][2][9] = {
        {{"normalize", "none", "dropout", "0.1", NULL}, {"normalize", "none", "dropout", "0.1", "sparsity", "2", NULL}},
        {{"coder", "larc", NULL}, {"coder", "larc", "dropout", "0", NULL}},
        {{"norms", "rescale", NULL}, {"norms", "rescale", "dropout", "0", NULL}},
        {{"method", "mod", NULL}, {"method", "mod", "sparsity", "2", NULL}},
        {{"max-coherence", "0.8", NULL}, {"max-coherence", "0.8", "sparsity", "2", "dropout", "0", NULL}},
    };
    (void)state;
    inco_mat x = shifted_signals(0.3);
    const inco_source source = mat_source_of(&x);
    for (int k = 0; k < 5; k++) {
        inco_mat d[2];
        for (int i = 0; i < 2; i++) {
            inco_options *o = check_options(pairs[k][i]);
            assert_int_equal(inco_options_set(o, "atoms", "20", NULL), INCO_OK);
            assert_int_equal(inco_learn(&source, o, &d[i], NULL, NULL), INCO_OK);
            inco_options_free(o);
        }
        assert_true(same(d[0], d[1]));
    }
    inco_mat_free(&x);
}

static void same_bits_for_any_number_of_threads(void **state) {
    const inco_type type = *(inco_type *)*state;
    inco_mat truth = check_dictionary(type, 24, 60, 3), x = planted_signals(&truth, 6000, 5, 4);
    check_threads(&x, OPTIONS("atoms", "60", "sparsity", "5", "iterations", "3", "exchange", "yes"));
    check_threads(&x, OPTIONS("atoms", "60", "iterations", "2"));
    check_threads(&x,
                  OPTIONS("atoms", "60", "coder", "omp", "sparsity", "5", "iterations", "2", "max-coherence", "0.6"));
    inco_mat_free(&truth);
    inco_mat_free(&x);
}

/* In the middle of the batches, and after them. */
static void a_resumed_run_has_the_same_bits(void **state) {
    const inco_type type = *(inco_type *)*state;
    inco_mat truth = check_dictionary(type, 16, 40, 5), x = planted_signals(&truth, 900, 4, 6);
    inco_source source = mat_source_of(&x);
    for (int64_t at = 1; at <= 9; at += 4) {
        inco_options *o = OPTIONS("atoms", "40", "coder", "omp", "sparsity", "4", "iterations", "10", "unused",
                                  "sample", "max-coherence", "0.7");
        resumption r;
        check_resumed(&r, &source, o, at);
        assert_true(r.whole.told == 10);
        resumption_free(&r);
    }
    inco_mat_free(&truth);
    inco_mat_free(&x);
}

/* The defaults that depend on the signals are those of the whole run. */
static void a_resumed_run_keeps_its_defaults(void **state) {
    const inco_type type = *(inco_type *)*state;
    inco_mat truth = check_dictionary(type, 16, 40, 5), x = planted_signals(&truth, 900, 4, 6);
    inco_source source = mat_source_of(&x);
    for (int64_t at = 1; at <= 4; at += 3) {
        resumption r;
        check_resumed(&r, &source, OPTIONS("atoms", "40", "iterations", "5"), at);
        resumption_free(&r);
    }
    inco_mat_free(&truth);
    inco_mat_free(&x);
}

/* If stopped in the middle of a pass, the dictionary is the one before the pass. */
static void a_stopped_pass_is_undone(void **state) {
    (void)state;
    inco_mat truth = check_dictionary(INCO_F64, 10, 20, 7), x = planted_signals(&truth, 900, 3, 8);
    inco_source source = mat_source_of(&x);
    inco_options *o = OPTIONS("atoms", "20", "coder", "omp", "sparsity", "3", "iterations", "4");
    observer whole = {.stop_at = 1}, half = {.stop_after = 400};
    watch_new(&whole, &source, o);
    watch_new(&half, &source, o);
    assert_int_equal(inco_learner_run(whole.learner, NULL), INCO_STOPPED);
    assert_int_equal(inco_learner_run(half.learner, NULL), INCO_STOPPED);
    assert_int_equal(check_info(half.learner).iterations, 1);
    assert_memory_equal(half.learner->core->d.data, whole.learner->core->d.data, 10 * 20 * sizeof(double));
    inco_learner_free(whole.learner);
    inco_learner_free(half.learner);
    inco_options_free(o);
    inco_mat_free(&truth);
    inco_mat_free(&x);
}

static double error_of(const inco_source *source, const char *schedule, const char *iterations) {
    inco_options *o = OPTIONS("atoms", "40", "coder", "omp", "sparsity", "3", "gamma", "0", "schedule", schedule,
                              "iterations", iterations);
    inco_learn_info info = INCO_INIT(inco_learn_info);
    inco_mat d;
    assert_int_equal(inco_learn(source, o, &d, &info, NULL), INCO_OK);
    inco_mat_free(&d);
    inco_options_free(o);
    return info.relative_error;
}

/* One iteration in batches is worth more than three of whole passes; ten are no worse. */
static void batches_learn_faster(void **state) {
    const inco_type type = *(inco_type *)*state;
    inco_mat truth = check_dictionary(type, 20, 40, 1), x = planted_signals(&truth, 4000, 3, 2);
    inco_source source = mat_source_of(&x);
    assert_true(error_of(&source, "growing", "1") < error_of(&source, "batch", "3"));
    assert_true(error_of(&source, "growing", "10") < error_of(&source, "batch", "10") * 1.02);
    inco_mat_free(&truth);
    inco_mat_free(&x);
}

/* Signals of one half of the atoms come first, then those of the other half. */
static inco_mat sorted_signals(const inco_mat *truth, int64_t count) {
    const int64_t half = truth->cols / 2;
    inco_mat x;
    assert_int_equal(inco_mat_new(&x, truth->type, truth->rows, count, NULL), INCO_OK);
    for (int64_t part = 0; part < 2; part++) {
        const inco_mat atoms = mat_columns(truth, part * half, half);
        inco_mat some = planted_signals(&atoms, count / 2, 3, (uint64_t)part + 5);
        const inco_mat to = mat_columns(&x, part * (count / 2), count / 2);
        mat_copy(&to, &some);
        inco_mat_free(&some);
    }
    return x;
}

/* Sorted data is learned in batches from everywhere; in the order of the data, the first half would be forgotten. */
static void sorted_data_does_no_harm(void **state) {
    const inco_type type = *(inco_type *)*state;
    inco_mat truth = check_dictionary(type, 20, 40, 1), x = sorted_signals(&truth, 4000);
    inco_source source = mat_source_of(&x);
    const double spread = error_of(&source, "growing", "1");
    source.sequential = 1;
    assert_true(spread < 0.8 * error_of(&source, "growing", "1"));
    inco_mat_free(&truth);
    inco_mat_free(&x);
}

/* gamma is that of all signals: a relative weight R is the absolute one R |X|^2 / L, with unit-norm signals R N / L. */
static void gamma_is_scaled_to_the_sums(void **state) {
    (void)state;
    inco_mat x = check_random(INCO_F64, 10, 600, 9), relative, absolute;
    const inco_source source = mat_source_of(&x);
    relative = learned_with(&source, "growing", NULL,
                            (const char *const[]){"atoms", "20", "coder", "omp", "sparsity", "2", "iterations", "1",
                                                  "gamma-relative", "0.5", NULL});
    absolute = learned_with(
        &source, "growing", NULL,
        (const char *const[]){"atoms", "20", "coder", "omp", "sparsity", "2", "iterations", "1", "gamma", "15", NULL});
    for (int64_t i = 0; i < 10 * 20; i++) assert_near(((double *)relative.data)[i], ((double *)absolute.data)[i], 1e-6);
    inco_mat_free(&relative);
    inco_mat_free(&absolute);
    inco_mat_free(&x);
}

static void the_bound_holds(void **state) {
    const inco_type type = *(inco_type *)*state;
    inco_mat truth = check_dictionary(type, 12, 30, 3), x = planted_signals(&truth, 800, 3, 4), d;
    inco_options *o = OPTIONS("atoms", "30", "coder", "omp", "sparsity", "3", "iterations", "2", "max-coherence", "0.5",
                              "schedule", "growing");
    coherence mu;
    assert_int_equal(learn(&x, o, &d, NULL, NULL), INCO_OK);
    assert_int_equal(coherence_measure(&d, 1, &mu, NULL), INCO_OK);
    assert_true(mu.max <= 0.5);
    inco_options_free(o);
    inco_mat_free(&d);
    inco_mat_free(&truth);
    inco_mat_free(&x);
}

static void wrong_use_is_refused(void **state) {
    (void)state;
    inco_mat x = check_random(INCO_F64, 8, 2000, 2), d;
    inco_error error = {0};
    inco_options *o = OPTIONS("atoms", "20", "schedule", "growing", "gamma", "auto");
    assert_int_equal(learn(&x, o, &d, NULL, &error), INCO_EINVAL);
    assert_non_null(strstr(error.message, "option 'schedule' = 'growing' needs a weight"));
    inco_options_free(o);
    o = OPTIONS("atoms", "20", "schedule", "growing", "method", "mod");
    assert_int_equal(learn(&x, o, &d, NULL, &error), INCO_EINVAL);
    assert_non_null(strstr(error.message, "option 'schedule' belongs to option 'method' = 'idl'"));
    inco_options_free(o);
    o = OPTIONS("atoms", "20", "dropout", "0.1", "norms", "rescale");
    assert_int_equal(learn(&x, o, &d, NULL, &error), INCO_EINVAL);
    assert_non_null(strstr(error.message, "option 'dropout' needs unit norms"));
    inco_options_free(o);
    inco_mat_free(&x);
}

static void no_memory_is_told(void **state) {
    (void)state;
    inco_mat x = check_random(INCO_F64, 6, 120, 2);
    check_failing_memory(&x, OPTIONS("atoms", "10", "coder", "omp", "sparsity", "2", "iterations", "2"), 60);
    inco_mat_free(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_is_a_permutation),
        cmocka_unit_test(batches_come_from_everywhere),
        cmocka_unit_test(signals_are_read_in_the_order),
        BOTH(an_iteration_stays_one_pass),
        cmocka_unit_test(the_default_depends_on_the_signals),
        cmocka_unit_test(defaults_follow_the_variance),
        cmocka_unit_test(defaults_have_their_conditions),
        BOTH(same_bits_for_any_number_of_threads),
        BOTH(a_resumed_run_has_the_same_bits),
        BOTH(a_resumed_run_keeps_its_defaults),
        cmocka_unit_test(a_stopped_pass_is_undone),
        BOTH(batches_learn_faster),
        BOTH(sorted_data_does_no_harm),
        cmocka_unit_test(gamma_is_scaled_to_the_sums),
        BOTH(the_bound_holds),
        cmocka_unit_test(wrong_use_is_refused),
        cmocka_unit_test(no_memory_is_told),
    };
    inco_blas_one_thread(); /* as in every public call */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
