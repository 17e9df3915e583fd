/* inco_online_learn: online learning from a stream, batch by batch (docs/theory/online.md). */
#include <string.h>

#include "base/clock.h"
#include "base/common.h"
#include "base/error.h"
#include "base/handle.h"
#include "base/sized.h"
#include "base/source.h"
#include "data/missing.h"
#include "data/prepare.h"
#include "data/weights.h"
#include "learn/bounded.h"
#include "learn/learn_options.h"
#include "learn/method_online.h"
#include "mat/blas.h"
#include "mat/mat.h"

/* ---- The state ---- */

static int check_shape(const inco_mat *m, int64_t rows, int64_t cols, const char *name, inco_error *error) {
    int status = mat_need(m, name, error);
    if (status < 0) return status;
    if (m->type != INCO_F64 || m->rows != rows || m->cols != cols || m->ld != rows)
        return error_set(error, INCO_EDIM, "the matrix `%s` must be float64, %lld x %lld and contiguous", name,
                         (long long)rows, (long long)cols);
    return INCO_OK;
}

static int check_sums(const inco_mat *m, int64_t rows, int64_t cols, const char *name, inco_error *error) {
    int64_t row, col;
    int status = check_shape(m, rows, cols, name, error);
    if (status >= 0 && mat_find_nonfinite(m, &row, &col))
        return error_set(error, INCO_EDATA, "the matrix `%s` has a NaN or Inf", name);
    return status;
}

static int check_state(const inco_online *state, int64_t dim, inco_error *error) {
    int status = mat_need(state->dictionary, "dictionary", error);
    if (status < 0) return status;
    const int64_t atoms = state->dictionary->cols;
    TRY(check_sums(state->dictionary, dim, atoms, "dictionary", error));
    TRY(check_sums(state->a, atoms, atoms, "a", error));
    TRY(check_sums(state->b, dim, atoms, "b", error));
    if (state->result) TRY(check_shape(state->result, dim, atoms, "result", error));
    const double sums[] = {state->energy, state->weight, (double)state->signals, state->total_weight, state->observed};
    for (size_t i = 0; status >= 0 && i < sizeof sums / sizeof *sums; i++)
        if (!(sums[i] >= 0)) status = error_set(error, INCO_EINVAL, "the sums over the stream are negative or NaN");
done:
    return status;
}

/* Continues from the caller's state; the learner changes copies. */
static int take_state(learner *l, const inco_online *state, inco_error *error) {
    online_state *own = l->own;
    const batch_sums sums = {.a = *state->a,
                             .b = *state->b,
                             .energy = state->energy,
                             .observed = state->observed > 0 ? state->observed : state->energy,
                             .weight = state->weight};
    own->stream = 1;
    own->signals = state->signals;
    own->seen = state->total_weight > 0 ? state->total_weight : (double)state->signals;
    int status = learner_start_from(l, state->dictionary, error);
    return status < 0 ? status : batches_copy(&own->batches.sums, &sums, error);
}

static void give_state(inco_online *state, const learner *l) {
    const online_state *own = l->own;
    mat_copy(state->dictionary, &l->d);
    mat_copy(state->a, &own->batches.sums.a);
    mat_copy(state->b, &own->batches.sums.b);
    state->energy = own->batches.sums.energy;
    state->observed = own->batches.sums.observed;
    state->weight = own->batches.sums.weight;
    state->signals = own->signals;
    state->total_weight = own->seen;
    state->relative_error = l->progress.relative_error;
    state->mean_cardinality = l->progress.mean_cardinality;
    state->objective = l->progress.objective;
    state->gamma = online_gamma(l);
}

/* ---- A batch ---- */

static int check_options(inco_options *o, inco_error *error) {
    int status = inco_options_set(o, "method", "online", error);
    if (status >= 0) status = learn_check(o, error);
    if (status >= 0 && prepare_options_of(o)->center == CENTER_FEATURE)
        status = error_set(error, INCO_EINVAL,
                           "option 'center' = 'feature' needs all signals: subtract the mean from the batches first");
    return status;
}

/* One pass over the signals; the result is the dictionary in their precision, made to satisfy the bound. INCO_STOPPED,
 * or an error: the state is unchanged, but for its result. */
static int learn_batch(const inco_source *signals, const inco_options *o, inco_online *state, inco_error *error) {
    learner *l = NULL;
    int status;
    TRY(learner_new(&l, signals, o, error));
    TRY(take_state(l, state, error));
    TRY(learner_begin(l, clock_seconds(), error));
    l->progress.iteration = l->progress.iterations = 1;
    l->progress.total = signals->count;
    TRY(l->method->step(l, error));
    if (status == INCO_OK && state->result) {
        TRY(mat_convert(&l->result, &l->d, l->signals.type, error));
        TRY(bounded_finish(l, 0, error));
        mat_copy(state->result, &l->result);
    }
    if (status == INCO_OK) give_state(state, l);
done:
    learner_free(l);
    return status == WATCHER_STOPPED ? INCO_STOPPED : status;
}

int inco_online_learn(const inco_source *batch, const inco_options *options, inco_online *state, inco_error *error) {
    inco_online own;
    inco_source given;
    inco_options *o = NULL;
    prepared data = {0};
    subset weighted = {0}, present = {0};
    missing_counts counts;
    masked observed;
    int status;
    TRY(handle_need(options, "options", error));
    TRY(SIZED_NEED(inco_online, state, error));
    TRY(SIZED_TAKE(inco_online, &own, state, error));
    TRY(source_take(&given, batch, error));
    if (given.count < 1) TRY(error_set(error, INCO_EDATA, "the batch has no signals"));
    TRY(check_state(&own, given.dim, error));
    if (!(o = inco_options_copy(options))) TRY(error_no_memory(error));
    TRY(check_options(o, error));
    const prepare_options *wanted = prepare_options_of(o);
    missing_open(&observed, &given, o);
    TRY(prepare(&data, &observed.source, common_precision(o, given.type), (int)wanted->center,
                wanted->normalize == NORMALIZE_UNIT, error));
    TRY(weights_keep(&weighted, &data.source, error));
    TRY(missing_keep(&present, &weighted.source, 1, &counts, error));
    status = blas_enter(common_threads(o), error);
    if (status >= 0) status = learn_batch(&present.source, o, &own, error);
    blas_leave();
    if (status == INCO_OK) sized_give(state, &own, sizeof own);
done:
    subset_free(&present);
    subset_free(&weighted);
    prepare_free(&data);
    inco_options_free(o);
    return status;
}
