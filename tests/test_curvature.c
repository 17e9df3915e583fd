/* The model of the curvature that IDL's update starts from, and the update that it guides. */
#include <stdlib.h>

#include "sample.h"

#include "update/axes.h"
#include "update/curvature.h"

enum { DIM = 16, ATOMS = 40, SIZE = DIM * ATOMS };
static const double ACCURACY = 0.1; /* of curvature.c: what a solution may lack of the decrease expected */

/* A sample whose atoms are used very unevenly: A_jj over six decades. */
static sample uneven(void) {
    sample t = sample_new(DIM, ATOMS, 400, 0, 0.3);
    for (int64_t n = 0; n < t.c.cols; n++)
        for (int64_t j = 0; j < ATOMS; j++) mat_set(&t.c, j, n, pow(10, -3 * (double)j / ATOMS) * mat_get(&t.c, j, n));
    inco_mat truth = check_dictionary(INCO_F64, DIM, ATOMS, 11), noise = check_random(INCO_F64, DIM, 400, 13);
    mat_copy(&t.x, &noise);
    blas_multiply(1, "NN", 1, &truth, &t.c, 0.01, &t.x);
    blas_multiply(1, "NT", 1, &t.c, &t.c, 0, &t.s.a);
    blas_multiply(1, "NT", 1, &t.x, &t.c, 0, &t.s.b);
    t.s.energy = blas_dot(DIM * t.x.cols, t.x.data, t.x.data);
    inco_mat_free(&truth);
    inco_mat_free(&noise);
    return t;
}

typedef struct placed {
    sample t;
    inco_mat basis; /* the axes in which t is */
    inco_mat e;
    double radial[ATOMS];
    hinge pairs;
    curvature_model model;
} placed;

/* Turns the sample to axes that suit its dictionary. */
static void turn(placed *p, const update_settings *settings) {
    axes turned;
    assert_int_equal(axes_open(&turned, &(inco_mat){0}, &p->t.d, &p->t.s, settings, NULL), INCO_OK);
    p->basis = copy_of(&turned.basis);
    mat_copy(&p->t.d, &turned.d);
    mat_copy(&p->t.s.b, &turned.s.b);
    axes_close(&turned);
}

/* e = D D' - I */
static void take_frame(const inco_mat *d, const inco_mat *e) {
    blas_multiply(1, "NT", 1, d, d, 0, e);
    for (int64_t i = 0; i < DIM; i++) mat_set(e, i, i, mat_get(e, i, i) - 1);
}

/* The model at the sample's dictionary, with a bound that some pairs exceed where push > 0. */
static void place(placed *p, double gamma, double push, int rescale) {
    update_settings settings = {.gamma = gamma, .push = push, .bound = 0.65, .threads = 1, .rescale = rescale};
    inco_mat zero;
    double h;
    *p = (placed){.t = uneven()};
    assert_int_equal(inco_mat_new(&p->e, INCO_F64, DIM, DIM, NULL), INCO_OK);
    turn(p, &settings);
    take_frame(&p->t.d, &p->e);
    for (int64_t j = 0; j < ATOMS; j++) p->radial[j] = 0.1 * (double)j;
    assert_int_equal(hinge_open(&p->pairs, DIM, ATOMS, 1, NULL), INCO_OK);
    assert_int_equal(inco_mat_new(&zero, INCO_F64, DIM, ATOMS, NULL), INCO_OK);
    if (push > 0) assert_int_equal(hinge_eval_pairs(&p->pairs, &p->t.d, 0.65, push, &zero, &h, NULL), INCO_OK);
    assert_int_equal(curvature_open(&p->model, &p->t.s, &settings, NULL), INCO_OK);
    const curvature_place at = {&p->t.d, &p->e, p->radial, push > 0 ? &p->pairs : NULL, zero.data};
    assert_int_equal(curvature_move(&p->model, &at, NULL), INCO_OK);
    inco_mat_free(&zero);
}

static void take_away(placed *p) {
    curvature_close(&p->model);
    hinge_close(&p->pairs);
    MAT_FREE_ALL(&p->basis, &p->e);
    sample_free(&p->t);
}

