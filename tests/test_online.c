/* Online learning: the block update, the sums with forgetting, and the loop. */
#include "metric/coherence.h"
#include "learning.h"
#include "sample.h"

#include <stdlib.h>

#include "base/memory.h"
#include "learn/learn.h"
#include "learn/learner_state.h"
#include "learn/method_online.h"
#include "update/idl.h"
#include "update/online.h"

static const int64_t shapes[][2] = {{8, 20}, {20, 8}, {9, 9}, {12, 150}};
static const double gammas[] = {0, 0.3, 40, 1e6};
enum { SHAPES = 4, GAMMAS = 4 };

/* ---- The block update ---- */

static update_result update(const sample *t, inco_mat *d, double gamma) {
    update_result r;
    inco_error error = {0};
    update_settings settings = SETTINGS(gamma, KEPT, 1, 1);
    double before = direct_objective(t, d, gamma);
    if (online_update(d, &t->s, &settings, &r, &error) != INCO_OK) fail_msg("%s", error.message);
    double after = direct_objective(t, d, gamma);
    assert_near(r.before, before, 1e-11 * (before + t->s.energy));
    assert_near(r.after, after, 1e-11 * (after + t->s.energy));
    return r;
}

static void a_sweep_never_raises_the_objective(void **state) {
    (void)state;
    for (int k = 0; k < SHAPES; k++)
        for (int i = 0; i < GAMMAS; i++) {
            sample t = sample_new(shapes[k][0], shapes[k][1], 120, 0, 0.2);
            for (int sweep = 0; sweep < 40; sweep++) {
                update_result r = update(&t, &t.d, gammas[i]);
                assert_true(r.after <= r.before + 1e-14 * (r.before + t.s.energy));
                if (sweep == 0) assert_true(r.after < r.before);
                for (int64_t j = 0; j < t.d.cols; j++) assert_near(mat_column_norm(&t.d, j), 1, 1e-14);
            }
            sample_free(&t);
        }
}

/* After convergence the gradient has no tangential component. */
static void the_limit_is_stationary_on_the_spheres(void **state) {
    (void)state;
    for (int k = 0; k < SHAPES - 1; k++) /* the last is too slow */
        for (int i = 0; i < 3; i++) {
            sample t = sample_new(shapes[k][0], shapes[k][1], 400, 0, 0.2);
            double size[2];
            for (int end = 0; end < 2; end++) {
                idl w;
                update_settings settings = SETTINGS(gammas[i], KEPT, 1, 1);
                assert_int_equal(idl_open(&w, &t.d, &t.s, &settings, NULL), INCO_OK);
                inco_mat g = copy_of(&t.d);
                lbfgs_point at = {w.x.data, g.data, 0};
                assert_int_equal(w.problem.eval(&w, &at, NULL), INCO_OK);
                size[end] = sqrt(blas_dot(g.rows * g.cols, g.data, g.data));
                inco_mat_free(&g);
                idl_close(&w);
                update_result r;
                for (int sweep = 0; !end && sweep < 2000; sweep++)
                    assert_int_equal(online_update(&t.d, &t.s, &settings, &r, NULL), INCO_OK);
            }
            assert_true(size[1] <= 1e-5 * size[0]);
            sample_free(&t);
        }
}

