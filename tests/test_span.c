/* The span of the signals: its dimension, projections onto it, and that every method learns within it
 * (docs/theory/span.md). */
#include "check.h"

#include <stdlib.h>

#include "base/memory.h"
#include "data/span.h"
#include "learning.h"
#include "mat/blas.h"
#include "metric/coherence.h"
#include "update/update.h"

enum { DIM = 16 };

static subspace span_of(const inco_mat *x, inco_type precision) {
    inco_source source = mat_source_of(x);
    subspace s;
    assert_int_equal(span_find(&s, &source, precision, NULL), INCO_OK);
    assert_int_equal(s.dim, x->rows);
    return s;
}

static int64_t rank_of(const inco_mat *x) {
    subspace s = span_of(x, x->type);
    const int64_t rank = s.rank;
    subspace_free(&s);
    return rank;
}

static inco_mat copy_of(const inco_mat *m, inco_type type) {
    inco_mat copy;
    assert_int_equal(mat_convert(&copy, m, type, NULL), INCO_OK);
    return copy;
}

/* D x count signals F Z of rank r, computed in the type, as by a user. */
static inco_mat low_rank(inco_type type, int64_t dim, int64_t rank, int64_t count, uint64_t seed) {
    inco_mat f = check_random(type, dim, rank, seed), z = check_random(type, rank, count, seed + 1), x;
    assert_int_equal(inco_mat_new(&x, type, dim, count, NULL), INCO_OK);
    blas_multiply(1, "NN", 1, &f, &z, 0, &x);
    inco_mat_free(&f);
    inco_mat_free(&z);
    return x;
}

/* Signals of positive mean `level`, from which it is taken out in the type: sum and difference are rounded. */
static inco_mat centred_by_user(inco_type type, int64_t dim, int64_t count, double level) {
    inco_mat x = check_random(type, dim, count, 5);
    for (int64_t n = 0; n < count; n++) {
        double mean = 0;
        for (int64_t i = 0; i < dim; i++) {
            mat_set(&x, i, n, mat_get(&x, i, n) + level);
            mean += mat_get(&x, i, n) / (double)dim;
            if (type == INCO_F32) mean = (float)mean;
        }
        for (int64_t i = 0; i < dim; i++) mat_set(&x, i, n, mat_get(&x, i, n) - mean);
    }
    return x;
}

/* ---- The rank ---- */

static void the_rank_of_full_low_and_empty_data(void **state) {
    const inco_type type = *(inco_type *)*state;
    static const int64_t ranks[] = {1, 2, 7, 15, 16};
    for (int k = 0; k < 5; k++) {
        inco_mat x = low_rank(type, DIM, ranks[k], 700, 20 + (uint64_t)k);
        assert_int_equal(rank_of(&x), ranks[k]);
        inco_mat_free(&x);
    }
    inco_mat few = check_random(type, 40, 9, 2), none = check_random(type, 5, 3, 3), one = check_random(type, 1, 4, 4);
    assert_int_equal(rank_of(&few), 9); /* fewer signals than dimensions */
    memset(none.data, 0, 15 * none.type);
    assert_int_equal(rank_of(&none), 0);
    assert_int_equal(rank_of(&one), 1);
    inco_mat_free(&few);
    inco_mat_free(&none);
    inco_mat_free(&one);
}

/* Singular values from 1 to `least` along the axes of a random orthogonal matrix (the left factor of a random one). */
static inco_mat steep(inco_type type, double least) {
    inco_mat x = check_random(INCO_F64, DIM, 900, 7), m = check_random(INCO_F64, DIM, DIM, 8), u, vt, y;
    double values[DIM];
    assert_int_equal(inco_mat_new(&u, INCO_F64, DIM, DIM, NULL), INCO_OK);
    assert_int_equal(inco_mat_new(&vt, INCO_F64, DIM, DIM, NULL), INCO_OK);
    assert_int_equal(inco_mat_new(&y, INCO_F64, DIM, 900, NULL), INCO_OK);
    assert_int_equal(lapack_svd(&m, &u, values, &vt, NULL), INCO_OK);
    for (int64_t n = 0; n < 900; n++)
        for (int64_t i = 0; i < DIM; i++) mat_set(&x, i, n, mat_get(&x, i, n) * pow(least, (double)i / (DIM - 1)));
    blas_multiply(1, "NN", 1, &u, &x, 0, &y);
    inco_mat rounded = copy_of(&y, type);
    inco_mat *owned[] = {&x, &m, &u, &vt, &y};
    for (int i = 0; i < 5; i++) inco_mat_free(owned[i]);
    return rounded;
}

