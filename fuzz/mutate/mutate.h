/* Mutators that know a format: they take a file apart, change one part, and put it together with right lengths and
 * checksums. One input in eight is changed as plain bytes instead, so that wrong checksums are tried too. */
#ifndef INCO_FUZZ_MUTATE_H
#define INCO_FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

enum { PARTS_MAX = 24, PART_SIZE = 1 << 16 };

/* A part of a file: a member of an archive, a chunk, an element. */
typedef struct part {
    uint32_t type;
    int packed; /* deflated in the file; `bytes` are inflated */
    char name[64];
    size_t length;
    uint8_t bytes[PART_SIZE];
} part;

typedef struct parts {
    int count;
    part part[PARTS_MAX];
} parts;

/* A format: takes a file apart, returning 0 if it cannot; puts it together, returning its length, 0 if it does not fit.
 */
int parts_take(parts *p, const uint8_t *bytes, size_t count);
size_t parts_put(const parts *p, uint8_t *bytes, size_t capacity);
/* Changes one part; `random` is any number. */
void part_change(part *p, unsigned random);

/* For the formats. `window`: as zlib's windowBits. */
part *parts_add(parts *p, const uint8_t *bytes, size_t count);
int part_inflate(part *p, int window);
size_t part_deflate(const part *p, int window, uint8_t *bytes, size_t capacity); /* 0: does not fit */
void put_little(uint8_t *at, uint64_t value, int size);
uint64_t get_little(const uint8_t *at, int size);

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t count, size_t capacity);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t count, size_t capacity, unsigned seed);

#endif
