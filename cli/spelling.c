#include "spelling.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

enum { LONGEST = 40 };

static int least(int a, int b) {
    return a < b ? a : b;
}

/* Edit distance from a to b: insertions, deletions, replacements, swaps of neighbours. Keeps three rows of the table of
 * prefixes. */
static int edits(const char *a, const char *b) {
    const int n = (int)strlen(a), m = (int)strlen(b);
    int rows[3][LONGEST + 1];
    if (n > LONGEST || m > LONGEST) return INT_MAX;
    for (int j = 0; j <= m; j++) rows[0][j] = j;
    for (int i = 1; i <= n; i++) {
        int *now = rows[i % 3], *before = rows[(i + 2) % 3], *earlier = rows[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= m; j++) {
            now[j] = least(before[j - 1] + (a[i - 1] != b[j - 1]), 1 + least(before[j], now[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least(now[j], earlier[j - 2] + 1);
        }
    }
    return rows[n % 3][m];
}

spelling_search spelling_start(const char *word) {
    return (spelling_search){word, NULL, INT_MAX};
}

void spelling_try(spelling_search *search, const char *candidate) {
    const size_t length = strlen(search->word);
    int distance = length >= 3 && !strncmp(search->word, candidate, length) ? 1 : edits(search->word, candidate);
    if (distance >= search->distance) return;
    search->best = candidate;
    search->distance = distance;
}

const char *spelling_found(const spelling_search *search) {
    const int close = 1 + (int)strlen(search->word) / 4;
    return search->distance <= close ? search->best : NULL;
}
