#include "pairs/peak.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/range.h"
#include "mat/blas.h"
#include "mat/mat.h"

typedef struct peak_slot {
    double sum, max;
} peak_slot;

typedef struct peak_task {
    peak *w;
    const inco_mat *d, *gradient;
    double scale; /* divisor of the products */
    double least; /* the power of a scaled product below this is negligible */
    peak_slot total;
} peak_task;

int peak_open(peak *w, int64_t rows, int64_t cols, int threads, inco_error *error) {
    *w = (peak){.levels = 2};
    int status = pairs_open(&w->all, rows, cols, threads, error);
    if (status < 0) return status;
    w->slot = NEW(peak_slot, w->all.blocks);
    return w->slot ? status : error_no_memory(error);
}

void peak_close(peak *w) {
    pairs_close(&w->all);
    memory_free(w->slot);
}

/* Replaces products g by r^(p - 1), r = g / scale, or 0 if negligible. Returns the sum of r^p; counts the nonzero ones.
 * p = 2^levels: r^(p - 1) = r r^2 r^4 ... r^(p / 2). */
static double take_powers(const peak_task *t, int64_t n, double *x, int64_t *active) {
    enum { PIECE = 256 };
    double ratio[PIECE], square[PIECE], sum = 0;
    for (int64_t first = 0; first < n; first += PIECE, x += PIECE) {
        const int64_t m = range_min(n - first, PIECE);
        int64_t count = 0;
        for (int64_t i = 0; i < m; i++) {
            const double r = x[i] / t->scale;
            ratio[i] = square[i] = x[i] = fabs(r) < t->least ? 0 : r;
            count += ratio[i] != 0;
        }
        for (int level = 1; level < t->w->levels && count; level++)
            for (int64_t i = 0; i < m; i++) {
                square[i] *= square[i];
                x[i] *= square[i];
            }
        if (count) sum += blas_dot(m, ratio, x);
        *active += count;
    }
    return sum;
}

static void visit_block(void *self, const pairs_block *block) {
    const peak_task *t = self;
    const int64_t n = block->g.rows * block->g.cols;
    int64_t active = 0;
    peak_slot *s = &t->w->slot[block->slot];
    s->max = blas_largest(n, block->g.data);
    s->sum = take_powers(t, n, block->g.data, &active);
    if (active) pairs_push(block, active, 1, t->d, t->gradient);
}

static int add_slots(void *self, int64_t slots) {
    peak_task *t = self;
    for (int64_t i = 0; i < slots; i++) {
        t->total.sum += t->w->slot[i].sum;
        t->total.max = fmax(t->total.max, t->w->slot[i].max);
        t->w->slot[i] = (peak_slot){0};
    }
    return 0;
}

/* Computes the sums and the gradient with products divided by `scale`. */
static peak_slot walk(peak *w, const inco_mat *d, const inco_mat *gradient, double scale) {
    const double p = ldexp(1, w->levels);
    peak_task t = {.w = w, .d = d, .gradient = gradient, .scale = scale, .least = exp(-45 / (p - 1))};
    const pairs_visitor visitor = {&t, visit_block, add_slots};
    memset(gradient->data, 0, (size_t)(d->rows * d->cols) * sizeof(double));
    pairs_walk(&w->all, d, &visitor);
    return t.total;
}

/* (FRAME-2), (FRAME-3). Products are scaled by the largest of the last evaluation; if it differs so much from the
 * current one that powers overflow or vanish, they are computed again. */
double peak_eval(peak *w, const inco_mat *d, const inco_mat *gradient) {
    const double p = ldexp(1, w->levels);
    double scale = w->max > 0 ? w->max : 1, *g = gradient->data;
    peak_slot total = walk(w, d, gradient, scale);
    if (total.max > 0 && fabs(log(total.max / scale)) * p > 10) {
        scale = total.max;
        total = walk(w, d, gradient, scale);
    }
    w->max = total.max;
    if (total.max == 0) return -INFINITY;
    for (int64_t i = 0; i < d->rows * d->cols; i++) g[i] /= scale * total.sum;
    return log(scale) + log(total.sum) / p;
}

static void visit_largest(void *self, const pairs_block *block) {
    const peak_task *t = self;
    t->w->slot[block->slot].max = blas_largest(block->g.rows * block->g.cols, block->g.data);
}

double peak_largest(peak *w, const inco_mat *d) {
    peak_task t = {.w = w, .d = d};
    const pairs_visitor visitor = {&t, visit_largest, add_slots};
    pairs_walk(&w->all, d, &visitor);
    return t.total.max;
}
