/* All memory allocation of the library: aligned to 64 bytes, checked for overflow, with a test hook that makes the k-th
 * allocation fail. */
#ifndef INCO_BASE_MEMORY_H
#define INCO_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

enum { MEMORY_ALIGN = 64 };

void *memory_new(int64_t count, size_t size); /* zeroed; NULL if out of memory or count < 0; never NULL for 0 */
void *memory_raw(int64_t count, size_t size); /* the same, not zeroed */
/* Grows a block to `count` items, keeping its first `used`. If it returns NULL, the old block is unchanged. */
void *memory_grow(void *block, int64_t used, int64_t count, size_t size);
/* The array of `count` items with space for one more: itself, or, if it holds *capacity items, a copy of twice that
 * capacity. NULL: out of memory, and the array is unchanged. */
void *memory_more(void *array, int64_t count, int64_t *capacity, size_t size);
char *memory_text(const char *text); /* a copy of a string */
void memory_free(void *block);

/* For tests: makes the k-th allocation from now on fail, k from 1; 0 switches it off. Returns the number of allocations
 * since the last call. */
int64_t memory_fail_at(int64_t k);

#define NEW(type, count) ((type *)memory_new((count), sizeof(type)))
#define NEW_RAW(type, count) ((type *)memory_raw((count), sizeof(type)))

#endif
