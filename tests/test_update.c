/* Dictionary updates: the objective of IDL, its gradient and line search, both forms of the update, and MOD. */
#include "check.h"

#include "base/memory.h"
#include "mat/blas.h"
#include "metric/coherence.h"
#include "optim/quartic.h"
#include "sample.h"
#include "update/dropout.h"
#include "update/idl.h"

static void worst_norm_error(const inco_mat *d, double tolerance) {
    for (int64_t j = 0; j < d->cols; j++) assert_near(mat_column_norm(d, j), 1, tolerance);
}

static const int64_t shapes[][2] = {{8, 20}, {20, 8}, {9, 9}};
static const double gammas[] = {0, 0.3, 40};

/* ---- The objective ---- */

static void objective_is_residual_plus_penalty(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        sample t = sample_new(shapes[k][0], shapes[k][1], 120, 0, 0.2);
        inco_mat longer = check_random(INCO_F64, shapes[k][0], shapes[k][1], 77);
        for (int i = 0; i < 3; i++) {
            double f = direct_objective(&t, &t.d, gammas[i]), g = direct_objective(&t, &longer, gammas[i]);
            assert_near(objective_of(&t, &t.d, gammas[i]), f, 1e-11 * f);
            assert_near(objective_of(&t, &longer, gammas[i]), g, 1e-11 * g);
        }
        inco_mat_free(&longer);
        sample_free(&t);
    }
}

static double value_at(idl *w, double *x) {
    lbfgs_point at = {x, NULL, 0};
    inco_mat g = check_random(INCO_F64, w->x.rows, w->x.cols, 1);
    at.gradient = g.data;
    assert_int_equal(w->problem.eval(w, &at, NULL), INCO_OK);
    inco_mat_free(&g);
    return at.f;
}

/* Central differences at a point with unequal norms. */
static void gradient_of_form(const sample *t, double gamma, int form) {
    idl w;
    update_settings settings = SETTINGS(gamma, form, 1, 1);
    assert_int_equal(idl_open(&w, &t->d, &t->s, &settings, NULL), INCO_OK);
    inco_mat x = check_random(INCO_F64, t->d.rows, t->d.cols, 31), g = copy_of(&x);
    lbfgs_point at = {x.data, g.data, 0};
    assert_int_equal(w.problem.eval(&w, &at, NULL), INCO_OK);
    double scale = sqrt(blas_dot(x.rows * x.cols, g.data, g.data));
    for (int64_t j = 0; j < x.cols; j++)
        for (int64_t i = 0; i < x.rows; i++) {
            double old = mat_get(&x, i, j), h = 1e-5, up, down;
            mat_set(&x, i, j, old + h);
            up = value_at(&w, x.data);
            mat_set(&x, i, j, old - h);
            down = value_at(&w, x.data);
            mat_set(&x, i, j, old);
            assert_near((up - down) / (2 * h), mat_get(&g, i, j), 1e-7 * scale);
        }
    inco_mat_free(&x);
    inco_mat_free(&g);
    idl_close(&w);
}

static void gradient_agrees_with_differences(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        sample t = sample_new(shapes[k][0], shapes[k][1], 60, 0, 0.2);
        for (int i = 0; i < 3; i++)
            for (int form = 0; form < FORMS; form++) gradient_of_form(&t, gammas[i], form);
        sample_free(&t);
    }
}

/* ---- The line ---- */

static double polynomial(const double q[5], double t) {
    return t * (q[1] + t * (q[2] + t * (q[3] + t * q[4])));
}

/* From a dictionary that is not the first one evaluated. */
static void line_of_form(const sample *t, double gamma, int form) {
    idl w;
    update_settings settings = SETTINGS(gamma, form, 1, 1);
    assert_int_equal(idl_open(&w, &t->d, &t->s, &settings, NULL), INCO_OK);
    inco_mat p = check_random(INCO_F64, t->d.rows, t->d.cols, 41);
    inco_mat first = check_dictionary(INCO_F64, t->d.rows, t->d.cols, 42);
    double q[5], f = direct_objective(t, &w.x, gamma);
    value_at(&w, first.data);
    value_at(&w, w.x.data);
    idl_line(&w, p.data, q);
    for (double step = -2; step <= 2; step += 0.37) {
        inco_mat moved = copy_of(&w.x);
        blas_axpy(p.rows * p.cols, step, p.data, moved.data);
        double g = direct_objective(t, &moved, gamma);
        assert_near(f + polynomial(q, step), g, 1e-10 * g);
        inco_mat_free(&moved);
    }
    inco_mat_free(&p);
    inco_mat_free(&first);
    idl_close(&w);
}

