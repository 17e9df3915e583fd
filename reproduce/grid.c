/* The grid of runs: the plan, and running it one run after the other, each on all threads. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/args.h"
#include "cli/commands.h"
#include "cli/values.h"
#include "reproduce.h"

/* ---- The plan ---- */

enum { SETTINGS = 8 };

/* The settings of a family, ended by NaN, in the order in which they are run. */
typedef struct settings {
    family family;
    double value[SETTINGS];
} settings;

/* At mu_t = 1 K-SVD replaces nothing. INK-SVD at 1 is the same run. */
static const settings all[] = {{KSVD, {1, 0.8, 0.5, 0.2, NAN}},      {MOD, {0, NAN}},
                               {RESCALE, {0, 0.5, 5, 50, 500, NAN}}, {SPHERE, {0, 0.5, 5, 50, 500, NAN}},
                               {BOUND, {0.5, 0.3, 0.2, NAN}},        {INKSVD, {0.7, 0.5, 0.3, 0.2, 0.1, NAN}}};
static const settings few[] = {{KSVD, {1, 0.5, 0.2, NAN}},      {MOD, {0, NAN}},
                               {RESCALE, {0, 5, 50, 500, NAN}}, {SPHERE, {0, 5, 50, 500, NAN}},
                               {BOUND, {0.5, 0.3, NAN}},        {INKSVD, {0.5, 0.3, 0.2, 0.1, NAN}}};
/* Settings for the recovery of planted codes, which uses dictionaries of another size. */
static const settings recovered[] = {
    {KSVD, {1, 0.5, NAN}}, {RESCALE, {0, 5, 50, NAN}}, {SPHERE, {0, 5, 50, NAN}}, {INKSVD, {0.5, 0.2, NAN}}};

const char *grid_short_name(family f) {
    static const char *const names[] = {"ksvd", "inksvd", "idl-rescale", "idl-sphere", "bound", "mod"};
    return names[f];
}

const char *grid_family(family f) {
    static const char *const texts[] = {
        "K-SVD", "INK-SVD", "IDL(γ), rescaled", "IDL(γ) on the spheres", "IDL(5) with a bound", "MOD"};
    return texts[f];
}

/* Estimated duration: dense codes make K-SVD and gamma = 0 slow, passes make INK-SVD slow. */
static double weigh(family f, double value, double size) {
    const double inksvd = value < 0.15 ? 14 : value < 0.25 ? 7 : 5;
    const double weight[] = {4, inksvd, value ? 1 : 3, value ? 1 : 3, 2, 3};
    return weight[f] * size;
}

static void label(grid_run *g) {
    if (g->family == MOD)
        snprintf(g->label, sizeof g->label, "MOD");
    else if (g->family == RESCALE || g->family == SPHERE)
        snprintf(g->label, sizeof g->label, "γ = %g", g->value);
    else if (g->family == BOUND)
        snprintf(g->label, sizeof g->label, "bound %g", g->value);
    else
        snprintf(g->label, sizeof g->label, "μt = %g", g->value);
}

static void add(experiment *e, const settings *s, int generalises, int64_t atoms) {
    for (int i = 0; i < SETTINGS && !isnan(s->value[i]); i++) {
        grid_run *g = &e->grid[e->runs++];
        *g = (grid_run){.family = s->family, .value = s->value[i], .atoms = atoms, .generalises = generalises};
        g->recovers = atoms == REPRODUCE_RECOVERY_ATOMS;
        g->weight = weigh(s->family, s->value[i], (double)atoms / (double)e->atoms);
        const char *part = generalises ? "" : "recovery-";
        if (s->family == MOD)
            snprintf(g->id, sizeof g->id, "%s%s", part, grid_short_name(s->family));
        else
            snprintf(g->id, sizeof g->id, "%s%s-%g", part, grid_short_name(s->family), s->value[i]);
        label(g);
    }
}

void grid_plan(experiment *e) {
    const settings *plan = e->quick ? few : all;
    e->runs = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) add(e, &plan[i], 1, e->atoms);
    for (size_t i = 0; e->atoms != REPRODUCE_RECOVERY_ATOMS && i < sizeof recovered / sizeof *recovered; i++)
        add(e, &recovered[i], 0, REPRODUCE_RECOVERY_ATOMS);
}

const grid_run *grid_find(const experiment *e, family f, double value, int recovery) {
    if (f == INKSVD && value == 1) f = KSVD;
    for (int i = 0; i < e->runs; i++) {
        const grid_run *g = &e->grid[i];
        if (g->family == f && g->value == value && (recovery ? g->recovers : g->generalises)) return g;
    }
    return NULL;
}

