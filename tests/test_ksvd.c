/* K-SVD, exact and approximate: effect of an update on error, atoms, codes and residual. */
#include "check.h"

#include "base/memory.h"
#include "base/options.h"
#include "mat/blas.h"
#include "mat/lanczos.h"
#include "replace/replace.h"
#include "sparse/csc.h"
#include "update/aksvdc.h"
#include "update/idb.h"
#include "update/ksvd.h"

/* Signals and arbitrary codes of `sparsity` atoms each; the last atom is not used. */
typedef struct setting {
    inco_mat x, d;
    csc codes;
    training t;
} setting;

static csc random_codes(inco_type type, int64_t atoms, int64_t signals, int64_t sparsity) {
    csc codes;
    assert_int_equal(csc_new(&codes, type, atoms, signals, signals * sparsity, NULL), INCO_OK);
    for (int64_t n = 0; n < signals; n++) {
        int64_t at = codes.start[n];
        for (int64_t j = 0; j < atoms - 1 && at < (n + 1) * sparsity; j++) {
            double chance = (double)((n + 1) * sparsity - at) / (double)(atoms - 1 - j);
            if (rng_uniform(70, RNG_TEST, (uint64_t)(n * atoms + j)) > chance) continue;
            double value = rng_normal(71, RNG_TEST, (uint64_t)(n * atoms + j));
            codes.index[at] = (int32_t)j;
            if (type == INCO_F32)
                ((float *)codes.value)[at++] = (float)value;
            else
                ((double *)codes.value)[at++] = value;
        }
        codes.start[n + 1] = at;
        codes.cols++;
    }
    return codes;
}

/* Signals are added in two groups, as by the learner. */
static setting make_setting(inco_type type, int64_t dim, int64_t atoms, int64_t signals, int threads) {
    setting s = {.x = check_random(type, dim, signals, 60),
                 .d = check_dictionary(INCO_F64, dim, atoms, 61),
                 .codes = random_codes(type, atoms, signals, 3)};
    const int64_t half = signals / 2;
    inco_mat first = mat_columns(&s.x, 0, half), second = mat_columns(&s.x, half, signals - half);
    csc head = s.codes, tail = s.codes;
    int64_t *start = memory_raw(signals - half + 1, sizeof *start);
    head.cols = half;
    tail.cols = signals - half;
    for (int64_t n = 0; n <= tail.cols; n++) start[n] = s.codes.start[half + n] - s.codes.start[half];
    tail.start = start;
    tail.index += s.codes.start[half];
    tail.value = (char *)tail.value + (size_t)s.codes.start[half] * type;
    assert_int_equal(training_new(&s.t, type, dim, signals, threads, NULL), INCO_OK);
    assert_int_equal(training_add(&s.t, &s.d, &(pass_group){.x = &first, .codes = &head}, NULL), INCO_OK);
    assert_int_equal(training_add(&s.t, &s.d, &(pass_group){.x = &second, .codes = &tail}, NULL), INCO_OK);
    assert_int_equal(training_complete(&s.t, NULL), INCO_OK);
    memory_free(start);
    return s;
}

static void free_setting(setting *s) {
    inco_mat_free(&s->x);
    inco_mat_free(&s->d);
    csc_free(&s->codes);
    training_free(&s->t);
}

/* X - D C in double, from the codes by atom. */
static inco_mat residual_of(const setting *s, const inco_mat *d) {
    inco_mat r;
    const csc *rows = &s->t.by_atom;
    assert_int_equal(mat_convert(&r, &s->x, INCO_F64, NULL), INCO_OK);
    for (int64_t j = 0; j < rows->cols; j++)
        for (int64_t k = rows->start[j]; k < rows->start[j + 1]; k++)
            blas_axpy(r.rows, -csc_value(rows, k), mat_column(d, j), mat_column(&r, rows->index[k]));
    return r;
}

static double square(const inco_mat *m) {
    return blas_dot(m->rows * m->cols, m->data, m->data);
}

static double distance(const inco_mat *a, const inco_mat *b) {
    double most = 0;
    for (int64_t j = 0; j < a->cols; j++)
        for (int64_t i = 0; i < a->rows; i++) most = fmax(most, fabs(mat_get(a, i, j) - mat_get(b, i, j)));
    return most;
}

