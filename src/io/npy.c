#include "io/npy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/limit.h"
#include "io/rows.h"
#include "base/memory.h"

static const char magic[6] = {'\x93', 'N', 'U', 'M', 'P', 'Y'}; /* the first bytes of a file */

int npy_native_is_little(void) {
    const uint16_t one = 1;
    return *(const unsigned char *)&one;
}

/* ---- The header: a Python dict in text, {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), } ---- */

typedef struct cursor {
    const char *at, *end;
} cursor;

static void skip_space(cursor *c) {
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\n' || *c->at == '\t' || *c->at == '\r')) c->at++;
}

static int take(cursor *c, char wanted) {
    skip_space(c);
    if (c->at == c->end || *c->at != wanted) return 0;
    c->at++;
    return 1;
}

static int take_word(cursor *c, const char *word) {
    const size_t length = strlen(word);
    skip_space(c);
    if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length)) return 0;
    c->at += length;
    return 1;
}

/* A quoted string without escapes, truncated to the capacity. */
static int take_string(cursor *c, char *text, size_t left) {
    skip_space(c);
    const char quote = c->at < c->end ? *c->at : 0;
    if (quote != '\'' && quote != '"') return 0;
    size_t used = 0;
    for (c->at++; c->at < c->end && *c->at != quote; c->at++)
        if (used + 1 < left) text[used++] = *c->at;
    text[used] = 0;
    return take(c, quote);
}

static int take_size(cursor *c, int64_t *value) {
    int digits = 0;
    skip_space(c);
    for (*value = 0; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++, digits++) {
        if (*value > (INT64_MAX - 9) / 10) return 0;
        *value = *value * 10 + (*c->at - '0');
    }
    if (c->at < c->end && *c->at == 'L') c->at++; /* Python 2 */
    return digits > 0;
}

static int take_shape(cursor *c, npy_header *h) {
    h->dims = 0;
    h->count = h->shape[0] = h->shape[1] = 1;
    if (!take(c, '(')) return 0;
    while (!take(c, ')')) {
        int64_t size;
        if (!take_size(c, &size) || (size && h->count > INT64_MAX / size)) return 0;
        if (h->dims < 2) h->shape[h->dims] = size;
        h->count *= size;
        h->dims++;
        if (!take(c, ',')) return take(c, ')');
    }
    return 1;
}

/* Byte order, kind, bytes: "<f4", "|b1", ">i8", "=u2", "|O", "<U12". A list means a structured array. */
static int take_descr(cursor *c, npy_header *h) {
    char text[32];
    skip_space(c);
    if (c->at < c->end && *c->at == '[') {
        h->kind = 'V';
        return 1;
    }
    if (!take_string(c, text, sizeof text)) return 0;
    const char *s = text;
    const char order = strchr("<>=|", *s) && *s ? *s++ : '=';
    const char native = npy_native_is_little() ? '<' : '>';
    h->kind = *s ? *s++ : 0;
    h->size = 0;
    for (; *s >= '0' && *s <= '9' && h->size < 10000000; s++) h->size = h->size * 10 + (*s - '0');
    if (h->kind == 'U') h->size *= 4;
    h->swapped = (order == '<' || order == '>') && order != native;
    return h->kind && (!*s || *s == '[');
}

static int take_entries(cursor *c, npy_header *h) {
    int seen = 0;
    char key[16];
    if (!take(c, '{')) return 0;
    while (!take(c, '}')) {
        if (!take_string(c, key, sizeof key) || !take(c, ':')) return 0;
        if (!strcmp(key, "descr")) {
            if (!take_descr(c, h)) return 0;
            if (h->kind == 'V') return 1;
            seen |= 1;
        } else if (!strcmp(key, "fortran_order")) {
            h->fortran = take_word(c, "True");
            if (!h->fortran && !take_word(c, "False")) return 0;
            seen |= 2;
        } else if (!strcmp(key, "shape")) {
            if (!take_shape(c, h)) return 0;
            seen |= 4;
        } else {
            return 0;
        }
        if (!take(c, ',')) return take(c, '}') && seen == 7;
    }
    return seen == 7;
}