static void line_is_a_quartic(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        sample t = sample_new(shapes[k][0], shapes[k][1], 60, 0, 0.2);
        for (int i = 0; i < 3; i++)
            for (int form = 0; form < FORMS; form++) line_of_form(&t, gammas[i], form);
        sample_free(&t);
    }
}

/* Minimum over a fine grid of positive steps. */
static double grid_minimum(const double q[5], double end) {
    double lowest = 0;
    for (int i = 1; i <= 20000; i++) lowest = fmin(lowest, polynomial(q, end * i / 20000));
    return lowest;
}

static void quartics_are_minimized(void **state) {
    (void)state;
    for (uint64_t k = 0; k < 500; k++) {
        double q[5] = {0};
        for (int i = 1; i < 5; i++) q[i] = rng_normal(51, RNG_TEST, 8 * k + (uint64_t)i) * pow(3, i % 3);
        q[1] = -fabs(q[1]);
        q[4] = fabs(q[4]);
        double t = quartic_minimizer(q), slope = q[1] + t * (2 * q[2] + t * (3 * q[3] + t * 4 * q[4]));
        assert_true(t > 0);
        assert_near(slope, 0, 1e-11 * (fabs(q[1]) + t * fabs(q[2]) + t * t * fabs(q[3]) + t * t * t * q[4]));
        assert_true(polynomial(q, t) < 0);
        assert_true(polynomial(q, t) <= grid_minimum(q, 3 * t) + 1e-12 * fabs(polynomial(q, t)));
    }
}

static void special_quartics(void **state) {
    (void)state;
    assert_near(quartic_minimizer((double[5]){0, -4, 2, 0, 0}), 1, 1e-15);            /* a parabola */
    assert_near(quartic_minimizer((double[5]){0, -4e-30, 2e30, 0, 0}), 1e-60, 1e-75); /* far from 1 */
    assert_near(quartic_minimizer((double[5]){0, -4, 0, 0, 1}), 1, 1e-15);
    assert_true(quartic_minimizer((double[5]){0, -1, 0, 0, 0}) == 0); /* unbounded below */
    assert_true(quartic_minimizer((double[5]){0, 0, 0, 0, 0}) == 0);  /* flat */
    assert_true(quartic_minimizer((double[5]){0, 1, 1, 0, 0}) == 0);  /* increasing */
    assert_true(quartic_minimizer((double[5]){0, NAN, 1, 0, 1}) == 0);
    /* t (t - 1) (t - 2) (t - 5): the second of two minima is lower */
    double t = quartic_minimizer((double[5]){0, -10, 17, -8, 1});
    assert_true(t > 2 && t < 5);
}

/* ---- The update ---- */

static update_result update(const sample *t, inco_mat *d, update_settings settings) {
    update_result r;
    inco_error error = {0};
    double before = objective_of(t, d, settings.gamma);
    if (idl_update(d, &t->s, &settings, &r, &error) != INCO_OK) fail_msg("%s", error.message);
    double after = objective_of(t, d, settings.gamma), digits = settings.narrow ? 1e-7 : 1e-11;
    assert_near(r.before, before, 1e-12 * fabs(before) + 1e-11 * t->s.energy);
    assert_near(r.after, after, 1e-12 * fabs(after) + digits * t->s.energy);
    if (!settings.rescale) assert_true(after <= before);
    return r;
}

