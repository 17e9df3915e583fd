/* Work of the algorithms, counted: atoms added, bytes of bases read, multiplications of matrix products, signals read.
 * Independent of the clock. */
#include "check.h"
#include "learning.h"

#include "base/memory.h"
#include "code/coder.h"
#include "code/kernel.h"
#include "learn/learn.h"
#include "learn/learner_state.h"
#include "mat/blas.h"
#include "metric/coherence.h"
#include "sample.h"
#include "sparse/csc.h"
#include "update/online.h"
#include "update/update.h"

enum { DIM = 40, ATOMS = 150, SIGNALS = 200 };

/* ---- Coders ---- */

typedef struct effort {
    coder_counts seen;
    int64_t nonzeros, multiplied;
} effort;

static effort effort_with(int64_t atoms, inco_type type, inco_options *o) {
    inco_mat d = check_dictionary(type, DIM, atoms, 1), x = check_dictionary(type, DIM, SIGNALS, 2);
    inco_coder *coder;
    csc codes = {0};
    effort e;
    assert_int_equal(inco_coder_new(&coder, &d, type, o, NULL), INCO_OK);
    blas_multiplied();
    assert_int_equal(coder_run(coder, &x, &codes, NULL, NULL), INCO_OK);
    e = (effort){coder_seen(coder), csc_nonzeros(&codes), blas_multiplied()};
    csc_free(&codes);
    inco_coder_free(coder);
    inco_options_free(o);
    inco_mat_free(&d);
    inco_mat_free(&x);
    return e;
}

static effort effort_of(inco_type type, inco_options *o) {
    return effort_with(ATOMS, type, o);
}

/* The bytes of `count` columns for each signal. */
static int64_t bytes_of_columns(int64_t atoms, int64_t count, inco_type type) {
    const int64_t stride = (atoms + KERNEL_PAD - 1) / KERNEL_PAD * KERNEL_PAD;
    return SIGNALS * stride * count * (int64_t)type;
}

/* Column m of P reads a column of G and the m columns before it: k (k + 1) / 2 columns for k columns of P. A path
 * continues from its last atom to the next event and needs its column; a pursuit does not. */
static int64_t bytes_of_steps(const char *coder, int64_t atoms, inco_type type) {
    const int64_t columns = strcmp(coder, "lars") == 0 ? atoms : atoms - 1;
    return bytes_of_columns(ATOMS, columns * (columns + 1) / 2, type);
}

static void a_step_reads_the_basis_once(void **state) {
    (void)state;
    const char *coders[] = {"omp", "ols", "lars"};
    for (int i = 0; i < 3; i++) {
        effort e = effort_of(INCO_F32, OPTIONS("coder", coders[i], "sparsity", "12"));
        assert_int_equal(e.seen.atoms, 12 * SIGNALS);
        assert_int_equal(e.seen.bytes, bytes_of_steps(coders[i], 12, INCO_F32));
    }
}

/* If P is larger than the cache, a path computes columns before their atoms are chosen, and reads P less often; few of
 * them are wasted. */
static void a_path_reads_less_than_once_a_step(void **state) {
    (void)state;
    effort e = effort_with(1000, INCO_F32, OPTIONS("coder", "lars", "sparsity", "32"));
    const int64_t bytes = bytes_of_columns(1000, 32 * 33 / 2, INCO_F32);
    assert_int_equal(e.seen.atoms, 32 * SIGNALS);
    assert_true((double)e.seen.bytes < 0.7 * (double)bytes);
    assert_true((double)e.seen.multiplied < 1.2 * (double)bytes / INCO_F32);
}

/* With a tolerance that one atom meets, a pursuit reads only D'X. */
static void a_met_tolerance_costs_no_column(void **state) {
    (void)state;
    const char *coders[] = {"omp", "ols"};
    for (int i = 0; i < 2; i++) {
        effort e = effort_of(INCO_F32, OPTIONS("coder", coders[i], "tolerance", "0.999"));
        assert_int_equal(e.nonzeros, SIGNALS);
        assert_int_equal(e.seen.bytes, 0);
    }
}

