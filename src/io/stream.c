/* Streams in files, for checkpoints. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/file.h"
#include "io/output.h"

typedef struct file_stream {
    output out;
    file_bytes in;
    size_t place; /* of the next byte to read */
    char *path;
    int writing;
} file_stream;

static int stream_write(void *self, const void *bytes, size_t count) {
    file_stream *s = self;
    return output_write(&s->out, bytes, count);
}

static int stream_read(void *self, void *bytes, size_t count) {
    file_stream *s = self;
    if (count > s->in.length - s->place) return -1;
    memcpy(bytes, s->in.data + s->place, count);
    s->place += count;
    return 0;
}

static void stream_free(file_stream *s) {
    if (s) memory_free(s->path);
    memory_free(s);
}

static file_stream *stream_new(inco_stream *stream, const char *path) {
    file_stream *s = NEW(file_stream, 1);
    *stream = (inco_stream){0};
    if (s) s->path = memory_text(path);
    if (s && s->path) return s;
    stream_free(s);
    return NULL;
}

int inco_file_create(inco_stream *stream, const char *path, inco_error *error) {
    file_stream *s = stream_new(stream, path);
    if (!s) return error_no_memory(error);
    int status = output_open(&s->out, s->path, 0, error);
    s->writing = 1;
    if (status < 0)
        stream_free(s);
    else
        *stream = (inco_stream){s, stream_write, NULL};
    return status;
}

int inco_file_open(inco_stream *stream, const char *path, inco_error *error) {
    file_stream *s = stream_new(stream, path);
    if (!s) return error_no_memory(error);
    int status = file_read(&s->in, s->path, error);
    if (status < 0)
        stream_free(s);
    else
        *stream = (inco_stream){s, NULL, stream_read};
    return status;
}

int inco_file_close(inco_stream *stream, int keep, inco_error *error) {
    file_stream *s = stream->self;
    int status = INCO_OK;
    if (!s) return INCO_OK;
    if (!s->writing) {
        file_release(&s->in);
    } else if (keep) {
        status = output_finish(&s->out, INCO_OK, error);
    } else {
        output_finish(&s->out, INCO_EIO, NULL); /* dropped, as asked */
    }
    stream_free(s);
    *stream = (inco_stream){0};
    return status;
}
