/* --gamma auto: a path over weights, judged by signals held out. */
#include "data/holdout.h"

#include "base/memory.h"
#include "learning.h"

enum { DIM = 12, ATOMS = 20, SIGNALS = 1200, HELD = 120, FIRST = 6, MORE = 3 };

static inco_options *chosen_by_itself(const char *gamma, const char *threads) {
    return check_options((const char *const[]){"atoms", "20", "coder", "omp", "sparsity", "4", "iterations", "3",
                                               "threads", threads, "gamma", gamma, NULL});
}

/* Random walks: smooth signals, for which incoherent atoms cost something. */
static inco_mat walks(inco_type type, int64_t count) {
    inco_mat x = check_random(type, DIM, count, 7);
    for (int64_t n = 0; n < x.cols; n++)
        for (int64_t i = 1; i < x.rows; i++) mat_set(&x, i, n, mat_get(&x, i, n) + mat_get(&x, i - 1, n));
    return x;
}

static void assert_same_matrix(const inco_mat *a, const inco_mat *b) {
    assert_true(a->rows == b->rows && a->cols == b->cols && a->type == b->type);
    assert_memory_equal(a->data, b->data, (size_t)(a->rows * a->cols) * a->type);
}

/* ---- The option ---- */

static void the_word_is_an_option_value(void **state) {
    (void)state;
    char text[16];
    inco_error error;
    inco_options *o = chosen_by_itself("auto", "1");
    inco_options_get(o, "gamma", text, sizeof text);
    assert_string_equal(text, "auto");
    assert_true(isnan(inco_options_get_number(o, "gamma")) && inco_options_given(o, "gamma"));
    assert_int_equal(inco_options_check(o, INCO_LEARN, &error), INCO_OK);
    assert_int_equal(inco_options_set(o, "gamma", "automatic", &error), INCO_EINVAL);
    assert_string_equal(error.message, "option 'gamma' takes a number or auto, not 'automatic'");
    assert_int_equal(inco_options_set(o, "eta", "auto", &error), INCO_EINVAL);
    assert_string_equal(error.message, "option 'eta' takes a number, not 'auto'");
    assert_int_equal(inco_options_set_number(o, "gamma", -INFINITY, NULL), INCO_EINVAL);
    inco_options_set(o, "method", "mocod", NULL);
    assert_int_equal(inco_options_check(o, INCO_LEARN, &error), INCO_EINVAL);
    assert_string_equal(error.message, "option 'gamma' = 'auto' belongs to option 'method' = 'idl', not to mocod");
    inco_options_set(o, "method", "idl", NULL);
    inco_options_set(o, "target-rms", "0.5", NULL);
    assert_int_equal(inco_options_check(o, INCO_LEARN, &error), INCO_EINVAL);
    assert_string_equal(error.message, "options 'gamma' and 'target-rms' set the same weight: give one of them");
    assert_int_equal(inco_options_set(o, "gamma", "2", NULL), INCO_OK);
    assert_true(inco_options_get_number(o, "gamma") == 2);
    inco_options_free(o);
}

static void too_few_signals_are_refused(void **state) {
    (void)state;
    inco_mat x = walks(INCO_F64, 999), d;
    inco_options *o = chosen_by_itself("auto", "1");
    inco_error error;
    assert_int_equal(learn(&x, o, &d, NULL, &error), INCO_EDATA);
    assert_string_equal(
        error.message,
        "option 'gamma' = 'auto' holds out every 10th signal, and needs 100 of them: 1000 signals or more, not "
        "999; give option 'gamma' or 'gamma-relative' a number");
    inco_options_free(o);
    inco_mat_free(&x);
}

/* ---- The parts ---- */

/* Signal n is (n, -n): read in pieces of all sizes, every signal is in its part, in order. */
static void the_parts_are_all_signals_once(void **state) {
    (void)state;
    inco_mat x;
    double out[2 * 64];
    assert_int_equal(inco_mat_new(&x, INCO_F64, 2, 57, NULL), INCO_OK);
    for (int64_t n = 0; n < 57; n++) mat_set(&x, 0, n, (double)n), mat_set(&x, 1, n, -(double)n);
    const inco_source source = mat_source_of(&x);
    holdout h;
    holdout_make(&h, &source, 10);
    assert_true(h.held.count == 5 && h.kept.count == 52);
    for (int64_t piece = 1; piece <= 52; piece++) {
        int64_t next = 0;
        for (int64_t first = 0; first < 52; first += piece) {
            const int64_t count = piece < 52 - first ? piece : 52 - first;
            assert_int_equal(h.kept.read(h.kept.self, first, count, out, NULL), INCO_OK);
            for (int64_t i = 0; i < count; i++, next++) {
                if (next % 10 == 9) next++;
                assert_true(out[2 * i] == (double)next && out[2 * i + 1] == -(double)next);
            }
        }
    }
    assert_int_equal(h.held.read(h.held.self, 1, 4, out, NULL), INCO_OK);
    for (int i = 0; i < 4; i++) assert_true(out[2 * i] == 19 + 10 * i);
    inco_mat_free(&x);
}

