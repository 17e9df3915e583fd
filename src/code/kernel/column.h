/* A new column of P, p = (g_j - P r) / rho.
 *
 * It is computed block by block in registers, reading P once and in order; what follows from p (correlations, slopes,
 * norms) is computed while the block is in registers.
 *
 * Reading P is what this takes its time for. So beside the column that is wanted a pass begins those of atoms that are
 * likely to be chosen soon: it sums P r for their rows r too. When the turn of such an atom comes, only the columns
 * added since are read. Its sums are the same, term by term, as if it had not been begun. */
#ifndef INCO_CODE_KERNEL_COLUMN_H
#define INCO_CODE_KERNEL_COLUMN_H

#include "code/kernel/basis.h"

enum {
    GUESSES = VECTOR_BYTES == 64 ? KERNEL_GUESSES : 1,    /* columns begun in a pass, and */
    TOGETHER = VECTOR_BYTES == 64 ? VECTORS : VECTORS / 2 /* vectors of each that are summed at a time: registers */
};

typedef struct column_pass {
    int64_t atom;        /* whose column is made */
    kernel_begun *begun; /* NULL: it was not begun */
    int guesses;
    kernel_begun *guess[GUESSES];
} column_pass;

static inline kernel_begun *column_begun(kernel_work *w, int64_t j) {
    for (int i = 0; i < KERNEL_BEGUN; i++)
        if (w->begun[i].atom == j) return &w->begun[i];
    return NULL;
}

/* Guesses are worth their while where all of P is read, and more of it than is near; after the last column they are in
 * vain. */
static inline int column_wants_guesses(const kernel_work *w, const column_pass *pass) {
    return !pass->begun && w->count >= w->begin_from && w->count + 1 < w->rules.atoms;
}

/* The pass begins the column of atom j too, if it may begin another and this one is not begun, in the place of the one
 * begun the longest ago. */
static inline void column_guess(kernel_work *w, int64_t j, column_pass *pass) {
    kernel_begun *slot = &w->begun[0];
    if (pass->guesses == GUESSES || column_begun(w, j)) return;
    for (int i = 1; i < KERNEL_BEGUN; i++)
        if (w->begun[i].atom < 0 || (slot->atom >= 0 && w->begun[i].columns < slot->columns)) slot = &w->begun[i];
    slot->atom = j;
    slot->columns = w->count;
    pass->guess[pass->guesses++] = slot;
    real *row = w->row[pass->guesses];
    for (int64_t m = 0; m < w->count; m++) row[m] = basis_entry(w, j, m);
}

/* A bar for w->most that about as many lanes pass as there may be guesses, but for the lane of the pass's own atom. */
static inline real column_guess_bar(const kernel_work *w, const column_pass *pass) {
    const vector *most = w->most;
    real bar = ((const real *)w->most)[pass->atom / BLOCK * LANES + pass->atom % LANES];
    for (int k = 0; k < GUESSES; k++) {
        vector below = vector_of((real)-INFINITY);
        for (int64_t b = 0; b < w->stride / BLOCK; b++)
            below = vector_max_where(below, most[b], vector_of(bar), most[b]);
        bar = largest_lane(below);
    }
    return bar;
}

/* sum[k] += P r, r = row[k], over the columns from `from` on and the vectors of atoms from number v on: a block for one
 * row, part of it for more. `rows` is known to the compiler. */
static inline __attribute__((always_inline)) void column_sum(const kernel_work *w, int64_t v, int64_t from, int rows,
                                                             const real *const row[], vector sum[][VECTORS]) {
    const int vectors = rows > 1 ? TOGETHER : VECTORS;
    for (int64_t m = from; m < w->count;) {
        const int64_t next = m / KERNEL_CHUNK * KERNEL_CHUNK + KERNEL_CHUNK, end = next < w->count ? next : w->count;
        const vector *column = (const vector *)basis_block(w, v / VECTORS, m) + v % VECTORS;
        for (; m < end; m++, column += VECTORS)
            for (int i = 0; i < vectors; i++) {
                const vector x = rows > 1 ? vector_once(column[i]) : column[i];
                for (int k = 0; k < rows; k++) sum[k][i] += row[k][m] * x;
            }
    }
}

/* The block's rows of P r, to p, and those of the guesses, of which there are as many as the compiler knows. */
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

/* The block's rows of P r, to p, from where they were begun. */
static inline void column_sum_alone(const kernel_work *w, int64_t b, const kernel_begun *begun, vector p[VECTORS]) {
    const real *const row[1] = {w->row[0]};
    vector sum[1][VECTORS];
    for (int i = 0; i < VECTORS; i++) sum[0][i] = begun ? basis_vectors(begun->sum, b)[i] : (vector){0};
    column_sum(w, b * VECTORS, begun ? begun->columns : 0, 1, row, sum);
    for (int i = 0; i < VECTORS; i++) p[i] = sum[0][i];
}

/* The block's rows of p = (g_j - P r) / rho, stored as column w->count. */
static inline void column_block(kernel_work *w, int64_t b, const column_pass *pass, real scale, vector p[VECTORS]) {
    const vector *g = (const vector *)((const real *)w->gram + pass->atom * w->stride + b * BLOCK);
    const int64_t columns = w->count - (pass->begun ? pass->begun->columns : 0);
    if (pass->guesses == 0)
        column_sum_alone(w, b, pass->begun, p);
    else if (GUESSES == 1 || pass->guesses == 1)
        column_sum_guesses(w, b, 1, pass, p);
    else
        column_sum_guesses(w, b, GUESSES, pass, p);
    vector *out = (vector *)basis_block(w, b, w->count);
    for (int i = 0; i < VECTORS; i++) out[i] = p[i] = (g[i] - p[i]) * scale; /* g last: it comes from afar */
    w->effort.bytes += (columns + 1) * BLOCK * (int64_t)sizeof(real);
    w->effort.multiplied += (columns * (1 + pass->guesses) + 1) * BLOCK;
}

#endif
