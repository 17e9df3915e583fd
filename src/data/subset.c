#include "data/subset.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/range.h"
#include "base/source.h"

enum { WORD = 64 };

/* ---- Positions ---- */

static int is_chosen(const subset *s, int64_t n) {
    return (int)(s->chosen[n / WORD] >> n % WORD & 1);
}

int64_t subset_index(const subset *s, int64_t i) {
    int64_t low = 0, high = range_blocks(s->from->count, WORD) - 1;
    while (low < high) { /* the last word with at most i signals before it */
        const int64_t middle = (low + high + 1) / 2;
        if (s->before[middle] <= i)
            low = middle;
        else
            high = middle - 1;
    }
    uint64_t word = s->chosen[low];
    for (int64_t left = i - s->before[low]; left > 0; left--) word &= word - 1;
    return low * WORD + __builtin_ctzll(word);
}

/* Number of consecutive signals chosen from signal n on, at most `maximum`. */
static int64_t run_length(const subset *s, int64_t n, int64_t maximum) {
    int64_t run = 1;
    while (run < maximum && is_chosen(s, n + run)) run++;
    return run;
}

/* The first signal chosen after signal n; there is one. */
static int64_t next_chosen(const subset *s, int64_t n) {
    do n++;
    while (!is_chosen(s, n));
    return n;
}

/* ---- Reading ---- */

static int read_signals(void *self, int64_t first, int64_t count, void *out, inco_error *error) {
    const subset *s = self;
    const size_t bytes = (size_t)s->from->dim * s->from->type;
    int status = INCO_OK;
    for (int64_t done = 0, run, n = -1; done < count && status >= 0; done += run, n += run - 1) {
        n = done ? next_chosen(s, n) : subset_index(s, first);
        run = run_length(s, n, count - done);
        status = source_read(s->from, n, run, (char *)out + (size_t)done * bytes, error);
    }
    return status;
}

static int read_weights(void *self, int64_t first, int64_t count, double *out, inco_error *error) {
    const subset *s = self;
    int status = INCO_OK;
    for (int64_t done = 0, run, n = -1; done < count && status >= 0; done += run, n += run - 1) {
        n = done ? next_chosen(s, n) : subset_index(s, first);
        run = run_length(s, n, count - done);
        status = source_weights(s->from, n, run, out + done, error);
    }
    return status;
}

/* ---- Choosing ---- */

int subset_new(subset *s, const inco_source *from, inco_error *error) {
    const int64_t words = range_blocks(from->count, WORD);
    *s = (subset){.source = *from, .from = from, .chosen = NEW(uint64_t, words), .before = NEW(int64_t, words)};
    s->source.count = 0;
    s->source.self = s;
    s->source.read = read_signals;
    s->source.weights = from->weights ? read_weights : NULL;
    return s->chosen && s->before ? INCO_OK : error_no_memory(error);
}

void subset_free(subset *s) {
    memory_free(s->chosen);
    memory_free(s->before);
    *s = (subset){0};
}

void subset_add(subset *s, int64_t n) {
    s->chosen[n / WORD] |= (uint64_t)1 << n % WORD;
}

void subset_complete(subset *s) {
    int64_t sum = 0;
    for (int64_t i = 0; i < range_blocks(s->from->count, WORD); i++) {
        s->before[i] = sum;
        sum += __builtin_popcountll(s->chosen[i]);
    }
    s->source.count = sum;
}