/* A covariance that falls off by twelve orders of magnitude in float32, twenty-six in float64, is not cut; one that
 * falls off below the rounding errors is: its directions are not in the data. */
static void steep_data_of_full_rank_are_not_cut(void **state) {
    const inco_type type = *(inco_type *)*state;
    inco_mat x = steep(type, type == INCO_F32 ? 1e-6 : 1e-13), y = steep(type, type == INCO_F32 ? 1e-9 : 1e-17);
    assert_int_equal(rank_of(&x), DIM);
    assert_true(rank_of(&y) < DIM && rank_of(&y) > DIM / 2);
    inco_mat_free(&x);
    inco_mat_free(&y);
}

/* Where a mean 1000 times as large was subtracted, its rounding error is 1000 times that of the result. */
static void means_removed_elsewhere_are_missing(void **state) {
    const inco_type type = *(inco_type *)*state;
    static const double levels[] = {0, 1, 1000};
    for (int k = 0; k < 3; k++) {
        inco_mat x = centred_by_user(type, DIM, 600, levels[k]);
        subspace s = span_of(&x, type);
        assert_int_equal(s.rank, DIM - 1);
        assert_int_equal(s.complement, 1);
        for (int64_t i = 0; i < DIM; i++) assert_near(fabs(mat_get(&s.basis, i, 0)), 0.25, 1e-12);
        subspace_free(&s);
        inco_mat_free(&x);
    }
}

/* Data given in float32 and learned in float64 have the rounding errors of float32. */
static void the_coarser_precision_counts(void **state) {
    (void)state;
    inco_mat x = low_rank(INCO_F32, DIM, 5, 600, 40), wide = copy_of(&x, INCO_F64);
    subspace s = span_of(&wide, INCO_F32);
    assert_int_equal(s.rank, 5);
    assert_int_equal(rank_of(&wide), DIM);
    subspace_free(&s);
    inco_mat_free(&x);
    inco_mat_free(&wide);
}

/* Small signals count as much as large ones, and zero ones not at all. */
static void the_scale_of_a_signal_does_not_matter(void **state) {
    const inco_type type = *(inco_type *)*state;
    inco_mat x = check_random(type, DIM, 600, 9);
    for (int64_t n = 0; n < 600; n++)
        for (int64_t i = 0; i < DIM; i++)
            mat_set(&x, i, n, n % 3 == 0 ? 0 : n % 3 == 1 ? i == 2 : 1e-15 * mat_get(&x, i, n));
    assert_int_equal(rank_of(&x), DIM);
    inco_mat_free(&x);
}

/* All signals are read only if the first ones do not span R^D. The last one adds a dimension. */
static void reading_ends_when_the_span_is_full(void **state) {
    (void)state;
    for (int full = 0; full < 2; full++) {
        counting_source c = {low_rank(INCO_F64, DIM, full ? DIM : 6, 5000, 50), 0};
        inco_source source = counting_source_of(&c);
        subspace s;
        mat_set(&c.x, 3, 4999, 100);
        assert_int_equal(span_find(&s, &source, INCO_F64, NULL), INCO_OK);
        assert_int_equal(s.rank, full ? DIM : 7);
        assert_true(full ? c.read < 500 : c.read == 5000);
        subspace_free(&s);
        inco_mat_free(&c.x);
    }
}

/* In very many dimensions constants are looked for, without D x D matrices. */
static void many_dimensions_lack_constants_or_nothing(void **state) {
    (void)state;
    inco_mat x = centred_by_user(INCO_F32, 3000, 20, 3);
    subspace s = span_of(&x, INCO_F32);
    assert_int_equal(s.rank, 2999);
    subspace_free(&s);
    for (int64_t i = 0; i < 3000; i++) mat_set(&x, i, 7, 1 + mat_get(&x, i, 7));
    assert_int_equal(rank_of(&x), 3000);
    inco_mat_free(&x);
}

/* ---- Projections ---- */

/* Share of the columns' energy outside, by the basis. */
static double outside(const subspace *s, const inco_mat *d) {
    inco_mat product, wide = copy_of(d, INCO_F64);
    double all = 0, part = 0;
    assert_int_equal(inco_mat_new(&product, INCO_F64, s->basis.cols, d->cols, NULL), INCO_OK);
    blas_multiply(1, "TN", 1, &s->basis, &wide, 0, &product);
    for (int64_t j = 0; j < d->cols; j++) {
        all += mat_column_energy(&wide, j);
        part += mat_column_energy(&product, j);
    }
    inco_mat_free(&product);
    inco_mat_free(&wide);
    return s->complement ? sqrt(part / all) : sqrt(fmax(all - part, 0) / all);
}

