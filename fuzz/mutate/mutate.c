#include "mutate.h"

#include <string.h>
#include <zlib.h>

part *parts_add(parts *p, const uint8_t *bytes, size_t count) {
    if (p->count == PARTS_MAX || count > PART_SIZE) return NULL;
    part *new = &p->part[p->count++];
    new->type = 0;
    new->packed = 0;
    memset(new->name, 0, sizeof new->name);
    new->length = count;
    if (count) memcpy(new->bytes, bytes, count);
    return new;
}

int part_inflate(part *p, int window) {
    static uint8_t out[PART_SIZE];
    static z_stream z; /* its memory is kept */
    if ((z.state ? inflateReset2(&z, window) : inflateInit2(&z, window)) != Z_OK) return 0;
    z.next_in = p->bytes, z.avail_in = (uInt)p->length;
    z.next_out = out, z.avail_out = PART_SIZE;
    if (inflate(&z, Z_FINISH) != Z_STREAM_END) return 0;
    p->length = z.total_out;
    memcpy(p->bytes, out, p->length);
    p->packed = 1;
    return 1;
}

/* Its memory is kept, since a program has one window, and small, since it is cleared for each part. */
size_t part_deflate(const part *p, int window, uint8_t *bytes, size_t capacity) {
    enum { LEVEL = 1, MEMORY = 1, SMALLEST = 9 };
    static z_stream z;
    const int bits = window < 0 ? -SMALLEST : SMALLEST;
    if ((z.state ? deflateReset(&z) : deflateInit2(&z, LEVEL, Z_DEFLATED, bits, MEMORY, Z_DEFAULT_STRATEGY)) != Z_OK)
        return 0;
    z.next_in = (uint8_t *)p->bytes, z.avail_in = (uInt)p->length;
    z.next_out = bytes, z.avail_out = (uInt)capacity;
    return deflate(&z, Z_FINISH) == Z_STREAM_END ? z.total_out : 0;
}

void put_little(uint8_t *at, uint64_t value, int size) {
    for (int i = 0; i < size; i++) at[i] = (uint8_t)(value >> 8 * i);
}

uint64_t get_little(const uint8_t *at, int size) {
    uint64_t value = 0;
    for (int i = 0; i < size; i++) value |= (uint64_t)at[i] << 8 * i;
    return value;
}

static void change(parts *p, unsigned random) {
    const int chosen = (int)(random / 64 % (unsigned)p->count), other = (int)(random / 4096 % (unsigned)p->count);
    part *one = &p->part[chosen];
    if (random % 32 == 0 && p->count > 1)
        *one = p->part[--p->count]; /* leave it out */
    else if (random % 32 == 1 && p->count < PARTS_MAX)
        p->part[p->count++] = *one; /* twice */
    else if (random % 32 == 2) {
        const part kept = *one; /* in another order */
        *one = p->part[other];
        p->part[other] = kept;
    } else
        part_change(one, random / 32);
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t count, size_t capacity, unsigned seed) {
    static parts p;
    p.count = 0;
    seed = seed * 2654435761u >> 7;
    if (seed % 8 == 0 || !parts_take(&p, bytes, count) || !p.count) return LLVMFuzzerMutate(bytes, count, capacity);
    change(&p, seed / 8);
    const size_t length = parts_put(&p, bytes, capacity);
    return length ? length : LLVMFuzzerMutate(bytes, count, capacity);
}