static void the_training_set_holds_residuals_and_codes(void **state) {
    const inco_type type = *(inco_type *)*state;
    setting s = make_setting(type, 9, 14, 700, 2);
    const double tolerance = type == INCO_F32 ? 1e-6 : 1e-14;
    inco_mat r = residual_of(&s, &s.d), other = check_dictionary(INCO_F64, 9, 14, 62), b;
    inco_mat in_other = residual_of(&s, &other);
    double found, energy = 0;
    assert_true(distance(&r, &s.t.residual) <= tolerance);
    assert_near(training_error(&s.t) / square(&r), 1, tolerance);
    assert_near(s.t.square[5], blas_dot(9, mat_column(&r, 5), mat_column(&r, 5)), 100 * tolerance);
    for (int64_t n = 0; n < 700; n++)
        for (int64_t i = 0; i < 9; i++) energy += mat_get(&s.x, i, n) * mat_get(&s.x, i, n);
    assert_near(s.t.energy / energy, 1, 1e-12);
    assert_int_equal(training_error_in(&s.t, &s.d, &other, &found, NULL), INCO_OK);
    assert_near(found / square(&in_other), 1, tolerance);
    assert_int_equal(training_products(&s.t, &s.d, &b, NULL), INCO_OK);
    for (int64_t j = 0; j < 14; j++) {
        double sum[9] = {0}, use = 0;
        for (int64_t k = s.t.by_atom.start[j]; k < s.t.by_atom.start[j + 1]; k++) {
            const double c = csc_value(&s.t.by_atom, k);
            for (int64_t i = 0; i < 9; i++) sum[i] += c * mat_get(&s.x, i, s.t.by_atom.index[k]);
            use += c * c;
        }
        for (int64_t i = 0; i < 9; i++) assert_near(mat_get(&b, i, j), sum[i], 1000 * tolerance);
        assert_near(training_use_energy(&s.t, j), use, 1e-9);
    }
    assert_true(training_use_energy(&s.t, 13) == 0 && training_use_energy(&s.t, 12) > 0);
    inco_mat_free(&r);
    inco_mat_free(&other);
    inco_mat_free(&in_other);
    inco_mat_free(&b);
    free_setting(&s);
}

/* With a fixed support, for each atom: the error does not increase, the atom has unit norm, its coefficients are
 * optimal, and the stored residual is X - D C. */
static void no_atom_raises_the_error(void **state) {
    const inco_type type = *(inco_type *)*state;
    const double tolerance = type == INCO_F32 ? 1e-5 : 1e-13;
    for (int form = KSVD_EXACT; form <= KSVD_APPROXIMATE; form++) {
        setting s = make_setting(type, 12, 30, 900, 2);
        inco_mat r = residual_of(&s, &s.d);
        double before = square(&r), start = before;
        inco_mat_free(&r);
        for (int64_t j = 0; j < 30; j++) {
            inco_mat old;
            assert_int_equal(mat_convert(&old, &s.d, INCO_F64, NULL), INCO_OK);
            assert_int_equal(ksvd_atoms(&s.d, &s.t, &(ksvd_rule){.form = form}, j, j + 1, NULL), INCO_OK);
            r = residual_of(&s, &s.d);
            const double after = square(&r);
            assert_true(after <= before * (1 + tolerance));
            assert_true(j == 29 || after < before);
            assert_true(distance(&r, &s.t.residual) <= tolerance);
            assert_near(mat_column_norm(&s.d, j), 1, 1e-14);
            for (int64_t k = s.t.by_atom.start[j]; k < s.t.by_atom.start[j + 1];
                 k++) /* optimal coefficients: d'r = 0 */
                assert_near(blas_dot(12, mat_column(&s.d, j), mat_column(&r, s.t.by_atom.index[k])), 0, tolerance);
            for (int64_t i = 0; i < 30; i++)
                assert_int_equal(!memcmp(mat_column(&old, i), mat_column(&s.d, i), 12 * sizeof(double)),
                                 i != j || j == 29);
            before = after;
            inco_mat_free(&r);
            inco_mat_free(&old);
        }
        assert_true(before < 0.9 * start);
        free_setting(&s);
    }
}

/* E = R + d c on the signals of atom j. */
static inco_mat error_matrix(const setting *s, int64_t j) {
    const csc *rows = &s->t.by_atom;
    const int64_t first = rows->start[j], count = rows->start[j + 1] - first;
    inco_mat e;
    assert_int_equal(inco_mat_new(&e, INCO_F64, s->d.rows, count, NULL), INCO_OK);
    for (int64_t k = 0; k < count; k++)
        for (int64_t i = 0; i < e.rows; i++)
            mat_set(&e, i, k,
                    mat_get(&s->t.residual, i, rows->index[first + k]) +
                        csc_value(rows, first + k) * mat_get(&s->d, i, j));
    return e;
}