/* One L-BFGS iteration more each time, from the same dictionary. */
static void objective_never_rises(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        sample t = sample_new(shapes[k][0], shapes[k][1], 120, 0, 0.2);
        for (int i = 0; i < 3; i++)
            for (int form = 0; form < FORMS; form++) {
                double last = INFINITY;
                for (int iterations = 0; iterations <= 30; iterations++) {
                    idl w;
                    lbfgs_result r;
                    lbfgs_settings settings = {5, iterations, 0, 1, 0};
                    update_settings chosen = SETTINGS(gammas[i], form, 1, 1);
                    assert_int_equal(idl_open(&w, &t.d, &t.s, &chosen, NULL), INCO_OK);
                    assert_int_equal(lbfgs_minimize(&w.problem, &settings, w.x.data, &r, NULL), INCO_OK);
                    assert_true(r.after <= r.before && r.after <= last);
                    last = r.after;
                    idl_close(&w);
                }
            }
        sample_free(&t);
    }
}

static void sphere_form_keeps_unit_norms_and_lowers(void **state) {
    (void)state;
    sample t = sample_new(16, 40, 400, 0, 0.3);
    for (int i = 0; i < 6; i++) {
        inco_mat d = copy_of(&t.d);
        update_result r = update(&t, &d, SETTINGS(gammas[i % 3], i < 3 ? KEPT : NARROW, 15, 1));
        assert_true(r.after < r.before);
        assert_int_equal(r.iterations, 15);
        assert_true(r.evaluations >= 16 && r.evaluations < 30);
        worst_norm_error(&d, 1e-14);
        inco_mat_free(&d);
    }
    sample_free(&t);
}

static void rescale_form_gives_unit_norms(void **state) {
    (void)state;
    sample t = sample_new(16, 40, 400, 0, 0.3);
    for (int i = 0; i < 3; i++) {
        inco_mat d = copy_of(&t.d);
        update_settings settings = SETTINGS(gammas[i], FREE, 15, 1);
        update(&t, &d, settings);
        worst_norm_error(&d, 1e-14);
        settings.plain = 1;
        mat_copy(&d, &t.d);
        assert_int_equal(update(&t, &d, settings).evaluations, 17); /* at the start, once per step, and at the end */
        worst_norm_error(&d, 1e-14);
        inco_mat_free(&d);
    }
    sample_free(&t);
}

/* Without a penalty, the form with free norms converges to B A^-1. */
static void without_penalty_it_is_the_direct_solution(void **state) {
    (void)state;
    sample t = sample_new(8, 20, 2000, 0, 0.2);
    inco_mat d = copy_of(&t.d), direct = copy_of(&t.d);
    update_result r;
    update_settings settings = SETTINGS(0, FREE, 500, 1);
    update(&t, &d, settings);
    assert_int_equal(mod_update(&direct, &t.s, &settings, &r, NULL), INCO_OK);
    for (int64_t j = 0; j < d.cols; j++)
        for (int64_t i = 0; i < d.rows; i++) assert_near(mat_get(&d, i, j), mat_get(&direct, i, j), 1e-7);
    inco_mat_free(&d);
    inco_mat_free(&direct);
    sample_free(&t);
}

static void strong_penalty_gives_a_tight_frame(void **state) {
    const int64_t dim = 16, atoms = 40;
    double sv[16];
    coherence mu;
    (void)state;
    sample t = sample_new(dim, atoms, 400, 0, 0.3);
    inco_mat d = copy_of(&t.d);
    update(&t, &d, SETTINGS(1e9, KEPT, 2000, 1));
    assert_int_equal(coherence_measure(&d, 1, &mu, NULL), INCO_OK);
    assert_near(mu.rms, coherence_bound(dim, atoms), 1e-4);
    assert_int_equal(lapack_singular_values(&d, sv, NULL), INCO_OK);
    for (int i = 0; i < dim; i++) assert_near(sv[i], sqrt((double)atoms / dim), 1e-4);
    inco_mat_free(&d);
    sample_free(&t);
}

/* Fewer atoms than dimensions, and no data. */
static void penalty_alone_makes_few_atoms_orthogonal(void **state) {
    coherence mu;
    (void)state;
    sample t = sample_new(20, 8, 400, 0, 0.3);
    inco_mat d = copy_of(&t.d);
    memset(t.s.a.data, 0, 8 * 8 * sizeof(double));
    memset(t.s.b.data, 0, 20 * 8 * sizeof(double));
    update(&t, &d, SETTINGS(1, KEPT, 100, 1));
    assert_int_equal(coherence_measure(&d, 1, &mu, NULL), INCO_OK);
    assert_true(mu.max < 1e-7);
    inco_mat_free(&d);
    sample_free(&t);
}