/* A projection is orthogonal, and a second one changes no bit; atoms keep their norm, and become zero without one. */
static void projections(void **state) {
    (void)state;
    static const int64_t ranks[] = {3, 15};
    for (int k = 0; k < 2; k++) {
        inco_mat x = low_rank(INCO_F64, DIM, ranks[k], 500, 60), d = check_dictionary(INCO_F64, DIM, 30, 61);
        subspace s = span_of(&x, INCO_F64);
        inco_mat m = copy_of(&d, INCO_F64), again;
        int64_t seen;
        assert_int_equal(subspace_project(&s, &m, 2, NULL), INCO_OK);
        assert_true(outside(&s, &m) < (s.complement ? 1e-14 : 1e-7)); /* the latter: a difference of squares */
        for (int64_t j = 0; j < 30; j++) {
            double dot = 0; /* of m_j and d_j - m_j */
            for (int64_t i = 0; i < DIM; i++) dot += mat_get(&m, i, j) * (mat_get(&d, i, j) - mat_get(&m, i, j));
            assert_near(dot, 0, 1e-14);
        }
        for (int64_t i = 0; i < DIM; i++) /* one atom that is orthogonal to the span */
            mat_set(&d, i, 4, mat_get(&d, i, 4) - mat_get(&m, i, 4));
        mat_normalize_columns(&d, NULL);
        assert_int_equal(subspace_project_atoms(&s, &d, 2, &seen, NULL), INCO_OK);
        assert_int_equal(seen, 30);
        for (int64_t j = 0; j < 30; j++) assert_near(mat_column_norm(&d, j), j != 4, 1e-14);
        again = copy_of(&d, INCO_F64);
        assert_int_equal(subspace_project_atoms(&s, &again, 1, &seen, NULL), INCO_OK);
        assert_memory_equal(again.data, d.data, (size_t)(DIM * 30) * sizeof(double));
        assert_int_equal(seen, 0);
        inco_mat *owned[] = {&x, &d, &m, &again};
        for (int i = 0; i < 4; i++) inco_mat_free(owned[i]);
        subspace_free(&s);
    }
}

/* ---- The update ---- */

/* (SPAN-4): from atoms in the span, with B in the span, hundreds of iterations end in the span; where the penalty is
 * all that counts, at a tight frame of the span. */
static void an_update_stays_in_the_span(void **state) {
    (void)state;
    enum { RANK = 11, ATOMS = 33 };
    inco_mat x = low_rank(INCO_F64, DIM, RANK, 400, 70), c = check_random(INCO_F64, ATOMS, 400, 71);
    subspace s = span_of(&x, INCO_F64);
    for (int form = 0; form < 6; form++) {
        inco_mat a, b, d = check_dictionary(INCO_F64, DIM, ATOMS, 72);
        assert_int_equal(inco_mat_new(&a, INCO_F64, ATOMS, ATOMS, NULL), INCO_OK);
        assert_int_equal(inco_mat_new(&b, INCO_F64, DIM, ATOMS, NULL), INCO_OK);
        blas_multiply(1, "NT", 1, &c, &c, 0, &a);
        blas_multiply(1, "NT", 1, &x, &c, 0, &b);
        const double energy = blas_dot(DIM * 400, x.data, x.data), gamma = form % 2 ? 1e5 : 0.1;
        const statistics sums = {a, b, energy, energy};
        const update_settings settings = {.gamma = gamma * energy / ATOMS,
                                          .rescale = form / 2 == 1,
                                          .plain = form / 2 == 2,
                                          .iterations = 400,
                                          .threads = 1,
                                          .within = &s};
        update_result result;
        assert_int_equal(subspace_project_atoms(&s, &d, 1, NULL, NULL), INCO_OK);
        assert_int_equal(idl_update(&d, &sums, &settings, &result, NULL), INCO_OK);
        assert_true(outside(&s, &d) < 400 * 1e-12); /* what an iteration may leave: 1e-12 of its step */
        if (form % 2 && form / 2 != 1) {
            coherence mu;
            assert_int_equal(coherence_measure(&d, 1, &mu, NULL), INCO_OK);
            assert_near(mu.rms, coherence_least_rms(RANK, ATOMS), 1e-4);
            assert_true(mu.rms > coherence_least_rms(DIM, ATOMS) + 0.01);
        }
        inco_mat_free(&a);
        inco_mat_free(&b);
        inco_mat_free(&d);
    }
    subspace_free(&s);
    inco_mat_free(&x);
    inco_mat_free(&c);
}

/* ---- Methods ---- */

typedef struct method_case {
    const char *method, *option, *value;
} method_case;