int npy_parse(const unsigned char *bytes, size_t length, const char *name, npy_header *h, inco_error *error) {
    memset(h, 0, sizeof *h);
    if (length < 10 || memcmp(bytes, magic, sizeof magic))
        return error_set(error, INCO_EFORMAT,
                         "%s: not a NumPy array: wrong magic bytes (raw float32 numbers need option 'dim')", name);
    if (bytes[6] < 1 || bytes[6] > 3)
        return error_set(error, INCO_EFORMAT, "%s: unknown version %d.%d of the NumPy format", name, bytes[6],
                         bytes[7]);
    const int wide = bytes[6] > 1;
    const size_t start = wide ? 12 : 10;
    const size_t size = length >= start ? (size_t)file_little(bytes + 8, wide ? 4 : 2) : SIZE_MAX;
    if (length < start || size > length - start)
        return error_set(error, INCO_EFORMAT, "%s: truncated within the header of the NumPy array", name);
    if (size > NPY_HEADER_MAX)
        return error_set(error, INCO_EFORMAT, "%s: the NumPy header has %zu bytes: too long for a matrix", name, size);
    cursor c = {(const char *)bytes + start, (const char *)bytes + start + size};
    h->offset = start + size;
    if (!take_entries(&c, h)) return error_set(error, INCO_EFORMAT, "%s: invalid NumPy header", name);
    return INCO_OK;
}

int npy_check_length(const npy_header *h, size_t length, const char *name, inco_error *error) {
    const size_t left = length - h->offset;
    if (h->size && (uint64_t)h->count > left / (size_t)h->size)
        return error_set(error, INCO_EFORMAT,
                         "%s: truncated: %lld items of %d bytes are declared, but the file has %zu bytes", name,
                         (long long)h->count, h->size, left);
    return INCO_OK;
}

/* ---- The numbers ---- */

int npy_is_number(const npy_header *h) {
    const int s = h->size;
    switch (h->kind) {
    case 'b':
        return s == 1;
    case 'i':
    case 'u':
        return s == 1 || s == 2 || s == 4 || s == 8;
    case 'f':
        return s == 2 || s == 4 || s == 8;
    default:
        return 0;
    }
}

static int check_numbers(const npy_header *h, const char *name, inco_error *error) {
    if (npy_is_number(h)) return INCO_OK;
    const char *what = "a type that is not supported";
    if (h->kind == 'O') what = "Python objects";
    if (h->kind == 'c') what = "complex numbers";
    if (h->kind == 'V') what = "structured records";
    if (h->kind == 'S' || h->kind == 'U') what = "text";
    if (h->kind == 'f') what = "extended floats";
    if (h->kind == 'M' || h->kind == 'm') what = "dates or times";
    return error_set(error, INCO_EFORMAT, "%s: an array of %s; save it as float32 or float64 (x.astype('float32'))",
                     name, what);
}

inco_type npy_type(const npy_header *h) {
    return h->size <= 2 || (h->kind == 'f' && h->size == 4) ? INCO_F32 : INCO_F64;
}

static uint64_t item_bits(const npy_header *h, const unsigned char *item) {
    uint64_t bits = 0;
    const int up = npy_native_is_little() != h->swapped; /* the lowest byte comes first */
    for (int i = 0; i < h->size; i++) bits |= (uint64_t)item[i] << 8 * (up ? i : h->size - 1 - i);
    return bits;
}

static int64_t as_signed(uint64_t bits, int size) {
    const int unused = 64 - 8 * size;
    return (int64_t)(bits << unused) >> unused;
}

/* IEEE half: 1 sign, 5 exponent (bias 15), 10 fraction bits. */
static double from_half(uint64_t bits) {
    const int exponent = (int)(bits >> 10 & 31);
    const double fraction = (double)(bits & 1023), sign = bits & 0x8000 ? -1 : 1;
    if (exponent == 31) return sign * (fraction != 0 ? NAN : INFINITY);
    if (exponent == 0) return sign * fraction * 0x1p-24;
    return sign * (1024 + fraction) * (double)(1 << exponent) * 0x1p-25;
}

/* bfloat16: the upper half of a float32. */
static double from_bfloat(uint32_t bits) {
    const uint32_t wide = bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return value;
}

