#include "learn/online.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "code/coder.h"
#include "dict/online.h"
#include "learn/learner.h"
#include "mat/mat.h"
#include "sparse/csc.h"

/* ---- The sums ---- */

void online_free(online_sums *sums) {
    inco_mat_free(&sums->a);
    inco_mat_free(&sums->b);
}

static int make_sums(online_sums *sums, const inco_mat *d, inco_error *error) {
    int status = INCO_OK;
    if (sums->a.data) return status;
    TRY(inco_mat_new(&sums->a, INCO_F64, d->cols, d->cols, error));
    TRY(inco_mat_new(&sums->b, INCO_F64, d->rows, d->cols, error));
done:
    if (status < 0) online_free(sums);
    return status;
}

static int copy_sums(online_sums *to, const online_sums *from, inco_error *error) {
    int status;
    *to = (online_sums){.energy = from->energy, .weight = from->weight};
    TRY(mat_convert(&to->a, &from->a, INCO_F64, error));
    TRY(mat_convert(&to->b, &from->b, INCO_F64, error));
done:
    if (status < 0) online_free(to);
    return status;
}

/* y = keep y + x */
static void blend(const inco_mat *y, double keep, const inco_mat *x) {
    const int64_t n = y->rows * y->cols;
    double *to = y->data;
    const double *from = x->data;
    for (int64_t i = 0; i < n; i++) to[i] = keep * to[i] + from[i];
}

/* (ONLINE-1), (ONLINE-2) */
static void add_batch(online_sums *sums, const statistics *batch, int64_t count, double keep) {
    blend(&sums->a, keep, &batch->a);
    blend(&sums->b, keep, &batch->b);
    sums->energy = keep * sums->energy + batch->energy;
    sums->weight = keep * sums->weight + (double)count;
}

/* An atom that a signal has taken the place of: what was summed for the old one is not its own. */
static void erase_replaced(online_sums *sums, const replacement_list *list) {
    for (int64_t i = 0; i < list->count; i++) {
        const int64_t j = list->item[i].atom;
        for (int64_t k = 0; k < sums->a.rows; k++) {
            mat_set(&sums->a, k, j, 0);
            mat_set(&sums->a, j, k, 0);
        }
        memset(mat_column(&sums->b, j), 0, (size_t)sums->b.rows * sizeof(double));
    }
}

/* ---- A batch ---- */

typedef struct batch_visit {
    inco_learner *learner;
    double rest, energy; /* of the signals of this pass, coded in the dictionaries of their moments */
    int64_t nonzeros;
    double seconds;
} batch_visit;

/* The penalty's weight beside sums that stand for `weight` signals rather than all (ONLINE-3). */
static double gamma_now(const inco_learner *learner) {
    const inco_options *o = learner->options;
    const online_sums *sums = &learner->online;
    if (inco_options_given(o, "gamma")) return o->gamma * sums->weight / (double)learner->data.source.count;
    return inco_options_given(o, "gamma-relative") ? o->gamma_relative * sums->energy / (double)learner->d.cols : 0;
}

static void look_at(batch_visit *v, const pass_group *group, const statistics *batch) {
    learner_note(v->learner, group);
    for (int64_t n = 0; n < group->x->cols; n++) v->rest += group->residual[n];
    v->energy += batch->energy;
    v->nonzeros += csc_nonzeros(group->codes);
}

/* The objective is told of after the last batch of a pass. */
static int update_from_sums(inco_learner *learner, int last, inco_error *error) {
    const online_sums *sums = &learner->online;
    const statistics s = {sums->a, sums->b, sums->energy};
    const update_settings settings = {.gamma = gamma_now(learner), .threads = learner->threads};
    const double scale = (double)learner->data.source.count / sums->weight;
    update_result result;
    int status = online_update(&learner->d, &s, &settings, last ? &result : NULL, error);
    if (status < 0) return status;
    if (last) {
        learner->progress.objective_before = scale * result.before;
        learner->progress.objective = learner->info.objective = scale * result.after;
    }
    learner->progress.update_iterations++;
    return coder_set_dictionary(learner->coder, &learner->d, error);
}

