/* Computes a new column of P, p = (g_j - P r) / rho, (P-5).
 *
 * The column is computed in blocks that fit into registers, reading P once and in order; correlations, slopes and norms
 * are updated while a block of p is in registers.
 *
 * The cost is dominated by reading P. Therefore a pass also begins the columns of atoms that are likely to be chosen
 * soon (guesses): it sums P r for their rows r too. When such an atom is chosen, only the columns of P added since are
 * read. The terms are summed in the same order as without guesses, so that the result has the same bits. */
#ifndef INCO_CODE_KERNEL_COLUMN_H
#define INCO_CODE_KERNEL_COLUMN_H

#include "base/range.h"
#include "code/kernel/basis.h"

enum {
    GUESSES = VECTOR_BYTES == 64 ? KERNEL_GUESSES : 1,    /* maximum number of columns begun per pass, and */
    TOGETHER = VECTOR_BYTES == 64 ? VECTORS : VECTORS / 2 /* vectors of each summed at a time: registers */
};

typedef struct column_pass {
    int64_t atom;        /* whose column is computed */
    kernel_begun *begun; /* its partial column; NULL: none */
    int guesses;
    kernel_begun *guess[GUESSES];
} column_pass;

static inline kernel_begun *column_begun(kernel_work *w, int64_t j) {
    for (int i = 0; i < KERNEL_BEGUN; i++)
        if (w->begun[i].atom == j) return &w->begun[i];
    return NULL;
}

/* Guesses pay off if the pass reads all of P, P exceeds the L1 cache, and another column follows. */
static inline int column_wants_guesses(const kernel_work *w, const column_pass *pass) {
    return !pass->begun && w->count >= w->begin_from && w->count + 1 < w->rules.atoms;
}

/* Adds atom j to the guesses of the pass, unless it has no capacity left or the column is already begun. Replaces the
 * oldest partial column. */
static inline void column_guess(kernel_work *w, int64_t j, column_pass *pass) {
    kernel_begun *slot = &w->begun[0];
    if (pass->guesses == w->guesses || column_begun(w, j)) return;
    for (int i = 1; i < KERNEL_BEGUN; i++)
        if (w->begun[i].atom < 0 || (slot->atom >= 0 && w->begun[i].columns < slot->columns)) slot = &w->begun[i];
    slot->atom = j;
    slot->columns = w->count;
    pass->guess[pass->guesses++] = slot;
    real *row = w->row[pass->guesses];
    for (int64_t m = 0; m < w->count; m++) row[m] = basis_entry(w, j, m);
}

/* Returns a bar such that about w->guesses lanes of w->maximum are above it, not counting the lane of pass->atom. */
static inline real column_guess_bar(const kernel_work *w, const column_pass *pass) {
    const vector *maximum = w->maximum;
    real bar = ((const real *)w->maximum)[pass->atom / BLOCK * LANES + pass->atom % LANES];
    for (int k = 0; k < w->guesses; k++) {
        vector below = vector_of((real)-INFINITY);
        for (int64_t b = 0; b < w->stride / BLOCK; b++)
            below = vector_max_where(below, maximum[b], vector_of(bar), maximum[b]);
        bar = largest_lane(below);
    }
    return bar;
}

/* sum[k] += P r, r = row[k], over the columns from `from` on, for the vectors of atoms from number v on: a whole block
 * if rows = 1, else TOGETHER vectors. `rows` is a compile-time constant. */
static inline __attribute__((always_inline)) void column_sum(const kernel_work *w, int64_t v, int64_t from, int rows,
                                                             const real *const row[], vector sum[][VECTORS]) {
    const int vectors = rows > 1 ? TOGETHER : VECTORS;
    for (int64_t m = from; m < w->count;) {
        const int64_t next = m / KERNEL_CHUNK * KERNEL_CHUNK + KERNEL_CHUNK, end = range_min(next, w->count);
        const vector *column = (const vector *)basis_block(w, v / VECTORS, m) + v % VECTORS;
        for (; m < end; m++, column += VECTORS)
            for (int i = 0; i < vectors; i++) {
                const vector x = rows > 1 ? vector_once(column[i]) : column[i];
                for (int k = 0; k < rows; k++) sum[k][i] += row[k][m] * x;
            }
    }
}

/* Computes the rows of P r in block b, for pass->atom (to p) and for the guesses. `guesses` is a compile-time
 * constant. */
static inline __attribute__((always_inline)) void column_sum_guesses(const kernel_work *w, int64_t b, int guesses,
                                                                     const column_pass *pass, vector p[VECTORS]) {
    const real *row[1 + GUESSES];
    for (int k = 0; k <= guesses; k++) row[k] = w->row[k];
    for (int first = 0; first < VECTORS; first += TOGETHER) {
        vector sum[1 + GUESSES][VECTORS];
        for (int k = 0; k <= guesses; k++)
            for (int i = 0; i < TOGETHER; i++) sum[k][i] = (vector){0};
        column_sum(w, b * VECTORS + first, 0, 1 + guesses, row, sum);
        for (int i = 0; i < TOGETHER; i++) p[first + i] = sum[0][i];
        for (int k = 0; k < guesses; k++)
            for (int i = 0; i < TOGETHER; i++) basis_vectors(pass->guess[k]->sum, b)[first + i] = sum[1 + k][i];
    }
}

/* Computes the rows of P r in block b, to p, continuing a partial column if there is one. */
static inline __attribute__((always_inline)) void column_sum_alone(const kernel_work *w, int64_t b,
                                                                   const kernel_begun *begun, vector p[VECTORS]) {
    const real *const row[1] = {w->row[0]};
    vector sum[1][VECTORS];
    for (int i = 0; i < VECTORS; i++) sum[0][i] = begun ? basis_vectors(begun->sum, b)[i] : (vector){0};
    column_sum(w, b * VECTORS, begun ? begun->columns : 0, 1, row, sum);
    for (int i = 0; i < VECTORS; i++) p[i] = sum[0][i];
}

/* Computes the rows of P r in block b, to p. */
static inline __attribute__((always_inline)) void column_block(kernel_work *w, int64_t b, const column_pass *pass,
                                                               vector p[VECTORS]) {
    const int64_t columns = w->count - (pass->begun ? pass->begun->columns : 0);
    if (pass->guesses == 0)
        column_sum_alone(w, b, pass->begun, p);
    else if (GUESSES == 1 || pass->guesses == 1)
        column_sum_guesses(w, b, 1, pass, p);
    else
        column_sum_guesses(w, b, GUESSES, pass, p);
    w->effort.bytes += (columns + 1) * BLOCK * (int64_t)sizeof(real);
    w->effort.multiplied += (columns * (1 + pass->guesses) + 1) * BLOCK;
}

/* Vector i of block b of p = (g_j - P r) / rho, scale = 1 / rho, given that of P r. Stores it in column w->count. */
static inline vector column_entry(kernel_work *w, int64_t b, int i, const column_pass *pass, real scale, vector sum) {
    const vector *g = (const vector *)((const real *)w->gram + pass->atom * w->stride + b * BLOCK);
    return ((vector *)basis_block(w, b, w->count))[i] = (g[i] - sum) * scale;
}

#endif
