#include "learn/path.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/source.h"
#include "data/holdout.h"
#include "data/residuals.h"
#include "design/design_options.h"
#include "learn/learn_options.h"
#include "learn/learner.h"
#include "learn/penalty.h"
#include "mat/mat.h"

static const double weights[PATH_POINTS] = {0, 0.001, 0.01, 0.1, 1, 10}; /* relative to ||X||^2 / L */

enum { STEP = 10, MIN_HELD = 100, MAX_HELD = 10000 }; /* every STEP-th signal is held out, or fewer */
enum { FIRST = 6, MORE = 3 };                         /* iterations before the points, and per point */
static const double START = 0.1;                      /* weight of those before */
static const double NOISE = 0.01;                     /* of (PATH-1): scores closer than this are ties */
static const double LEAST = 1e-3;                     /* lower limit of residuals */

/* The learner of one point, on the signals that are not held out. */
typedef struct trial {
    gamma_path *path;
    const path_task *task;
    holdout split;
    learner *learner;
    inco_progress progress;
} trial;

int path_wanted(const inco_options *o) {
    return penalty_options_of(o)->gamma == OPTION_AUTO;
}

inco_mat *path_dictionary(gamma_path *path) {
    return path->best.data ? &path->best : &path->start;
}

double path_weight(const gamma_path *path) {
    return path->table.point[path->table.path.chosen].gamma_relative;
}

void path_free(gamma_path *path) {
    inco_mat_free(&path->start);
    inco_mat_free(&path->best);
    *path = (gamma_path){0};
}

/* ---- Learning with one weight ---- */

static int tell(trial *t, const char *phase) {
    const path_task *task = t->task;
    t->progress.phase = phase;
    t->progress.seconds = clock_seconds() - task->began;
    return watcher_tell(options_watcher(task->options), &t->progress);
}

static int show(void *self, const inco_progress *now) {
    trial *t = self;
    const int64_t point = t->progress.point;
    if (strcmp(now->phase, "residuals")) t->progress = *now;
    t->progress.point = point;
    t->progress.points = PATH_POINTS;
    return tell(t, "path");
}

static double seconds_left(const path_task *task) {
    return design_options_of(task->options)->stop_seconds - (clock_seconds() - task->began);
}

static inco_options *trial_options(trial *t, double weight, int64_t iterations) {
    inco_options *o = inco_options_copy(t->task->options);
    if (!o) return NULL;
    learn_options *own = options_edit(o, &learn_part);
    design_options *design = options_edit(o, &design_part);
    penalty_options *penalty = options_edit(o, &penalty_part);
    options_watch(o, &(watcher){show, t, sizeof(inco_progress)});
    *penalty = (penalty_options){.gamma = NAN, .gamma_relative = weight};
    own->iterations = iterations;
    own->stop_change = 0;
    if (design->stop_seconds > 0) design->stop_seconds = fmax(seconds_left(t->task), 1e-9);
    return o;
}

static void add_seconds(inco_learn_info *info, const inco_learn_info *more) {
    info->seconds_code += more->seconds_code;
    info->seconds_update += more->seconds_update;
    info->seconds_io += more->seconds_io;
    info->seconds_spread += more->seconds_spread;
}

static int learn_with(trial *t, double weight, int64_t iterations, inco_error *error) {
    const inco_mat *from = t->path->start.data ? &t->path->start : t->task->initial;
    inco_options *o = trial_options(t, weight, iterations);
    int status;
    learner_free(t->learner);
    t->learner = NULL;
    if (!o) TRY(error_no_memory(error));
    TRY(learner_new(&t->learner, &t->split.kept, o, error));
    if (from->data) TRY(learner_start_from(t->learner, from, error));
    TRY(learner_run(t->learner, clock_seconds(), error));
    add_seconds(t->task->info, learner_info(t->learner));
done:
    inco_options_free(o);
    return status;
}

/* ---- Scores ---- */

