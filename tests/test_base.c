/* Foundations: memory, random numbers, tree sums, options, codes, matrix products. */
#include "check.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/tree.h"
#include "code/coder_options.h"
#include "mat/blas.h"
#include "sparse/csc.h"

static int by_value(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Few of very many are chosen without visiting all: distinct, in range, and the first ones do not depend on the number.
 */
static void few_of_many_are_chosen(void **state) {
    enum { COUNT = 20000 };
    const int64_t n = (int64_t)3000000000;
    int64_t *chosen = malloc(COUNT * sizeof *chosen), fewer[100];
    double mean = 0;
    (void)state;
    assert_int_equal(rng_choose(3, RNG_TEST, n, COUNT, chosen), INCO_OK);
    assert_int_equal(rng_choose(3, RNG_TEST, n, 100, fewer), INCO_OK);
    assert_memory_equal(fewer, chosen, sizeof fewer);
    for (int64_t i = 0; i < COUNT; i++) {
        assert_true(chosen[i] >= 0 && chosen[i] < n);
        mean += (double)chosen[i] / (double)n / COUNT;
    }
    assert_near(mean, .5, 5 * sqrt(1.0 / 12 / COUNT));
    qsort(chosen, COUNT, sizeof *chosen, by_value);
    for (int64_t i = 1; i < COUNT; i++) assert_true(chosen[i - 1] < chosen[i]);
    assert_int_equal(rng_choose(3, RNG_TEST, (1 << 24) + 1, COUNT, chosen), INCO_OK); /* with collisions */
    qsort(chosen, COUNT, sizeof *chosen, by_value);
    for (int64_t i = 1; i < COUNT; i++) assert_true(chosen[i - 1] < chosen[i]);
    free(chosen);
}

static void status_texts(void **state) {
    (void)state;
    assert_string_equal(inco_strerror(INCO_OK), "done");
    for (int code = INCO_ENUMERIC; code <= INCO_CLIPPED; code++)
        assert_string_not_equal(inco_strerror(code), "unknown status");
    assert_string_equal(inco_strerror(INCO_ENUMERIC - 1), "unknown status");
    assert_string_equal(inco_strerror(99), "unknown status");
}

static void memory_is_aligned_checked_and_can_fail(void **state) {
    (void)state;
    for (int64_t n = 0; n < 200; n += 7) {
        char *block = memory_new(n, 3);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % MEMORY_ALIGN, 0);
        for (int64_t i = 0; i < 3 * n; i++) assert_int_equal(block[i], 0);
        memory_free(block);
    }
    assert_null(memory_new(-1, 1));
    assert_null(memory_new(INT64_MAX, 16));
    memory_fail_at(2);
    void *first = memory_new(1, 1), *second = memory_new(1, 1), *third = memory_new(1, 1);
    assert_non_null(first);
    assert_null(second);
    assert_non_null(third);
    assert_int_equal(memory_fail_at(0), 3);
    memory_free(first);
    memory_free(third);
}

static void an_array_grows_or_stays(void **state) {
    (void)state;
    int64_t capacity = 0, *array = NULL;
    for (int64_t n = 0; n < 1000; n++) {
        int64_t *more = memory_more(array, n, &capacity, sizeof *array);
        assert_non_null(more);
        assert_true(n < capacity);
        array = more;
        array[n] = n;
    }
    for (int64_t n = 0; n < 1000; n++) assert_int_equal(array[n], n);
    const int64_t before = capacity;
    memory_fail_at(1);
    assert_null(memory_more(array, capacity, &capacity, sizeof *array));
    memory_fail_at(0);
    assert_int_equal(capacity, before);
    assert_int_equal(array[999], 999);
    memory_free(array);
}