/* Whatever the block size, every atom is updated with the new values of those before it. */
static void a_sweep_moves_one_atom_after_the_other(void **state) {
    (void)state;
    sample t = sample_new(12, 150, 900, 0, 0.2);
    inco_mat d = copy_of(&t.d), unasked = copy_of(&t.d);
    update_settings settings = SETTINGS(0, KEPT, 1, 1);
    for (int64_t j = 0; j < d.cols; j++) {
        double *atom = mat_column(&d, j), r[12], energy = 0;
        for (int64_t i = 0; i < 12; i++) {
            r[i] = mat_get(&t.s.b, i, j);
            for (int64_t k = 0; k < d.cols; k++)
                if (k != j) r[i] -= mat_get(&d, i, k) * mat_get(&t.s.a, k, j);
            energy += r[i] * r[i];
        }
        for (int64_t i = 0; i < 12; i++) atom[i] = r[i] / sqrt(energy);
    }
    update(&t, &t.d, 0);
    assert_int_equal(online_update(&unasked, &t.s, &settings, NULL, NULL), INCO_OK);
    for (int64_t i = 0; i < 12 * 150; i++) assert_near(((double *)t.d.data)[i], ((double *)d.data)[i], 1e-11);
    assert_memory_equal(unasked.data, t.d.data, 12 * 150 * sizeof(double));
    inco_mat_free(&d);
    inco_mat_free(&unasked);
    sample_free(&t);
}

/* A single atom has a closed-form solution: the direction of B. */
static void one_atom_is_solved_at_once(void **state) {
    (void)state;
    inco_mat d = check_dictionary(INCO_F64, 6, 1, 3), b = check_random(INCO_F64, 6, 1, 4), a;
    assert_int_equal(inco_mat_new(&a, INCO_F64, 1, 1, NULL), INCO_OK);
    mat_set(&a, 0, 0, 2.5);
    statistics s = {a, b, 10, 10};
    update_settings settings = SETTINGS(0, KEPT, 1, 1);
    update_result r;
    assert_int_equal(online_update(&d, &s, &settings, &r, NULL), INCO_OK);
    double norm = mat_column_norm(&b, 0);
    for (int64_t i = 0; i < 6; i++) assert_near(mat_get(&d, i, 0), mat_get(&b, i, 0) / norm, 1e-15);
    inco_mat_free(&a);
    inco_mat_free(&b);
    inco_mat_free(&d);
}

static void zero_and_unused_atoms_are_harmless(void **state) {
    int64_t row, col;
    (void)state;
    for (int i = 0; i < GAMMAS; i++) {
        sample t = sample_new(8, 20, 200, 2, 0.2); /* atoms 18 and 19 are unused */
        inco_mat start = copy_of(&t.d);
        memset(mat_column(&t.d, 3), 0, 8 * sizeof(double));
        for (int sweep = 0; sweep < 5; sweep++) update(&t, &t.d, gammas[i]);
        assert_false(mat_find_nonfinite(&t.d, &row, &col));
        assert_true(mat_column_norm(&t.d, 3) == 0);
        assert_near(mat_column_norm(&t.d, 18), 1, 1e-14);
        int same = !memcmp(mat_column(&t.d, 18), mat_column(&start, 18), 8 * sizeof(double));
        assert_int_equal(same, gammas[i] == 0);
        inco_mat_free(&start);
        sample_free(&t);
    }
}

static void bits_do_not_depend_on_threads(void **state) {
    (void)state;
    sample t = sample_new(48, 300, 900, 0, 0.3);
    inco_mat one = copy_of(&t.d), many = copy_of(&t.d);
    update_settings few = SETTINGS(0.5, KEPT, 1, 1), more = SETTINGS(0.5, KEPT, 1, 3);
    update_result r, q;
    assert_int_equal(online_update(&one, &t.s, &few, &r, NULL), INCO_OK);
    assert_int_equal(online_update(&many, &t.s, &more, &q, NULL), INCO_OK);
    assert_memory_equal(one.data, many.data, 48 * 300 * sizeof(double));
    assert_true(r.after == q.after);
    inco_mat_free(&one);
    inco_mat_free(&many);
    sample_free(&t);
}

