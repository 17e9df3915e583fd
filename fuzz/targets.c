/* Fuzz targets: parsers that read from memory, and checkpoints. Built with clang they are libFuzzer programs
 * (scripts/fuzz); otherwise fuzz/replay.c runs them on their corpora as ordinary tests. TARGET chooses one. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/fingerprint.h"
#include "io/csv.h"
#include "io/image.h"
#include "io/matcheck.h"
#include "io/npy.h"
#include "io/safetensors.h"
#include "mat/mat.h"

enum { LIMIT = 64 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* A copy of exactly this length, so that the address sanitizer sees a read beyond it. */
__attribute__((unused)) static int as_file(file_bytes *file, const uint8_t *bytes, size_t count) {
    unsigned char *copy = file_block(file, count);
    if (copy && count) memcpy(copy, bytes, count);
    file->path = "x";
    return copy != NULL;
}

/* What every reader promises: a matrix of the size that it says, or none. */
__attribute__((unused)) static void check(int status, inco_mat *m) {
    volatile double sum = 0;
    if (status < 0 && m->data) abort();
    for (int64_t j = 0; m->data && j < m->cols; j++)
        for (int64_t i = 0; i < m->rows; i++) sum += mat_get(m, i, j);
    (void)sum;
    inco_mat_free(m);
}

#if TARGET_npy || TARGET_safetensors
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    for (int columns = 0; columns < 2; columns++) {
        const io_how how = {.columns = columns, .limit = LIMIT};
        file_bytes file;
        inco_mat m = {0};
        if (!as_file(&file, bytes, count)) return 0;
#if TARGET_npy
        check(npy_matrix(&file, "x", &how, &m, NULL), &m);
#else
        check(safetensors_matrix(&file, "x", &how, &m, NULL), &m);
#endif
        file_release(&file);
    }
    return 0;
}
#elif TARGET_csv
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    inco_mat m = {0};
    char *text = malloc(count + !count);
    if (count) memcpy(text, bytes, count);
    check(csv_parse(text, count, "x", &(csv_how){",\t; ", LIMIT}, &m, NULL), &m);
    free(text);
    return 0;
}
#elif TARGET_pgm
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    inco_mat m = {0};
    unsigned char *copy = malloc(count + !count);
    if (count) memcpy(copy, bytes, count);
    check(pgm_parse(copy, count, "x", LIMIT, &m, NULL), &m);
    free(copy);
    return 0;
}
#elif TARGET_mat
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    file_bytes file;
    if (!as_file(&file, bytes, count)) return 0;
    matcheck(&file, LIMIT, NULL);
    file_release(&file);
    return 0;
}
#elif TARGET_checkpoint

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

/* Structure-aware: the checksum is made that of the bytes, so that what it protects is reached. */
static void seal(uint8_t *bytes, size_t count) {
    enum { LINE = 18, BODY = LINE + 24 };
    if (count < BODY) return;
    const uint64_t words[] = {1, count - BODY, fingerprint_of(bytes + BODY, count - BODY, 0)};
    memcpy(bytes, "inco checkpoint 6\n", LINE);
    memcpy(bytes + LINE, words, sizeof words);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    double data[8 * 20];
    const inco_mat x = mat_view(INCO_F64, 8, 20, data);
    const inco_source source = mat_source_of(&x);
    inco_options *o = inco_options_new();
    inco_learner *learner = NULL;
    memory m = {malloc(count + !count), count, 0};
    const inco_stream stream = {.size = sizeof stream, .self = &m, .read = read_memory};
    for (int i = 0; i < 160; i++) data[i] = (double)(i * 7919 % 1009) - 500;
    if (count) memcpy(m.bytes, bytes, count);
    seal(m.bytes, count);
    if (o && inco_options_set(o, "atoms", "12", NULL) == 0 && inco_options_set(o, "sparsity", "2", NULL) == 0 &&
        inco_options_set(o, "iterations", "1", NULL) == 0 && inco_options_set(o, "threads", "1", NULL) == 0 &&
        inco_learner_new(&learner, &source, o, NULL) == 0 && inco_learner_resume(learner, &stream, NULL) == 0) {
        inco_mat d;
        if (inco_learner_run(learner, NULL) == 0 && inco_learner_dictionary(learner, &d, NULL) == 0 &&
            !mat_is_normalized(&d))
            abort();
    }
    inco_learner_free(learner);
    inco_options_free(o);
    free(m.bytes);
    return 0;
}
#endif
