/* Signals from files: selection and order of files and signals. */
#include "test_io.h"

#include <math.h>

#include "io/paths.h"

/* ---- Opening with options in one text: "window=10 signals=3" ---- */

static int open_with(inco_data **data, const char *const *paths, int count, const char *settings, inco_error *error) {
    inco_options *options = inco_options_new();
    char text[200], *save = NULL;
    int status = INCO_OK;
    *data = NULL;
    snprintf(text, sizeof text, "%s", settings);
    for (char *word = strtok_r(text, " =", &save); word && !status; word = strtok_r(NULL, " =", &save))
        status = inco_options_set(options, word, strtok_r(NULL, " =", &save), error);
    if (!status) status = inco_data_open(data, paths, count, options, error);
    inco_options_free(options);
    return status;
}

static int open_one(inco_data **data, const char *path, const char *settings, inco_error *error) {
    return open_with(data, &path, 1, settings, error);
}

static inco_mat read_all(const inco_data *data) {
    const inco_source all = test_source(data), *s = &all;
    inco_mat m;
    assert_int_equal(s->size, sizeof *s);
    assert_works(inco_mat_new(&m, s->type, s->dim, s->count, &error));
    /* in two blocks, the second first */
    const int64_t half = s->count / 2;
    assert_works(s->read(s->self, half, s->count - half, (char *)m.data + (size_t)(half * s->dim) * s->type, &error));
    assert_works(s->read(s->self, 0, half, m.data, &error));
    return m;
}

static inco_mat load_signals(const char *path, const char *settings) {
    inco_data *data;
    assert_works(open_one(&data, path, settings, &error));
    inco_mat m = read_all(data);
    inco_data_free(data);
    return m;
}

/* ---- Names ---- */

static int is_npy(const char *path) {
    return strstr(path, ".npy") != NULL;
}

static void expand_to(const char *const *paths, int count, const char *expected) {
    path_list list;
    char text[512] = "";
    assert_works(paths_expand(&list, paths, count, is_npy, &error));
    for (int64_t i = 0; i < list.count; i++) {
        assert_memory_equal(list.path[i], test_folder, strlen(test_folder));
        strcat(text, list.path[i] + strlen(test_folder) + 1);
        strcat(text, " ");
    }
    paths_free(&list);
    assert_string_equal(text, expected);
}

static void names_are_expanded(void **state) {
    (void)state;
    assert_int_equal(mkdir(in_folder("sub"), 0700), 0);
    assert_int_equal(mkdir(in_folder("sub/deeper"), 0700), 0);
    static const char *const names[] = {"b.npy",     "a.npy",      "c[1].npy",        "sub/z.npy",
                                        "sub/y.npy", "sub/readme", "sub/.hidden.npy", "sub/deeper/x.npy"};
    for (int i = 0; i < 8; i++) write_text(names[i], "x");
    expand_to((const char *[]){in_folder("b.npy"), in_folder("a.npy")}, 2, "a.npy b.npy ");
    expand_to((const char *[]){in_folder("b.npy"), in_folder("b.npy")}, 2, "b.npy ");
    expand_to((const char *[]){in_folder("sub")}, 1, "sub/y.npy sub/z.npy ");
    expand_to((const char *[]){in_folder("sub/"), in_folder("sub/z.npy")}, 2, "sub/y.npy sub/z.npy ");
    expand_to((const char *[]){in_folder("?.npy")}, 1, "a.npy b.npy ");
    expand_to((const char *[]){in_folder("c[1].npy")}, 1, "c[1].npy "); /* it exists: not a pattern */
    expand_to((const char *[]){in_folder("*/z.npy"), in_folder("[ab].npy"), in_folder("sub")}, 3,
              "a.npy b.npy sub/y.npy sub/z.npy ");
    expand_to((const char *[]){in_folder("su?")}, 1, "sub/y.npy sub/z.npy ");
}

