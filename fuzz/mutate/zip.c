/* Zip archives: members with their names, sizes and CRC. */
#include <string.h>
#include <zlib.h>

#include "mutate.h"

enum { LOCAL = 30, CENTRAL = 46, END = 22, DEFLATED = 8 };

/* The member whose entry of the directory begins at `entry`. */
static int take_member(parts *p, const uint8_t *bytes, size_t count, const uint8_t *entry) {
    const uint64_t method = get_little(entry + 10, 2), packed = get_little(entry + 20, 4);
    const uint64_t name = get_little(entry + 28, 2), at = get_little(entry + 42, 4);
    if (at + LOCAL > count || name >= sizeof p->part->name) return 0;
    const uint64_t data = at + LOCAL + get_little(bytes + at + 26, 2) + get_little(bytes + at + 28, 2);
    if (data + packed > count) return 0;
    part *new = parts_add(p, bytes + data, packed);
    if (!new) return 0;
    memcpy(new->name, entry + CENTRAL, name);
    return method != DEFLATED || part_inflate(new, -15);
}

int parts_take(parts *p, const uint8_t *bytes, size_t count) {
    for (size_t at = 0; at + CENTRAL <= count; at++) {
        if (memcmp(bytes + at, "PK\1\2", 4)) continue;
        const size_t length = CENTRAL + get_little(bytes + at + 28, 2);
        if (at + length > count || !take_member(p, bytes, count, bytes + at)) return 0;
        at += length - 1;
    }
    return 1;
}

static void put_common(uint8_t *at, const part *p, size_t packed) {
    put_little(at, 20, 2);
    put_little(at + 4, p->packed ? DEFLATED : 0, 2);
    put_little(at + 8, 0x21, 2); /* a date */
    put_little(at + 10, crc32(0, p->bytes, (uInt)p->length), 4);
    put_little(at + 14, packed, 4);
    put_little(at + 18, p->length, 4);
    put_little(at + 22, strlen(p->name), 2);
}

size_t parts_put(const parts *p, uint8_t *bytes, size_t capacity) {
    size_t at = 0, place[PARTS_MAX], packed[PARTS_MAX];
    for (int i = 0; i < p->count; i++) {
        const part *one = &p->part[i];
        const size_t name = strlen(one->name);
        if (at + LOCAL + name + one->length > capacity) return 0;
        uint8_t *head = bytes + at, *data = head + LOCAL + name;
        packed[i] = one->packed ? part_deflate(one, -15, data, capacity - at - LOCAL - name) : one->length;
        if (one->packed && !packed[i]) return 0;
        if (!one->packed) memcpy(data, one->bytes, one->length);
        memset(head, 0, LOCAL);
        memcpy(head, "PK\3\4", 4);
        put_common(head + 4, one, packed[i]);
        memcpy(head + LOCAL, one->name, name);
        place[i] = at;
        at += LOCAL + name + packed[i];
    }
    const size_t directory = at;
    for (int i = 0; i < p->count; i++) {
        const size_t name = strlen(p->part[i].name);
        uint8_t *entry = bytes + at;
        if (at + CENTRAL + name > capacity) return 0;
        memset(entry, 0, CENTRAL);
        memcpy(entry, "PK\1\2", 4);
        put_little(entry + 4, 20, 2);
        put_common(entry + 6, &p->part[i], packed[i]);
        put_little(entry + 42, place[i], 4);
        memcpy(entry + CENTRAL, p->part[i].name, name);
        at += CENTRAL + name;
    }
    if (at + END > capacity) return 0;
    memset(bytes + at, 0, END);
    memcpy(bytes + at, "PK\5\6", 4);
    put_little(bytes + at + 8, (uint64_t)p->count, 2);
    put_little(bytes + at + 10, (uint64_t)p->count, 2);
    put_little(bytes + at + 12, at - directory, 4);
    put_little(bytes + at + 16, directory, 4);
    return at + END;
}

/* The number after `key` in an array's header becomes another one of as many digits. */
static void change_shape(part *p, unsigned random) {
    for (size_t i = 10; i < p->length && i < 256; i++)
        if (p->bytes[i] >= '0' && p->bytes[i] <= '9' && random-- % 4 == 0) p->bytes[i] = (uint8_t)('0' + random % 10);
}

void part_change(part *p, unsigned random) {
    static const char *const names[] = {"components.npy",  "mean.npy",         "meta.npy",        "format.npy",
                                        "shape.npy",       "data.npy",         "indices.npy",     "indptr.npy",
                                        "row.npy",         "col.npy",          "origin_kind.npy", "origin_shape.npy",
                                        "origin_hop.npy",  "origin_patch.npy", "origin_mean.npy", "origin_window.npy",
                                        "origin_rate.npy", "dictionary.npy"};
    const size_t head = p->length > 10 ? 10 + get_little(p->bytes + 8, 2) : 0;
    if (random % 16 == 0)
        strcpy(p->name, names[random / 16 % (sizeof names / sizeof *names)]);
    else if (random % 16 == 1)
        p->packed = !p->packed;
    else if (random % 16 < 4)
        change_shape(p, random / 16);
    else if (random % 16 < 12 && head && head < p->length) /* numbers only, as many as before */
        LLVMFuzzerMutate(p->bytes + head, p->length - head, p->length - head);
    else
        p->length = LLVMFuzzerMutate(p->bytes, p->length, PART_SIZE / 2);
}
