#ifdef INCO_HAVE_JSON
#include "io/safetensors.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/npy.h"

/* PREFIX: bytes of the length of the header. HEADER_MAX: the limit of the reference reader. DEPTH and VALUES limit the
 * memory of the JSON parser: { tensors { members [ sizes ] } }, and about 100,000 tensors. */
enum { PREFIX = 8, HEADER_MAX = 100000000, DEPTH = 3, VALUES = 1000000, LISTED = 700 };

static const char *const DEFAULT_NAME = "components", *const METADATA = "__metadata__";

typedef struct tensor {
    const char *name; /* of the header, like dtype */
    const char *dtype;
    int64_t dims, shape[2]; /* the first two sizes; 1 if there are fewer */
    uint64_t count;         /* items */
    uint64_t begin, end;    /* position in the bytes after the header */
} tensor;

typedef struct tensors {
    const char *file;   /* for messages */
    size_t start, left; /* where the bytes of the tensors begin; their number */
    json_t *header;
    tensor *list; /* in the order of the bytes */
    int64_t count;
} tensors;

/* ---- Types of items ---- */

typedef struct item_type {
    const char *name;
    unsigned size; /* bytes */
    char kind;     /* as in npy_header; 0: not a float that can be read */
} item_type;

static const item_type types[] = {
    {"F64", 8, 'f'},   {"F32", 4, 'f'},   {"F16", 2, 'f'}, {"BF16", 2, NPY_BFLOAT},
    {"F8_E4M3", 1, 0}, {"F8_E5M2", 1, 0}, {"I64", 8, 0},   {"I32", 4, 0},
    {"I16", 2, 0},     {"I8", 1, 0},      {"U64", 8, 0},   {"U32", 4, 0},
    {"U16", 2, 0},     {"U8", 1, 0},      {"BOOL", 1, 0},  {"F8_E8M0", 1, 0},
    {"C64", 8, 0},
};

/* NULL: unknown. */
static const item_type *find_type(const char *name) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i].name, name)) return &types[i];
    return NULL;
}

static int is_matrix(const tensor *t) {
    const item_type *type = find_type(t->dtype);
    return t->dims == 2 && type && type->kind;
}

/* ---- Messages ---- */

/* A name for messages: shortened, without control characters. */
static const char *printable(const char *name, char text[104]) {
    const int length = snprintf(text, 104, "%.100s", name);
    for (int i = 0; i < length; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f) text[i] = '?';
    return text;
}

static int refuse(const tensors *f, const char *what, inco_error *error) {
    return error_set(error, INCO_EFORMAT, "%s: not a valid .safetensors file: %s", f->file, what);
}

static int refuse_tensor(const tensors *f, const char *name, const char *what, inco_error *error) {
    char text[104];
    return error_set(error, INCO_EFORMAT, "%s: not a valid .safetensors file: the tensor '%s' %s", f->file,
                     printable(name, text), what);
}

/* "W_dec F32 (24576, 768)"; other shapes by the number of dimensions. */
static int describe(const tensor *t, char *text, size_t size) {
    char name[104], dtype[104];
    printable(t->name, name);
    printable(t->dtype, dtype);
    if (t->dims == 2)
        return snprintf(text, size, "%s %s (%lld, %lld)", name, dtype, (long long)t->shape[0], (long long)t->shape[1]);
    return snprintf(text, size, "%s %s %lld-d", name, dtype, (long long)t->dims);
}

/* States the problem and lists the tensors, matrices first, as far as there is space. */
static int refuse_choice(const tensors *f, const char *problem, inco_error *error) {
    char text[LISTED] = "nothing";
    size_t used = 0;
    int64_t listed = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < f->count; i++) {
            char one[300];
            if (is_matrix(&f->list[i]) == pass) continue;
            const size_t length = (size_t)describe(&f->list[i], one, sizeof one);
            if (used + length + 40 > LISTED) continue;
            used += (size_t)snprintf(text + used, LISTED - used, "%s%s", listed++ ? ", " : "", one);
        }
    if (listed < f->count) snprintf(text + used, LISTED - used, " and %lld more", (long long)(f->count - listed));
    return error_set(error, INCO_EFORMAT, "%s: %s; it holds: %s", f->file, problem, text);
}

/* ---- The header ---- */

