#define _DEFAULT_SOURCE
#include "base/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Blocks of at least this size use huge pages: fewer TLB misses and faster allocation. */
static const size_t HUGE_PAGE = 2 << 20, HUGE_BLOCK = 3 << 20;

/* State of the test hook: number of allocations, and the one that is to fail. */
static atomic_llong allocations, failing;

int64_t memory_fail_at(int64_t k) {
    int64_t since = atomic_exchange(&allocations, 0);
    atomic_store(&failing, k);
    return since;
}

/* Measurements are in docs/performance.md. */
static void *huge(size_t bytes) {
    void *block = aligned_alloc(HUGE_PAGE, (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);
#ifdef MADV_HUGEPAGE
    if (block) madvise(block, bytes, MADV_HUGEPAGE); /* only advice: may be ignored */
#endif
    return block;
}

void *memory_raw(int64_t count, size_t size) {
    if (count < 0 || (size && (uint64_t)count > (SIZE_MAX - HUGE_PAGE) / size)) return NULL;
    if (atomic_fetch_add(&allocations, 1) + 1 == atomic_load(&failing)) return NULL;
    size_t bytes = ((size_t)count * size + MEMORY_ALIGN - 1) / MEMORY_ALIGN * MEMORY_ALIGN;
    if (bytes >= HUGE_BLOCK) return huge(bytes);
    return aligned_alloc(MEMORY_ALIGN, bytes ? bytes : MEMORY_ALIGN);
}

void *memory_new(int64_t count, size_t size) {
    void *block = memory_raw(count, size);
    if (block) memset(block, 0, (size_t)count * size);
    return block;
}

void *memory_grow(void *block, int64_t used, int64_t count, size_t size) {
    void *larger = memory_raw(count, size);
    if (!larger) return NULL;
    if (block) memcpy(larger, block, (size_t)used * size);
    memory_free(block);
    return larger;
}

void *memory_more(void *array, int64_t count, int64_t *capacity, size_t size) {
    if (count < *capacity) return array;
    const int64_t wanted = 2 * *capacity + 64;
    void *larger = memory_grow(array, count, wanted, size);
    if (larger) *capacity = wanted;
    return larger;
}

char *memory_text(const char *text) {
    size_t length = strlen(text) + 1;
    char *copy = memory_raw((int64_t)length, 1);
    return copy ? memcpy(copy, text, length) : NULL;
}

void memory_free(void *block) {
    free(block);
}
