#ifdef INCO_HAVE_NPZ
#include "io/archive.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

#include "base/error.h"
#include "base/limit.h"
#include "base/memory.h"

/* ---- Reading ---- */

struct archive {
    zip_t *zip;
    const char *name;
    file_bytes bytes; /* of a pipe, which cannot be read twice, or of archive_open_bytes */
    int64_t length, limit;
};

/* Opens the bytes that are in memory, else the file. */
static int open_zip(archive *a, inco_error *error) {
    zip_error_t trouble;
    int status = INCO_OK;
    zip_error_init(&trouble);
    zip_source_t *source = a->bytes.data ? zip_source_buffer_create(a->bytes.data, a->bytes.length, 0, &trouble)
                                         : zip_source_file_create(a->name, 0, -1, &trouble);
    a->zip = source ? zip_open_from_source(source, ZIP_RDONLY, &trouble) : NULL;
    if (!a->zip) {
        if (source) zip_source_free(source);
        status = error_set(error, INCO_EFORMAT, "%s: not a .npz file, or a truncated one: %s", a->name,
                           zip_error_strerror(&trouble));
    }
    zip_error_fini(&trouble);
    return status;
}

/* Takes over the bytes; without any, libzip reads the file. */
static int open_archive(archive **opened, file_bytes *bytes, const archive *given, inco_error *error) {
    archive *a = *opened = NEW(archive, 1);
    if (!a) return error_no_memory(error);
    *a = *given;
    a->bytes = *bytes;
    *bytes = (file_bytes){0};
    int status = open_zip(a, error);
    if (status < 0) {
        archive_close(a);
        *opened = NULL;
    }
    return status;
}

int archive_open(archive **opened, const char *path, int64_t limit, inco_error *error) {
    file_bytes pipe = {0};
    archive a = {.name = path, .limit = limit};
    int status;
    *opened = NULL;
    TRY(file_check(path, &a.length, error));
    if (a.length < 0) {
        TRY(file_read(&pipe, path, limit, error));
        a.length = (int64_t)pipe.length;
    }
    TRY(open_archive(opened, &pipe, &a, error));
done:
    file_release(&pipe);
    return status;
}

int archive_open_bytes(archive **opened, file_bytes *bytes, const char *name, int64_t limit, inco_error *error) {
    const archive a = {.name = name, .length = (int64_t)bytes->length, .limit = limit};
    return open_archive(opened, bytes, &a, error);
}

void archive_close(archive *a) {
    if (a && a->zip) zip_discard(a->zip);
    if (a) file_release(&a->bytes);
    memory_free(a);
}

int64_t archive_length(const archive *a) {
    return a->length;
}

int64_t archive_count(const archive *a) {
    return zip_get_num_entries(a->zip, 0);
}

const char *archive_name(const archive *a, int64_t member, int *length) {
    const char *name = zip_get_name(a->zip, (zip_uint64_t)member, ZIP_FL_ENC_RAW);
    const size_t size = name ? strlen(name) : 0;
    if (size < 4 || strcmp(name + size - 4, ".npy")) return NULL;
    if (length) *length = (int)size - 4;
    return name;
}

int64_t archive_find(const archive *a, const char *wanted) {
    const int64_t count = archive_count(a);
    for (int64_t i = 0; i < count; i++) {
        int length;
        const char *name = archive_name(a, i, &length);
        if (name && strlen(wanted) == (size_t)length && !strncmp(name, wanted, (size_t)length)) return i;
    }
    return -1;
}

void archive_label(const archive *a, int64_t member, char text[ARCHIVE_LABEL]) {
    const char *name = zip_get_name(a->zip, (zip_uint64_t)member, ZIP_FL_ENC_RAW);
    snprintf(text, ARCHIVE_LABEL, "%s (%s)", a->name, name ? name : "?");
}

