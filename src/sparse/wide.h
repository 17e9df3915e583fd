/* Codes as they cross the interface: inco_csc, with indices of 64 bits and an owner. Inside, `csc` has 32. */
#ifndef INCO_SPARSE_WIDE_H
#define INCO_SPARSE_WIDE_H

#include "sparse/csc.h"

/* No signals yet, memory for `cols` of them. */
int wide_new(inco_csc *codes, inco_type type, int64_t atoms, int64_t cols, inco_error *error);

/* The columns of `more`, of the same type and rows, behind those of `codes`. Memory grows geometrically; codes in
 * arrays of the caller's are copied first, and their arrays left alone. */
int wide_append(inco_csc *codes, const csc *more, inco_error *error);

/* Are they in arrays of the library's, as it left them? */
int wide_is_own(const inco_csc *codes);

/* Fails unless the arrays are there, starts rise from 0 and every index is that of a row. */
int wide_check(const inco_csc *codes, inco_error *error);

/* The same codes, checked, with narrow indices of their own; starts and values are those given. Free with csc_free. */
int wide_narrow(csc *narrow, const inco_csc *codes, inco_error *error);

static inline int64_t wide_nonzeros(const inco_csc *codes) {
    return codes->start ? codes->start[codes->cols] : 0;
}
static inline double wide_value(const inco_csc *codes, int64_t k) {
    return codes->type == INCO_F32 ? (double)((const float *)codes->value)[k] : ((const double *)codes->value)[k];
}

#endif
