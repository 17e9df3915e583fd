/* .npz: matrices, and codes in the format of scipy. */
#include "test_io.h"

#ifdef INCO_HAVE_NPZ
#include "io/archive.h"
#include "io/output.h"
#include "io/text.h"
#include "sparse/wide.h"

/* Writes an archive with these arrays. */
static const char *make(const char *name, const archive_array *arrays, int count) {
    const char *path = in_folder(name);
    output out;
    archive_writer *w;
    assert_works(output_open(&out, path, 1, &error));
    assert_works(archive_new(&w, &out, &error));
    for (int i = 0; i < count; i++) assert_works(archive_add(w, &arrays[i], &error));
    assert_works(archive_finish(w, 0, &error));
    assert_works(output_finish(&out, 0, &error));
    return path;
}

/* ---- Matrices ---- */

static void round_trip(void **state) {
    (void)state;
    check_round_trip("m.npz", "{\"a\": 1}");
}

static void equal_content_is_equal_bytes(void **state) {
    (void)state;
    inco_mat m = some_matrix(INCO_F32, 7, 5);
    size_t count[2];
    unsigned char *bytes[2];
    for (int i = 0; i < 2; i++) {
        assert_works(inco_save(in_folder("m.npz"), &m, NULL, "{}", &error));
        bytes[i] = read_bytes(in_folder("m.npz"), &count[i]);
        if (i == 0) sleep(2); /* archives store times in steps of two seconds */
    }
    assert_int_equal(count[0], count[1]);
    assert_memory_equal(bytes[0], bytes[1], count[0]);
    free(bytes[0]);
    free(bytes[1]);
    free(m.data);
}

static void the_right_array_is_chosen(void **state) {
    (void)state;
    const float numbers[] = {1, 2, 3, 4, 5, 6};
    const archive_array arrays[] = {{"a", "f4", 0, 2, {2, 3}, numbers},
                                    {"list", "f4", 0, 1, {6, 1}, numbers},
                                    {"text", "S3", 0, 0, {1, 1}, "abc"},
                                    {"b", "f4", 0, 2, {3, 2}, numbers},
                                    {"components", "f4", 0, 2, {1, 6}, numbers}};
    inco_mat m;
    assert_works(inco_load(make("one.npz", arrays, 3), NULL, &m, &error));
    assert_int_equal(m.rows, 3);
    inco_mat_free(&m);
    assert_fails(inco_load(make("two.npz", arrays, 4), NULL, &m, &error), INCO_EFORMAT,
                 "several matrices: name one by option 'variable'; it holds: a (2, 3), list, text, b (3, 2)");
    assert_works(inco_load(make("three.npz", arrays, 5), NULL, &m, &error));
    assert_int_equal(m.rows, 6);
    inco_mat_free(&m);
    inco_options *options = options_with("variable", "b");
    assert_works(inco_load(in_folder("two.npz"), options, &m, &error));
    assert_int_equal(m.rows, 2);
    inco_mat_free(&m);
    inco_options_set(options, "variable", "c", NULL);
    assert_fails(inco_load(in_folder("two.npz"), options, &m, &error), INCO_EFORMAT,
                 "there is no array 'c'; it holds: a");
    inco_options_set(options, "variable", "list", NULL);
    assert_fails(inco_load(in_folder("two.npz"), options, &m, &error), INCO_EFORMAT, "(list.npy): a 1-d array");
    assert_fails(inco_load(make("none.npz", arrays + 1, 2), NULL, &m, &error), INCO_EFORMAT,
                 "there is no matrix of numbers; it holds: list, text");
    inco_options_free(options);
}

static void bad_archives(void **state) {
    (void)state;
    inco_mat m = some_matrix(INCO_F32, 40, 50), back;
    size_t count;
    assert_works(inco_save(in_folder("m.npz"), &m, NULL, "{}", &error));
    unsigned char *bytes = read_bytes(in_folder("m.npz"), &count);
    assert_fails(inco_load(write_text("t.npz", "no archive at all"), NULL, &back, &error), INCO_EFORMAT,
                 "not a .npz file");
    assert_fails(inco_load(write_text("t.npz", ""), NULL, &back, &error), INCO_EFORMAT, "empty");
    assert_fails(inco_load(write_bytes("t.npz", bytes, count / 2), NULL, &back, &error), INCO_EFORMAT, "truncated");
    bytes[count / 3] ^= 1; /* within the numbers */
    assert_fails(inco_load(write_bytes("t.npz", bytes, count), NULL, &back, &error), INCO_EFORMAT, "damaged");
    ((float *)m.data)[41] = (float)__builtin_nan("");
    assert_works(inco_save(in_folder("m.npz"), &m, NULL, NULL, &error));
    assert_fails(inco_load(in_folder("m.npz"), NULL, &back, &error), INCO_EDATA,
                 "NaN at row 1, column 1 (counted from 0)");
    free(bytes);
    free(m.data);
}