static double item_value(const npy_header *h, const unsigned char *item) {
    const uint64_t bits = item_bits(h, item);
    const uint32_t low = (uint32_t)bits;
    float single;
    double value;
    switch (h->kind) {
    case 'b':
        return bits != 0;
    case 'i':
        return (double)as_signed(bits, h->size);
    case 'u':
        return (double)bits;
    default:
        break;
    }
    if (h->size == 2) return h->kind == NPY_BFLOAT ? from_bfloat(low) : from_half(bits);
    if (h->size == 4) {
        memcpy(&single, &low, sizeof single);
        return single;
    }
    memcpy(&value, &bits, sizeof value);
    return value;
}

void npy_convert(const npy_header *h, const unsigned char *data, inco_type type, void *out) {
    if (h->kind == 'f' && h->size == (int)type && !h->swapped) {
        memcpy(out, data, (size_t)h->count * type);
        return;
    }
    for (int64_t i = 0; i < h->count; i++) {
        double value = item_value(h, data + (size_t)i * (size_t)h->size);
        if (type == INCO_F32)
            ((float *)out)[i] = (float)value;
        else
            ((double *)out)[i] = value;
    }
}

int npy_is_integer(const npy_header *h) {
    return npy_is_number(h) && (h->kind == 'i' || h->kind == 'u');
}

int64_t npy_integer(const npy_header *h, const unsigned char *data, int64_t i) {
    const uint64_t bits = item_bits(h, data + (size_t)i * (size_t)h->size);
    return h->kind == 'i' ? as_signed(bits, h->size) : (int64_t)bits;
}

/* ---- The matrix ---- */

static int check_shape(const npy_header *h, const char *name, inco_error *error) {
    if (h->dims == 1)
        return error_set(error, INCO_EFORMAT,
                         "%s: a 1-d array of %lld values; a matrix has 2 dimensions, signals and features: reshape it "
                         "with x.reshape(1, -1) for one signal",
                         name, (long long)h->count);
    if (h->dims != 2)
        return error_set(
            error, INCO_EFORMAT,
            "%s: a %d-d array; a matrix has 2 dimensions, signals and features: reshape it with x.reshape(len(x), -1)",
            name, h->dims);
    if (!h->count)
        return error_set(error, INCO_EDATA, "%s: the array is empty: its shape is (%lld, %lld)", name,
                         (long long)h->shape[0], (long long)h->shape[1]);
    return INCO_OK;
}

static int is_native(const npy_header *h) {
    return h->kind == 'f' && h->size == (int)npy_type(h) && !h->swapped && h->offset % (size_t)h->size == 0;
}

/* The bytes in file order: the fastest index becomes the rows. Takes over native floats, converts other types. */
static int as_it_lies(file_bytes *file, const npy_header *h, inco_mat *m, inco_error *error) {
    const unsigned char *data = file->data + h->offset;
    const inco_type type = npy_type(h);
    const int64_t fast = h->shape[h->fortran ? 0 : 1], slow = h->shape[h->fortran ? 1 : 0];
    if (is_native(h) && (uintptr_t)data % type == 0) {
        *m = mat_view(type, fast, slow, (void *)data);
        m->owner = file->owner;
        file->owner = NULL;
        return INCO_OK;
    }
    int status = mat_new_raw(m, type, fast, slow, error);
    if (!status) npy_convert(h, data, type, m->data);
    return status;
}

/* Memory for the items, converted and transposed if necessary. */
static int check_memory(const file_bytes *file, const npy_header *h, const char *name, const io_how *how,
                        inco_error *error) {
    const size_t type = npy_type(h), size = (size_t)h->size;
    const limit_claim claim = {.path = name,
                               .what = "numbers",
                               .count = h->count,
                               .size = size + (is_native(h) ? 0 : type) + (h->fortran == !!how->columns ? 0 : type),
                               .holds = (double)(file->length - h->offset) / (double)size,
                               .limit = how->limit};
    return limit_check(&claim, error);
}

int npy_take(file_bytes *file, const npy_header *h, const char *name, const io_how *how, inco_mat *m,
             inco_error *error) {
    const int turned = h->fortran != !!how->columns;
    inco_mat lying = {0};
    int status;
    if (how->rows && file->reader && is_native(h) && !turned) {
        *m = mat_view(npy_type(h), h->shape[!h->fortran], h->shape[h->fortran], NULL);
        return rows_take(how->rows, file, (int64_t)h->offset, (size_t)m->rows * m->type, error);
    }
    TRY(check_memory(file, h, name, how, error));
    TRY(file_need(file, h->offset, (size_t)h->count * (size_t)h->size, error));
    TRY(as_it_lies(file, h, &lying, error));
    if (!turned) {
        *m = lying;
        return INCO_OK;
    }
    status = mat_transpose(m, &lying, error);
done:
    inco_mat_free(&lying);
    return status;
}

