/* Random numbers as a function of (seed, stream, index): Philox 4x32-10. No state, so any order and any thread. */
#ifndef INCO_BASE_RNG_H
#define INCO_BASE_RNG_H

#include <stdint.h>

/* Each use draws from a stream of its own, so that a new use never shifts the numbers of an old one. */
typedef enum rng_stream {
    RNG_WINDOWS = 1,     /* positions of windows and patches */
    RNG_INIT = 2,        /* signals or directions that the dictionary starts from */
    RNG_REPLACE = 3,     /* signals that replace unused atoms */
    RNG_EIGENVECTOR = 5, /* starts of eigenvectors */
    RNG_DECORRELATE = 6, /* directions for atoms that are all alike, or nothing */
    RNG_FRAME = 7,       /* frames to start from */
    RNG_TEST = 100
} rng_stream;

uint64_t rng_bits(uint64_t seed, rng_stream stream, uint64_t index);
double rng_uniform(uint64_t seed, rng_stream stream, uint64_t index);           /* in [0, 1), 53 bits */
double rng_normal(uint64_t seed, rng_stream stream, uint64_t index);            /* N(0, 1) */
int64_t rng_below(uint64_t seed, rng_stream stream, uint64_t index, int64_t n); /* 0 .. n - 1 */

/* `count` distinct numbers of 0 .. n - 1 in random order. INCO_ENOMEM, or 0. */
int rng_choose(uint64_t seed, rng_stream stream, int64_t n, int64_t count, int64_t *chosen);

#endif
