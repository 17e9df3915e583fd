/* Round-robin tournament: each of n players meets every other once, in rounds in which nobody plays twice, so that the
 * games of a round can be processed in parallel. */
#ifndef INCO_BASE_TOURNAMENT_H
#define INCO_BASE_TOURNAMENT_H

#include <stdint.h>

/* Number of rounds; in round 0 each player meets itself. */
static inline int64_t tournament_rounds(int64_t n) {
    return n + n % 2;
}

static inline int64_t tournament_meetings(int64_t n, int64_t round) {
    return round == 0 ? n : (n + 1) / 2;
}

/* Returns the two players of a game, *a <= *b; 0 if one seat is empty. With an even number, the last player stays in
 * its place, the others rotate. */
static inline int tournament_pair(int64_t n, int64_t round, int64_t meeting, int64_t *a, int64_t *b) {
    const int64_t even = n + n % 2, ring = even - 1, r = round - 1, k = meeting;
    if (round == 0) {
        *a = *b = k;
        return 1;
    }
    int64_t x = k == 0 ? ring : (r + k) % ring, y = k == 0 ? r : (r - k + ring) % ring;
    *a = x < y ? x : y;
    *b = x < y ? y : x;
    return *b < n;
}

#endif
