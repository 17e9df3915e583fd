/* Coders in double that use float32 to find the support, against the same coders entirely in double. */
#include "check.h"

#include <stdlib.h>

#include "base/memory.h"
#include "code/coder.h"
#include "code/kernel.h"
#include "data/pass.h"
#include "sparse/csc.h"

/* Sinusoids of random frequency and phase with noise: coherent, like windows of speech. */
static inco_mat tones(int64_t dim, int64_t count, uint64_t seed) {
    inco_mat m = check_random(INCO_F64, dim, count, seed);
    for (int64_t n = 0; n < count; n++)
        for (int64_t i = 0; i < dim; i++) {
            double value = 0.02 * mat_get(&m, i, n);
            for (int k = 0; k < 4; k++) {
                uint64_t draw = (uint64_t)(4 * n + k);
                double u = rng_uniform(seed + 1, RNG_TEST, draw), phase = 6.3 * rng_uniform(seed + 2, RNG_TEST, draw);
                value += rng_normal(seed + 3, RNG_TEST, draw) * cos(2 * u * u * (double)i + phase);
            }
            mat_set(&m, i, n, value);
        }
    mat_normalize_columns(&m, NULL);
    return m;
}

static csc encode(const inco_mat *d, const inco_mat *x, const inco_options *o, int fast, double *residual) {
    inco_coder *coder;
    csc codes = {0};
    assert_int_equal(inco_coder_new(&coder, d, INCO_F64, o, NULL), INCO_OK);
    if (!fast) coder_without_fast(coder);
    assert_int_equal(coder_run(coder, x, &codes, residual, NULL), INCO_OK);
    inco_coder_free(coder);
    return codes;
}

static int same_support(const csc *a, const csc *b, int64_t n) {
    int64_t count = a->start[n + 1] - a->start[n];
    if (count != b->start[n + 1] - b->start[n]) return 0;
    return !memcmp(a->index + a->start[n], b->index + b->start[n], (size_t)count * sizeof *a->index);
}

static double largest_difference(const csc *a, const csc *b, int64_t n) {
    double most = 0;
    for (int64_t k = 0; k < a->start[n + 1] - a->start[n]; k++)
        most = fmax(most, fabs(csc_value(a, a->start[n] + k) - csc_value(b, b->start[n] + k)));
    return most;
}

/* Supports are equal, coefficients to 1e-8, residuals to 1e-9 of the energy, which is 1. */
static void compare(const inco_mat *d, const inco_mat *x, inco_options *o) {
    double *fast_residual = NEW(double, x->cols), *residual = NEW(double, x->cols);
    csc fast = encode(d, x, o, 1, fast_residual), plain = encode(d, x, o, 0, residual);
    int64_t other = 0, atoms = 0;
    for (int64_t n = 0; n < x->cols; n++) {
        atoms += plain.start[n + 1] - plain.start[n];
        if (!same_support(&fast, &plain, n)) {
            other++;
            continue;
        }
        assert_near(largest_difference(&fast, &plain, n), 0, 1e-8);
        assert_near(fast_residual[n], residual[n], 1e-9);
    }
    if (other > 0) print_error("%d of %d differ\n", (int)other, (int)x->cols);
    assert_int_equal(other, 0);
    assert_true(atoms > 3 * x->cols);
    memory_free(fast_residual);
    memory_free(residual);
    csc_free(&fast);
    csc_free(&plain);
    inco_options_free(o);
}

/* Choices are verified, so that even ties agree. */
static void compare_all(const inco_mat *d, const inco_mat *x) {
    compare(d, x, OPTIONS("coder", "omp", "sparsity", "8"));
    compare(d, x, OPTIONS("coder", "omp", "sparsity", "25"));
    compare(d, x, OPTIONS("coder", "omp", "tolerance", "0.1"));
    compare(d, x, OPTIONS("coder", "omp", "lambda", "0.05"));
    compare(d, x, OPTIONS("coder", "omp", "residual-coherence", "0.3"));
    compare(d, x, OPTIONS("coder", "ols", "sparsity", "8"));
    compare(d, x, OPTIONS("coder", "ols", "sparsity", "25"));
    compare(d, x, OPTIONS("coder", "ols", "tolerance", "0.1"));
    compare(d, x, OPTIONS("coder", "ols", "residual-coherence", "0.3"));
    compare(d, x, OPTIONS("coder", "lars", "sparsity", "20"));
    compare(d, x, OPTIONS("coder", "lars", "tolerance", "0.2"));
    compare(d, x, OPTIONS("coder", "larc", "residual-coherence", "0.3"));
    compare(d, x, OPTIONS("coder", "larc", "residual-coherence", "0.3", "refit", "yes"));
    compare(d, x, OPTIONS("coder", "lasso", "lambda", "0.05"));
    compare(d, x, OPTIONS("coder", "lasso", "residual-coherence", "0.3"));
}