static void names_that_lead_nowhere(void **state) {
    (void)state;
    inco_data *data;
    assert_fails(open_one(&data, in_folder("none.npy"), "", &error), INCO_EIO, "none.npy: No such file");
    assert_fails(open_one(&data, in_folder("*.npy"), "", &error), INCO_EIO, "no file matches");
    assert_fails(open_one(&data, test_folder, "", &error), INCO_EDATA, "has no file that can be read");
    assert_fails(open_with(&data, NULL, 0, "", &error), INCO_EINVAL, "no input");
    assert_fails(open_one(&data, write_text("x.doc", "x"), "", &error), INCO_EINVAL, "x.doc: unknown format");
    assert_null(data);
}

/* ---- Matrices ---- */

static void save(const char *name, const inco_mat *m) {
    assert_works(inco_save(in_folder(name), m, NULL, NULL, &error));
}

static void matrices_are_joined(void **state) {
    (void)state;
    inco_mat m = some_matrix(INCO_F64, 4, 9), first = m, second = m;
    first.cols = 3;
    second.cols = 6;
    second.data = (double *)m.data + 12;
    save("a.npy", &first);
    save("b.csv", &second);
    inco_data *data;
    assert_works(open_one(&data, test_folder, "", &error));
    assert_int_equal(inco_data_files(data), 2);
    assert_string_equal(inco_data_kind(data), "matrix");
    inco_mat all = read_all(data);
    assert_int_equal(all.type, INCO_F64);
    assert_same(&m, &all);
    inco_origin origin = INCO_INIT(inco_origin);
    assert_works(inco_data_origin(data, &origin, &error));
    assert_int_equal(origin.kind, 0);
    assert_null(origin.shape);
    inco_origin_free(&origin);
    inco_mat_free(&all);
    inco_data_free(data);
    free(m.data);
}

static void precision(void **state) {
    (void)state;
    inco_mat f4 = some_matrix(INCO_F32, 4, 3), f8 = some_matrix(INCO_F64, 4, 3);
    save("a.npy", &f4);
    inco_mat m = load_signals(test_folder, "");
    assert_int_equal(m.type, INCO_F32);
    inco_mat_free(&m);
    m = load_signals(test_folder, "precision=f64");
    assert_int_equal(m.type, INCO_F64);
    assert_same(&f4, &m);
    inco_mat_free(&m);
    save("b.npy", &f8);
    m = load_signals(test_folder, "");
    assert_int_equal(m.type, INCO_F64); /* the widest */
    assert_true(entry(&m, 2, 5) == entry(&f8, 2, 2));
    inco_mat_free(&m);
    m = load_signals(test_folder, "precision=f32");
    assert_int_equal(m.type, INCO_F32);
    assert_true(entry(&m, 2, 5) == (float)entry(&f8, 2, 2));
    inco_mat_free(&m);
    free(f4.data);
    free(f8.data);
}

static void random_rows(void **state) {
    (void)state;
    enum { ROWS = 50, PICKED = 20 };
    inco_mat m = some_matrix(INCO_F64, 2, ROWS);
    for (int j = 0; j < ROWS; j++) ((double *)m.data)[2 * j] = j;
    save("a.npy", &m);
    inco_mat first = load_signals(test_folder, "signals=20 seed=1"),
             again = load_signals(test_folder, "signals=20 seed=1"),
             other = load_signals(test_folder, "signals=20 seed=2"), all = load_signals(test_folder, "signals=50");
    assert_int_equal(first.cols, PICKED);
    int differ = 0;
    for (int j = 0; j < PICKED; j++) {
        int row = (int)entry(&first, 0, j);
        assert_true(entry(&first, 1, j) == entry(&m, 1, row));             /* whole rows */
        if (j) assert_true(entry(&first, 0, j - 1) < entry(&first, 0, j)); /* in order, none twice */
        differ += entry(&first, 0, j) != entry(&other, 0, j);
    }
    assert_true(differ > 0);
    assert_same(&first, &again);
    assert_same(&m, &all);
    inco_data *data;
    assert_fails(open_one(&data, test_folder, "signals=51", &error), INCO_EDATA,
                 "option 'signals' is 51, but there are only 50 signals");
    inco_mat_free(&first);
    inco_mat_free(&again);
    inco_mat_free(&other);
    inco_mat_free(&all);
    free(m.data);
}

