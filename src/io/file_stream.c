/* Files as streams. */
#include <string.h>

#include "base/error.h"
#include "base/handle.h"
#include "base/limit.h"
#include "base/memory.h"
#include "base/sized.h"
#include "io/file.h"
#include "io/output.h"

static const char kind[] = "file";

struct inco_file {
    output out;
    file_bytes in;
    size_t place; /* of the next byte to read */
    char *path;
    int writing;
};

static int write_bytes(void *self, const void *bytes, size_t count) {
    inco_file *f = self;
    return handle_is(f, kind) ? output_write(&f->out, bytes, count) : -1;
}

static int read_bytes(void *self, void *bytes, size_t count) {
    inco_file *f = self;
    if (!handle_is(f, kind) || count > f->in.length - f->place) return -1;
    memcpy(bytes, f->in.data + f->place, count);
    f->place += count;
    return 0;
}

static void free_file(inco_file *f) {
    if (!handle_end(f, kind)) return;
    memory_free(f->path);
    handle_free(f);
}

static int open_file(inco_file **file, const char *path, int writing, inco_error *error) {
    inco_file *f = NULL;
    int status = NEED(file);
    if (status < 0) return status;
    *file = NULL;
    if ((status = NEED(path)) < 0) return status;
    f = HANDLE(inco_file, kind);
    status = f && (f->path = memory_text(path)) ? INCO_OK : error_no_memory(error);
    if (status >= 0)
        status = writing ? output_open(&f->out, f->path, 0, error) : file_read(&f->in, f->path, limit_of(NULL), error);
    if (status < 0) {
        free_file(f);
        return status;
    }
    f->writing = writing;
    *file = f;
    return INCO_OK;
}

int inco_file_create(inco_file **file, const char *path, inco_error *error) {
    return open_file(file, path, 1, error);
}

int inco_file_open(inco_file **file, const char *path, inco_error *error) {
    return open_file(file, path, 0, error);
}

int inco_file_stream(inco_file *f, inco_stream *stream, inco_error *error) {
    int status = handle_need(f, kind, error);
    if (status >= 0) status = SIZED_NEED(inco_stream, stream, error);
    if (status < 0) return status;
    const inco_stream own = {sizeof own, f, f->writing ? write_bytes : NULL, f->writing ? NULL : read_bytes};
    sized_give(stream, &own, sizeof own);
    return INCO_OK;
}

int inco_file_close(inco_file *f, int keep, inco_error *error) {
    int status = INCO_OK;
    if (!handle_is(f, kind)) return INCO_OK;
    if (!f->writing) {
        file_release(&f->in);
    } else if (keep) {
        status = output_finish(&f->out, INCO_OK, error);
    } else {
        output_finish(&f->out, INCO_EIO, NULL); /* discarded, as requested */
    }
    free_file(f);
    return status;
}
