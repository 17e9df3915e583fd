/* Weights of signals (docs/theory/weights.md): weight 0 is absence, weight 2 repetition; random signals are drawn by
 * content and weight. */
#include "learning.h"

#include <stdlib.h>

#include "data/draw.h"
#include "data/weights.h"
#include "design/init.h"

/* ---- Weighted signals ---- */

typedef struct weighted {
    inco_mat x;
    double *weight;
} weighted;

static int read_signals(void *self, int64_t first, int64_t count, void *out, inco_error *error) {
    const inco_mat *x = &((weighted *)self)->x;
    (void)error;
    memcpy(out, mat_column(x, first), (size_t)(count * x->rows) * x->type);
    return INCO_OK;
}

static int read_weights(void *self, int64_t first, int64_t count, double *out, inco_error *error) {
    (void)error;
    memcpy(out, ((weighted *)self)->weight + first, (size_t)count * sizeof(double));
    return INCO_OK;
}

static inco_source source_of(weighted *w) {
    inco_source source = mat_source_of(&w->x);
    source.self = w;
    source.read = read_signals;
    source.weights = w->weight ? read_weights : NULL;
    return source;
}

static void free_weighted(weighted *w) {
    inco_mat_free(&w->x);
    memory_free(w->weight);
}

/* Signals of 3 of 24 planted atoms, with weights 0, 1, 2, 3. */
static weighted some_signals(inco_type type, int64_t count) {
    inco_mat truth = check_dictionary(type, 12, 24, 81);
    weighted w = {planted_signals(&truth, count, 3, 82), NEW(double, count)};
    for (int64_t n = 0; n < count; n++) w.weight[n] = (double)rng_below(83, RNG_TEST, (uint64_t)n, 4);
    inco_mat_free(&truth);
    return w;
}

/* The same signals without weights, each as often as `times` says for its weight, in a random order if `shuffled`. */
static weighted repeated(const weighted *w, int (*times)(double weight), int shuffled) {
    int64_t count = 0, at = 0, *order;
    weighted r = {{0}, NULL};
    for (int64_t n = 0; n < w->x.cols; n++) count += times(w->weight[n]);
    order = NEW(int64_t, count);
    for (int64_t n = 0; n < w->x.cols; n++)
        for (int k = 0; k < times(w->weight[n]); k++) order[at++] = n;
    for (int64_t i = count - 1; shuffled && i > 0; i--) {
        const int64_t k = rng_below(84, RNG_TEST, (uint64_t)i, i + 1), swap = order[i];
        order[i] = order[k];
        order[k] = swap;
    }
    assert_int_equal(inco_mat_new(&r.x, w->x.type, w->x.rows, count, NULL), INCO_OK);
    for (int64_t i = 0; i < count; i++) {
        const inco_mat from = mat_columns(&w->x, order[i], 1), to = mat_columns(&r.x, i, 1);
        mat_copy(&to, &from);
    }
    memory_free(order);
    return r;
}

static int as_often(double weight) {
    return (int)weight;
}

static int once(double weight) {
    return weight > 0;
}

static inco_mat learned_from(weighted *w, inco_options *o, inco_learn_info *info) {
    inco_source source = source_of(w);
    inco_error error = {0};
    inco_mat d;
    if (inco_learn(&source, o, &d, info, &error) != INCO_OK) fail_msg("%s", error.message);
    return d;
}

static double largest_difference(const inco_mat *a, const inco_mat *b) {
    double largest = 0;
    for (int64_t j = 0; j < a->cols; j++)
        for (int64_t i = 0; i < a->rows; i++) largest = fmax(largest, fabs(mat_get(a, i, j) - mat_get(b, i, j)));
    return largest;
}

