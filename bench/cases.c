#include "cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/rng.h"
#include "code/coder.h"
#include "learn/learn.h"
#include "learn/learner_state.h"
#include "machine.h"
#include "mat/blas.h"
#include "mat/mat.h"
#include "update/update.h"

const char *const case_names[] = {"omp-10",           "omp-40",        "omp-20db", "ols-10", "ols-40",
                                  "lars-40",          "lasso-10",      "larc",     "update", "learn-iteration",
                                  "online-iteration", "inspect-large", NULL};

typedef struct problem {
    inco_mat x, d;
} problem;

static const problem *the_problem(const setup *s) {
    static problem made[2]; /* kept: sizes are constant in a run */
    problem *p = &made[s->type == INCO_F64];
    if (!p->x.data) {
        p->d = machine_signals(s->type, s->dim, s->atoms, 300);
        p->x = machine_signals(s->type, s->dim, s->signals, 400);
    }
    return p;
}

/* ---- Coders ---- */

typedef struct rule {
    char coder[8];
    const char *option;
    double value;
    int by_atoms; /* the value of the option is searched for this number of atoms */
} rule;

/* Parses the name of a case: coder and stopping rule; 0: not a coder. */
static int parse_rule(const char *name, rule *r) {
    char unit[4] = "";
    if (!strcmp(name, "larc")) name = "larc-0.2";
    *r = (rule){.option = "sparsity"};
    int found = sscanf(name, "%7[a-z]-%lf%3s", r->coder, &r->value, unit);
    if (found < 2 || !(r->value > 0) || (*unit && strcmp(unit, "db"))) return 0;
    if (*unit) {
        r->option = "tolerance";
        r->value = pow(10, -r->value / 20);
    } else if (!strcmp(r->coder, "larc")) {
        r->option = "residual-coherence";
    } else if (!strcmp(r->coder, "lasso")) {
        r->option = "lambda";
        r->by_atoms = 1;
    }
    const char *coders[] = {"omp", "ols", "lars", "lasso", "larc"};
    for (int i = 0; i < 5; i++)
        if (!strcmp(r->coder, coders[i])) return 1;
    return 0;
}

static inco_options *options_for(const setup *s, const rule *r, double value) {
    inco_options *o = inco_options_new();
    inco_error error = {0};
    stop_on(inco_options_set_number(o, "threads", s->threads, &error), &error);
    stop_on(inco_options_set(o, "coder", r->coder, &error), &error);
    stop_on(inco_options_set_number(o, r->option, value, &error), &error);
    return o;
}

static outcome run_rule(const setup *s, const rule *r, const inco_mat *x, double value) {
    const problem *p = the_problem(s);
    inco_error error = {0};
    inco_coder *coder;
    csc codes = {0};
    inco_options *o = options_for(s, r, value);
    blas_multiplied();
    double start = clock_seconds();
    stop_on(inco_coder_new(&coder, &p->d, s->type, o, &error), &error);
    stop_on(coder_run(coder, x, &codes, NULL, &error), &error);
    double seconds = clock_seconds() - start;
    coder_counts seen = coder_seen(coder);
    outcome out = {seconds,
                   (double)(blas_multiplied() + seen.multiplied),
                   (double)seen.bytes,
                   (double)x->cols,
                   "atoms_per_signal",
                   (double)codes.start[codes.cols] / (double)codes.cols};
    csc_free(&codes);
    inco_coder_free(coder);
    inco_options_free(o);
    return out;
}

