#ifdef INCO_HAVE_MAT
#include "io/matcheck.h"

#include <math.h>
#include <string.h>
#include <zlib.h>

#include "base/error.h"
#include "base/limit.h"
#include "base/memory.h"
#include "base/range.h"
#include "io/npy.h"

/* ---- Words and elements ---- */

/* Types and classes of version 5 that are treated here. */
enum { DIMENSIONS = 5, FLAGS = 6, MATRIX = 14, COMPRESSED = 15 };
enum { CELL = 1, STRUCT = 2, OBJECT = 3, SPARSE = 5, LAST_NUMERIC = 15 };
enum { HEADER = 128, TAG = 8, DEEPEST = 64, PREFIX = 1 << 16, RANK_MIN = 2, RANK_MAX = 32 };
enum { HDF5_AT = 512, HDF5_HEAD = 64 };

typedef struct view {
    const unsigned char *at;
    size_t length;  /* bytes in memory */
    uint64_t total; /* including bytes that are not inflated */
    int big;        /* byte order */
} view;

typedef struct element {
    uint32_t type;
    int small; /* the content is in the tag */
    view content;
} element;

static uint32_t word(const unsigned char *bytes, int big) {
    uint32_t value = 0;
    for (int i = 0; i < 4; i++) value |= (uint32_t)bytes[i] << 8 * (big ? 3 - i : i);
    return value;
}

static void skip(view *v, uint64_t count) {
    const uint64_t all = count < v->total ? count : v->total;
    const size_t seen = all < v->length ? (size_t)all : v->length;
    v->at += seen;
    v->length -= seen;
    v->total -= all;
}

/* Takes the next element; its content is padded to 8 bytes, or has up to 4 bytes in the tag itself. Returns 0 if it
 * does not fit. */
static int take(view *v, element *e) {
    if (v->length < TAG) return 0;
    const uint32_t first = word(v->at, v->big), small = first >> 16;
    const uint64_t size = small ? small : word(v->at + 4, v->big);
    *e = (element){small ? first & 0xffff : first, small != 0, *v};
    skip(&e->content, small ? 4 : TAG);
    if (small ? small > 4 : size > e->content.total) return 0;
    if (e->content.length > size) e->content.length = (size_t)size;
    e->content.total = size;
    skip(v, small ? TAG : TAG + (size + 7) / 8 * 8);
    return 1;
}

/* ---- Matrices of version 5 ---- */

static int check_matrix(view v, int depth);

static int check_parts(view v, int64_t count, int depth) {
    element e;
    for (int64_t i = 0; i < count; i++)
        if (!take(&v, &e) || e.type != MATRIX || !check_matrix(e.content, depth + 1)) return 0;
    return 1;
}

/* Names of a fixed length, then the fields of all structs. matio expects the length in a small element, and the names
 * in another one. */
static int check_fields(view v, int64_t count, int depth) {
    element length, names;
    if (!take(&v, &length) || !length.small || length.content.length < 4) return 0;
    if (!take(&v, &names) || names.small) return 0;
    const uint32_t each = word(length.content.at, v.big);
    if (!each || each > INT32_MAX) return 0;
    const int64_t parts = limit_product(count, (int64_t)(names.content.total / each));
    return (uint64_t)parts <= v.total / TAG && check_parts(v, parts, depth);
}

/* Whole numbers only: matio looks for the next element behind the last whole one. */
static int is_whole(const element *e) {
    static const int sizes[] = {1, 1, 1, 2, 2, 4, 4, 4, 1, 8, 1, 1, 8, 8, 1, 1, 1, 2, 4}; /* by type */
    return e->type >= sizeof sizes / sizeof *sizes || e->content.total % (uint64_t)sizes[e->type] == 0;
}

static int check_numbers(view v) {
    element e;
    do
        if (!take(&v, &e) || !is_whole(&e)) return 0;
    while (v.length >= TAG);
    return !v.total || v.total >= TAG;
}

static int is_words(const element *e) {
    return (e->type == DIMENSIONS || e->type == FLAGS) && is_whole(e); /* int32 and uint32 */
}

/* Rows and starts, for whose types matio has no error, and values. */
static int check_sparse(view v) {
    element rows, starts;
    return take(&v, &rows) && is_words(&rows) && take(&v, &starts) && is_words(&starts) && check_numbers(v);
}

/* The number of items: the product of the dimensions. */
static int64_t count_items(const view *dimensions, int64_t *last) {
    int64_t count = 1;
    for (size_t i = 0; i + 4 <= dimensions->length; i += 4) {
        *last = word(dimensions->at + i, dimensions->big);
        count = limit_product(count, *last);
    }
    return count;
}

