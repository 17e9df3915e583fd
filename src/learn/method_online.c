/* --method online: an update after every batch of signals, from sums with forgetting (docs/theory/online.md). */
#include "learn/method_online.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/sealed.h"
#include "code/coder.h"
#include "learn/learner_state.h"
#include "learn/penalty.h"
#include "mat/mat.h"
#include "sparse/csc.h"
#include "update/online.h"

typedef struct online_options {
    int64_t batch;
    double forget;
} online_options;
OPTIONS_DECLARE(online)

static const option_row rows[] = {
    INTEGER_OPTION(online_options, batch, "batch", "N", "512", 1, OPTION_MANY, INCO_LEARN, "Methods",
                   "online: batch size: signals coded between two updates, in the order of the data"),
    REAL_OPTION(online_options, forget, "forget", "F", "0.1", 1e-9, 1, INCO_LEARN, "Methods",
                "online: forgetting: the weight of a signal after one pass over all others (1: no forgetting)"),
};

const options_part online_part = {OPTIONS_PART(rows, online_options)};

/* ---- The sums ---- */

static void free_sums(online_sums *sums) {
    inco_mat_free(&sums->a);
    inco_mat_free(&sums->b);
}

static int make_sums(online_sums *sums, const inco_mat *d, inco_error *error) {
    int status = INCO_OK;
    if (sums->a.data) return status;
    TRY(inco_mat_new(&sums->a, INCO_F64, d->cols, d->cols, error));
    TRY(inco_mat_new(&sums->b, INCO_F64, d->rows, d->cols, error));
done:
    if (status < 0) free_sums(sums);
    return status;
}

int online_sums_copy(online_sums *to, const online_sums *from, inco_error *error) {
    int status;
    *to = (online_sums){.energy = from->energy, .weight = from->weight};
    TRY(mat_convert(&to->a, &from->a, INCO_F64, error));
    TRY(mat_convert(&to->b, &from->b, INCO_F64, error));
done:
    if (status < 0) free_sums(to);
    return status;
}

/* y = keep y + x */
static void blend(const inco_mat *y, double keep, const inco_mat *x) {
    const int64_t n = y->rows * y->cols;
    double *to = y->data;
    const double *from = x->data;
    for (int64_t i = 0; i < n; i++) to[i] = keep * to[i] + from[i];
}

/* beta for a batch of n signals: (ONLINE-2), in a stream (ONLINE-7). */
static double factor_of_sums(const learner *l, int64_t n) {
    const online_state *own = l->own;
    const double forget = online_options_of(l->options)->forget;
    if (own->stream) return pow((double)own->seen / (double)(own->seen + n), -log2(forget));
    return pow(forget, (double)n / (double)l->signals.count);
}

/* (ONLINE-1), (ONLINE-2) */
static void add_batch(online_sums *sums, const statistics *batch, int64_t count, double keep) {
    blend(&sums->a, keep, &batch->a);
    blend(&sums->b, keep, &batch->b);
    sums->energy = keep * sums->energy + batch->energy;
    sums->weight = keep * sums->weight + (double)count;
}

/* Clears the sums of atoms that were replaced. */
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

/* ---- The penalty, if given ---- */

static double gamma_of(const method_input *in) {
    const inco_options *o = in->options;
    const int given = inco_options_given(o, "gamma") || inco_options_given(o, "gamma-relative");
    return given ? penalty_gamma(in) : 0;
}

/* N / w: from sums that stand for w signals to all, in a stream all those seen. */
static double scale_to_all(const learner *l) {
    const online_state *own = l->own;
    return (double)(own->stream ? own->seen : l->signals.count) / own->sums.weight;
}

double online_gamma(const learner *l) {
    const inco_options *o = l->options;
    const online_sums *sums = &((const online_state *)l->own)->sums;
    const penalty_options *penalty = penalty_options_of(o);
    if (inco_options_given(o, "gamma")) return penalty->gamma / scale_to_all(l);
    return inco_options_given(o, "gamma-relative") ? penalty->gamma_relative * sums->energy / (double)l->d.cols : 0;
}

/* ---- A batch ---- */

typedef struct batch_visit {
    learner *l;
    online_state *own;
    double residual, energy; /* of the signals of this pass, each coded in the dictionary of its batch */
    int64_t nonzeros;
    double seconds;
} batch_visit;

static void note_batch(batch_visit *v, const pass_group *group, const statistics *batch) {
    notes_add(&v->l->notes, group);
    for (int64_t n = 0; n < group->x->cols; n++) v->residual += group->residual[n];
    v->energy += batch->energy;
    v->nonzeros += csc_nonzeros(group->codes);
}

/* The objective is computed after the last batch of a pass. */
static int update_from_sums(const batch_visit *v, int last, inco_error *error) {
    learner *l = v->l;
    const online_sums *sums = &v->own->sums;
    const statistics s = {sums->a, sums->b, sums->energy};
    const update_settings settings = {.gamma = online_gamma(l), .threads = l->threads};
    const double scale = scale_to_all(l);
    update_result result;
    int status = online_update(&l->d, &s, &settings, last ? &result : NULL, error);
    if (status >= 0) status = subspace_project_atoms(l->span, &l->d, l->threads, NULL, error);
    if (status < 0) return status;
    if (last) {
        l->progress.objective_before = scale * result.before;
        l->progress.objective = l->info.objective = scale * result.after;
    }
    l->progress.update_iterations++;
    return coder_set_dictionary(l->coder, &l->d, error);
}