static void the_signals_are_multiplied_by_the_dictionary_once(void **state) {
    (void)state;
    const char *coders[] = {"omp", "ols", "lars", "lasso", "larc"};
    for (int i = 0; i < 5; i++) {
        effort e = effort_of(INCO_F32, OPTIONS("coder", coders[i], "residual-coherence", "0.4"));
        assert_int_equal(e.multiplied, (int64_t)DIM * ATOMS * SIGNALS);
        assert_int_equal(e.seen.grams, 1);
        assert_true(e.nonzeros > SIGNALS);
    }
}

/* A stop within a segment of the path needs no further atom. */
static void stopping_costs_no_step(void **state) {
    (void)state;
    const char *coders[] = {"omp", "ols", "lars", "larc"};
    for (int i = 0; i < 4; i++) {
        effort e = effort_of(INCO_F32, OPTIONS("coder", coders[i], "residual-coherence", "0.4"));
        assert_int_equal(e.seen.atoms, e.nonzeros);
    }
}

/* An atom that leaves the LASSO costs rotations of pairs of columns, not a new basis. */
static void lasso_steps_are_entries_and_exits(void **state) {
    (void)state;
    effort e = effort_of(INCO_F32, OPTIONS("coder", "lasso", "lambda", "0.05"));
    effort lars = effort_of(INCO_F32, OPTIONS("coder", "lars", "lambda", "0.05"));
    int64_t exits = e.seen.atoms - e.nonzeros;
    assert_true(exits > 0);
    assert_true(e.seen.bytes < 2 * lars.seen.bytes);
}

/* In double the support is found in float32: half the bytes, and few signals are recoded. */
static void double_reads_floats(void **state) {
    (void)state;
    const char *coders[] = {"omp", "ols", "lars"};
    for (int i = 0; i < 3; i++) {
        effort e = effort_of(INCO_F64, OPTIONS("coder", coders[i], "sparsity", "12"));
        assert_int_equal(e.seen.again, 0);
        assert_int_equal(e.seen.grams, 1);
        assert_int_equal(e.seen.bytes, bytes_of_steps(coders[i], 12, INCO_F32));
        assert_int_equal(e.multiplied, (int64_t)DIM * ATOMS * SIGNALS);
    }
}

/* ---- The update ---- */

static statistics random_statistics(int64_t dim, int64_t atoms, inco_mat *a, inco_mat *b) {
    inco_mat code = check_random(INCO_F64, atoms, 2 * atoms, 3), x = check_random(INCO_F64, dim, 2 * atoms, 4);
    assert_int_equal(inco_mat_new(a, INCO_F64, atoms, atoms, NULL), INCO_OK);
    assert_int_equal(inco_mat_new(b, INCO_F64, dim, atoms, NULL), INCO_OK);
    blas_multiply(1, "NT", 1, &code, &code, 0, a);
    blas_multiply(1, "NT", 1, &x, &code, 0, b);
    const double energy = blas_dot(x.rows * x.cols, x.data, x.data);
    statistics s = {*a, *b, energy, energy};
    inco_mat_free(&code);
    inco_mat_free(&x);
    return s;
}

/* An evaluation computes D A and, with gamma, e = D D' - I and e D. A line computes P A and, with gamma, P D' and P
 * P'. */
static void an_evaluation_is_one_product_with_a(void **state) {
    (void)state;
    const int64_t dim = 20, atoms = 60, with_a = dim * atoms * atoms, small = dim * dim * atoms;
    const int64_t triangle = dim * (dim + 1) / 2 * atoms; /* product of a matrix by itself */
    inco_mat a, b;
    statistics s = random_statistics(dim, atoms, &a, &b);
    for (int gamma = 0; gamma <= 50; gamma += 50)
        for (int form = 0; form < FORMS; form++) {
            const int rescale = form == FREE;
            inco_mat d = check_dictionary(INCO_F64, dim, atoms, 5);
            update_settings settings = SETTINGS(gamma, form, 15, 1);
            update_result result;
            settings.plain = 1;
            blas_multiplied();
            assert_int_equal(idl_update(&d, &s, &settings, &result, NULL), INCO_OK);
            int64_t each = with_a + (gamma > 0 ? small + triangle : 0), spare = rescale && gamma > 0 ? small : 0;
            assert_in_range(result.iterations, 1, 15);
            assert_true(blas_multiplied() <= result.evaluations * each + spare * result.iterations);
            /* rescale: one evaluation at the start and one at the end; spheres: a line for the first step, and a few
             * evaluations without sufficient decrease */
            assert_true(result.evaluations <= result.iterations + (rescale ? 2 : 5));
            inco_mat_free(&d);
        }
    inco_mat_free(&a);
    inco_mat_free(&b);
}