/* ---- The path ---- */

enum { POINTS = 6, CARDINALITIES = 3 };

/* All that a learner says, with copies of its arrays. */
typedef struct told {
    inco_learn_info info;
    inco_path path;
    int64_t cardinality[CARDINALITIES];
    inco_path_point point[POINTS];
    double residual[POINTS][CARDINALITIES];
} told;

static told tell_of(const inco_learner *learner) {
    told t = {.info = check_info(learner), .path = INCO_INIT(inco_path)};
    assert_int_equal(inco_learner_path(learner, &t.path, NULL), INCO_OK);
    for (int64_t k = 0; k < t.path.cardinalities; k++) t.cardinality[k] = t.path.cardinality[k];
    t.path.cardinality = NULL;
    for (int64_t i = 0; i < t.path.count; i++) {
        t.point[i].size = sizeof t.point[i];
        assert_int_equal(inco_learner_path_point(learner, i, &t.point[i], NULL), INCO_OK);
        for (int64_t k = 0; k < t.path.cardinalities; k++) t.residual[i][k] = t.point[i].residual[k];
        t.point[i].residual = NULL;
    }
    return t;
}

/* Learns, with the path. */
static told learn_path(const inco_mat *x, const inco_options *o, inco_mat *d) {
    const inco_source source = mat_source_of(x);
    inco_learner *learner;
    assert_int_equal(inco_learner_new(&learner, &source, o, NULL), INCO_OK);
    assert_int_equal(inco_learner_run(learner, NULL), INCO_OK);
    const inco_mat view = check_learned(learner);
    const told t = tell_of(learner);
    assert_int_equal(mat_convert(d, &view, view.type, NULL), INCO_OK);
    inco_learner_free(learner);
    return t;
}

static void assert_same_points(const told *a, const told *b) {
    assert_int_equal(a->path.count, b->path.count);
    assert_memory_equal(a->point, b->point, sizeof a->point);
    assert_memory_equal(a->residual, b->residual, sizeof a->residual);
}

static void the_path_is_told(void **state) {
    static const double weights[] = {0, 0.001, 0.01, 0.1, 1, 10};
    const inco_type type = *(inco_type *)*state;
    inco_mat x = walks(type, SIGNALS), d;
    inco_options *o = chosen_by_itself("auto", "1");
    const told t = learn_path(&x, o, &d);
    const inco_path *path = &t.path;
    double lowest = INFINITY;
    int64_t chosen = 0;
    assert_true(path->count == 6 && path->points == 6 && path->held_out == HELD && path->cardinalities == 3);
    assert_true(t.cardinality[0] == 1 && t.cardinality[1] == 2 && t.cardinality[2] == 4);
    for (int i = 0; i < 6; i++) lowest = fmin(lowest, t.point[i].judgement);
    for (int i = 0; i < 6; i++) {
        const inco_path_point *p = &t.point[i];
        const double *residual = t.residual[i];
        if (p->judgement <= lowest + path->noise) chosen = i;
        assert_true(p->gamma_relative == weights[i]);
        assert_near(p->gamma, weights[i] * SIGNALS / ATOMS, 1e-5 * (1 + p->gamma)); /* signals of unit norm */
        assert_near(p->cost, exp(p->judgement - lowest) - 1, 1e-12);
        assert_true(residual[0] > residual[1] && residual[1] > residual[2] && residual[2] > 0);
        if (i > 0) assert_true(p->coherence_rms <= t.point[i - 1].coherence_rms * (1 + 1e-6));
        assert_true(p->singular_max >= p->singular_min && p->relative_error > 0 && p->mean_cardinality <= 4);
    }
    assert_true(path->chosen == chosen && t.point[5].judgement > lowest + path->noise); /* a tight frame costs */
    assert_near(t.info.gamma_relative, weights[chosen], 1e-9);
    inco_mat_free(&d);
    inco_options_free(o);
    inco_mat_free(&x);
}

