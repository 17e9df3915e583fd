/* The sum of the fingerprints of blocks of signals, each with its number as seed: blocks may be read in any order. */
#include "data/print.h"

#include <stdatomic.h>

#include "base/error.h"
#include "base/fingerprint.h"
#include "base/memory.h"
#include "base/range.h"
#include "base/source.h"

enum { BLOCK = 256 }; /* signals */

struct data_print {
    const inco_source *signals;
    _Atomic uint64_t sum;
    _Atomic unsigned char noted[]; /* per block */
};

data_print *print_new(const inco_source *signals) {
    const int64_t blocks = range_blocks(signals->count, BLOCK);
    data_print *p = memory_new(1, sizeof *p + (size_t)blocks);
    if (p) p->signals = signals;
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
    if (atomic_load(&p->noted[block])) return;
    const uint64_t print = fingerprint_of(bytes, (size_t)block_size(p, block) * signal, (uint64_t)block);
    if (!atomic_exchange(&p->noted[block], 1)) atomic_fetch_add(&p->sum, print);
}

void print_note(data_print *p, int64_t first, int64_t count, const void *signals) {
    const size_t signal = (size_t)p->signals->dim * p->signals->type;
    for (int64_t block = range_blocks(first, BLOCK); block * BLOCK < p->signals->count; block++) {
        if (block * BLOCK + block_size(p, block) > first + count) return; /* not all of the block */
        note_block(p, block, (const unsigned char *)signals + (size_t)(block * BLOCK - first) * signal);
    }
}

int print_total(data_print *p, uint64_t *total, inco_error *error) {
    const inco_source *source = p->signals;
    unsigned char *bytes = memory_raw(BLOCK * source->dim, source->type);
    int status = bytes ? INCO_OK : error_no_memory(error);
    for (int64_t block = 0; status >= 0 && block * BLOCK < source->count; block++) {
        if (atomic_load(&p->noted[block])) continue;
        status = source_read(source, block * BLOCK, block_size(p, block), bytes, error);
        if (status >= 0) note_block(p, block, bytes);
    }
    *total = atomic_load(&p->sum);
    memory_free(bytes);
    return status;
}
