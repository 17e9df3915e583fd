/* The assignment problem and inco_compare. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "metric/assign.h"

/* ---- Assignments ---- */

/* (CMP-3) in exact arithmetic: proves that no assignment costs less. */
static void check_optimal(const assign_problem *p, const int32_t *match, const int32_t *v) {
    char *taken = calloc((size_t)p->cols, 1);
    for (int64_t i = 0; i < p->rows; i++) {
        assert_true(match[i] >= 0 && match[i] < p->cols);
        assert_false(taken[match[i]]);
        taken[match[i]] = 1;
        const int64_t u = (int64_t)p->cost[i * p->cols + match[i]] - v[match[i]];
        for (int64_t j = 0; j < p->cols; j++) assert_true(u + v[j] <= p->cost[i * p->cols + j]);
    }
    for (int64_t j = 0; j < p->cols; j++) assert_true(taken[j] ? v[j] <= 0 : v[j] == 0);
    free(taken);
}

static int64_t total(const assign_problem *p, const int32_t *match) {
    int64_t sum = 0;
    for (int64_t i = 0; i < p->rows; i++) sum += p->cost[i * p->cols + match[i]];
    return sum;
}

static void solve_and_check(int64_t rows, int64_t cols, const int32_t *cost) {
    const assign_problem p = {rows, cols, cost, NULL, NULL};
    int32_t *match = calloc((size_t)rows, sizeof *match), *price = calloc((size_t)cols, sizeof *price);
    assert_int_equal(assign_solve(&p, match, price, NULL), INCO_OK);
    check_optimal(&p, match, price);
    free(match);
    free(price);
}

static uint32_t next(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

/* Costs of several kinds: any, few different ones (ties), all equal, extreme, products, and distances on a line, which
 * need long paths. */
static void fill(int kind, int64_t rows, int64_t cols, int32_t *cost, uint64_t *state) {
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++) {
            const int32_t any = (int32_t)(next(state) % (ASSIGN_COST_MAX + 1u));
            const int64_t line = llabs(i * 7919 % rows * cols - j * 104729 % cols * rows);
            const int32_t kinds[] = {any,
                                     any % 3,
                                     ASSIGN_COST_MAX,
                                     any % 2 ? ASSIGN_COST_MAX : 0,
                                     (int32_t)((i + 1) * (j + 1) * (ASSIGN_COST_MAX / (rows * cols))),
                                     (int32_t)(line * (ASSIGN_COST_MAX / (rows * cols)))};
            cost[i * cols + j] = kinds[kind];
        }
}

static void assignments_are_optimal(void **unused) {
    const int64_t sizes[][2] = {{1, 1}, {1, 5}, {2, 2}, {7, 7}, {20, 33}, {64, 64}, {150, 150}, {100, 240}};
    uint64_t state = 5;
    (void)unused;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int kind = 0; kind < 6; kind++)
            for (int repeat = 0; repeat < (sizes[s][0] < 30 ? 20 : 2); repeat++) {
                int32_t *cost = calloc((size_t)(sizes[s][0] * sizes[s][1]), sizeof *cost);
                fill(kind, sizes[s][0], sizes[s][1], cost, &state);
                solve_and_check(sizes[s][0], sizes[s][1], cost);
                free(cost);
            }
}

/* Least total over all assignments of the rows from `row` on. */
static int64_t by_hand(const assign_problem *p, int64_t row, unsigned taken) {
    int64_t least = INT64_MAX;
    if (row == p->rows) return 0;
    for (int64_t j = 0; j < p->cols; j++)
        if (!(taken >> j & 1)) {
            const int64_t sum = p->cost[row * p->cols + j] + by_hand(p, row + 1, taken | 1u << j);
            least = sum < least ? sum : least;
        }
    return least;
}

static void small_assignments_by_hand(void **unused) {
    uint64_t state = 11;
    (void)unused;
    for (int k = 0; k < 200; k++) {
        const int64_t rows = 1 + k % 5, cols = rows + k % 3;
        int32_t cost[40], match[8], price[8];
        for (int i = 0; i < 40; i++) cost[i] = (int32_t)(next(&state) % (k % 2 ? 6 : 1000));
        const assign_problem p = {rows, cols, cost, NULL, NULL};
        assert_int_equal(assign_solve(&p, match, price, NULL), INCO_OK);
        assert_int_equal(total(&p, match), by_hand(&p, 0, 0));
    }
}

/* ---- Dictionaries ---- */

static inco_comparison compare(const inco_mat *a, const inco_mat *b, const inco_options *options) {
    inco_comparison c = INCO_INIT(inco_comparison);
    inco_error error = {0};
    if (inco_compare(a, b, options, &c, &error) != INCO_OK) fail_msg("%s", error.message);
    return c;
}

