#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/limit.h"
#include "base/memory.h"
#include "io/file.h"
#include "io/image.h"

typedef struct cursor {
    const unsigned char *at, *end;
} cursor;

static int is_space(unsigned char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The next integer, after white space and comments; -1 if there is none up to a million. */
static int64_t take_number(cursor *c) {
    int64_t value = -1;
    while (c->at < c->end && (is_space(*c->at) || *c->at == '#')) {
        const int comment = *c->at == '#';
        while (comment && c->at < c->end && *c->at != '\n') c->at++;
        if (c->at < c->end) c->at++;
    }
    for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++) {
        if (value > 100000) return -1;
        value = (value < 0 ? 0 : value) * 10 + (*c->at - '0');
    }
    return value;
}

static int truncated(const char *name, int64_t rows, int64_t cols, inco_error *error) {
    return error_set(error, INCO_EFORMAT, "%s: truncated: fewer pixels than %lld x %lld", name, (long long)rows,
                     (long long)cols);
}

static int take_text(cursor *c, int64_t largest, const char *name, inco_mat *m, inco_error *error) {
    float *out = m->data;
    for (int64_t i = 0; i < m->rows * m->cols; i++) {
        int64_t value = take_number(c);
        if (value < 0 && c->at == c->end) return truncated(name, m->cols, m->rows, error);
        if (value < 0 || value > largest)
            return error_set(error, INCO_EFORMAT,
                             "%s: no grey value from 0 to %lld at row %lld, column %lld (counted from 0)", name,
                             (long long)largest, (long long)(i / m->rows), (long long)(i % m->rows));
        out[i] = (float)((double)value / (double)largest);
    }
    return INCO_OK;
}

static void take_bytes(const unsigned char *bytes, int64_t largest, inco_mat *m) {
    float *out = m->data;
    for (int64_t i = 0; i < m->rows * m->cols; i++) {
        int value = largest < 256 ? bytes[i] : bytes[2 * i] << 8 | bytes[2 * i + 1];
        out[i] = (float)((double)value / (double)largest);
    }
}

int pgm_parse(const unsigned char *bytes, size_t length, const char *name, int64_t limit, inco_mat *m,
              inco_error *error) {
    cursor c = {bytes + 2, bytes + length};
    *m = (inco_mat){0};
    if (length < 3 || bytes[0] != 'P' || (bytes[1] != '2' && bytes[1] != '5'))
        return error_set(error, INCO_EFORMAT, "%s: not a grey PGM image (P2 or P5)", name);
    const int text = bytes[1] == '2';
    const int64_t cols = take_number(&c), rows = take_number(&c), largest = take_number(&c);
    if (cols < 1 || rows < 1 || largest < 1 || largest > 65535)
        return error_set(error, INCO_EFORMAT, "%s: invalid PGM header", name);
    if (c.at < c.end) c.at++; /* one white space character ends the header */
    const int64_t left = c.end - c.at, count = limit_product(rows, cols), each = text || largest < 256 ? 1 : 2;
    if (left / each < count) return truncated(name, rows, cols, error);
    int status = limit_check(&(limit_claim){name, "pixels", count, sizeof(float), (double)left, limit}, error);
    if (status >= 0) status = mat_new_raw(m, INCO_F32, cols, rows, error);
    if (status < 0) return status;
    if (!text)
        take_bytes(c.at, largest, m);
    else
        status = take_text(&c, largest, name, m, error);
    if (status < 0) inco_mat_free(m);
    return status;
}

int image_load_pgm(const char *path, const io_how *how, io_array *out, inco_error *error) {
    file_bytes file;
    int status = file_read(&file, path, how->limit, error);
    if (status < 0) return status;
    status = pgm_parse(file.data, file.length, path, how->limit, &out->m, error);
    file_release(&file);
    return status;
}

void image_to_bytes(const float *values, int64_t count, unsigned char *bytes) {
    for (int64_t i = 0; i < count; i++) {
        float grey = values[i] * 255 + 0.5f;
        bytes[i] = !(grey > 0) ? 0 : grey < 255 ? (unsigned char)grey : 255;
    }
}

int image_save_pgm(output *out, const io_array *array, const io_how *how, inco_error *error) {
    const inco_mat *m = &array->m;
    unsigned char *row = NEW_RAW(unsigned char, m->rows);
    char header[64];
    (void)how;
    if (!row) return error_no_memory(error);
    int size = snprintf(header, sizeof header, "P5\n%lld %lld\n255\n", (long long)m->rows, (long long)m->cols);
    int failed = output_write(out, header, (size_t)size);
    for (int64_t j = 0; !failed && j < m->cols; j++) {
        image_to_bytes(mat_column(m, j), m->rows, row);
        failed = output_write(out, row, (size_t)m->rows);
    }
    memory_free(row);
    return failed ? INCO_EIO : INCO_OK;
}