/* Methods, with what else they need. With min-uses, some atoms count as unused, and are replaced. */
static const char *const methods[][7] = {{"idl", "gamma-relative", "0.1"},
                                         {"idl", "max-coherence", "0.8", "gamma-relative", "0.1"},
                                         {"idl", "exchange", "yes", "gamma-relative", "0.1"},
                                         {"mod", "exchange", "yes", "min-uses", "280"},
                                         {"idl", "gamma", "auto"},
                                         {"idl", "coder", "omp"}, /* the default gamma */
                                         {"mod", "unused", "sample", "min-uses", "280"},
                                         {"mocod"},
                                         {"online"},
                                         {"ksvd", "replace", "0.9", "min-uses", "280"},
                                         {"aksvd"},
                                         {"aksvdc"},
                                         {"inksvd", "max-coherence", "0.6"},
                                         {"ipr", "max-coherence", "0.6"},
                                         {"idb", "max-coherence", "0.6"}};
enum { METHODS = sizeof methods / sizeof *methods };

static inco_options *options_of(int m, const char *iterations) {
    inco_options *o = OPTIONS("method", methods[m][0], "atoms", "24", "coder", "omp", "sparsity", "3", "iterations",
                              iterations, "threads", "2", "seed", "3");
    for (int i = 1; methods[m][i]; i += 2)
        assert_int_equal(inco_options_set(o, methods[m][i], methods[m][i + 1], NULL), INCO_OK);
    return o;
}

/* The same bits: signals of weight 0 are not even read. */
static void weight_zero_is_absence(void **state) {
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        weighted w = some_signals(m % 2 ? INCO_F32 : INCO_F64, 1600), without = repeated(&w, once, 0);
        inco_options *o = options_of(m, "3");
        inco_learn_info info = INCO_INIT(inco_learn_info), other = INCO_INIT(inco_learn_info);
        for (int64_t n = 0; n < w.x.cols; n++) {
            w.weight[n] = w.weight[n] > 0;
            if (w.weight[n] == 0) mat_set(&w.x, 0, n, NAN);
        }
        inco_mat d = learned_from(&w, o, &info), e = learned_from(&without, o, &other);
        assert_memory_equal(d.data, e.data, (size_t)(d.rows * d.cols) * d.type);
        assert_true(info.relative_error == other.relative_error && info.gamma == other.gamma);
        assert_int_equal(info.signals, without.x.cols);
        assert_int_equal(info.left_out, w.x.cols - without.x.cols);
        assert_true(info.weight == (double)without.x.cols);
        inco_mat_free(&d);
        inco_mat_free(&e);
        inco_options_free(o);
        free_weighted(&w);
        free_weighted(&without);
    }
}

/* The penalty of the cases of idl is strong enough that rounding does not decide when an update stops. */
/* The same start, the same replacements, the same dictionary up to rounding, which the nine iterations of a path
 * and the search for the nearest dictionary within a bound amplify. Online learning depends on the order. */
static void weight_two_is_repetition(void **state) {
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        if (!strcmp(methods[m][0], "online")) continue;
        weighted w = some_signals(INCO_F64, 1600), often = repeated(&w, as_often, 1);
        inco_options *o = options_of(m, "3");
        inco_learn_info info = INCO_INIT(inco_learn_info), other = INCO_INIT(inco_learn_info);
        if (!strcmp(methods[m][0], "idl")) assert_int_equal(inco_options_set(o, "schedule", "batch", NULL), INCO_OK);
        inco_mat d = learned_from(&w, o, &info), e = learned_from(&often, o, &other);
        const double difference = largest_difference(&d, &e);
        const int longer = inco_options_given(o, "max-coherence") || inco_options_given(o, "gamma");
        const double tolerance = longer && !strcmp(methods[m][0], "idl") ? 1e-7 : 1e-12;
        if (difference > tolerance)
            fail_msg("%s %s: %g", methods[m][0], methods[m][1] ? methods[m][1] : "", difference);
        assert_near(info.relative_error, other.relative_error, tolerance);
        assert_near(info.mean_cardinality, other.mean_cardinality, 1e-12);
        assert_near(info.gamma, other.gamma, 1e-12 * other.gamma);
        assert_near(info.objective, other.objective, 10 * tolerance * other.objective);
        assert_int_equal(info.replaced, other.replaced);
        if (inco_options_given(o, "min-uses")) assert_true(info.replaced > 0);
        assert_true(info.weight == (double)often.x.cols && other.weight == info.weight);
        inco_mat_free(&d);
        inco_mat_free(&e);
        inco_options_free(o);
        free_weighted(&w);
        free_weighted(&often);
    }
}