static void what_does_not_go_together(void **state) {
    (void)state;
    inco_mat m = some_matrix(INCO_F32, 4, 3), narrow = some_matrix(INCO_F32, 3, 5);
    inco_data *data;
    save("a.npy", &m);
    save("b.npy", &narrow);
    write_text("c.pgm", "P2 2 2 1 0 1 1 0");
    const char *const two[] = {in_folder("a.npy"), in_folder("b.npy")}, *const mixed[] = {two[0], in_folder("c.pgm")};
    assert_fails(open_with(&data, two, 2, "", &error), INCO_EDIM, "a.npy has signals of 4 values");
    assert_fails(open_with(&data, two, 2, "", &error), INCO_EDIM, "b.npy of 3: they cannot be used together");
    assert_fails(open_with(&data, mixed, 2, "patch=2x2", &error), INCO_EINVAL, "a.npy is a matrix, but");
    assert_fails(open_with(&data, mixed, 2, "patch=2x2", &error), INCO_EINVAL,
                 "c.pgm is an image: all inputs must be of the same kind");
    assert_fails(open_one(&data, two[0], "window=10", &error), INCO_EINVAL, "option 'window' applies to audio, but");
    assert_fails(open_one(&data, two[0], "hop=10", &error), INCO_EINVAL, "option 'hop' applies to audio and images");
    assert_fails(open_one(&data, two[0], "rate=10", &error), INCO_EINVAL, "option 'rate' applies to audio");
    assert_fails(open_one(&data, two[0], "patch=3x2", &error), INCO_EDIM,
                 "option 'patch' = '3x2' has 6 values, the signals of");
    assert_fails(open_one(&data, mixed[1], "", &error), INCO_EINVAL, "c.pgm is an image: give option 'patch'");
    assert_fails(open_one(&data, mixed[1], "patch=3x2", &error), INCO_EDATA,
                 "2 x 2 pixels: smaller than the patch of 3 x 2");
    assert_fails(open_one(&data, mixed[1], "patch=3x2 signals=1", &error), INCO_EDATA,
                 "no image is as large as the patch");
    free(m.data);
    free(narrow.data);
}

/* A source with the weights of a file: of the signals that are drawn too. */
static void weights_of_a_file(void **state) {
    (void)state;
    double numbers[2 * 30], weights[31], drawn[10], rows[2 * 10];
    char settings[200];
    inco_mat m, w;
    inco_data *data;
    for (int n = 0; n < 30; n++) numbers[2 * n] = n, numbers[2 * n + 1] = 1, weights[n] = 100 + n;
    inco_mat_view(&m, INCO_F64, 2, 30, numbers);
    save("a.npy", &m);
    const char *path = in_folder("w.csv");
    for (int as_row = 0; as_row < 2; as_row++) {
        inco_mat_view(&w, INCO_F64, as_row ? 30 : 1, as_row ? 1 : 30, weights);
        assert_works(inco_save(path, &w, NULL, NULL, &error));
        snprintf(settings, sizeof settings, "weights=%s signals=10", path);
        assert_works(open_one(&data, in_folder("a.npy"), settings, &error));
        const inco_source s = test_source(data);
        assert_works(s.read(s.self, 0, 10, rows, &error));
        assert_works(s.weights(s.self, 3, 7, drawn + 3, &error));
        assert_works(s.weights(s.self, 0, 3, drawn, &error));
        for (int n = 0; n < 10; n++) assert_true(drawn[n] == 100 + rows[2 * n]);
        inco_data_free(data);
    }
    weights[7] = -2;
    assert_works(inco_save(path, &w, NULL, NULL, &error));
    assert_fails(open_one(&data, in_folder("a.npy"), settings, &error), INCO_EDATA,
                 "w.csv: weight 7 (counted from 0) is -2: weights are nonnegative");
    weights[7] = 0, weights[30] = 1;
    inco_mat_view(&w, INCO_F64, 1, 31, weights);
    assert_works(inco_save(path, &w, NULL, NULL, &error));
    assert_fails(open_one(&data, in_folder("a.npy"), settings, &error), INCO_EDIM,
                 "not one weight for each of 30 signals");
    inco_mat_view(&w, INCO_F64, 2, 15, weights);
    assert_works(inco_save(path, &w, NULL, NULL, &error));
    assert_fails(open_one(&data, in_folder("a.npy"), settings, &error), INCO_EDIM, "has 15 x 2 numbers");
}