/* B has the atoms of A in another order, with other norms and signs; `lost` of them are replaced. */
static inco_mat shuffled(const inco_mat *a, int64_t lost) {
    inco_mat b = check_random(INCO_F64, a->rows, a->cols, 99);
    for (int64_t j = lost; j < a->cols; j++)
        for (int64_t i = 0; i < a->rows; i++)
            mat_set(&b, i, j, (j % 2 ? -1e-3 : 5e6) * mat_get(a, i, (j * 7 + 3) % a->cols));
    return b;
}

static void a_shuffled_dictionary_is_recovered(void **unused) {
    (void)unused;
    for (int type = INCO_F32; type <= (int)INCO_F64; type += 4) {
        inco_mat a = check_random((inco_type)type, 20, 300, 4), b = shuffled(&a, 30);
        inco_comparison c = compare(&a, &b, NULL);
        assert_int_equal(c.matched, 300);
        assert_int_equal(c.recovered[0], 270);
        assert_int_equal(c.recovered[2], 270);
        for (int64_t j = 30; j < 300; j++) {
            const int64_t atom = (j * 7 + 3) % 300;
            assert_int_equal(c.match[atom], j);
            assert_int_equal(c.nearest_a[atom], j);
            assert_int_equal(c.nearest_b[j], atom);
            assert_near(c.match_similarity[atom], j % 2 ? -1 : 1, 1e-12);
        }
        assert_true(c.mean_nearest_a >= c.mean_similarity && c.mean_nearest_b >= c.mean_similarity);
        inco_comparison_free(&c);
        inco_mat_free(&a);
        inco_mat_free(&b);
    }
}

/* All atoms of A are near one atom of B: the greedy mean is near 1, and its collisions say why. */
static void collisions_are_counted(void **unused) {
    (void)unused;
    inco_mat a = check_random(INCO_F64, 16, 50, 6), b = check_random(INCO_F64, 16, 80, 7);
    for (int64_t j = 0; j < 50; j++)
        for (int64_t i = 0; i < 16; i++) mat_set(&a, i, j, mat_get(&b, i, 12) + 0.01 * mat_get(&a, i, j));
    inco_comparison c = compare(&a, &b, NULL);
    assert_int_equal(c.collisions_a, 49);
    assert_int_equal(c.recovered_a[0], 50);
    assert_int_equal(c.recovered[0], 1);
    assert_true(c.mean_nearest_a > 0.99 && c.mean_similarity < 0.7);
    inco_comparison_free(&c);
    inco_mat_free(&a);
    inco_mat_free(&b);
}

static void other_sizes_and_zero_atoms(void **unused) {
    (void)unused;
    inco_mat a = check_random(INCO_F32, 12, 7, 1), b = check_random(INCO_F64, 12, 300, 2);
    for (int64_t i = 0; i < 12; i++) {
        mat_set(&a, i, 2, 0);
        mat_set(&b, i, 290, 0);
        mat_set(&b, i, 17, -mat_get(&a, i, 5));
    }
    for (int swap = 0; swap < 2; swap++) {
        inco_comparison c = swap ? compare(&b, &a, NULL) : compare(&a, &b, NULL);
        assert_int_equal(c.matched, 6);
        assert_int_equal(c.zero_a, 1);
        assert_int_equal(c.zero_b, 1);
        int64_t partners = 0;
        for (int64_t j = 0; j < c.atoms_a; j++) {
            partners += c.match[j] >= 0;
            assert_true((c.match[j] < 0) == !!isnan(c.match_similarity[j]));
        }
        assert_int_equal(partners, 6);
        assert_int_equal(c.match[swap ? 290 : 2], -1);
        assert_int_equal((swap ? c.nearest_a : c.nearest_b)[290], -1);
        assert_int_equal(c.match[swap ? 17 : 5], swap ? 5 : 17);
        assert_near(c.match_similarity[swap ? 17 : 5], -1, 1e-12);
        inco_comparison_free(&c);
    }
    inco_mat_free(&a);
    inco_mat_free(&b);
}

static void nothing_to_match(void **unused) {
    (void)unused;
    inco_mat a = check_random(INCO_F64, 5, 4, 1), zeros, none;
    assert_int_equal(inco_mat_new(&zeros, INCO_F32, 5, 3, NULL), INCO_OK);
    assert_int_equal(inco_mat_new(&none, INCO_F32, 5, 0, NULL), INCO_OK);
    const inco_mat *const others[] = {&zeros, &none};
    for (int k = 0; k < 4; k++) {
        inco_comparison c = k % 2 ? compare(&a, others[k / 2], NULL) : compare(others[k / 2], &a, NULL);
        assert_int_equal(c.matched, 0);
        assert_int_equal(c.recovered[2], 0);
        assert_true(c.mean_similarity == 0);
        for (int64_t j = 0; j < c.atoms_a; j++) assert_true(c.match[j] == -1 && c.nearest_a[j] == -1);
        inco_comparison_free(&c);
    }
    inco_mat_free(&a);
    inco_mat_free(&zeros);
    inco_mat_free(&none);
}

