/* Every allocation of every reader and writer fails once: INCO_ENOMEM is returned, no file is left, the old file is
 * unchanged, and (with a leak checker) no memory is lost. */
#include "test_io.h"

#include "base/memory.h"
#include "sparse/wide.h"

static inco_options *options; /* created before, so that only the files are tested */

typedef int (*operation)(inco_error *error);

static void sweep(operation run) {
    const int files = entries_in(test_folder);
    memory_fail_at(0);
    assert_works(run(&error));
    const int64_t allocations = memory_fail_at(0);
    const int written = entries_in(test_folder); /* including the files of the operation */
    assert_true(allocations > 0 && written >= files);
    for (int64_t k = 1; k <= allocations; k++) {
        inco_error error = {0};
        memory_fail_at(k);
        int status = run(&error);
        memory_fail_at(0);
        if (status != INCO_ENOMEM || error.code != INCO_ENOMEM)
            fail_msg("allocation %d of %d: %d: %s", (int)k, (int)allocations, status, error.message);
        assert_int_equal(entries_in(test_folder), written);
    }
}

/* ---- Matrices ---- */

static const char *name;

static int load(inco_error *error) {
    inco_mat m;
    int status = inco_load(in_folder(name), options, &m, error);
    if (status) assert_null(m.data);
    inco_mat_free(&m);
    return status;
}