static void random_numbers_are_a_function_of_their_place(void **state) {
    (void)state;
    double mean = 0, square = 0, uniform = 0;
    const int n = 100000;
    for (int i = 0; i < n; i++) {
        double x = rng_normal(1, RNG_TEST, (uint64_t)i), u = rng_uniform(1, RNG_TEST, (uint64_t)i);
        mean += x / n, square += x * x / n, uniform += u / n;
        assert_true(u >= 0 && u < 1);
    }
    assert_near(mean, 0, 0.02);
    assert_near(square, 1, 0.03);
    assert_near(uniform, 0.5, 0.005);
    assert_true(rng_bits(1, RNG_TEST, 5) == rng_bits(1, RNG_TEST, 5));
    assert_true(rng_bits(1, RNG_TEST, 5) != rng_bits(2, RNG_TEST, 5));
    assert_true(rng_bits(1, RNG_TEST, 5) != rng_bits(1, RNG_INIT, 5));
    assert_true(rng_bits(1, RNG_TEST, 5) != rng_bits(1, RNG_TEST, 5 + (1ull << 32)));
}

static void chosen_numbers_are_distinct(void **state) {
    (void)state;
    int64_t chosen[50];
    int count[100] = {0};
    assert_int_equal(rng_choose(3, RNG_TEST, 100, 50, chosen), INCO_OK);
    for (int i = 0; i < 50; i++) {
        assert_in_range(chosen[i], 0, 99);
        assert_int_equal(count[chosen[i]]++, 0);
    }
}

/* The tree over 8 chunks is ((0+1)+(2+3)) + ((4+5)+(6+7)) for any number of threads. */
static void tree_sums_in_a_fixed_order(void **state) {
    (void)state;
    enum { LENGTH = 100000, CHUNKS = 8 };
    double *expected = NEW(double, LENGTH);
    for (int i = 0; i < LENGTH; i++) {
        double x[CHUNKS];
        for (int c = 0; c < CHUNKS; c++) x[c] = rng_normal((uint64_t)c, RNG_TEST, (uint64_t)i);
        expected[i] = ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
    }
    for (int threads = 1; threads <= 3; threads++) {
        tree_sum *tree = tree_new(LENGTH, LENGTH, threads);
        assert_null(tree_total(tree));
        for (int round = 0; round < 2; round++) { /* the second round reuses the memory */
            tree_clear(tree);
            for (int c = 0; c < CHUNKS; c++) {
                double *leaf = tree_next(tree);
                for (int i = 0; i < LENGTH; i++) leaf[i] = rng_normal((uint64_t)c, RNG_TEST, (uint64_t)i);
                tree_push(tree, c);
            }
            assert_memory_equal(tree_total(tree), expected, LENGTH * sizeof(double));
        }
        tree_free(tree);
    }
    memory_free(expected);
}

static void tree_sums_any_number_of_chunks(void **state) {
    (void)state;
    tree_sum *tree = tree_new(1, 1, 1);
    for (int chunks = 1; chunks < 70; chunks++) {
        tree_clear(tree);
        for (int c = 1; c <= chunks; c++) {
            tree_next(tree)[0] = c;
            tree_push(tree, c - 1);
        }
        assert_true(tree_total(tree)[0] == chunks * (chunks + 1) / 2);
    }
    tree_free(tree);
}

static void options_have_defaults_and_ranges(void **state) {
    (void)state;
    inco_options *o = inco_options_new();
    inco_error error;
    char text[64];
    assert_int_equal(inco_options_get(o, "method", text, sizeof text), 3);
    assert_string_equal(text, "idl");
    assert_true(inco_options_get_number(o, "iterations") == 25);
    assert_true(isnan(inco_options_get_number(o, "gamma")));
    assert_false(inco_options_given(o, "iterations"));
    assert_int_equal(inco_options_set(o, "iterations", "3", &error), INCO_OK);
    assert_true(inco_options_given(o, "iterations"));
    assert_int_equal(inco_options_set(o, "gamma", "-1", &error), INCO_EINVAL);
    assert_string_equal(error.message, "option 'gamma' must be 0 or more, not -1");
    assert_int_equal(inco_options_set(o, "gamma", "five", &error), INCO_EINVAL);
    assert_string_equal(error.message, "option 'gamma' takes a number or auto, not 'five'");
    assert_int_equal(inco_options_set(o, "gamma", "nan", &error), INCO_EINVAL);
    assert_int_equal(inco_options_set(o, "atoms", "2.5", &error), INCO_EINVAL);
    assert_string_equal(error.message, "option 'atoms' takes a whole number, not 2.5");
    assert_int_equal(inco_options_set(o, "coder", "om", &error), INCO_EINVAL);
    assert_non_null(strstr(error.message, "option 'coder' must be one of omp|ols|"));
    assert_non_null(strstr(error.message, ", not 'om'"));
    assert_int_equal(inco_options_set(o, "patch", "8x", &error), INCO_EINVAL);
    assert_int_equal(inco_options_set(o, "patch", "8x9", &error), INCO_OK);
    inco_options_get(o, "patch", text, sizeof text);
    assert_string_equal(text, "8x9");
    assert_int_equal(inco_options_set(o, "no-such", "1", &error), INCO_EINVAL);
    assert_int_equal(inco_options_set_number(o, "residual-coherence", 1.5, &error), INCO_EINVAL);
    assert_string_equal(error.message, "option 'residual-coherence' must be from 0 to 1, not 1.5");
    assert_int_equal(inco_options_get(o, "no-such", text, sizeof text), -1);
    inco_options_free(o);
}

