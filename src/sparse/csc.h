/* Sparse codes: one column per signal. */
#ifndef INCO_SPARSE_CSC_H
#define INCO_SPARSE_CSC_H

#include <inco/inco.h>

/* As inco_csc, with indices of 32 bits: half the memory where all codes are held, and vectors of them where they are
 * read. */
typedef struct csc {
    inco_type type;
    int64_t rows, cols; /* atoms, signals */
    int64_t *start;     /* cols + 1 */
    int32_t *index;
    void *value;
    int64_t room;    /* nonzeros there is memory for */
    int64_t borrows; /* start and value belong to somebody else */
} csc;

/* Empty codes with room for `cols` signals and `room` nonzeros; cols = 0 signals are in it. */
int csc_new(csc *codes, inco_type type, int64_t atoms, int64_t cols, int64_t room, inco_error *error);

void csc_free(csc *codes);

/* Makes `codes` hold `cols` columns and `nonzeros` entries in all, growing geometrically; start[] of new columns is for
 * the caller to fill. */
int csc_reserve(csc *codes, int64_t cols, int64_t nonzeros, inco_error *error);

/* The columns of `more`, of the same type and rows, behind those of `codes`. */
int csc_append(csc *codes, const csc *more, inco_error *error);

static inline int64_t csc_nonzeros(const csc *codes) {
    return codes->start ? codes->start[codes->cols] : 0;
}
static inline double csc_value(const csc *codes, int64_t k) {
    return codes->type == INCO_F32 ? (double)((const float *)codes->value)[k] : ((const double *)codes->value)[k];
}

/* The codes by atom: row j's nonzeros are value[k] at signal index[k], start[j] <= k < start[j + 1], by rising signal.
 */
int csc_transpose(csc *to, const csc *from, inco_error *error);

#endif