/* (PATH-1) */
static double judge(const inco_residuals *r) {
    double sum = 0;
    for (int64_t i = 0; i < r->count; i++) sum += log(fmax(r->median[i], LEAST));
    return sum / (double)r->count;
}

/* Selects the residuals to report: with a quarter, half and all of the atoms that the score uses. */
static void pick_residuals(path_table *table, double *residual, const inco_residuals *r, int64_t max_atoms) {
    table->path.cardinalities = 0;
    for (int64_t part = 4; part >= 1; part /= 2) {
        int64_t i = r->count - 1, n = table->path.cardinalities;
        while (i > 0 && (double)part * r->cardinality[i] > (double)max_atoms) i--;
        const int64_t k = (int64_t)r->cardinality[i];
        if (n > 0 && table->cardinality[n - 1] == k) continue;
        table->cardinality[n] = k;
        residual[n] = r->median[i];
        table->path.cardinalities++;
    }
}

/* (PATH-2): in ascending order of gamma, a point within the noise of the lowest so far is chosen instead. */
static void choose(path_table *table) {
    const int64_t count = table->path.count;
    double lowest = INFINITY;
    for (int64_t i = 0; i < count; i++) {
        if (table->point[i].judgement <= lowest + NOISE) table->path.chosen = i;
        lowest = fmin(lowest, table->point[i].judgement);
    }
    for (int64_t i = 0; i < count; i++) table->point[i].cost = expm1(table->point[i].judgement - lowest);
}

static int measure_point(trial *t, inco_path_point *point, inco_error *error) {
    gamma_path *path = t->path;
    const inco_learn_info *info = learner_info(t->learner);
    const watcher watch = {show, t, sizeof(inco_progress)};
    const residuals_task task = {.dictionary = learner_result(t->learner),
                                 .signals = &t->split.held,
                                 .max_atoms = path->max_atoms,
                                 .threads = (int)info->threads,
                                 .watch = &watch};
    inco_residuals r = INCO_INIT(inco_residuals);
    int status = residuals_measure(&task, &r, error);
    if (status != INCO_OK) goto done;
    point->gamma = point->gamma_relative * path->energy / (double)path->start.cols;
    point->coherence_max = info->coherence_max;
    point->coherence_rms = info->coherence_rms;
    point->singular_max = info->singular_max;
    point->singular_min = info->singular_min;
    point->relative_error = info->relative_error;
    point->mean_cardinality = info->mean_cardinality;
    point->judgement = judge(&r);
    pick_residuals(&path->table, path->table.residual[path->table.path.count], &r, path->max_atoms);
done:
    inco_residuals_free(&r);
    return status;
}

/* ---- The points ---- */

static void take_dictionary(inco_mat *to, inco_mat *from) {
    inco_mat_free(to);
    *to = *from;
    *from = (inco_mat){0};
}

static int add_held_energy(const inco_source *held, double *energy, inco_error *error) {
    inco_mat x = {0};
    int status = mat_new_raw(&x, held->type, held->dim, 1, error);
    for (int64_t n = 0; n < held->count && status >= 0; n++) {
        status = source_read(held, n, 1, x.data, error);
        if (status >= 0) *energy += mat_column_energy(&x, 0);
    }
    inco_mat_free(&x);
    return status;
}

/* The initial dictionary of all points. */
static int begin(trial *t, inco_error *error) {
    gamma_path *path = t->path;
    t->progress.point = 0;
    int status = learn_with(t, START, FIRST, error);
    if (status < 0) return status;
    path->energy = learner_energy(t->learner);
    path->max_atoms = (int64_t)fmax(1, round(learner_info(t->learner)->mean_cardinality));
    take_dictionary(&path->start, learner_dictionary(t->learner));
    if (status != INCO_OK) return status;
    path->begun = 1;
    return add_held_energy(&t->split.held, &path->energy, error);
}

