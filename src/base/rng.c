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

static double unit(uint64_t bits) {
    return (double)(bits >> 11) * 0x1p-53;
}

double rng_uniform(uint64_t seed, rng_stream stream, uint64_t index) {
    return unit(rng_bits(seed, stream, index));
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

/* Every item draws a key; those with the smallest keys are chosen. */
int rng_choose(uint64_t seed, rng_stream stream, int64_t n, int64_t count, int64_t *chosen) {
    keyed *items = NEW_RAW(keyed, n);
    if (!items) return INCO_ENOMEM;
    for (int64_t i = 0; i < n; i++) items[i] = (keyed){rng_bits(seed, stream, (uint64_t)i), i};
    qsort(items, (size_t)n, sizeof *items, by_key);
    for (int64_t i = 0; i < count; i++) chosen[i] = items[i].item;
    memory_free(items);
    return INCO_OK;
}
