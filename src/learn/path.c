#include "learn/path.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "data/residuals.h"
#include "design/design_options.h"
#include "learn/checkpoint.h"
#include "learn/learn_options.h"
#include "learn/learner_state.h"
#include "learn/penalty.h"
#include "learn/steer.h"
#include "mat/mat.h"

enum { STEP = 10, MIN_HELD = 100, MAX_HELD = 10000 }; /* every STEP-th signal is held out, or fewer */
enum { FIRST = 6 };                                   /* iterations before the points */
static const double START = 0.1;                      /* weight of those before */
static const double LEAST = 1e-3;                     /* lower limit of residuals */

static path_goal goal_of(const inco_options *o) {
    const penalty_options *own = penalty_options_of(o);
    if (!isnan(own->target_error)) return (path_goal){PATH_ERROR, own->target_error};
    return isnan(own->target_rms) ? (path_goal){PATH_AUTO, 0} : (path_goal){PATH_RMS, own->target_rms};
}

int path_wanted(const inco_options *o) {
    return penalty_options_of(o)->gamma == OPTION_AUTO || goal_of(o).kind != PATH_AUTO;
}

void path_free(gamma_path *path) {
    holdout_free(&path->split);
    inco_mat_free(&path->start);
    inco_mat_free(&path->best);
    *path = (gamma_path){0};
}

/* ---- The learner of a point ---- */

static penalty_options fixed(double gamma, double relative) {
    return (penalty_options){.gamma = gamma, .gamma_relative = relative, .target_rms = NAN, .target_error = NAN};
}

static void set_weight(learner *l, const path_task *task, double weight) {
    penalty_options own = *penalty_options_of(task->options); /* steered by its target */
    if (!isnan(weight)) own = fixed(NAN, weight);
    *(penalty_options *)options_edit(l->options, &penalty_part) = own;
}

static int iterate(const gamma_path *path, const path_task *task, int64_t iterations, inco_error *error) {
    const int held_out = path->goal.kind == PATH_AUTO;
    learner *l = task->learner;
    learn_options *own = options_edit(l->options, &learn_part);
    own->iterations = iterations;
    own->schedule = SCHEDULE_BATCH;
    learner_set_signals(l, held_out ? &path->split.kept.source : task->signals, held_out ? path->split.step : 0);
    l->progress.points = path_planned(&path->goal);
    int status = learner_begin(l, task->began, error);
    return status < 0 ? status : learner_iterate(l, error);
}

/* Whether the option stop-seconds ended the iterations early: a resumed run continues there. */
static int is_cut(const learner *l, int64_t iterations) {
    return l->iteration < iterations && !strcmp(l->info.stopped_by, "seconds");
}

