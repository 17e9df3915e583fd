#include "base/source.h"

#include <string.h>

#include "base/error.h"
#include "base/sized.h"

static int read_mat(void *self, int64_t first, int64_t count, void *out, inco_error *error) {
    const inco_mat *x = self;
    const size_t column = (size_t)x->rows * x->type, step = (size_t)x->ld * x->type;
    const char *from = (const char *)x->data + (size_t)first * step;
    (void)error;
    for (int64_t n = 0; n < count; n++) memcpy((char *)out + (size_t)n * column, from + (size_t)n * step, column);
    return INCO_OK;
}

inco_source source_of_mat(const inco_mat *x) {
    return (inco_source){.size = sizeof(inco_source),
                         .dim = x->rows,
                         .count = x->cols,
                         .type = x->type,
                         .self = (void *)x,
                         .read = read_mat,
                         .concurrent = 1};
}

int inco_source_from_mat(inco_source *source, const inco_mat *x, inco_error *error) {
    if (!source || !x) return error_null(error, source ? "matrix" : "source");
    int status = SIZED_CHECK(inco_source, source, error);
    if (status < 0) return status;
    const inco_source own = source_of_mat(x);
    sized_give(source, &own, sizeof own);
    return INCO_OK;
}

int source_take(inco_source *own, const inco_source *given, inco_error *error) {
    int status = SIZED_TAKE(inco_source, own, given, error);
    if (status < 0) return status;
    if (!own->read) return error_set(error, INCO_EINVAL, "the source has no function `read`");
    if (own->type != INCO_F32 && own->type != INCO_F64)
        return error_set(error, INCO_EINVAL, "the source's type is neither INCO_F32 nor INCO_F64");
    if (own->dim < 0 || own->count < 0 || (own->dim > 0 && own->count > INT64_MAX / 8 / own->dim))
        return error_set(error, INCO_EINVAL, "the source's sizes make no sense: %lld signals of %lld values",
                         (long long)own->count, (long long)own->dim);
    return INCO_OK;
}