static void all_of_it_is_zero_without(void **state) {
    (void)state;
    inco_mat x = walks(INCO_F64, 300), d;
    inco_options *o = chosen_by_itself("1", "1");
    const told t = learn_path(&x, o, &d);
    assert_true(t.path.count == 0 && t.path.held_out == 0 && t.info.gamma == 1);
    inco_mat_free(&d);
    inco_options_free(o);
    inco_mat_free(&x);
}

/* Learns from `start` (may be NULL) with a weight that is given. */
static inco_mat learn_plainly(const inco_mat *x, const inco_mat *start, double weight, double iterations) {
    const inco_source source = mat_source_of(x);
    inco_options *o = check_options((const char *const[]){"atoms", "20", "coder", "omp", "sparsity", "4", NULL});
    inco_learner *learner;
    inco_mat d;
    inco_options_set_number(o, "gamma-relative", weight, NULL);
    inco_options_set_number(o, "iterations", iterations, NULL);
    assert_int_equal(inco_learner_new(&learner, &source, o, NULL), INCO_OK);
    if (start) assert_int_equal(inco_learner_start_from(learner, start, NULL), INCO_OK);
    assert_int_equal(inco_learner_run(learner, NULL), INCO_OK);
    const inco_mat view = check_learned(learner);
    assert_int_equal(mat_convert(&d, &view, INCO_F64, NULL), INCO_OK);
    inco_learner_free(learner);
    inco_options_free(o);
    return d;
}

static inco_mat part_of(const inco_mat *x, int held) {
    inco_mat part;
    int64_t n = 0;
    assert_int_equal(inco_mat_new(&part, INCO_F64, DIM, held ? HELD : SIGNALS - HELD, NULL), INCO_OK);
    for (int64_t j = 0; j < SIGNALS; j++)
        if ((j % 10 == 9) == held) {
            const inco_mat to = mat_columns(&part, n++, 1), from = mat_columns(x, j, 1);
            mat_copy(&to, &from);
        }
    return part;
}

/* (PATH-1) with K = 4, from the public function. */
static double judgement_of(const inco_mat *d, const inco_mat *held) {
    const inco_source source = mat_source_of(held);
    inco_options *o = inco_options_new();
    inco_residuals r = INCO_INIT(inco_residuals);
    double sum = 0;
    assert_int_equal(inco_residuals_measure(d, &source, o, &r, NULL), INCO_OK);
    for (int k = 0; k < 4; k++) sum += log(r.median[k]);
    inco_residuals_free(&r);
    inco_options_free(o);
    return sum / 4;
}

/* Every point and what follows are runs with a weight that is given. */
static void the_path_is_made_of_plain_runs(void **state) {
    (void)state;
    inco_mat x = walks(INCO_F64, SIGNALS), d;
    inco_mat kept = part_of(&x, 0), held = part_of(&x, 1), first = learn_plainly(&kept, NULL, 0.1, FIRST);
    inco_options *o = chosen_by_itself("auto", "1");
    const told t = learn_path(&x, o, &d);
    for (int i = 0; i < 6; i++) {
        inco_mat point = learn_plainly(&kept, &first, t.point[i].gamma_relative, MORE);
        assert_near(t.point[i].judgement, judgement_of(&point, &held), 1e-9);
        if (i == t.path.chosen) {
            inco_mat last = learn_plainly(&x, &point, t.point[i].gamma_relative, 3);
            for (int64_t j = 0; j < ATOMS; j++) /* a start that is given is scaled to unit norm once more */
                for (int64_t k = 0; k < DIM; k++) assert_near(mat_get(&last, k, j), mat_get(&d, k, j), 1e-9);
            inco_mat_free(&last);
        }
        inco_mat_free(&point);
    }
    inco_options_free(o);
    inco_mat_free(&d);
    inco_mat_free(&first);
    inco_mat_free(&kept);
    inco_mat_free(&held);
    inco_mat_free(&x);
}

static void the_threads_do_not_matter(void **state) {
    (void)state;
    inco_mat x = walks(INCO_F32, SIGNALS), d, e;
    inco_options *one = chosen_by_itself("auto", "1"), *three = chosen_by_itself("auto", "3");
    const told a = learn_path(&x, one, &d), b = learn_path(&x, three, &e);
    assert_same_matrix(&d, &e);
    assert_same_points(&a, &b);
    inco_options_free(one);
    inco_options_free(three);
    inco_mat_free(&d);
    inco_mat_free(&e);
    inco_mat_free(&x);
}

/* ---- Checkpoints and interruptions ---- */

