#include "learn/batches.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/range.h"
#include "base/sealed.h"
#include "learn/checkpoint.h"
#include "learn/coding.h"
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
    *to = (batch_sums){.energy = from->energy, .observed = from->observed, .weight = from->weight};
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

double batches_scale(const batch_sums *sums, double weight) {
    return weight / sums->weight;
}

/* ---- A batch ---- */

typedef struct batch_run {
    learner *l;
    batch_state *own;
    const batch_rule *rule;
    batch_place batch;
    double residual, energy; /* of the observed entries in this pass, each coded in the dictionary of its batch */
    double nonzeros, weight; /* of the same signals */
    double seconds;
} batch_run;

static int64_t end_of(const batch_place *batch) {
    return batch->first + batch->count;
}

/* The objective is reported after the last batch of a pass, for all signals. */
static int update(const batch_run *r, inco_error *error) {
    learner *l = r->l;
    const batch_sums *sums = &r->own->sums;
    const statistics s = {sums->a, sums->b, sums->energy, sums->observed};
    const int last = end_of(&r->batch) == l->signals.count;
    update_result result;
    int status = learner_tell(l, "update");
    if (status != INCO_OK) return status;
    status = r->rule->update(l, &r->batch, &s, last ? &result : NULL, error);
    if (status >= 0) status = subspace_project_atoms(l->span, &l->d, l->threads, NULL, error);
    if (status < 0 || !last) return status;
    l->progress.objective_before = result.before;
    l->progress.objective = l->info.objective = result.after;
    return status;
}

/* Codes a batch, adds its sums (ONLINE-1), (ONLINE-2), and updates the dictionary. */
static int run_batch(batch_run *r, inco_error *error) {
    const serve_order order = {.first = r->batch.first, .count = r->batch.count, .spread = r->rule->spread};
    batch_sums *sums = &r->own->sums;
    collected batch;
    int status = coding_sums(r->l, order, &batch, error);
    if (status != INCO_OK) return status;
    const double start = clock_seconds();
    TRY(subspace_project(r->l->span, &batch.s.b, r->l->threads, error));
    r->energy += batch.s.observed;
    r->residual += batch.residual;
    r->nonzeros += batch.nonzeros;
    r->weight += r->batch.weight = batch.weight;
    const double keep = r->rule->factor(r->l, &r->batch);
    blend(&sums->a, keep, &batch.s.a);
    blend(&sums->b, keep, &batch.s.b);
    sums->energy = keep * sums->energy + batch.s.energy;
    sums->observed = keep * sums->observed + batch.s.observed;
    sums->weight = keep * sums->weight + batch.weight;
    status = update(r, error);
done:
    r->seconds += clock_seconds() - start;
    return status;
}

/* ---- A pass over all signals ---- */

static int run_pass(batch_run *r, inco_error *error) {
    learner *l = r->l;
    const int64_t count = l->signals.count;
    int status = INCO_OK;
    l->progress.seconds_code = 0;
    for (int64_t first = 0; status == INCO_OK && first < count; first = end_of(&r->batch)) {
        r->batch = (batch_place){first, range_min(r->rule->size(l, first), count - first), 0};
        status = run_batch(r, error);
    }
    l->info.seconds_update += l->progress.seconds_update = r->seconds;
    return status;
}

int batches_run(learner *l, batch_state *own, const batch_rule *rule, inco_error *error) {
    batch_run r = {.l = l, .own = own, .rule = rule};
    batch_sums before = {0};
    int status;
    TRY(make_sums(&own->sums, &l->d, error));
    TRY(batches_copy(&before, &own->sums, error));
    erase_replaced(&own->sums, &l->replacing);
    l->progress.done = l->progress.update_iterations = 0;
    notes_clear(&l->notes);
    status = run_pass(&r, error);
    if (status != INCO_OK) { /* restores the state before the pass */
        free_sums(&own->sums);
        own->sums = before;
        return status;
    }
    worst_sort(&l->notes.worst);
    l->energy = r.energy;
    l->progress.relative_error = learner_relative_error(r.residual, r.energy);
    l->progress.mean_cardinality = r.nonzeros / r.weight;
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
    const double head[3] = {sums->weight, sums->energy, sums->observed};
    if (stream->write(stream->self, head, sizeof head)) return INCO_EIO;
    if (sums->weight == 0) return INCO_OK;
    if (stream->write(stream->self, sums->a.data, bytes_of(&sums->a)) ||
        stream->write(stream->self, sums->b.data, bytes_of(&sums->b)))
        return INCO_EIO;
    return INCO_OK;
}

int batches_resume(batch_state *own, const inco_mat *d, const inco_stream *stream, inco_error *error) {
    batch_sums *sums = &own->sums;
    double head[3];
    int64_t row, col;
    int status;
    TRY(checkpoint_read(stream, head, sizeof head, error));
    for (int i = 0; i < 3; i++)
        if (!(head[i] >= 0 && isfinite(head[i]))) TRY(checkpoint_damaged(error));
    *sums = (batch_sums){.weight = head[0], .energy = head[1], .observed = head[2]};
    if (sums->weight == 0) goto done;
    if ((size_t)d->cols > sealed_left(stream) / sizeof(double) / (size_t)(d->rows + d->cols))
        TRY(checkpoint_damaged(error));
    TRY(make_sums(sums, d, error));
    TRY(checkpoint_read(stream, sums->a.data, bytes_of(&sums->a), error));
    TRY(checkpoint_read(stream, sums->b.data, bytes_of(&sums->b), error));
    if (mat_find_nonfinite(&sums->a, &row, &col) || mat_find_nonfinite(&sums->b, &row, &col))
        TRY(checkpoint_damaged(error));
done:
    return status;
}