/* ---- Progress ---- */

/* The time left is estimated from the weights of the runs made since the start. */
static void show(experiment *e, double within, const char *doing) {
    const grid_run *g = &e->grid[e->under_way % e->runs];
    const double done = e->weight_done + within * g->weight, seconds = run_clock() - e->work_started;
    if (!e->shown) e->weight_found += done - e->weight_done; /* an interrupted run is continued */
    e->shown = 1;
    char name[96];
    snprintf(name, sizeof name, "run %d/%d %s", e->under_way + 1, e->runs * e->seeds, g->id);
    progress_grid(&e->progress, name, done / e->weight_all,
                  done > e->weight_found && seconds > 1 ? seconds * (e->weight_all - done) / (done - e->weight_found)
                                                        : NAN,
                  doing);
}

static int on_progress(void *self, const inco_progress *now) {
    experiment *e = self;
    const double within = now->total > 0 ? (double)now->done / (double)now->total : 0;
    const double passes = (double)now->iteration - 1 + (strcmp(now->phase, "code") ? 1 : within);
    char doing[64];
    snprintf(doing, sizeof doing, "iteration %lld/%lld", (long long)now->iteration, (long long)now->iterations);
    show(e, 0.9 * fmin(1, passes / (double)(now->iterations + 1)), doing);
    return 0;
}

static void end_run(experiment *e, const numbers *figures, double seconds) {
    const grid_run *g = &e->grid[e->under_way % e->runs];
    e->weight_done += g->weight;
    e->shown = 0;
    e->made++;
    if (e->run->quiet) return;
    progress_clear(&e->progress);
    run_say(e->run, "run %d/%d %s, seed %lld: coherence max %.4f rms %.4f, error %.4f with %.1f atoms, %.1f s",
            e->under_way + 1, e->runs * e->seeds, g->id, (long long)(e->first_seed + e->under_way / e->runs),
            numbers_at(figures, "coherence_max", 0), numbers_at(figures, "coherence_rms", 0),
            numbers_at(figures, "relative_error", 0), numbers_at(figures, "mean_cardinality", 0), seconds);
}

/* ---- One run ---- */

enum { WORDS = 48 };

/* Words of an `inco learn` command. */
typedef struct words {
    char *word[WORDS];
    int count, failed;
} words;

static void say(words *w, const char *text) {
    char *copy = w->count < WORDS ? strdup(text) : NULL;
    if (copy)
        w->word[w->count++] = copy;
    else
        w->failed = 1;
}

static void say_option(words *w, const char *name, const char *value) {
    say(w, name);
    say(w, value);
}

static void say_number(words *w, const char *name, double value) {
    char text[32];
    snprintf(text, sizeof text, "%.15g", value);
    say_option(w, name, text);
}

static void say_file(words *w, const experiment *e, int64_t seed, const char *name, const grid_run *g,
                     const char *ending) {
    char *path = reproduce_path(e, seed, g->id, ending);
    say_option(w, name, path ? path : "");
    if (!path) w->failed = 1;
    free(path);
}

static void say_method(words *w, const experiment *e, const grid_run *g) {
    static const char *const methods[] = {"ksvd", "inksvd", "idl", "idl", "idl", "mod"};
    const int idl = g->family == RESCALE || g->family == SPHERE;
    say_option(w, "--method", methods[g->family]);
    if (g->family == KSVD) { /* as published: after every update, including the last */
        say_number(w, "--replace", g->value);
        say_option(w, "--replace-last", "published");
    }
    if (g->family == INKSVD) say_number(w, "--decorrelation-passes", (double)e->passes);
    if (g->family == INKSVD || g->family == BOUND) say_number(w, "--max-coherence", g->value);
    if (idl) say_number(w, "--gamma", g->value);
    if (g->family == BOUND) say_number(w, "--gamma", 5);
    if (idl || g->family == BOUND) say_option(w, "--schedule", "batch");
    if (idl) say_option(w, "--norms", g->family == RESCALE ? "rescale" : "sphere");
    if (g->family == RESCALE) say_option(w, "--update", "plain"); /* exactly as in the paper */
}

/* The command of the run, as a user could give it. */
static void compose(words *w, const experiment *e, int64_t seed, const grid_run *g) {
    char *train = reproduce_path(e, seed, "train", ".npy");
    say(w, "inco");
    say(w, "learn");
    say(w, train ? train : "");
    free(train);
    say_number(w, "--atoms", (double)g->atoms);
    say_method(w, e, g);
    say_number(w, "--iterations", (double)e->iterations);
    say_option(w, "--coder", "larc");
    say_number(w, "--residual-coherence", 0.2);
    say_option(w, "--init", "sample");
    say_number(w, "--seed", (double)seed);
    say_number(w, "--threads", inco_options_get_number(e->run->options, "threads"));
    say_file(w, e, seed, "-o", g, ".npy");
    say_file(w, e, seed, "--log", g, ".jsonl");
    say_file(w, e, seed, "--checkpoint", g, ".state");
    if (reproduce_has(e, seed, g->id, ".state")) say_file(w, e, seed, "--resume", g, ".state");
}

