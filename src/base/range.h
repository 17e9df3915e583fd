/* Counts, and the blocks of equal size that a range of them is worked on in; the last block may be shorter. */
#ifndef INCO_BASE_RANGE_H
#define INCO_BASE_RANGE_H

#include <stdint.h>

static inline int64_t range_min(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* The number of blocks: count / size, rounded up, without overflow. */
static inline int64_t range_blocks(int64_t count, int64_t size) {
    return count > 0 ? 1 + (count - 1) / size : 0;
}

/* The smallest multiple of `size` that is no less than `count`. */
static inline int64_t range_padded(int64_t count, int64_t size) {
    return range_blocks(count, size) * size;
}

#endif