static int find_header(tensors *f, const unsigned char *bytes, size_t length, size_t *size, inco_error *error) {
    if (length < PREFIX) return refuse(f, "it has fewer than 8 bytes", error);
    const uint64_t value = file_little(bytes, PREFIX);
    if (value > HEADER_MAX) return refuse(f, "its first 8 bytes declare a header of more than 100 MB", error);
    if (value > length - PREFIX) return refuse(f, "it is truncated within the header", error);
    if (!value || bytes[PREFIX] != '{') return refuse(f, "its header is not a JSON object", error);
    *size = (size_t)value;
    f->start = PREFIX + *size;
    f->left = length - f->start;
    return INCO_OK;
}

/* Looks at brackets and commas outside of strings before the parser allocates memory for them. */
static int check_extent(const tensors *f, const unsigned char *text, size_t size, inco_error *error) {
    int64_t values = 0, depth = 0;
    int quoted = 0;
    for (size_t i = 0; i < size; i++) {
        const unsigned char c = text[i];
        if (quoted && c == '\\')
            i++;
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted && (c == '{' || c == '['))
            depth++, values++;
        else if (!quoted && (c == '}' || c == ']'))
            depth--;
        else if (!quoted && c == ',')
            values++;
        if (depth > DEPTH) return refuse(f, "its header is nested too deeply", error);
        if (values > VALUES) return refuse(f, "its header has more than a million values", error);
    }
    return INCO_OK;
}

static int parse_header(tensors *f, const unsigned char *text, size_t size, inco_error *error) {
    json_error_t trouble;
    char what[104 + JSON_ERROR_TEXT_LENGTH], plain[104];
    f->header = json_loadb((const char *)text, size, JSON_REJECT_DUPLICATES, &trouble);
    if (json_is_object(f->header)) return INCO_OK;
    snprintf(what, sizeof what, "its header is not JSON: %s", f->header ? "no object" : printable(trouble.text, plain));
    return refuse(f, what, error);
}

/* A nonnegative integer; -1: something else. */
static int64_t size_in(const json_t *value) {
    return json_is_integer(value) ? (int64_t)json_integer_value(value) : -1;
}

/* The shape: sizes whose product is the number of items. */
static int take_shape(const json_t *shape, tensor *t) {
    size_t i;
    json_t *value;
    t->dims = (int64_t)json_array_size(shape);
    t->shape[0] = t->shape[1] = 1;
    t->count = 1;
    json_array_foreach((json_t *)shape, i, value) {
        const int64_t size = size_in(value);
        if (size < 0 || __builtin_mul_overflow(t->count, (uint64_t)size, &t->count)) return 0;
        if (i < 2) t->shape[i] = size;
    }
    return json_is_array(shape);
}

/* Whether the items take the bytes that the offsets give them; items of an unknown type may. */
static int fits(const tensor *t) {
    const item_type *type = find_type(t->dtype);
    uint64_t bytes;
    return !type || (!__builtin_mul_overflow(t->count, type->size, &bytes) && bytes == t->end - t->begin);
}

static int take_tensor(const tensors *f, const char *name, const json_t *value, tensor *t, inco_error *error) {
    const json_t *offsets = json_object_get(value, "data_offsets");
    const int64_t begin = size_in(json_array_get(offsets, 0)), end = size_in(json_array_get(offsets, 1));
    *t = (tensor){.name = name, .dtype = json_string_value(json_object_get(value, "dtype"))};
    if (!t->dtype) return refuse_tensor(f, name, "has no dtype", error);
    if (!take_shape(json_object_get(value, "shape"), t)) return refuse_tensor(f, name, "has no valid shape", error);
    if (json_array_size(offsets) != 2 || begin < 0 || end < begin)
        return refuse_tensor(f, name, "has no valid data_offsets", error);
    t->begin = (uint64_t)begin;
    t->end = (uint64_t)end;
    if (t->end > f->left) return refuse_tensor(f, name, "ends after the end of the file, which is truncated", error);
    if (!fits(t)) return refuse_tensor(f, name, "has a shape that does not match its data_offsets", error);
    return INCO_OK;
}

/* Text by name, which is not needed here. */
static int check_metadata(const tensors *f, json_t *metadata, inco_error *error) {
    const char *key;
    json_t *value;
    int good = json_is_object(metadata);
    json_object_foreach(metadata, key, value) good = good && json_is_string(value);
    return good ? INCO_OK : refuse(f, "its __metadata__ is not an object of strings", error);
}