static int learn(experiment *e, words *w) {
    run part = {.command = &learn_command,
                .argc = w->count,
                .argv = w->word,
                .started = run_clock(),
                .part = 1,
                .watch = on_progress,
                .watcher = e};
    int status;
    part.options = inco_options_new();
    if (!part.options) TRY(run_no_memory(&part));
    TRY(args_parse(&part, w->count - 2, w->word + 2));
    part.quiet = 1;
    TRY(learn_command.perform(&part));
done:
    if (status < 0) run_fail(e->run, status, "%s", part.error.message);
    values_free(&part);
    inco_options_free(part.options);
    free(part.paths);
    return status;
}

/* Whether the log of the run is complete. */
static int is_learned(const experiment *e, int64_t seed, const grid_run *g) {
    char stopped[32] = "", *path = reproduce_path(e, seed, g->id, ".jsonl");
    inco_log *log = NULL;
    if (path && reproduce_has(e, seed, g->id, ".npy") && inco_log_load(&log, path, NULL) >= 0)
        inco_log_text(log, "end.stopped_by", stopped, sizeof stopped);
    inco_log_free(log);
    free(path);
    return !strcmp(stopped, "iterations");
}

/* Learns the dictionary unless it exists; continues from the checkpoint of an interrupted run. */
static int ensure_learned(experiment *e, int64_t seed, const grid_run *g) {
    words w = {.count = 0};
    int status = INCO_OK;
    if (is_learned(e, seed, g)) return INCO_OK;
    compose(&w, e, seed, g);
    if (w.failed) status = run_no_memory(e->run);
    if (status >= 0) status = learn(e, &w);
    for (int i = 0; i < w.count; i++) free(w.word[i]);
    return status;
}

/* Learns and measures; the results go to `path`. */
static int make_run(experiment *e, int64_t seed, const grid_run *g, const char *path, numbers *figures) {
    const double started = run_clock();
    char *state = reproduce_path(e, seed, g->id, ".state");
    int status = INCO_OK;
    if (!state) TRY(run_no_memory(e->run));
    TRY(ensure_learned(e, seed, g));
    if (status == INCO_STOPPED || run_signal()) {
        status = INCO_STOPPED;
        goto done;
    }
    show(e, 0.95, "measuring");
    TRY(measure_run(e, seed, g, figures));
    TRY(numbers_save(e->run, figures, path));
    unlink(state);
    end_run(e, figures, run_clock() - started);
    if (run_signal()) status = INCO_STOPPED;
done:
    progress_clear(&e->progress);
    free(state);
    return status;
}

/* ---- All runs ---- */

static int perform_run(experiment *e, int i) {
    const int64_t seed = e->first_seed + i / e->runs;
    const grid_run *g = &e->grid[i % e->runs];
    numbers *figures = reproduce_figures(e, i / e->runs, g);
    char *path = reproduce_path(e, seed, g->id, ".csv");
    int status = path ? INCO_OK : run_no_memory(e->run);
    e->under_way = i;
    if (path && access(path, R_OK) == 0)
        status = numbers_load(e->run, figures, path);
    else if (path)
        status = make_run(e, seed, g, path, figures);
    free(path);
    return status;
}

static void count_work(experiment *e) {
    int found = 0;
    for (int i = 0; i < e->runs * e->seeds; i++) {
        const grid_run *g = &e->grid[i % e->runs];
        if (reproduce_has(e, e->first_seed + i / e->runs, g->id, ".csv"))
            found++;
        else
            e->weight_all += g->weight;
    }
    if (found) run_say(e->run, "%d of %d runs are already complete", found, e->runs * e->seeds);
    e->work_started = run_clock();
}

int grid_perform(experiment *e) {
    int status = INCO_OK;
    e->progress = progress_start(e->run->quiet);
    count_work(e);
    for (int i = 0; status == INCO_OK && i < e->runs * e->seeds; i++) {
        if (i % e->runs == 0) status = split_make(e, e->first_seed + i / e->runs);
        if (status == INCO_OK && run_signal()) status = INCO_STOPPED;
        if (status == INCO_OK) status = perform_run(e, i);
    }
    return status;
}