/* A sweep over the atoms computes D A and, with gamma, D D'. The objective before and after costs extra, if
 * requested. */
static void an_online_sweep_is_one_product_with_a(void **state) {
    (void)state;
    const int64_t dim = 20, atoms = 150, with_a = dim * atoms * atoms, triangle = dim * (dim + 1) / 2 * atoms;
    inco_mat a, b;
    statistics s = random_statistics(dim, atoms, &a, &b);
    for (int gamma = 0; gamma <= 50; gamma += 50) {
        inco_mat d = check_dictionary(INCO_F64, dim, atoms, 5);
        update_settings settings = {.gamma = gamma, .threads = 1};
        update_result result;
        const int64_t frame = gamma > 0 ? triangle : 0;
        blas_multiplied();
        assert_int_equal(online_update(&d, &s, &settings, NULL, NULL), INCO_OK);
        assert_int_equal(blas_multiplied(), with_a + frame);
        assert_int_equal(online_update(&d, &s, &settings, &result, NULL), INCO_OK);
        assert_int_equal(blas_multiplied(), 3 * (with_a + frame));
        inco_mat_free(&d);
    }
    inco_mat_free(&a);
    inco_mat_free(&b);
}

/* ---- Learning ---- */

/* An iteration, the final coding, the search for the span and the defaults, which look at 4096 signals at most, each
 * read every signal once; the first two compute one Gram matrix, and multiply the signals by the dictionary once. Other
 * products: the update, the error from A, the coherence. */
static void a_pass_reads_signals_once_and_makes_one_gram_matrix(void **state) {
    (void)state;
    enum { ITERATIONS = 3 };
    counting_source c = {check_dictionary(INCO_F64, DIM, SIGNALS, 6), 0};
    inco_source source = counting_source_of(&c);
    inco_options *o = OPTIONS("atoms", "100", "coder", "ols", "sparsity", "3", "iterations", "3", "unused", "keep",
                              "threads", "1", "init", "random", "gamma", "0");
    inco_learner *handle;
    assert_int_equal(inco_learner_new(&handle, &source, o, NULL), INCO_OK);
    assert_int_equal(inco_learner_run(handle, NULL), INCO_OK);
    assert_int_equal(c.read, (ITERATIONS + 3) * SIGNALS);
    assert_int_equal(coder_seen(handle->core->coder).grams, ITERATIONS + 1);
    inco_learner_free(handle);
    inco_options_free(o);
    inco_mat_free(&c.x);
}

/* Each pair of atoms is multiplied once: for the coherence, and for a coder. */
static void half_a_gram_matrix_is_multiplied(void **state) {
    (void)state;
    inco_mat d = check_dictionary(INCO_F64, 8, 2000, 7);
    coherence mu;
    blas_multiplied();
    assert_int_equal(coherence_measure(&d, 1, &mu, NULL), INCO_OK);
    assert_int_equal(blas_multiplied(), 8 * 2000 * 2001 / 2);
    inco_coder *coder;
    inco_options *o = OPTIONS("coder", "omp", "sparsity", "3", "threads", "1");
    assert_int_equal(inco_coder_new(&coder, &d, INCO_F32, o, NULL), INCO_OK);
    assert_int_equal(blas_multiplied(), 8 * 2000 * 2001 / 2);
    inco_coder_free(coder);
    inco_options_free(o);
    inco_mat_free(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_reads_the_basis_once),
        cmocka_unit_test(a_path_reads_less_than_once_a_step),
        cmocka_unit_test(a_met_tolerance_costs_no_column),
        cmocka_unit_test(the_signals_are_multiplied_by_the_dictionary_once),
        cmocka_unit_test(stopping_costs_no_step),
        cmocka_unit_test(lasso_steps_are_entries_and_exits),
        cmocka_unit_test(double_reads_floats),
        cmocka_unit_test(an_evaluation_is_one_product_with_a),
        cmocka_unit_test(an_online_sweep_is_one_product_with_a),
        cmocka_unit_test(a_pass_reads_signals_once_and_makes_one_gram_matrix),
        cmocka_unit_test(half_a_gram_matrix_is_multiplied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