/* More signals than dimensions, fewer, and more than one block; with one and with several threads. */
static void the_exact_atom_is_the_singular_vector(void **state) {
    const inco_type type = *(inco_type *)*state;
    const int64_t sizes[][3] = {{20, 12, 400}, {40, 60, 300}, {12, 4, 5000}, {64, 8, 3000}};
    for (int i = 0; i < 4; i++) {
        setting s = make_setting(type, sizes[i][0], sizes[i][1], sizes[i][2], 1 + i);
        inco_mat e = error_matrix(&s, 2), old = mat_columns(&s.d, 2, 1), u = mat_columns(&s.d, 2, 1);
        double values[64], *codes = memory_new(e.cols, sizeof *codes), *back = memory_new(e.rows, sizeof *back);
        assert_int_equal(mat_convert(&old, &u, INCO_F64, NULL), INCO_OK);
        assert_int_equal(lapack_singular_values(&e, values, NULL), INCO_OK);
        assert_int_equal(ksvd_atoms(&s.d, &s.t, &(ksvd_rule){.form = KSVD_EXACT}, 2, 3, NULL), INCO_OK);
        blas_gemv_transposed(&e, 1, u.data, 0, codes);
        blas_gemv(&e, 1, codes, 0, back);
        assert_near(sqrt(blas_dot(e.cols, codes, codes)) / values[0], 1, 1e-12);
        for (int64_t k = 0; k < e.rows; k++) assert_near(back[k] / (values[0] * values[0]), mat_get(&u, k, 0), 1e-11);
        for (int64_t k = 0; k < e.cols; k++)
            assert_near(csc_value(&s.t.by_atom, s.t.by_atom.start[2] + k), codes[k], type == INCO_F32 ? 1e-5 : 1e-12);
        assert_true(blas_dot(e.rows, u.data, old.data) >= 0);
        memory_free(codes);
        memory_free(back);
        inco_mat_free(&e);
        inco_mat_free(&old);
        free_setting(&s);
    }
}

static void the_approximate_atom_is_a_power_step(void **state) {
    const inco_type type = *(inco_type *)*state;
    setting s = make_setting(type, 15, 20, 800, 2);
    inco_mat e = error_matrix(&s, 3), u = mat_columns(&s.d, 3, 1);
    double step[15] = {0}, norm = 0;
    for (int64_t k = 0; k < e.cols; k++)
        blas_axpy(15, csc_value(&s.t.by_atom, s.t.by_atom.start[3] + k), mat_column(&e, k), step);
    norm = sqrt(blas_dot(15, step, step));
    assert_int_equal(ksvd_atoms(&s.d, &s.t, &(ksvd_rule){.form = KSVD_APPROXIMATE}, 3, 4, NULL), INCO_OK);
    for (int64_t i = 0; i < 15; i++) assert_near(mat_get(&u, i, 0), step[i] / norm, 1e-13);
    inco_mat_free(&e);
    free_setting(&s);
}

/* ---- Incoherent variants ---- */

/* ||D'D - I||^2 by its definition. */
static double penalty_of(const inco_mat *d) {
    double sum = 0;
    for (int64_t j = 0; j < d->cols; j++)
        for (int64_t i = 0; i < d->cols; i++) {
            double g = blas_dot(d->rows, mat_column(d, i), mat_column(d, j)) - (i == j);
            sum += g * g;
        }
    return sum;
}

/* The penalised objective does not increase with any atom, for any weight; a larger weight ends with a smaller penalty,
 * and weight zero is the approximate form. */
static void the_penalised_step_never_raises_its_objective(void **state) {
    const inco_type type = *(inco_type *)*state;
    const double gammas[] = {0, 0.5, 50, 1e6};
    double last = INFINITY, penalty;
    for (int g = 0; g < 4; g++) {
        setting s = make_setting(type, 12, 30, 900, 2), plain = make_setting(type, 12, 30, 900, 2);
        aksvdc w;
        assert_int_equal(aksvdc_open(&w, &s.d, gammas[g], 1, NULL), INCO_OK);
        double before = training_error(&s.t) + gammas[g] * penalty_of(&s.d), start = before;
        for (int64_t j = 0; j < 30; j++) {
            assert_int_equal(ksvd_atoms(&s.d, &s.t, &w.rule, j, j + 1, NULL), INCO_OK);
            const double after = training_error(&s.t) + gammas[g] * penalty_of(&s.d);
            assert_true(after <= before * (1 + (type == INCO_F32 ? 1e-6 : 1e-13)));
            assert_near(mat_column_norm(&s.d, j), 1, 1e-14);
            before = after;
        }
        assert_true(before < start);
        assert_int_equal(aksvdc_penalty(&s.d, 2, &penalty, NULL), INCO_OK);
        assert_near(penalty / penalty_of(&s.d), 1, 1e-12);
        if (g == 0)
            assert_int_equal(ksvd_sweep(&plain.d, &plain.t, &(ksvd_rule){.form = KSVD_APPROXIMATE}, NULL), INCO_OK);
        if (g == 0) assert_true(distance(&s.d, &plain.d) <= 1e-6);
        assert_true(penalty < last);
        last = penalty;
        aksvdc_close(&w);
        free_setting(&s);
        free_setting(&plain);
    }
}