static int add_point(trial *t, inco_error *error) {
    path_table *table = &t->path->table;
    inco_path *path = &table->path;
    inco_path_point point = {.size = sizeof point, .gamma_relative = weights[path->count]};
    t->progress.point = path->count + 1;
    int status = learn_with(t, point.gamma_relative, MORE, error);
    if (status == INCO_OK) status = measure_point(t, &point, error);
    if (status != INCO_OK) return status;
    table->point[path->count++] = point;
    path->points = PATH_POINTS;
    path->held_out = t->split.held.count;
    path->noise = NOISE;
    path->seconds += learner_info(t->learner)->seconds_total;
    choose(table);
    if (path->chosen == path->count - 1) take_dictionary(&t->path->best, learner_dictionary(t->learner));
    t->progress.gamma = point.gamma;
    t->progress.relative_error = point.relative_error; /* in the resulting dictionary, as in the path */
    t->progress.mean_cardinality = point.mean_cardinality;
    return tell(t, "point");
}

static int make_points(trial *t, inco_error *error) {
    const inco_path *table = &t->path->table.path;
    const int limited = design_options_of(t->task->options)->stop_seconds > 0;
    int status = INCO_OK;
    if (!t->path->begun) status = begin(t, error);
    while (status == INCO_OK && table->count < PATH_POINTS) {
        if (limited && table->count > 0 && seconds_left(t->task) <= 0) break;
        status = add_point(t, error);
    }
    return status;
}

static int check_count(int64_t count, inco_error *error) {
    if (count / STEP >= MIN_HELD) return INCO_OK;
    return error_set(
        error, INCO_EDATA,
        "option 'gamma' = 'auto' holds out every %dth signal, and needs %d of them: %d signals or more, not %lld; "
        "give option 'gamma' or 'gamma-relative' a number",
        (int)STEP, (int)MIN_HELD, (int)(STEP * MIN_HELD), (long long)count);
}

int path_run(gamma_path *path, const path_task *task, inco_error *error) {
    const int64_t count = task->signals->count;
    trial t = {.path = path, .task = task, .progress = {.size = sizeof t.progress}};
    int status;
    TRY(check_count(count, error));
    holdout_make(&t.split, task->signals, count / MAX_HELD > STEP ? count / MAX_HELD : STEP);
    TRY(make_points(&t, error));
    if (status == INCO_OK) path->done = 1;
done:
    learner_free(t.learner);
    return status;
}

/* ---- Checkpoints ---- */

enum { SAVED_VERSION = 2 };

/* Part of a checkpoint: fields of 8 bytes, which stay the same while the structs of the interface grow. */
typedef struct saved_point {
    double gamma, gamma_relative, coherence_max, coherence_rms, singular_max, singular_min;
    double relative_error, mean_cardinality, judgement, cost, residual[PATH_CARDINALITIES];
} saved_point;

typedef struct saved_path {
    int64_t version, begun, done, max_atoms, best; /* the last: whether a dictionary follows */
    int64_t count, chosen, points, held_out, cardinalities, cardinality[PATH_CARDINALITIES];
    double energy, noise, seconds;
    saved_point point[PATH_POINTS];
} saved_path;

static saved_point point_to_save(const path_table *table, int64_t i) {
    const inco_path_point *p = &table->point[i];
    saved_point s = {p->gamma,
                     p->gamma_relative,
                     p->coherence_max,
                     p->coherence_rms,
                     p->singular_max,
                     p->singular_min,
                     p->relative_error,
                     p->mean_cardinality,
                     p->judgement,
                     p->cost,
                     {0}};
    memcpy(s.residual, table->residual[i], sizeof s.residual);
    return s;
}

static void point_from_saved(path_table *table, int64_t i, const saved_point *s) {
    table->point[i] = (inco_path_point){.size = sizeof(inco_path_point),
                                        .gamma = s->gamma,
                                        .gamma_relative = s->gamma_relative,
                                        .coherence_max = s->coherence_max,
                                        .coherence_rms = s->coherence_rms,
                                        .singular_max = s->singular_max,
                                        .singular_min = s->singular_min,
                                        .relative_error = s->relative_error,
                                        .mean_cardinality = s->mean_cardinality,
                                        .judgement = s->judgement,
                                        .cost = s->cost};
    memcpy(table->residual[i], s->residual, sizeof s->residual);
}