static void text_is_decoded(void **state) {
    (void)state;
    uint32_t points[32];
    const uint32_t expected[] = {'a', 0xE9, 0x20AC, 0x1F600, 'z'};
    assert_int_equal(text_code_points("a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z", points), 5);
    assert_memory_equal(points, expected, sizeof expected);
    const uint32_t broken[] = {0xFFFD, 'a', 0xFFFD, 0xFFFD, 0xFFFD, 'b', 0xFFFD};
    assert_int_equal(text_code_points("\xFF"
                                      "a\xC0\x80\xE9"
                                      "b\xE2\x82",
                                      points),
                     8); /* except the last two bytes */
    assert_memory_equal(points, broken, sizeof broken);
}

/* ---- Codes ---- */

static inco_csc some_codes(inco_type type, int64_t atoms, int64_t signals) {
    inco_csc codes;
    csc c;
    assert_works(csc_new(&c, type, atoms, signals, signals * 3, &error));
    int64_t k = 0;
    for (int64_t n = 0; n < signals; n++) {
        for (int64_t j = n % 3; j < 3; j++, k++) { /* 3, 2, 1, 3, ... entries */
            c.index[k] = (int32_t)(3 * j + n % 3);
            if (type == INCO_F32)
                ((float *)c.value)[k] = (float)k + 0.5f;
            else
                ((double *)c.value)[k] = (double)k + 0.1;
        }
        c.start[n + 1] = k;
    }
    c.cols = signals;
    assert_works(wide_new(&codes, type, atoms, 0, &error));
    assert_works(wide_append(&codes, &c, &error));
    csc_free(&c);
    return codes;
}

static void assert_same_codes(const inco_csc *a, const inco_csc *b) {
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->cols, b->cols);
    assert_memory_equal(a->start, b->start, (size_t)(a->cols + 1) * sizeof *a->start);
    assert_memory_equal(a->index, b->index, (size_t)wide_nonzeros(a) * sizeof *a->index);
    for (int64_t k = 0; k < wide_nonzeros(a); k++) assert_true(wide_value(a, k) == wide_value(b, k));
}

static void codes_round_trip(void **state) {
    static const char *const names[] = {"c.npz", "c.mat"};
    (void)state;
    for (int i = 0; i < (inco_has("mat") == 1 ? 4 : 2); i++) {
        inco_csc c = some_codes(i & 1 ? INCO_F64 : INCO_F32, 11, i & 1 ? 50000 : 9), back;
        assert_works(inco_save_codes(in_folder(names[i / 2]), &c, NULL, &error));
        assert_works(inco_load_codes(in_folder(names[i / 2]), NULL, &back, NULL, &error));
        assert_int_equal(back.type, i / 2 ? INCO_F64 : c.type);
        assert_same_codes(&c, &back);
        inco_csc_free(&back);
        inco_csc_free(&c);
    }
}

static void codes_of_nothing(void **state) {
    static const char *const names[] = {"c.npz", "c.mat"};
    (void)state;
    for (int i = 0; i < 1 + (inco_has("mat") == 1); i++) {
        inco_csc c, back;
        assert_works(wide_new(&c, INCO_F64, 5, 4, &error));
        c.cols = 4; /* four signals, all of them zero */
        assert_works(inco_save_codes(in_folder(names[i]), &c, NULL, &error));
        assert_works(inco_load_codes(in_folder(names[i]), NULL, &back, NULL, &error));
        assert_same_codes(&c, &back);
        inco_csc_free(&back);
        inco_csc_free(&c);
    }
}

/* A CSR matrix of 2 signals and 3 atoms, with some of its arrays replaced. */
static const char *make_csr(const char *format, const int64_t *shape, const int64_t *pointers, const int64_t *indices,
                            const double *values) {
    const archive_array arrays[] = {{"indices", "i8", 0, 1, {4, 1}, indices},
                                    {"indptr", "i8", 0, 1, {3, 1}, pointers},
                                    {"format", "S3", 0, 0, {1, 1}, format},
                                    {"shape", "i8", 0, 1, {2, 1}, shape},
                                    {"data", "f8", 0, 1, {4, 1}, values}};
    return make("c.npz", arrays, 5);
}