static int read_nothing(void *self, int64_t first, int64_t count, void *out, inco_error *error) {
    (void)self, (void)first, (void)count, (void)out, (void)error;
    fail();
    return 0;
}

static void sources_that_are_invalid(void **state) {
    (void)state;
    const inco_source good = {.size = sizeof good, .dim = 2, .count = 3, .type = INCO_F64, .read = read_nothing};
    const struct row {
        int64_t dim, count, type;
        const char *text;
    } rows[] = {{2, 3, 0, "the source has no function `read`"},
                {2, 3, 5, "neither INCO_F32 nor INCO_F64"},
                {-1, 3, INCO_F64, "invalid size: 3 signals of -1 values"},
                {2, -3, INCO_F64, "invalid size: -3 signals of 2 values"},
                {INT64_MAX / 8, 2, INCO_F64, "invalid size: 2 signals of"}};
    double values[] = {1, 0, 0, 1};
    inco_options *options = options_with("sparsity", "1");
    inco_mat d;
    inco_csc codes;
    inco_mat_view(&d, INCO_F64, 2, 2, values);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        inco_source s = good;
        s.dim = rows[i].dim;
        s.count = rows[i].count;
        s.type = (inco_type)rows[i].type;
        if (i == 0) s.read = NULL;
        assert_fails(inco_encode(&d, &s, options, &codes, NULL, &error), INCO_EINVAL, rows[i].text);
    }
    inco_options_free(options);
}

/* Mapped files are checked for NaN when signals are read, not when opened. */
static void nan_is_found_when_read(void **state) {
    (void)state;
    inco_mat m = some_matrix(INCO_F32, 4, 30);
    float block[4 * 20];
    inco_data *data;
    save("a.npy", &m);
    ((float *)m.data)[4 * 25 + 3] = (float)__builtin_nan("");
    save("b.npy", &m);
    assert_works(open_one(&data, test_folder, "", &error));
    inco_source all = test_source(data), *s = &all;
    assert_works(s->read(s->self, 0, 20, block, &error));
    assert_fails(s->read(s->self, 40, 20, block, &error), INCO_EDATA,
                 "b.npy: NaN at row 25, column 3 (counted from 0)");
    inco_data_free(data);
    assert_works(open_one(&data, test_folder, "columns=yes", &error)); /* 30 x 4 in file: signals of 30 */
    all = test_source(data);
    assert_int_equal(s->dim, 30);
    float wide[30 * 8];
    assert_fails(s->read(s->self, 0, 8, wide, &error), INCO_EDATA, "b.npy: NaN at row 25, column 3 (counted from 0)");
    inco_data_free(data);
    free(m.data);
}

/* ---- Patches ---- */

/* An image whose grey values encode their position: row * 16 + column, of 255. */
static const char *make_image(const char *name, int rows, int cols) {
    unsigned char bytes[300];
    int used = snprintf((char *)bytes, sizeof bytes, "P5 %d %d 255\n", cols, rows);
    for (int i = 0; i < rows * cols; i++) bytes[used++] = (unsigned char)(i / cols * 16 + i % cols);
    return write_bytes(name, bytes, (size_t)used);
}

static int place_of(const inco_mat *m, int64_t entry_number, int64_t patch) {
    return (int)(entry(m, entry_number, patch) * 255 + 0.5);
}

static void all_patches(void **state) {
    (void)state;
    make_image("a.pgm", 7, 8);
    inco_mat m = load_signals(test_folder, "patch=2x3 hop=2");
    assert_int_equal(m.type, INCO_F32);
    assert_int_equal(m.rows, 6);
    assert_int_equal(m.cols, 4 * 4); /* rows 0 2 4 5, columns 0 2 4 5: the last at the border */
    static const int rows[] = {0, 2, 4, 5}, cols[] = {0, 2, 4, 5};
    for (int p = 0; p < 16; p++)
        for (int e = 0; e < 6; e++) /* row-major within the patch */
            assert_int_equal(place_of(&m, e, p), (rows[p / 4] + e / 3) * 16 + cols[p % 4] + e % 3);
    inco_mat_free(&m);
    m = load_signals(test_folder, "patch=3x2"); /* neither hop nor signals: the smaller side apart, covering all */
    assert_int_equal(m.cols, 3 * 4);
    inco_mat_free(&m);
}