/* A random step in these axes, tangent to the spheres unless norms are free. */
static void random_step(const placed *p, double *q, uint64_t seed, int rescale) {
    double given[SIZE];
    const inco_mat from = mat_view(INCO_F64, DIM, ATOMS, given), to = mat_view(INCO_F64, DIM, ATOMS, q);
    for (int64_t i = 0; i < SIZE; i++) given[i] = rng_normal(seed, RNG_TEST, (uint64_t)i);
    blas_multiply(1, "TN", 1, &p->basis, &from, 0, &to);
    for (int64_t j = 0; j < ATOMS && !rescale; j++) {
        const double along = blas_dot(DIM, mat_column(&p->t.d, j), q + j * DIM);
        blas_axpy(DIM, -along, mat_column(&p->t.d, j), q + j * DIM);
    }
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* (CURV-12) */
static double floor_of(const placed *at) {
    double use[ATOMS];
    for (int64_t j = 0; j < ATOMS; j++) use[j] = 2 * mat_get(&at->t.s.a, j, j);
    qsort(use, ATOMS, sizeof *use, compare);
    const double frame = at->model.gamma > 0 && at->model.sphere ? 0.3 : 0, pairs = at->model.list ? 0.5 : 0;
    return (frame + pairs) * use[ATOMS / 2] + (at->model.sphere ? 0.008 : 0.012) * at->model.gamma +
           5e-10 * use[ATOMS - 1];
}

/* (CURV-1) of a step, term by term; the shares of pairs are the model's. */
static double along(const placed *at, const double *step) {
    const curvature_model *m = &at->model;
    const inco_mat p = mat_view(INCO_F64, DIM, ATOMS, (void *)step);
    inco_mat change = copy_of(&at->e);
    const double floor = floor_of(at);
    double sum = 0;
    for (int64_t j = 0; j < ATOMS; j++)
        for (int64_t i = 0; i < DIM; i++) {
            const double second = fabs(4 * m->gamma * mat_get(&at->e, i, i) - (m->sphere ? at->radial[j] : 0));
            sum += ((m->list ? 4 : 2) * mat_get(&at->t.s.a, j, j) + floor + second) * pow(mat_get(&p, i, j), 2);
        }
    blas_multiply(1, "NT", 1, &p, &at->t.d, 0, &change);
    blas_multiply(1, "NT", 1, &at->t.d, &p, 1, &change);
    for (int64_t j = 0; j < DIM; j++) sum += 2 * m->gamma * mat_column_energy(&change, j);
    for (int64_t j = 0; m->list && j < ATOMS; j++)
        for (int64_t k = m->list->start[j]; k < m->list->start[j + 1]; k++) { /* each pair twice */
            const int64_t i = m->list->near[k];
            const double v = blas_dot(DIM, mat_column(&at->t.d, i), step + j * DIM) +
                             blas_dot(DIM, mat_column(&at->t.d, j), step + i * DIM);
            sum += m->push * m->share[k] * v * v;
        }
    inco_mat_free(&change);
    return sum;
}

/* P = M^-1 q: for any step Q, <Q, M P> = <Q, q>, up to |Q|_M |P - P*|_M, the second of which is ACCURACY of <q, P>. */
static void it_is_inverted(void **state) {
    static double q[SIZE], p[SIZE], other[SIZE], sum[SIZE], difference[SIZE];
    (void)state;
    for (int k = 0; k < 12; k++) {
        const double gamma = (const double[]){0, 0.5, 50}[k % 3], push = k / 3 % 2 ? 40 : 0;
        const int rescale = k >= 6;
        placed at;
        if (rescale && push > 0) continue;
        place(&at, gamma, push, rescale);
        assert_true(push == 0 || at.model.list);
        random_step(&at, q, 21, rescale);
        memcpy(p, q, sizeof p);
        curvature_solve(&at.model, p);
        const double gain = blas_dot(SIZE, q, p);
        assert_true(gain > 0);
        for (uint64_t seed = 30; seed < 40; seed++) {
            random_step(&at, other, seed, rescale);
            for (int64_t i = 0; i < SIZE; i++) sum[i] = p[i] + other[i], difference[i] = p[i] - other[i];
            const double product = (along(&at, sum) - along(&at, difference)) / 4;
            const double allowed = sqrt(ACCURACY * gain * along(&at, other));
            const double rounding = 1e-5 * sqrt(along(&at, p) * along(&at, other));
            assert_near(product, blas_dot(SIZE, other, q), allowed + rounding);
        }
        for (int64_t j = 0; j < ATOMS && !rescale; j++) /* a tangent step */
            assert_near(blas_dot(DIM, mat_column(&at.t.d, j), p + j * DIM), 0,
                        1e-5 * sqrt(blas_dot(DIM, p + j * DIM, p + j * DIM)));
        take_away(&at);
    }
}

/* Without a penalty and with free norms it is 2 diag(A). */
static void alone_it_is_the_diagonal_of_a(void **state) {
    double q[SIZE], p[SIZE], most = 0;
    placed at;
    (void)state;
    place(&at, 0, 0, 1);
    random_step(&at, q, 22, 1);
    memcpy(p, q, sizeof p);
    curvature_solve(&at.model, p);
    for (int64_t j = 0; j < ATOMS; j++) most = fmax(most, mat_get(&at.t.s.a, j, j));
    for (int64_t j = 0; j < ATOMS; j++)
        for (int64_t i = 0; i < DIM; i++) {
            const double wanted = q[i + j * DIM] / (2 * mat_get(&at.t.s.a, j, j) + 1e-9 * most);
            assert_near(p[i + j * DIM], wanted, 1e-6 * fabs(wanted));
        }
    take_away(&at);
}

/* How far D D' is from D D' + t (P D' + D P') after the step t. */
static double frame_error(const placed *at, const double *p, const double *bend, double t) {
    inco_mat moved = copy_of(&at->t.d), f = copy_of(&at->e);
    const inco_mat step = mat_view(INCO_F64, DIM, ATOMS, (void *)p);
    double *v = moved.data, sum = 0;
    for (int64_t i = 0; i < SIZE; i++) v[i] += t * (p[i] + (bend ? t * bend[i] : 0));
    mat_normalize_columns(&moved, NULL);
    blas_multiply(1, "NT", -t, &step, &at->t.d, -1, &f);
    blas_multiply(1, "NT", -t, &at->t.d, &step, 1, &f);
    for (int64_t i = 0; i < DIM; i++) mat_set(&f, i, i, mat_get(&f, i, i) - 1);
    blas_multiply(1, "NT", 1, &moved, &moved, 1, &f);
    for (int64_t j = 0; j < DIM; j++) sum += mat_column_energy(&f, j);
    inco_mat_free(&moved);
    inco_mat_free(&f);
    return sqrt(sum);
}

/* A straight step leaves an error of order t^2, a bent one a small share of it. */
static void the_bend_keeps_the_frame(void **state) {
    static double p[SIZE], bend[SIZE];
    placed at;
    (void)state;
    place(&at, 5, 0, 0);
    random_step(&at, p, 23, 0);
    assert_int_equal(curvature_bend(&at.model, p, 0, bend), 1);
    const double straight = frame_error(&at, p, NULL, 1e-3), bent = frame_error(&at, p, bend, 1e-3);
    assert_near(straight / frame_error(&at, p, NULL, 5e-4), 4, 0.1);
    assert_true(bent < straight / 10);
    const double cost = 5 * pow(frame_error(&at, p, NULL, 1e-3) / 1e-6, 2); /* gamma |change of second order|^2 */
    assert_int_equal(curvature_bend(&at.model, p, 15 * cost, bend), 1);
    assert_int_equal(curvature_bend(&at.model, p, 25 * cost, bend), 0);
    take_away(&at);
    place(&at, 0, 0, 0);
    assert_int_equal(curvature_bend(&at.model, p, 0, bend), 0);
    take_away(&at);
}

/* push (sum over pairs above the bound of their change to second order, squared) after the step t. */
static double pairs_error(const placed *at, const double *p, const double *bend, double t) {
    const hinge_list *list = at->model.list;
    inco_mat moved = copy_of(&at->t.d);
    double *v = moved.data, sum = 0;
    for (int64_t i = 0; i < SIZE; i++) v[i] += t * (p[i] + (bend ? t * bend[i] : 0));
    mat_normalize_columns(&moved, NULL);
    for (int64_t j = 0; j < ATOMS; j++)
        for (int64_t k = list->start[j]; k < list->start[j + 1]; k++) {
            const int64_t i = list->near[k];
            const double *a = mat_column(&at->t.d, i), *b = mat_column(&at->t.d, j);
            const double first = blas_dot(DIM, a, p + j * DIM) + blas_dot(DIM, b, p + i * DIM);
            const double now = blas_dot(DIM, mat_column(&moved, i), mat_column(&moved, j));
            sum += at->model.push / 2 * at->model.share[k] * pow(now - blas_dot(DIM, a, b) - t * first, 2);
        }
    inco_mat_free(&moved);
    return sum;
}

/* The same for the products of pairs above the bound, alone and with a penalty. */
static void the_bend_keeps_the_pairs(void **state) {
    static double p[SIZE], bend[SIZE];
    (void)state;
    for (int k = 0; k < 2; k++) {
        placed at;
        place(&at, k ? 0.5 : 0, 4e4, 0);
        assert_true(at.model.tied.count > 0);
        random_step(&at, p, 25, 0);
        assert_int_equal(curvature_bend(&at.model, p, 0, bend), 1);
        const double straight = pairs_error(&at, p, NULL, 1e-3), bent = pairs_error(&at, p, bend, 1e-3);
        assert_near(straight / pairs_error(&at, p, NULL, 5e-4), 16, 0.5);
        assert_true(bent < straight / 10);
        const double cost = straight / 1e-12;
        assert_int_equal(k || curvature_bend(&at.model, p, 15 * cost, bend), 1);
        assert_int_equal(!k && curvature_bend(&at.model, p, 25 * cost, bend), 0);
        take_away(&at);
    }
}

/* What pairs add to M s is the difference of (CURV-1) with and without them. */
static void pairs_are_added_to_a_product(void **state) {
    static double s[SIZE], y[SIZE], other[SIZE];
    (void)state;
    for (int k = 0; k < 2; k++) {
        placed at;
        double wanted = 0;
        place(&at, k ? 0.5 : 0, 40, 0);
        const hinge_list *list = at.model.list;
        random_step(&at, s, 26, 0);
        random_step(&at, other, 27, 0);
        memset(y, 0, sizeof y);
        curvature_add_pairs(&at.model, s, y);
        for (int64_t j = 0; j < ATOMS; j++)
            for (int64_t n = list->start[j]; n < list->start[j + 1]; n++) { /* each pair twice */
                const int64_t i = list->near[n];
                const double *a = mat_column(&at.t.d, i), *b = mat_column(&at.t.d, j);
                wanted += at.model.push * at.model.share[n] *
                          (blas_dot(DIM, a, s + j * DIM) + blas_dot(DIM, b, s + i * DIM)) *
                          (blas_dot(DIM, a, other + j * DIM) + blas_dot(DIM, b, other + i * DIM));
            }
        assert_near(blas_dot(SIZE, other, y), wanted, 1e-4 * sqrt(along(&at, s) * along(&at, other)));
        assert_true(blas_dot(SIZE, s, y) > 0);
        take_away(&at);
    }
}

/* The sum of squares of D D' - I off the diagonal, relative to all. */
static double coupling(const inco_mat *d) {
    inco_mat e;
    double all = 0, diagonal = 0;
    assert_int_equal(inco_mat_new(&e, INCO_F64, DIM, DIM, NULL), INCO_OK);
    take_frame(d, &e);
    for (int64_t i = 0; i < DIM; i++) {
        all += mat_column_energy(&e, i);
        diagonal += pow(mat_get(&e, i, i), 2);
    }
    inco_mat_free(&e);
    return (all - diagonal) / all;
}

/* D with D D' = (L/D) I: D's singular values made equal. */
static inco_mat tight(const inco_mat *d) {
    inco_mat vectors = {0}, scaled = copy_of(d), out = copy_of(d);
    double e[DIM];
    assert_int_equal(inco_mat_new(&vectors, INCO_F64, DIM, DIM, NULL), INCO_OK);
    blas_multiply(1, "NT", 1, d, d, 0, &vectors);
    assert_int_equal(lapack_eigenvectors(&vectors, e, NULL), INCO_OK);
    blas_multiply(1, "TN", 1, &vectors, d, 0, &scaled);
    for (int64_t j = 0; j < ATOMS; j++)
        for (int64_t i = 0; i < DIM; i++)
            mat_set(&scaled, i, j, mat_get(&scaled, i, j) * sqrt((double)ATOMS / DIM / e[i]));
    blas_multiply(1, "NN", 1, &vectors, &scaled, 0, &out);
    MAT_FREE_ALL(&vectors, &scaled);
    return out;
}

/* Largest entry of K = D diag(1 / c_j) D' (CURV-11) off its diagonal, relative to the largest on it. */
static double coupling_by_use(const inco_mat *d, const statistics *s, const update_settings *settings) {
    double fit[ATOMS], on = 0, off = 0;
    curvature_fit(s, settings, fit);
    for (int64_t i = 0; i < DIM; i++)
        for (int64_t l = 0; l <= i; l++) {
            double sum = 0;
            for (int64_t j = 0; j < ATOMS; j++) sum += mat_get(d, i, j) * mat_get(d, l, j) / fit[j];
            if (i == l) on = fmax(on, sum);
            if (i != l) off = fmax(off, fabs(sum));
        }
    return off / on;
}

/* f is the same in the axes; leaving them gives the dictionary back. */
static void check_axes(const axes *turned, const sample *t, double gamma) {
    inco_mat back = copy_of(&t->d);
    double f, same;
    assert_int_equal(update_objective(&t->d, &t->s, gamma, 1, &f, NULL), INCO_OK);
    assert_int_equal(update_objective(&turned->d, &turned->s, gamma, 1, &same, NULL), INCO_OK);
    assert_near(same, f, 1e-12 * f);
    axes_leave(turned, &back);
    for (int64_t i = 0; i < SIZE; i++) assert_near(((double *)back.data)[i], ((double *)t->d.data)[i], 1e-14);
    inco_mat_free(&back);
}

/* Far from a tight frame the axes are those of D D', near it those of (CURV-11). */
static void axes_suit_the_dictionary(void **state) {
    sample t = uneven();
    update_settings settings = SETTINGS(5, KEPT, 3, 1);
    axes turned;
    (void)state;
    assert_int_equal(axes_open(&turned, &(inco_mat){0}, &t.d, &t.s, &settings, NULL), INCO_OK);
    check_axes(&turned, &t, 5);
    assert_true(coupling(&t.d) > 0.01 && coupling(&turned.d) < 1e-13);
    assert_true(coupling_by_use(&turned.d, &t.s, &settings) > 0.01);
    axes_close(&turned);
    inco_mat d = tight(&t.d);
    mat_normalize_columns(&d, NULL);
    mat_copy(&t.d, &d);
    settings.rescale = 1;
    assert_int_equal(axes_open(&turned, &(inco_mat){0}, &t.d, &t.s, &settings, NULL), INCO_OK);
    assert_true(coupling(&turned.d) < 1e-13);
    axes_close(&turned);
    settings.rescale = 0;
    inco_mat flat = tight(&t.d);
    mat_copy(&t.d, &flat); /* the norms are no longer 1, which the axes do not ask for */
    assert_int_equal(axes_open(&turned, &(inco_mat){0}, &t.d, &t.s, &settings, NULL), INCO_OK);
    assert_true(coupling_by_use(&turned.d, &t.s, &settings) < 1e-6);
    assert_true(coupling_by_use(&t.d, &t.s, &settings) > 0.01);
    axes_close(&turned);
    MAT_FREE_ALL(&d, &flat);
    sample_free(&t);
}

/* A model whose D D' turns away from the axes says so. */
static void axes_stop_to_suit(void **state) {
    placed at;
    (void)state;
    place(&at, 5, 0, 0);
    assert_false(at.model.askew);
    for (int k = 0; k < 2; k++) {
        const curvature_place here = {&at.t.d, &at.e, at.radial, NULL, NULL};
        const double angle = k ? 0.5 : 1e-3, *d = at.t.d.data;
        for (int64_t j = 0; j < ATOMS; j++) { /* turns the first axis towards the last */
            const double first = d[j * DIM], last = d[j * DIM + DIM - 1];
            mat_set(&at.t.d, 0, j, cos(angle) * first - sin(angle) * last);
            mat_set(&at.t.d, DIM - 1, j, sin(angle) * first + cos(angle) * last);
        }
        take_frame(&at.t.d, &at.e);
        assert_int_equal(curvature_move(&at.model, &here, NULL), INCO_OK);
        assert_int_equal(at.model.askew, k);
    }
    take_away(&at);
}

static update_result run(const sample *t, inco_mat *d, update_settings settings) {
    update_result r;
    inco_error error = {0};
    if (idl_update(d, &t->s, &settings, &r, &error) != INCO_OK) fail_msg("%s", error.message);
    return r;
}

/* Where atoms are used unevenly, a few iterations make nearly all of the attainable decrease, without a penalty more
 * of it than as many plain ones; f falls with every iteration. */
static void a_few_iterations_reach_the_optimum(void **state) {
    sample t = uneven();
    (void)state;
    for (int k = 0; k < 6; k++) {
        const double gamma = (const double[]){0, 0.05, 5}[k % 3];
        update_settings s = SETTINGS(gamma, k < 3 ? KEPT : NARROW, 3000, 1);
        inco_mat d = copy_of(&t.d);
        const update_result best = run(&t, &d, s);
        double before = best.before;
        for (s.iterations = 1; s.iterations <= 10; s.iterations++) {
            mat_copy(&d, &t.d);
            const double after = run(&t, &d, s).after;
            assert_true(after <= before);
            before = after;
        }
        assert_true(best.before - before >= 0.98 * (best.before - best.after));
        s.iterations = 10;
        s.plain = 1;
        mat_copy(&d, &t.d);
        if (gamma == 0) assert_true(run(&t, &d, s).after > before);
        inco_mat_free(&d);
    }
    sample_free(&t);
}

/* The same with a bound that many pairs exceed, alone and with a penalty; plain iterations come less far. Alone the
 * bound is stiff: f is never above that of the start, but may rise with the number of iterations. */
static void a_few_iterations_reach_the_optimum_within_a_bound(void **state) {
    sample t = uneven();
    (void)state;
    for (int k = 0; k < 2; k++) {
        update_settings s = SETTINGS(k ? 0.05 : 0, KEPT, 3000, 1);
        s.bound = 0.4;
        s.push = 25 * t.s.energy / ATOMS;
        inco_mat d = copy_of(&t.d);
        const update_result best = run(&t, &d, s);
        double before = best.before, plain;
        for (s.iterations = 1; s.iterations <= 15; s.iterations++) {
            mat_copy(&d, &t.d);
            const double after = run(&t, &d, s).after;
            assert_true(after <= (k ? before : best.before));
            before = after;
        }
        s.iterations = 15;
        s.plain = 1;
        mat_copy(&d, &t.d);
        plain = run(&t, &d, s).after;
        assert_true(best.before - before >= 0.995 * (best.before - best.after));
        assert_true(plain > before);
        inco_mat_free(&d);
    }
    sample_free(&t);
}

/* With a stiff and low bound, without the steps with a weaker one: 0.79. */
static void a_stiff_bound_is_approached_from_a_weaker_one(void **state) {
    sample t = uneven();
    (void)state;
    for (int k = 0; k < 2; k++) {
        update_settings s = SETTINGS(0, k ? NARROW : KEPT, 500, 1);
        s.bound = 0.25;
        s.push = 25 * t.s.energy / ATOMS;
        inco_mat d = copy_of(&t.d);
        const update_result best = run(&t, &d, s);
        s.iterations = 15;
        mat_copy(&d, &t.d);
        const update_result few = run(&t, &d, s);
        assert_true(few.iterations <= 4 * 15 + 5);
        s.plain = 1;
        mat_copy(&d, &t.d);
        const update_result plain = run(&t, &d, s);
        assert_true(best.before - few.after >= 0.95 * (best.before - best.after));
        assert_true(few.after < plain.after);
        for (int64_t j = 0; j < ATOMS; j++) assert_true(fabs(mat_column_energy(&d, j) - 1) < 1e-14);
        inco_mat_free(&d);
    }
    sample_free(&t);
}

/* It stops by itself when little is left, at nearly the value that all iterations reach. */
static void it_stops_when_little_is_left(void **state) {
    sample t = uneven();
    update_settings s = SETTINGS(0.05, KEPT, 200, 1);
    inco_mat all = copy_of(&t.d), few = copy_of(&t.d);
    (void)state;
    const update_result whole = run(&t, &all, s);
    s.enough = 2e-3;
    const update_result stopped = run(&t, &few, s);
    assert_true(stopped.iterations < 20);
    assert_true(stopped.before - stopped.after >= 0.98 * (whole.before - whole.after));
    inco_mat_free(&all);
    inco_mat_free(&few);
    sample_free(&t);
}

/* Axes that are given are kept while they suit, and replaced where they do not. */
static void axes_are_handed_on(void **state) {
    sample t = uneven();
    inco_mat basis = {0}, kept, d = copy_of(&t.d);
    update_settings s = SETTINGS(5, KEPT, 50, 1);
    (void)state;
    s.axes = &basis;
    run(&t, &d, s);
    assert_non_null(basis.data);
    kept = copy_of(&basis);
    s.iterations = 3;
    run(&t, &d, s);
    assert_memory_equal(basis.data, kept.data, DIM * DIM * sizeof(double));
    for (int64_t i = 0; i < DIM * DIM; i++) ((double *)basis.data)[i] = i % (DIM + 1) == 0;
    mat_copy(&d, &t.d);
    const update_result from = run(&t, &d, s);
    assert_true(fabs(mat_get(&basis, 0, 0)) < 0.999);
    s.axes = NULL;
    mat_copy(&d, &t.d);
    const update_result chosen = run(&t, &d, s);
    assert_near(from.after, chosen.after, 1e-9 * chosen.after);
    MAT_FREE_ALL(&basis, &kept, &d);
    sample_free(&t);
}

static void bits_do_not_depend_on_threads(void **state) {
    sample t = uneven();
    (void)state;
    for (int k = 0; k < 5; k++) {
        inco_mat one = copy_of(&t.d);
        update_settings s = SETTINGS(k % 2 ? 5 : 0, k < 2 ? KEPT : NARROW, 6, 1);
        s.push = k == 1 || k == 4 ? 40 : 0; /* 4: stiff */
        s.bound = 0.65;
        run(&t, &one, s);
        for (s.threads = 2; s.threads <= 3; s.threads++) {
            inco_mat many = copy_of(&t.d);
            run(&t, &many, s);
            assert_memory_equal(one.data, many.data, SIZE * sizeof(double));
            inco_mat_free(&many);
        }
        inco_mat_free(&one);
    }
    sample_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_inverted),
        cmocka_unit_test(alone_it_is_the_diagonal_of_a),
        cmocka_unit_test(the_bend_keeps_the_frame),
        cmocka_unit_test(the_bend_keeps_the_pairs),
        cmocka_unit_test(pairs_are_added_to_a_product),
        cmocka_unit_test(axes_suit_the_dictionary),
        cmocka_unit_test(axes_stop_to_suit),
        cmocka_unit_test(a_few_iterations_reach_the_optimum),
        cmocka_unit_test(a_few_iterations_reach_the_optimum_within_a_bound),
        cmocka_unit_test(a_stiff_bound_is_approached_from_a_weaker_one),
        cmocka_unit_test(it_stops_when_little_is_left),
        cmocka_unit_test(axes_are_handed_on),
        cmocka_unit_test(bits_do_not_depend_on_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