static int take_tensors(tensors *f, inco_error *error) {
    const char *name;
    json_t *value;
    int status = INCO_OK;
    f->list = NEW(tensor, (int64_t)json_object_size(f->header));
    if (!f->list) return error_no_memory(error);
    json_object_foreach(f->header, name, value) {
        if (!strcmp(name, METADATA))
            TRY(check_metadata(f, value, error));
        else
            TRY(take_tensor(f, name, value, &f->list[f->count++], error));
    }
done:
    return status;
}

/* ---- The bytes: every one belongs to one tensor ---- */

static int by_position(const void *a, const void *b) {
    const tensor *x = a, *y = b;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    if (x->end != y->end) return x->end < y->end ? -1 : 1;
    return strcmp(x->name, y->name);
}

static int check_positions(const tensors *f, inco_error *error) {
    uint64_t end = 0;
    qsort(f->list, (size_t)f->count, sizeof *f->list, by_position);
    for (int64_t i = 0; i < f->count; i++) {
        const tensor *t = &f->list[i];
        if (t->begin < end) return refuse_tensor(f, t->name, "overlaps another tensor", error);
        if (t->begin > end) return refuse_tensor(f, t->name, "begins after bytes of no tensor", error);
        end = t->end;
    }
    return end == f->left ? INCO_OK : refuse(f, "it has bytes of no tensor at its end", error);
}

static int open_tensors(tensors *f, file_bytes *file, inco_error *error) {
    const unsigned char *bytes = file->data;
    size_t size = 0;
    int status;
    TRY(file_need(file, 0, file->length < PREFIX + 1 ? file->length : PREFIX + 1, error));
    TRY(find_header(f, bytes, file->length, &size, error));
    TRY(file_need(file, PREFIX, size, error));
    TRY(check_extent(f, bytes + PREFIX, size, error));
    TRY(parse_header(f, bytes + PREFIX, size, error));
    TRY(take_tensors(f, error));
    TRY(check_positions(f, error));
done:
    return status;
}

/* ---- Choice of the tensor ---- */

/* The requested tensor; else the only matrix; else the one with the default name. */
static int choose(const tensors *f, const char *variable, const tensor **chosen, inco_error *error) {
    char problem[160], name[104];
    const tensor *named = NULL, *matrix = NULL;
    int matrices = 0;
    for (const tensor *t = f->list; t < f->list + f->count; t++) {
        if (!strcmp(t->name, variable ? variable : DEFAULT_NAME)) named = t;
        if (!is_matrix(t)) continue;
        matrices++;
        matrix = t;
    }
    *chosen = !variable && matrices == 1 ? matrix : named;
    if (*chosen && (variable || is_matrix(*chosen))) return INCO_OK;
    if (variable)
        snprintf(problem, sizeof problem, "there is no tensor '%s'", printable(variable, name));
    else
        snprintf(problem, sizeof problem, "%s",
                 matrices ? "several matrices: name one by option 'variable'" : "there is no matrix of floats");
    return refuse_choice(f, problem, error);
}

static int check_matrix(const tensors *f, const tensor *t, inco_error *error) {
    char name[104], dtype[104];
    const item_type *type = find_type(t->dtype);
    if (!type || !type->kind)
        return error_set(error, INCO_EFORMAT,
                         "%s: the tensor '%s' has items of type %s; only F64, F32, F16 and BF16 can be read", f->file,
                         printable(t->name, name), printable(t->dtype, dtype));
    if (t->dims != 2)
        return error_set(error, INCO_EFORMAT,
                         "%s: the tensor '%s' has %lld dimensions; a matrix has 2, atoms and features: reshape it with "
                         "x.reshape(len(x), -1)",
                         f->file, printable(t->name, name), (long long)t->dims);
    if (!t->count)
        return error_set(error, INCO_EDATA, "%s: the tensor '%s' is empty: its shape is (%lld, %lld)", f->file,
                         printable(t->name, name), (long long)t->shape[0], (long long)t->shape[1]);
    return INCO_OK;
}