static int damaged(archive *a, int64_t member, inco_error *error) {
    char text[ARCHIVE_LABEL];
    archive_label(a, member, text);
    return error_set(error, INCO_EFORMAT, "%s: the member is damaged: %s", text, zip_strerror(a->zip));
}

/* Size of the member in memory, if the file can hold it. */
static int member_size(archive *a, int64_t member, size_t *size, inco_error *error) {
    zip_stat_t info;
    const zip_uint64_t needed = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE;
    if (zip_stat_index(a->zip, (zip_uint64_t)member, 0, &info) < 0 || (info.valid & needed) != needed)
        return damaged(a, member, error);
    const double packed = fmin((double)info.comp_size, (double)a->length);
    const limit_claim claim = {.path = a->name,
                               .what = "bytes",
                               .count = info.size > INT64_MAX ? INT64_MAX : (int64_t)info.size,
                               .size = 1,
                               .holds = LIMIT_DEFLATE * (packed + 1),
                               .limit = a->limit};
    *size = (size_t)info.size;
    return limit_check(&claim, error);
}

/* Reads the first `size` bytes; `whole`: also checks that the member ends there, and its checksum. */
static int read_start(archive *a, int64_t member, unsigned char *bytes, size_t size, int whole) {
    char beyond;
    zip_file_t *file = zip_fopen_index(a->zip, (zip_uint64_t)member, 0);
    if (!file) return -1;
    size_t used = 0;
    while (used < size) {
        zip_int64_t got = zip_fread(file, bytes + used, size - used);
        if (got <= 0) break;
        used += (size_t)got;
    }
    int good = used == size && (!whole || zip_fread(file, &beyond, 1) == 0);
    zip_fclose(file);
    return good ? 0 : -1;
}

int archive_header(archive *a, int64_t member, npy_header *header, inco_error *error) {
    char text[ARCHIVE_LABEL];
    size_t size;
    int status = member_size(a, member, &size, error);
    if (status < 0) return status;
    if (size > NPY_HEADER_MAX) size = NPY_HEADER_MAX;
    unsigned char *bytes = NEW_RAW(unsigned char, (int64_t)size);
    if (!bytes) return error_no_memory(error);
    archive_label(a, member, text);
    status = read_start(a, member, bytes, size, 0) < 0 ? damaged(a, member, error)
                                                       : npy_parse(bytes, size, text, header, error);
    memory_free(bytes);
    return status;
}

int archive_read(archive *a, int64_t member, file_bytes *bytes, inco_error *error) {
    size_t size;
    *bytes = (file_bytes){0};
    int status = member_size(a, member, &size, error);
    if (status < 0) return status;
    unsigned char *block = file_block(bytes, size);
    if (!block) return error_no_memory(error);
    if (read_start(a, member, block, size, 1) == 0) return INCO_OK;
    file_release(bytes);
    return damaged(a, member, error);
}

/* ---- Writing ---- */

enum { HEADER_SIZE = 256, WORTH_DEFLATING = 256, DEFLATE_LEVEL = 1 };

struct archive_writer {
    output *out;
    zip_t *zip;
    zip_error_t trouble;
    int count;
    char header[ARCHIVE_MAX][HEADER_SIZE];
};

/* libzip writes through this, so that failures are noticed and reported like those of any other output. */
static zip_int64_t to_output(void *self, void *data, zip_uint64_t length, zip_source_cmd_t command) {
    archive_writer *w = self;
    const zip_source_args_seek_t *seek;
    zip_int64_t result = 0;
    switch (command) {
    case ZIP_SOURCE_SUPPORTS:
        return ZIP_SOURCE_SUPPORTS_WRITABLE;
    case ZIP_SOURCE_ERROR:
        return zip_error_to_data(&w->trouble, data, length);
    case ZIP_SOURCE_STAT:
        zip_stat_init(data);
        return sizeof(zip_stat_t);
    case ZIP_SOURCE_WRITE:
        result = output_write(w->out, data, length) < 0 ? -1 : (zip_int64_t)length;
        break;
    case ZIP_SOURCE_SEEK_WRITE:
        seek = ZIP_SOURCE_GET_ARGS(zip_source_args_seek_t, data, length, &w->trouble);
        result = seek && output_seek(w->out, seek->offset, seek->whence) >= 0 ? 0 : -1;
        break;
    case ZIP_SOURCE_TELL_WRITE:
        result = output_seek(w->out, 0, SEEK_CUR);
        break;
    default:
        break;
    }
    if (result < 0) zip_error_set(&w->trouble, ZIP_ER_WRITE, w->out->trouble);
    return result;
}

