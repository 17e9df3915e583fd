/* The sum of the fingerprints of blocks of signals, each with its number as seed: blocks may be read in any order. */
#include "data/print.h"

#include <stdatomic.h>

#include "base/error.h"
#include "base/fingerprint.h"
#include "base/memory.h"
#include "base/range.h"
#include "base/source.h"
#include "data/pass.h"

enum { BLOCK = 256 }; /* signals */

struct data_print {
    const inco_source *signals;
    cluster *by;
    int64_t first, end; /* blocks of this rank: those of the groups that it codes in a pass over all signals */
    _Atomic uint64_t sum;
    _Atomic unsigned char noted[]; /* per block of this rank */
};

static int64_t first_block(const inco_source *signals, const cluster *by, int64_t rank) {
    const int64_t group = cluster_share(by, range_blocks(signals->count, PASS_GROUP), rank);
    return range_min(group * (PASS_GROUP / BLOCK), range_blocks(signals->count, BLOCK));
}

data_print *print_new(const inco_source *signals, cluster *by) {
    const int64_t rank = cluster_rank(by), first = first_block(signals, by, rank);
    const int64_t end = first_block(signals, by, rank + 1);
    data_print *p = memory_new(1, sizeof *p + (size_t)(end - first));
    if (!p) return NULL;
    p->signals = signals;
    p->by = by;
    p->first = first;
    p->end = end;
    return p;
}

void print_free(data_print *p) {
    memory_free(p);
}

static int64_t block_size(const data_print *p, int64_t block) {
    return range_min(BLOCK, p->signals->count - block * BLOCK);
}

static void note_block(data_print *p, int64_t block, const unsigned char *bytes) {
    const size_t signal = (size_t)p->signals->dim * p->signals->type;
    _Atomic unsigned char *noted = &p->noted[block - p->first];
    if (atomic_load(noted)) return;
    const uint64_t print = fingerprint_of(bytes, (size_t)block_size(p, block) * signal, (uint64_t)block);
    if (!atomic_exchange(noted, 1)) atomic_fetch_add(&p->sum, print);
}

void print_note(data_print *p, int64_t first, int64_t count, const void *signals) {
    const size_t signal = (size_t)p->signals->dim * p->signals->type;
    const int64_t begin = range_blocks(first, BLOCK);
    for (int64_t block = begin > p->first ? begin : p->first; block < p->end; block++) {
        if (block * BLOCK + block_size(p, block) > first + count) return; /* not all of the block */
        note_block(p, block, (const unsigned char *)signals + (size_t)(block * BLOCK - first) * signal);
    }
}

/* Notes the blocks of this rank that were not read. */
static int read_missing(data_print *p, inco_error *error) {
    const inco_source *source = p->signals;
    unsigned char *bytes = memory_raw(BLOCK * source->dim, source->type);
    int status = bytes ? INCO_OK : error_no_memory(error);
    for (int64_t block = p->first; status >= 0 && block < p->end; block++) {
        if (atomic_load(&p->noted[block - p->first])) continue;
        status = source_read(source, block * BLOCK, block_size(p, block), bytes, error);
        if (status >= 0) note_block(p, block, bytes);
    }
    memory_free(bytes);
    return status;
}

typedef struct adding {
    cluster *by;
    uint64_t sum;
} adding;

static int take_sum(void *self, int64_t other, inco_error *error) {
    adding *a = self;
    uint64_t theirs = 0;
    int status = cluster_move(a->by, &theirs, sizeof theirs, other, cluster_rank(a->by), error);
    a->sum += theirs;
    return status;
}

static int give_sum(void *self, int64_t other, inco_error *error) {
    adding *a = self;
    return cluster_move(a->by, &a->sum, sizeof a->sum, cluster_rank(a->by), other, error);
}

int print_total(data_print *p, uint64_t *total, inco_error *error) {
    int status = cluster_agree(p->by, read_missing(p, error), error);
    adding a = {p->by, atomic_load(&p->sum)};
    if (status >= 0) status = cluster_gather(p->by, take_sum, give_sum, &a, error);
    *total = a.sum;
    return status;
}
