/* Ranks that share the work of a call: the two callbacks of an inco_cluster, and the exchanges made of them. All
 * functions accept NULL, which stands for one process. Functions with an error are called by all ranks unless they say
 * otherwise. */
#ifndef INCO_BASE_CLUSTER_H
#define INCO_BASE_CLUSTER_H

#include <inco/inco.h>

typedef struct cluster {
    inco_cluster by;
    double received; /* bytes that this rank received */
    double bytes;    /* on rank 0: bytes between all ranks, up to the last cluster_agree */
} cluster;

/* Copies the caller's cluster and checks it. */
int cluster_take(inco_cluster *own, const inco_cluster *given, inco_error *error);

int64_t cluster_rank(const cluster *c);  /* 0 .. ranks - 1 */
int64_t cluster_ranks(const cluster *c); /* 1 without a cluster */
static inline int cluster_is_first(const cluster *c) {
    return cluster_rank(c) == 0;
}

/* The first of `chunks` chunks that belong to a rank; those of rank `ranks` begin after the last. Contiguous shares
 * whose bounds are multiples of a power of two, if they stay balanced: fewer sums are exchanged then. Rank 0
 * has the first chunk. */
int64_t cluster_share(const cluster *c, int64_t chunks, int64_t rank);
/* The rank that a chunk belongs to. */
int64_t cluster_owner(const cluster *c, int64_t chunks, int64_t chunk);

/* Copies bytes of rank 0 to all others. */
int cluster_broadcast(cluster *c, void *data, size_t bytes, inco_error *error);
/* Copies bytes of rank `from` to rank `to`; called by these two. */
int cluster_move(cluster *c, void *data, size_t bytes, int64_t from, int64_t to, inco_error *error);
/* Adds the values of rank `from` to those of rank `to`; called by these two. */
int cluster_add(cluster *c, double *values, int64_t count, int64_t from, int64_t to, inco_error *error);

/* Ranks that merge with this one on the way to rank 0, along a binomial tree: calls `take` for every rank that this one
 * receives from, then `give` once, on all ranks but 0. */
typedef int (*cluster_meeting)(void *self, int64_t other, inco_error *error);
int cluster_gather(const cluster *c, cluster_meeting take, cluster_meeting give, void *self, inco_error *error);

/* The same outcome for all ranks: the failure of the lowest rank that has one, with its message; else INCO_STOPPED if a
 * rank was stopped. */
int cluster_agree(cluster *c, int status, inco_error *error);

#endif
