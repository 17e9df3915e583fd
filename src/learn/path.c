#include "learn/path.h"

#include <math.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/options.h"
#include "learn/holdout.h"
#include "learn/learner.h"
#include "learn/residuals.h"
#include "mat/mat.h"

static const double weights[] = {0, 0.001, 0.01, 0.1, 1, 10}; /* in units of ||X||^2 / L */
enum { POINTS = sizeof weights / sizeof *weights };
_Static_assert((int)POINTS <= (int)INCO_PATH_MAX, "inco_path needs a place for every point");

enum { STEP = 10, HELD_LEAST = 100, HELD_MOST = 10000 }; /* every STEP-th signal is held out, or fewer */
enum { FIRST = 6, MORE = 3 };                            /* iterations before the points, and of each */
static const double START = 0.1;                         /* the weight of those before */
static const double NOISE = 0.01;                        /* in (PATH-1), as a logarithm */
static const double LEAST = 1e-3;                        /* smaller residuals count as this */

/* A learner inside the learner, on the signals that are not held out. */
typedef struct trial {
    inco_learner *outer, *inner;
    holdout split;
} trial;

int path_wanted(const inco_options *o) {
    return o->gamma == OPTION_AUTO;
}

const inco_mat *path_dictionary(const inco_learner *learner) {
    return learner->path.best.data ? &learner->path.best : &learner->d;
}

double path_gamma_relative(const inco_learner *learner) {
    return learner->info.path.point[learner->info.path.chosen].gamma_relative;
}

void path_free(gamma_path *path) {
    inco_mat_free(&path->best);
    *path = (gamma_path){0};
}

/* ---- Learning with one weight ---- */

static int show(void *self, const inco_progress *now) {
    inco_learner *learner = self;
    const int64_t point = learner->progress.point;
    learner->progress = *now;
    learner->progress.point = point;
    learner->progress.points = POINTS;
    return learner_tell(learner, "path");
}

static double seconds_left(const inco_learner *learner) {
    return learner->options->stop_seconds - (clock_seconds() - learner->start);
}

/* The signals come centred and scaled from the learner. */
static inco_options *trial_options(const inco_learner *learner, double weight, int64_t iterations) {
    inco_options *o = inco_options_copy(learner->options);
    if (!o) return NULL;
    o->gamma = NAN;
    o->gamma_relative = weight;
    o->iterations = iterations;
    o->center = CENTER_NONE;
    o->normalize = NORMALIZE_NONE;
    o->stop_change = 0;
    if (o->stop_seconds > 0) o->stop_seconds = fmax(seconds_left(learner), 1e-9);
    return o;
}

static void add_seconds(inco_learner *learner, const inco_learn_info *info) {
    learner->info.seconds_code += info->seconds_code;
    learner->info.seconds_update += info->seconds_update;
    learner->info.seconds_io += info->seconds_io;
    learner->info.seconds_spread += info->seconds_spread;
}

static int learn_with(trial *t, double weight, int64_t iterations, inco_error *error) {
    inco_learner *outer = t->outer;
    inco_options *o = trial_options(outer, weight, iterations);
    int status;
    inco_learner_free(t->inner);
    t->inner = NULL;
    if (!o) TRY(error_no_memory(error));
    TRY(inco_learner_new(&t->inner, &t->split.kept, o, error));
    if (outer->d.data) TRY(inco_learner_start_from(t->inner, &outer->d, error));
    inco_learner_on_progress(t->inner, show, outer);
    TRY(inco_learner_run(t->inner, error));
    add_seconds(outer, &t->inner->info);
done:
    inco_options_free(o);
    return status;
}

/* ---- Judging ---- */

/* (PATH-1) */
static double judge(const inco_residuals *r) {
    double sum = 0;
    for (int64_t i = 0; i < r->count; i++) sum += log(fmax(r->median[i], LEAST));
    return sum / (double)r->count;
}