static void images_are_put_back(void **state) {
    (void)state;
    static const char *const cuts[] = {"patch=2x3 hop=2", "patch=7x8", "patch=3x3 hop=1", "patch=3x5", "patch=1x1"};
    const char *path = make_image("a.pgm", 7, 8);
    for (int i = 0; i < 5; i++) {
        inco_data *data;
        inco_origin origin = INCO_INIT(inco_origin);
        assert_works(open_one(&data, path, cuts[i], &error));
        assert_works(inco_data_origin(data, &origin, &error));
        inco_mat m = read_all(data);
        const char *out = in_folder(i % 2 && inco_has("png") == 1 ? "out.png" : "out.pgm");
        assert_works(inco_save_decoded(out, &m, &origin, &error));
        inco_mat before = load_signals(path, "patch=7x8"), after = load_signals(out, "patch=7x8");
        assert_same(&before, &after);
        inco_mat_free(&before);
        inco_mat_free(&after);
        inco_mat_free(&m);
        inco_origin_free(&origin);
        inco_data_free(data);
    }
}

static void overlaps_are_averaged(void **state) {
    (void)state;
    float values[] = {0.2f, 0.4f, 0.6f, 0.8f}; /* patches 1 x 2 at columns 0 and 1 of a row of 3 */
    int64_t shape[] = {1, 3};
    const inco_mat signals = {INCO_F32, 2, 2, 2, values, NULL};
    inco_origin o = {
        .size = sizeof o, .kind = 2, .hop = 1, .patch_rows = 1, .patch_cols = 2, .files = 1, .shape = shape};
    assert_works(inco_save_decoded(in_folder("out.pgm"), &signals, &o, &error));
    inco_mat m = load_signals(in_folder("out.pgm"), "patch=1x3");
    assert_int_equal(place_of(&m, 0, 0), 51);
    assert_int_equal(place_of(&m, 1, 0), 128); /* (0.4 + 0.6) / 2 */
    assert_int_equal(place_of(&m, 2, 0), 204);
    inco_mat_free(&m);
}

static void random_patches(void **state) {
    (void)state;
    make_image("a.pgm", 7, 8);
    make_image("b.pgm", 3, 3);
    write_text("c.pgm", "P2 1 1 1 1");                 /* smaller than a patch: skipped */
    write_text("d.pgm", "P2 3 3 9 5 5 5 5 5 5 5 5 9"); /* all but one patch constant */
    inco_mat m = load_signals(test_folder, "patch=2x2 signals=30 seed=3"),
             again = load_signals(test_folder, "patch=2x2 signals=30 seed=3");
    assert_int_equal(m.cols, 30);
    assert_same(&m, &again);
    for (int p = 0; p < 30; p++) {
        int constant = 1;
        for (int e = 1; e < 4; e++) constant = constant && entry(&m, e, p) == entry(&m, 0, p);
        assert_false(constant);
    }
    inco_mat_free(&m);
    inco_mat_free(&again);
    inco_data *data;
    inco_origin origin = INCO_INIT(inco_origin);
    assert_works(open_one(&data, test_folder, "patch=2x2 signals=30", &error));
    assert_works(inco_data_origin(data, &origin, &error));
    assert_int_equal(origin.kind, 0); /* random patches cannot be reassembled */
    inco_origin_free(&origin);
    inco_data_free(data);
    write_text("flat.pgm", "P2 3 3 9 5 5 5 5 5 5 5 5 5");
    assert_fails(open_one(&data, in_folder("flat.pgm"), "patch=2x2 signals=2", &error), INCO_EDATA,
                 "were of one colour");
}

/* All 40 positions are drawn equally often: 4000 draws, within six standard deviations. */
static void random_places_are_uniform(void **state) {
    (void)state;
    int counts[128] = {0};
    make_image("a.pgm", 6, 9);
    inco_data *data;
    for (int seed = 0; seed < 100; seed++) {
        char settings[64];
        snprintf(settings, sizeof settings, "patch=2x2 signals=40 seed=%d", seed);
        assert_works(open_one(&data, test_folder, settings, &error));
        inco_mat m = read_all(data);
        for (int p = 0; p < 40; p++) counts[place_of(&m, 0, p)]++;
        inco_mat_free(&m);
        inco_data_free(data);
    }
    for (int row = 0; row < 5; row++)
        for (int col = 0; col < 8; col++) assert_in_range(counts[row * 16 + col], 40, 160);
}

