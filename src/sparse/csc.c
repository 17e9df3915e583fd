#include "sparse/csc.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* The capacity of start[] is always a power of two, so that it follows from the number of columns. */
static int64_t column_capacity(int64_t cols) {
    int64_t capacity = 1;
    while (capacity < cols + 1) capacity *= 2;
    return capacity;
}

int csc_new(csc *codes, inco_type type, int64_t atoms, int64_t cols, int64_t capacity, inco_error *error) {
    *codes = (csc){.type = type, .rows = atoms, .capacity = capacity};
    codes->start = NEW(int64_t, column_capacity(cols));
    codes->index = NEW_RAW(int32_t, capacity);
    codes->value = memory_raw(capacity, type);
    if (codes->start && codes->index && codes->value) return INCO_OK;
    csc_free(codes);
    return error_no_memory(error);
}

void csc_free(csc *codes) {
    if (!codes->borrows) {
        memory_free(codes->start);
        memory_free(codes->value);
    }
    memory_free(codes->index);
    memset(codes, 0, sizeof *codes);
}

int csc_reserve(csc *codes, int64_t cols, int64_t nonzeros, inco_error *error) {
    if (!codes->start || column_capacity(cols) > column_capacity(codes->cols)) {
        const int64_t used = codes->start ? codes->cols + 1 : 0;
        int64_t *start = memory_grow(codes->start, used, column_capacity(cols), sizeof *start);
        if (!start) return error_no_memory(error);
        if (!codes->start) start[0] = 0;
        codes->start = start;
    }
    if (nonzeros > codes->capacity) {
        int64_t capacity = codes->capacity + codes->capacity / 2, used = csc_nonzeros(codes);
        if (capacity < nonzeros) capacity = nonzeros;
        int32_t *index = memory_grow(codes->index, used, capacity, sizeof *index);
        if (index) codes->index = index;
        void *value = index ? memory_grow(codes->value, used, capacity, codes->type) : NULL;
        if (!value) return error_no_memory(error);
        codes->value = value;
        codes->capacity = capacity;
    }
    return INCO_OK;
}

int csc_append(csc *codes, const csc *more, inco_error *error) {
    const int64_t at = csc_nonzeros(codes), count = csc_nonzeros(more);
    int status = csc_reserve(codes, codes->cols + more->cols, at + count, error);
    if (status < 0) return status;
    memcpy(codes->index + at, more->index, (size_t)count * sizeof *more->index);
    memcpy((char *)codes->value + (size_t)at * codes->type, more->value, (size_t)count * codes->type);
    for (int64_t n = 1; n <= more->cols; n++) codes->start[codes->cols + n] = at + more->start[n];
    codes->cols += more->cols;
    return INCO_OK;
}

static void put(csc *to, int64_t at, const csc *from, int64_t k, int64_t column) {
    to->index[at] = (int32_t)column;
    if (to->type == INCO_F32)
        ((float *)to->value)[at] = ((const float *)from->value)[k];
    else
        ((double *)to->value)[at] = ((const double *)from->value)[k];
}

int csc_transpose(csc *to, const csc *from, inco_error *error) {
    const int64_t nonzeros = csc_nonzeros(from);
    int status = csc_new(to, from->type, from->cols, from->rows, nonzeros, error);
    if (status < 0) return status;
    to->cols = from->rows;
    int64_t *start = to->start; /* first counts, then ends, then (decremented while filling) starts */
    for (int64_t k = 0; k < nonzeros; k++) start[from->index[k]]++;
    for (int64_t j = 0, sum = 0; j <= to->cols; j++) {
        sum += j < to->cols ? start[j] : 0;
        start[j] = sum;
    }
    for (int64_t n = from->cols - 1; n >= 0; n--)
        for (int64_t k = from->start[n + 1] - 1; k >= from->start[n]; k--) put(to, --start[from->index[k]], from, k, n);
    return INCO_OK;
}
