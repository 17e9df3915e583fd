/* Parametric design: the gammatone family, its derivatives, and the alternation. */
#include "check.h"

#include "base/memory.h"
#include "design/gammatone.h"
#include "mat/blas.h"
#include "metric/coherence.h"

enum { DIM = 64, ATOMS = 40, EACH = 4 };

static void random_unknowns(double *x, int64_t count, uint64_t seed) {
    for (int64_t i = 0; i < count; i++) x[i] = rng_normal(seed, RNG_TEST, (uint64_t)i);
}

/* sum over i != j of max(0, |d_i'd_j| - mu)^2, by its definition. */
static double overlap(const inco_mat *d, double mu) {
    double sum = 0;
    for (int64_t i = 0; i < d->cols; i++)
        for (int64_t j = 0; j < d->cols; j++) {
            double g = fabs(blas_dot(d->rows, mat_column(d, i), mat_column(d, j)));
            if (i != j && g > mu) sum += (g - mu) * (g - mu);
        }
    return sum;
}

/* ---- The family ---- */

/* An atom is the formula of its tone, sampled and normalised: compares both. */
static void an_atom_is_its_tone(void **state) {
    const parametric_family family = gammatone_family(DIM, 8000);
    (void)state;
    for (uint64_t trial = 0; trial < 50; trial++) {
        double x[EACH], atom[DIM], tone[DIM], norm = 0;
        random_unknowns(x, EACH, trial);
        family.atom(&family, x, atom, NULL);
        const gammatone g = gammatone_of(&family, x);
        const double b = 24.7 * (1 + 4.37 * g.frequency / 1000), pi = acos(-1);
        for (int i = 0; i < DIM; i++) {
            double t = i / 8000.0 - g.onset;
            tone[i] = t <= 0
                          ? 0
                          : pow(1000 * t, g.order - 1) * exp(-2 * pi * g.width * b * t) * cos(2 * pi * g.frequency * t);
            norm += tone[i] * tone[i];
        }
        for (int i = 0; i < DIM; i++) assert_near(atom[i], tone[i] / sqrt(norm), 1e-11);
    }
}

static void derivatives_agree_with_differences(void **state) {
    const int64_t dims[] = {16, DIM, 160};
    (void)state;
    for (int k = 0; k < 3; k++) {
        const parametric_family family = gammatone_family(dims[k], 8000);
        for (uint64_t trial = 0; trial < 40; trial++) {
            double x[EACH], atom[160], derivative[EACH * 160], up[160], down[160];
            random_unknowns(x, EACH, 1000 + trial);
            family.atom(&family, x, atom, derivative);
            for (int p = 0; p < EACH; p++) {
                const double old = x[p], h = 1e-6;
                double size = 1 + sqrt(blas_dot(dims[k], derivative + p * dims[k], derivative + p * dims[k]));
                x[p] = old + h;
                family.atom(&family, x, up, NULL);
                x[p] = old - h;
                family.atom(&family, x, down, NULL);
                x[p] = old;
                for (int64_t i = 0; i < dims[k]; i++)
                    assert_near((up[i] - down[i]) / (2 * h), derivative[p * dims[k] + i], 1e-5 * size);
            }
        }
    }
}

/* For any unknowns, the tone stays in its ranges and the atom has unit norm. */
static void unknowns_cannot_leave_the_ranges(void **state) {
    const parametric_family family = gammatone_family(16, 8000);
    (void)state;
    for (uint64_t trial = 0; trial < 300; trial++) {
        double x[EACH], atom[16], derivative[EACH * 16];
        random_unknowns(x, EACH, trial);
        for (int p = 0; p < EACH; p++) x[p] *= trial % 3 == 0 ? 1000 : 10;
        const gammatone g = gammatone_of(&family, x);
        assert_true(g.frequency >= 499.9 && g.frequency <= 3800.1);
        assert_true(g.order >= 2 && g.order <= 8 && g.width >= 0.2499 && g.width <= 4.0001);
        assert_true(g.onset < 13 / 8000.0);
        family.atom(&family, x, atom, derivative);
        assert_near(blas_dot(16, atom, atom), 1, 1e-13);
        for (int i = 0; i < EACH * 16; i++) assert_true(isfinite(derivative[i]));
    }
}