static void float32_finds_what_double_finds(void **state) {
    (void)state;
    inco_mat d = check_dictionary(INCO_F64, 64, 200, 1), x = check_dictionary(INCO_F64, 64, 3000, 2);
    compare_all(&d, &x);
    inco_mat_free(&d);
    inco_mat_free(&x);
}

static void also_in_coherent_dictionaries(void **state) {
    (void)state;
    inco_mat d = tones(64, 300, 3), x = tones(64, 3000, 13);
    compare_all(&d, &x);
    inco_mat_free(&d);
    inco_mat_free(&x);
}

static void assert_same_codes(const csc *a, const csc *b) {
    const int64_t nonzeros = csc_nonzeros(a);
    assert_int_equal(nonzeros, csc_nonzeros(b));
    assert_memory_equal(a->start, b->start, (size_t)(a->cols + 1) * sizeof *a->start);
    assert_memory_equal(a->index, b->index, (size_t)nonzeros * sizeof *a->index);
    assert_memory_equal(a->value, b->value, (size_t)nonzeros * a->type);
}

/* With a Gram matrix of several blocks, computed in parallel, and speculative columns on the path. */
static void bits_do_not_depend_on_threads(void **state) {
    const char *const threads[] = {"1", "2", "5"}, *const rules[][2] = {{"omp", "9"}, {"lars", "22"}};
    const inco_type types[] = {INCO_F64, INCO_F32};
    (void)state;
    for (int r = 0; r < 4; r++) {
        const inco_type type = types[r % 2];
        inco_mat d = check_dictionary(type, 24, 700, 1), x = check_dictionary(type, 24, 300, 2);
        csc codes[3] = {{0}};
        for (int i = 0; i < 3; i++) {
            inco_coder *coder;
            inco_options *o = OPTIONS("coder", rules[r / 2][0], "sparsity", rules[r / 2][1], "threads", threads[i]);
            assert_int_equal(inco_coder_new(&coder, &d, type, o, NULL), INCO_OK);
            assert_int_equal(coder_run(coder, &x, &codes[i], NULL, NULL), INCO_OK);
            assert_same_codes(&codes[i], &codes[0]);
            inco_coder_free(coder);
            inco_options_free(o);
        }
        for (int i = 0; i < 3; i++) csc_free(&codes[i]);
        inco_mat_free(&d);
        inco_mat_free(&x);
    }
}

/* Codes with and without speculative columns are equal, and fewer bytes are read with them. Returns the coder's
 * counts. */
static coder_counts compare_guessing(const inco_mat *d, const inco_mat *x, inco_options *o, csc *codes) {
    csc plain = {0};
    coder_counts seen[2];
    for (int guessing = 0; guessing < 2; guessing++) {
        inco_coder *coder;
        assert_int_equal(inco_coder_new(&coder, d, d->type, o, NULL), INCO_OK);
        if (!guessing) coder_without_guesses(coder);
        assert_int_equal(coder_run(coder, x, guessing ? codes : &plain, NULL, NULL), INCO_OK);
        seen[guessing] = coder_seen(coder);
        inco_coder_free(coder);
    }
    assert_same_codes(codes, &plain);
    assert_true(seen[1].bytes < seen[0].bytes);
    csc_free(&plain);
    inco_options_free(o);
    return seen[1];
}

