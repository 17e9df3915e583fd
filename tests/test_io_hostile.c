/* Files that lie about sizes, and files that change while they are read: an error each, before memory is taken. */
#include "test_io.h"

#include "base/limit.h"
#include "io/archive.h"
#include "io/io.h"
#include "io/npy.h"

static int at_most(const char *option_megabytes, const char *path, inco_mat *m, inco_error *trouble) {
    inco_options *o = inco_options_new();
    assert_works(inco_options_set(o, "max-memory", option_megabytes, &error));
    int status = inco_load(path, o, m, trouble);
    inco_options_free(o);
    return status;
}

/* ---- The gate ---- */

static void the_gate(void **state) {
    (void)state;
    limit_claim c = {"x.bin", "items", 10, 8, 10, 80};
    assert_works(limit_check(&c, &error));
    c.limit = 79;
    assert_fails(limit_check(&c, &error), INCO_ENOMEM, "x.bin: its 10 items take 8e-05 MB of memory");
    c.holds = 9;
    assert_fails(limit_check(&c, &error), INCO_EFORMAT, "x.bin: truncated or damaged: it declares 10 items");
    c = (limit_claim){"x.bin", "items", limit_product(INT64_MAX / 2, 3), 8, 1e30, INT64_MAX - 1};
    assert_fails(limit_check(&c, &error), INCO_ENOMEM, "of memory");
    c.count = -1;
    assert_fails(limit_check(&c, &error), INCO_EFORMAT, "declares -1 items");
    assert_true(limit_product(-1, 0) == INT64_MAX);
    assert_true(limit_product(0, INT64_MAX) == 0);
    assert_true(limit_of(NULL) > 0);
}

static void memory_is_limited(void **state) {
    (void)state;
    const char *names[] = {"m.npy", "m.csv", inco_has("npz") ? "m.npz" : "n.npy", inco_has("mat") ? "m.mat" : "n.csv"};
    inco_mat m = {0}, back;
    assert_works(inco_mat_new(&m, INCO_F64, 200, 2000, &error)); /* 3.2 MB */
    for (int64_t i = 0; i < 400000; i++) ((double *)m.data)[i] = (double)(i % 977);
    for (int i = 0; i < 4; i++) {
        assert_works(inco_save(in_folder(names[i]), &m, NULL, NULL, &error));
        assert_fails(at_most("1", in_folder(names[i]), &back, &error), INCO_ENOMEM,
                     "'max-memory': raise it if you trust");
        assert_null(back.data);
        assert_works(at_most("100", in_folder(names[i]), &back, &error));
        inco_mat_free(&back);
    }
    assert_fails(inco_check_memory("the signals", 1e30, NULL, &error), INCO_ENOMEM, "the signals: 1e+24 MB");
    assert_works(inco_check_memory("the signals", 1000, NULL, &error));
    inco_mat_free(&m);
}

/* ---- Origins of codes ---- */

static inco_origin origin_of(int64_t kind, int64_t window, int64_t hop, const int64_t *shape) {
    return (inco_origin){.size = sizeof(inco_origin),
                         .kind = kind,
                         .window = window,
                         .hop = hop,
                         .rate = 8000,
                         .patch_rows = window,
                         .patch_cols = kind == 2 ? window : 0,
                         .files = 1,
                         .shape = shape};
}

static void origins_beyond_their_signals(void **state) {
    (void)state;
    float values[16] = {0};
    inco_mat m;
    const int64_t long_sound[] = {1000000000, 1}, large_image[] = {1000000000, 4}, most[] = {INT64_MAX / 2, 1};
    inco_origin sound = origin_of(1, 16, 1000000000, long_sound), image = origin_of(2, 4, 1000000000, large_image);
    inco_mat_view(&m, INCO_F32, 16, 1, values);
    if (inco_has("audio") == 1)
        assert_fails(inco_save_decoded(in_folder("x.wav"), &m, &sound, &error), INCO_EFORMAT, "more than it can hold");
    assert_fails(inco_save_decoded(in_folder("x.pgm"), &m, &image, &error), INCO_EDIM, "do not fit the files");
    image.patch_rows = image.patch_cols = 1000000000000000; /* their product overflows */
    assert_fails(inco_save_decoded(in_folder("x.pgm"), &m, &image, &error), INCO_EDIM, "do not fit patches");
    sound.shape = most;
    sound.hop = INT64_MAX / 2;
    assert_true(inco_save_decoded(in_folder("x.wav"), &m, &sound, NULL) < 0);
}

/* ---- Files ---- */

static void put_word(unsigned char *at, uint32_t value) {
    for (int i = 0; i < 4; i++) at[i] = (unsigned char)(value >> 8 * i);
}

