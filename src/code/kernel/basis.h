/* Orthonormal basis Q of the support, represented by P = D'Q and the triangular factor R.
 *
 * P is stored in row blocks of BLOCK atoms: within a chunk of columns, block b holds its rows of column 0, of column 1,
 * and so on, contiguously. kernel/column.h adds columns. */
#ifndef INCO_CODE_KERNEL_BASIS_H
#define INCO_CODE_KERNEL_BASIS_H

#include <string.h>

#include "base/memory.h"
#include "base/range.h"
#include "code/kernel.h"
#include "code/kernel/real.h"

/* Block b of an array over the atoms. */
static inline vector *basis_vectors(void *array, int64_t b) {
    return (vector *)((real *)array + b * BLOCK);
}

/* Column m of P within block b: BLOCK reals. */
static inline real *basis_block(const kernel_work *w, int64_t b, int64_t m) {
    return (real *)w->chunk[m / KERNEL_CHUNK] + (b * KERNEL_CHUNK + m % KERNEL_CHUNK) * BLOCK;
}

/* P(j, m) */
static inline real basis_entry(const kernel_work *w, int64_t j, int64_t m) {
    return basis_block(w, j / BLOCK, m)[j % BLOCK];
}

static inline double *basis_column(const kernel_work *w, int64_t k) {
    return w->factor + k * (k + 1) / 2;
}

/* Discards partial columns; needed when P changes other than by a new column. */
static inline void basis_forget_begun(kernel_work *w) {
    for (int i = 0; i < KERNEL_BEGUN; i++) w->begun[i].atom = -1;
}

/* Allocates column number w->count. */
static inline int basis_reserve(kernel_work *w) {
    if (w->count < w->chunks * KERNEL_CHUNK) return INCO_OK;
    w->chunk[w->chunks] = memory_raw(w->stride * KERNEL_CHUNK, sizeof(real));
    return w->chunk[w->chunks] ? (w->chunks++, INCO_OK) : INCO_ENOMEM;
}

enum { AHEAD = 1 }; /* prefetch distance in a column of G, in blocks */

/* Block at place i of a pass. Passes alternate their direction: the data read at the end of one is still in the L1
 * cache when the next begins. */
static inline int64_t basis_order(const kernel_work *w, int64_t i) {
    return w->count % 2 ? w->stride / BLOCK - 1 - i : i;
}

/* |c|, or c if coefficients must be nonnegative. */
static inline vector basis_wanted(const kernel_work *w, vector c) {
    const vector_bits kept = w->rules.nonnegative ? ~(vector_bits){0} : ~SIGN_BITS;
    return (vector)((vector_bits)c & kept);
}

/* |d'r|, or d'r if coefficients must be nonnegative, of a vector of atoms; 0 for atoms that may not be chosen. */
static inline vector basis_free(const kernel_work *w, int64_t v) {
    return basis_wanted(w, ((const vector *)w->corr)[v]) * ((const vector *)w->free)[v];
}

/* Largest value of basis_free over all atoms, at least 0. */
static inline real basis_largest(const kernel_work *w) {
    vector maximum = {0};
    for (int64_t v = 0; v < w->stride / (int64_t)LANES; v++) maximum = vector_max(maximum, basis_free(w, v));
    return largest_lane(maximum);
}

/* Bit set of the blocks, among the 64 from `first` on, that have a lane of w->maximum above the bar. */
static inline uint64_t basis_blocks_above(const kernel_work *w, int64_t first, real bar) {
    const vector *maximum = w->maximum;
    const int64_t end = first + 64 < w->stride / BLOCK ? first + 64 : w->stride / BLOCK;
    uint64_t above = 0;
    for (int64_t b = first; b < end; b++)
        above |= (uint64_t)(lanes_greater(maximum[b], vector_of(bar)) != 0) << (b - first);
    return above;
}

/* Prefetches the rows of column j of G that are used at place i of the next pass; G is too large for the L1 and L2
 * caches. Always inlined, since GCC drops calls of a function that only prefetches. */