/* The barrier's step, as the sum of its two parts; its weight is equal for all atoms, or proportional to the energy
 * that the atom codes. */
static void the_barrier_pushes_atoms_beyond_the_bound(void **state) {
    const inco_type type = *(inco_type *)*state;
    for (int relative = 0; relative < 2; relative++) {
        setting s = make_setting(type, 15, 20, 800, 1);
        const idb_settings settings = {.bound = 0.3, .gamma = relative ? 0.02 : 2, .barrier = 25, .relative = relative};
        inco_mat e = error_matrix(&s, 3);
        double step[15] = {0}, old[15];
        int beyond = 0, within = 0;
        memcpy(old, mat_column(&s.d, 3), sizeof old);
        for (int64_t k = 0; k < e.cols; k++)
            blas_axpy(15, csc_value(&s.t.by_atom, s.t.by_atom.start[3] + k), mat_column(&e, k), step);
        const double gamma = settings.gamma * (relative ? blas_dot(15, old, step) : 1);
        assert_true(gamma > 0);
        for (int64_t j = 0; j < 20; j++) {
            const double *other = mat_column(&s.d, j), v = blas_dot(15, other, old);
            if (j == 3) continue;
            blas_axpy(15, -gamma * fmax(fabs(v) / 0.3, 1) * v, other, step);
            for (int64_t i = 0; i < 15 && v > 0.3; i++) step[i] -= gamma * 25 * (other[i] - old[i]);
            for (int64_t i = 0; i < 15 && v < -0.3; i++) step[i] += gamma * 25 * (other[i] + old[i]);
            beyond += fabs(v) > 0.3;
            within += fabs(v) <= 0.3;
        }
        assert_true(beyond > 2 && within > 2);
        idb w;
        assert_int_equal(idb_open(&w, &s.d, &settings, NULL), INCO_OK);
        assert_int_equal(ksvd_atoms(&s.d, &s.t, &w.rule, 3, 4, NULL), INCO_OK);
        const double norm = sqrt(blas_dot(15, step, step));
        for (int64_t i = 0; i < 15; i++) assert_near(mat_get(&s.d, i, 3), step[i] / norm, 1e-13);
        idb_close(&w);
        inco_mat_free(&e);
        free_setting(&s);
    }
}

/* ---- The eigenvector behind the exact form ---- */

/* Q diag(values) Q', with Q a Householder reflection, so that column k of Q is known. */
static inco_mat symmetric(int64_t n, const double *values, double *vector, int64_t k) {
    inco_mat a, v = check_dictionary(INCO_F64, n, 1, 63);
    const double *h = v.data;
    assert_int_equal(inco_mat_new(&a, INCO_F64, n, n, NULL), INCO_OK);
    for (int64_t i = 0; i < n; i++) vector[i] = (i == k) - 2 * h[i] * h[k];
    for (int64_t q = 0; q < n; q++)
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < n; i++)
                mat_set(&a, i, j,
                        mat_get(&a, i, j) + values[q] * ((i == q) - 2 * h[i] * h[q]) * ((j == q) - 2 * h[j] * h[q]));
    inco_mat_free(&v);
    return a;
}

static void lanczos_finds_the_leading_eigenvector(void **state) {
    (void)state;
    enum { N = 150 };
    double values[N], vector[N], v[N], value;
    lanczos w;
    for (int turn = 0; turn < 3; turn++) { /* a wide gap; a narrow one, which needs restarts; a single value */
        for (int64_t q = 0; q < N; q++)
            values[q] = turn == 2 ? q == 7 : q == 7 ? 2.0 : (turn ? 1.999 : 1.5) * (double)q / N;
        inco_mat a = symmetric(N, values, vector, 7);
        assert_int_equal(lanczos_new(&w, N + 10, NULL), INCO_OK);
        for (int64_t i = 0; i < N; i++) v[i] = rng_normal(64, RNG_TEST, (uint64_t)i);
        assert_int_equal(lanczos_top(&w, &a, v, &value, NULL), INCO_OK);
        assert_near(value, turn == 2 ? 1 : 2, 1e-12);
        assert_near(fabs(blas_dot(N, v, vector)), 1, 1e-13);
        for (int64_t i = 0; i < N; i++) assert_near(fabs(v[i]), fabs(vector[i]), 1e-9);
        lanczos_free(&w);
        inco_mat_free(&a);
    }
    inco_mat zero;
    assert_int_equal(inco_mat_new(&zero, INCO_F64, N, N, NULL), INCO_OK);
    assert_int_equal(lanczos_new(&w, N, NULL), INCO_OK);
    assert_int_equal(lanczos_top(&w, &zero, v, &value, NULL), INCO_OK);
    assert_true(value == 0);
    lanczos_free(&w);
    inco_mat_free(&zero);
}