/* With more columns than are allocated at a time, and with atoms that leave, so that P is rotated. */
static void bits_do_not_depend_on_guesses(void **state) {
    const inco_type types[] = {INCO_F64, INCO_F32};
    const char *const signs[] = {"no", "yes"};
    (void)state;
    for (int t = 0; t < 2; t++) {
        inco_mat d = check_dictionary(types[t], 96, 300, 3), x = check_dictionary(types[t], 96, 200, 13);
        csc codes = {0};
        compare_guessing(&d, &x, OPTIONS("coder", "lars", "sparsity", "80"), &codes);
        for (int64_t n = 0; n < x.cols; n++) assert_true(codes.start[n + 1] - codes.start[n] > KERNEL_CHUNK);
        csc_free(&codes);
        for (int i = 0; i < 2; i++) {
            inco_options *o = OPTIONS("coder", "lasso", "lambda", "0.02", "nonnegative", signs[i]);
            coder_counts seen = compare_guessing(&d, &x, o, &codes);
            assert_true(seen.atoms > csc_nonzeros(&codes) + x.cols);
            csc_free(&codes);
        }
        inco_mat_free(&d);
        inco_mat_free(&x);
    }
}

/* residual-norm is the tolerance over the norm of the signal: for signals of norm 1, 2, 4 and 8, which differ by exact
 * factors, the tolerances 0.6, 0.3, 0.15 and 0.075 give the same codes. A signal below the norm has no atoms. */
static void residual_norm_is_a_tolerance_per_signal(void **state) {
    const char *const coders[] = {"omp", "ols", "lars", "lasso"}, *const tolerances[] = {"0.6", "0.3", "0.15", "0.075"};
    inco_mat d = check_dictionary(INCO_F64, 32, 100, 1), x = check_dictionary(INCO_F64, 32, 41, 2);
    (void)state;
    for (int64_t n = 0; n < x.cols; n++)
        for (int64_t i = 0; i < x.rows; i++) mat_set(&x, i, n, ldexp(mat_get(&x, i, n), n == 40 ? -1 : (int)(n % 4)));
    for (int c = 0; c < 4; c++) {
        inco_options *by_norm = OPTIONS("coder", coders[c], "residual-norm", "0.6");
        csc codes = encode(&d, &x, by_norm, 1, NULL);
        for (int t = 0; t < 4; t++) {
            inco_options *o = OPTIONS("coder", coders[c], "tolerance", tolerances[t]);
            csc plain = encode(&d, &x, o, 0, NULL);
            for (int64_t n = t; n < 40; n += 4) {
                assert_true(codes.start[n + 1] > codes.start[n] && same_support(&codes, &plain, n));
                assert_near(largest_difference(&codes, &plain, n), 0, 1e-12);
            }
            csc_free(&plain);
            inco_options_free(o);
        }
        assert_int_equal(codes.start[41], codes.start[40]);
        csc_free(&codes);
        inco_options_free(by_norm);
    }
    inco_mat_free(&d);
    inco_mat_free(&x);
}

/* Residual of signal n, and its largest inner product with an atom; *on_support: in magnitude, with the atoms used. */
static double largest_gradient(const inco_mat *d, const inco_mat *x, const csc *codes, int64_t n, double *on_support) {
    double residual[64], largest = -1;
    assert_true(x->rows <= 64);
    for (int64_t i = 0; i < x->rows; i++) {
        residual[i] = mat_get(x, i, n);
        for (int64_t k = codes->start[n]; k < codes->start[n + 1]; k++)
            residual[i] -= csc_value(codes, k) * mat_get(d, i, codes->index[k]);
    }
    *on_support = 0;
    for (int64_t j = 0; j < d->cols; j++) {
        double product = 0;
        for (int64_t i = 0; i < d->rows; i++) product += residual[i] * mat_get(d, i, j);
        largest = fmax(largest, product);
        for (int64_t k = codes->start[n]; k < codes->start[n + 1]; k++)
            if (codes->index[k] == j) *on_support = fmax(*on_support, fabs(product));
    }
    return largest;
}

/* Without another stop, nonnegative pursuit ends at the nonnegative least-squares solution: positive coefficients, a
 * residual orthogonal to their atoms, and no atom that reduces it. Atoms leave on the way. Where there are as many
 * atoms as dimensions, the residual is rounding errors. */