/* The penalty, the mean and the scores of held-out signals are those of the repeated signals. */
static void means_and_residuals_are_weighted(void **state) {
    (void)state;
    weighted w = some_signals(INCO_F64, 900), often = repeated(&w, as_often, 1);
    inco_options *o = OPTIONS("method", "mod", "atoms", "20", "coder", "omp", "sparsity", "3", "iterations", "1",
                              "center", "feature");
    inco_source a = source_of(&w), b = source_of(&often);
    inco_mat mean[2], d;
    for (int k = 0; k < 2; k++) {
        inco_learner *learner;
        assert_int_equal(inco_learner_new(&learner, k ? &b : &a, o, NULL), INCO_OK);
        assert_int_equal(inco_learner_run(learner, NULL), INCO_OK);
        inco_mat view;
        assert_int_equal(inco_learner_mean(learner, &view, NULL), INCO_OK);
        assert_int_equal(mat_convert(&mean[k], &view, INCO_F64, NULL), INCO_OK);
        inco_learner_free(learner);
    }
    assert_true(largest_difference(&mean[0], &mean[1]) < 1e-14);
    inco_options_free(o);
    o = inco_options_new();
    d = check_dictionary(INCO_F64, 12, 24, 81);
    inco_residuals r = INCO_INIT(inco_residuals), s = INCO_INIT(inco_residuals);
    assert_int_equal(inco_residuals_measure(&d, &a, o, &r, NULL), INCO_OK);
    assert_int_equal(inco_residuals_measure(&d, &b, o, &s, NULL), INCO_OK);
    assert_true(r.count == s.count && r.count > 3);
    for (int64_t i = 0; i < r.count; i++) {
        assert_near(r.lower[i], s.lower[i], 1e-13);
        assert_near(r.median[i], s.median[i], 1e-13);
        assert_near(r.upper[i], s.upper[i], 1e-13);
    }
    inco_residuals_free(&r);
    inco_residuals_free(&s);
    inco_options_free(o);
    MAT_FREE_ALL(&mean[0], &mean[1], &d);
    free_weighted(&w);
    free_weighted(&often);
}

/* Codes are made of all signals, in their order. */
static void codes_are_those_of_all_signals(void **state) {
    (void)state;
    weighted w = some_signals(INCO_F64, 300);
    inco_options *o = options_of(0, "1");
    inco_source source = source_of(&w);
    inco_learner *learner;
    inco_csc codes;
    assert_int_equal(inco_learner_new(&learner, &source, o, NULL), INCO_OK);
    assert_int_equal(inco_learner_run(learner, NULL), INCO_OK);
    const inco_learn_info before = check_info(learner);
    assert_int_equal(inco_learner_encode(learner, &codes, NULL), INCO_OK);
    assert_int_equal(codes.cols, 300);
    const inco_learn_info after = check_info(learner);
    assert_true(before.relative_error == after.relative_error && before.signals == after.signals);
    inco_csc_free(&codes);
    inco_learner_free(learner);
    inco_options_free(o);
    free_weighted(&w);
}

/* ---- Draws ---- */

typedef struct ranked {
    double key;
    int64_t signal;
} ranked;

static int by_key(const void *a, const void *b) {
    const double x = ((const ranked *)a)->key, y = ((const ranked *)b)->key;
    return (x > y) - (x < y);
}

