/* Sparse codes: one column per signal. */
#ifndef INCO_SPARSE_CSC_H
#define INCO_SPARSE_CSC_H

#include <inco/inco.h>

/* Empty codes with room for `cols` signals and `room` nonzeros; cols = 0 signals are in it. */
int csc_new(inco_csc *codes, inco_type type, int64_t atoms, int64_t cols, int64_t room, inco_error *error);

/* Makes `codes` hold `cols` columns and `nonzeros` entries in all, growing geometrically; start[] of new columns is for
 * the caller to fill. */
int csc_reserve(inco_csc *codes, int64_t cols, int64_t nonzeros, inco_error *error);

/* The columns of `more`, of the same type and rows, behind those of `codes`. */
int csc_append(inco_csc *codes, const inco_csc *more, inco_error *error);

static inline int64_t csc_nonzeros(const inco_csc *codes) {
    return codes->start ? codes->start[codes->cols] : 0;
}
static inline double csc_value(const inco_csc *codes, int64_t k) {
    return codes->type == INCO_F32 ? (double)((const float *)codes->value)[k] : ((const double *)codes->value)[k];
}

/* The codes by atom: row j's nonzeros are value[k] at signal index[k], start[j] <= k < start[j + 1], by rising signal.
 */
int csc_transpose(inco_csc *to, const inco_csc *from, inco_error *error);

#endif