static const method_case cases[] = {
    {"idl", "gamma-relative", "0.1"},
    {"idl", "gamma-relative", "10"},
    {"idl", "norms", "rescale"},
    {"idl", "update", "plain"},
    {"idl", "max-coherence", "0.45"},
    {"idl", "target-rms", "0.25"},
    {"mod", "exchange", "yes"},
    {"ksvd", "replace", "0.9"},
    {"aksvd", NULL, NULL},
    {"aksvdc", NULL, NULL},
    {"inksvd", "max-coherence", ".5"},
    {"ipr", "max-coherence", ".6"},
    {"idb", "max-coherence", ".6"},
    {"mocod", NULL, NULL},
    {"online", "gamma-relative", ".1"},
};
enum { CASES = sizeof cases / sizeof *cases };

static inco_options *options_of(const method_case *c, const char *init) {
    inco_options *o = OPTIONS("atoms", "40", "coder", "omp", "sparsity", "3", "iterations", "6", "center", "signal",
                              "threads", "2", "patch", "4x4");
    assert_int_equal(inco_options_set(o, "method", c->method, NULL), INCO_OK);
    assert_int_equal(inco_options_set(o, "init", init, NULL), INCO_OK);
    if (c->option) assert_int_equal(inco_options_set(o, c->option, c->value, NULL), INCO_OK);
    return o;
}

/* Signals with means, for options that remove them. */
static inco_mat signals_with_means(inco_type type) {
    inco_mat truth = check_dictionary(type, DIM, 40, 80), x = planted_signals(&truth, 1500, 3, 81);
    for (int64_t n = 0; n < x.cols; n++)
        for (int64_t i = 0; i < DIM; i++) mat_set(&x, i, n, mat_get(&x, i, n) + 1 + (double)(n % 7));
    inco_mat_free(&truth);
    return x;
}

static double largest_mean(const inco_mat *d) {
    double largest = 0;
    for (int64_t j = 0; j < d->cols; j++) {
        double sum = 0;
        for (int64_t i = 0; i < d->rows; i++) sum += mat_get(d, i, j);
        largest = fmax(largest, fabs(sum) / sqrt((double)d->rows));
    }
    return largest;
}

static int64_t inspected_rank(const inco_mat *d) {
    inco_metrics metrics = INCO_INIT(inco_metrics);
    assert_int_equal(inco_inspect(d, NULL, &metrics, NULL), INCO_OK);
    const int64_t rank = metrics.rank;
    inco_metrics_free(&metrics);
    return rank;
}

/* No method leaves the span, from cosines with their constant atom or from random directions. */
static void every_method_learns_within_the_span(void **state) {
    const inco_type type = *(inco_type *)*state;
    inco_mat x = signals_with_means(type), d;
    for (int i = 0; i < 2 * CASES; i++) {
        const int cosines = i % 2;
        inco_options *o = options_of(&cases[i / 2], cosines ? "dct" : "random");
        inco_learn_info info = INCO_INIT(inco_learn_info);
        inco_error error = {0};
        if (learn(&x, o, &d, &info, &error) != INCO_OK) fail_msg("%s: %s", cases[i / 2].method, error.message);
        assert_int_equal(info.rank, DIM - 1);
        assert_true(largest_mean(&d) <= (type == INCO_F32 ? 1e-6 : 1e-11));
        assert_int_equal(inspected_rank(&d), DIM - 1);
        assert_int_equal(info.start_replaced, cosines);
        assert_int_equal(info.start_projected, cosines ? 1 : 40);
        assert_near(info.welch, coherence_bound(DIM - 1, 40), 1e-15);
        assert_true(info.singular_min > 1e-3); /* of the span, not of R^D */
        assert_true(!strstr("inksvd|idl", cases[i / 2].method) || !(info.coherence_target > 0) ||
                    info.coherence_max <= info.coherence_target + 1e-6);
        inco_mat_free(&d);
        inco_options_free(o);
    }
    inco_mat_free(&x);
}

static void same_bits_for_any_number_of_threads(void **state) {
    const inco_type type = *(inco_type *)*state;
    inco_mat x = signals_with_means(type);
    for (int i = 0; i < CASES; i += 3) check_threads(&x, options_of(&cases[i], "dct"));
    inco_mat_free(&x);
}

/* A checkpoint holds a dictionary in the span, which resuming leaves as it is. */
static void a_resumed_run_has_the_same_bits(void **state) {
    const inco_type type = *(inco_type *)*state;
    inco_mat x = signals_with_means(type);
    inco_source source = mat_source_of(&x);
    for (int i = 0; i < CASES; i++) {
        inco_options *o = options_of(&cases[i], "random");
        resumption r;
        check_resumed(&r, &source, o, 3);
        resumption_free(&r);
    }
    inco_mat_free(&x);
}

