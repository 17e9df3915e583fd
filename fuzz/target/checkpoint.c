/* Checkpoints of several kinds of runs, resumed and run to the end. Structure-aware: the options in the input are
 * replaced by those of this version, and the checksum is made that of the bytes, so that what they protect is reached.
 */
#define _GNU_SOURCE /* memmem */
#include <stdlib.h>
#include <string.h>

#include "../fuzz.h"
#include "base/fingerprint.h"
#include "mat/mat.h"

enum { DIM = 8, SIGNALS = 20, SEAL = 24, HEAD = 96, TEXT = 80, LARGEST = 1 << 20 };

typedef struct memory {
    uint8_t *bytes;
    size_t length, read;
} memory;

static int read_memory(void *self, void *to, size_t count) {
    memory *m = self;
    if (count > m->length - m->read) return 1;
    if (count) memcpy(to, m->bytes + m->read, count);
    m->read += count;
    return 0;
}

static int write_memory(void *self, const void *from, size_t count) {
    memory *m = self;
    if (count > LARGEST - m->length) return 1;
    if (count) memcpy(m->bytes + m->length, from, count);
    m->length += count;
    return 0;
}

/* ---- Kinds of runs ---- */

typedef struct kind {
    const char *mark; /* a line among the options of its checkpoints */
    const char *settings[12];
    inco_options *options;
    inco_learner *learner; /* not run: a checkpoint that is refused leaves it as it was */
    memory current;        /* a checkpoint of this version */
    size_t line;           /* length of its first line */
} kind;

static kind kinds[] = {
    {.mark = "method=online\n",
     .settings = {"method", "online", "batch", "6", "exchange", "yes", "atoms", "10", "iterations", "2"}},
    {.mark = "method=ksvd\n", .settings = {"method", "ksvd", "atoms", "12", "iterations", "2"}},
    {.mark = "target-error=0.9\n", .settings = {"target-error", "0.9", "atoms", "10", "iterations", "1"}},
    {.mark = "max-coherence=0.9\n", .settings = {"max-coherence", "0.9", "atoms", "12", "iterations", "2"}},
    {.mark = "method=idl\n", .settings = {"atoms", "12", "iterations", "2"}},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const inco_mat *data(void) {
    static double values[DIM * SIGNALS];
    static inco_mat x;
    for (int i = 0; i < DIM * SIGNALS; i++) values[i] = (double)(i * 7919 % 1009) - 500;
    inco_mat_view(&x, INCO_F64, DIM, SIGNALS, values);
    return &x;
}

static void prepare(kind *k) {
    const inco_source source = mat_source_of(data());
    const inco_stream stream = {.size = sizeof stream, .self = &k->current, .write = write_memory};
    inco_learner *learner;
    k->options = fuzz_options(k->settings);
    PROMISE(!inco_options_set(k->options, "sparsity", "2", NULL));
    k->current.bytes = malloc(LARGEST);
    PROMISE(k->current.bytes && !inco_learner_new(&learner, &source, k->options, NULL) &&
            !inco_learner_run(learner, NULL) && !inco_learner_save(learner, &stream, NULL));
    inco_learner_free(learner);
    const uint8_t *end = memchr(k->current.bytes, '\n', 64);
    PROMISE(end && k->current.length > LARGEST / 1000);
    k->line = (size_t)(end + 1 - k->current.bytes);
}

/* ---- Seals ---- */

static uint64_t word(const uint8_t *at) {
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static void seal(memory *m, const kind *k) {
    const size_t body = k->line + SEAL;
    const uint64_t words[] = {1, m->length - body, fingerprint_of(m->bytes + body, m->length - body, 0)};
    memcpy(m->bytes, k->current.bytes, k->line);
    memcpy(m->bytes + k->line, words, sizeof words);
}

/* The input with the options of this version; m->bytes is empty. */
static void splice(memory *m, const kind *k, const uint8_t *bytes, size_t count) {
    const size_t body = k->line + SEAL, text = body + HEAD;
    const uint64_t old = count >= text ? word(bytes + body + TEXT) : 0;
    const uint64_t new = word(k->current.bytes + body + TEXT);
    const uint8_t *rest = bytes + text;
    m->bytes = malloc(count + new + body);
    PROMISE(m->bytes && m->length == 0);
    if (count < text || old > count - text) {
        write_memory(m, bytes, count);
    } else {
        write_memory(m, bytes, text);
        memcpy(m->bytes + body + TEXT, &new, sizeof new);
        write_memory(m, k->current.bytes + text, new);
        write_memory(m, rest + old, count - text - old);
    }
    if (m->length >= body) seal(m, k);
}

static kind *kind_of(const uint8_t *bytes, size_t count) {
    int i = 0;
    while (i < KINDS - 1 && !memmem(bytes, count, kinds[i].mark, strlen(kinds[i].mark))) i++;
    if (!kinds[i].options) prepare(&kinds[i]);
    return &kinds[i];
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    kind *k = kind_of(bytes, count);
    const inco_source source = mat_source_of(data());
    inco_mat d;
    memory m = {0};
    const inco_stream stream = {.size = sizeof stream, .self = &m, .read = read_memory};
    if (count > LARGEST / 2) return 0;
    splice(&m, k, bytes, count);
    if (!k->learner) PROMISE(!inco_learner_new(&k->learner, &source, k->options, NULL));
    if (inco_learner_resume(k->learner, &stream, NULL) == 0) {
        fuzz_accepted++;
        if (inco_learner_run(k->learner, NULL) == 0)
            PROMISE(inco_learner_dictionary(k->learner, &d, NULL) == 0 && mat_is_normalized(&d));
        inco_learner_free(k->learner);
        k->learner = NULL;
    }
    free(m.bytes);
    return 0;
}