static void bits_do_not_depend_on_threads(void **unused) {
    (void)unused;
    inco_mat a = check_random(INCO_F32, 24, 700, 8), b = check_random(INCO_F32, 24, 900, 9);
    inco_options *one = OPTIONS("threads", "1"), *three = OPTIONS("threads", "3");
    inco_comparison c = compare(&a, &b, one), d = compare(&a, &b, three);
    assert_memory_equal(c.match, d.match, 700 * sizeof *c.match);
    assert_memory_equal(c.match_similarity, d.match_similarity, 700 * sizeof(double));
    assert_memory_equal(c.nearest_b, d.nearest_b, 900 * sizeof *c.nearest_b);
    assert_memory_equal(&c.mean_similarity, &d.mean_similarity, sizeof(double));
    inco_comparison_free(&c);
    inco_comparison_free(&d);
    inco_options_free(one);
    inco_options_free(three);
    inco_mat_free(&a);
    inco_mat_free(&b);
}

static int stop_at_once(void *self, const inco_progress *now) {
    assert_string_equal(now->phase, "compare");
    ++*(int *)self;
    return 1;
}

static void refused_and_stopped(void **unused) {
    (void)unused;
    inco_mat a = check_random(INCO_F64, 6, 9, 1), b = check_random(INCO_F64, 7, 9, 2);
    inco_comparison c = INCO_INIT(inco_comparison);
    inco_options *options = OPTIONS("threads", "1");
    inco_error error = {0};
    int calls = 0;
    assert_int_equal(inco_compare(&a, &b, NULL, &c, &error), INCO_EDIM);
    assert_non_null(strstr(error.message, "have 6 dimensions, those of the second 7"));
    mat_set(&a, 2, 4, NAN);
    assert_int_equal(inco_compare(&b, &b, NULL, NULL, &error), INCO_EINVAL);
    assert_int_equal(inco_compare(&a, &a, NULL, &c, &error), INCO_EDATA);
    assert_non_null(strstr(error.message, "the first dictionary has a NaN or Inf in atom 4, feature 2"));
    inco_mat many = check_random(INCO_F32, 3, 600, 3);
    inco_options *little = OPTIONS("max-memory", "1");
    assert_int_equal(inco_compare(&many, &many, little, &c, &error), INCO_ENOMEM);
    assert_non_null(strstr(error.message, "the similarities of all pairs of atoms: 1.44 MB of memory are needed"));
    inco_options_free(little);
    inco_mat_free(&many);
    assert_int_equal(inco_options_on_progress(options, stop_at_once, &calls, sizeof(inco_progress), NULL), INCO_OK);
    assert_int_equal(inco_compare(&b, &b, options, &c, &error), INCO_STOPPED);
    assert_int_equal(calls, 1);
    assert_null(c.match);
    inco_options_free(options);
    inco_mat_free(&a);
    inco_mat_free(&b);
}

static void lack_of_memory_is_reported(void **unused) {
    (void)unused;
    inco_mat a = check_random(INCO_F32, 6, 30, 1), b = check_random(INCO_F64, 6, 20, 2);
    inco_options *options = OPTIONS("threads", "1");
    memory_fail_at(0);
    inco_comparison whole = compare(&a, &b, options), c = INCO_INIT(inco_comparison);
    const int64_t allocations = memory_fail_at(0);
    inco_comparison_free(&whole);
    assert_true(allocations > 15);
    for (int64_t k = 1; k <= allocations; k++) {
        inco_error error = {0};
        memory_fail_at(k);
        assert_int_equal(inco_compare(&a, &b, options, &c, &error), INCO_ENOMEM);
        assert_int_equal(error.code, INCO_ENOMEM);
        assert_null(c.match);
    }
    memory_fail_at(0);
    inco_options_free(options);
    inco_mat_free(&a);
    inco_mat_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(assignments_are_optimal),
        cmocka_unit_test(small_assignments_by_hand),
        cmocka_unit_test(a_shuffled_dictionary_is_recovered),
        cmocka_unit_test(collisions_are_counted),
        cmocka_unit_test(other_sizes_and_zero_atoms),
        cmocka_unit_test(nothing_to_match),
        cmocka_unit_test(bits_do_not_depend_on_threads),
        cmocka_unit_test(refused_and_stopped),
        cmocka_unit_test(lack_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
