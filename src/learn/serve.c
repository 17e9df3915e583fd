#include "learn/serve.h"

#include "base/clock.h"
#include "base/common.h"
#include "base/error.h"
#include "base/fingerprint.h"
#include "base/handle.h"
#include "base/memory.h"
#include "learn/checkpoint.h"
#include "learn/coding.h"
#include "learn/learn.h"
#include "learn/learner_state.h"
#include "mat/blas.h"

int serve_pass_on(cluster *c, serve_order *order, inco_error *error) {
    return cluster_broadcast(c, order, sizeof *order, error);
}

int serve_ask(cluster *c, int64_t what, inco_error *error) {
    serve_order order = {.what = what};
    return serve_pass_on(c, &order, error);
}

/* ---- The same call on all ranks ---- */

typedef struct identity {
    int64_t dim, count, type;
    uint64_t options;
} identity;

static int identify(const inco_learner *handle, identity *own, inco_error *error) {
    int64_t length;
    char *text = checkpoint_options(handle->options, &length);
    if (!text) return error_no_memory(error);
    *own = (identity){handle->given.dim, handle->given.count, handle->given.type,
                      fingerprint_of((const unsigned char *)text, (size_t)length, 0)};
    memory_free(text);
    return INCO_OK;
}

int serve_compare(const inco_learner *handle, inco_error *error) {
    const long long rank = cluster_rank(handle->cluster);
    identity own = {0}, first;
    int status = INCO_OK;
    if (!handle->cluster) return status;
    TRY(cluster_agree(handle->cluster, identify(handle, &own, error), error));
    first = own;
    TRY(cluster_broadcast(handle->cluster, &first, sizeof first, error));
    if (own.dim != first.dim || own.count != first.count || own.type != first.type)
        status =
            error_set(error, INCO_EDIM,
                      "rank %lld has %lld signals of %lld values, rank 0 has %lld of %lld: all ranks need the "
                      "same data",
                      rank, (long long)own.count, (long long)own.dim, (long long)first.count, (long long)first.dim);
    else if (own.options != first.options)
        status = error_set(error, INCO_EINVAL, "the options of rank %lld differ from those of rank 0", rank);
    TRY(cluster_agree(handle->cluster, status, error));
done:
    return status;
}

/* ---- Orders ---- */

static int obey(inco_learner *handle, const serve_order *order, inco_error *error) {
    uint64_t print;
    switch (order->what) {
    case SERVE_PRINT:
        return print_total(handle->data.print, &print, error);
    case SERVE_CHECK:
        return prepare_check_tiny(&handle->data, error);
    default:
        return coding_serve(handle->core, order, error);
    }
}

/* A failure of an order is that of all ranks: rank 0 ends the run then. */
static int serve(inco_learner *handle, inco_error *error) {
    cluster *by = handle->cluster;
    serve_order order = {0};
    int status = INCO_OK, link;
    handle->core->began = clock_seconds();
    while ((link = serve_pass_on(by, &order, error)) >= 0 && order.what != SERVE_END)
        status = obey(handle, &order, error);
    return link < 0 ? link : status;
}

int inco_learner_serve(inco_learner *handle, inco_error *error) {
    int status = handle_need(handle, LEARNER, error);
    if (status < 0) return status;
    if (cluster_is_first(handle->cluster))
        return error_set(error, INCO_EINVAL, "rank 0 of a cluster, or a process alone, runs its learner itself");
    status = blas_enter(common_threads(handle->options), error);
    if (status >= 0) status = serve(handle, error);
    blas_leave();
    return status;
}