/* The initial dictionary of all points. */
static int begin(gamma_path *path, const path_task *task, inco_error *error) {
    learner *l = task->learner;
    int status;
    l->progress.point = 0;
    set_weight(l, task, START);
    if ((status = iterate(path, task, FIRST, error)) != INCO_OK || is_cut(l, FIRST)) return status;
    if ((status = mat_convert(&path->start, &l->d, INCO_F64, error)) < 0) return status;
    path->energy = l->energy;
    path->begun = 1;
    return INCO_OK;
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

static int score(gamma_path *path, learner *l, inco_path_point *point, double *residual, inco_error *error) {
    if (!path->table.path.count) path->max_atoms = (int64_t)fmax(1, round(l->info.mean_cardinality));
    const residuals_task task = {.dictionary = &l->result,
                                 .signals = &path->split.held.source,
                                 .max_atoms = path->max_atoms,
                                 .threads = l->threads,
                                 .watch = options_watcher(l->options)};
    inco_residuals r = INCO_INIT(inco_residuals);
    int status = residuals_measure(&task, &r, error);
    if (status == INCO_OK) {
        point->judgement = judge(&r);
        pick_residuals(&path->table, residual, &r, path->max_atoms);
    }
    inco_residuals_free(&r);
    return status;
}

/* ---- A point ---- */

static inco_path_point point_of(const inco_learn_info *info, double weight) {
    return (inco_path_point){.size = sizeof(inco_path_point),
                             .gamma = info->gamma,
                             .gamma_relative = isnan(weight) ? info->gamma_relative : weight,
                             .coherence_max = info->coherence_max,
                             .coherence_rms = info->coherence_rms,
                             .singular_max = info->singular_max,
                             .singular_min = info->singular_min,
                             .relative_error = info->relative_error,
                             .mean_cardinality = info->mean_cardinality};
}

static path_end end_of(const learner *l) {
    return (path_end){.objective = l->info.objective,
                      .iterations = l->iteration,
                      .replaced = l->info.replaced,
                      .replaced_coherent = l->info.replaced_coherent,
                      .replaced_exchanged = l->info.replaced_exchanged,
                      .spread_passes = l->info.spread_passes,
                      .spread_pairs = l->info.spread_pairs,
                      .by_change = !strcmp(l->info.stopped_by, "change")};
}

static int tell_point(learner *l, const inco_path_point *point) {
    inco_progress *now = &l->progress;
    now->gamma = point->gamma;
    now->relative_error = point->relative_error; /* in the resulting dictionary */
    now->mean_cardinality = point->mean_cardinality;
    now->coherence_max = point->coherence_max;
    now->coherence_rms = point->coherence_rms;
    return learner_tell(l, "point");
}

/* Measures the result of the learner on all signals, as it is written if the point is chosen. */
static int add_point(gamma_path *path, const path_task *task, double weight, inco_error *error) {
    path_table *t = &path->table;
    learner *l = task->learner;
    double residual[PATH_CARDINALITIES] = {0};
    int status;
    learner_set_signals(l, task->signals, 0);
    l->energy = path->energy; /* also if resumed after the last iteration */
    const path_end end = end_of(l);
    if ((status = learner_finish(l, INCO_OK, error)) != INCO_OK) goto done;
    inco_path_point point = point_of(&l->info, weight);
    if (path->goal.kind == PATH_AUTO && (status = score(path, l, &point, residual, error)) != INCO_OK) goto done;
    path_insert(t, &path->goal, &point, residual);
    path->under_way = 0;
    if (t->point[t->path.chosen].order == t->path.count) {
        path->end = end;
        inco_mat_free(&path->best);
        TRY(mat_convert(&path->best, &l->d, INCO_F64, error));
    }
    t->path.held_out = path->goal.kind == PATH_AUTO ? path->split.held.source.count : 0;
    t->path.seconds = clock_seconds() - task->began;
    status = tell_point(l, &point);
done:
    return status;
}

static int run_point(gamma_path *path, const path_task *task, double weight, inco_error *error) {
    learner *l = task->learner;
    inco_mat d = {0};
    int status;
    if (!path->under_way) {
        if ((status = mat_convert(&d, &path->start, INCO_F64, error)) < 0) return status;
        learner_restart(l);
        learner_take_dictionary(l, &d);
    }
    path->under_way = 1;
    l->progress.point = path->table.path.count + 1;
    set_weight(l, task, weight);
    status = iterate(path, task, path->iterations, error);
    if (status != INCO_OK || is_cut(l, path->iterations)) return status;
    return add_point(path, task, weight, error);
}

/* ---- All of them ---- */

/* Time is checked after every iteration, and here between the points. */
static int run_points(gamma_path *path, const path_task *task, int64_t *left, inco_error *error) {
    const int64_t before = task->learner->iteration;
    const double limit = design_options_of(task->options)->stop_seconds;
    double weight;
    int status = path->begun ? INCO_OK : begin(path, task, error);
    int worked = !path->begun || task->learner->iteration > before; /* a resumed run takes at least one step */
    while ((*left = path_next(&path->table, &path->goal, &weight)) && status == INCO_OK) {
        const int late = limit > 0 && clock_seconds() - task->began >= limit;
        if (!path->begun || (worked && late)) break;
        status = run_point(path, task, weight, error);
        worked = 1;
        if (path->under_way) break;
    }
    return status;
}

/* Gives the learner the dictionary and the state of the chosen point. */
static int take_chosen(gamma_path *path, const path_task *task, int64_t left, inco_error *error) {
    const inco_path *table = &path->table.path;
    const path_end *end = &path->end;
    learner *l = task->learner;
    inco_mat d = {0};
    int status = mat_convert(&d, &path->best, INCO_F64, error);
    if (status < 0) return status;
    learner_restart(l);
    learner_take_dictionary(l, &d);
    path->under_way = 0; /* a point that was cut short starts again */
    *(penalty_options *)options_edit(l->options, &penalty_part) = fixed(path->table.point[table->chosen].gamma, 0);
    l->iteration = end->iterations;
    l->energy = path->energy;
    l->info.objective = end->objective;
    l->info.replaced = end->replaced;
    l->info.replaced_coherent = end->replaced_coherent;
    l->info.replaced_exchanged = end->replaced_exchanged;
    l->info.spread_passes = end->spread_passes;
    l->info.spread_pairs = end->spread_pairs;
    l->info.stopped_by = left ? "seconds" : end->by_change ? "change" : "iterations";
    return learner_begin(l, task->began, error);
}

/* The same split in every run of a handle, and after a resume. Few distinct signals may all be on one side. */
static int split(gamma_path *path, const path_task *task, inco_error *error) {
    const int64_t count = task->signals->count, step = count / MAX_HELD > STEP ? count / MAX_HELD : STEP;
    if (count / STEP < MIN_HELD)
        return error_set(
            error, INCO_EDATA,
            "option 'gamma' = 'auto' holds out one signal of %d, and needs %d signals or more, not %lld; give option "
            "'gamma' or 'gamma-relative' a number",
            (int)STEP, (int)(STEP * MIN_HELD), (long long)count);
    if (path->split.kept.from) return INCO_OK;
    int status = holdout_make(&path->split, task->signals, step, task->learner->threads, error);
    if (status >= 0 && (!path->split.kept.source.count || !path->split.held.source.count))
        status = error_set(error, INCO_EDATA,
                           "option 'gamma' = 'auto' needs more distinct signals than these: give option 'gamma' or "
                           "'gamma-relative' a number");
    return status;
}

static int check(gamma_path *path, const path_task *task, inco_error *error) {
    const int64_t iterations = learn_options_of(task->options)->iterations;
    const penalty_options *own = penalty_options_of(task->options);
    const inco_mat *d = &task->learner->d;
    const int64_t atoms = d->data ? d->cols : design_options_of(task->options)->atoms;
    path->goal = goal_of(task->options);
    if (path->iterations > 0 && path->iterations != iterations)
        return error_set(error, INCO_EINVAL,
                         "option 'iterations' is %lld, but was %lld for the points of the regularisation path in the "
                         "checkpoint",
                         (long long)iterations, (long long)path->iterations);
    path->iterations = iterations;
    if (path->goal.kind == PATH_AUTO) return split(path, task, error);
    if (atoms == OPTION_UNSET) return INCO_OK;
    return steer_check(own->target_rms, own->target_error, learner_rank(task->learner), atoms, error);
}

int path_run(gamma_path *path, const path_task *task, inco_error *error) {
    int64_t left = 1;
    int status, stopped;
    TRY(check(path, task, error));
    TRY(stopped = run_points(path, task, &left, error));
    path->table.path.points = path->table.path.count + left;
    if (path->goal.kind == PATH_AUTO) path->table.path.points = path_planned(&path->goal);
    if (path->table.path.count) TRY(take_chosen(path, task, left, error));
    learner_set_signals(task->learner, task->signals, 0);
    status = stopped;
done:
    return status;
}

/* ---- Checkpoints ---- */

enum { SAVED_VERSION = 3 };

/* Part of a checkpoint: fields of 8 bytes, which stay the same while the structs of the interface grow. */
typedef struct saved_point {
    double gamma, gamma_relative, coherence_max, coherence_rms, singular_max, singular_min;
    double relative_error, mean_cardinality, judgement, cost, residual[PATH_CARDINALITIES];
    int64_t order;
} saved_point;

typedef struct saved_path {
    int64_t version, begun, under_way, max_atoms, iterations; /* `start` follows if begun, `best` if there are points */
    int64_t count, chosen, held_out, cardinalities, cardinality[PATH_CARDINALITIES];
    double energy, noise, seconds;
    path_end end;
    saved_point point[PATH_MAX];
} saved_path;

static saved_point point_to_save(const path_table *table, int64_t i) {
    const inco_path_point *p = &table->point[i];
    saved_point s = {.gamma = p->gamma,
                     .gamma_relative = p->gamma_relative,
                     .coherence_max = p->coherence_max,
                     .coherence_rms = p->coherence_rms,
                     .singular_max = p->singular_max,
                     .singular_min = p->singular_min,
                     .relative_error = p->relative_error,
                     .mean_cardinality = p->mean_cardinality,
                     .judgement = p->judgement,
                     .cost = p->cost,
                     .order = p->order};
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
                                        .cost = s->cost,
                                        .order = s->order};
    memcpy(table->residual[i], s->residual, sizeof s->residual);
}