/* The lambda with this number of atoms per signal, by bisection on some signals. */
static double find_lambda(const setup *s, const rule *r, const inco_mat *x) {
    const inco_mat few = mat_columns(x, 0, x->cols < 500 ? x->cols : 500);
    double low = 1e-4, high = 1;
    for (int i = 0; i < 20; i++) {
        double middle = sqrt(low * high);
        if (run_rule(s, r, &few, middle).value > r->value)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* Coding, including the Gram matrix. */
static outcome run_coder(const setup *s, const rule *r) {
    const inco_mat *x = &the_problem(s)->x;
    return run_rule(s, r, x, r->by_atoms ? find_lambda(s, r, x) : r->value);
}

/* ---- The update ---- */

/* A and B of random codes C with 20 atoms per signal, B = E A for other atoms E. */
static statistics make_statistics(const setup *s) {
    statistics stats = {0};
    inco_mat code, other = machine_signals(INCO_F64, s->dim, s->atoms, 600);
    inco_error error = {0};
    stop_on(inco_mat_new(&stats.a, INCO_F64, s->atoms, s->atoms, &error), &error);
    stop_on(inco_mat_new(&stats.b, INCO_F64, s->dim, s->atoms, &error), &error);
    stop_on(inco_mat_new(&code, INCO_F64, s->atoms, 4 * s->atoms, &error), &error);
    for (int64_t n = 0; n < code.cols; n++)
        for (int k = 0; k < 20; k++) {
            uint64_t draw = (uint64_t)(20 * n + k);
            mat_set(&code, rng_below(1, RNG_TEST, draw, s->atoms), n, rng_normal(2, RNG_TEST, draw));
        }
    blas_multiply(s->threads, "NT", 1, &code, &code, 0, &stats.a);
    blas_multiply(s->threads, "NN", 1, &other, &stats.a, 0, &stats.b);
    stats.energy = blas_dot(s->dim * s->atoms, other.data, stats.b.data);
    inco_mat_free(&code);
    inco_mat_free(&other);
    return stats;
}

/* 15 iterations on the spheres. */
static outcome run_update(const setup *s) {
    inco_mat d = machine_signals(INCO_F64, s->dim, s->atoms, 500);
    inco_error error = {0};
    const int narrow = s->type == INCO_F32;
    update_settings settings = {.gamma = 5, .iterations = 15, .threads = s->threads, .plain = 1, .narrow = narrow};
    update_result result;
    statistics stats = make_statistics(s);
    blas_multiplied();
    double start = clock_seconds();
    stop_on(idl_update(&d, &stats, &settings, &result, &error), &error);
    outcome out = {clock_seconds() - start, (double)blas_multiplied(), 0, 0, "evaluations", result.evaluations};
    inco_mat_free(&d);
    inco_mat_free(&stats.a);
    inco_mat_free(&stats.b);
    return out;
}

/* ---- A learning iteration ---- */

typedef struct timing {
    double end[2], code; /* ends of two iterations; seconds of coding in the second */
    int64_t multiplied;
    coder_counts before;
    inco_learner *learner;
} timing;

/* Times the second of two iterations; then stops, without the final coding. */
static int note_iteration(void *self, const inco_progress *progress) {
    timing *t = self;
    if (strcmp(progress->phase, "iteration")) return 0;
    t->end[progress->iteration - 1] = progress->seconds;
    t->code = progress->seconds_code;
    t->multiplied = blas_multiplied();
    if (progress->iteration == 1) t->before = coder_seen(t->learner->core->coder);
    return progress->iteration == 2;
}

static outcome run_learning(const setup *s, const char *name, double gamma, const rule *r) {
    const problem *p = the_problem(s);
    inco_options *o = options_for(s, r, r->value);
    inco_source source = mat_source_of(&p->x);
    inco_error error = {0};
    timing t = {0};
    stop_on(inco_options_set_number(o, "iterations", 2, &error), &error);
    stop_on(inco_options_set(o, "method", name, &error), &error);
    if (gamma > 0) stop_on(inco_options_set_number(o, "gamma", gamma, &error), &error);
    if (!strcmp(name, "idl")) stop_on(inco_options_set(o, "update", "plain", &error), &error);
    if (!strcmp(name, "idl")) stop_on(inco_options_set(o, "schedule", "batch", &error), &error);
    stop_on(inco_options_on_progress(o, note_iteration, &t, sizeof(inco_progress), &error), &error);
    stop_on(inco_learner_new(&t.learner, &source, o, &error), &error);
    stop_on(inco_learner_start_from(t.learner, &p->d, &error), &error);
    stop_on(inco_learner_run(t.learner, &error), &error);
    coder_counts seen = coder_seen(t.learner->core->coder);
    double seconds = t.end[1] - t.end[0], multiplied = (double)(t.multiplied + seen.multiplied - t.before.multiplied);
    outcome out = {seconds,           multiplied,       (double)(seen.bytes - t.before.bytes),
                   (double)p->x.cols, "rest_by_coding", seconds / t.code - 1};
    inco_learner_free(t.learner);
    inco_options_free(o);
    return out;
}

static outcome run_iteration(const setup *s) {
    const rule larc = {"larc", "residual-coherence", 0.2, 0};
    return run_learning(s, "idl", 5, &larc);
}

/* An update after every 512 signals. */
static outcome run_online(const setup *s) {
    const rule omp = {"omp", "sparsity", 10, 0};
    return run_learning(s, "online", 0, &omp);
}

/* ---- Metrics ---- */

static outcome run_inspect(const setup *s) {
    inco_mat d = machine_signals(INCO_F64, s->dim, s->atoms, 700);
    inco_options *o = inco_options_new();
    inco_metrics metrics = INCO_INIT(inco_metrics);
    inco_error error = {0};
    stop_on(inco_options_set_number(o, "threads", s->threads, &error), &error);
    blas_multiplied();
    double start = clock_seconds();
    stop_on(inco_inspect(&d, o, &metrics, &error), &error);
    outcome out = {clock_seconds() - start, (double)blas_multiplied(), 0, (double)d.cols, "coherence",
                   metrics.coherence_max};
    inco_metrics_free(&metrics);
    inco_options_free(o);
    inco_mat_free(&d);
    return out;
}

/* ---- Names ---- */

typedef struct other_case {
    const char *name;
    outcome (*run)(const setup *s);
    int64_t dim, atoms; /* fixed size, in double; 0: as requested */
} other_case;

static const other_case others[] = {{"update", run_update, 0, 0},
                                    {"learn-iteration", run_iteration, 0, 0},
                                    {"online-iteration", run_online, 0, 0},
                                    {"inspect-large", run_inspect, 768, 16384}};

static const other_case *other_named(const char *name) {
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strcmp(others[i].name, name)) return &others[i];
    return NULL;
}

setup case_setup(const setup *s, const char *name) {
    const other_case *other = other_named(name);
    setup own = *s;
    if (!other || other->dim == 0) return own;
    own.dim = other->dim;
    own.atoms = other->atoms;
    own.signals = 0;
    own.type = INCO_F64;
    return own;
}

int case_exists(const char *name) {
    rule r;
    return other_named(name) || parse_rule(name, &r);
}

outcome case_run(const setup *s, const char *name) {
    const other_case *other = other_named(name);
    rule r;
    if (other) return other->run(s);
    parse_rule(name, &r);
    return run_coder(s, &r);
}