/* With 40 atoms the least coherence is .196 in 16 dimensions and .207 in 15. */
static void targets_are_those_of_the_span(void **state) {
    (void)state;
    static const char *const targets[] = {"max-coherence", "target-rms"};
    inco_mat x = signals_with_means(INCO_F64), d;
    for (int i = 0; i < 4; i++) {
        inco_options *o = OPTIONS("atoms", "40", "coder", "omp", "sparsity", "3", "iterations", "0", "normalize",
                                  "none", "center", i % 2 ? "signal" : "none", targets[i / 2], "0.2");
        inco_error error = {0};
        const int status = learn(&x, o, &d, NULL, &error);
        assert_int_equal(status < 0, i % 2);
        if (status < 0) assert_non_null(strstr(error.message, "40 atoms of 15 dimensions"));
        inco_mat_free(&d);
        inco_options_free(o);
    }
    inco_mat_free(&x);
}

/* Equal atoms are separated within the span; atoms with nothing in it become signals, as long as there are enough. */
static void an_initial_dictionary_enters_the_span(void **state) {
    (void)state;
    inco_mat x = signals_with_means(INCO_F64), start;
    assert_int_equal(inco_mat_new(&start, INCO_F64, DIM, 20, NULL), INCO_OK);
    for (int64_t j = 0; j < 20; j++)
        for (int64_t i = 0; i < DIM; i++) mat_set(&start, i, j, j < 8 ? 2 : (double)(i % 3) + (j > 15) * (i == j % 4));
    for (int few = 0; few < 2; few++) {
        inco_mat some = mat_columns(&x, 0, few ? 7 : x.cols);
        inco_source source = mat_source_of(&some);
        inco_options *o = OPTIONS("coder", "omp", "sparsity", "3", "iterations", "0", "center", "signal",
                                  "max-coherence", few ? "1" : "0.5");
        inco_learner *learner;
        inco_error error = {0};
        assert_int_equal(inco_learner_new(&learner, &source, o, NULL), INCO_OK);
        assert_int_equal(inco_learner_start_from(learner, &start, NULL), INCO_OK);
        assert_int_equal(inco_learner_run(learner, &error), few ? INCO_EDATA : INCO_OK);
        if (few) {
            assert_non_null(strstr(error.message, "8 initial atoms are orthogonal"));
        } else {
            const inco_mat d = check_learned(learner);
            assert_int_equal(check_info(learner).start_replaced, 8);
            assert_int_equal(check_info(learner).start_projected, 20);
            assert_true(largest_mean(&d) < 1e-10 && check_info(learner).coherence_max <= 0.5);
        }
        inco_learner_free(learner);
        inco_options_free(o);
    }
    inco_mat_free(&x);
    inco_mat_free(&start);
}

/* From a start that is projected, in part replaced, and projected again. */
static void failing_memory_is_survived(void **state) {
    (void)state;
    inco_mat x = centred_by_user(INCO_F32, 6, 80, 2);
    for (int i = 0; i < CASES; i += 2) {
        inco_options *o = options_of(&cases[i], "dct");
        assert_int_equal(inco_options_set(o, "atoms", "9", NULL), INCO_OK);
        assert_int_equal(inco_options_set(o, "patch", "2x3", NULL), INCO_OK);
        assert_int_equal(inco_options_set(o, "iterations", "1", NULL), INCO_OK);
        assert_int_equal(inco_options_set(o, "threads", "1", NULL), INCO_OK);
        check_failing_memory(&x, o, 40);
    }
    inco_mat_free(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        BOTH(the_rank_of_full_low_and_empty_data),
        BOTH(steep_data_of_full_rank_are_not_cut),
        BOTH(means_removed_elsewhere_are_missing),
        cmocka_unit_test(the_coarser_precision_counts),
        BOTH(the_scale_of_a_signal_does_not_matter),
        cmocka_unit_test(reading_ends_when_the_span_is_full),
        cmocka_unit_test(many_dimensions_lack_constants_or_nothing),
        cmocka_unit_test(projections),
        cmocka_unit_test(an_update_stays_in_the_span),
        BOTH(every_method_learns_within_the_span),
        BOTH(same_bits_for_any_number_of_threads),
        BOTH(a_resumed_run_has_the_same_bits),
        cmocka_unit_test(targets_are_those_of_the_span),
        cmocka_unit_test(an_initial_dictionary_enters_the_span),
        cmocka_unit_test(failing_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
