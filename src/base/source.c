/* Sources of signals that are already in memory. */
#include <string.h>

#include "base/error.h"

static int read_mat(void *self, int64_t first, int64_t count, void *out, inco_error *error) {
    const inco_mat *x = self;
    const size_t column = (size_t)x->rows * x->type, step = (size_t)x->ld * x->type;
    const char *from = (const char *)x->data + (size_t)first * step;
    (void)error;
    for (int64_t n = 0; n < count; n++) memcpy((char *)out + (size_t)n * column, from + (size_t)n * step, column);
    return INCO_OK;
}

inco_source inco_source_from_mat(const inco_mat *x) {
    return (inco_source){sizeof(inco_source), x->rows, x->cols, x->type, (void *)x, read_mat};
}