typedef struct visitor {
    inco_learner *learner;
    inco_stream stream;
    int64_t save_at, stop_at;  /* points; 0: never */
    int64_t stop_amid;         /* the second iteration of this point; -1: never */
    int64_t points, under_way; /* told of */
} visitor;

static int visit(void *self, const inco_progress *now) {
    visitor *v = self;
    if (!strcmp(now->phase, "path")) {
        v->under_way++;
        assert_true(now->points == 6);
        return now->point == v->stop_amid && now->iteration == 2;
    }
    if (strcmp(now->phase, "point")) return 0;
    v->points++;
    assert_true(tell_of(v->learner).path.count == now->point);
    if (now->point == v->save_at) assert_int_equal(inco_learner_save(v->learner, &v->stream, NULL), INCO_OK);
    return now->point == v->stop_at;
}

static void visitor_new(visitor *v, const inco_source *source, inco_options *o) {
    check_watch(o, visit, v);
    assert_int_equal(inco_learner_new(&v->learner, source, o, NULL), INCO_OK);
}

/* From a checkpoint amid the path only the points that are missing are made, to the same bits. */
static void a_path_is_resumed(void **state) {
    static const int64_t places[] = {1, 4, 6};
    static memory_stream memory;
    (void)state;
    inco_mat x = walks(INCO_F64, SIGNALS), d;
    const inco_source source = mat_source_of(&x);
    inco_options *o = chosen_by_itself("auto", "1");
    const told t = learn_path(&x, o, &d);
    for (int i = 0; i < 3; i++) {
        visitor v = {.stream = MEMORY_STREAM(&memory), .save_at = places[i], .stop_at = places[i], .stop_amid = -1};
        visitor again = {.stream = MEMORY_STREAM(&memory), .stop_amid = -1};
        memory.written = memory.read = 0;
        visitor_new(&v, &source, o);
        assert_int_equal(inco_learner_run(v.learner, NULL), INCO_STOPPED);
        visitor_new(&again, &source, o);
        assert_int_equal(inco_learner_resume(again.learner, &again.stream, NULL), INCO_OK);
        assert_int_equal(inco_learner_run(again.learner, NULL), INCO_OK);
        assert_int_equal(again.points, 6 - places[i]);
        const inco_mat result = check_learned(again.learner);
        assert_same_matrix(&result, &d);
        const told resumed = tell_of(again.learner);
        assert_same_points(&resumed, &t);
        inco_learner_free(v.learner);
        inco_learner_free(again.learner);
    }
    inco_options_free(o);
    inco_mat_free(&d);
    inco_mat_free(&x);
}

/* How many words of a checkpoint, raised by one, make it one of another version: that of the path, and no other. */
static int words_of_versions(const visitor *v, memory_stream *memory) {
    int versions = 0;
    for (size_t at = memory->written % 8; at < memory->written; at += 8) {
        int64_t word, raised;
        inco_error error = {0};
        memcpy(&word, memory->bytes + at, sizeof word);
        if (word < 1 || word > 99) continue;
        raised = word + 1;
        memory->read = 0;
        memcpy(memory->bytes + at, &raised, sizeof raised);
        inco_learner_resume(v->learner, &v->stream, &error);
        memcpy(memory->bytes + at, &word, sizeof word);
        versions += strstr(error.message, "another version") != NULL;
    }
    return versions;
}

static void the_loop_is_resumed_without_another_path(void **state) {
    static memory_stream memory;
    (void)state;
    inco_mat x = walks(INCO_F32, SIGNALS), d;
    const inco_source source = mat_source_of(&x);
    inco_options *o = chosen_by_itself("auto", "1"), *other = chosen_by_itself("1", "1");
    inco_error error;
    observer w = {.stream = MEMORY_STREAM(&memory), .save_at = 1, .stop_at = 1};
    visitor again = {.stream = w.stream, .stop_amid = -1}, cut = {.stream = w.stream, .stop_amid = -1};
    const told t = learn_path(&x, o, &d);
    memory.written = memory.read = 0;
    watch_new(&w, &source, o);
    assert_int_equal(inco_learner_run(w.learner, NULL), INCO_STOPPED);
    visitor_new(&again, &source, o);
    assert_int_equal(inco_learner_resume(again.learner, &again.stream, NULL), INCO_OK);
    assert_int_equal(inco_learner_run(again.learner, NULL), INCO_OK);
    assert_true(again.points == 0 && again.under_way == 0);
    const inco_mat result = check_learned(again.learner);
    assert_same_matrix(&result, &d);
    const told resumed = tell_of(again.learner);
    assert_true(resumed.info.gamma == t.info.gamma);
    assert_same_points(&resumed, &t);
    memory.read = 0;
    visitor_new(&cut, &source, other);
    assert_int_equal(inco_learner_resume(cut.learner, &cut.stream, &error), INCO_EINVAL);
    assert_string_equal(error.message, "option 'gamma' is '1', but was 'auto' in the run of the checkpoint");
    inco_learner_free(cut.learner);
    visitor_new(&cut, &source, o);
    assert_int_equal(words_of_versions(&cut, &memory), 1);
    for (memory.written--; memory.written > 0; memory.written /= 2) { /* cut off anywhere it is refused */
        memory.read = 0;
        assert_int_equal(inco_learner_resume(cut.learner, &cut.stream, NULL), INCO_EFORMAT);
    }
    inco_learner_free(w.learner);
    inco_learner_free(again.learner);
    inco_learner_free(cut.learner);
    inco_options_free(o);
    inco_options_free(other);
    inco_mat_free(&d);
    inco_mat_free(&x);
}