/* matio would allocate 2 GB for each of these. */
static void mat_files_of_a_few_bytes(void **state) {
    (void)state;
    if (inco_has("mat") != 1) skip();
    unsigned char four[40] = {0}, five[200] = {0};
    inco_mat m;
    put_word(four + 4, 1); /* 1 x 1, and a name of 2^31 - 1 bytes */
    put_word(four + 8, 1);
    put_word(four + 16, INT32_MAX);
    assert_fails(inco_load(write_bytes("x.mat", four, sizeof four), NULL, &m, &error), INCO_EFORMAT, "damaged");
    put_word(four + 16, 2);
    put_word(four + 4, INT32_MAX); /* 2^31 - 1 rows */
    assert_fails(inco_load(write_bytes("x.mat", four, sizeof four), NULL, &m, &error), INCO_EFORMAT, "damaged");

    double sparse[] = {1, 2, 1, 7e8, 5, 0}; /* an entry at (1, 1) of a sparse matrix of 2 rows and 7e8 columns */
    put_word(four, 2);
    put_word(four + 4, 2);
    put_word(four + 8, 3);
    put_word(four + 16, 2);
    unsigned char small[20 + 2 + sizeof sparse];
    memcpy(small, four, 20);
    memcpy(small + 20, "x", 2);
    memcpy(small + 22, sparse, sizeof sparse);
    assert_fails(at_most("100", write_bytes("x.mat", small, sizeof small), &m, &error), INCO_ENOMEM,
                 "its 700000001 columns take 5.6e+03 MB");
    sparse[3] = -1;
    memcpy(small + 22, sparse, sizeof sparse);
    assert_fails(inco_load(write_bytes("x.mat", small, sizeof small), NULL, &m, &error), INCO_EFORMAT, "is invalid");

    put_word(five + 16, 760000000); /* a header of version 5, but for its number, and such a name in version 4 */
    memcpy(five + 124, "\0\x20IM", 4);
    assert_fails(inco_load(write_bytes("x.mat", five, 184), NULL, &m, &error), INCO_EFORMAT, "its end is missing");
    memcpy(five + 124, "\1\2IM", 4);
    assert_fails(inco_load(write_bytes("x.mat", five, 184), NULL, &m, &error), INCO_EFORMAT, "its end is missing");

    memcpy(five, "MATLAB 5.0 MAT-file", 19);
    memcpy(five + 124, "\0\1IM", 4);
    put_word(five + 128, 14); /* a matrix of 48 bytes: flags, dimensions, name */
    put_word(five + 132, 48);
    put_word(five + 136, 6), put_word(five + 140, 8), put_word(five + 144, 1); /* a cell array */
    put_word(five + 152, 5), put_word(five + 156, 8);
    put_word(five + 160, 100000000), put_word(five + 164, 1); /* of 10^8 cells */
    put_word(five + 168, 1 | 1 << 16), five[172] = 'x';
    assert_fails(inco_load(write_bytes("x.mat", five, 184), NULL, &m, &error), INCO_EFORMAT, "a variable is invalid");
    put_word(five + 132, 0); /* a matrix of no bytes */
    assert_fails(inco_load(write_bytes("x.mat", five, 136), NULL, &m, &error), INCO_EFORMAT, "a variable is invalid");
    put_word(five + 132, 48);
    put_word(five + 144, 6); /* doubles */
    assert_fails(inco_load(write_bytes("x.mat", five, 184), NULL, &m, &error), INCO_EFORMAT, "a variable is invalid");
    put_word(five + 156, 4); /* one dimension */
    assert_fails(inco_load(write_bytes("x.mat", five, 184), NULL, &m, &error), INCO_EFORMAT, "a variable is invalid");
    put_word(five + 156, 400); /* a hundred dimensions */
    assert_fails(inco_load(write_bytes("x.mat", five, 184), NULL, &m, &error), INCO_EFORMAT, "a variable is invalid");
    put_word(five + 144, 2), put_word(five + 156, 8), put_word(five + 160, 1); /* a struct whose names have no length */
    put_word(five + 176, 5 | 4 << 16);
    assert_fails(inco_load(write_bytes("x.mat", five, 184), NULL, &m, &error), INCO_EFORMAT, "a variable is invalid");
}

/* The directory of a zip file declares the compressed size too. */
static void a_member_larger_than_its_file(void **state) {
    (void)state;
    if (inco_has("npz") != 1) skip();
    inco_mat m = {0}, back;
    assert_works(inco_mat_new(&m, INCO_F64, 4, 4, &error));
    assert_works(inco_save(in_folder("x.npz"), &m, NULL, NULL, &error));
    size_t count;
    unsigned char *bytes = read_bytes(in_folder("x.npz"), &count);
    for (size_t at = 0; at + 30 < count; at++)
        if (!memcmp(bytes + at, "PK\1\2", 4)) {
            put_word(bytes + at + 20, 0xf0000000u); /* compressed and uncompressed: 4 GB in 400 bytes */
            put_word(bytes + at + 24, 0xf0000000u);
        }
    assert_int_equal(inco_load(write_bytes("y.npz", bytes, count), NULL, &back, NULL), INCO_EFORMAT);
    free(bytes);
    inco_mat_free(&m);
}

