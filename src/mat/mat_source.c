/* Sources over the columns of a matrix. */
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "base/source.h"
#include "mat/mat.h"

static int read_mat(void *self, int64_t first, int64_t count, void *out, inco_error *error) {
    const inco_mat *x = self;
    const size_t column = (size_t)x->rows * x->type, step = (size_t)x->ld * x->type;
    const char *from = (const char *)x->data + (size_t)first * step;
    (void)error;
    for (int64_t n = 0; n < count; n++) memcpy((char *)out + (size_t)n * column, from + (size_t)n * step, column);
    return INCO_OK;
}

inco_source mat_source_of(const inco_mat *x) {
    return (inco_source){.size = sizeof(inco_source),
                         .dim = x->rows,
                         .count = x->cols,
                         .type = x->type,
                         .self = (void *)x,
                         .read = read_mat,
                         .concurrent = 1};
}

int inco_source_from_mat(inco_source *source, const inco_mat *x, inco_error *error) {
    int status;
    TRY(SIZED_NEED(inco_source, source, error));
    TRY(mat_need(x, "matrix", error));
    const inco_source own = mat_source_of(x);
    sized_give(source, &own, sizeof own);
done:
    return status;
}
