/* PNG: chunks with their lengths and CRC; the pixels of the IDAT chunks are inflated. */
#include <string.h>
#include <zlib.h>

#include "mutate.h"

static uint32_t get_big(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void put_big(uint8_t *at, uint32_t value) {
    for (int i = 0; i < 4; i++) at[i] = (uint8_t)(value >> 8 * (3 - i));
}

enum { SIGNATURE = 8, AROUND = 12 };
static const char pixels[] = "IDAT";

int parts_take(parts *p, const uint8_t *bytes, size_t count) {
    for (size_t at = SIGNATURE; at + AROUND <= count;) {
        const size_t length = get_big(bytes + at);
        if (length > count - at - AROUND) return 0;
        part *new = parts_add(p, bytes + at + 8, length);
        if (!new) return 0;
        memcpy(new->name, bytes + at + 4, 4);
        if (!memcmp(new->name, pixels, 4)) part_inflate(new, 15);
        at += AROUND + length;
    }
    return 1;
}

size_t parts_put(const parts *p, uint8_t *bytes, size_t capacity) {
    size_t at = SIGNATURE;
    if (capacity < at) return 0;
    memcpy(bytes, "\x89PNG\r\n\x1a\n", SIGNATURE);
    for (int i = 0; i < p->count; i++) {
        const part *one = &p->part[i];
        size_t length = one->length;
        if (at + AROUND + length > capacity) return 0;
        memcpy(bytes + at + 4, one->name, 4);
        if (one->packed)
            length = part_deflate(one, 15, bytes + at + 8, capacity - at - AROUND);
        else
            memcpy(bytes + at + 8, one->bytes, length);
        if (one->packed && !length) return 0;
        put_big(bytes + at, (uint32_t)length);
        put_big(bytes + at + 8 + length, (uint32_t)crc32(0, bytes + at + 4, (uInt)length + 4));
        at += AROUND + length;
    }
    return at;
}

void part_change(part *p, unsigned random) {
    static const char names[][5] = {"IHDR", "PLTE", "IDAT", "tRNS", "gAMA", "sBIT", "bKGD", "iCCP", "zTXt", "eXIf"};
    if (random % 16 == 0)
        memcpy(p->name, names[random / 16 % 10], 4);
    else
        p->length = LLVMFuzzerMutate(p->bytes, p->length, random % 4 ? p->length + !p->length : PART_SIZE / 2);
}