/* Every option can be set to its own text, read back, and copied. */
static void options_round_trip(void **state) {
    (void)state;
    inco_options *o = inco_options_new();
    inco_option row = INCO_INIT(inco_option), *option = &row;
    int i = 0;
    for (; inco_option_at(i, option); i++) {
        char text[64], again[64];
        assert_true(option->help && option->group && option->commands & INCO_COMMANDS);
        inco_options_get(o, option->name, text, sizeof text);
        if (option->default_text && isnan(inco_options_get_number(o, option->name)))
            assert_string_equal(text, option->default_text);
        else if (option->default_text)
            assert_true(inco_options_get_number(o, option->name) == strtod(option->default_text, NULL));
        if (!*text) continue;
        assert_int_equal(inco_options_set(o, option->name, text, NULL), INCO_OK);
        inco_options *copy = inco_options_copy(o);
        inco_options_get(copy, option->name, again, sizeof again);
        assert_string_equal(text, again);
        assert_true(inco_options_given(copy, option->name));
        inco_options_free(copy);
    }
    assert_true(i > 30);
    assert_int_equal(inco_option_at(-1, option), 0);
    inco_options_free(o);
}

static void options_survive_failing_memory(void **state) {
    (void)state;
    for (int64_t k = 1;; k++) {
        memory_fail_at(k);
        inco_options *o = inco_options_new(), *copy = o ? inco_options_copy(o) : NULL;
        int failed = !o || !copy;
        memory_fail_at(0);
        inco_options_free(copy);
        inco_options_free(o);
        if (!failed) break;
        assert_true(k < 1000);
    }
}

/* Residual coherence and sparsity in 160 and 64 dimensions: defaults only if no rule is given. */
static void default_stop_rules(void **state) {
    (void)state;
    inco_options *o = OPTIONS("coder", "larc");
    const coder_options *rules = coder_options_of(o);
    assert_true(coder_residual_coherence(rules, 160) == 0.2);
    assert_float_equal(coder_residual_coherence(rules, 640), 0.1, 1e-12);
    assert_true(coder_residual_coherence(rules, 4) == 0.5);
    assert_int_equal(coder_sparsity(rules, 160), 160);
    inco_options_set(o, "coder", "omp", NULL);
    assert_true(coder_residual_coherence(rules, 160) < 0);
    assert_int_equal(coder_sparsity(rules, 160), 8);
    assert_int_equal(coder_sparsity(rules, 64), 3);
    assert_int_equal(coder_sparsity(rules, 1), 2);
    inco_options_set(o, "residual-coherence", "0.3", NULL);
    assert_true(coder_residual_coherence(rules, 160) == 0.3);
    assert_int_equal(coder_sparsity(rules, 160), 160);
    inco_options_set(o, "sparsity", "5", NULL);
    assert_int_equal(coder_sparsity(rules, 160), 5);
    inco_options_free(o);
    o = OPTIONS("coder", "omp", "tolerance", "0.1");
    assert_true(coder_residual_coherence(coder_options_of(o), 160) < 0);
    assert_int_equal(coder_sparsity(coder_options_of(o), 160), 160);
    inco_options_free(o);
}