static void failures_leave_the_dictionary(void **state) {
    (void)state;
    sample t = sample_new(8, 20, 60, 0, 0.2);
    inco_mat small = check_dictionary(INCO_F64, 8, 19, 5), d = copy_of(&t.d);
    update_settings settings = SETTINGS(0.3, KEPT, 1, 1);
    update_result r;
    inco_error error = {0};
    assert_int_equal(online_update(&small, &t.s, &settings, &r, &error), INCO_EDIM);
    memory_fail_at(0);
    assert_int_equal(online_update(&d, &t.s, &settings, &r, NULL), INCO_OK);
    int64_t allocations = memory_fail_at(0);
    assert_true(allocations > 5);
    mat_copy(&d, &t.d);
    for (int64_t k = 1; k <= allocations; k++) {
        memory_fail_at(k);
        assert_int_equal(online_update(&d, &t.s, &settings, &r, &error), INCO_ENOMEM);
        assert_memory_equal(d.data, t.d.data, 8 * 20 * sizeof(double));
    }
    memory_fail_at(0);
    mat_set(&t.s.b, 2, 2, NAN);
    assert_int_equal(online_update(&d, &t.s, &settings, &r, &error), INCO_ENUMERIC);
    assert_memory_equal(d.data, t.d.data, 8 * 20 * sizeof(double));
    inco_mat_free(&d);
    inco_mat_free(&small);
    sample_free(&t);
}

/* ---- The loop ---- */

static void a_planted_dictionary_is_recovered_as_by_batches_of_all(void **state) {
    const inco_type type = *(inco_type *)*state;
    inco_mat truth = check_dictionary(type, 20, 40, 1), x = planted_signals(&truth, 3000, 3, 2), d;
    inco_learn_info mod = INCO_INIT(inco_learn_info), online = INCO_INIT(inco_learn_info);
    inco_options *o = OPTIONS("method", "mod", "atoms", "40", "coder", "omp", "sparsity", "3", "iterations", "60",
                              "threads", "1", "init", "random");
    assert_int_equal(learn(&x, o, &d, &mod, NULL), INCO_OK);
    inco_mat_free(&d);
    inco_options_set(o, "method", "online", NULL);
    inco_options_set(o, "batch", "200", NULL);
    assert_int_equal(learn(&x, o, &d, &online, NULL), INCO_OK);
    assert_true(recovered(&truth, &d) >= 0.9);
    assert_true(online.relative_error <= 1.1 * mod.relative_error);
    assert_true(online.gamma == 0);
    inco_mat_free(&d);
    inco_options_free(o);
    inco_mat_free(&truth);
    inco_mat_free(&x);
}

static void the_penalty_lowers_the_coherence(void **state) {
    (void)state;
    inco_mat truth = check_dictionary(INCO_F64, 12, 30, 3), x = planted_signals(&truth, 2000, 3, 4), d;
    double last = INFINITY;
    const char *const weights[] = {"0", "1", "1000"};
    for (int i = 0; i < 3; i++) {
        inco_options *o = OPTIONS("method", "online", "atoms", "30", "coder", "omp", "sparsity", "3", "iterations",
                                  "10", "gamma", weights[i], "threads", "1");
        inco_learn_info info = INCO_INIT(inco_learn_info);
        assert_int_equal(learn(&x, o, &d, &info, NULL), INCO_OK);
        assert_true(info.coherence_rms < last);
        assert_true(info.gamma == atof(weights[i]));
        last = info.coherence_rms;
        if (i == 2) assert_near(info.coherence_rms, info.welch, 1e-3);
        inco_mat_free(&d);
        inco_options_free(o);
    }
    inco_mat_free(&truth);
    inco_mat_free(&x);
}

static void same_bits_for_any_number_of_threads(void **state) {
    const inco_type type = *(inco_type *)*state;
    inco_mat truth = check_dictionary(type, 24, 100, 3), x = planted_signals(&truth, 2500, 5, 4);
    check_threads(&x, OPTIONS("method", "online", "atoms", "100", "gamma", "0.5", "sparsity", "5", "iterations", "2"));
    inco_mat_free(&truth);
    inco_mat_free(&x);
}

