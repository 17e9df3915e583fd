#define XXH_INLINE_ALL
#include "base/fingerprint.h"

#include <xxhash.h>

_Static_assert(sizeof(fingerprint_sum) >= sizeof(XXH3_state_t), "the state of XXH3 fits");

uint64_t fingerprint_of(const void *bytes, size_t count, uint64_t seed) {
    return XXH3_64bits_withSeed(bytes, count, seed);
}

void fingerprint_begin(fingerprint_sum *sum) {
    XXH3_64bits_reset((XXH3_state_t *)sum->state);
}

void fingerprint_add(fingerprint_sum *sum, const void *bytes, size_t count) {
    if (count > 0) XXH3_64bits_update((XXH3_state_t *)sum->state, bytes, count);
}

uint64_t fingerprint_end(const fingerprint_sum *sum) {
    return XXH3_64bits_digest((const XXH3_state_t *)sum->state);
}