int safetensors_matrix(file_bytes *file, const char *name, const io_how *how, inco_mat *m, inco_error *error) {
    tensors f = {.file = name};
    const tensor *t = NULL;
    int status;
    *m = (inco_mat){0};
    TRY(open_tensors(&f, file, error));
    TRY(choose(&f, how->variable, &t, error));
    TRY(check_matrix(&f, t, error));
    const item_type *type = find_type(t->dtype);
    const npy_header h = {.kind = type->kind,
                          .size = (int)type->size,
                          .swapped = !npy_native_is_little(),
                          .dims = 2,
                          .shape = {t->shape[0], t->shape[1]},
                          .count = (int64_t)t->count,
                          .offset = f.start + (size_t)t->begin};
    TRY(npy_take(file, &h, name, how, m, error));
done:
    json_decref(f.header);
    memory_free(f.list);
    return status;
}

int safetensors_load(const char *path, const io_how *how, io_array *out, inco_error *error) {
    file_bytes file;
    int status = file_open(&file, path, error);
    if (status < 0) return status;
    out->columns = how->columns;
    status = safetensors_matrix(&file, path, how, &out->m, error);
    file_release(&file);
    return status;
}

/* ---- Writing ---- */

/* The header in JSON, to be freed by free(); NULL: out of memory, or a name or meta that is not UTF-8. */
static char *header_text(const inco_mat *m, const io_how *how) {
    const char *name = how->variable ? how->variable : DEFAULT_NAME;
    json_t *header = json_pack("{}"); /* not json_object, a name that the program has for its own writer */
    json_t *one =
        json_pack("{s:s, s:[I,I], s:[I,I]}", "dtype", m->type == INCO_F32 ? "F32" : "F64", "shape", (json_int_t)m->cols,
                  (json_int_t)m->rows, "data_offsets", (json_int_t)0, (json_int_t)(m->rows * m->cols * m->type));
    int failed = 0;
    if (how->meta && *how->meta) failed = json_object_set_new(header, METADATA, json_pack("{s:s}", "meta", how->meta));
    failed = json_object_set_new(header, name, one) || failed;
    char *text = failed ? NULL : json_dumps(header, JSON_COMPACT);
    json_decref(header);
    return text;
}

/* The length and the header, padded with spaces so that the numbers are aligned. */
static int write_header(output *out, const char *text) {
    static const char spaces[PREFIX + 1] = "        ";
    const size_t length = strlen(text), padding = (PREFIX - length % PREFIX) % PREFIX;
    unsigned char prefix[PREFIX];
    for (int i = 0; i < PREFIX; i++) prefix[i] = (unsigned char)((uint64_t)(length + padding) >> 8 * i);
    if (output_write(out, prefix, PREFIX) < 0 || output_write(out, text, length) < 0) return INCO_EIO;
    return output_write(out, spaces, padding) < 0 ? INCO_EIO : INCO_OK;
}

/* In little-endian order. */
static int write_column(output *out, const inco_mat *m, int64_t j) {
    const unsigned char *column = mat_column(m, j);
    const size_t size = m->type;
    int failed = 0;
    if (npy_native_is_little()) return output_write(out, column, (size_t)m->rows * size);
    for (int64_t i = 0; !failed && i < m->rows; i++, column += size) {
        unsigned char swapped[8];
        for (size_t k = 0; k < size; k++) swapped[k] = column[size - 1 - k];
        failed = output_write(out, swapped, size);
    }
    return failed;
}

int safetensors_save(output *out, const io_array *array, const io_how *how, inco_error *error) {
    inco_mat transposed = {0};
    const inco_mat *m = &array->m;
    char *text = NULL;
    int status = INCO_OK;
    if (how->columns) {
        TRY(mat_transpose(&transposed, m, error));
        m = &transposed;
    }
    if (how->variable && !strcmp(how->variable, METADATA))
        TRY(error_set(error, INCO_EINVAL, "%s: a tensor cannot be named %s", out->name, METADATA));
    text = header_text(m, how);
    if (!text) TRY(error_set(error, INCO_EINVAL, "%s: the name of the tensor is not UTF-8", out->name));
    TRY(write_header(out, text));
    for (int64_t j = 0; j < m->cols; j++)
        if (write_column(out, m, j) < 0) TRY(INCO_EIO);
done:
    free(text);
    inco_mat_free(&transposed);
    return status;
}
#else
typedef int safetensors_not_built;
#endif