/* The header that raw numbers lack: float32 in the byte order of this machine, `dim` per signal. */
static int raw_header(const file_bytes *file, const char *name, int64_t dim, npy_header *h, inco_error *error) {
    const size_t size = sizeof(float), signal = (size_t)dim * size;
    if (file->length % signal)
        return error_set(error, INCO_EFORMAT,
                         "%s: %zu bytes are not a whole number of signals of %lld float32 values (option 'dim')", name,
                         file->length, (long long)dim);
    *h = (npy_header){.kind = 'f',
                      .size = (int)size,
                      .dims = 2,
                      .shape = {(int64_t)(file->length / signal), dim},
                      .count = (int64_t)(file->length / size)};
    return INCO_OK;
}

int npy_matrix(file_bytes *file, const char *name, const io_how *how, inco_mat *m, inco_error *error) {
    const size_t head = NPY_HEADER_MAX + 12;
    npy_header h = {0};
    int status;
    *m = (inco_mat){0};
    TRY(file_need(file, 0, file->length < head ? file->length : head, error));
    if (how->dim && (file->length < sizeof magic || memcmp(file->data, magic, sizeof magic)))
        TRY(raw_header(file, name, how->dim, &h, error));
    else
        TRY(npy_parse(file->data, file->length, name, &h, error));
    TRY(check_numbers(&h, name, error));
    if (how->list && h.dims == 1) { /* a column */
        h.dims = 2;
        h.shape[1] = 1;
        h.fortran = 0;
    }
    TRY(check_shape(&h, name, error));
    TRY(npy_check_length(&h, file->length, name, error));
    TRY(npy_take(file, &h, name, how, m, error));
done:
    return status;
}

int npy_load(const char *path, const io_how *how, io_array *out, inco_error *error) {
    file_bytes file;
    int status = file_open(&file, path, error);
    if (status < 0) return status;
    out->columns = how->columns;
    status = npy_matrix(&file, file.path, how, &out->m, error);
    file_release(&file);
    return status;
}

/* ---- Writing ---- */

size_t npy_header_text(char out[256], const char *item, int fortran, int dims, const int64_t *shape) {
    enum { PREFIX = 10 };
    char *text = out + PREFIX;
    const int single = *item == 'S' || (item[1] == '1' && !item[2] && *item != 'U'); /* items of single bytes */
    const char order = single ? '|' : npy_native_is_little() ? '<' : '>';
    int used = snprintf(text, 200, "{'descr': '%c%s', 'fortran_order': %s, 'shape': (", order, item,
                        fortran ? "True" : "False");
    for (int i = 0; i < dims; i++)
        used += snprintf(text + used, 200 - (size_t)used, "%s%lld%s", i ? " " : "", (long long)shape[i],
                         i + 1 < dims || dims == 1 ? "," : "");
    used += snprintf(text + used, 200 - (size_t)used, "), }");
    size_t size = (PREFIX + (size_t)used + 1 + 63) / 64 * 64;
    memset(text + used, ' ', size - PREFIX - (size_t)used);
    out[size - 1] = '\n';
    memcpy(out, magic, sizeof magic);
    out[6] = 1; /* version 1.0 */
    out[7] = 0;
    out[8] = (char)((size - PREFIX) & 255);
    out[9] = (char)((size - PREFIX) >> 8);
    return size;
}

/* Signals in rows are (N, D) in C order, signals in columns (D, N) in Fortran order: the same bytes. */
int npy_save(output *out, const io_array *array, const io_how *how, inco_error *error) {
    const inco_mat *m = &array->m;
    const int64_t shape[2] = {how->columns ? m->rows : m->cols, how->columns ? m->cols : m->rows};
    char header[256];
    (void)error;
    size_t size = npy_header_text(header, m->type == INCO_F32 ? "f4" : "f8", how->columns, 2, shape);
    if (output_write(out, header, size) < 0) return INCO_EIO;
    for (int64_t j = 0; j < m->cols; j++)
        if (output_write(out, mat_column(m, j), (size_t)m->rows * m->type) < 0) return INCO_EIO;
    return INCO_OK;
}
