/* Sparse codes: one column per signal. */
#ifndef INCO_SPARSE_CSC_H
#define INCO_SPARSE_CSC_H

#include <inco/inco.h>

/* Like inco_csc, with 32-bit indices: half the memory, and vectorised reading. */
typedef struct csc {
    inco_type type;
    int64_t rows, cols; /* atoms, signals */
    int64_t *start;     /* cols + 1 */
    int32_t *index;
    void *value;
    int64_t capacity; /* capacity in nonzeros */
    int64_t borrows;  /* start and value belong to somebody else */
} csc;

/* Creates empty codes with a capacity of `cols` signals and `capacity` nonzeros. */
int csc_new(csc *codes, inco_type type, int64_t atoms, int64_t cols, int64_t capacity, inco_error *error);

void csc_free(csc *codes);

/* Ensures a capacity of `cols` columns and `nonzeros` entries in total, growing geometrically; the caller fills start[]
 * of new columns. */
int csc_reserve(csc *codes, int64_t cols, int64_t nonzeros, inco_error *error);

/* Appends the columns of `more`, of the same type and rows. */
int csc_append(csc *codes, const csc *more, inco_error *error);

static inline int64_t csc_nonzeros(const csc *codes) {
    return codes->start ? codes->start[codes->cols] : 0;
}
static inline double csc_number(inco_type type, const void *values, int64_t k) {
    return type == INCO_F32 ? (double)((const float *)values)[k] : ((const double *)values)[k];
}

static inline double csc_value(const csc *codes, int64_t k) {
    return csc_number(codes->type, codes->value, k);
}

static inline void csc_set_value(const csc *codes, int64_t k, double value) {
    if (codes->type == INCO_F32)
        ((float *)codes->value)[k] = (float)value;
    else
        ((double *)codes->value)[k] = value;
}

/* Transposes codes: the nonzeros of row j are value[k] at signal index[k], start[j] <= k < start[j + 1], in ascending
 * order of signals. */
int csc_transpose(csc *to, const csc *from, inco_error *error);

#endif