static void zero_and_unused_atoms_are_harmless(void **state) {
    int64_t row, col;
    (void)state;
    sample t = sample_new(8, 20, 200, 2, 0.2); /* atoms 18 and 19 have no use */
    memset(mat_column(&t.d, 3), 0, 8 * sizeof(double));
    memset(mat_column(&t.d, 19), 0, 8 * sizeof(double));
    for (int form = 0; form < FORMS; form++)
        for (int i = 0; i < 3; i++) {
            inco_mat d = copy_of(&t.d);
            update(&t, &d, SETTINGS(gammas[i], form, 10, 1));
            assert_false(mat_find_nonfinite(&d, &row, &col));
            assert_true(mat_column_norm(&d, 19) == 0);
            if (form != FREE) assert_true(mat_column_norm(&d, 3) == 0);
            if (gammas[i] == 0)
                for (int64_t k = 0; k < 8; k++) assert_near(mat_get(&d, k, 18), mat_get(&t.d, k, 18), 1e-15);
            inco_mat_free(&d);
        }
    sample_free(&t);
}

static void bits_do_not_depend_on_threads(void **state) {
    const int threads[] = {2, 3, 8};
    (void)state;
    sample t = sample_new(240, 300, 900, 0, 0.3); /* large enough for several threads */
    for (int form = 0; form < FORMS; form++) {
        inco_mat one = copy_of(&t.d);
        update_result r = update(&t, &one, SETTINGS(0.5, form, 8, 1));
        for (int i = 0; i < 3; i++) {
            inco_mat many = copy_of(&t.d);
            update_result q = update(&t, &many, SETTINGS(0.5, form, 8, threads[i]));
            assert_memory_equal(one.data, many.data, 240 * 300 * sizeof(double));
            assert_true(q.before == r.before && q.after == r.after && q.evaluations == r.evaluations);
            inco_mat_free(&many);
        }
        inco_mat_free(&one);
    }
    sample_free(&t);
}

/* ---- Products in float32 ---- */

static lbfgs_point evaluate_form(const sample *t, int form, const inco_mat *near, const inco_mat *at, inco_mat *g) {
    update_settings settings = SETTINGS(0.3, form, 1, 1);
    lbfgs_point place = {near->data, g->data, 0};
    idl w;
    assert_int_equal(idl_open(&w, near, &t->s, &settings, NULL), INCO_OK);
    assert_int_equal(w.problem.eval(&w, &place, NULL), INCO_OK);
    place.x = at->data;
    assert_int_equal(w.problem.eval(&w, &place, NULL), INCO_OK);
    idl_close(&w);
    return place;
}

/* Rounding errors are 1e-7 of the change of D since the last restart. */
static void narrow_products_round_what_changed(void **state) {
    (void)state;
    sample t = sample_new(16, 40, 400, 0, 0.3);
    inco_mat way = check_dictionary(INCO_F64, 16, 40, 21), wide = copy_of(&way), narrow = copy_of(&way);
    for (double far = 1; far > 1e-9; far /= 100) {
        inco_mat d = copy_of(&t.d);
        blas_axpy(16 * 40, far, way.data, d.data);
        double f = evaluate_form(&t, KEPT, &t.d, &d, &wide).f, g = evaluate_form(&t, NARROW, &t.d, &d, &narrow).f;
        assert_near(f, g, 1e-7 * far * far * t.s.energy + 1e-14 * f);
        double size = sqrt(blas_dot(16 * 40, wide.data, wide.data));
        blas_axpy(16 * 40, -1, wide.data, narrow.data);
        double error = sqrt(blas_dot(16 * 40, narrow.data, narrow.data));
        assert_true(error <= (1e-6 * far + 1e-14) * size);
        if (far == 1) assert_true(error > 1e-10 * size); /* else the products are not in float32 */
        inco_mat_free(&d);
    }
    inco_mat *owned[] = {&way, &wide, &narrow};
    for (int i = 0; i < 3; i++) inco_mat_free(owned[i]);
    sample_free(&t);
}