/* ---- More than 2^31 nonzeros ---- */

/* Only the number of nonzeros is there, not they. */
static void more_nonzeros_than_32_bits_count(void **state) {
    (void)state;
    int64_t start[] = {0, ((int64_t)1 << 31) + 7};
    const csc fake = {.type = INCO_F32, .rows = 10, .cols = 1, .start = start, .borrows = 1};
    csc small = {0};
    assert_true(csc_nonzeros(&fake) == start[1]);
    if (inco_has("mat") == 1) {
        const io_format *format = io_find("x.mat");
        output out = {.name = "x.mat"};
        assert_fails(format->save_codes(&out, &fake, NULL, &error), INCO_EINVAL,
                     "below 2 GB, this one has 25.8: use .npz");
    }
    assert_works(csc_new(&small, INCO_F64, 10, 1, 1, &error));
    assert_fails(csc_reserve(&small, 1, INT64_MAX / 2, &error), INCO_ENOMEM, "memory");
    assert_fails(csc_reserve(&small, INT64_MAX / 2, 1, &error), INCO_ENOMEM, "memory");
    csc_free(&small);
}

/* ---- Files that change ---- */

typedef struct cutter {
    const char *path;
    int checkpoints;
} cutter;

/* Truncates the data after the first iteration. */
static int cut_file(void *self, const inco_progress *now) {
    cutter *c = self;
    if (strcmp(now->phase, "iteration")) return 0;
    assert_int_equal(truncate(c->path, 1000), 0);
    c->checkpoints++;
    return 0;
}

static void data_truncated_during_a_run(void **state) {
    (void)state;
    static const char *const names[] = {"x.npy", "x.safetensors"};
    for (int i = 0; i < 1 + (inco_has("json") == 1); i++) {
        cutter c = {in_folder(names[i]), 0};
        const char *const paths[] = {c.path};
        inco_options *o = inco_options_new();
        inco_data *data;
        inco_source source = INCO_INIT(inco_source);
        inco_mat x = {0}, d;
        assert_works(inco_mat_new(&x, INCO_F64, 8, 3000, &error));
        for (int64_t k = 0; k < 24000; k++) ((double *)x.data)[k] = (double)(k * 7919 % 1009) - 500;
        assert_works(inco_save(c.path, &x, NULL, NULL, &error));
        assert_works(inco_options_set(o, "atoms", "12", &error));
        assert_works(inco_options_set(o, "iterations", "3", &error));
        assert_works(inco_options_on_progress(o, cut_file, &c, sizeof(inco_progress), &error));
        assert_works(inco_data_open(&data, paths, 1, o, &error));
        assert_works(inco_data_source(data, &source, &error));
        assert_fails(inco_learn(&source, o, &d, NULL, &error), INCO_EIO, "has become shorter while it was read");
        assert_int_equal(c.checkpoints, 1);
        assert_null(d.data);
        inco_data_free(data);
        inco_options_free(o);
        inco_mat_free(&x);
    }
}

/* More files than a process may hold open: they are opened for each read, and another file of the same name is
 * noticed. */
static void many_files(void **state) {
    (void)state;
    enum { FILES = 300 };
    const char *const paths[] = {test_folder};
    double value;
    inco_data *data;
    inco_source source = INCO_INIT(inco_source);
    for (int i = 0; i < FILES; i++) {
        char name[32];
        inco_mat one;
        value = i;
        snprintf(name, sizeof name, "%04d.npy", i);
        inco_mat_view(&one, INCO_F64, 1, 1, &value);
        assert_works(inco_save(in_folder(name), &one, NULL, NULL, &error));
    }
    assert_works(inco_data_open(&data, paths, 1, NULL, &error));
    assert_works(inco_data_source(data, &source, &error));
    for (int64_t i = 0; i < FILES; i += 7) {
        assert_works(source.read(source.self, i, 1, &value, &error));
        assert_true(value == (double)i);
    }
    assert_int_equal(rename(in_folder("0001.npy"), in_folder("0000.npy")), 0);
    assert_fails(source.read(source.self, 0, 1, &value, &error), INCO_EIO, "replaced by another file");
    assert_fails(source.read(source.self, 1, 1, &value, &error), INCO_EIO, "No such file");
    inco_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gate),
        each_test(memory_is_limited),
        each_test(origins_beyond_their_signals),
        each_test(mat_files_of_a_few_bytes),
        each_test(a_member_larger_than_its_file),
        each_test(more_nonzeros_than_32_bits_count),
        each_test(data_truncated_during_a_run),
        each_test(many_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
