/* The regularisation path of gamma: --gamma auto, judged by signals held out, and the search for targets. */
#include "data/draw.h"
#include "data/holdout.h"

#include "base/memory.h"
#include "learn/path_table.h"
#include "learning.h"

enum { DIM = 12, ATOMS = 20, SIGNALS = 1200, FIRST = 6, ITERATIONS = 3 };

static inco_options *chosen_by_itself(const char *gamma, const char *threads) {
    return check_options((const char *const[]){"atoms", "20", "coder", "omp", "sparsity", "4", "iterations", "3",
                                               "threads", threads, "gamma", gamma, NULL});
}

/* Random walks: smooth signals, for which incoherence has a cost. */
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
        "option 'gamma' = 'auto' holds out one signal of 10, and needs 1000 signals or more, not 999; give option "
        "'gamma' or 'gamma-relative' a number");
    inco_options_free(o);
    inco_mat_free(&x);
}

/* ---- The hold-out ---- */

/* Signal n is (n + 1, 201), and every one stands there twice. Read in blocks of all sizes, every signal is in one
 * part, both copies in the same one, in order. */
static void the_parts_are_all_signals_once(void **state) {
    (void)state;
    enum { COUNT = 2 * 200 };
    inco_mat x;
    double out[2 * COUNT];
    int where[COUNT / 2] = {0};
    assert_int_equal(inco_mat_new(&x, INCO_F64, 2, COUNT, NULL), INCO_OK);
    for (int64_t n = 0; n < COUNT; n++) {
        mat_set(&x, 0, n, (double)(n % 200 + 1));
        mat_set(&x, 1, n, 201);
    }
    const inco_source source = mat_source_of(&x);
    holdout h;
    assert_int_equal(holdout_make(&h, &source, 10, 2, NULL), INCO_OK);
    assert_int_equal(h.kept.source.count + h.held.source.count, COUNT);
    assert_true(h.held.source.count >= 20 && h.held.source.count <= 64); /* 40, and three deviations of a binomial */
    const subset *parts[] = {&h.kept, &h.held};
    for (int part = 0; part < 2; part++) {
        const inco_source *s = &parts[part]->source;
        for (int64_t piece = 1; piece <= s->count; piece += 1 + piece / 7) {
            int64_t last = -1;
            for (int64_t first = 0; first < s->count; first += piece) {
                const int64_t count = piece < s->count - first ? piece : s->count - first;
                assert_int_equal(s->read(s->self, first, count, out, NULL), INCO_OK);
                for (int64_t i = 0; i < count; i++) {
                    const int64_t n = subset_index(parts[part], first + i);
                    assert_true(n > last && out[2 * i] == (double)(n % 200 + 1) && out[2 * i + 1] == 201);
                    last = n;
                    if (piece == 1) where[n % 200] += part ? 1 : 1000;
                }
            }
        }
    }
    for (int n = 0; n < 200; n++) assert_true(where[n] == 2 || where[n] == 2000);
    holdout_free(&h);
    inco_mat_free(&x);
}

/* ---- The path ---- */

enum { POINTS = PATH_MAX, CARDINALITIES = 3 };

/* All results of a learner, with copies of its arrays. */
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

/* The table describes the dictionary written: every figure of the chosen point is that of the result. */
static void assert_describes_result(const told *t) {
    const inco_path_point *p = &t->point[t->path.chosen];
    const inco_learn_info *info = &t->info;
    assert_true(p->gamma == info->gamma && p->relative_error == info->relative_error);
    assert_near(p->gamma_relative, info->gamma_relative, 1e-15 * (1 + p->gamma_relative));
    assert_true(p->coherence_max == info->coherence_max && p->coherence_rms == info->coherence_rms);
    assert_true(p->singular_max == info->singular_max && p->singular_min == info->singular_min);
    assert_true(p->mean_cardinality == info->mean_cardinality);
}

/* Whether signal n is held out, by its content after preprocessing. */
static int is_held(const inco_mat *x, int64_t n) {
    inco_mat signal = mat_columns(x, n, 1), unit;
    assert_int_equal(mat_convert(&unit, &signal, x->type, NULL), INCO_OK);
    mat_normalize_columns(&unit, NULL);
    const int held = (draw_content(&unit, 0, 0) >> 32) % 10 == 0;
    inco_mat_free(&unit);
    return held;
}

static int64_t held_of(const inco_mat *x) {
    int64_t count = 0;
    for (int64_t n = 0; n < x->cols; n++) count += is_held(x, n);
    return count;
}