static void codes_grow_and_transpose(void **state) {
    (void)state;
    csc codes = {0}, rows = {0}, back = {0};
    assert_int_equal(csc_new(&codes, INCO_F64, 7, 2, 1, NULL), INCO_OK);
    for (int n = 0; n < 100; n++) {
        int64_t at = csc_nonzeros(&codes);
        assert_int_equal(csc_reserve(&codes, n + 1, at + n % 5, NULL), INCO_OK);
        for (int k = 0; k < n % 5; k++) {
            codes.index[at + k] = (n + k) % 3 + 2 * (k > 2);
            ((double *)codes.value)[at + k] = n + 0.1 * k;
        }
        codes.start[++codes.cols] = at + n % 5;
    }
    assert_int_equal(csc_transpose(&rows, &codes, NULL), INCO_OK);
    assert_int_equal(csc_transpose(&back, &rows, NULL), INCO_OK);
    assert_int_equal(rows.cols, 7);
    assert_int_equal(csc_nonzeros(&rows), csc_nonzeros(&codes));
    double sum = 0, again = 0;
    for (int64_t n = 0; n < codes.cols; n++) {
        assert_int_equal(back.start[n], codes.start[n]);
        for (int64_t k = codes.start[n]; k < codes.start[n + 1]; k++) {
            sum += csc_value(&codes, k) * (codes.index[k] + 1) * (double)(n + 1);
            again += csc_value(&back, k) * (back.index[k] + 1) * (double)(n + 1);
        }
    }
    assert_near(sum, again, 1e-9 * sum);
    csc_free(&codes);
    csc_free(&rows);
    csc_free(&back);
}

/* C = alpha op(A) op(B) + beta C by its definition. */
static void multiply_simply(const char *form, double alpha, const inco_mat *a, const inco_mat *b, double beta,
                            const inco_mat *c) {
    const int64_t inner = form[0] == 'T' ? a->rows : a->cols;
    for (int64_t j = 0; j < c->cols; j++)
        for (int64_t i = 0; i < c->rows; i++) {
            double sum = 0;
            for (int64_t k = 0; k < inner; k++)
                sum += (form[0] == 'T' ? mat_get(a, k, i) : mat_get(a, i, k)) *
                       (form[1] == 'T' ? mat_get(b, j, k) : mat_get(b, k, j));
            mat_set(c, i, j, alpha * sum + (beta == 0 ? 0 : beta * mat_get(c, i, j)));
        }
}

static double largest_difference(const inco_mat *a, const inco_mat *b) {
    double most = 0;
    for (int64_t j = 0; j < a->cols; j++)
        for (int64_t i = 0; i < a->rows; i++) most = fmax(most, fabs(mat_get(a, i, j) - mat_get(b, i, j)));
    return most;
}

/* A part of a larger matrix: its columns are not adjacent in memory. */
static inco_mat inner_part(const inco_mat *m) {
    return mat_part(m, 1, 1, m->rows - 2, m->cols - 2);
}

/* One block of C, several, and an incomplete last block. */
static void products_are_those_of_the_definition(void **state) {
    const inco_type types[] = {INCO_F64, INCO_F32};
    const int64_t sizes[] = {3, 130, 300, 530};
    const char *const forms[] = {"NN", "TN", "NT", "TT"};
    (void)state;
    for (int t = 0; t < 2; t++)
        for (int s = 0; s < 4; s++)
            for (int f = 0; f < 4; f++) {
                const int64_t n = sizes[s], k = 21, m = n / 2 + 1;
                const int ta = forms[f][0] == 'T', tb = forms[f][1] == 'T';
                inco_mat a = check_random(types[t], 2 + (ta ? k : n), 2 + (ta ? n : k), 1);
                inco_mat b = check_random(types[t], 2 + (tb ? m : k), 2 + (tb ? k : m), 2);
                inco_mat c = check_random(types[t], n + 2, m + 2, 3), wanted = check_random(types[t], n + 2, m + 2, 3);
                inco_mat ap = inner_part(&a), bp = inner_part(&b), cp = inner_part(&c), wp = inner_part(&wanted);
                blas_multiply(2, forms[f], 1.5, &ap, &bp, -0.5, &cp);
                multiply_simply(forms[f], 1.5, &ap, &bp, -0.5, &wp);
                assert_true(largest_difference(&c, &wanted) <=
                            (t ? 1e-4 : 1e-12)); /* the rest of the matrix is unchanged */
                inco_mat_free(&a);
                inco_mat_free(&b);
                inco_mat_free(&c);
                inco_mat_free(&wanted);
            }
}

