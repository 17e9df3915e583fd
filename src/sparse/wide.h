/* Codes at the public interface: inco_csc, with 64-bit indices and an owner. Internally, `csc` has 32-bit indices. */
#ifndef INCO_SPARSE_WIDE_H
#define INCO_SPARSE_WIDE_H

#include "sparse/csc.h"

/* Creates codes without signals, with a capacity of `cols`. */
int wide_new(inco_csc *codes, inco_type type, int64_t atoms, int64_t cols, inco_error *error);

/* Appends the columns of `more`, of the same type and rows. Memory grows geometrically; codes in the caller's arrays
 * are copied first, and those arrays stay unchanged. */
int wide_append(inco_csc *codes, const csc *more, inco_error *error);

/* Returns whether the codes are in the library's arrays, unmodified. */
int wide_is_own(const inco_csc *codes);

/* Fails unless the arrays exist, starts ascend from 0 and every index is a valid row. */
int wide_check(const inco_csc *codes, inco_error *error);

/* Makes a checked copy with 32-bit indices; starts and values are shared with `codes`. Free with csc_free. */
int wide_narrow(csc *narrow, const inco_csc *codes, inco_error *error);

static inline int64_t wide_nonzeros(const inco_csc *codes) {
    return codes->start ? codes->start[codes->cols] : 0;
}
static inline double wide_value(const inco_csc *codes, int64_t k) {
    return csc_number(codes->type, codes->value, k);
}

#endif