static saved_path path_to_save(const gamma_path *path) {
    const inco_path *p = &path->table.path;
    saved_path s = {.version = SAVED_VERSION,
                    .begun = path->begun,
                    .under_way = path->under_way,
                    .max_atoms = path->max_atoms,
                    .iterations = path->iterations,
                    .count = p->count,
                    .chosen = p->chosen,
                    .held_out = p->held_out,
                    .cardinalities = p->cardinalities,
                    .energy = path->energy,
                    .noise = p->noise,
                    .seconds = p->seconds,
                    .end = path->end};
    memcpy(s.cardinality, path->table.cardinality, sizeof s.cardinality);
    for (int64_t i = 0; i < p->count; i++) s.point[i] = point_to_save(&path->table, i);
    return s;
}

static gamma_path path_from_saved(const saved_path *s) {
    gamma_path path = {.begun = s->begun,
                       .under_way = s->under_way,
                       .max_atoms = s->max_atoms,
                       .iterations = s->iterations,
                       .energy = s->energy,
                       .end = s->end};
    path.table.path = (inco_path){.size = sizeof(inco_path),
                                  .count = s->count,
                                  .chosen = s->chosen,
                                  .held_out = s->held_out,
                                  .cardinalities = s->cardinalities,
                                  .noise = s->noise,
                                  .seconds = s->seconds};
    memcpy(path.table.cardinality, s->cardinality, sizeof s->cardinality);
    for (int64_t i = 0; i < s->count; i++) point_from_saved(&path.table, i, &s->point[i]);
    return path;
}

