/* inco_frame: search from several random initial frames (docs/theory/frame.md). */
#include <math.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "base/common.h"
#include "base/error.h"
#include "base/handle.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/range.h"
#include "base/rng.h"
#include "base/sized.h"
#include "design/anneal.h"
#include "design/design_options.h"
#include "mat/blas.h"
#include "mat/mat.h"
#include "metric/coherence.h"

typedef struct frame_options {
    int64_t dim, tight, starts, steps;
} frame_options;
OPTIONS_DECLARE(frame)

/* All initial frames pass the levels up to HALFWAY, the best quarter of them the other levels. */
enum { HALFWAY = 7, KEPT_MAX = 16, STARTS_MAX = 64, STEPS_MAX = 1000, STEPS_USUAL = 300, STEPS_LEAST = 20 };
enum { APART = 1000000 };          /* D L; larger frames are processed one by one, on all threads */
static const double EXACT = 1e-12; /* coherences closer than this to the bound attain it */
/* D L^2 times the number of starts, and of steps per level. */
static const double STARTS_WORK = 2e7, STEPS_WORK = 4.8e10;

typedef struct candidate {
    inco_mat d;
    double coherence;
    int64_t start;
} candidate;

typedef struct search {
    const frame_options *own;
    const watcher *watch;
    double stop_seconds;
    uint64_t seed;
    int64_t dim, atoms, starts, kept;
    int threads, steps;
    int apart;     /* several candidates at once, one per thread */
    int64_t batch; /* number of candidates at once */
    double bound, began;
    inco_progress progress;
    const char *stopped_by;
    atomic_int stop;    /* seen by all threads */
    int64_t done;       /* completed steps, as counted by progress */
    int first_level;    /* of the current pass */
    candidate *best;    /* by ascending coherence; entries without data are free */
    candidate *running; /* one per thread */
    int64_t first;      /* number of running[0] */
} search;

/* ---- Options ---- */

static int check(const inco_options *options, inco_error *error) {
    const int64_t dim = common_options_of(options)->dim, atoms = design_options_of(options)->atoms;
    if (dim == OPTION_UNSET || atoms == OPTION_UNSET)
        return error_set(error, INCO_EINVAL, "size of the frame missing: options 'dim' and 'atoms'");
    if (frame_options_of(options)->tight && atoms < dim)
        return error_set(error, INCO_EINVAL,
                         "%lld atoms cannot be a tight frame of %lld dimensions: it needs at least as many atoms as "
                         "dimensions",
                         (long long)atoms, (long long)dim);
    return INCO_OK;
}

static const option_row rows[] = {
    FLAG_OPTION(frame_options, tight, "tight", INCO_FRAME, "Dictionary",
                "frame: make it tight, D D' = (L / D) I, with the lowest coherence found"),
    INTEGER_OPTION(frame_options, starts, "starts", "N", NULL, 1, OPTION_MANY, INCO_FRAME, "Dictionary",
                   "frame: number of random initial frames; the best result is returned (default: by size, from 64 "
                   "for small frames to 1 for large ones)"),
    INTEGER_OPTION(frame_options, steps, "steps", "N", NULL, 1, OPTION_MANY, INCO_FRAME, "Dictionary",
                   "frame: L-BFGS iterations for each order of the p-norm (default: by size, 300 to 1000, down to "
                   "20 for large frames)"),
};

const options_part frame_part = {OPTIONS_PART(rows, frame_options), .commands = INCO_FRAME, .check = check};

/* ---- Effort ---- */

static double clamp(double value, double low, double high) {
    return fmin(fmax(value, low), high);
}

/* The work of one step is D L^2. Small frames gain by more starts, large ones by more steps. */
static void choose_effort(search *s) {
    const double numbers = (double)s->dim * (double)s->atoms, work = numbers * (double)s->atoms;
    const double careful = clamp(numbers / 12, STEPS_USUAL, STEPS_MAX);
    s->starts = (int64_t)clamp(STARTS_WORK / work, 1, STARTS_MAX);
    s->steps = (int)clamp(STEPS_WORK / work, STEPS_LEAST, careful);
    if (s->own->starts != OPTION_UNSET) s->starts = s->own->starts;
    if (s->own->steps != OPTION_UNSET) s->steps = (int)s->own->steps;
    s->kept = s->starts <= 2 ? s->starts : (s->starts + 3) / 4;
    if (s->kept > KEPT_MAX) s->kept = KEPT_MAX;
    s->apart = s->starts > 1 && numbers <= APART;
    s->batch = s->apart ? s->threads : 1;
}

/* Number of steps that progress reports. */
static int64_t count_steps(const search *s) {
    const int64_t halfway = HALFWAY - ANNEAL_FIRST + 1, after = ANNEAL_LAST - HALFWAY;
    if (s->apart) return range_blocks(s->starts, s->batch) + range_blocks(s->kept, s->batch);
    return s->starts * halfway + s->kept * after;
}

/* ---- Progress ---- */

