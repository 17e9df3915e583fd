#include "base/cluster.h"

#include <string.h>

#include "base/error.h"
#include "base/sized.h"

int cluster_take(inco_cluster *own, const inco_cluster *given, inco_error *error) {
    int status = SIZED_TAKE(inco_cluster, own, given, error);
    if (status < 0) return status;
    if (!own->reduce || !own->broadcast)
        return error_set(error, INCO_EINVAL, "the cluster lacks a function: `reduce` or `broadcast`");
    if (own->ranks < 1 || own->rank < 0 || own->rank >= own->ranks)
        return error_set(error, INCO_EINVAL, "the cluster has %lld ranks: there is no rank %lld", (long long)own->ranks,
                         (long long)own->rank);
    return INCO_OK;
}

int64_t cluster_rank(const cluster *c) {
    return c ? c->by.rank : 0;
}

int64_t cluster_ranks(const cluster *c) {
    return c ? c->by.ranks : 1;
}

/* ---- Shares ---- */

enum { BALANCE = 64 }; /* a share may differ by its BALANCE-th part */

int64_t cluster_share(const cluster *c, int64_t chunks, int64_t rank) {
    const int64_t ranks = cluster_ranks(c);
    int64_t unit = 1;
    while (2 * unit * BALANCE * ranks <= chunks) unit *= 2;
    const int64_t units = (chunks + unit - 1) / unit, low = units / ranks, extra = units % ranks;
    const int64_t first = unit * (rank * low + (rank < extra ? rank : extra));
    return first < chunks ? first : chunks;
}

int64_t cluster_owner(const cluster *c, int64_t chunks, int64_t chunk) {
    int64_t low = 0, high = cluster_ranks(c); /* shares of empty ranks begin where the next one's do */
    while (high - low > 1) {
        const int64_t middle = (low + high) / 2;
        if (cluster_share(c, chunks, middle) <= chunk)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* ---- Copies and sums ---- */

int cluster_broadcast(cluster *c, void *data, size_t bytes, inco_error *error) {
    if (cluster_ranks(c) == 1) return INCO_OK;
    if (c->by.rank > 0) c->received += (double)bytes;
    return c->by.broadcast(c->by.self, data, bytes, 0, -1, error);
}

int cluster_move(cluster *c, void *data, size_t bytes, int64_t from, int64_t to, inco_error *error) {
    if (c->by.rank == to) c->received += (double)bytes;
    return c->by.broadcast(c->by.self, data, bytes, from, to, error);
}

int cluster_add(cluster *c, double *values, int64_t count, int64_t from, int64_t to, inco_error *error) {
    if (c->by.rank == to) c->received += (double)count * sizeof *values;
    return c->by.reduce(c->by.self, values, count, from, to, error);
}

int cluster_gather(const cluster *c, cluster_meeting take, cluster_meeting give, void *self, inco_error *error) {
    const int64_t rank = cluster_rank(c), ranks = cluster_ranks(c);
    int status = INCO_OK;
    for (int64_t step = 1; step < ranks && status >= 0; step *= 2) {
        if (rank & step) return give(self, rank - step, error);
        if (rank + step < ranks) status = take(self, rank + step, error);
    }
    return status;
}

/* ---- Agreement ---- */

typedef struct verdict {
    int64_t status;
    double received; /* bytes, by all ranks whose verdicts are part of this one */
    char message[sizeof((inco_error *)0)->message];
} verdict;

typedef struct agreeing {
    cluster *c;
    verdict own;
} agreeing;

static int take_verdict(void *self, int64_t other, inco_error *error) {
    agreeing *a = self;
    verdict theirs;
    const int status = cluster_move(a->c, &theirs, sizeof theirs, other, a->c->by.rank, error);
    if (status < 0) return status;
    const double received = a->own.received + theirs.received;
    if (a->own.status >= 0 && (theirs.status < 0 || theirs.status > a->own.status)) a->own = theirs;
    a->own.received = received;
    return INCO_OK;
}

static int give_verdict(void *self, int64_t other, inco_error *error) {
    agreeing *a = self;
    return cluster_move(a->c, &a->own, sizeof a->own, a->c->by.rank, other, error);
}

int cluster_agree(cluster *c, int status, inco_error *error) {
    if (cluster_ranks(c) == 1) return status;
    agreeing a = {c, {.status = status, .received = c->received}};
    int link;
    if (status < 0 && error) memcpy(a.own.message, error->message, sizeof a.own.message);
    if ((link = cluster_gather(c, take_verdict, give_verdict, &a, error)) < 0) return link;
    c->bytes = a.own.received;
    if ((link = cluster_broadcast(c, &a.own, sizeof a.own, error)) < 0) return link;
    if (a.own.status < 0) return error_set(error, (int)a.own.status, "%s", a.own.message);
    return (int)a.own.status;
}
