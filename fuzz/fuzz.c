#include "fuzz.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mat/mat.h"
#include "sparse/wide.h"

int64_t fuzz_accepted;

void fuzz_broken(const char *promise, const char *file, int line) {
    fprintf(stderr, "%s:%d: broken: %s\n", file, line, promise);
    abort();
}

uint8_t *fuzz_copy(const uint8_t *bytes, size_t count) {
    uint8_t *copy = malloc(count + !count);
    if (!copy) abort();
    if (count) memcpy(copy, bytes, count);
    return copy;
}

/* ---- Files ---- */

static char folder[200];

static void remove_folder(void) {
    char command[sizeof folder + 20];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command)) fprintf(stderr, "%s is left\n", folder);
}

const char *fuzz_output(const char *name) {
    static char path[sizeof folder + 64];
    if (!*folder) {
        const char *place = getenv("TMPDIR");
        snprintf(folder, sizeof folder, "%s/inco-fuzz-XXXXXX", place ? place : "/tmp");
        PROMISE(mkdtemp(folder));
        atexit(remove_folder);
    }
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

const char *fuzz_file(const char *name, const uint8_t *bytes, size_t count) {
    static char path[sizeof folder + 64];
    static int fd = -1;
    if (fd < 0) {
        strcpy(path, fuzz_output(name));
        fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    }
    PROMISE(fd >= 0 && pwrite(fd, bytes, count, 0) == (ssize_t)count && ftruncate(fd, (off_t)count) == 0);
    return path;
}

/* ---- Options ---- */

inco_options *fuzz_options(const char *const *settings) {
    inco_options *options = inco_options_new();
    PROMISE(options && !inco_options_set_number(options, "max-memory", FUZZ_LIMIT / 1e6, NULL) &&
            !inco_options_set(options, "threads", "1", NULL));
    for (; settings && *settings; settings += 2) PROMISE(!inco_options_set(options, settings[0], settings[1], NULL));
    return options;
}

/* ---- Results ---- */

int fuzz_bytes(file_bytes *file, const uint8_t *bytes, size_t count) {
    unsigned char *copy = file_block(file, count);
    if (copy && count) memcpy(copy, bytes, count);
    file->path = "x";
    return copy != NULL;
}

int fuzz_memory(fuzz_reader *read, int columns, const uint8_t *bytes, size_t count) {
    const io_how how = {.columns = columns, .limit = FUZZ_READ};
    file_bytes file;
    inco_mat m = {0};
    if (!fuzz_bytes(&file, bytes, count)) return 0;
    const int status = read(&file, "x", &how, &m, NULL);
    fuzz_matrix(status, &m);
    file_release(&file);
    return status >= 0;
}

/* Reads both ends of every column, so that the address sanitizer sees a matrix larger than its memory. */
void fuzz_matrix(int status, inco_mat *m) {
    volatile double sum = 0;
    PROMISE(status >= 0 || !m->data);
    fuzz_accepted += status >= 0;
    for (int64_t j = 0; m->data && m->rows > 0 && j < m->cols; j++)
        sum += mat_get(m, 0, j) + mat_get(m, m->rows - 1, j);
    (void)sum;
    inco_mat_free(m);
}

void fuzz_codes(const inco_csc *codes) {
    fuzz_accepted++;
    PROMISE(codes->rows >= 1 && codes->cols >= 0 && codes->start[0] == 0);
    for (int64_t n = 0; n < codes->cols; n++) {
        PROMISE(codes->start[n] <= codes->start[n + 1]);
        for (int64_t k = codes->start[n]; k < codes->start[n + 1]; k++) {
            PROMISE(codes->index[k] >= 0 && codes->index[k] < codes->rows);
            PROMISE(k == codes->start[n] || codes->index[k - 1] < codes->index[k]);
            PROMISE(isfinite(wide_value(codes, k)));
        }
    }
}