static int save(inco_error *error) {
    static double numbers[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    const inco_mat m = {INCO_F64, 3,       3,
                        4,        numbers, NULL}; /* with gaps between columns, which some formats must remove */
    return inco_save(in_folder(name), &m, options, "{\"a\": \"\xC3\xA9\"}", error);
}

static void matrices(void **state) {
    static const char *const names[] = {"m.npy", "m.csv", "m.npz", "m.mat"}, *const features[] = {NULL, NULL, "npz",
                                                                                                  "mat"};
    (void)state;
    for (int i = 0; i < 4; i++) {
        if (features[i] && inco_has(features[i]) != 1) continue;
        for (int columns = 0; columns < 2; columns++) {
            options = options_with("columns", columns ? "yes" : "no");
            name = names[i];
            sweep(save);
            sweep(load);
            inco_options_set(options, "columns", columns ? "no" : "yes", NULL); /* transposed: one more copy */
            sweep(load);
            inco_options_free(options);
        }
        options = NULL;
    }
}

/* Types that are converted. */
static void integers(void **state) {
    (void)state;
    const char bytes[] =
        "\x93NUMPY\x01\x00\x39\x00{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3)}1122334455667";
    options = NULL;
    name = "i.npy";
    write_bytes("i.npy", bytes, sizeof bytes - 1);
    sweep(load);
}

/* ---- Codes ---- */

static int64_t layout_shape[] = {5, 1, 7, 1};
static double layout_mean[] = {1, 2};

static int save_codes(inco_error *error) {
    static int64_t start[] = {0, 2, 3};
    static int64_t index[] = {1, 2, 0};
    static float value[] = {1, 2, 3};
    const inco_csc codes = {INCO_F32, 4, 2, start, index, value, NULL};
    const inco_origin origin = {.size = sizeof origin,
                                .kind = 1,
                                .window = 4,
                                .hop = 2,
                                .rate = 8000,
                                .files = 2,
                                .shape = layout_shape,
                                .signals = 2,
                                .mean = layout_mean};
    return inco_save_codes(in_folder(name), &codes, &origin, error);
}

static int load_codes(inco_error *error) {
    inco_csc codes;
    inco_origin origin = INCO_INIT(inco_origin);
    int status = inco_load_codes(in_folder(name), NULL, &codes, &origin, error);
    if (status) assert_true(!codes.start && !origin.shape && !origin.mean);
    inco_csc_free(&codes);
    inco_origin_free(&origin);
    return status;
}

static void codes(void **state) {
    static const char *const names[] = {"c.npz", "c.mat"}, *const features[] = {"npz", "mat"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        if (inco_has(features[i]) != 1) continue;
        name = names[i];
        sweep(save_codes);
        sweep(load_codes);
    }
}

/* ---- Audio and images ---- */

static float sound[12] = {0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f, 0.7f, 0.8f, 0.9f, 0.1f, 0.2f, 0.3f};

static int save_one(inco_error *error) {
    int64_t shape[] = {4, 3};
    const inco_mat signals = {INCO_F32, 3, 4, 3, sound, NULL};
    inco_origin origin = {.size = sizeof origin,
                          .kind = 2,
                          .hop = 1,
                          .patch_rows = 1,
                          .patch_cols = 3,
                          .files = 1,
                          .shape = shape,
                          .signals = 4};
    if (!strstr(name, ".p")) {
        origin = (inco_origin){.size = sizeof origin,
                               .kind = 1,
                               .window = 3,
                               .hop = 3,
                               .rate = 8000,
                               .files = 1,
                               .shape = shape,
                               .signals = 4};
        shape[0] = 12, shape[1] = 1;
    }
    return inco_save_decoded(in_folder(name), &signals, &origin, error);
}

static int open_data(inco_error *error) {
    inco_data *data;
    inco_origin origin = INCO_INIT(inco_origin);
    const char *path = in_folder(name);
    int status = inco_data_open(&data, &path, 1, options, error);
    if (status) assert_null(data);
    if (!status) status = inco_data_origin(data, &origin, error);
    inco_origin_free(&origin);
    inco_data_free(data);
    return status;
}

static void audio_and_images(void **state) {
    static const char *const names[] = {"s.wav", "s.flac", "s.png", "s.pgm"}, *const features[] = {"audio", "audio",
                                                                                                   "png", NULL};
    (void)state;
    for (int i = 0; i < 4; i++) {
        if (features[i] && inco_has(features[i]) != 1) continue;
        name = names[i];
        sweep(save_one);
        options = options_with(i < 2 ? "window" : "patch", i < 2 ? "3" : "2x2");
        inco_options_set(options, "threads", "1", NULL);
        sweep(open_data);
        if (i < 2 && inco_has("resample") == 1) {
            inco_options_set(options, "rate", "16000", NULL);
            sweep(open_data);
        }
        inco_options_set(options, "signals", "3", NULL);
        sweep(open_data);
        inco_options_free(options);
    }
}

static int save_folder(inco_error *error) {
    static int turn;
    char folder[32];
    int64_t shape[] = {1, 3, 3, 3};
    const inco_mat signals = {INCO_F32, 3, 4, 3, sound, NULL};
    const inco_origin origin = {.size = sizeof origin,
                                .kind = 2,
                                .hop = 1,
                                .patch_rows = 1,
                                .patch_cols = 3,
                                .files = 2,
                                .shape = shape,
                                .signals = 4};
    snprintf(folder, sizeof folder, "out%d", turn++);
    return inco_save_decoded(in_folder(folder), &signals, &origin, error);
}

static void folders(void **state) {
    (void)state;
    sweep(save_folder);
    inco_mat m = some_matrix(INCO_F64, 3, 4);
    assert_works(inco_save(in_folder("out0/b.npy"), &m, NULL, NULL, &error));
    assert_works(inco_save(in_folder("out0/a.npy"), &m, NULL, NULL, &error));
    name = "out0/*.npy"; /* a pattern */
    options = options_with("signals", "5");
    inco_options_set(options, "threads", "1", NULL);
    sweep(open_data);
    inco_options_free(options);
    free(m.data);
}

/* ---- Streams and questions ---- */

static int checkpoint(inco_error *error) {
    inco_file *file;
    inco_stream stream = INCO_INIT(inco_stream);
    int status = inco_file_create(&file, in_folder("checkpoint"), error);
    if (!status) status = inco_file_stream(file, &stream, error);
    if (!status) stream.write(stream.self, "abc", 3);
    if (!status) status = inco_file_close(file, 1, error);
    if (!status) status = inco_file_open(&file, in_folder("checkpoint"), error);
    if (!status) status = inco_file_close(file, 1, error);
    return status;
}

static int question(inco_error *error) {
    int status = inco_check_output(in_folder("new.npy"), error);
    return status ? status : inco_check_output(in_folder("new/"), error);
}

static void streams(void **state) {
    (void)state;
    sweep(checkpoint);
    sweep(question);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        each_test(matrices),         each_test(integers), each_test(codes),
        each_test(audio_and_images), each_test(folders),  each_test(streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
