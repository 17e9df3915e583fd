#include "base/sealed.h"

#include <string.h>

#include "base/error.h"
#include "base/fingerprint.h"
#include "base/memory.h"

enum { FIRST_BLOCK = 1 << 16 };

typedef struct seal {
    uint64_t order; /* 1, in the byte order of the writer */
    uint64_t length, print;
} seal;

/* ---- Writing ---- */

typedef struct measuring {
    uint64_t length;
    fingerprint_sum sum;
} measuring;

static int measure(void *self, const void *bytes, size_t count) {
    measuring *m = self;
    m->length += count;
    fingerprint_add(&m->sum, bytes, count);
    return 0;
}

int sealed_write(const inco_stream *to, int (*produce)(const void *self, const inco_stream *stream), const void *self) {
    measuring m = {0};
    const inco_stream meter = {.size = sizeof meter, .self = &m, .write = measure};
    fingerprint_begin(&m.sum);
    if (produce(self, &meter)) return INCO_EIO;
    const seal s = {1, m.length, fingerprint_end(&m.sum)};
    return to->write(to->self, &s, sizeof s) || produce(self, to) ? INCO_EIO : INCO_OK;
}

/* ---- Reading ---- */

/* Reads in blocks that grow, so that a wrong length allocates no more than the stream deserves. */
static int read_blocks(sealed *s, uint64_t length, const inco_stream *from, const char *what, inco_error *error) {
    size_t capacity = 0;
    while (s->length < length) {
        if (s->length == capacity) {
            capacity = capacity ? 2 * capacity : FIRST_BLOCK;
            if (capacity > length) capacity = (size_t)length;
            unsigned char *more = memory_grow(s->bytes, (int64_t)s->length, (int64_t)capacity, 1);
            if (!more) return error_no_memory(error);
            s->bytes = more;
        }
        if (from->read(from->self, s->bytes + s->length, capacity - s->length))
            return error_set(error, INCO_EFORMAT, "the %s ends too early", what);
        s->length = capacity;
    }
    return INCO_OK;
}

int sealed_read(sealed *s, const inco_stream *from, const char *what, inco_error *error) {
    seal expected;
    char beyond;
    int status = INCO_OK;
    *s = (sealed){0};
    if (from->read(from->self, &expected, sizeof expected))
        TRY(error_set(error, INCO_EFORMAT, "the %s ends too early", what));
    if (expected.order != 1)
        TRY(error_set(error, INCO_EFORMAT, "the %s is damaged, or was written on another architecture", what));
    TRY(read_blocks(s, expected.length, from, what, error));
    if (fingerprint_of(s->bytes, s->length, 0) != expected.print)
        TRY(error_set(error, INCO_EFORMAT, "the %s is damaged: its checksum does not match", what));
    if (!from->read(from->self, &beyond, 1))
        TRY(error_set(error, INCO_EFORMAT, "the %s is damaged: there are bytes after its end", what));
done:
    if (status < 0) sealed_free(s);
    return status;
}

void sealed_free(sealed *s) {
    memory_free(s->bytes);
    *s = (sealed){0};
}

static int read_part(void *self, void *bytes, size_t count) {
    sealed *s = self;
    if (count > s->length - s->read) return 1;
    if (count > 0) memcpy(bytes, s->bytes + s->read, count);
    s->read += count;
    return 0;
}

inco_stream sealed_stream(sealed *s) {
    return (inco_stream){.size = sizeof(inco_stream), .self = s, .read = read_part};
}

size_t sealed_left(const inco_stream *stream) {
    const sealed *s = stream->self;
    return s->length - s->read;
}