/* Called on the caller's thread only. A nonzero result stops. */
static int tell(search *s, double mu) {
    s->progress.coherence_max = mu;
    s->progress.seconds = clock_seconds() - s->began;
    if (watcher_tell(s->watch, &s->progress)) s->stopped_by = "callback";
    if (s->stop_seconds > 0 && s->progress.seconds >= s->stop_seconds) s->stopped_by = "seconds";
    if (s->stopped_by) atomic_store(&s->stop, 1);
    return s->stopped_by != NULL;
}

static int tell_level(void *self, int level, double mu) {
    search *s = self;
    s->progress.iteration = s->done + 1 + (s->apart ? 0 : level - s->first_level);
    return tell(s, mu);
}

/* Called on the other threads. */
static int ask_level(void *self, int level, double mu) {
    (void)level, (void)mu;
    return atomic_load(&((search *)self)->stop);
}

/* ---- Candidates ---- */

/* Passes a candidate through levels: on this thread if there are several candidates at once, else on all. Thread 0 is
 * the caller's. */
static int anneal_levels(search *s, candidate *c, const int levels[2], int thread, inco_error *error) {
    const anneal_settings settings = {.first = levels[0],
                                      .last = levels[1],
                                      .iterations = s->steps,
                                      .tight = s->own->tight != 0,
                                      .target = s->bound + EXACT,
                                      .threads = s->apart ? 1 : s->threads,
                                      .tell = thread == 0 ? tell_level : ask_level,
                                      .self = s};
    return anneal(&c->d, &settings, &c->coherence, error);
}

static int run_start(void *self, int64_t i, int thread, inco_error *error) {
    search *s = self;
    candidate *c = &s->running[i];
    const uint64_t start = (uint64_t)(s->first + i), from = start << 40;
    for (int64_t j = 0; j < c->d.cols; j++)
        for (int64_t k = 0; k < c->d.rows; k++)
            mat_set(&c->d, k, j, rng_normal(s->seed, RNG_FRAME, from + (uint64_t)(j * c->d.rows + k)));
    mat_normalize_columns(&c->d, NULL);
    c->start = (int64_t)start;
    return anneal_levels(s, c, (const int[]){ANNEAL_FIRST, HALFWAY}, thread, error);
}

static int finish_one(void *self, int64_t i, int thread, inco_error *error) {
    search *s = self;
    return anneal_levels(s, &s->best[s->first + i], (const int[]){HALFWAY + 1, ANNEAL_LAST}, thread, error);
}

/* Runs `body` for `count` candidates, from s->first on. */
static int run_batch(search *s, int64_t count, parallel_body body, inco_error *error) {
    const int start = body == run_start;
    s->first_level = start ? ANNEAL_FIRST : HALFWAY + 1;
    int status = s->apart ? parallel_for(s->threads, count, body, s, error) : body(s, 0, 0, error);
    s->done += s->apart ? 1 : start ? HALFWAY - ANNEAL_FIRST + 1 : ANNEAL_LAST - HALFWAY;
    return status;
}

/* Whether the coherence of a candidate attains the bound. */
static int is_exact(const search *s, const candidate *c) {
    return c->coherence <= s->bound + EXACT;
}

static int better(const search *s, const candidate *a, const candidate *b) {
    if (!b->d.data) return 1;
    if (is_exact(s, a) && is_exact(s, b)) return a->start < b->start;
    return a->coherence < b->coherence || (a->coherence == b->coherence && a->start < b->start);
}

/* Inserts a candidate into `best`; the one that drops out is swapped into it, for reuse of its memory. */
static void keep(search *s, candidate *c) {
    for (int64_t k = 0; k < s->kept; k++)
        if (better(s, c, &s->best[k])) {
            const candidate pushed = s->best[k];
            s->best[k] = *c;
            *c = pushed;
            if (!pushed.d.data) return;
        }
}

static int64_t batch_from(const search *s, int64_t end) {
    return range_min(end - s->first, s->batch);
}

/* If several of a batch attain the bound, the one with the lowest number is kept: the result does not depend on
 * threads. */
static int run_starts(search *s, inco_error *error) {
    int status = INCO_OK;
    for (int64_t count; s->first < s->starts && !s->stopped_by; s->first += count) {
        count = batch_from(s, s->starts);
        for (int64_t i = 0; i < count; i++)
            if (!s->running[i].d.data) TRY(mat_new_raw(&s->running[i].d, INCO_F64, s->dim, s->atoms, error));
        TRY(run_batch(s, count, run_start, error));
        for (int64_t i = 0; i < count; i++) keep(s, &s->running[i]);
        if (is_exact(s, &s->best[0])) s->stopped_by = "bound";
    }
done:
    return status;
}