/* Restarted when the gradient becomes small, they reach the same minimum as double. */
static void narrow_products_reach_the_optimum(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        sample t = sample_new(shapes[k][0], shapes[k][1], 400, 0, 0.2);
        inco_mat d = copy_of(&t.d), g = copy_of(&t.d);
        evaluate_form(&t, KEPT, &t.d, &t.d, &g);
        double first = sqrt(blas_dot(g.rows * g.cols, g.data, g.data));
        update(&t, &d, SETTINGS(0.3, NARROW, 3000, 1));
        evaluate_form(&t, KEPT, &d, &d, &g);
        assert_true(sqrt(blas_dot(g.rows * g.cols, g.data, g.data)) < 1e-9 * first);
        inco_mat_free(&d);
        inco_mat_free(&g);
        sample_free(&t);
    }
}

/* The same for correlated codes, with many iterations: late steps gain little compared with 1e-7 of the first ones. */
static void narrow_products_go_as_low(void **state) {
    (void)state;
    sample t = sample_new(16, 40, 400, 0, 0.3);
    inco_mat truth = check_dictionary(INCO_F64, 16, 40, 11);
    for (int64_t n = 0; n < t.c.cols; n++) {
        const double common = rng_normal(16, RNG_TEST, (uint64_t)n);
        for (int64_t j = 0; j < 40; j++) mat_set(&t.c, j, n, common + 0.01 * mat_get(&t.c, j, n));
    }
    blas_multiply(1, "NN", 1, &truth, &t.c, 0, &t.x);
    blas_multiply(1, "NT", 1, &t.c, &t.c, 0, &t.s.a);
    blas_multiply(1, "NT", 1, &t.x, &t.c, 0, &t.s.b);
    t.s.energy = blas_dot(16 * t.x.cols, t.x.data, t.x.data);
    inco_mat wide = copy_of(&t.d), narrow = copy_of(&t.d);
    update(&t, &wide, SETTINGS(0.3, KEPT, 1000, 1));
    assert_int_equal(update(&t, &narrow, SETTINGS(0.3, NARROW, 1000, 1)).iterations, 1000);
    assert_true(objective_of(&t, &narrow, 0.3) < 1.005 * objective_of(&t, &wide, 0.3));
    inco_mat_free(&wide);
    inco_mat_free(&narrow);
    inco_mat_free(&truth);
    sample_free(&t);
}

/* Data whose squares overflow float32. */
static void narrow_products_take_any_scale(void **state) {
    (void)state;
    sample t = sample_new(16, 40, 400, 0, 0.3);
    inco_mat plain = copy_of(&t.d);
    update_settings settings = SETTINGS(0, NARROW, 15, 1);
    settings.plain = 1;
    update_result r = update(&t, &plain, settings);
    mat_copy(&plain, &t.d);
    update_result best = update(&t, &plain, SETTINGS(0, NARROW, 200, 1));
    for (double scale = 1e-60; scale < 1e70; scale *= 1e120) {
        sample u = sample_new(16, 40, 400, 0, 0.3);
        inco_mat d = copy_of(&t.d);
        for (int64_t i = 0; i < 40 * 40; i++) ((double *)u.s.a.data)[i] *= scale;
        for (int64_t i = 0; i < 16 * 40; i++) ((double *)u.s.b.data)[i] *= scale;
        u.s.energy *= scale;
        update_result q = update(&u, &d, settings);
        assert_int_equal(q.iterations, 15);
        assert_near(q.after / scale, r.after, 1e-6 * r.after);
        mat_copy(&d, &t.d);
        q = update(&u, &d, SETTINGS(0, NARROW, 200, 1));
        assert_near(q.after / scale, best.after, 1e-6 * best.after);
        inco_mat_free(&d);
        sample_free(&u);
    }
    inco_mat_free(&plain);
    sample_free(&t);
}

