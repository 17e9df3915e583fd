/* Codes in .npz, in the format of scipy.sparse. */
#ifdef INCO_HAVE_NPZ
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/limit.h"
#include "base/memory.h"
#include "io/archive.h"
#include "io/codes.h"
#include "io/npz.h"
#include "io/origin.h"
#include "sparse/csc.h"

/* ---- Members ---- */

typedef struct member {
    file_bytes bytes;
    npy_header header;
    const unsigned char *data;
} member;

static void member_free(member *m) {
    file_release(&m->bytes);
}

/* Finds and reads a member; m->data stays NULL if there is none. */
static int member_read(archive *a, const char *name, member *m, inco_error *error) {
    char label[ARCHIVE_LABEL];
    const int64_t place = archive_find(a, name);
    int status;
    memset(m, 0, sizeof *m);
    if (place < 0) return INCO_OK;
    archive_label(a, place, label);
    TRY(archive_read(a, place, &m->bytes, error));
    TRY(npy_parse(m->bytes.data, m->bytes.length, label, &m->header, error));
    TRY(npy_check_length(&m->header, m->bytes.length, label, error));
    m->data = m->bytes.data + m->header.offset;
done:
    if (status < 0) member_free(m);
    return status;
}

typedef struct reading {
    archive *archive;
    const char *path;
    int64_t length, limit; /* of the file; of memory */
    int64_t signals, atoms;
} reading;

static int not_codes(const reading *r, const char *why, inco_error *error) {
    return error_set(error, INCO_EFORMAT, "%s: not sparse codes as scipy.sparse.save_npz writes them: %s", r->path,
                     why);
}

static int need(const reading *r, const char *name, member *m, inco_error *error) {
    char why[64];
    int status = member_read(r->archive, name, m, error);
    snprintf(why, sizeof why, "there is no member '%s'", name);
    return status < 0 || m->data ? status : not_codes(r, why, error);
}

static int need_integers(const reading *r, const char *name, member *m, inco_error *error) {
    char why[64];
    int status = need(r, name, m, error);
    snprintf(why, sizeof why, "'%s' is not an array of integers", name);
    if (status < 0 || (npy_is_integer(&m->header) && m->header.dims == 1)) return status;
    member_free(m);
    return not_codes(r, why, error);
}

static int need_values(const reading *r, member *m, inco_error *error) {
    int status = need(r, "data", m, error);
    if (status < 0 || (npy_is_number(&m->header) && m->header.dims == 1)) return status;
    member_free(m);
    return not_codes(r, "'data' is not an array of real numbers", error);
}

/* "csr" from an array of bytes or of str. */
static int read_format(const reading *r, char text[8], inco_error *error) {
    member m;
    int status = need(r, "format", &m, error);
    if (status < 0) return status;
    const int step = m.header.kind == 'U' ? 4 : 1, big = m.header.kind == 'U' && m.header.swapped ? 3 : 0;
    const int letters = m.header.kind == 'U' || m.header.kind == 'S' ? m.header.size / step : 0;
    memset(text, 0, 8);
    for (int i = 0; m.header.count == 1 && i < letters && i < 7; i++) text[i] = (char)m.data[i * step + big];
    member_free(&m);
    return INCO_OK;
}

static int read_shape(reading *r, inco_error *error) {
    member m;
    int status = need_integers(r, "shape", &m, error);
    if (status < 0) return status;
    if (m.header.count == 2) {
        r->signals = npy_integer(&m.header, m.data, 0);
        r->atoms = npy_integer(&m.header, m.data, 1);
    }
    const int good = m.header.count == 2 && r->signals >= 0 && r->atoms >= 1 && r->atoms < INT32_MAX;
    member_free(&m);
    return good ? INCO_OK : not_codes(r, "'shape' is not (signals, atoms)", error);
}

/* ---- The three layouts ---- */