static inline __attribute__((always_inline)) void basis_expect(const kernel_work *w, int64_t j, int64_t i) {
    if (i >= w->stride / BLOCK) return;
    const real *rows = (const real *)w->gram + j * w->stride + basis_order(w, i) * BLOCK;
    for (int64_t line = 0; line < BLOCK; line += 64 / (int)sizeof(real)) __builtin_prefetch(rows + line);
}

/* x'y, with four independent partial sums. */
static inline double basis_dot(int64_t n, const double *x, const double *y) {
    double sum[4] = {0};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (int lane = 0; lane < 4; lane++) sum[lane] += x[i + lane] * y[i + lane];
    for (; i < n; i++) sum[0] += x[i] * y[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* Copies r = P(j, :) = R'^-1 G_Sj to w->row[0] and to the next column of R. Returns rho^2 = 1 - r'r, the squared
 * distance of atom j from the span: (P-3), (P-4). */
static inline double basis_row(kernel_work *w, int64_t j) {
    double *column = basis_column(w, w->count), sum[4] = {0};
    real *row = w->row[0];
    for (int64_t i = 0; i < AHEAD; i++) basis_expect(w, j, i);
    for (int64_t first = 0; first < w->count; first += KERNEL_CHUNK) {
        const real *entry = basis_block(w, j / BLOCK, first) + j % BLOCK;
        int64_t m = first, last = range_min(first + KERNEL_CHUNK, w->count);
        for (; m + 4 <= last; m += 4)
            for (int lane = 0; lane < 4; lane++, entry += BLOCK) {
                const double r = column[m + lane] = row[m + lane] = *entry;
                sum[lane] += r * r;
            }
        for (; m < last; m++, entry += BLOCK) {
            const double r = column[m] = row[m] = *entry;
            sum[0] += r * r;
        }
    }
    return 1 - ((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

/* Solves R b = y, for the first w->count entries. Four columns at a time: with one, each pass over b would load what
 * the one before has just stored. */
static inline void basis_solve(const kernel_work *w, const double *y, double *b) {
    int64_t m = w->count;
    for (int64_t i = 0; i < m; i++) b[i] = y[i];
    for (; m >= 4; m -= 4) {
        const double *column[4];
        double x[4];
        for (int k = 0; k < 4; k++) {
            const int64_t n = m - 1 - k;
            column[k] = basis_column(w, n);
            x[k] = b[n] = b[n] / column[k][n];
            for (int64_t i = m - 4; i < n; i++) b[i] -= column[k][i] * x[k];
        }
        for (int64_t i = 0; i < m - 4; i++)
            b[i] = b[i] - column[0][i] * x[0] - column[1][i] * x[1] - column[2][i] * x[2] - column[3][i] * x[3];
    }
    for (m--; m >= 0; m--) {
        const double *column = basis_column(w, m);
        b[m] /= column[m];
        for (int64_t i = 0; i < m; i++) b[i] -= column[i] * b[m];
    }
}

static inline void rotate(double *first, double *second, double c, double s) {
    double x = *first, y = *second;
    *first = c * x + s * y;
    *second = c * y - s * x;
}

/* Applies Givens rotations to columns m and m + 1 of P, for m from `first` on, one after another. Row 0 of w->row has
 * their cosines, row 1 their sines. The column that two rotations share stays in registers. */
static inline void basis_rotate(kernel_work *w, int64_t first) {
    const real *cosine = w->row[0], *sine = w->row[1];
    for (int64_t b = 0; b < w->stride / BLOCK; b++) {
        vector shared[VECTORS];
        memcpy(shared, basis_block(w, b, first), sizeof shared);
        for (int64_t m = first; m + 1 < w->count; m++) {
            const real c = cosine[m], s = sine[m];
            vector *x = (vector *)basis_block(w, b, m);
            const vector *y = (const vector *)basis_block(w, b, m + 1);
            for (int i = 0; i < VECTORS; i++) {
                const vector next = y[i];
                x[i] = c * shared[i] + s * next;
                shared[i] = c * next - s * shared[i];
            }
        }
        memcpy(basis_block(w, b, w->count - 1), shared, sizeof shared);
    }
    w->effort.bytes += (w->count - first) * w->stride * (int64_t)sizeof(real);
    w->effort.multiplied += 4 * (w->count - 1 - first) * w->stride;
}

/* Removes atom number i from the support. Without its column, R has one entry below the diagonal in each column from i
 * on; Givens rotations clear them, and are applied to P, Q'x and R'^-1 s as well. The last column of P then spans the
 * direction that is removed; it stays in memory as column w->count, as do the last entries of proj and turn. */
static inline void basis_drop(kernel_work *w, int64_t i) {
    for (int64_t m = i; m + 1 < w->count; m++) {
        double *to = basis_column(w, m), *from = basis_column(w, m + 1);
        double h = hypot(from[m], from[m + 1]), c = from[m] / h, s = from[m + 1] / h;
        for (int64_t k = m + 2; k < w->count; k++) rotate(&basis_column(w, k)[m], &basis_column(w, k)[m + 1], c, s);
        for (int64_t k = 0; k < m; k++) to[k] = from[k];
        to[m] = h;
        rotate(&w->proj[m], &w->proj[m + 1], c, s);
        rotate(&w->turn[m], &w->turn[m + 1], c, s);
        ((real *)w->row[0])[m] = (real)c;
        ((real *)w->row[1])[m] = (real)s;
        w->support[m] = w->support[m + 1];
        w->entry[m] = w->entry[m + 1];
    }
    basis_rotate(w, i);
    w->rotations += w->count - i;
    w->count--;
    basis_forget_begun(w);
}

/* y += alpha * P(:, m) */
static inline void basis_axpy(kernel_work *w, int64_t m, real alpha, void *y) {
    w->effort.bytes += w->stride * (int64_t)sizeof(real);
    w->effort.multiplied += w->stride;
    for (int64_t b = 0; b < w->stride / BLOCK; b++) {
        const vector *p = (const vector *)basis_block(w, b, m);
        vector *out = basis_vectors(y, b);
        for (int i = 0; i < VECTORS; i++) out[i] += alpha * p[i];
    }
}

/* Starts a signal: empty support, correlations a0. */
static inline void basis_start(kernel_work *w, const void *a0, double energy) {
    memcpy(w->corr, a0, (size_t)w->stride * sizeof(real));
    memcpy(w->free, w->usable, (size_t)w->stride * sizeof(real));
    w->count = w->skipped = w->rivals = 0;
    w->uncertain = 0;
    w->rotations = 0;
    w->residual = energy;
    basis_forget_begun(w);
}

/* Skips atom j for this signal: it is linearly dependent on the support. */
static inline void basis_retire(kernel_work *w, int64_t j) {
    ((real *)w->free)[j] = 0;
    w->retired[w->skipped++] = (int32_t)j;
    w->uncertain = 1;
}

/* Bound on the rounding errors of column m of P in float32, divided by rho: (P-12). */
static inline double basis_rounding(int64_t m, double rho) {
    return KERNEL_UNIT * (1 + 3 * rho + (double)(m + 1) * sqrt(larger(1 - rho * rho, 0))) / rho;
}

/* Errors of a column of P are amplified by the inverse of R, of which 1 / rho is one entry; SPREAD / rho stands for the
 * others. A smaller value would have more signals recoded, a larger one would list more rivals. */
static const double SPREAD = 12;

/* Part of a window for the errors of d'x, (P-14), plus a margin for terms that the windows omit. */
static inline double basis_first_window(const kernel_work *w, double energy) {
    return KERNEL_UNIT * (1.05 * (double)w->verified + 32) * sqrt(energy);
}

/* Lists an atom to be compared in double, from choice number `step` on. Returns 0 if the list is full. */
static inline int basis_list_rival(kernel_work *w, int64_t step, int64_t atom) {
    for (int64_t i = 0; i < w->rivals; i++)
        if (w->rival[i].atom == atom) return 1;
    if (w->rivals == KERNEL_RIVALS) return 0;
    w->rival[w->rivals++] = (kernel_rival){(int32_t)step, (int32_t)atom};
    return 1;
}

/* Stores the result: support and coefficients `b`, without zeros. */
static inline void basis_result(kernel_work *w, const double *b) {
    int64_t kept = 0;
    w->rank = w->count;
    for (int64_t m = 0; m < w->count; m++) {
        if (b[m] == 0) continue;
        w->support[kept] = w->support[m];
        w->value[kept++] = b[m];
    }
    w->count = kept;
}

#endif