/* A dictionary that is part of a larger matrix is updated in place; the rest of the matrix is unchanged. */
static void leading_dimension_is_kept_to(void **state) {
    (void)state;
    sample t = sample_new(8, 20, 200, 0, 0.2);
    inco_mat wide, d = copy_of(&t.d);
    assert_int_equal(inco_mat_new(&wide, INCO_F64, 11, 20, NULL), INCO_OK);
    for (int64_t j = 0; j < 20; j++)
        for (int64_t i = 0; i < 11; i++) mat_set(&wide, i, j, i < 8 ? mat_get(&d, i, j) : 7);
    inco_mat part = {INCO_F64, 8, 20, 11, wide.data, NULL};
    update(&t, &d, SETTINGS(0.3, KEPT, 5, 1));
    update(&t, &part, SETTINGS(0.3, KEPT, 5, 1));
    for (int64_t j = 0; j < 20; j++)
        for (int64_t i = 0; i < 11; i++) assert_true(mat_get(&wide, i, j) == (i < 8 ? mat_get(&d, i, j) : 7));
    inco_mat_free(&wide);
    inco_mat_free(&d);
    sample_free(&t);
}

/* ---- MOD ---- */

static void mod_finds_the_dictionary_of_noiseless_data(void **state) {
    (void)state;
    sample t = sample_new(8, 20, 500, 1, 0); /* atom 19 is unused */
    inco_mat truth = check_dictionary(INCO_F64, 8, 20, 11), d = copy_of(&t.d);
    update_result r;
    update_settings settings = {0};
    settings.threads = 1;
    assert_int_equal(mod_update(&d, &t.s, &settings, &r, NULL), INCO_OK);
    for (int64_t j = 0; j < 20; j++)
        for (int64_t i = 0; i < 8; i++) assert_near(mat_get(&d, i, j), mat_get(j < 19 ? &truth : &t.d, i, j), 1e-10);
    assert_near(r.before, direct_objective(&t, &t.d, 0), 1e-9);
    assert_near(r.after, 0, 1e-9 * t.s.energy);
    worst_norm_error(&d, 1e-14);
    inco_mat_free(&truth);
    inco_mat_free(&d);
    sample_free(&t);
}

/* With noise: D diag(n) A = B for some scales n. */
static void mod_solves_its_normal_equations(void **state) {
    (void)state;
    sample t = sample_new(8, 20, 500, 0, 0.3);
    inco_mat d = copy_of(&t.d), a = copy_of(&t.s.a), solution = copy_of(&t.s.b), rest = copy_of(&t.s.b);
    update_result r;
    update_settings settings = SETTINGS(0, KEPT, 1, 1);
    assert_int_equal(mod_update(&d, &t.s, &settings, &r, NULL), INCO_OK);
    assert_int_equal(lapack_solve_right(&a, &solution, NULL), INCO_OK);
    for (int64_t j = 0; j < 20; j++) {
        double scale = 0;
        for (int64_t i = 0; i < 8; i++) scale += mat_get(&d, i, j) * mat_get(&solution, i, j);
        for (int64_t i = 0; i < 8; i++) mat_set(&d, i, j, scale * mat_get(&d, i, j));
    }
    blas_multiply(1, "NN", 1, &d, &t.s.a, -1, &rest);
    const double size = blas_dot(8 * 20, t.s.b.data, t.s.b.data);
    assert_true(blas_dot(8 * 20, rest.data, rest.data) <= 1e-24 * size);
    assert_true(r.after < r.before && r.after > 0.01 * t.s.energy);
    inco_mat *owned[] = {&d, &a, &solution, &rest};
    for (int i = 0; i < 4; i++) inco_mat_free(owned[i]);
    sample_free(&t);
}

static void mod_without_codes_changes_nothing(void **state) {
    (void)state;
    sample t = sample_new(8, 20, 50, 0, 0.1);
    memset(t.s.a.data, 0, 20 * 20 * sizeof(double));
    memset(t.s.b.data, 0, 8 * 20 * sizeof(double));
    inco_mat d = copy_of(&t.d);
    update_result r;
    update_settings settings = SETTINGS(0, KEPT, 1, 1);
    assert_int_equal(mod_update(&d, &t.s, &settings, &r, NULL), INCO_OK);
    assert_memory_equal(d.data, t.d.data, 8 * 20 * sizeof(double));
    assert_true(r.before == t.s.energy && r.after == t.s.energy);
    inco_mat_free(&d);
    sample_free(&t);
}