static void unsorted_and_double_entries(void **state) {
    (void)state;
    const int64_t shape[] = {2, 3}, pointers[] = {0, 3, 4}, indices[] = {2, 0, 2, 1};
    const double values[] = {1, 2, 3, 4}, expected[] = {2, 4, 4};
    const int64_t rows[] = {0, 2, 1};
    const int64_t starts[] = {0, 2, 3};
    inco_csc c;
    assert_works(inco_load_codes(make_csr("csr", shape, pointers, indices, values), NULL, &c, NULL, &error));
    assert_int_equal(c.rows, 3);
    assert_int_equal(c.cols, 2);
    assert_memory_equal(c.start, starts, sizeof starts);
    assert_memory_equal(c.index, rows, sizeof rows);
    assert_memory_equal(c.value, expected, sizeof expected);
    inco_csc_free(&c);
    const double large[] = {1, 1e308, 1, -1e308};
    const int64_t twice[] = {2, 1, 1, 1};
    assert_works(inco_load_codes(make_csr("csr", shape, pointers, twice, large), NULL, &c, NULL, &error));
    inco_csc_free(&c);
    const double larger[] = {1, 1e308, 1e308, -1e308};
    assert_fails(inco_load_codes(make_csr("csr", shape, pointers, twice, larger), NULL, &c, NULL, &error), INCO_EDATA,
                 "c.npz: the entries at row 0, column 1 (counted from 0) sum to Inf");
    assert_null(c.start);
}

/* The matrix of unsorted_and_double_entries by columns, and as a list of entries. */
static void other_layouts(void **state) {
    (void)state;
    const int64_t shape[] = {2, 3}, pointers[] = {0, 1, 2, 4}, indices[] = {0, 1, 0, 0};
    const int64_t rows[] = {0, 0, 0, 1}, cols[] = {2, 0, 2, 1}, outside[] = {0, 0, 2, 1}, below[] = {0, -1, 2, 1};
    const double by_column[] = {2, 4, 1, 3}, values[] = {1, 2, 3, 4};
    const archive_array columns[] = {{"indices", "i8", 0, 1, {4, 1}, indices},
                                     {"indptr", "i8", 0, 1, {4, 1}, pointers},
                                     {"format", "S3", 0, 0, {1, 1}, "csc"},
                                     {"shape", "i8", 0, 1, {2, 1}, shape},
                                     {"data", "f8", 0, 1, {4, 1}, by_column}};
    archive_array list[] = {{"row", "i8", 0, 1, {4, 1}, rows},
                            {"col", "i8", 0, 1, {4, 1}, cols},
                            {"format", "S3", 0, 0, {1, 1}, "coo"},
                            {"shape", "i8", 0, 1, {2, 1}, shape},
                            {"data", "f8", 0, 1, {4, 1}, values}};
    const int64_t row_pointers[] = {0, 3, 4}, row_indices[] = {2, 0, 2, 1};
    inco_csc expected, c;
    assert_works(
        inco_load_codes(make_csr("csr", shape, row_pointers, row_indices, values), NULL, &expected, NULL, &error));
    assert_works(inco_load_codes(make("c.npz", columns, 5), NULL, &c, NULL, &error));
    assert_same_codes(&expected, &c);
    inco_csc_free(&c);
    assert_works(inco_load_codes(make("c.npz", list, 5), NULL, &c, NULL, &error));
    assert_same_codes(&expected, &c);
    inco_csc_free(&c);
    inco_csc_free(&expected);
    list[0].data = outside;
    assert_fails(inco_load_codes(make("c.npz", list, 5), NULL, &c, NULL, &error), INCO_EFORMAT, "outside the shape");
    list[0].data = rows;
    list[1].data = below;
    assert_fails(inco_load_codes(make("c.npz", list, 5), NULL, &c, NULL, &error), INCO_EFORMAT, "outside the shape");
    list[1].data = cols;
    list[1].shape[0] = 3;
    assert_fails(inco_load_codes(make("c.npz", list, 5), NULL, &c, NULL, &error), INCO_EFORMAT,
                 "the lengths of 'row', 'col' and 'data' do not agree");
    list[1] = (archive_array){"col", "f8", 0, 1, {4, 1}, values};
    assert_fails(inco_load_codes(make("c.npz", list, 5), NULL, &c, NULL, &error), INCO_EFORMAT,
                 "'col' is not an array of integers");
    assert_fails(inco_load_codes(make("c.npz", list + 1, 4), NULL, &c, NULL, &error), INCO_EFORMAT,
                 "there is no member 'row'");
    assert_null(c.start);
}

