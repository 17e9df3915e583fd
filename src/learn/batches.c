#include "learn/batches.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/range.h"
#include "base/sealed.h"
#include "code/coder.h"
#include "learn/learner_state.h"
#include "mat/mat.h"
#include "sparse/csc.h"

/* ---- The sums ---- */

static void free_sums(batch_sums *sums) {
    inco_mat_free(&sums->a);
    inco_mat_free(&sums->b);
}

void batches_free(batch_state *own) {
    free_sums(&own->sums);
    collector_free(own->batch);
    *own = (batch_state){0};
}

static int make_sums(batch_sums *sums, const inco_mat *d, inco_error *error) {
    int status = INCO_OK;
    if (sums->a.data) return status;
    TRY(inco_mat_new(&sums->a, INCO_F64, d->cols, d->cols, error));
    TRY(inco_mat_new(&sums->b, INCO_F64, d->rows, d->cols, error));
done:
    if (status < 0) free_sums(sums);
    return status;
}

int batches_copy(batch_sums *to, const batch_sums *from, inco_error *error) {
    int status;
    *to = (batch_sums){.energy = from->energy, .weight = from->weight};
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

/* (ONLINE-1), (ONLINE-2) */
static void add_batch(batch_sums *sums, const statistics *batch, int64_t count, double keep) {
    blend(&sums->a, keep, &batch->a);
    blend(&sums->b, keep, &batch->b);
    sums->energy = keep * sums->energy + batch->energy;
    sums->weight = keep * sums->weight + (double)count;
}

/* Clears the sums of atoms that were replaced. */
static void erase_replaced(batch_sums *sums, const replacement_list *list) {
    for (int64_t i = 0; i < list->count; i++) {
        const int64_t j = list->item[i].atom;
        for (int64_t k = 0; k < sums->a.rows; k++) {
            mat_set(&sums->a, k, j, 0);
            mat_set(&sums->a, j, k, 0);
        }
        memset(mat_column(&sums->b, j), 0, (size_t)sums->b.rows * sizeof(double));
    }
}

double batches_scale(const batch_sums *sums, int64_t signals) {
    return (double)signals / sums->weight;
}

/* ---- A batch ---- */

typedef struct batch_visit {
    learner *l;
    batch_state *own;
    const batch_rule *rule;
    batch_place batch;
    double residual, energy; /* of the signals of this pass, each coded in the dictionary of its batch */
    int64_t nonzeros;
    double seconds;
} batch_visit;

static void begin_batch(batch_visit *v, int64_t first) {
    const int64_t left = v->rule->signals->count - first;
    v->batch = (batch_place){first, left > 0 ? range_min(v->rule->size(v->l, first), left) : 0};
    collector_clear(v->own->batch);
}

static int64_t end_of(const batch_place *batch) {
    return batch->first + batch->count;
}

/* A batch is coded in groups of at most PASS_GROUP. */
static int64_t group_of(const void *self, int64_t first) {
    const batch_visit *v = self;
    return range_min(PASS_GROUP, end_of(&v->batch) - first);
}

static int add_group(batch_visit *v, const pass_group *group, inco_error *error) {
    notes_add(&v->l->notes, group);
    for (int64_t n = 0; n < group->x->cols; n++) v->residual += group->residual[n];
    v->nonzeros += csc_nonzeros(group->codes);
    return collector_add(v->own->batch, group, error);
}

/* The objective is reported after the last batch of a pass, for all signals. */
static int update(const batch_visit *v, inco_error *error) {
    learner *l = v->l;
    const batch_sums *sums = &v->own->sums;
    const statistics s = {sums->a, sums->b, sums->energy};
    const int last = end_of(&v->batch) == v->rule->signals->count;
    update_result result;
    int status = learner_tell(l, "update");
    if (status != INCO_OK) return status;
    status = v->rule->update(l, &v->batch, &s, last ? &result : NULL, error);
    if (status >= 0) status = subspace_project_atoms(l->span, &l->d, l->threads, NULL, error);
    if (status < 0) return status;
    if (last) {
        l->progress.objective_before = result.before;
        l->progress.objective = l->info.objective = result.after;
    }
    return coder_set_dictionary(l->coder, &l->d, error);
}

static int end_batch(batch_visit *v, inco_error *error) {
    const statistics batch = collector_total(v->own->batch);
    int status = subspace_project(v->l->span, &batch.b, v->l->threads, error);
    if (status < 0) return status;
    v->energy += batch.energy;
    add_batch(&v->own->sums, &batch, v->batch.count, v->rule->factor(v->l, &v->batch));
    return update(v, error);
}

static int visit_group(void *self, const pass_group *group, inco_error *error) {
    batch_visit *v = self;
    const int64_t seen = group->first + group->x->cols;
    const double start = clock_seconds();
    int status = add_group(v, group, error);
    if (status >= 0 && seen == end_of(&v->batch)) {
        status = end_batch(v, error);
        begin_batch(v, seen);
    }
    v->seconds += clock_seconds() - start;
    if (status != INCO_OK) return status;
    v->l->progress.done = seen;
    return learner_tell(v->l, "code");
}

/* ---- A pass over all signals ---- */

static int make_state(batch_state *own, const learner *l, inco_error *error) {
    if (!own->batch && !(own->batch = collector_new(l->d.rows, l->d.cols, l->threads))) return error_no_memory(error);
    return make_sums(&own->sums, &l->d, error);
}

static int run_pass(batch_visit *v, inco_error *error) {
    learner *l = v->l;
    pass p = {.source = v->rule->signals,
              .coder = l->coder,
              .atoms = l->d.cols,
              .threads = l->threads,
              .self = v,
              .visit = visit_group,
              .group = group_of};
    int status = pass_dictionary(&p, &l->d, error);
    begin_batch(v, 0);
    if (status >= 0) status = pass_run(&p, error);
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

int batches_run(learner *l, batch_state *own, const batch_rule *rule, inco_error *error) {
    batch_visit v = {.l = l, .own = own, .rule = rule};
    batch_sums before = {0};
    int status;
    TRY(make_state(own, l, error));
    TRY(batches_copy(&before, &own->sums, error));
    erase_replaced(&own->sums, &l->replacing);
    l->progress.done = l->progress.update_iterations = 0;
    notes_clear(&l->notes);
    status = run_pass(&v, error);
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

int batches_save(const batch_state *own, const inco_stream *stream) {
    const batch_sums *sums = &own->sums;
    const double head[2] = {sums->weight, sums->energy};
    if (stream->write(stream->self, head, sizeof head)) return INCO_EIO;
    if (sums->weight == 0) return INCO_OK;
    if (stream->write(stream->self, sums->a.data, bytes_of(&sums->a)) ||
        stream->write(stream->self, sums->b.data, bytes_of(&sums->b)))
        return INCO_EIO;
    return INCO_OK;
}

static int read_sums(batch_sums *sums, const inco_stream *stream, inco_error *error) {
    int64_t row, col;
    if (stream->read(stream->self, sums->a.data, bytes_of(&sums->a)) ||
        stream->read(stream->self, sums->b.data, bytes_of(&sums->b)))
        return error_set(error, INCO_EFORMAT, "the checkpoint ends too early");
    if (mat_find_nonfinite(&sums->a, &row, &col) || mat_find_nonfinite(&sums->b, &row, &col))
        return error_set(error, INCO_EFORMAT, "the checkpoint is damaged");
    return INCO_OK;
}

int batches_resume(batch_state *own, const inco_mat *d, const inco_stream *stream, inco_error *error) {
    batch_sums *sums = &own->sums;
    double head[2];
    if (stream->read(stream->self, head, sizeof head))
        return error_set(error, INCO_EFORMAT, "the checkpoint ends too early");
    if (!(head[0] >= 0 && head[1] >= 0 && isfinite(head[0]) && isfinite(head[1])))
        return error_set(error, INCO_EFORMAT, "the checkpoint is damaged");
    *sums = (batch_sums){.weight = head[0], .energy = head[1]};
    if (sums->weight == 0) return INCO_OK;
    if ((size_t)d->cols > sealed_left(stream) / sizeof(double) / (size_t)(d->rows + d->cols))
        return error_set(error, INCO_EFORMAT, "the checkpoint ends too early");
    int status = make_sums(sums, d, error);
    return status < 0 ? status : read_sums(sums, stream, error);
}