static int visit_batch(void *self, const pass_group *group, inco_error *error) {
    batch_visit *v = self;
    inco_learner *learner = v->learner;
    const int64_t count = learner->data.source.count, seen = group->first + group->x->cols;
    const double start = clock_seconds(), share = (double)group->x->cols / (double)count;
    collector_clear(learner->sums);
    int status = collector_add(learner->sums, group, error);
    if (status < 0) return status;
    const statistics batch = collector_total(learner->sums);
    look_at(v, group, &batch);
    add_batch(&learner->online, &batch, group->x->cols, pow(learner->options->forget, share));
    status = update_from_sums(learner, seen == count, error);
    v->seconds += clock_seconds() - start;
    if (status < 0) return status;
    learner->progress.signals_done = seen;
    return learner_tell(learner, "code");
}

/* ---- A pass ---- */

static int run_batches(inco_learner *learner, batch_visit *v, inco_error *error) {
    pass p = {.source = &learner->data.source,
              .coder = learner->coder,
              .atoms = learner->d.cols,
              .threads = learner->threads,
              .self = v,
              .visit = visit_batch};
    int status = pass_dictionary(&p, &learner->d, error);
    if (status >= 0) status = pass_run_groups(&p, learner->options->batch, error);
    learner->info.seconds_io += p.seconds_io;
    learner->info.seconds_code += learner->progress.seconds_code = p.seconds_code;
    learner->info.seconds_update += learner->progress.seconds_update = v->seconds;
    return status;
}

static void tell_of_pass(inco_learner *learner, const batch_visit *v) {
    worst_sort(&learner->worst);
    learner->energy = v->energy;
    learner->progress.relative_error = v->energy > 0 ? sqrt(v->rest / v->energy) : 0;
    learner->progress.mean_cardinality = (double)v->nonzeros / (double)learner->data.source.count;
}

int online_pass(inco_learner *learner, inco_error *error) {
    batch_visit v = {.learner = learner};
    online_sums before = {0};
    int status;
    TRY(make_sums(&learner->online, &learner->d, error));
    TRY(copy_sums(&before, &learner->online, error));
    erase_replaced(&learner->online, &learner->replacing);
    learner->progress.signals_done = learner->progress.update_iterations = 0;
    learner_clear_notes(learner);
    status = run_batches(learner, &v, error);
    if (status != INCO_OK) { /* the pass is undone */
        online_free(&learner->online);
        learner->online = before;
        return status;
    }
    tell_of_pass(learner, &v);
done:
    online_free(&before);
    return status;
}

/* ---- Checkpoints ---- */

int online_save(const inco_learner *learner, const inco_stream *stream) {
    const online_sums *sums = &learner->online;
    const double head[2] = {sums->weight, sums->energy};
    if (stream->write(stream->self, head, sizeof head)) return INCO_EIO;
    if (sums->weight == 0) return INCO_OK;
    if (stream->write(stream->self, sums->a.data, (size_t)(sums->a.rows * sums->a.cols) * sizeof(double)) ||
        stream->write(stream->self, sums->b.data, (size_t)(sums->b.rows * sums->b.cols) * sizeof(double)))
        return INCO_EIO;
    return INCO_OK;
}

static int read_sums(online_sums *sums, const inco_stream *stream, inco_error *error) {
    int64_t row, col;
    if (stream->read(stream->self, sums->a.data, (size_t)(sums->a.rows * sums->a.cols) * sizeof(double)) ||
        stream->read(stream->self, sums->b.data, (size_t)(sums->b.rows * sums->b.cols) * sizeof(double)))
        return error_set(error, INCO_EFORMAT, "the checkpoint ends too early");
    if (mat_find_nonfinite(&sums->a, &row, &col) || mat_find_nonfinite(&sums->b, &row, &col))
        return error_set(error, INCO_EFORMAT, "the checkpoint is damaged");
    return INCO_OK;
}

int online_resume(online_sums *sums, const inco_mat *d, const inco_stream *stream, inco_error *error) {
    double head[2];
    if (stream->read(stream->self, head, sizeof head))
        return error_set(error, INCO_EFORMAT, "the checkpoint ends too early");
    if (!(head[0] >= 0 && head[1] >= 0 && isfinite(head[0]) && isfinite(head[1])))
        return error_set(error, INCO_EFORMAT, "the checkpoint is damaged");
    *sums = (online_sums){.weight = head[0], .energy = head[1]};
    if (sums->weight == 0) return INCO_OK;
    int status = make_sums(sums, d, error);
    if (status >= 0) status = read_sums(sums, stream, error);
    if (status < 0) online_free(sums);
    return status;
}