static int check_matrix(view v, int depth) {
    element flags, dimensions, name, class_name;
    int64_t last = 0;
    if (!v.total) return depth > 0; /* an empty cell; matio does not see the length of a variable that is compressed */
    if (depth > DEEPEST || !take(&v, &flags) || flags.type != FLAGS || flags.content.length != 8) return 0;
    if (!take(&v, &dimensions) || dimensions.type != DIMENSIONS) return 0;
    if (dimensions.content.total < 4 * RANK_MIN || dimensions.content.total > 4 * RANK_MAX) return 0;
    if (!take(&v, &name) || name.content.total > PREFIX / 2) return 0;
    const int class = (int)(word(flags.content.at, v.big) & 0xff);
    const int64_t count = count_items(&dimensions.content, &last);
    if (class == CELL) return (uint64_t)count <= v.total / TAG && check_parts(v, count, depth);
    if (class == OBJECT && !take(&v, &class_name)) return 0;
    if (class == STRUCT || class == OBJECT) return check_fields(v, count, depth);
    if (class == SPARSE) return (uint64_t)last <= v.total / 4 && check_sparse(v);
    return (class > LAST_NUMERIC || (uint64_t)count <= v.total) && check_numbers(v);
}

/* ---- Compressed elements ---- */

/* Inflates the first `count` bytes; returns how many there are. */
static size_t inflate_start(const view *packed, unsigned char *out, size_t count) {
    z_stream z = {.next_in = (unsigned char *)packed->at, .avail_in = (uInt)packed->length};
    size_t done = 0;
    if (inflateInit(&z) != Z_OK) return 0;
    for (int state = Z_OK; state == Z_OK && done < count;) {
        z.next_out = out + done;
        z.avail_out = (uInt)range_min((int64_t)(count - done), 1 << 30);
        state = inflate(&z, Z_NO_FLUSH);
        done = (size_t)(z.next_out - out);
    }
    inflateEnd(&z);
    return done;
}

static int has_parts(const view *v) {
    const int class = v->length >= 2 * TAG + 4 ? (int)(word(v->at + 2 * TAG, v->big) & 0xff) : 0;
    return (class >= CELL && class <= OBJECT) || class == SPARSE;
}

/* Dense numbers are looked at as far as their header; sparse ones, and a matrix with parts, are inflated as a whole. */
static int check_inflated(const view *packed, unsigned char *bytes, size_t count, uint64_t total) {
    element e;
    view v = {bytes, inflate_start(packed, bytes, count), 0, packed->big};
    v.total = total > v.length ? total : v.length;
    return take(&v, &e) && e.type == MATRIX && check_matrix(e.content, 0);
}

static int check_compressed(const view *packed, const char *path, int64_t limit, inco_error *error) {
    unsigned char *bytes = NEW_RAW(unsigned char, PREFIX);
    int status = bytes ? INCO_OK : error_no_memory(error), good = 0;
    const size_t seen = bytes ? inflate_start(packed, bytes, PREFIX) : 0;
    const view first = {bytes, seen, seen, packed->big};
    if (seen >= TAG) {
        const uint64_t total = TAG + (uint64_t)word(bytes + 4, packed->big);
        const int whole = has_parts(&first) && total > PREFIX;
        const limit_claim claim = {.path = path,
                                   .what = "inflated bytes",
                                   .count = (int64_t)total,
                                   .size = 1,
                                   .holds = LIMIT_DEFLATE * ((double)packed->length + 1),
                                   .limit = limit};
        TRY(limit_check(&claim, error));
        if (whole) {
            memory_free(bytes);
            if (!(bytes = NEW_RAW(unsigned char, (int64_t)total))) TRY(error_no_memory(error));
        }
        good = check_inflated(packed, bytes, whole ? (size_t)total : PREFIX, total);
    }
    if (status >= 0 && !good)
        status = error_set(error, INCO_EFORMAT, "%s: truncated or damaged: a variable is invalid", path);
done:
    memory_free(bytes);
    return status;
}

/* ---- Files ---- */

static int damaged(const file_bytes *file, inco_error *error) {
    return error_set(error, INCO_EFORMAT, "%s: truncated or damaged: its end is missing", file->path);
}

/* Version 5: 128 bytes, then elements without padding. */
static int check_5(file_bytes *file, int64_t limit, int big, inco_error *error) {
    int status = INCO_OK;
    for (size_t at = HEADER; at < file->length;) {
        if (file->length - at < TAG) TRY(damaged(file, error));
        TRY(file_need(file, at, TAG, error));
        const uint32_t type = word(file->data + at, big), size = word(file->data + at + 4, big);
        if (size > file->length - at - TAG) TRY(damaged(file, error));
        TRY(file_need(file, at + TAG, size, error));
        const view content = {file->data + at + TAG, size, size, big};
        if (type == COMPRESSED) TRY(check_compressed(&content, file->path, limit, error));
        if (type == MATRIX && !check_matrix(content, 0))
            TRY(error_set(error, INCO_EFORMAT, "%s: truncated or damaged: a variable is invalid", file->path));
        at += TAG + size;
    }
done:
    return status;
}

/* A sparse matrix of version 4: a row for each entry, of row, column and value (two values if complex), and a last one
 * with the size of the matrix, for which matio allocates. */
