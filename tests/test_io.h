/* Shared by tests of files: a temporary folder, files of given bytes, and checks of failures by code and text. */
#ifndef INCO_TESTS_TEST_IO_H
#define INCO_TESTS_TEST_IO_H

#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE

#include <dirent.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <signal.h>
#include <unistd.h>

#include <cmocka.h>

#include <inco/inco.h>

static char test_folder[64];

static int test_setup(void **state) {
    (void)state;
    strcpy(test_folder, "/tmp/inco-test-XXXXXX");
    return mkdtemp(test_folder) ? 0 : -1;
}

static int test_remove(const char *path, const struct stat *info, int type, struct FTW *where) {
    (void)info, (void)type, (void)where;
    return remove(path);
}

static int test_teardown(void **state) {
    (void)state;
    return nftw(test_folder, test_remove, 8, FTW_DEPTH | FTW_PHYS);
}

/* A path in the temporary folder, valid until the seventh call after this one. */
static inline const char *in_folder(const char *name) {
    static char names[8][400];
    static int next;
    char *path = names[next++ % 8];
    snprintf(path, sizeof names[0], "%s/%s", test_folder, name);
    return path;
}

static inline const char *write_bytes(const char *name, const void *bytes, size_t count) {
    const char *path = in_folder(name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
    return path;
}

static inline const char *write_text(const char *name, const char *text) {
    return write_bytes(name, text, strlen(text));
}

/* All bytes of a file, to be freed; *count: their number. */
static inline unsigned char *read_bytes(const char *path, size_t *count) {
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    unsigned char *bytes = malloc((size_t)info.st_size + 1);
    FILE *file = fopen(path, "rb");
    assert_non_null(bytes);
    assert_non_null(file);
    *count = fread(bytes, 1, (size_t)info.st_size, file);
    assert_int_equal(*count, info.st_size);
    fclose(file);
    return bytes;
}

/* Number of entries of a folder, including hidden ones. */
static inline int entries_in(const char *folder) {
    DIR *directory = opendir(folder);
    int count = -2;
    assert_non_null(directory);
    while (readdir(directory)) count++;
    closedir(directory);
    return count;
}

/* The call must fail with this code and a message that contains the text. */
#define assert_fails(call, expected_code, text)                                                                        \
    do {                                                                                                               \
        inco_error error = {0};                                                                                        \
        int result = (call);                                                                                           \
        if (result != (expected_code) || error.code != (expected_code) || !strstr(error.message, text))                \
            fail_msg("%s\nreturned %d: %s\nexpected %d: %s", #call, result, error.message, expected_code, text);       \
    } while (0)

#define assert_works(call)                                                                                             \
    do {                                                                                                               \
        inco_error error = {0};                                                                                        \
        int result = (call);                                                                                           \
        if (result != 0) fail_msg("%s\nreturned %d: %s", #call, result, error.message);                                \
    } while (0)

static inline inco_options *options_with(const char *name, const char *value) {
    inco_options *options = inco_options_new();
    assert_non_null(options);
    assert_works(inco_options_set(options, name, value, &error));
    return options;
}

static inline double entry(const inco_mat *m, int64_t i, int64_t j) {
    size_t at = (size_t)(i + j * m->ld);
    return m->type == INCO_F32 ? (double)((const float *)m->data)[at] : ((const double *)m->data)[at];
}

/* Asserts that a has the values of b, converted to the type of a. */
static inline void assert_same(const inco_mat *a, const inco_mat *b) {
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->cols, b->cols);
    for (int64_t j = 0; j < a->cols; j++)
        for (int64_t i = 0; i < a->rows; i++) {
            double x = entry(a, i, j), y = entry(b, i, j);
            if (a->type == INCO_F32) y = (float)y;
            if (x != y) fail_msg("entry (%d, %d): %.17g and %.17g", (int)i, (int)j, x, y);
        }
}

/* A matrix of irregular numbers, exact in float; data from malloc. */
static inline inco_mat some_matrix(inco_type type, int64_t rows, int64_t cols) {
    inco_mat m = {type, rows, cols, rows, malloc((size_t)(rows * cols) * type), NULL};
    assert_non_null(m.data);
    for (int64_t k = 0; k < rows * cols; k++) {
        double value = (double)((k * 7919 + 13) % 2003) / 64 - 15;
        if (type == INCO_F32)
            ((float *)m.data)[k] = (float)value;
        else
            ((double *)m.data)[k] = value + (double)k * 0x1p-40;
    }
    return m;
}

/* Limits the size of files until unlimited(), like a full disk, but without privileges. */
static inline void limit_files(long bytes) {
    struct rlimit limit;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = (rlim_t)bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static inline void unlimited(void) {
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_FSIZE, &limit);
}

#define each_test(function) cmocka_unit_test_setup_teardown(function, test_setup, test_teardown)

static inline inco_source test_source(const inco_data *data) {
    inco_source source = INCO_INIT(inco_source);
    assert_works(inco_data_source(data, &source, &error));
    return source;
}

/* Writes and reads a matrix of both types, with signals in rows and in columns. */
__attribute__((unused)) static void check_round_trip(const char *name, const char *meta) {
    for (int type = INCO_F32; type <= (int)INCO_F64; type += 4)
        for (int columns = 0; columns < 2; columns++) {
            inco_mat m = some_matrix((inco_type)type, 7, 5), back;
            inco_options *options = options_with("columns", columns ? "yes" : "no");
            assert_works(inco_save(in_folder(name), &m, options, meta, &error));
            assert_works(inco_load(in_folder(name), options, &back, &error));
            assert_int_equal(back.type, type);
            assert_same(&m, &back);
            inco_mat_free(&back);
            inco_options_free(options);
            free(m.data);
        }
}

#endif