static const batch_sums *sums_of(const inco_learner *of) {
    return &((const online_state *)of->core->own)->batches.sums;
}

static void a_resumed_run_has_the_same_bits(void **state) {
    const inco_type type = *(inco_type *)*state;
    inco_mat truth = check_dictionary(type, 16, 60, 5), x = planted_signals(&truth, 1500, 4, 6);
    inco_source source = mat_source_of(&x);
    inco_options *o = OPTIONS("method", "online", "atoms", "60", "coder", "omp", "sparsity", "4", "iterations", "5",
                              "batch", "333", "unused", "sample");
    inco_error error = {0};
    resumption r;
    check_resumed(&r, &source, o, 2);
    assert_true(r.whole.rise <= 0);
    assert_int_equal(check_info(r.resumed).iterations, 5);
    assert_memory_equal(sums_of(r.resumed)->a.data, sums_of(r.whole.learner)->a.data, 60 * 60 * sizeof(double));
    r.memory->read = 0;
    r.memory->written -= 8; /* the sums are truncated */
    assert_int_equal(inco_learner_resume(r.resumed, &r.whole.stream, &error), INCO_EFORMAT);
    assert_string_equal(error.message, "the checkpoint ends too early");
    resumption_free(&r);
    inco_mat_free(&truth);
    inco_mat_free(&x);
}

/* If stopped in the middle of a pass, dictionary and sums are those before the pass. */
static void a_stopped_pass_is_undone(void **state) {
    (void)state;
    inco_mat truth = check_dictionary(INCO_F64, 10, 20, 7), x = planted_signals(&truth, 900, 3, 8);
    inco_source source = mat_source_of(&x);
    inco_options *o =
        OPTIONS("method", "online", "atoms", "20", "coder", "omp", "sparsity", "3", "iterations", "4", "batch", "100");
    observer whole = {.stop_at = 1}, half = {.stop_after = 300};
    watch_new(&whole, &source, o);
    watch_new(&half, &source, o);
    assert_int_equal(inco_learner_run(whole.learner, NULL), INCO_STOPPED);
    assert_int_equal(inco_learner_run(half.learner, NULL), INCO_STOPPED);
    assert_int_equal(check_info(half.learner).iterations, 1);
    assert_memory_equal(half.learner->core->d.data, whole.learner->core->d.data, 10 * 20 * sizeof(double));
    assert_memory_equal(sums_of(half.learner)->b.data, sums_of(whole.learner)->b.data, 10 * 20 * sizeof(double));
    assert_true(sums_of(half.learner)->weight == sums_of(whole.learner)->weight);
    inco_learner_free(whole.learner);
    inco_learner_free(half.learner);
    inco_options_free(o);
    inco_mat_free(&truth);
    inco_mat_free(&x);
}

/* (ONLINE-2): a signal has weight F after a whole pass. */
static void sums_forget(void **state) {
    (void)state;
    inco_mat x = check_random(INCO_F64, 8, 1000, 9);
    inco_source source = mat_source_of(&x);
    for (int forget = 0; forget < 2; forget++) {
        inco_options *o = OPTIONS("method", "online", "atoms", "12", "coder", "omp", "sparsity", "2", "iterations", "2",
                                  "batch", "250", "forget", forget ? "0.5" : "1");
        observer w = {0};
        watch_new(&w, &source, o);
        assert_int_equal(inco_learner_run(w.learner, NULL), INCO_OK);
        double once = 0, f = forget ? 0.5 : 1;
        for (int k = 0; k < 4; k++) once += 250 * pow(f, k / 4.0);
        assert_near(sums_of(w.learner)->weight, once + f * once, 1e-9);
        assert_near(sums_of(w.learner)->energy, once + f * once, 1e-9); /* unit-norm signals */
        inco_learner_free(w.learner);
        inco_options_free(o);
    }
    inco_mat_free(&x);
}

