/* Sums one column of A = C C' and of B = X C' over the signals that use an atom, in their order and in double (S-1),
 * (W-1). Computes the residual of a code. */
#include "data/sums.h"

#include <string.h>

#include "code/kernel/real.h"

enum {
    WIDE = VECTOR_BYTES / sizeof(double), /* doubles in a vector */
    TOGETHER = 8,                         /* vectors that stay in registers */
    AHEAD = 6,                            /* prefetch distance, in signals: accesses are irregular */
    LINE = 64 / (WIDE * sizeof(real)),    /* vectors of a signal per cache line */
};

typedef double wide __attribute__((vector_size(VECTOR_BYTES)));
typedef double wide_anywhere __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(double)), may_alias));
typedef real narrow __attribute__((vector_size(WIDE * sizeof(real))));

/* Converts to double. Intrinsics, since gcc does not generate these instructions from the portable form. */
static inline wide widen(const real *from) {
#if defined(KERNEL_ISA_avx512) && defined(KERNEL_f32)
    return (wide)_mm512_cvtps_pd(_mm256_loadu_ps(from));
#elif defined(KERNEL_ISA_avx2) && defined(KERNEL_f32)
    return (wide)_mm256_cvtps_pd(_mm_loadu_ps(from));
#else
    narrow v;
    memcpy(&v, from, sizeof v);
    return __builtin_convertvector(v, wide);
#endif
}

/* w c_j (W-1) */
static inline double value_of(const sums_atom *atom, int64_t u) {
    const double c = (double)((const real *)atom->codes->value)[atom->entry[u].at];
    return atom->weight ? atom->weight[atom->entry[u].signal] * c : c;
}

/* a += w c_j c, from row j on: codes are sorted by atom. */
static void add_codes(const sums_atom *atom) {
    const int32_t *index = atom->codes->index;
    const real *value = atom->codes->value;
    for (int64_t u = 0; u < atom->entries; u++) {
        const sums_entry *entry = &atom->entry[u], *later = entry + AHEAD;
        const double c = value_of(atom, u);
        if (u + AHEAD < atom->entries) {
            __builtin_prefetch(index + later->at);
            __builtin_prefetch(value + later->at);
        }
        for (int64_t k = entry->at; k < entry->at + entry->count; k++) atom->a[index[k]] += c * (double)value[k];
    }
}

static inline const real *signal_of(const sums_atom *atom, int64_t u) {
    return (const real *)atom->x->data + atom->entry[u].signal * atom->x->ld;
}

/* b += w c_j x, for `count` vectors of features from `first` on. */
static inline void add_signals(const sums_atom *atom, int64_t first, int count) {
    wide sum[TOGETHER]; /* no initialiser: gcc would clear all of it in memory */
    for (int i = 0; i < count; i++) sum[i] = (wide){0};
    for (int64_t u = 0; u < atom->entries; u++) {
        const real *x = signal_of(atom, u) + first;
        const double c = value_of(atom, u);
        if (u + AHEAD < atom->entries)
            for (int i = 0; i < count; i += LINE) __builtin_prefetch(signal_of(atom, u + AHEAD) + first + i * WIDE);
        for (int i = 0; i < count; i++) sum[i] += c * widen(x + i * WIDE);
    }
    for (int i = 0; i < count; i++)
        for (int lane = 0; lane < WIDE; lane++) atom->b[first + i * WIDE + lane] += sum[i][lane];
}

/* b += w c_j x for the features from `first` on, without vectors. */
static void add_last(const sums_atom *atom, int64_t first) {
    for (int64_t i = first; i < atom->x->rows; i++) {
        double sum = 0;
        for (int64_t u = 0; u < atom->entries; u++) sum += value_of(atom, u) * (double)signal_of(atom, u)[i];
        atom->b[i] += sum;
    }
}

void KERNEL(sums)(const sums_atom *atom);

void KERNEL(sums)(const sums_atom *atom) {
    const int64_t whole = atom->x->rows / WIDE * WIDE;
    int64_t i = 0;
    add_codes(atom);
    for (; whole - i >= 8 * WIDE; i += 8 * WIDE) add_signals(atom, i, 8);
    if (whole - i >= 4 * WIDE) add_signals(atom, i, 4), i += 4 * WIDE;
    if (whole - i >= 2 * WIDE) add_signals(atom, i, 2), i += 2 * WIDE;
    if (whole - i >= WIDE) add_signals(atom, i, 1), i += WIDE;
    add_last(atom, i);
}

/* ---- The residual ---- */

static inline const real *atom_of(const sums_signal *s, int64_t k) {
    return (const real *)s->dictionary->data + s->codes->index[k] * s->dictionary->ld;
}

/* Squared norm of `count` vectors of features of x - D c, from `first` on. */
static inline double residual_part(const sums_signal *s, int64_t first, int count) {
    wide rest[TOGETHER], square = {0};
    double sum = 0;
    for (int i = 0; i < count; i++) rest[i] = ((const wide_anywhere *)(s->x + first))[i];
    for (int64_t k = s->codes->start[s->number]; k < s->codes->start[s->number + 1]; k++) {
        const real *atom = atom_of(s, k) + first;
        const double c = csc_value(s->codes, k);
        for (int i = 0; i < count; i++) rest[i] -= c * widen(atom + i * WIDE);
    }
    for (int i = 0; i < count; i++) square += rest[i] * rest[i];
    for (int lane = 0; lane < WIDE; lane++) sum += square[lane];
    return sum;
}

/* The same for all features from `first` on, without vectors. */
static double residual_last(const sums_signal *s, int64_t first) {
    double sum = 0;
    for (int64_t i = first; i < s->dictionary->rows; i++) {
        double rest = s->x[i];
        for (int64_t k = s->codes->start[s->number]; k < s->codes->start[s->number + 1]; k++)
            rest -= csc_value(s->codes, k) * (double)atom_of(s, k)[i];
        sum += rest * rest;
    }
    return sum;
}

double KERNEL(residual)(const sums_signal *signal);

double KERNEL(residual)(const sums_signal *signal) {
    const int64_t whole = signal->dictionary->rows / WIDE * WIDE;
    double sum = 0;
    int64_t i = 0;
    for (; whole - i >= 8 * WIDE; i += 8 * WIDE) sum += residual_part(signal, i, 8);
    if (whole - i >= 4 * WIDE) sum += residual_part(signal, i, 4), i += 4 * WIDE;
    if (whole - i >= 2 * WIDE) sum += residual_part(signal, i, 2), i += 2 * WIDE;
    if (whole - i >= WIDE) sum += residual_part(signal, i, 1), i += WIDE;
    return sum + residual_last(signal, i);
}