/* The residuals to tell: with a quarter, with half and with all of the atoms that judge. */
static void pick_residuals(inco_path *path, inco_path_point *point, const inco_residuals *r, int64_t most) {
    path->cardinalities = 0;
    for (int64_t part = 4; part >= 1; part /= 2) {
        int64_t i = r->count - 1, n = path->cardinalities;
        while (i > 0 && (double)part * r->cardinality[i] > (double)most) i--;
        const int64_t k = (int64_t)r->cardinality[i];
        if (n > 0 && path->cardinality[n - 1] == k) continue;
        path->cardinality[n] = k;
        point->residual[n] = r->median[i];
        path->cardinalities++;
    }
}

/* The largest weight that is within the noise of the best: taken in rising order, a point that is so now takes over. */
static void choose(inco_path *path) {
    double lowest = INFINITY;
    for (int64_t i = 0; i < path->count; i++) {
        if (path->point[i].judgement <= lowest + NOISE) path->chosen = i;
        lowest = fmin(lowest, path->point[i].judgement);
    }
    for (int64_t i = 0; i < path->count; i++) path->point[i].cost = expm1(path->point[i].judgement - lowest);
}

static int measure_point(trial *t, inco_path_point *point, inco_error *error) {
    inco_learner *outer = t->outer;
    const inco_learn_info *info = &t->inner->info;
    inco_residuals r = {0};
    int status;
    TRY(residuals_measure(&t->inner->result, &t->split.held, t->inner->options, outer->path.most, &r, error));
    point->gamma = point->gamma_relative * outer->path.energy / (double)outer->d.cols;
    point->coherence_max = info->coherence_max;
    point->coherence_rms = info->coherence_rms;
    point->singular_max = info->singular_max;
    point->singular_min = info->singular_min;
    point->relative_error = info->relative_error;
    point->mean_cardinality = info->mean_cardinality;
    point->judgement = judge(&r);
    pick_residuals(&outer->info.path, point, &r, outer->path.most);
done:
    inco_residuals_free(&r);
    return status;
}

/* ---- The path ---- */

static void take_dictionary(inco_mat *to, inco_mat *from) {
    inco_mat_free(to);
    *to = *from;
    *from = (inco_mat){0};
}

static int held_energy(const inco_source *held, double *energy, inco_error *error) {
    inco_mat x = {0};
    int status = mat_new_raw(&x, held->type, held->dim, 1, error);
    for (int64_t n = 0; n < held->count && status >= 0; n++) {
        status = held->read(held->self, n, 1, x.data, error);
        if (status >= 0) *energy += mat_column_energy(&x, 0);
    }
    inco_mat_free(&x);
    return status;
}

/* The dictionary that all points start from. */
static int begin(trial *t, inco_error *error) {
    inco_learner *outer = t->outer;
    gamma_path *path = &outer->path;
    outer->progress.point = 0;
    int status = learn_with(t, START, FIRST, error);
    if (status < 0) return status;
    path->energy = t->inner->energy;
    path->most = (int64_t)fmax(1, round(t->inner->info.mean_cardinality));
    take_dictionary(&outer->d, &t->inner->d);
    if (status != INCO_OK) return status;
    path->begun = 1;
    return held_energy(&t->split.held, &path->energy, error);
}

static int add_point(trial *t, inco_error *error) {
    inco_learner *outer = t->outer;
    inco_path *path = &outer->info.path;
    inco_path_point point = {.gamma_relative = weights[path->count]};
    outer->progress.point = path->count + 1;
    int status = learn_with(t, point.gamma_relative, MORE, error);
    if (status == INCO_OK) status = measure_point(t, &point, error);
    if (status != INCO_OK) return status;
    path->point[path->count++] = point;
    path->held_out = t->split.held.count;
    path->noise = NOISE;
    path->seconds += t->inner->info.seconds_total;
    choose(path);
    if (path->chosen == path->count - 1) take_dictionary(&outer->path.best, &t->inner->d);
    outer->progress.gamma = point.gamma;
    outer->progress.relative_error = point.relative_error; /* in the dictionary that came out, as in the path */
    outer->progress.mean_cardinality = point.mean_cardinality;
    return learner_tell(outer, "point");
}

