/* Random signals, drawn by their content and weight (docs/theory/weights.md). The order of the signals does not matter:
 * equal signals are drawn as one, whose weight is the sum of theirs. */
#ifndef INCO_DATA_DRAW_H
#define INCO_DATA_DRAW_H

#include <inco/inco.h>

typedef struct draw_task {
    const inco_source *signals;
    uint64_t seed; /* other seeds draw other signals */
    int64_t count; /* signals wanted */
    int threads;
} draw_task;

/* Stores the indices of up to `count` distinct nonzero signals, in the order drawn, and their number in *found: fewer
 * if there are fewer. Reads the signals twice; its memory does not grow with their number. */
int draw_signals(const draw_task *task, int64_t *chosen, int64_t *found, inco_error *error);

/* Bytes that it takes, but for the signals read at a time. */
double draw_memory(int64_t count, int64_t wanted);

/* A number that identifies the content of a signal, column n of x, which it multiplies by a power of two. 0 for a zero
 * signal. */
uint64_t draw_content(const inco_mat *x, int64_t n, uint64_t seed);

#endif