/* (W-3) by its definition: weights of equal signals are added, and the smallest keys win. */
static void draws_have_the_smallest_keys(void **state) {
    (void)state;
    enum { DISTINCT = 700, COUNT = 150 };
    weighted w = some_signals(INCO_F32, DISTINCT), often = repeated(&w, as_often, 1);
    ranked *all = NEW(ranked, DISTINCT);
    int64_t chosen[COUNT], other[COUNT], found, count = 0;
    for (int64_t n = 0; n < DISTINCT; n++) {
        inco_mat signal = mat_columns(&w.x, n, 1), copy;
        assert_int_equal(mat_convert(&copy, &signal, INCO_F32, NULL), INCO_OK);
        const double u = ((double)(draw_content(&copy, 0, 77) >> 11) + 0.5) * 0x1p-53;
        inco_mat_free(&copy);
        if (w.weight[n] > 0) all[count++] = (ranked){-log(u) / w.weight[n], n};
    }
    qsort(all, (size_t)count, sizeof *all, by_key);
    inco_source a = source_of(&w), b = source_of(&often);
    const draw_task task = {&a, 77, COUNT, 2}, again = {&b, 77, COUNT, 1};
    assert_int_equal(draw_signals(&task, chosen, &found, NULL), INCO_OK);
    assert_int_equal(found, COUNT);
    assert_int_equal(draw_signals(&again, other, &found, NULL), INCO_OK);
    for (int64_t i = 0; i < COUNT; i++) {
        assert_int_equal(chosen[i], all[i].signal);
        assert_memory_equal(mat_column(&w.x, chosen[i]), mat_column(&often.x, other[i]), 12 * sizeof(float));
    }
    memory_free(all);
    free_weighted(&w);
    free_weighted(&often);
}

/* One of four signals, drawn in proportion to its weight: within five deviations of 4000 draws. */
static void draws_follow_the_weights(void **state) {
    (void)state;
    enum { DRAWS = 4000 };
    const double weights[] = {0.5, 1, 2.5, 0};
    weighted w = {check_random(INCO_F64, 6, 4, 85), NEW(double, 4)};
    int drawn[4] = {0};
    memcpy(w.weight, weights, sizeof weights);
    inco_source source = source_of(&w);
    for (uint64_t seed = 0; seed < DRAWS; seed++) {
        const draw_task task = {&source, rng_bits(1, RNG_TEST, seed), 1, 1};
        int64_t n, found;
        assert_int_equal(draw_signals(&task, &n, &found, NULL), INCO_OK);
        drawn[n]++;
    }
    for (int n = 0; n < 4; n++) {
        const double p = weights[n] / 4;
        assert_near(drawn[n], DRAWS * p, 5 * sqrt(DRAWS * p * (1 - p)));
    }
    free_weighted(&w);
}

/* Many equal signals, and many more signals than buckets: the bounds hold. */
static void many_signals_share_buckets(void **state) {
    (void)state;
    enum { COUNT = 1 << 21, KINDS = 5000 };
    weighted w = {{0}, NULL};
    int64_t a[64], b[64], found;
    assert_int_equal(inco_mat_new(&w.x, INCO_F64, 1, COUNT, NULL), INCO_OK);
    double *value = w.x.data;
    for (int64_t n = 0; n < COUNT; n++)
        value[n] = 1 + 0x1p-30 * (double)(n % 3 ? KINDS + n : n % KINDS); /* in [1, 2) */
    inco_source source = source_of(&w);
    const draw_task task = {&source, 5, 64, 2};
    assert_int_equal(draw_signals(&task, a, &found, NULL), INCO_OK);
    for (int64_t n = 0; n < COUNT / 2; n++) { /* another order */
        const double swap = value[n];
        value[n] = value[COUNT - 1 - n];
        value[COUNT - 1 - n] = swap;
    }
    assert_int_equal(draw_signals(&task, b, &found, NULL), INCO_OK);
    int frequent = 0;
    for (int i = 0; i < 64; i++) {
        assert_true(value[COUNT - 1 - a[i]] == value[b[i]]);
        frequent += value[b[i]] < 1 + 0x1p-30 * KINDS;
    }
    /* a third of the weight, on few values */
    assert_true(frequent >= 5 && frequent <= 40);
    free_weighted(&w);
}