static void hostile_codes(void **state) {
    (void)state;
    const int64_t shape[] = {2, 3}, pointers[] = {0, 3, 4}, indices[] = {2, 0, 1, 1};
    const double values[] = {1, 2, 3, 4}, bad_values[] = {1, 2, 3, __builtin_nan("")};
    static const int64_t bad_pointers[][3] = {{0, 3, 5}, {0, 5, 4}, {1, 3, 4}, {0, -1, 4}, {0, 3, INT64_MAX}};
    static const int64_t bad_indices[][4] = {{2, 0, 1, 3}, {-1, 0, 1, 1}, {2, 0, 1, (int64_t)1 << 32}};
    static const int64_t bad_shapes[][2] = {{3, 3}, {-2, 3}, {2, 0}, {2, (int64_t)1 << 40}, {(int64_t)1 << 40, 3}};
    inco_csc c;
    for (size_t i = 0; i < sizeof bad_pointers / sizeof *bad_pointers; i++)
        assert_fails(inco_load_codes(make_csr("csr", shape, bad_pointers[i], indices, values), NULL, &c, NULL, &error),
                     INCO_EFORMAT, "are not ascending");
    for (size_t i = 0; i < sizeof bad_indices / sizeof *bad_indices; i++)
        assert_fails(inco_load_codes(make_csr("csr", shape, pointers, bad_indices[i], values), NULL, &c, NULL, &error),
                     INCO_EFORMAT, "outside the shape");
    for (size_t i = 0; i < sizeof bad_shapes / sizeof *bad_shapes; i++)
        assert_fails(inco_load_codes(make_csr("csr", bad_shapes[i], pointers, indices, values), NULL, &c, NULL, &error),
                     INCO_EFORMAT,
                     i < 4 ? "not sparse codes as scipy.sparse.save_npz writes them" : "more than it can hold");
    assert_fails(inco_load_codes(make_csr("bsr", shape, pointers, indices, values), NULL, &c, NULL, &error),
                 INCO_EFORMAT, "neither csr nor csc nor coo");
    assert_fails(inco_load_codes(make_csr("csr", shape, pointers, indices, bad_values), NULL, &c, NULL, &error),
                 INCO_EDATA, "NaN or Inf at row 1, column 1 (counted from 0)");
    assert_null(c.start);
    inco_mat m = some_matrix(INCO_F32, 3, 3);
    assert_works(inco_save(in_folder("m.npz"), &m, NULL, NULL, &error));
    assert_fails(inco_load_codes(in_folder("m.npz"), NULL, &c, NULL, &error), INCO_EFORMAT,
                 "there is no member 'format'");
    assert_fails(inco_load_codes(in_folder("m.npy"), NULL, &c, NULL, &error), INCO_EINVAL,
                 "the extension of codes to read must be one of .npz");
    assert_fails(inco_load_codes(in_folder("missing.npz"), NULL, &c, NULL, &error), INCO_EIO, "No such file");
    free(m.data);
}

/* ---- Origin of codes ---- */

static void assert_same_origin(const inco_origin *a, const inco_origin *b) {
    assert_int_equal(b->size, sizeof *b);
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->window, b->window);
    assert_int_equal(a->hop, b->hop);
    assert_true(a->rate == b->rate);
    assert_int_equal(a->patch_rows, b->patch_rows);
    assert_int_equal(a->patch_cols, b->patch_cols);
    assert_int_equal(a->files, b->files);
    assert_int_equal(a->signals, b->signals);
    if (a->files) assert_memory_equal(a->shape, b->shape, (size_t)a->files * 2 * sizeof *a->shape);
    assert_int_equal(!a->mean, !b->mean);
    if (a->mean) assert_memory_equal(a->mean, b->mean, (size_t)a->signals * sizeof *a->mean);
}