static int make_points(trial *t, inco_error *error) {
    inco_learner *outer = t->outer;
    int status = INCO_OK;
    if (!outer->path.begun) status = begin(t, error);
    while (status == INCO_OK && outer->info.path.count < POINTS) {
        if (outer->options->stop_seconds > 0 && outer->info.path.count > 0 && seconds_left(outer) <= 0) break;
        status = add_point(t, error);
    }
    return status;
}

static int check_count(const inco_learner *learner, inco_error *error) {
    const int64_t count = learner->data.source.count;
    if (count / STEP >= HELD_LEAST) return INCO_OK;
    return error_set(error, INCO_EDATA,
                     "--gamma auto judges by every %dth signal, and needs %d of them: %d signals or more, not %lld; "
                     "give --gamma or --gamma-relative a number",
                     (int)STEP, (int)HELD_LEAST, (int)(STEP * HELD_LEAST), (long long)count);
}

int path_run(inco_learner *learner, inco_error *error) {
    const inco_source *source = &learner->data.source;
    trial t = {.outer = learner};
    int status;
    if (!path_wanted(learner->options) || learner->path.done) return INCO_OK;
    TRY(check_count(learner, error));
    holdout_make(&t.split, source, source->count / HELD_MOST > STEP ? source->count / HELD_MOST : STEP);
    TRY(make_points(&t, error));
    if (status == INCO_OK) {
        take_dictionary(&learner->d, &learner->path.best);
        learner->path.done = 1;
    }
    learner->progress = (inco_progress){.size = sizeof learner->progress};
done:
    inco_learner_free(t.inner);
    return status;
}

/* ---- Checkpoints ---- */

typedef struct saved_path {
    int64_t begun, done, most, best; /* the last: does a dictionary follow? */
    double energy;
    inco_path told;
} saved_path;

int path_save(const inco_learner *learner, const inco_stream *stream) {
    const gamma_path *path = &learner->path;
    const inco_mat *best = &path->best;
    const saved_path s = {path->begun, path->done, path->most, best->data != NULL, path->energy, learner->info.path};
    if (stream->write(stream->self, &s, sizeof s)) return INCO_EIO;
    if (s.best && stream->write(stream->self, best->data, (size_t)(best->rows * best->cols) * sizeof(double)))
        return INCO_EIO;
    return INCO_OK;
}

static int is_sound(const saved_path *s) {
    const inco_path *path = &s->told;
    const int chosen = path->chosen >= 0 && path->chosen < (path->count > 0 ? path->count : 1);
    return path->count >= 0 && path->count <= POINTS && chosen && path->cardinalities >= 0 &&
           path->cardinalities <= INCO_PATH_CARDINALITIES && s->energy >= 0 && isfinite(s->energy) &&
           (s->begun == 0 || s->most >= 1) && (s->best != 0) == (path->count > 0 && !s->done) &&
           path->point[path->chosen].gamma_relative >= 0;
}

int path_resume(inco_learner *learner, const inco_mat *d, const inco_stream *stream, inco_error *error) {
    saved_path s;
    inco_mat best = {0};
    int64_t row, col;
    int status = INCO_OK;
    if (stream->read(stream->self, &s, sizeof s)) TRY(error_set(error, INCO_EFORMAT, "the checkpoint ends too early"));
    if (!is_sound(&s)) TRY(error_set(error, INCO_EFORMAT, "the checkpoint is damaged"));
    if (s.best) {
        TRY(inco_mat_new(&best, INCO_F64, d->rows, d->cols, error));
        if (stream->read(stream->self, best.data, (size_t)(d->rows * d->cols) * sizeof(double)))
            TRY(error_set(error, INCO_EFORMAT, "the checkpoint ends too early"));
        if (mat_find_nonfinite(&best, &row, &col)) TRY(error_set(error, INCO_EFORMAT, "the checkpoint is damaged"));
    }
    path_free(&learner->path);
    learner->path = (gamma_path){s.begun, s.done, s.most, s.energy, best};
    learner->info.path = s.told;
    best = (inco_mat){0};
done:
    inco_mat_free(&best);
    return status;
}
