/* .mat files of version 5: elements, inflated if they are compressed; each matrix has right lengths of its own
 * elements. Little-endian files only; others are changed as plain bytes. */
#include <string.h>

#include "mutate.h"

enum { HEADER = 128, TAG = 8, COMPRESSED = 15, MATRIX = 14 };

int parts_take(parts *p, const uint8_t *bytes, size_t count) {
    if (count < HEADER || memcmp(bytes + 126, "IM", 2) || bytes[125] != 1) return 0;
    part *head = parts_add(p, bytes, HEADER);
    for (size_t at = HEADER; head && at + TAG <= count;) {
        const size_t length = get_little(bytes + at + 4, 4);
        if (length > count - at - TAG) return 0;
        part *new = parts_add(p, bytes + at + TAG, length);
        if (!new) return 0;
        new->type = (uint32_t)get_little(bytes + at, 4);
        if (new->type == COMPRESSED && !part_inflate(new, 15)) return 0;
        at += TAG + length;
    }
    return head != NULL;
}

size_t parts_put(const parts *p, uint8_t *bytes, size_t capacity) {
    size_t at = HEADER;
    if (capacity < at) return 0;
    memcpy(bytes, p->part[0].bytes, HEADER);
    for (int i = 1; i < p->count; i++) {
        const part *one = &p->part[i];
        size_t length = one->length;
        if (at + TAG + length > capacity) return 0;
        if (one->packed)
            length = part_deflate(one, 15, bytes + at + TAG, capacity - at - TAG);
        else
            memcpy(bytes + at + TAG, one->bytes, length);
        if (one->packed && !length) return 0;
        put_little(bytes + at, one->type, 4);
        put_little(bytes + at + 4, length, 4);
        at += TAG + length;
    }
    return at;
}

/* Changes the content of one element of a matrix that begins at `from`, and repairs the length of that element. */
static void change_element(part *p, size_t from, unsigned random) {
    static uint8_t rest[PART_SIZE];
    size_t at = from;
    for (unsigned skip = random % 8; at + TAG <= p->length; skip--) {
        const uint64_t first = get_little(p->bytes + at, 4), small = first >> 16;
        const size_t length = small ? small : get_little(p->bytes + at + 4, 4), data = at + (small ? 4 : TAG);
        const size_t next = small ? at + TAG : data + (length + 7) / 8 * 8;
        if (next > p->length || length > p->length - data || (small && small > 4)) break;
        if (skip && next < p->length) {
            at = next;
            continue;
        }
        const size_t after = p->length - next;
        memcpy(rest, p->bytes + next, after);
        const size_t limit = small ? 4 : random / 8 % 4 ? length + !length : length + 64;
        const size_t changed = LLVMFuzzerMutate(p->bytes + data, length, limit);
        const size_t end = small ? at + TAG : data + (changed + 7) / 8 * 8;
        if (end + after > PART_SIZE) return;
        if (small)
            put_little(p->bytes + at + 2, changed, 2);
        else
            put_little(p->bytes + at + 4, changed, 4);
        memcpy(p->bytes + end, rest, after);
        p->length = end + after;
        return;
    }
}

void part_change(part *p, unsigned random) {
    const int inner = p->packed ? TAG : 0; /* the tag of the matrix is among the bytes that were inflated */
    if (random % 16 == 0 && p->type) {
        p->packed = !p->packed;
        p->type = p->packed ? COMPRESSED : MATRIX;
        if (p->packed && p->length + TAG <= PART_SIZE) {
            memmove(p->bytes + TAG, p->bytes, p->length);
            p->length += TAG;
            put_little(p->bytes, MATRIX, 4);
            put_little(p->bytes + 4, p->length - TAG, 4);
        } else if (!p->packed && p->length >= TAG) {
            p->length -= TAG;
            memmove(p->bytes, p->bytes + TAG, p->length);
        }
    } else if (random % 16 < 12 && p->type && p->length > (size_t)inner) {
        change_element(p, (size_t)inner, random / 16);
        if (inner) put_little(p->bytes + 4, p->length - TAG, 4);
    } else
        p->length = LLVMFuzzerMutate(p->bytes, p->length, p->type ? PART_SIZE / 2 : HEADER);
}