/* Two atoms always used together with equal coefficients: A is singular. */
static void mod_takes_dependent_codes(void **state) {
    int64_t row, col;
    (void)state;
    sample t = sample_new(8, 20, 500, 0, 0.1);
    for (int64_t n = 0; n < 500; n++) mat_set(&t.c, 1, n, mat_get(&t.c, 0, n));
    blas_multiply(1, "NT", 1, &t.c, &t.c, 0, &t.s.a);
    blas_multiply(1, "NT", 1, &t.x, &t.c, 0, &t.s.b);
    inco_mat d = copy_of(&t.d);
    update_result r;
    update_settings settings = SETTINGS(0, KEPT, 1, 1);
    assert_int_equal(mod_update(&d, &t.s, &settings, &r, NULL), INCO_OK);
    assert_false(mat_find_nonfinite(&d, &row, &col));
    assert_true(r.after < r.before);
    worst_norm_error(&d, 1e-14);
    inco_mat_free(&d);
    sample_free(&t);
}

/* ---- Failures ---- */

static void sizes_and_numbers_are_checked(void **state) {
    (void)state;
    sample t = sample_new(8, 20, 60, 0, 0.2);
    inco_mat small = check_dictionary(INCO_F64, 8, 19, 5), single = check_dictionary(INCO_F32, 8, 20, 5);
    update_settings settings = SETTINGS(0.3, KEPT, 3, 1);
    update_result r;
    inco_error error = {0};
    double f;
    assert_int_equal(idl_update(&small, &t.s, &settings, &r, &error), INCO_EDIM);
    assert_non_null(strstr(error.message, "8 x 19"));
    assert_int_equal(mod_update(&small, &t.s, &settings, &r, &error), INCO_EDIM);
    assert_int_equal(update_objective(&small, &t.s, 0, 1, &f, &error), INCO_EDIM);
    assert_int_equal(idl_update(&single, &t.s, &settings, &r, &error), INCO_EINVAL);
    mat_set(&t.s.b, 2, 2, NAN);
    inco_mat d = copy_of(&t.d);
    assert_int_equal(idl_update(&d, &t.s, &settings, &r, &error), INCO_ENUMERIC);
    assert_memory_equal(d.data, t.d.data, 8 * 20 * sizeof(double));
    inco_mat_free(&d);
    inco_mat_free(&small);
    inco_mat_free(&single);
    sample_free(&t);
}

typedef int (*updater)(inco_mat *d, const statistics *s, const update_settings *settings, update_result *result,
                       inco_error *error);

/* Every allocation fails once: an error is returned, and the dictionary is unchanged. */
static void sweep(const sample *t, updater run, update_settings settings) {
    inco_mat d = copy_of(&t->d);
    update_result r;
    memory_fail_at(0);
    assert_int_equal(run(&d, &t->s, &settings, &r, NULL), INCO_OK);
    int64_t allocations = memory_fail_at(0);
    assert_true(allocations > 5);
    mat_copy(&d, &t->d);
    for (int64_t k = 1; k <= allocations; k++) {
        inco_error error = {0};
        memory_fail_at(k);
        assert_int_equal(run(&d, &t->s, &settings, &r, &error), INCO_ENOMEM);
        assert_int_equal(error.code, INCO_ENOMEM);
        assert_memory_equal(d.data, t->d.data, 8 * 20 * sizeof(double));
    }
    memory_fail_at(0);
    inco_mat_free(&d);
}

static void lack_of_memory_is_reported(void **state) {
    (void)state;
    sample t = sample_new(8, 20, 60, 0, 0.2);
    for (int form = 0; form < FORMS; form++) sweep(&t, idl_update, SETTINGS(0.3, form, 5, 1));
    sweep(&t, mod_update, SETTINGS(0, KEPT, 0, 1));
    sample_free(&t);
}

/* ---- Dropout ---- */

/* |x_n - D (m c_n)|^2 for the nonzeros of the code whose bits are set in `kept`. */
static double thinned_error(const sample *t, int64_t n, unsigned kept) {
    const inco_mat x = mat_columns(&t->x, n, 1);
    inco_mat r = copy_of(&x);
    unsigned bit = 1;
    for (int64_t j = 0; j < t->d.cols; j++) {
        const double c = mat_get(&t->c, j, n);
        if (c == 0) continue;
        if (kept & bit) blas_axpy(t->d.rows, -c, mat_column(&t->d, j), r.data);
        bit <<= 1;
    }
    const double square = blas_dot(t->d.rows, r.data, r.data);
    inco_mat_free(&r);
    return square;
}