static int save_matrix(const inco_mat *m, const inco_stream *stream) {
    return stream->write(stream->self, m->data, (size_t)(m->rows * m->cols) * sizeof(double));
}

int path_save(const gamma_path *path, const inco_stream *stream) {
    const saved_path s = path_to_save(path);
    if (stream->write(stream->self, &s, sizeof s)) return INCO_EIO;
    if (s.begun && save_matrix(&path->start, stream)) return INCO_EIO;
    return s.count > 0 && save_matrix(&path->best, stream) ? INCO_EIO : INCO_OK;
}

static int is_flag(int64_t value) {
    return value == 0 || value == 1;
}

static int is_sound(const saved_path *s) {
    const path_end *end = &s->end;
    if (s->count < 0 || s->count > PATH_MAX || !is_flag(s->begun) || !is_flag(s->under_way)) return 0;
    if (s->cardinalities < 0 || s->cardinalities > PATH_CARDINALITIES) return 0;
    if (s->iterations < 0 || (double)s->iterations > OPTION_MANY || (double)end->iterations > OPTION_MANY) return 0;
    if (s->count == 0) return s->chosen == 0;
    for (int64_t i = 0; i < s->count; i++)
        if (!(s->point[i].gamma_relative >= 0) || !(s->point[i].gamma >= 0) || s->point[i].order < 1) return 0;
    return s->begun && s->chosen >= 0 && s->chosen < s->count && s->max_atoms >= 0 && isfinite(s->energy) &&
           end->iterations >= 0 && is_flag(end->by_change);
}

static int read_matrix(inco_mat *m, const inco_mat *d, const inco_stream *stream, inco_error *error) {
    int status;
    TRY(inco_mat_new(m, INCO_F64, d->rows, d->cols, error));
    TRY(checkpoint_read(stream, m->data, (size_t)(d->rows * d->cols) * sizeof(double), error));
    if (!mat_is_normalized(m)) TRY(checkpoint_damaged(error));
done:
    return status;
}

int path_resume(gamma_path *path, const inco_mat *d, const inco_stream *stream, inco_error *error) {
    saved_path s;
    int status;
    TRY(checkpoint_read(stream, &s, sizeof s, error));
    if (s.version != SAVED_VERSION) TRY(checkpoint_other_version(error));
    if (!is_sound(&s)) TRY(checkpoint_damaged(error));
    *path = path_from_saved(&s);
    if (s.begun) TRY(read_matrix(&path->start, d, stream, error));
    if (s.count > 0) TRY(read_matrix(&path->best, d, stream, error));
done:
    return status;
}