static void nonnegative_pursuit_is_optimal(void **state) {
    const inco_type types[] = {INCO_F64, INCO_F32};
    const char *const coders[] = {"omp", "ols"};
    (void)state;
    for (int t = 0; t < 4; t++) {
        const double tolerance = types[t % 2] == INCO_F32 ? 2e-5 : 1e-10;
        inco_mat d = check_dictionary(types[t % 2], 20, 28, 5), x = check_dictionary(types[t % 2], 20, 300, 6);
        inco_options *o = OPTIONS("coder", coders[t / 2], "sparsity", "40", "nonnegative", "yes");
        inco_coder *coder;
        csc codes = {0};
        int64_t checked = 0;
        assert_int_equal(inco_coder_new(&coder, &d, d.type, o, NULL), INCO_OK);
        assert_int_equal(coder_run(coder, &x, &codes, NULL, NULL), INCO_OK);
        assert_true(coder_seen(coder).atoms > csc_nonzeros(&codes) + 10);
        for (int64_t k = 0; k < csc_nonzeros(&codes); k++) assert_true(csc_value(&codes, k) > 0);
        for (int64_t n = 0; n < x.cols; n++) {
            double on_support;
            if (codes.start[n + 1] - codes.start[n] == d.rows) continue;
            checked++;
            assert_true(largest_gradient(&d, &x, &codes, n, &on_support) < tolerance);
            assert_true(on_support < tolerance);
        }
        assert_true(checked > x.cols / 4);
        inco_coder_free(coder);
        csc_free(&codes);
        inco_mat_free(&d);
        inco_mat_free(&x);
        inco_options_free(o);
    }
}

/* Codes of up to five atoms. */
static csc some_codes(inco_type type, int64_t atoms, int64_t count) {
    csc codes;
    assert_int_equal(csc_new(&codes, type, atoms, count, 5 * count, NULL), INCO_OK);
    for (int64_t n = 0; n < count; n++) {
        codes.start[n + 1] = codes.start[n];
        for (int64_t j = n % 7; j < atoms && j < 5 * n && j < 35; j += 7) {
            const int64_t k = codes.start[n + 1]++;
            codes.index[k] = (int32_t)j;
            if (type == INCO_F32)
                ((float *)codes.value)[k] = (float)(j + 1) / 8;
            else
                ((double *)codes.value)[k] = (double)(j + 1) / 8;
        }
    }
    return codes;
}

/* ||x - D c||^2 of all signals. */
static double error_by_definition(const inco_mat *d, const inco_mat *x, const csc *codes) {
    double sum = 0;
    for (int64_t n = 0; n < x->cols; n++)
        for (int64_t i = 0; i < x->rows; i++) {
            double rest = mat_get(x, i, n);
            for (int64_t k = codes->start[n]; k < codes->start[n + 1]; k++)
                rest -= csc_value(codes, k) * mat_get(d, i, codes->index[k]);
            sum += rest * rest;
        }
    return sum;
}

/* For any number of features, whole vectors or not, and any types. */
static void errors_are_those_of_the_definition(void **state) {
    for (int64_t dim = 1; dim <= 150; dim += dim < 40 ? 1 : 37)
        for (int types = 0; types < 4; types++) {
            const inco_type of_atoms = types & 1 ? INCO_F32 : INCO_F64, type = types & 2 ? INCO_F32 : INCO_F64;
            inco_mat d = check_dictionary(of_atoms, dim, 2 * dim, 7), x = check_random(type, dim, 9, 8);
            csc codes = some_codes(type, d.cols, x.cols), none = some_codes(type, 0, x.cols);
            const double expected = error_by_definition(&d, &x, &codes), all = error_by_definition(&d, &x, &none);
            const pass_group group = {.total = x.cols, .x = &x, .codes = &codes};
            double residual = 0, energy = 0;
            assert_int_equal(pass_error(&d, &group, 2, &residual, &energy, NULL), INCO_OK);
            assert_true(fabs(residual - expected) <= 1e-13 * expected);
            assert_true(fabs(energy - all) <= 1e-13 * all);
            csc_free(&codes);
            csc_free(&none);
            inco_mat_free(&d);
            inco_mat_free(&x);
        }
    (void)state;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(float32_finds_what_double_finds),         cmocka_unit_test(also_in_coherent_dictionaries),
        cmocka_unit_test(bits_do_not_depend_on_threads),           cmocka_unit_test(bits_do_not_depend_on_guesses),
        cmocka_unit_test(residual_norm_is_a_tolerance_per_signal), cmocka_unit_test(errors_are_those_of_the_definition),
        cmocka_unit_test(nonnegative_pursuit_is_optimal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