/* CSR (or CSC) with `major` rows (columns) of indices below `minor`. */
static int read_compressed(const reading *r, int64_t major, int64_t minor, csc *codes, inco_error *error) {
    member pointers = {0}, index = {0}, values = {0};
    int status;
    TRY(need_integers(r, "indptr", &pointers, error));
    TRY(need_integers(r, "indices", &index, error));
    TRY(need_values(r, &values, error));
    if (minor >= INT32_MAX || pointers.header.count != major + 1 || index.header.count != values.header.count)
        TRY(not_codes(r, "the lengths of 'indptr', 'indices', 'data' and the shape do not agree", error));
    TRY(csc_new(codes, npy_type(&values.header), minor, major, values.header.count, error));
    codes->cols = major;
    for (int64_t n = 0; n <= major; n++) codes->start[n] = npy_integer(&pointers.header, pointers.data, n);
    for (int64_t k = 0; k < index.header.count; k++) {
        const int64_t value = npy_integer(&index.header, index.data, k);
        if (value < 0 || value >= minor) TRY(not_codes(r, "an index is outside the shape", error));
        codes->index[k] = (int32_t)value;
    }
    npy_convert(&values.header, values.data, codes->type, codes->value);
    TRY(codes_clean(codes, values.header.count, r->path, error));
done:
    member_free(&pointers);
    member_free(&index);
    member_free(&values);
    return status;
}

static int read_csr(const reading *r, csc *codes, inco_error *error) {
    return read_compressed(r, r->signals, r->atoms, codes, error);
}

static int read_csc(const reading *r, csc *codes, inco_error *error) {
    csc by_atom = {0};
    int status = read_compressed(r, r->atoms, r->signals, &by_atom, error);
    if (status >= 0) status = csc_transpose(codes, &by_atom, error);
    csc_free(&by_atom);
    return status;
}

/* Counts the entries of each signal, then appends each entry to its signal. */
static int sort_by_signal(const reading *r, const member part[3], csc *codes, inco_error *error) {
    const int64_t count = part[2].header.count;
    int status = csc_new(codes, npy_type(&part[2].header), r->atoms, r->signals + 1, count, error);
    if (status < 0) return status;
    codes->cols = r->signals;
    int64_t *next = codes->start + 1; /* next[n]: first the count of n - 1, then where n's next entry goes */
    for (int64_t k = 0; k < count; k++) {
        int64_t row = npy_integer(&part[0].header, part[0].data, k),
                col = npy_integer(&part[1].header, part[1].data, k);
        if (row < 0 || row >= r->signals || col < 0 || col >= r->atoms)
            return not_codes(r, "an index is outside the shape", error);
        next[row + 1]++;
    }
    for (int64_t n = 1; n <= r->signals; n++) next[n] += next[n - 1];
    for (int64_t k = 0; k < count; k++) {
        npy_header one = part[2].header;
        const int64_t at = next[npy_integer(&part[0].header, part[0].data, k)]++;
        one.count = 1;
        codes->index[at] = (int32_t)npy_integer(&part[1].header, part[1].data, k);
        npy_convert(&one, part[2].data + (size_t)k * (size_t)one.size, codes->type,
                    (char *)codes->value + (size_t)at * codes->type);
    }
    return codes_clean(codes, count, r->path, error);
}

static int read_coo(const reading *r, csc *codes, inco_error *error) {
    member part[3];
    int status;
    memset(part, 0, sizeof part);
    TRY(need_integers(r, "row", &part[0], error));
    TRY(need_integers(r, "col", &part[1], error));
    TRY(need_values(r, &part[2], error));
    if (part[0].header.count != part[2].header.count || part[1].header.count != part[2].header.count)
        TRY(not_codes(r, "the lengths of 'row', 'col' and 'data' do not agree", error));
    TRY(sort_by_signal(r, part, codes, error));
done:
    for (int i = 0; i < 3; i++) member_free(&part[i]);
    return status;
}

/* ---- Loading ---- */

static int get_field(void *self, const char *name, double **values, int64_t *count, inco_error *error) {
    const reading *r = self;
    member m;
    *values = NULL;
    int status = member_read(r->archive, name, &m, error);
    if (status < 0 || !m.data) return status;
    if (npy_is_number(&m.header)) {
        *count = m.header.count;
        *values = NEW_RAW(double, *count);
        if (*values)
            npy_convert(&m.header, m.data, INCO_F64, *values);
        else
            status = error_no_memory(error);
    }
    member_free(&m);
    return status;
}

int npz_load_list(const char *path, const char *name, double **values, int64_t *count, inco_error *error) {
    reading r = {.path = path};
    int status;
    *values = NULL;
    TRY(archive_open(&r.archive, path, limit_of(NULL), error));
    TRY(get_field(&r, name, values, count, error));
done:
    archive_close(r.archive);
    return status;
}

