#include "base/rng.h"

#include <Random123/philox.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

uint64_t rng_bits(uint64_t seed, rng_stream stream, uint64_t index) {
    philox4x32_ctr_t counter = {{(uint32_t)index, (uint32_t)(index >> 32), (uint32_t)stream, 0}};
    philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    philox4x32_ctr_t out = philox4x32(counter, key);
    return (uint64_t)out.v[1] << 32 | out.v[0];
}

double rng_uniform(uint64_t seed, rng_stream stream, uint64_t index) {
    return (double)(rng_bits(seed, stream, index) >> 11) * 0x1p-53;
}

/* Box-Muller on two draws of the doubled index. */
double rng_normal(uint64_t seed, rng_stream stream, uint64_t index) {
    const double pi = 3.14159265358979323846;
    double u = 1 - rng_uniform(seed, stream, 2 * index), v = rng_uniform(seed, stream, 2 * index + 1);
    return sqrt(-2 * log(u)) * cos(2 * pi * v);
}

/* The bias of the product is below n / 2^53. */
int64_t rng_below(uint64_t seed, rng_stream stream, uint64_t index, int64_t n) {
    return (int64_t)(rng_uniform(seed, stream, index) * (double)n);
}

typedef struct keyed {
    uint64_t key;
    int64_t item;
} keyed;

static int by_key(const void *a, const void *b) {
    const keyed *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->item > y->item) - (x->item < y->item);
}

/* Stores the items with keys up to `limit` in `items` (may be NULL) and returns their number. */
static int64_t keys_up_to(uint64_t limit, uint64_t seed, rng_stream stream, int64_t n, keyed *items) {
    int64_t found = 0;
    for (int64_t i = 0; i < n; i++) {
        uint64_t key = rng_bits(seed, stream, (uint64_t)i);
        if (key > limit) continue;
        if (items) items[found] = (keyed){key, i};
        found++;
    }
    return found;
}

static int by_item(const void *a, const void *b) {
    const keyed *x = a, *y = b;
    if (x->item != y->item) return x->item < y->item ? -1 : 1;
    return (x->key > y->key) - (x->key < y->key);
}

/* Draws `draws` items with replacement, keeps the first draw of each, and stores up to `count` of them in the order of
 * their draws. Returns how many there are; -1: out of memory. */
static int64_t draw_distinct(uint64_t seed, rng_stream stream, int64_t n, int64_t draws, int64_t count,
                             int64_t *chosen) {
    keyed *items = NEW_RAW(keyed, draws);
    int64_t distinct = 0;
    if (!items) return -1;
    for (int64_t i = 0; i < draws; i++) items[i] = (keyed){(uint64_t)i, rng_below(seed, stream, (uint64_t)i, n)};
    qsort(items, (size_t)draws, sizeof *items, by_item);
    for (int64_t i = 0; i < draws; i++)
        if (i == 0 || items[i].item != items[i - 1].item) items[distinct++] = items[i];
    qsort(items, (size_t)distinct, sizeof *items, by_key);
    for (int64_t i = 0; i < count && i < distinct; i++) chosen[i] = items[i].item;
    memory_free(items);
    return distinct;
}

/* Few of very many: the work depends on the number of items chosen alone. */
static int choose_few(uint64_t seed, rng_stream stream, int64_t n, int64_t count, int64_t *chosen) {
    int64_t found;
    for (int64_t draws = count + count / 16 + 64;
         (found = draw_distinct(seed, stream, n, draws, count, chosen)) < count; draws *= 2)
        if (found < 0) return INCO_ENOMEM;
    return INCO_OK;
}

/* Every item draws a key; those with the smallest keys are chosen. To choose few of many, only keys below a limit are
 * sorted; the limit is raised in the rare case that there are too few. */
int rng_choose(uint64_t seed, rng_stream stream, int64_t n, int64_t count, int64_t *chosen) {
    enum { MANY = 1 << 24, SHARE = 64 };
    if (n > MANY && count < n / SHARE) return choose_few(seed, stream, n, count, chosen);
    double share = (1.1 * (double)count + 1000) / (n > 0 ? (double)n : 1);
    uint64_t limit;
    int64_t found;
    do {
        limit = share < 1 ? (uint64_t)(share * 0x1p64) : UINT64_MAX;
        found = keys_up_to(limit, seed, stream, n, NULL);
        share *= 2;
    } while (found < count && limit < UINT64_MAX);
    keyed *items = NEW_RAW(keyed, found);
    if (!items) return INCO_ENOMEM;
    keys_up_to(limit, seed, stream, n, items);
    qsort(items, (size_t)found, sizeof *items, by_key);
    for (int64_t i = 0; i < count; i++) chosen[i] = items[i].item;
    memory_free(items);
    return INCO_OK;
}
