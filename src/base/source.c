#include "base/source.h"

#include "base/error.h"
#include "base/sized.h"

int source_take(inco_source *own, const inco_source *given, inco_error *error) {
    int status = SIZED_TAKE(inco_source, own, given, error);
    if (status < 0) return status;
    if (!own->read) return error_set(error, INCO_EINVAL, "the source has no function `read`");
    if (own->type != INCO_F32 && own->type != INCO_F64)
        return error_set(error, INCO_EINVAL, "the type of the source is neither INCO_F32 nor INCO_F64");
    if (own->dim < 0 || own->count < 0 || (own->dim > 0 && own->count > INT64_MAX / 8 / own->dim))
        return error_set(error, INCO_EINVAL, "the source has an invalid size: %lld signals of %lld values",
                         (long long)own->count, (long long)own->dim);
    return INCO_OK;
}