static saved_path path_to_save(const gamma_path *path) {
    const inco_path *p = &path->table.path;
    saved_path s = {.version = SAVED_VERSION,
                    .begun = path->begun,
                    .done = path->done,
                    .max_atoms = path->max_atoms,
                    .best = path->best.data != NULL,
                    .count = p->count,
                    .chosen = p->chosen,
                    .points = p->points,
                    .held_out = p->held_out,
                    .cardinalities = p->cardinalities,
                    .energy = path->energy,
                    .noise = p->noise,
                    .seconds = p->seconds};
    memcpy(s.cardinality, path->table.cardinality, sizeof s.cardinality);
    for (int64_t i = 0; i < p->count; i++) s.point[i] = point_to_save(&path->table, i);
    return s;
}

static gamma_path path_from_saved(const saved_path *s) {
    gamma_path path = {.begun = s->begun, .done = s->done, .max_atoms = s->max_atoms, .energy = s->energy};
    path.table.path = (inco_path){.size = sizeof(inco_path),
                                  .count = s->count,
                                  .chosen = s->chosen,
                                  .points = s->points,
                                  .held_out = s->held_out,
                                  .cardinalities = s->cardinalities,
                                  .noise = s->noise,
                                  .seconds = s->seconds};
    memcpy(path.table.cardinality, s->cardinality, sizeof s->cardinality);
    for (int64_t i = 0; i < s->count; i++) point_from_saved(&path.table, i, &s->point[i]);
    return path;
}

int path_save(const gamma_path *path, const inco_stream *stream) {
    const inco_mat *best = &path->best;
    const saved_path s = path_to_save(path);
    if (stream->write(stream->self, &s, sizeof s)) return INCO_EIO;
    if (s.best && stream->write(stream->self, best->data, (size_t)(best->rows * best->cols) * sizeof(double)))
        return INCO_EIO;
    return INCO_OK;
}

static int is_sound(const saved_path *s) {
    const int chosen = s->chosen >= 0 && s->chosen < (s->count > 0 ? s->count : 1);
    return s->count >= 0 && s->count <= PATH_POINTS && chosen && s->cardinalities >= 0 &&
           s->cardinalities <= PATH_CARDINALITIES && s->energy >= 0 && isfinite(s->energy) &&
           (s->begun == 0 || s->max_atoms >= 1) && (s->best != 0) == (s->count > 0 && !s->done) &&
           s->point[s->chosen].gamma_relative >= 0;
}

int path_resume(gamma_path *path, const inco_mat *d, const inco_stream *stream, inco_error *error) {
    saved_path s;
    int64_t row, col;
    int status = INCO_OK;
    if (stream->read(stream->self, &s, sizeof s)) TRY(error_set(error, INCO_EFORMAT, "the checkpoint ends too early"));
    if (s.version != SAVED_VERSION)
        TRY(error_set(error, INCO_EFORMAT,
                      "the checkpoint was written by another "
                      "version of inco"));
    if (!is_sound(&s)) TRY(error_set(error, INCO_EFORMAT, "the checkpoint is damaged"));
    *path = path_from_saved(&s);
    if (!s.best) goto done;
    TRY(inco_mat_new(&path->best, INCO_F64, d->rows, d->cols, error));
    if (stream->read(stream->self, path->best.data, (size_t)(d->rows * d->cols) * sizeof(double)))
        TRY(error_set(error, INCO_EFORMAT, "the checkpoint ends too early"));
    if (mat_find_nonfinite(&path->best, &row, &col)) TRY(error_set(error, INCO_EFORMAT, "the checkpoint is damaged"));
done:
    return status;
}