static void matrices_are_turned_over_between_types(void **state) {
    const inco_type types[] = {INCO_F64, INCO_F32};
    (void)state;
    for (int from = 0; from < 2; from++)
        for (int to = 0; to < 2; to++) {
            inco_mat a = check_random(types[from], 70, 131, 1), b = check_random(types[to], 131, 70, 2);
            mat_copy_transposed(&b, &a);
            for (int64_t j = 0; j < 131; j++)
                for (int64_t i = 0; i < 70; i++) {
                    const double wanted = to ? (float)mat_get(&a, i, j) : mat_get(&a, i, j);
                    assert_true(mat_get(&b, j, i) == wanted);
                }
            inco_mat_free(&a);
            inco_mat_free(&b);
        }
}

/* Products of a matrix by itself have their own code: the same numbers, symmetric, for any number of threads, also if a
 * symmetric matrix is added. */
static void products_of_a_matrix_by_itself_are_symmetric(void **state) {
    const inco_type types[] = {INCO_F64, INCO_F32};
    const int64_t sizes[] = {1, 70, 256, 300, 530};
    (void)state;
    for (int t = 0; t < 2; t++)
        for (int s = 0; s < 5; s++)
            for (int turned = 0; turned < 2; turned++) {
                const int64_t n = sizes[s], k = turned ? 37 : 501;
                const char *form = turned ? "TN" : "NT";
                inco_mat a = check_random(types[t], 2 + (turned ? k : n), 2 + (turned ? n : k), 1);
                inco_mat c[3], part = inner_part(&a), cp[3];
                for (int i = 0; i < 3; i++) {
                    c[i] = check_random(types[t], n + 2, n + 2, 2);
                    cp[i] = inner_part(&c[i]);
                    mat_mirror(&cp[i]);
                }
                blas_multiply(1, form, 0.5, &part, &part, 2, &cp[0]);
                blas_multiply(3, form, 0.5, &part, &part, 2, &cp[1]);
                multiply_simply(form, 0.5, &part, &part, 2, &cp[2]);
                assert_true(largest_difference(&c[0], &c[1]) == 0);
                assert_true(largest_difference(&c[0], &c[2]) <= (t ? 1e-3 : 1e-11));
                mat_copy_transposed(&cp[1], &cp[0]);
                assert_true(largest_difference(&cp[0], &cp[1]) == 0);
                inco_mat_free(&a);
                for (int i = 0; i < 3; i++) inco_mat_free(&c[i]);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_of_many_are_chosen),
        cmocka_unit_test(status_texts),
        cmocka_unit_test(memory_is_aligned_checked_and_can_fail),
        cmocka_unit_test(an_array_grows_or_stays),
        cmocka_unit_test(random_numbers_are_a_function_of_their_place),
        cmocka_unit_test(chosen_numbers_are_distinct),
        cmocka_unit_test(tree_sums_in_a_fixed_order),
        cmocka_unit_test(tree_sums_any_number_of_chunks),
        cmocka_unit_test(options_have_defaults_and_ranges),
        cmocka_unit_test(options_round_trip),
        cmocka_unit_test(options_survive_failing_memory),
        cmocka_unit_test(default_stop_rules),
        cmocka_unit_test(codes_grow_and_transpose),
        cmocka_unit_test(products_are_those_of_the_definition),
        cmocka_unit_test(matrices_are_turned_over_between_types),
        cmocka_unit_test(products_of_a_matrix_by_itself_are_symmetric),
    };
    inco_blas_one_thread(); /* as in every public call */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