/* ---- Silence ---- */

/* Writes an uncompressed AU file: a header of 24 bytes, then big-endian floats. */
static const char *make_au(const char *name, const float *samples, int count) {
    unsigned char bytes[4096] = {'.', 's', 'n', 'd', 0, 0, 0, 24, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0x1F, 0x40, 0, 0, 0, 1};
    for (int i = 0; i < 4; i++) bytes[8 + i] = (unsigned char)(count * 4 >> (24 - 8 * i));
    for (int i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &samples[i], 4);
        for (int k = 0; k < 4; k++) bytes[24 + 4 * i + k] = (unsigned char)(bits >> (24 - 8 * k));
    }
    return write_bytes(name, bytes, 24 + 4 * (size_t)count);
}

static void silence_is_left_out(void **state) {
    (void)state;
    float samples[1000] = {0};
    if (inco_has("audio") != 1) skip();
    for (int i = 500; i < 520; i++) samples[i] = (float)i;
    const char *path = make_au("a.au", samples, 1000);
    inco_mat m = load_signals(path, "window=10 signals=200 seed=5");
    for (int p = 0; p < 200; p++) assert_true(entry(&m, 0, p) != entry(&m, 9, p));
    inco_mat_free(&m);
    m = load_signals(path, "window=10 hop=10"); /* all windows, silence too */
    assert_int_equal(m.cols, 100);
    inco_mat_free(&m);
    inco_data *data;
    assert_fails(open_one(&data, make_au("b.au", samples, 400), "window=10 signals=2", &error), INCO_EDATA,
                 "b.au: 10000 consecutive windows drawn were digital silence");
}

/* ---- Real data, if available ---- */

static void real_recordings_and_images(void **state) {
    (void)state;
    const char *home = getenv("INCO_TEST_DATA");
    char folder[512];
    inco_data *data;
    inco_origin origin = INCO_INIT(inco_origin);
    if (!home || inco_has("audio") != 1 || inco_has("png") != 1) {
        print_message("INCO_TEST_DATA names no data\n");
        skip();
    }
    snprintf(folder, sizeof folder, "%s/grid-s1", home);
    assert_works(open_one(&data, folder, "window=160", &error));
    assert_int_equal(inco_data_files(data), 900);
    assert_works(inco_data_origin(data, &origin, &error));
    assert_true(origin.rate == 8000);
    int64_t windows = 0;
    for (int i = 0; i < 900; i++) windows += (origin.shape[2 * i] + 159) / 160;
    assert_int_equal(test_source(data).count, windows);
    inco_origin_free(&origin);
    inco_data_free(data);
    inco_mat m = load_signals(folder, "window=160 signals=1000 seed=1");
    for (int64_t n = 0; n < m.cols; n++) {
        double most = 0;
        for (int64_t i = 0; i < m.rows; i++) most = fmax(most, fabs(entry(&m, i, n)));
        assert_true(most > 0 && most <= 1);
    }
    inco_mat_free(&m);
    snprintf(folder, sizeof folder, "%s/images/*.png", home);
    m = load_signals(folder, "patch=8x8 signals=500");
    for (int64_t k = 0; k < 64 * 500; k++) assert_true(((float *)m.data)[k] >= 0 && ((float *)m.data)[k] <= 1);
    inco_mat_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        each_test(names_are_expanded),
        each_test(names_that_lead_nowhere),
        each_test(matrices_are_joined),
        each_test(precision),
        each_test(random_rows),
        each_test(what_does_not_go_together),
        each_test(weights_of_a_file),
        each_test(sources_that_are_invalid),
        each_test(nan_is_found_when_read),
        each_test(all_patches),
        each_test(images_are_put_back),
        each_test(overlaps_are_averaged),
        each_test(random_patches),
        each_test(random_places_are_uniform),
        each_test(silence_is_left_out),
        each_test(real_recordings_and_images),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