static void origins_round_trip(void **state) {
    int64_t shape[] = {1000, 1, 77, 1, 30, 40};
    double mean[] = {0.5, -1, 2, 3, 4, 5, 6, 7, 8.25};
    const size_t size = sizeof(inco_origin);
    const inco_origin origins[] = {
        {.size = size, .signals = 9},
        {.size = size, .signals = 9, .mean = mean},
        {.size = size, .kind = 1, .window = 160, .hop = 80, .rate = 8000, .files = 2, .shape = shape, .signals = 9},
        {.size = size,
         .kind = 2,
         .hop = 3,
         .patch_rows = 8,
         .patch_cols = 6,
         .files = 1,
         .shape = shape + 4,
         .signals = 9,
         .mean = mean},
    };
    static const char *const names[] = {"c.npz", "c.mat"};
    inco_csc c = some_codes(INCO_F64, 11, 9), back;
    (void)state;
    for (int i = 0; i < (inco_has("mat") ? 8 : 4); i++) {
        inco_origin origin = INCO_INIT(inco_origin);
        assert_works(inco_save_codes(in_folder(names[i / 4]), &c, &origins[i % 4], &error));
        assert_works(inco_load_codes(in_folder(names[i / 4]), NULL, &back, &origin, &error));
        assert_same_codes(&c, &back);
        assert_same_origin(&origins[i % 4], &origin);
        inco_csc_free(&back);
        inco_origin_free(&origin);
    }
    inco_csc_free(&c);
}

static void hostile_origins(void **state) {
    (void)state;
    const int64_t shape[] = {2, 3}, pointers[] = {0, 3, 4}, indices[] = {2, 0, 1, 1};
    const double values[] = {1, 2, 3, 4}, kinds[] = {1, 7, -1, __builtin_nan("")}, hop[] = {0, 80},
                 lengths[] = {5, 1, 6};
    archive_array arrays[] = {{"indices", "i8", 0, 1, {4, 1}, indices},      {"indptr", "i8", 0, 1, {3, 1}, pointers},
                              {"format", "S3", 0, 0, {1, 1}, "csr"},         {"shape", "i8", 0, 1, {2, 1}, shape},
                              {"data", "f8", 0, 1, {4, 1}, values},          {"origin_kind", "f8", 0, 0, {1, 1}, kinds},
                              {"origin_shape", "f8", 0, 1, {3, 1}, lengths}, {"origin_hop", "f8", 0, 0, {1, 1}, hop},
                              {"origin_mean", "f8", 0, 1, {3, 1}, values}};
    inco_csc c;
    inco_origin o = INCO_INIT(inco_origin);
    assert_fails(inco_load_codes(make("c.npz", arrays, 6), NULL, &c, &o, &error), INCO_EFORMAT, "origin_shape");
    assert_fails(inco_load_codes(make("c.npz", arrays, 7), NULL, &c, &o, &error), INCO_EFORMAT, "origin_shape");
    arrays[6].shape[0] = 2;
    assert_fails(inco_load_codes(make("c.npz", arrays, 8), NULL, &c, &o, &error), INCO_EFORMAT, "origin_hop");
    arrays[7].data = hop + 1;
    assert_fails(inco_load_codes(make("c.npz", arrays, 8), NULL, &c, &o, &error), INCO_EFORMAT, "origin_window");
    for (int i = 1; i < 4; i++) {
        arrays[5].data = kinds + i;
        assert_fails(inco_load_codes(make("c.npz", arrays, 6), NULL, &c, &o, &error), INCO_EFORMAT, "origin_kind");
    }
    arrays[5].data = hop; /* a matrix */
    assert_fails(inco_load_codes(make("c.npz", arrays, 9), NULL, &c, &o, &error), INCO_EFORMAT, "origin_mean");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        each_test(round_trip),
        each_test(equal_content_is_equal_bytes),
        each_test(the_right_array_is_chosen),
        each_test(bad_archives),
        each_test(text_is_decoded),
        each_test(codes_round_trip),
        each_test(codes_of_nothing),
        each_test(unsorted_and_double_entries),
        each_test(other_layouts),
        each_test(hostile_codes),
        each_test(origins_round_trip),
        each_test(hostile_origins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
static void npz_is_not_built(void **state) {
    (void)state;
    inco_mat m;
    inco_csc c;
    assert_fails(inco_load(write_text("x.npz", "x"), NULL, &m, &error), INCO_ENOTBUILT, "libzip-dev");
    assert_fails(inco_load_codes(in_folder("x.npz"), NULL, &c, NULL, &error), INCO_ENOTBUILT, "libzip-dev");
    assert_fails(inco_check_output(in_folder("y.npz"), &error), INCO_ENOTBUILT, "libzip-dev");
    assert_int_equal(inco_has("npz"), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {each_test(npz_is_not_built)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