static int zip_trouble(archive_writer *w, zip_error_t *trouble, inco_error *error) {
    return error_set(error, INCO_EIO, "cannot write %s: %s", w->out->name, zip_error_strerror(trouble));
}

int archive_new(archive_writer **made, output *out, inco_error *error) {
    zip_error_t trouble;
    zip_error_init(&trouble);
    archive_writer *w = *made = NEW(archive_writer, 1);
    if (!w) return error_no_memory(error);
    w->out = out;
    zip_error_init(&w->trouble);
    zip_source_t *target = zip_source_function_create(to_output, w, &trouble);
    w->zip = target ? zip_open_from_source(target, ZIP_CREATE | ZIP_TRUNCATE, &trouble) : NULL;
    if (w->zip) return INCO_OK;
    int status = zip_trouble(w, &trouble, error);
    if (target) zip_source_free(target);
    zip_error_fini(&trouble);
    memory_free(w);
    *made = NULL;
    return status;
}

/* A member is its header followed by its data. The date is fixed, so that equal content gives equal bytes. */
int archive_add(archive_writer *w, const archive_array *array, inco_error *error) {
    char name[64];
    if (w->count == ARCHIVE_MAX) return error_set(error, INCO_EINVAL, "too many arrays for %s", w->out->name);
    char *header = w->header[w->count++];
    size_t bytes = (size_t)strtoul(array->item + 1, NULL, 10) * (*array->item == 'U' ? 4 : 1);
    for (int i = 0; i < array->dims; i++) bytes *= (size_t)array->shape[i];
    zip_buffer_fragment_t parts[2] = {{(zip_uint8_t *)header, 0}, {(zip_uint8_t *)array->data, bytes}};
    parts[0].length = npy_header_text(header, array->item, array->fortran, array->dims, array->shape);
    zip_source_t *source = zip_source_buffer_fragment(w->zip, parts, bytes ? 2 : 1, 0);
    snprintf(name, sizeof name, "%s.npy", array->name);
    zip_int64_t member = source ? zip_file_add(w->zip, name, source, ZIP_FL_ENC_UTF_8) : -1;
    if (member < 0) {
        if (source) zip_source_free(source);
        return zip_trouble(w, zip_get_error(w->zip), error);
    }
    const int deflate = *array->item != 'f' && bytes >= WORTH_DEFLATING;
    if (zip_set_file_compression(w->zip, (zip_uint64_t)member, deflate ? ZIP_CM_DEFLATE : ZIP_CM_STORE,
                                 deflate ? DEFLATE_LEVEL : 0) < 0 ||
        zip_file_set_dostime(w->zip, (zip_uint64_t)member, 0, 1 << 5 | 1, 0) < 0) /* 1980-01-01 */
        return zip_trouble(w, zip_get_error(w->zip), error);
    return INCO_OK;
}

int archive_finish(archive_writer *w, int status, inco_error *error) {
    if (!w) return status;
    if (status >= 0 && zip_close(w->zip) == 0) {
        w->zip = NULL;
    } else if (status >= 0) {
        status = zip_trouble(w, zip_get_error(w->zip), error);
    }
    if (w->zip) zip_discard(w->zip);
    zip_error_fini(&w->trouble);
    memory_free(w);
    return status;
}
#else
typedef int archive_not_built;
#endif