/* ---- Bad weights ---- */

static void bad_weights_are_refused(void **state) {
    (void)state;
    const struct bad {
        double at7;
        int all_zero;
        const char *message;
    } cases[] = {{-1, 0, "the weight of signal 7 (counted from 0) is -1: weights are nonnegative numbers"},
                 {NAN, 0, "the weight of signal 7 (counted from 0) is nan: weights are nonnegative numbers"},
                 {INFINITY, 0, "the weight of signal 7 (counted from 0) is inf: weights are nonnegative numbers"},
                 {0, 1, "all 200 weights are zero: no signal is left to learn from"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weighted w = some_signals(INCO_F64, 200);
        inco_options *o = options_of(0, "1");
        inco_source source = source_of(&w);
        inco_error error = {0};
        inco_mat d;
        for (int64_t n = 0; n < 200 && cases[i].all_zero; n++) w.weight[n] = 0;
        w.weight[7] = cases[i].at7;
        assert_int_equal(inco_learn(&source, o, &d, NULL, &error), INCO_EDATA);
        assert_string_equal(error.message, cases[i].message);
        inco_options_free(o);
        free_weighted(&w);
    }
}

static void failing_memory_is_reported(void **state) {
    (void)state;
    weighted w = some_signals(INCO_F64, 200);
    inco_options *o = options_of(5, "2");
    inco_source source = source_of(&w);
    int64_t k = 1;
    for (int status = INCO_ENOMEM; status == INCO_ENOMEM; k++) {
        inco_mat d = {0};
        memory_fail_at(k);
        status = inco_learn(&source, o, &d, NULL, NULL);
        memory_fail_at(0);
        assert_true(status == INCO_OK || status == INCO_ENOMEM);
        inco_mat_free(&d);
    }
    assert_true(k > 40);
    inco_options_free(o);
    free_weighted(&w);
}

/* A checkpoint belongs to its weights. */
static void other_weights_are_other_data(void **state) {
    (void)state;
    weighted w = some_signals(INCO_F64, 300);
    inco_options *o = options_of(0, "2");
    inco_source source = source_of(&w);
    inco_learner *learner, *other;
    inco_error error = {0};
    static memory_stream kept;
    assert_int_equal(inco_learner_new(&learner, &source, o, NULL), INCO_OK);
    assert_int_equal(inco_learner_run(learner, NULL), INCO_OK);
    inco_stream stream = MEMORY_STREAM(&kept);
    assert_int_equal(inco_learner_save(learner, &stream, NULL), INCO_OK);
    w.weight[11] += 1;
    assert_int_equal(inco_learner_new(&other, &source, o, NULL), INCO_OK);
    assert_int_equal(inco_learner_resume(other, &stream, &error), INCO_EDATA);
    assert_string_equal(error.message, "the signals or their weights differ from those of the checkpoint");
    inco_learner_free(learner);
    inco_learner_free(other);
    inco_options_free(o);
    free_weighted(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weight_zero_is_absence),           cmocka_unit_test(weight_two_is_repetition),
        cmocka_unit_test(means_and_residuals_are_weighted), cmocka_unit_test(codes_are_those_of_all_signals),
        cmocka_unit_test(draws_have_the_smallest_keys),     cmocka_unit_test(draws_follow_the_weights),
        cmocka_unit_test(many_signals_share_buckets),       cmocka_unit_test(bad_weights_are_refused),
        cmocka_unit_test(failing_memory_is_reported),       cmocka_unit_test(other_weights_are_other_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