static int visit_batch(void *self, const pass_group *group, inco_error *error) {
    batch_visit *v = self;
    learner *l = v->l;
    online_state *own = v->own;
    const int64_t count = l->signals.count, seen = group->first + group->x->cols;
    const double start = clock_seconds();
    collector_clear(own->batch);
    int status = collector_add(own->batch, group, error);
    if (status < 0) return status;
    const statistics batch = collector_total(own->batch);
    if ((status = subspace_project(l->span, &batch.b, l->threads, error)) < 0) return status;
    note_batch(v, group, &batch);
    add_batch(&own->sums, &batch, group->x->cols, factor_of_sums(l, group->x->cols));
    own->seen += group->x->cols;
    status = update_from_sums(v, seen == count, error);
    v->seconds += clock_seconds() - start;
    if (status < 0) return status;
    l->progress.done = seen;
    return learner_tell(l, "code");
}

/* ---- An iteration: a pass over all signals ---- */

static int make_state(online_state *own, const learner *l, inco_error *error) {
    if (!own->batch && !(own->batch = collector_new(l->d.rows, l->d.cols, l->threads))) return error_no_memory(error);
    return make_sums(&own->sums, &l->d, error);
}

static int run_batches(batch_visit *v, inco_error *error) {
    learner *l = v->l;
    pass p = {.source = &l->signals,
              .coder = l->coder,
              .atoms = l->d.cols,
              .threads = l->threads,
              .self = v,
              .visit = visit_batch};
    int status = pass_dictionary(&p, &l->d, error);
    if (status >= 0) status = pass_run_groups(&p, online_options_of(l->options)->batch, error);
    l->info.seconds_io += p.seconds_io;
    l->info.seconds_code += l->progress.seconds_code = p.seconds_code;
    l->info.seconds_update += l->progress.seconds_update = v->seconds;
    return status;
}

static void describe_pass(learner *l, const batch_visit *v) {
    worst_sort(&l->notes.worst);
    l->energy = v->energy;
    l->progress.relative_error = learner_relative_error(v->residual, v->energy);
    l->progress.mean_cardinality = (double)v->nonzeros / (double)l->signals.count;
}

static int step(learner *l, inco_error *error) {
    online_state *own = l->own;
    batch_visit v = {.l = l, .own = own};
    online_sums before = {0};
    int status;
    TRY(make_state(own, l, error));
    TRY(online_sums_copy(&before, &own->sums, error));
    erase_replaced(&own->sums, &l->replacing);
    l->progress.done = l->progress.update_iterations = 0;
    notes_clear(&l->notes);
    status = run_batches(&v, error);
    if (status != INCO_OK) { /* restores the state before the pass */
        free_sums(&own->sums);
        own->sums = before;
        return status;
    }
    describe_pass(l, &v);
done:
    free_sums(&before);
    return status;
}

/* ---- Checkpoints ---- */

static size_t bytes_of(const inco_mat *m) {
    return (size_t)(m->rows * m->cols) * sizeof(double);
}

static int save(const void *self, const inco_stream *stream) {
    const online_sums *sums = &((const online_state *)self)->sums;
    const double head[2] = {sums->weight, sums->energy};
    if (stream->write(stream->self, head, sizeof head)) return INCO_EIO;
    if (sums->weight == 0) return INCO_OK;
    if (stream->write(stream->self, sums->a.data, bytes_of(&sums->a)) ||
        stream->write(stream->self, sums->b.data, bytes_of(&sums->b)))
        return INCO_EIO;
    return INCO_OK;
}

static int read_sums(online_sums *sums, const inco_stream *stream, inco_error *error) {
    int64_t row, col;
    if (stream->read(stream->self, sums->a.data, bytes_of(&sums->a)) ||
        stream->read(stream->self, sums->b.data, bytes_of(&sums->b)))
        return error_set(error, INCO_EFORMAT, "the checkpoint ends too early");
    if (mat_find_nonfinite(&sums->a, &row, &col) || mat_find_nonfinite(&sums->b, &row, &col))
        return error_set(error, INCO_EFORMAT, "the checkpoint is damaged");
    return INCO_OK;
}

static int resume(void *self, const inco_mat *d, const inco_stream *stream, inco_error *error) {
    online_sums *sums = &((online_state *)self)->sums;
    double head[2];
    if (stream->read(stream->self, head, sizeof head))
        return error_set(error, INCO_EFORMAT, "the checkpoint ends too early");
    if (!(head[0] >= 0 && head[1] >= 0 && isfinite(head[0]) && isfinite(head[1])))
        return error_set(error, INCO_EFORMAT, "the checkpoint is damaged");
    *sums = (online_sums){.weight = head[0], .energy = head[1]};
    if (sums->weight == 0) return INCO_OK;
    if ((size_t)d->cols > sealed_left(stream) / sizeof(double) / (size_t)(d->rows + d->cols))
        return error_set(error, INCO_EFORMAT, "the checkpoint ends too early");
    int status = make_sums(sums, d, error);
    return status < 0 ? status : read_sums(sums, stream, error);
}

static void free_state(void *self) {
    online_state *own = self;
    free_sums(&own->sums);
    collector_free(own->batch);
}

const method method_online = {.name = "online",
                              .part = &online_part,
                              .takes = PENALTY_TAKES,
                              .check = penalty_check,
                              .own_size = sizeof(online_state),
                              .step = step,
                              .gamma = gamma_of,
                              .save = save,
                              .resume = resume,
                              .free = free_state};
