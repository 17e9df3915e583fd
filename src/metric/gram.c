#include "metric/gram.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/range.h"
#include "base/tournament.h"
#include "mat/blas.h"
#include "mat/mat.h"

typedef struct walk {
    const gram_atoms *atoms;
    const gram_visitor *visitor;
    int64_t blocks, round;
    double **workspace; /* per thread, allocated by it: two panels of atoms and a block of products */
} walk;

int64_t gram_slots(int64_t count) {
    return range_blocks(count, GRAM_BLOCK);
}

void gram_gather(const gram_atoms *atoms, int64_t first, int64_t count, double *out) {
    const int64_t rows = atoms->d->rows;
    for (int64_t j = 0; j < count; j++, out += rows) {
        int64_t column = atoms->index ? atoms->index[first + j] : first + j;
        inco_mat from = mat_columns(atoms->d, column, 1), to = mat_view(INCO_F64, rows, 1, out);
        mat_copy(&to, &from);
        for (int64_t i = 0; atoms->norm && i < rows; i++) out[i] /= atoms->norm[column];
    }
}

/* A panel of atoms: a view if they are contiguous unit-norm doubles, else a copy in `workspace`. */
static inco_mat panel(const gram_atoms *atoms, int64_t block, double *workspace) {
    const int64_t first = block * GRAM_BLOCK, left = atoms->count - first;
    const int64_t count = range_min(left, GRAM_BLOCK);
    if (atoms->d->type == INCO_F64 && !atoms->index && !atoms->norm) return mat_columns(atoms->d, first, count);
    gram_gather(atoms, first, count, workspace);
    return mat_view(INCO_F64, atoms->d->rows, count, workspace);
}

static int visit_slot(void *self, int64_t slot, int thread, inco_error *error) {
    walk *w = self;
    const int64_t side = range_min(w->atoms->count, GRAM_BLOCK), size = w->atoms->d->rows * side;
    int64_t a, b;
    if (!tournament_pair(w->blocks, w->round, slot, &a, &b)) return INCO_OK;
    if (!w->workspace[thread]) w->workspace[thread] = NEW_RAW(double, 2 * size + side * side);
    double *workspace = w->workspace[thread];
    if (!workspace) return error_no_memory(error);
    inco_mat left = panel(w->atoms, a, workspace), right = a == b ? left : panel(w->atoms, b, workspace + size);
    inco_mat g = mat_view(INCO_F64, left.cols, right.cols, workspace + 2 * size);
    blas_multiply(1, "TN", 1, &left, &right, 0, &g);
    gram_block block = {g.data, a * GRAM_BLOCK, b * GRAM_BLOCK, g.rows, g.cols, slot, thread};
    w->visitor->visit(w->visitor->self, &block);
    return INCO_OK;
}

int gram_walk(const gram_atoms *atoms, int threads, const gram_visitor *visitor, inco_error *error) {
    walk w = {atoms, visitor, range_blocks(atoms->count, GRAM_BLOCK), 0, NEW(double *, threads)};
    const int64_t rounds = tournament_rounds(w.blocks);
    int status = w.workspace ? INCO_OK : error_no_memory(error);
    for (; status == INCO_OK && w.round < rounds; w.round++) {
        const int64_t slots = tournament_meetings(w.blocks, w.round);
        status = parallel_for(threads, slots, visit_slot, &w, error);
        if (status >= 0) visitor->fold(visitor->self, slots);
        if (status >= 0 && visitor->tell) status = visitor->tell(visitor->self, w.round + 1, rounds);
    }
    for (int i = 0; w.workspace && i < threads; i++) memory_free(w.workspace[i]);
    memory_free(w.workspace);
    return status;
}