static int read_codes(reading *r, csc *codes, inco_error *error) {
    static const struct layout {
        const char *name;
        int (*read)(const reading *r, csc *codes, inco_error *error);
    } layouts[] = {{"csr", read_csr}, {"csc", read_csc}, {"coo", read_coo}};
    char format[8];
    int status;
    TRY(read_format(r, format, error));
    TRY(read_shape(r, error));
    TRY(limit_check(&(limit_claim){r->path, "signals", r->signals, sizeof(int64_t),
                                   LIMIT_DEFLATE * ((double)r->length + 1), r->limit},
                    error));
    for (int i = 0; i < 3; i++)
        if (!strcmp(format, layouts[i].name)) return layouts[i].read(r, codes, error);
    status = not_codes(r, "the format is neither csr nor csc nor coo; save x.tocsr()", error);
done:
    return status;
}

/* Closes the archive. */
static int take_codes(reading *r, csc *codes, inco_origin *origin, inco_error *error) {
    int status;
    r->length = archive_length(r->archive);
    TRY(read_codes(r, codes, error));
    TRY(origin_restore(origin, &(origin_reader){get_field, r, r->path}, codes->cols, error));
done:
    archive_close(r->archive);
    return status;
}

int npz_load_codes(const char *path, int64_t limit, csc *codes, inco_origin *origin, inco_error *error) {
    reading r = {.path = path, .limit = limit};
    int status = archive_open(&r.archive, path, limit, error);
    return status < 0 ? status : take_codes(&r, codes, origin, error);
}

int npz_codes(file_bytes *file, const char *name, int64_t limit, csc *codes, inco_origin *origin, inco_error *error) {
    reading r = {.path = name, .limit = limit};
    int status = archive_open_bytes(&r.archive, file, name, limit, error);
    return status < 0 ? status : take_codes(&r, codes, origin, error);
}

/* ---- Saving ---- */

/* 32-bit row pointers if they fit, like scipy. */
static int short_pointers(const csc *codes, int32_t **pointers, inco_error *error) {
    *pointers = NULL;
    if (csc_nonzeros(codes) > INT32_MAX) return INCO_OK;
    *pointers = NEW(int32_t, codes->cols + 1);
    if (!*pointers) return error_no_memory(error);
    for (int64_t n = 0; codes->start && n <= codes->cols; n++) (*pointers)[n] = (int32_t)codes->start[n];
    return INCO_OK;
}

/* Integers as int64, in *workspace, which must live as long as the writer. */
static int add_origin(archive_writer *w, const origin_table *table, int64_t **workspace, inco_error *error) {
    int64_t integers = 0;
    for (int i = 0; i < table->count; i++)
        if (table->field[i].whole) integers += table->field[i].rows * table->field[i].cols;
    int64_t *next = *workspace = NEW_RAW(int64_t, integers);
    int status = next ? INCO_OK : error_no_memory(error);
    for (int i = 0; status >= 0 && i < table->count; i++) {
        const origin_field *f = &table->field[i];
        archive_array array = {f->name, f->whole ? "i8" : "f8", 0, f->dims, {f->rows, f->cols}, f->values};
        if (f->whole) array.data = next;
        for (int64_t k = 0; f->whole && k < f->rows * f->cols; k++) *next++ = (int64_t)f->values[k];
        status = archive_add(w, &array, error);
    }
    return status;
}

int npz_save_codes(output *out, const csc *codes, const inco_origin *origin, inco_error *error) {
    const int64_t shape[2] = {codes->cols, codes->rows}, nonzeros = csc_nonzeros(codes);
    origin_table table = {0};
    archive_writer *w = NULL;
    int32_t *pointers = NULL;
    int64_t *workspace = NULL;
    int status;
    TRY(origin_describe(&table, origin, error));
    TRY(short_pointers(codes, &pointers, error));
    TRY(archive_new(&w, out, error));
    const archive_array arrays[] = {
        {"indices", "i4", 0, 1, {nonzeros, 1}, codes->index},
        {"indptr", pointers ? "i4" : "i8", 0, 1, {codes->cols + 1, 1}, pointers ? (void *)pointers : codes->start},
        {"format", "S3", 0, 0, {1, 1}, "csr"},
        {"shape", "i8", 0, 1, {2, 1}, shape},
        {"data", codes->type == INCO_F32 ? "f4" : "f8", 0, 1, {nonzeros, 1}, codes->value},
    };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) TRY(archive_add(w, &arrays[i], error));
    TRY(add_origin(w, &table, &workspace, error));
done:
    status = archive_finish(w, status, error);
    memory_free(pointers);
    memory_free(workspace);
    origin_table_free(&table);
    return status;
}
#else
typedef int npz_codes_not_built;
#endif