/* With one batch of all signals, the signals are coded in the initial dictionary, as in other methods. */
static void a_batch_of_all_is_coded_as_by_the_others(void **state) {
    const inco_type type = *(inco_type *)*state;
    inco_mat x = check_random(type, 8, 700, 10);
    inco_source source = mat_source_of(&x);
    observer online = {0}, mod = {0};
    inco_options *o = OPTIONS("atoms", "12", "coder", "omp", "sparsity", "2", "iterations", "1", "method", "mod");
    watch_new(&mod, &source, o);
    assert_int_equal(inco_learner_run(mod.learner, NULL), INCO_OK);
    inco_options_set(o, "method", "online", NULL);
    inco_options_set(o, "batch", "5000", NULL);
    watch_new(&online, &source, o);
    assert_int_equal(inco_learner_run(online.learner, NULL), INCO_OK);
    assert_near(online.first_error, mod.first_error, type == INCO_F32 ? 1e-6 : 1e-12);
    inco_learner_free(mod.learner);
    inco_learner_free(online.learner);
    inco_options_free(o);
    inco_mat_free(&x);
}

/* ---- Streams ---- */

typedef struct stream_state {
    inco_mat d, a, b;
    inco_online state;
} stream_state;

static void stream_new(stream_state *s, const inco_mat *start) {
    s->d = copy_of(start);
    assert_int_equal(inco_mat_new(&s->a, INCO_F64, start->cols, start->cols, NULL), INCO_OK);
    assert_int_equal(inco_mat_new(&s->b, INCO_F64, start->rows, start->cols, NULL), INCO_OK);
    s->state = (inco_online){.size = sizeof s->state, .dictionary = &s->d, .a = &s->a, .b = &s->b};
}

static void stream_free(stream_state *s) {
    inco_mat_free(&s->d);
    inco_mat_free(&s->a);
    inco_mat_free(&s->b);
}

static int stream_add(stream_state *s, const inco_mat *x, int64_t first, int64_t count, const inco_options *o,
                      inco_error *error) {
    const inco_mat part = mat_columns(x, first, count);
    const inco_source source = mat_source_of(&part);
    return inco_online_learn(&source, o, &s->state, error);
}

/* (ONLINE-7): a batch that ended with signal s of t weighs (s / t)^log2(1 / F), however the stream is cut. */
static void weights_in_a_stream_telescope(void **state) {
    const int64_t cuts[][4] = {{1, 99, 400, 500}, {500, 400, 99, 1}};
    const double f[] = {1, 0.5, 0.1};
    const char *const text[] = {"1", "0.5", "0.1"};
    (void)state;
    inco_mat x = check_random(INCO_F64, 8, 1000, 9), start = check_dictionary(INCO_F64, 8, 12, 3);
    for (int i = 0; i < 6; i++) {
        inco_options *o = OPTIONS("coder", "omp", "sparsity", "2", "batch", "1000", "forget", text[i % 3]);
        stream_state s;
        stream_new(&s, &start);
        double weight = 0;
        for (int64_t k = 0, first = 0; k < 4; first += cuts[i / 3][k++]) {
            const int64_t n = cuts[i / 3][k], seen = first + n;
            assert_int_equal(stream_add(&s, &x, first, n, o, NULL), INCO_OK);
            weight += (double)n * pow((double)seen / 1000, log2(1 / f[i % 3]));
        }
        assert_int_equal(s.state.signals, 1000);
        assert_near(s.state.weight, weight, 1e-9 * weight);
        assert_near(s.state.energy, weight, 1e-9 * weight); /* unit-norm signals */
        stream_free(&s);
        inco_options_free(o);
    }
    inco_mat_free(&x);
    inco_mat_free(&start);
}

