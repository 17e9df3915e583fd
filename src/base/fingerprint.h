/* Fingerprints of bytes: XXH3 of xxHash, 64 bits. They find accidental changes and mix-ups; they do not resist forgery.
 */
#ifndef INCO_BASE_FINGERPRINT_H
#define INCO_BASE_FINGERPRINT_H

#include <stddef.h>
#include <stdint.h>

/* Other seeds give unrelated fingerprints of the same bytes. */
uint64_t fingerprint_of(const void *bytes, size_t count, uint64_t seed);

/* The fingerprint of bytes that come in pieces: the same as that of the whole with seed 0. */
typedef struct fingerprint_sum {
    _Alignas(64) unsigned char state[576];
} fingerprint_sum;

void fingerprint_begin(fingerprint_sum *sum);
void fingerprint_add(fingerprint_sum *sum, const void *bytes, size_t count);
uint64_t fingerprint_end(const fingerprint_sum *sum);

#endif
