/* Random numbers as a function of (seed, stream, index): Philox 4x32-10. Stateless, so that they can be drawn in any
 * order and on any thread. */
#ifndef INCO_BASE_RNG_H
#define INCO_BASE_RNG_H

#include <stdint.h>

/* Each purpose has its own stream, so that a new purpose does not change the numbers of the others. */
typedef enum rng_stream {
    RNG_WINDOWS = 1,     /* positions of windows and patches */
    RNG_INIT = 2,        /* signals or directions of the initial dictionary */
    RNG_REPLACE = 3,     /* signals that replace unused atoms */
    RNG_EIGENVECTOR = 5, /* initial vectors of eigenvalue iterations */
    RNG_DECORRELATE = 6, /* directions for equal or zero atoms */
    RNG_FRAME = 7,       /* initial frames */
    RNG_TEST = 100
} rng_stream;

uint64_t rng_bits(uint64_t seed, rng_stream stream, uint64_t index);
double rng_uniform(uint64_t seed, rng_stream stream, uint64_t index);           /* in [0, 1), 53 bits */
double rng_normal(uint64_t seed, rng_stream stream, uint64_t index);            /* N(0, 1) */
int64_t rng_below(uint64_t seed, rng_stream stream, uint64_t index, int64_t n); /* 0 .. n - 1 */

/* Draws `count` distinct numbers of 0 .. n - 1 in random order. Returns 0 or INCO_ENOMEM. */
int rng_choose(uint64_t seed, rng_stream stream, int64_t n, int64_t count, int64_t *chosen);

#endif