/* The first batch of a stream is a first pass over the same signals, if each is one batch. */
static void a_first_batch_is_a_first_pass(void **state) {
    const inco_type type = *(inco_type *)*state;
    inco_mat x = check_random(type, 8, 700, 10), start = check_dictionary(INCO_F64, 8, 12, 3);
    const inco_source source = mat_source_of(&x);
    inco_options *o =
        OPTIONS("coder", "omp", "sparsity", "2", "iterations", "1", "batch", "700", "gamma", "0.5", "method", "online");
    inco_learner *whole;
    stream_state s;
    assert_int_equal(inco_learner_new(&whole, &source, o, NULL), INCO_OK);
    assert_int_equal(inco_learner_start_from(whole, &start, NULL), INCO_OK);
    assert_int_equal(inco_learner_run(whole, NULL), INCO_OK);
    stream_new(&s, &start);
    assert_int_equal(stream_add(&s, &x, 0, 700, o, NULL), INCO_OK);
    assert_memory_equal(s.d.data, whole->core->d.data, 8 * 12 * sizeof(double));
    assert_memory_equal(s.a.data, sums_of(whole)->a.data, 12 * 12 * sizeof(double));
    assert_true(s.state.objective == check_info(whole).objective);
    assert_true(s.state.gamma == 0.5);
    inco_learner_free(whole);
    stream_free(&s);
    inco_options_free(o);
    inco_mat_free(&x);
    inco_mat_free(&start);
}

static void a_stream_recovers_a_planted_dictionary(void **state) {
    (void)state;
    inco_mat truth = check_dictionary(INCO_F64, 20, 40, 1), x = planted_signals(&truth, 60000, 3, 2);
    inco_mat start = mat_columns(&x, 0, 40);
    inco_options *o = OPTIONS("coder", "omp", "sparsity", "3", "batch", "200", "threads", "2");
    stream_state s;
    stream_new(&s, &start);
    mat_normalize_columns(&s.d, NULL);
    for (int64_t first = 0; first < x.cols; first += 1000)
        assert_int_equal(stream_add(&s, &x, first, 1000, o, NULL), INCO_OK);
    assert_true(recovered(&truth, &s.d) >= 0.9);
    stream_free(&s);
    inco_options_free(o);
    inco_mat_free(&x);
    inco_mat_free(&truth);
}

/* (ONLINE-8): the result satisfies the bound after every batch; the dictionary of the stream approaches it, and codes
 * as well as the one without a bound, whose coherence is larger. */
static void a_stream_approaches_its_bound(void **state) {
    const inco_type type = *(inco_type *)*state;
    inco_mat truth = check_dictionary(type, 16, 24, 5), x = planted_signals(&truth, 3000, 3, 6), start;
    inco_options *o = OPTIONS("sparsity", "3", "coder", "omp", "max-coherence", "0.6");
    inco_mat first = mat_columns(&x, 0, 24), result;
    stream_state s;
    assert_int_equal(mat_convert(&start, &first, INCO_F64, NULL), INCO_OK);
    mat_normalize_columns(&start, NULL);
    assert_int_equal(inco_mat_new(&result, INCO_F64, 16, 24, NULL), INCO_OK);
    stream_new(&s, &start);
    s.state.result = &result;
    for (int64_t at = 0; at < 3000; at += 500) {
        coherence mu;
        assert_int_equal(stream_add(&s, &x, at, 500, o, NULL), INCO_OK);
        assert_int_equal(coherence_measure(&result, 1, &mu, NULL), INCO_OK);
        assert_true(mu.max <= 0.6 + (type == INCO_F32 ? 1e-6 : 1e-12));
        assert_int_equal(coherence_measure(&s.d, 1, &mu, NULL), INCO_OK);
        if (at == 2500) assert_true(mu.max < 0.65);
    }
    assert_true(s.state.relative_error < 0.5);
    stream_free(&s);
    inco_options_free(o);
    MAT_FREE_ALL(&truth, &x, &start, &result);
}

static int stop_at_once(void *self, const inco_progress *now) {
    (void)self, (void)now;
    return 1;
}