/* ---- Replacement of coherent atoms ---- */

/* Atoms 1 and 4 are equal, 2 is the opposite of 6, and 7 is unused. The worst signal is zero and cannot be used. */
static void coherent_and_unused_atoms_are_replaced_once(void **state) {
    (void)state;
    inco_mat d = check_dictionary(INCO_F64, 40, 9, 65), x = check_random(INCO_F64, 40, 20, 66), now;
    double uses[9] = {4, 4, 4, 4, 4, 4, 4, 0, 3};
    for (int64_t i = 0; i < 40; i++) {
        mat_set(&d, i, 4, mat_get(&d, i, 1));
        mat_set(&d, i, 6, -mat_get(&d, i, 2));
        mat_set(&x, i, 5, 0);
    }
    inco_source source = mat_source_of(&x);
    worst_signal item[9] = {{9, 1, 5}, {8, 1, 3}, {7, 1, 11}, {6, 1, 2}, {5, 1, 1},
                            {4, 1, 0}, {3, 1, 4}, {2, 1, 6},  {1, 1, 7}};
    worst_list worst = {item, 9, 9, 9};
    replacement chosen[9];
    replacement_list list = {.item = chosen};
    replacement_rule rule = {.policy = UNUSED_WORST,
                             .min_uses = 1,
                             .bound = 0.9,
                             .use_weight = uses,
                             .d = &d,
                             .source = &source,
                             .worst = &worst,
                             .seed = 1,
                             .threads = 1};
    assert_int_equal(replace_choose(&list, &rule, NULL), INCO_OK);
    const replacement expected[] = {{1, 3, 1}, {2, 11, 1}, {7, 2, 0}};
    assert_int_equal(list.count, 3);
    assert_memory_equal(chosen, expected, sizeof expected);
    assert_int_equal(mat_convert(&now, &d, INCO_F64, NULL), INCO_OK);
    assert_int_equal(replace_apply(&list, &now, &source, NULL), INCO_OK);
    for (int64_t i = 0; i < 40; i++) {
        assert_near(mat_get(&now, i, 1), mat_get(&x, i, 3) / mat_column_norm(&x, 3), 1e-15);
        assert_true(mat_get(&now, i, 4) == mat_get(&d, i, 4));
    }
    rule.min_uses = 4; /* as in the original toolbox: three are too few */
    list.count = 0;
    assert_int_equal(replace_choose(&list, &rule, NULL), INCO_OK);
    assert_int_equal(list.count, 4);
    assert_int_equal(chosen[3].atom, 8);
    assert_int_equal(chosen[3].reason, REPLACED_UNUSED);
    rule.policy = UNUSED_KEEP;
    list.count = 0;
    assert_int_equal(replace_choose(&list, &rule, NULL), INCO_OK);
    assert_int_equal(list.count, 2);
    rule.bound = NAN;
    list.count = 0;
    assert_int_equal(replace_choose(&list, &rule, NULL), INCO_OK);
    assert_int_equal(list.count, 0);
    /* a bound that all atoms violate uses all signals, each once */
    rule.bound = 0;
    list.count = 0;
    assert_int_equal(replace_choose(&list, &rule, NULL), INCO_OK);
    assert_int_equal(list.count, 8);
    for (int64_t i = 0; i < 8; i++) assert_int_equal(chosen[i].by, item[i + 1].signal);
    inco_mat_free(&now);
    inco_mat_free(&d);
    inco_mat_free(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        BOTH(the_training_set_holds_residuals_and_codes),
        BOTH(no_atom_raises_the_error),
        BOTH(the_exact_atom_is_the_singular_vector),
        BOTH(the_approximate_atom_is_a_power_step),
        BOTH(the_penalised_step_never_raises_its_objective),
        BOTH(the_barrier_pushes_atoms_beyond_the_bound),
        cmocka_unit_test(lanczos_finds_the_leading_eigenvector),
        cmocka_unit_test(coherent_and_unused_atoms_are_replaced_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