/* (DROP-1), the mean over all ways to leave out some of the at most three nonzeros of each code. */
static double expected_error(const sample *t, double share) {
    double sum = 0;
    for (int64_t n = 0; n < t->x.cols; n++)
        for (unsigned kept = 0; kept < 8; kept++) {
            double chance = 1;
            for (unsigned i = 0; i < 3; i++) chance *= kept >> i & 1 ? 1 - share : share;
            sum += chance * thinned_error(t, n, kept);
        }
    return sum;
}

/* (DROP-2) */
static void dropout_lowers_the_expected_error(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        sample t = sample_new(shapes[k][0], shapes[k][1], 60, 0, 0.2);
        const update_settings settings = SETTINGS(0.3, KEPT, 10, 1);
        const double penalty = direct_objective(&t, &t.d, 1) - direct_objective(&t, &t.d, 0);
        const double e = t.s.energy, f = e + (expected_error(&t, 0.3) - e) / 0.7 + 0.3 * penalty;
        const double before = expected_error(&t, 0.3) + 0.7 * 0.3 * penalty;
        update_result result;
        assert_int_equal(dropout_update(&t.d, &t.s, 0.3, &settings, &result, NULL), INCO_OK);
        assert_near(result.before, f, 1e-11 * f);
        assert_true(result.after < result.before);
        const double after = direct_objective(&t, &t.d, 1) - direct_objective(&t, &t.d, 0);
        assert_near(e + (expected_error(&t, 0.3) - e) / 0.7 + 0.3 * after, result.after, 1e-11 * f);
        assert_true(expected_error(&t, 0.3) + 0.7 * 0.3 * after < before);
        sample_free(&t);
    }
}

static void without_dropout_it_is_the_plain_update(void **state) {
    (void)state;
    sample t = sample_new(8, 20, 60, 0, 0.2);
    inco_mat other = copy_of(&t.d);
    const update_settings settings = SETTINGS(0.3, KEPT, 10, 1);
    update_result result;
    assert_int_equal(dropout_update(&t.d, &t.s, 0, &settings, &result, NULL), INCO_OK);
    assert_int_equal(idl_update(&other, &t.s, &settings, &result, NULL), INCO_OK);
    assert_memory_equal(t.d.data, other.data, 8 * 20 * sizeof(double));
    inco_mat_free(&other);
    sample_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objective_is_residual_plus_penalty),
        cmocka_unit_test(gradient_agrees_with_differences),
        cmocka_unit_test(line_is_a_quartic),
        cmocka_unit_test(quartics_are_minimized),
        cmocka_unit_test(special_quartics),
        cmocka_unit_test(objective_never_rises),
        cmocka_unit_test(sphere_form_keeps_unit_norms_and_lowers),
        cmocka_unit_test(rescale_form_gives_unit_norms),
        cmocka_unit_test(without_penalty_it_is_the_direct_solution),
        cmocka_unit_test(strong_penalty_gives_a_tight_frame),
        cmocka_unit_test(penalty_alone_makes_few_atoms_orthogonal),
        cmocka_unit_test(zero_and_unused_atoms_are_harmless),
        cmocka_unit_test(bits_do_not_depend_on_threads),
        cmocka_unit_test(narrow_products_round_what_changed),
        cmocka_unit_test(narrow_products_reach_the_optimum),
        cmocka_unit_test(narrow_products_go_as_low),
        cmocka_unit_test(narrow_products_take_any_scale),
        cmocka_unit_test(leading_dimension_is_kept_to),
        cmocka_unit_test(mod_finds_the_dictionary_of_noiseless_data),
        cmocka_unit_test(mod_solves_its_normal_equations),
        cmocka_unit_test(mod_without_codes_changes_nothing),
        cmocka_unit_test(mod_takes_dependent_codes),
        cmocka_unit_test(dropout_lowers_the_expected_error),
        cmocka_unit_test(without_dropout_it_is_the_plain_update),
        cmocka_unit_test(sizes_and_numbers_are_checked),
        cmocka_unit_test(lack_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