/* A batch that is stopped or refused leaves the state as it was. */
static void a_stream_survives_its_failures(void **state) {
    (void)state;
    inco_mat x = check_random(INCO_F64, 8, 100, 9), start = check_dictionary(INCO_F64, 8, 12, 3);
    inco_options *o = OPTIONS("coder", "omp", "sparsity", "2");
    inco_error error = {0};
    stream_state s;
    stream_new(&s, &start);
    assert_int_equal(stream_add(&s, &x, 0, 50, o, NULL), INCO_OK);
    inco_mat d = copy_of(&s.d), a = copy_of(&s.a);
    mat_set(&x, 3, 70, NAN);
    assert_int_equal(stream_add(&s, &x, 50, 50, o, &error), INCO_EDATA);
    assert_int_equal(stream_add(&s, &x, 0, 0, o, &error), INCO_EDATA);
    inco_options_on_progress(o, stop_at_once, NULL, sizeof(inco_progress), NULL);
    assert_int_equal(stream_add(&s, &x, 0, 50, o, &error), INCO_STOPPED);
    inco_options_set(o, "center", "feature", NULL);
    assert_int_equal(stream_add(&s, &x, 0, 50, o, &error), INCO_EINVAL);
    s.state.a = &s.b;
    assert_int_equal(stream_add(&s, &x, 0, 50, o, &error), INCO_EDIM);
    assert_int_equal(s.state.signals, 50);
    assert_memory_equal(s.d.data, d.data, 8 * 12 * sizeof(double));
    assert_memory_equal(s.a.data, a.data, 12 * 12 * sizeof(double));
    inco_mat_free(&d);
    inco_mat_free(&a);
    stream_free(&s);
    inco_options_free(o);
    inco_mat_free(&x);
    inco_mat_free(&start);
}

static void unused_atoms_are_replaced_or_kept(void **state) {
    (void)state;
    check_unused_policies((const char *const[]){"method", "online", "coder", "omp", "sparsity", "2", "iterations", "4",
                                                "batch", "100", NULL});
}

static void failing_memory_is_survived(void **state) {
    (void)state;
    inco_mat x = check_random(INCO_F32, 6, 80, 17);
    inco_options *o = OPTIONS("method", "online", "atoms", "9", "sparsity", "3", "iterations", "2", "batch", "30",
                              "threads", "1", "gamma", "1");
    check_failing_memory(&x, o, 80);
    inco_mat_free(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sweep_never_raises_the_objective),
        cmocka_unit_test(the_limit_is_stationary_on_the_spheres),
        cmocka_unit_test(a_sweep_moves_one_atom_after_the_other),
        cmocka_unit_test(one_atom_is_solved_at_once),
        cmocka_unit_test(zero_and_unused_atoms_are_harmless),
        cmocka_unit_test(bits_do_not_depend_on_threads),
        cmocka_unit_test(failures_leave_the_dictionary),
        BOTH(a_planted_dictionary_is_recovered_as_by_batches_of_all),
        cmocka_unit_test(the_penalty_lowers_the_coherence),
        BOTH(same_bits_for_any_number_of_threads),
        BOTH(a_resumed_run_has_the_same_bits),
        cmocka_unit_test(a_stopped_pass_is_undone),
        cmocka_unit_test(sums_forget),
        BOTH(a_batch_of_all_is_coded_as_by_the_others),
        cmocka_unit_test(weights_in_a_stream_telescope),
        BOTH(a_first_batch_is_a_first_pass),
        cmocka_unit_test(a_stream_recovers_a_planted_dictionary),
        BOTH(a_stream_approaches_its_bound),
        cmocka_unit_test(a_stream_survives_its_failures),
        cmocka_unit_test(unused_atoms_are_replaced_or_kept),
        cmocka_unit_test(failing_memory_is_survived),
    };
    inco_blas_one_thread(); /* as in every public call */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
