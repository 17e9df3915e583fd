#include "sparse/wide.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/owner.h"

/* Memory owned by inco_csc.owner. */
typedef struct arrays {
    int64_t *start, *index;
    void *value;
    int64_t columns, nonzeros; /* capacity */
} arrays;

static void release(owner *o) {
    arrays *a = o->base;
    memory_free(a->start);
    memory_free(a->index);
    memory_free(a->value);
    memory_free(a);
}

void inco_csc_free(inco_csc *codes) {
    if (!codes) return;
    owner_release(codes->owner);
    memset(codes, 0, sizeof *codes);
}

/* ---- Making ---- */

static int make_arrays(inco_csc *codes, int64_t columns, int64_t nonzeros) {
    arrays *a = NEW(arrays, 1);
    if (!a) return INCO_ENOMEM;
    *a = (arrays){.columns = columns, .nonzeros = nonzeros};
    a->start = codes->start = NEW(int64_t, columns + 1);
    a->index = codes->index = NEW_RAW(int64_t, nonzeros);
    a->value = codes->value = memory_raw(nonzeros, codes->type);
    owner *o = a->start && a->index && a->value ? owner_new(release, a, 0) : NULL;
    if (!o) release(&(owner){.base = a});
    codes->owner = o;
    return o ? INCO_OK : INCO_ENOMEM;
}

int wide_new(inco_csc *codes, inco_type type, int64_t atoms, int64_t cols, inco_error *error) {
    *codes = (inco_csc){.type = type, .rows = atoms};
    if (make_arrays(codes, cols, 0) == INCO_OK) return INCO_OK;
    *codes = (inco_csc){0};
    return error_no_memory(error);
}

/* ---- Growing ---- */

/* Returns the library's arrays of these codes; NULL if they are in other arrays. */
static const arrays *arrays_of(const inco_csc *codes) {
    const arrays *a = owner_base(codes->owner, release);
    if (!a || a->start != codes->start || a->index != codes->index || a->value != codes->value) return NULL;
    if (codes->cols < 0 || codes->cols > a->columns) return NULL;
    return codes->start[codes->cols] >= 0 && codes->start[codes->cols] <= a->nonzeros ? a : NULL;
}

int wide_is_own(const inco_csc *codes) {
    return arrays_of(codes) != NULL;
}

/* Moves the codes to newly allocated arrays. */
static int move(inco_csc *codes, int64_t columns, int64_t nonzeros) {
    const int64_t used = wide_nonzeros(codes);
    inco_csc moved = {.type = codes->type, .rows = codes->rows, .cols = codes->cols};
    if (make_arrays(&moved, columns, nonzeros) < 0) return INCO_ENOMEM;
    if (codes->start) memcpy(moved.start, codes->start, (size_t)(codes->cols + 1) * sizeof *moved.start);
    memcpy(moved.index, codes->index, (size_t)used * sizeof *moved.index);
    memcpy(moved.value, codes->value, (size_t)used * codes->type);
    inco_csc_free(codes);
    *codes = moved;
    return INCO_OK;
}

static int64_t half_more(int64_t now, int64_t needed) {
    return now + now / 2 > needed ? now + now / 2 : needed;
}

static int reserve(inco_csc *codes, int64_t columns, int64_t nonzeros) {
    const arrays *a = arrays_of(codes);
    if (!a) return move(codes, columns, nonzeros);
    if (columns <= a->columns && nonzeros <= a->nonzeros) return INCO_OK;
    columns = columns > a->columns ? half_more(a->columns, columns) : a->columns;
    nonzeros = nonzeros > a->nonzeros ? half_more(a->nonzeros, nonzeros) : a->nonzeros;
    return move(codes, columns, nonzeros);
}

int wide_append(inco_csc *codes, const csc *more, inco_error *error) {
    const int64_t at = wide_nonzeros(codes), count = csc_nonzeros(more);
    if (reserve(codes, codes->cols + more->cols, at + count) < 0) return error_no_memory(error);
    for (int64_t k = 0; k < count; k++) codes->index[at + k] = more->index[k];
    memcpy((char *)codes->value + (size_t)at * codes->type, more->value, (size_t)count * codes->type);
    for (int64_t n = 1; n <= more->cols; n++) codes->start[codes->cols + n] = at + more->start[n];
    codes->cols += more->cols;
    return INCO_OK;
}

/* ---- Codes from the caller ---- */

int wide_check(const inco_csc *codes, inco_error *error) {
    if (!codes) return error_null(error, "codes");
    if ((codes->type != INCO_F32 && codes->type != INCO_F64) || codes->rows < 0 || codes->cols < 0)
        return error_set(error, INCO_EINVAL, "the codes have an invalid type or size");
    if (!codes->start && codes->cols == 0) return INCO_OK;
    int ascending = codes->start && codes->start[0] == 0;
    for (int64_t n = 0; ascending && n < codes->cols; n++) ascending = codes->start[n] <= codes->start[n + 1];
    if (!ascending) return error_set(error, INCO_EINVAL, "the column starts of the codes do not ascend from 0");
    const int64_t count = wide_nonzeros(codes);
    if (count > 0 && (!codes->index || !codes->value))
        return error_set(error, INCO_EINVAL, "the codes have no indices or values");
    for (int64_t k = 0; k < count; k++)
        if (codes->index[k] < 0 || codes->index[k] >= codes->rows)
            return error_set(error, INCO_EINVAL, "the codes name atom %lld (counted from 0) of %lld",
                             (long long)codes->index[k], (long long)codes->rows);
    return INCO_OK;
}

int wide_narrow(csc *narrow, const inco_csc *codes, inco_error *error) {
    *narrow = (csc){0};
    int status = wide_check(codes, error);
    if (status < 0) return status;
    if (codes->rows > INT32_MAX)
        return error_set(error, INCO_EDIM, "codes of %lld atoms are too large", (long long)codes->rows);
    const int64_t count = wide_nonzeros(codes);
    *narrow = (csc){codes->type, codes->rows, codes->cols, codes->start, NULL, codes->value, 0, 1};
    narrow->index = NEW_RAW(int32_t, count);
    if (!narrow->index) return error_no_memory(error);
    for (int64_t k = 0; k < count; k++) narrow->index[k] = (int32_t)codes->index[k];
    return INCO_OK;
}