/* Before the first point, amid the first, and amid the third: the dictionary is that of the best so far. */
static void a_path_can_be_stopped(void **state) {
    static const int64_t places[] = {0, 1, 3};
    (void)state;
    inco_mat x = walks(INCO_F64, SIGNALS);
    const inco_source source = mat_source_of(&x);
    inco_options *o = chosen_by_itself("auto", "1");
    for (int i = 0; i < 3; i++) {
        visitor v = {.stop_amid = places[i]};
        visitor_new(&v, &source, o);
        assert_int_equal(inco_learner_run(v.learner, NULL), INCO_STOPPED);
        const inco_mat d = check_learned(v.learner);
        const told t = tell_of(v.learner);
        assert_true(d.rows == DIM && d.cols == ATOMS && t.info.iterations == 0);
        assert_true(t.path.count == (places[i] > 0 ? places[i] - 1 : 0));
        assert_string_equal(t.info.stopped_by, "callback");
        for (int64_t j = 0; j < ATOMS; j++) assert_near(mat_column_norm(&d, j), 1, 1e-12);
        if (t.path.count) assert_near(t.info.coherence_rms, t.point[t.path.chosen].coherence_rms, 1e-12);
        inco_learner_free(v.learner);
    }
    inco_options_free(o);
    inco_mat_free(&x);
}

static void a_bound_is_kept_too(void **state) {
    (void)state;
    inco_mat x = walks(INCO_F64, SIGNALS), d;
    inco_options *o = chosen_by_itself("auto", "1");
    inco_options_set(o, "max-coherence", "0.5", NULL);
    const told t = learn_path(&x, o, &d);
    assert_true(t.info.coherence_max <= 0.5);
    for (int i = 0; i < 6; i++) assert_true(t.point[i].coherence_max <= 0.5);
    inco_mat_free(&d);
    inco_options_free(o);
    inco_mat_free(&x);
}

/* Whichever allocation fails, nothing is lost and it says so. */
static void no_memory_is_told(void **state) {
    (void)state;
    inco_mat x = walks(INCO_F64, 1000), d;
    inco_options *o = chosen_by_itself("auto", "1");
    memory_fail_at(0);
    assert_int_equal(learn(&x, o, &d, NULL, NULL), INCO_OK);
    inco_mat_free(&d);
    const int64_t all = memory_fail_at(0);
    assert_true(all > 100);
    for (int64_t i = 0; i < 16; i++) {
        memory_fail_at(1 + i * (all - 2) / 15);
        const int status = learn(&x, o, &d, NULL, NULL);
        memory_fail_at(0);
        assert_int_equal(status, INCO_ENOMEM);
        assert_null(d.data);
    }
    inco_options_free(o);
    inco_mat_free(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_word_is_an_option_value),
        cmocka_unit_test(too_few_signals_are_refused),
        cmocka_unit_test(the_parts_are_all_signals_once),
        BOTH(the_path_is_told),
        cmocka_unit_test(all_of_it_is_zero_without),
        cmocka_unit_test(the_path_is_made_of_plain_runs),
        cmocka_unit_test(the_threads_do_not_matter),
        cmocka_unit_test(a_path_is_resumed),
        cmocka_unit_test(the_loop_is_resumed_without_another_path),
        cmocka_unit_test(a_path_can_be_stopped),
        cmocka_unit_test(a_bound_is_kept_too),
        cmocka_unit_test(no_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