static void the_path_is_told(void **state) {
    static const double weights[] = {0, 0.001, 0.01, 0.1, 1, 10};
    const inco_type type = *(inco_type *)*state;
    inco_mat x = walks(type, SIGNALS), d;
    inco_options *o = chosen_by_itself("auto", "1");
    const told t = learn_path(&x, o, &d);
    const inco_path *path = &t.path;
    double lowest = INFINITY, highest = -INFINITY;
    int64_t chosen = 0, order = 0;
    assert_true(path->count == 6 && path->points == 6 && path->held_out == held_of(&x) && path->cardinalities == 3);
    assert_true(t.cardinality[0] == 1 && t.cardinality[1] == 2 && t.cardinality[2] == 4);
    for (int i = 0; i < 6; i++) {
        lowest = fmin(lowest, t.point[i].judgement);
        highest = fmax(highest, t.point[i].judgement);
    }
    for (int i = 0; i < 6; i++) {
        const inco_path_point *p = &t.point[i];
        const double *residual = t.residual[i];
        if (p->judgement <= lowest + path->noise) chosen = i;
        assert_true(p->gamma_relative == weights[i]);
        assert_near(p->gamma, weights[i] * (double)(SIGNALS - path->held_out) / ATOMS,
                    1e-5 * (1 + p->gamma)); /* of unit norm */
        assert_near(p->cost, exp(p->judgement - lowest) - 1, 1e-12);
        assert_true(residual[0] > residual[1] && residual[1] > residual[2] && residual[2] > 0);
        if (i > 0) assert_true(p->coherence_rms <= t.point[i - 1].coherence_rms * (1 + 1e-6));
        assert_true(p->singular_max >= p->singular_min && p->relative_error > 0 && p->mean_cardinality <= 4);
        order |= 1 << p->order;
    }
    assert_true(path->chosen == chosen && highest > lowest + path->noise); /* the rule excludes some */
    assert_int_equal(order, 2 + 4 + 8 + 16 + 32 + 64);
    assert_describes_result(&t);
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

/* Learns from `start` (may be NULL) with a given weight. */
static inco_mat learn_plainly(const inco_mat *x, const inco_mat *start, double weight, double iterations) {
    const inco_source source = mat_source_of(x);
    inco_options *o =
        check_options((const char *const[]){"atoms", "20", "coder", "omp", "sparsity", "4", "schedule", "batch", NULL});
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
    assert_int_equal(inco_mat_new(&part, INCO_F64, DIM, held ? held_of(x) : SIGNALS - held_of(x), NULL), INCO_OK);
    for (int64_t j = 0; j < SIGNALS; j++)
        if (is_held(x, j) == held) {
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

/* Every point is a run with a weight that is given, on the signals that are not held out, from a common dictionary; the
 * result is one of them. */
static void the_path_is_made_of_plain_runs(void **state) {
    (void)state;
    inco_mat x = walks(INCO_F64, SIGNALS), d;
    inco_mat kept = part_of(&x, 0), held = part_of(&x, 1), first = learn_plainly(&kept, NULL, 0.1, FIRST);
    inco_options *o = chosen_by_itself("auto", "1");
    const told t = learn_path(&x, o, &d);
    for (int i = 0; i < 6; i++) {
        inco_mat point = learn_plainly(&kept, &first, t.point[i].gamma_relative, ITERATIONS);
        assert_near(t.point[i].judgement, judgement_of(&point, &held), 1e-9);
        for (int64_t j = 0; i == t.path.chosen && j < ATOMS; j++) /* a start that is given is normalised once more */
            for (int64_t k = 0; k < DIM; k++) assert_near(mat_get(&point, k, j), mat_get(&d, k, j), 1e-9);
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

/* ---- Targets ---- */

/* What a path is computed for, and the largest rms coherence and error that its result may have. */
typedef struct path_case {
    const char *option, *value;
    double rms, error;
    int by_gain; /* 1: codes stop at (GAIN-1), which depends on the signals */
} path_case;

/* Codes that stop at a residual: their error does not increase with gamma everywhere. */
static path_case cases[] = {{"gamma", "auto", 1, 1, 0},
                            {"target-error", "0.2", 1, 0.2, 0},
                            {"target-error", "0.13", 1, 0.13, 0},
                            {"target-error", "0.11", 1, 0.11, 0},
                            {"target-rms", "0.35", 0.35, 1, 0},
                            {"target-rms", "0.2", 0.2, 1, 0},
                            {"gamma", "auto", 1, 1, 1}};

static inco_options *options_of(const path_case *c) {
    if (c->by_gain)
        return check_options(
            (const char *const[]){"atoms", "20", "iterations", "3", "threads", "1", c->option, c->value, NULL});
    return check_options((const char *const[]){"atoms", "20", "coder", "larc", "residual-coherence", "0.3",
                                               "iterations", "3", "threads", "1", c->option, c->value, NULL});
}

static int dominates(const inco_path_point *a, const inco_path_point *b) {
    return a->relative_error <= b->relative_error && a->coherence_rms <= b->coherence_rms &&
           (a->relative_error < b->relative_error || a->coherence_rms < b->coherence_rms);
}

static int is_within(const inco_path_point *p, double rms, double error) {
    return p->relative_error <= error && p->coherence_rms <= rms * (1 + 1e-6);
}

/* No point dominates the one chosen; it is within the target if any is. */
static void assert_best(const inco_path *path, const inco_path_point *point, double rms, double error) {
    const inco_path_point *chosen = &point[path->chosen];
    int within = 0;
    for (int64_t i = 0; i < path->count; i++) {
        assert_false(dominates(&point[i], chosen));
        within |= is_within(&point[i], rms, error);
    }
    assert_int_equal(is_within(chosen, rms, error), within);
}

static void a_target_is_searched_for_on_the_path(void **state) {
    const path_case *c = *state;
    inco_mat x = walks(INCO_F64, SIGNALS), d;
    inco_options *o = options_of(c);
    const told t = learn_path(&x, o, &d);
    assert_true(t.path.count > 0 && t.path.held_out == 0 && t.path.points == t.path.count);
    assert_best(&t.path, t.point, c->rms, c->error);
    assert_describes_result(&t);
    for (int64_t i = 1; i < t.path.count; i++) assert_true(t.point[i].gamma > t.point[i - 1].gamma);
    inco_mat_free(&d);
    inco_options_free(o);
    inco_mat_free(&x);
}

/* Errors against log10 of the weight: ascending, descending, with a valley, a narrow valley, and waves. */
static double ascending(double x) {
    return 0.3 + 0.02 * x;
}
static double descending(double x) {
    return 0.3 - 0.02 * x;
}
static double valley(double x) {
    return 0.2 + 0.02 * (x + 1.5) * (x + 1.5);
}
static double narrow(double x) {
    return 0.2 + 0.1 * fabs(x + 1.5);
}
static double waves(double x) {
    return 0.2 + 0.02 * x + 0.05 * cos(4 * x);
}

/* The points that would be computed, if the error were this and the coherence decreased with the weight. */
static void search(path_table *t, const path_goal *goal, double (*error)(double)) {
    static const double none[CARDINALITIES];
    double weight;
    *t = (path_table){0};
    while (path_next(t, goal, &weight)) {
        if (isnan(weight)) weight = 0.02;
        const double x = log10(fmax(weight, 1e-5));
        inco_path_point p = {.gamma_relative = weight, .relative_error = error(x), .coherence_rms = 0.2 - 0.02 * x};
        assert_true(t->path.count < PATH_MAX);
        path_insert(t, goal, &p, none);
    }
}

static void no_point_dominates_the_one_chosen(void **state) {
    static double (*const errors[])(double) = {ascending, descending, valley, narrow, waves};
    (void)state;
    path_table t;
    for (int e = 0; e < 5; e++)
        for (double target = 0.1; target < 0.45; target += 0.01) {
            search(&t, &(path_goal){PATH_ERROR, target}, errors[e]);
            assert_best(&t.path, t.point, 1, target);
            search(&t, &(path_goal){PATH_RMS, target}, errors[e]);
            assert_best(&t.path, t.point, target, 1);
        }
    search(&t, &(path_goal){PATH_ERROR, 0.295}, ascending); /* the target is used up: 0.5 %, or a factor of 1.04 */
    assert_true(t.point[t.path.chosen].relative_error > 0.295 * 0.995);
    search(&t, &(path_goal){PATH_ERROR, 0.21}, narrow); /* between two weights of the grid */
    assert_true(t.point[t.path.chosen].relative_error <= 0.21);
    search(&t, &(path_goal){PATH_ERROR, 0.29}, descending); /* nothing is as incoherent as the largest weight */
    assert_true(t.path.count == 1 && t.point[0].gamma_relative == 10);
}

/* ---- Checkpoints and interruptions ---- */

/* Saves or stops a run after an iteration of a point; iteration 0: when the point is complete; point -1: never. */
typedef struct visitor {
    inco_learner *learner;
    inco_stream stream;
    int64_t save_point, save_iteration, stop_point, stop_iteration;
    int64_t points, iterations; /* told of */
} visitor;

#define VISITOR(memory)                                                                                                \
    { .stream = MEMORY_STREAM(memory), .save_point = -1, .stop_point = -1 }

static int visit(void *self, const inco_progress *now) {
    visitor *v = self;
    const int point = !strcmp(now->phase, "point"), iteration = !strcmp(now->phase, "iteration");
    const int64_t place = point ? 0 : now->iteration;
    if (!point && !iteration) return 0;
    v->points += point;
    v->iterations += iteration;
    if (point) assert_true(tell_of(v->learner).path.count == now->point);
    if (now->point == v->save_point && place == v->save_iteration)
        assert_int_equal(inco_learner_save(v->learner, &v->stream, NULL), INCO_OK);
    return now->point == v->stop_point && place == v->stop_iteration;
}

static void visitor_new(visitor *v, const inco_source *source, inco_options *o) {
    check_watch(o, visit, v);
    assert_int_equal(inco_learner_new(&v->learner, source, o, NULL), INCO_OK);
}

/* Stopped before, within and between points: the missing ones are computed, to the same bits. */
static void a_path_is_resumed(void **state) {
    static const int64_t places[][2] = {{0, 2}, {1, 1}, {1, 0}, {4, 2}, {5, 3}, {6, 0}};
    static memory_stream memory;
    const path_case *c = *state;
    inco_mat x = walks(INCO_F64, SIGNALS), d;
    const inco_source source = mat_source_of(&x);
    inco_options *o = options_of(c);
    const told t = learn_path(&x, o, &d);
    for (int i = 0; i < 6 && places[i][0] <= t.path.count; i++) {
        visitor v = VISITOR(&memory), again = VISITOR(&memory);
        v.save_point = v.stop_point = places[i][0];
        v.save_iteration = v.stop_iteration = places[i][1];
        memory.written = memory.read = 0;
        visitor_new(&v, &source, o);
        assert_int_equal(inco_learner_run(v.learner, NULL), INCO_STOPPED);
        visitor_new(&again, &source, o);
        assert_int_equal(inco_learner_resume(again.learner, &again.stream, NULL), INCO_OK);
        assert_int_equal(inco_learner_run(again.learner, NULL), INCO_OK);
        assert_int_equal(v.points + again.points, t.path.count);
        assert_int_equal(v.iterations + again.iterations, FIRST + t.path.count * ITERATIONS);
        const inco_mat result = check_learned(again.learner);
        assert_same_matrix(&result, &d);
        const told resumed = tell_of(again.learner);
        assert_same_points(&resumed, &t);
        assert_describes_result(&resumed);
        inco_learner_free(v.learner);
        inco_learner_free(again.learner);
    }
    inco_options_free(o);
    inco_mat_free(&d);
    inco_mat_free(&x);
}

/* Number of words of a checkpoint that, incremented by one, make it one of another version: only that of the path. */
static int words_of_versions(const visitor *v, memory_stream *memory) {
    int versions = 0;
    for (size_t at = CHECKPOINT_BODY + (memory->written - CHECKPOINT_BODY) % 8; at < memory->written; at += 8) {
        int64_t word, raised;
        inco_error error = {0};
        memcpy(&word, memory->bytes + at, sizeof word);
        if (word < 1 || word > 99) continue;
        raised = word + 1;
        memory->read = 0;
        memcpy(memory->bytes + at, &raised, sizeof raised);
        reseal(memory);
        inco_learner_resume(v->learner, &v->stream, &error);
        memcpy(memory->bytes + at, &word, sizeof word);
        versions += strstr(error.message, "another version") != NULL;
    }
    reseal(memory);
    return versions;
}

/* Fails to resume with this option changed, for this reason. */
static void assert_refused(const inco_source *source, memory_stream *memory, const char *option, const char *value,
                           const char *message) {
    const inco_stream stream = MEMORY_STREAM(memory);
    inco_options *o = chosen_by_itself("auto", "1");
    inco_learner *learner;
    inco_error error;
    memory->read = 0;
    assert_int_equal(inco_options_set(o, option, value, NULL), INCO_OK);
    assert_int_equal(inco_learner_new(&learner, source, o, NULL), INCO_OK);
    if (inco_learner_resume(learner, &stream, &error) == INCO_OK)
        assert_int_equal(inco_learner_run(learner, &error), INCO_EINVAL);
    assert_string_equal(error.message, message);
    inco_learner_free(learner);
    inco_options_free(o);
}

static void a_path_of_another_run_is_refused(void **state) {
    static memory_stream memory;
    (void)state;
    inco_mat x = walks(INCO_F32, SIGNALS);
    const inco_source source = mat_source_of(&x);
    inco_options *o = chosen_by_itself("auto", "1");
    visitor v = VISITOR(&memory), cut = VISITOR(&memory);
    v.save_point = v.stop_point = 2;
    v.save_iteration = v.stop_iteration = 1;
    visitor_new(&v, &source, o);
    assert_int_equal(inco_learner_run(v.learner, NULL), INCO_STOPPED);
    assert_refused(&source, &memory, "gamma", "1",
                   "option 'gamma' is '1', but was 'auto' in the run of the checkpoint");
    assert_refused(&source, &memory, "iterations", "5",
                   "option 'iterations' is 5, but was 3 for the points of the regularisation path in the checkpoint");
    visitor_new(&cut, &source, o);
    assert_int_equal(words_of_versions(&cut, &memory), 1);
    for (memory.written--; memory.written > 0; memory.written /= 2) { /* refused if truncated anywhere */
        memory.read = 0;
        assert_int_equal(inco_learner_resume(cut.learner, &cut.stream, NULL), INCO_EFORMAT);
    }
    inco_learner_free(v.learner);
    inco_learner_free(cut.learner);
    inco_options_free(o);
    inco_mat_free(&x);
}

/* Before the first point, amid the first, and amid the third: the dictionary is that of the best so far, or as it is.
 */
static void a_path_can_be_stopped(void **state) {
    static const int64_t places[] = {0, 1, 3};
    static memory_stream memory;
    (void)state;
    inco_mat x = walks(INCO_F64, SIGNALS);
    const inco_source source = mat_source_of(&x);
    inco_options *o = chosen_by_itself("auto", "1");
    for (int i = 0; i < 3; i++) {
        visitor v = VISITOR(&memory);
        v.stop_point = places[i];
        v.stop_iteration = 2;
        visitor_new(&v, &source, o);
        assert_int_equal(inco_learner_run(v.learner, NULL), INCO_STOPPED);
        const inco_mat d = check_learned(v.learner);
        const told t = tell_of(v.learner);
        assert_true(d.rows == DIM && d.cols == ATOMS && t.info.iterations == (places[i] == 3 ? ITERATIONS : 2));
        assert_true(t.path.count == (places[i] > 0 ? places[i] - 1 : 0) && t.path.points == 6);
        assert_string_equal(t.info.stopped_by, "callback");
        for (int64_t j = 0; j < ATOMS; j++) assert_near(mat_column_norm(&d, j), 1, 1e-12);
        if (t.path.count) assert_true(t.info.coherence_rms == t.point[t.path.chosen].coherence_rms);
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
    assert_describes_result(&t);
    for (int i = 0; i < 6; i++) assert_true(t.point[i].coherence_max <= 0.5);
    inco_mat_free(&d);
    inco_options_free(o);
    inco_mat_free(&x);
}

/* Every allocation fails once: an error is returned, nothing leaks. */
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
        {"a_target_is_searched_for_on_the_path (error .2)", a_target_is_searched_for_on_the_path, NULL, NULL,
         &cases[1]},
        {"a_target_is_searched_for_on_the_path (error .13)", a_target_is_searched_for_on_the_path, NULL, NULL,
         &cases[2]},
        {"a_target_is_searched_for_on_the_path (error .11)", a_target_is_searched_for_on_the_path, NULL, NULL,
         &cases[3]},
        {"a_target_is_searched_for_on_the_path (rms .35)", a_target_is_searched_for_on_the_path, NULL, NULL, &cases[4]},
        {"a_target_is_searched_for_on_the_path (rms .2)", a_target_is_searched_for_on_the_path, NULL, NULL, &cases[5]},
        cmocka_unit_test(no_point_dominates_the_one_chosen),
        {"a_path_is_resumed (auto)", a_path_is_resumed, NULL, NULL, &cases[0]},
        {"a_path_is_resumed (error)", a_path_is_resumed, NULL, NULL, &cases[2]},
        {"a_path_is_resumed (rms)", a_path_is_resumed, NULL, NULL, &cases[4]},
        {"a_path_is_resumed (gain)", a_path_is_resumed, NULL, NULL, &cases[6]},
        cmocka_unit_test(a_path_of_another_run_is_refused),
        cmocka_unit_test(a_path_can_be_stopped),
        cmocka_unit_test(a_bound_is_kept_too),
        cmocka_unit_test(no_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
