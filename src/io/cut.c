#include "io/cut.h"

#include "base/range.h"

/* Positions 0, step, 2 step, ... in `length`, the last one aligned to the end. */
static int64_t count_aligned(int64_t length, int64_t size, int64_t step) {
    return length < size ? 0 : 1 + range_blocks(length - size, step);
}

/* Whole audio files are covered by positions 0, step, 2 step, ..., each of which begins within the file. Without
 * `whole` the step is 1, and all positions are aligned. */
int64_t cut_count(const cut *c, int64_t rows, int64_t cols) {
    if (c->kind == IO_AUDIO && c->whole) {
        if (rows <= c->rows) return rows > 0;
        const int64_t covering = range_blocks(rows - c->rows, c->step), within = (rows - 1) / c->step;
        return 1 + range_min(covering, within);
    }
    const int64_t down = count_aligned(rows, c->rows, c->step);
    return c->kind == IO_AUDIO ? down : down * count_aligned(cols, c->cols, c->step);
}

static int64_t aligned_start(int64_t place, int64_t length, int64_t size, int64_t step) {
    return place * step < length - size ? place * step : length - size;
}

void cut_place(const cut *c, int64_t rows, int64_t cols, int64_t place, int64_t *row, int64_t *col) {
    *row = place * c->step;
    *col = 0;
    if (c->kind == IO_AUDIO) return;
    const int64_t across = count_aligned(cols, c->cols, c->step);
    *row = aligned_start(place / across, rows, c->rows, c->step);
    *col = aligned_start(place % across, cols, c->cols, c->step);
}