static int check_sparse_4(file_bytes *file, size_t data, const npy_header *entries, int64_t limit, inco_error *error) {
    double size[2] = {-1, -1};
    const int64_t rows = entries->shape[0];
    npy_header one = *entries;
    int status = INCO_OK;
    one.count = 1;
    for (int64_t i = 0; i < 2 && rows > 0 && entries->shape[1] > i; i++) {
        const size_t at = data + (size_t)((i + 1) * rows - 1) * (size_t)one.size;
        TRY(file_need(file, at, (size_t)one.size, error));
        npy_convert(&one, file->data + at, INCO_F64, &size[i]);
    }
    if (!(size[0] >= 0 && size[0] <= INT32_MAX && size[1] >= 0 && size[1] <= INT32_MAX))
        TRY(error_set(error, INCO_EFORMAT, "%s: truncated or damaged: a variable is invalid", file->path));
    TRY(limit_check(&(limit_claim){file->path, "columns", (int64_t)size[1] + 1, sizeof(int64_t), INFINITY, limit},
                    error));
done:
    return status;
}

/* Version 4: for each variable five words (type, rows, columns, whether complex, length of the name), name and data. */
static int check_4(file_bytes *file, int64_t limit, inco_error *error) {
    static const int sizes[] = {8, 4, 4, 2, 2, 1, 0, 0, 0, 0};
    static const char kinds[] = "ffiiuu";
    enum { WORDS = 20, TYPE_MAX = 4052, SPARSE_4 = 2 };
    int status = INCO_OK;
    for (size_t at = 0; at < file->length;) {
        if (file->length < WORDS) TRY(error_set(error, INCO_EFORMAT, "%s: not a MAT file", file->path));
        if (file->length - at < WORDS) TRY(damaged(file, error));
        TRY(file_need(file, at, WORDS, error));
        const unsigned char *head = file->data + at;
        const int big = word(head, 0) > TYPE_MAX;
        const uint32_t type = word(head, big), rows = word(head + 4, big), columns = word(head + 8, big);
        const uint32_t parts = word(head + 12, big) ? 2 : 1, name = word(head + 16, big);
        const int size = sizes[type / 10 % 10];
        if (type > TYPE_MAX || !size || rows > INT32_MAX || columns > INT32_MAX)
            TRY(error_set(error, INCO_EFORMAT, "%s: not a MAT file, or a damaged one", file->path));
        const int64_t data = limit_product(limit_product(rows, columns), (int64_t)parts * size);
        const uint64_t left = file->length - at - WORDS;
        if (name > left || (uint64_t)data > left - name) TRY(damaged(file, error));
        const npy_header entries = {.kind = kinds[type / 10 % 10],
                                    .size = size,
                                    .swapped = big == npy_native_is_little(),
                                    .shape = {rows, columns}};
        if (type % 10 == SPARSE_4) TRY(check_sparse_4(file, at + WORDS + name, &entries, limit, error));
        at += WORDS + name + (size_t)data;
    }
done:
    return status;
}

/* Version 7.3: HDF5 after 512 bytes; its header has the end of the file. Checked here because HDF5 prints messages
 * about truncated files. */
static int check_hdf5(const file_bytes *file, inco_error *error) {
    static const int end_at[] = {40, 44, 28, 28}; /* by the version of the header */
    const unsigned char *head = file->data + HDF5_AT;
    if (file->length < HDF5_AT + HDF5_HEAD || memcmp(head, "\x89HDF\r\n\x1a\n", 8) || head[8] > 3)
        return damaged(file, error);
    const unsigned char *end = head + end_at[head[8]];
    return ((uint64_t)word(end + 4, 0) << 32 | word(end, 0)) <= file->length ? INCO_OK : damaged(file, error);
}

static int starts(const file_bytes *file, const char *text) {
    return file->length >= strlen(text) && !memcmp(file->data, text, strlen(text));
}

enum { VERSION_5 = 0x100, VERSION_7_3 = 0x200 };

/* The number at the end of the header, followed by a mark of the byte order; 0: another one, or no mark, which matio
 * takes for version 4. */
static int version_of(const file_bytes *file, int *big) {
    const unsigned char *end = file->data + HEADER - 4;
    *big = file->length >= HEADER && !memcmp(end + 2, "MI", 2);
    if (file->length < HEADER || (!*big && memcmp(end + 2, "IM", 2))) return 0;
    const int version = end[!*big] << 8 | end[*big];
    return version == VERSION_5 || version == VERSION_7_3 ? version : 0;
}

int matcheck_is_hdf5(const file_bytes *file) {
    int big;
    return version_of(file, &big) == VERSION_7_3;
}

int matcheck(file_bytes *file, int64_t limit, inco_error *error) {
    const size_t length = file->length;
    int status = file_need(file, 0, (size_t)range_min((int64_t)length, HDF5_AT + HDF5_HEAD), error);
    if (status < 0) return status;
    if (starts(file, "# Created by Octave") || starts(file, "Octave-1"))
        return error_set(error, INCO_EFORMAT, "%s is in Octave's own format: save it with save -v7 %s", file->path,
                         file->path);
    int big;
    const int version = version_of(file, &big);
    if (!version) return check_4(file, limit, error);
    return version == VERSION_7_3 ? check_hdf5(file, error) : check_5(file, limit, big, error);
}
#else
typedef int matcheck_not_built;
#endif