static void the_start_is_spread(void **state) {
    const parametric_family family = gammatone_family(160, 8000);
    double last = 0, earliest = 1, latest = 0;
    (void)state;
    for (int64_t j = 0; j < 512; j++) {
        double x[EACH];
        family.start(&family, j, 512, x);
        const gammatone g = gammatone_of(&family, x);
        const double b = 24.7 * (1 + 4.37 * g.frequency / 1000), peak = g.onset + 3 / (2 * acos(-1) * 1.019 * b);
        assert_true(g.frequency > last);
        assert_near(g.order, 4, 1e-12);
        assert_near(g.width, 1.019, 1e-12);
        last = g.frequency;
        earliest = fmin(earliest, peak);
        latest = fmax(latest, peak);
    }
    assert_true(last > 3700 && earliest > 0 && earliest < 0.001 && latest > 0.017 && latest < 0.02);
}

/* ---- The alternation ---- */

typedef struct planned {
    parametric_family family;
    inco_mat d;
    double x[ATOMS * EACH];
} planned;

static planned plan(void) {
    planned p = {.family = gammatone_family(DIM, 8000)};
    assert_int_equal(inco_mat_new(&p.d, INCO_F64, DIM, ATOMS, NULL), INCO_OK);
    parametric_start(&p.family, &p.d, p.x);
    return p;
}

/* Asserts that d has the atoms of x. */
static void assert_in_step(const planned *p) {
    double atom[DIM];
    for (int64_t j = 0; j < ATOMS; j++) {
        p->family.atom(&p->family, p->x + j * EACH, atom, NULL);
        assert_memory_equal(atom, mat_column(&p->d, j), sizeof atom);
    }
}

static void the_objective_never_rises(void **state) {
    const double targets[] = {0, 0.1, 0.5};
    (void)state;
    for (int k = 0; k < 3; k++) {
        planned p = plan();
        const double start = overlap(&p.d, targets[k]);
        const update_settings settings = {.iterations = 5, .threads = 1};
        update_result r = {0};
        for (int i = 0; i < 12; i++) {
            const double before = overlap(&p.d, targets[k]);
            assert_int_equal(parametric_update(&p.family, &p.d, p.x, targets[k], &settings, &r, NULL), INCO_OK);
            assert_near(r.before, before, 1e-10 * start);
            assert_near(r.after, overlap(&p.d, targets[k]), 1e-10 * start);
            assert_true(r.after <= r.before);
            assert_in_step(&p);
        }
        assert_true(r.after < 0.5 * start);
        inco_mat_free(&p.d);
    }
}

/* Equal atoms: their gradients vanish; relocation separates them. */
static void crowded_atoms_are_moved(void **state) {
    (void)state;
    planned p = plan();
    for (int64_t j = 1; j < 4; j++) {
        memcpy(p.x + j * EACH, p.x, EACH * sizeof(double));
        memcpy(mat_column(&p.d, j), mat_column(&p.d, 0), DIM * sizeof(double));
    }
    const double before = overlap(&p.d, 0.1);
    int moved = parametric_relocate(&p.family, &p.d, p.x, 0.1, 1, NULL);
    assert_true(moved >= 3 && moved <= ATOMS / 8);
    assert_true(overlap(&p.d, 0.1) < before - 3); /* at least three pairs, counted twice, at 0.9^2 */
    assert_in_step(&p);
    inco_mat_free(&p.d);
}