/* Passes the candidates kept through the other levels; the best ends in best[0]. */
static int finish(search *s, inco_error *error) {
    int64_t lowest = 0, end = 0;
    int status = INCO_OK;
    while (end < s->kept && s->best[end].d.data) end++;
    s->first = 0;
    for (int64_t count; s->first < end && !s->stopped_by; s->first += count) {
        count = batch_from(s, end);
        TRY(run_batch(s, count, finish_one, error));
        for (int64_t k = s->first; k < s->first + count; k++)
            if (!is_exact(s, &s->best[lowest]) && s->best[k].coherence < s->best[lowest].coherence) lowest = k;
        if (is_exact(s, &s->best[lowest])) s->stopped_by = "bound";
    }
    const candidate found = s->best[lowest];
    s->best[lowest] = s->best[0];
    s->best[0] = found;
done:
    return status;
}

/* ---- The call ---- */

static int measure(const inco_mat *d, inco_frame_info *info, inco_error *error) {
    inco_mat gap = {0}, wide = {0};
    coherence mu;
    double *norm = NEW_RAW(double, d->cols);
    int status = norm ? INCO_OK : error_no_memory(error);
    if (status < 0) goto done;
    for (int64_t j = 0; j < d->cols; j++) norm[j] = mat_column_norm(d, j);
    const gram_atoms atoms = {d, NULL, norm, d->cols};
    TRY(coherence_measure_atoms(&atoms, (int)info->threads, &mu, error));
    TRY(mat_convert(&wide, d, INCO_F64, error));
    TRY(mat_new_raw(&gap, INCO_F64, d->rows, d->rows, error));
    blas_multiply((int)info->threads, "NT", 1, &wide, &wide, 0, &gap);
    for (int64_t i = 0; i < d->rows; i++) mat_set(&gap, i, i, mat_get(&gap, i, i) - (double)d->cols / (double)d->rows);
    info->coherence_max = mu.max;
    info->coherence_rms = mu.rms;
    info->tightness = blas_largest(d->rows * d->rows, gap.data);
done:
    inco_mat_free(&gap);
    inco_mat_free(&wide);
    memory_free(norm);
    return status;
}

static int run(search *s, inco_mat *frame, inco_frame_info *info, inco_error *error) {
    int status = INCO_OK;
    s->best = NEW(candidate, s->kept);
    s->running = NEW(candidate, s->threads);
    if (!s->best || !s->running) TRY(error_no_memory(error));
    if (s->atoms <= s->dim) { /* unit vectors along the axes */
        TRY(inco_mat_new(&s->best[0].d, INCO_F64, s->dim, s->atoms, error));
        for (int64_t j = 0; j < s->atoms; j++) mat_set(&s->best[0].d, j, j, 1);
        s->stopped_by = "bound";
    } else {
        TRY(run_starts(s, error));
    }
    info->starts = s->first;
    if (s->atoms > s->dim && is_exact(s, &s->best[0])) info->starts = s->best[0].start + 1;
    TRY(finish(s, error));
    TRY(mat_convert(frame, &s->best[0].d, info->precision, error));
    TRY(measure(frame, info, error));
    info->start = s->best[0].start;
    info->stopped_by = s->stopped_by ? s->stopped_by : "orders";
    status = info->stopped_by[0] == 'c' ? INCO_STOPPED : INCO_OK;
done:
    for (int64_t k = 0; s->best && k < s->kept; k++) inco_mat_free(&s->best[k].d);
    for (int k = 0; s->running && k < s->threads; k++) inco_mat_free(&s->running[k].d);
    memory_free(s->best);
    memory_free(s->running);
    return status;
}

static int design(const inco_options *o, inco_mat *frame, inco_frame_info *info, inco_error *error) {
    const frame_options *own = frame_options_of(o);
    search s = {.own = own,
                .watch = options_watcher(o),
                .dim = common_options_of(o)->dim,
                .atoms = design_options_of(o)->atoms,
                .stop_seconds = design_options_of(o)->stop_seconds,
                .seed = common_seed(o),
                .began = clock_seconds()};
    int status = check(o, error);
    if (status < 0) return status;
    s.threads = common_threads(o);
    s.bound = coherence_bound(s.dim, s.atoms);
    *info = (inco_frame_info){.size = sizeof *info,
                              .dim = s.dim,
                              .atoms = s.atoms,
                              .precision = common_precision(o, INCO_F64),
                              .welch = s.bound,
                              .threads = s.threads};
    choose_effort(&s);
    s.progress = (inco_progress){.size = sizeof s.progress, .phase = "frame", .iterations = count_steps(&s)};
    status = blas_enter(s.threads, error);
    if (status >= 0) status = run(&s, frame, info, error);
    blas_leave();
    info->seconds_total = clock_seconds() - s.began;
    return status;
}

int inco_frame(const inco_options *options, inco_mat *frame, inco_frame_info *info, inco_error *error) {
    inco_frame_info own;
    int status;
    if (!frame) return error_null(error, "frame");
    *frame = (inco_mat){0};
    TRY(handle_need(options, "options", error));
    TRY(SIZED_CHECK(inco_frame_info, info, error));
    TRY(design(options, frame, &own, error));
    sized_give(info, &own, sizeof own);
done:
    return status;
}
