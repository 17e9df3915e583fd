#include "pairs/pairs.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/range.h"
#include "base/tournament.h"
#include "mat/blas.h"
#include "mat/mat.h"

enum { SPARSE_SHARE = 8 }; /* cost of an axpy relative to its share of a GEMM */

int pairs_open(pairs_work *w, int64_t rows, int64_t cols, int threads, inco_error *error) {
    *w = (pairs_work){.rows = rows, .cols = cols};
    const double maximum = 1 + (double)rows * (double)cols * (double)cols / 1e7; /* less does not pay for waking a
                                                                                  * thread */
    w->threads = threads < maximum ? threads : (int)maximum;
    w->block = cols <= 512 ? 64 : cols <= 4096 ? 128 : 256;
    w->blocks = range_blocks(cols, w->block);
    w->products = NEW_RAW(double, w->threads * w->block * w->block);
    return w->products ? INCO_OK : error_no_memory(error);
}

void pairs_close(pairs_work *w) {
    memory_free(w->products);
    w->products = NULL;
}

static inco_mat panel(const pairs_work *w, int64_t block) {
    const int64_t first = block * w->block, left = w->cols - first;
    return mat_columns(w->d, first, range_min(left, w->block));
}

static int visit_slot(void *self, int64_t slot, int thread, inco_error *error) {
    const pairs_work *w = self;
    int64_t a, b;
    (void)error;
    if (!tournament_pair(w->blocks, w->round, slot, &a, &b)) return INCO_OK;
    const inco_mat left = panel(w, a), right = panel(w, b);
    pairs_block block = {.first = a * w->block, .second = b * w->block, .slot = slot};
    block.g = mat_view(INCO_F64, left.cols, right.cols, w->products + thread * w->block * w->block);
    blas_multiply(1, "TN", 1, &left, &right, 0, &block.g);
    for (int64_t j = 0; a == b && j < left.cols; j++) /* each pair once */
        memset((double *)mat_column(&block.g, j) + j, 0, (size_t)(left.cols - j) * sizeof(double));
    w->visitor->visit(w->visitor->self, &block);
    return INCO_OK;
}

void pairs_walk(pairs_work *w, const inco_mat *d, const pairs_visitor *visitor) {
    w->d = d;
    w->visitor = visitor;
    for (w->round = 0; w->round < tournament_rounds(w->blocks); w->round++) {
        const int64_t slots = tournament_meetings(w->blocks, w->round);
        parallel_for(w->threads, slots, visit_slot, w, NULL);
        if (w->visitor->fold(w->visitor->self, slots)) break;
    }
}

/* Pair by pair: g_i += t d_j, g_j += t d_i. */
static void push_each(const pairs_block *block, double scale, const inco_mat *d, const inco_mat *gradient) {
    for (int64_t j = 0; j < block->g.cols; j++) {
        const double *weight = mat_column(&block->g, j);
        for (int64_t i = 0; i < block->g.rows; i++) {
            const int64_t a = block->first + i, b = block->second + j;
            if (weight[i] == 0) continue;
            blas_axpy(d->rows, scale * weight[i], mat_column(d, b), mat_column(gradient, a));
            blas_axpy(d->rows, scale * weight[i], mat_column(d, a), mat_column(gradient, b));
        }
    }
}

/* Few active pairs: one by one; else as matrix products: G_b += D_a T, G_a += D_b T'. */
void pairs_push(const pairs_block *block, int64_t active, double scale, const inco_mat *d, const inco_mat *gradient) {
    const inco_mat *t = &block->g;
    if (active * SPARSE_SHARE < t->rows * t->cols) {
        push_each(block, scale, d, gradient);
        return;
    }
    const inco_mat a = mat_columns(d, block->first, t->rows), b = mat_columns(d, block->second, t->cols);
    const inco_mat ga = mat_columns(gradient, block->first, t->rows);
    const inco_mat gb = mat_columns(gradient, block->second, t->cols);
    blas_multiply(1, "NN", scale, &a, t, 1, &gb);
    blas_multiply(1, "NT", scale, &b, t, 1, &ga);
}