static void lack_of_memory_is_reported(void **state) {
    (void)state;
    planned p = plan(), q = plan();
    const update_settings settings = {.iterations = 2, .threads = 1};
    update_result r;
    memory_fail_at(0);
    assert_int_equal(parametric_update(&p.family, &p.d, p.x, 0.1, &settings, &r, NULL), INCO_OK);
    int64_t allocations = memory_fail_at(0);
    assert_true(allocations > 15);
    for (int64_t k = 1; k <= allocations; k++) {
        planned t = plan();
        inco_error error = {0};
        memory_fail_at(k);
        assert_int_equal(parametric_update(&t.family, &t.d, t.x, 0.1, &settings, &r, &error), INCO_ENOMEM);
        memory_fail_at(0);
        assert_int_equal(error.code, INCO_ENOMEM);
        assert_memory_equal(t.d.data, q.d.data, DIM * ATOMS * sizeof(double));
        assert_memory_equal(t.x, q.x, sizeof q.x);
        inco_mat_free(&t.d);
    }
    inco_mat_free(&p.d);
    inco_mat_free(&q.d);
}

/* ---- Through the learner ---- */

static void coherence_falls_by_design(void **state) {
    const inco_type type = *(inco_type *)*state;
    const char *const threads[] = {"1", "3"};
    inco_mat first = {0};
    for (int t = 0; t < 2; t++) {
        inco_options *o = OPTIONS("method", "parametric", "atoms", "100", "window", "64", "rate", "8000", "iterations",
                                  "12", "threads", threads[t], "precision", type == INCO_F32 ? "f32" : "f64");
        inco_mat d;
        inco_learn_info info = INCO_INIT(inco_learn_info);
        assert_int_equal(inco_learn(NULL, o, &d, &info, NULL), INCO_OK);
        assert_int_equal(d.type, type);
        assert_true(info.dim == 64 && info.atoms == 100 && info.signals == 0 && info.iterations == 12);
        assert_true(info.coherence_rms < 0.7 * info.start_coherence_rms);
        assert_true(info.coherence_max < 0.8 * info.start_coherence_max);
        assert_true(info.coherence_max >= info.welch);
        if (t == 1) assert_memory_equal(d.data, first.data, 64 * 100 * (size_t)type);
        if (t == 0)
            first = d;
        else
            inco_mat_free(&d);
        inco_options_free(o);
    }
    inco_mat_free(&first);
}

static void what_makes_no_sense_is_refused(void **state) {
    (void)state;
    inco_mat x = check_random(INCO_F64, 64, 50, 1), d;
    inco_source source = mat_source_of(&x);
    inco_options *o = OPTIONS("method", "parametric", "atoms", "20", "window", "64", "rate", "8000");
    inco_learner *learner;
    inco_stream stream = INCO_INIT(inco_stream);
    inco_csc codes;
    inco_error error;
    assert_int_equal(inco_learn(&source, o, &d, NULL, &error), INCO_EINVAL);
    assert_non_null(strstr(error.message, "takes no data"));
    assert_int_equal(inco_learner_new(&learner, NULL, o, &error), INCO_OK);
    assert_int_equal(inco_learner_start_from(learner, &x, &error), INCO_EINVAL);
    assert_int_equal(inco_learner_save(learner, &stream, &error), INCO_EINVAL);
    assert_int_equal(inco_learner_resume(learner, &stream, &error), INCO_EINVAL);
    assert_int_equal(inco_learner_run(learner, &error), INCO_OK);
    assert_int_equal(inco_learner_encode(learner, &codes, &error), INCO_EINVAL);
    inco_learner_free(learner);
    inco_options_set(o, "method", "mod", NULL);
    assert_int_equal(inco_learn(NULL, o, &d, NULL, &error), INCO_EINVAL);
    inco_options_free(o);
    inco_mat_free(&x);
}

int main(void) {
    static inco_type f32 = INCO_F32, f64 = INCO_F64;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_atom_is_its_tone),
        cmocka_unit_test(derivatives_agree_with_differences),
        cmocka_unit_test(unknowns_cannot_leave_the_ranges),
        cmocka_unit_test(the_start_is_spread),
        cmocka_unit_test(the_objective_never_rises),
        cmocka_unit_test(crowded_atoms_are_moved),
        cmocka_unit_test(lack_of_memory_is_reported),
        {"coherence_falls_by_design (f32)", coherence_falls_by_design, NULL, NULL, &f32},
        {"coherence_falls_by_design (f64)", coherence_falls_by_design, NULL, NULL, &f64},
        cmocka_unit_test(what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
