/* .npy: files by NumPy are read, invalid ones are refused. */
#include "test_io.h"

#include "io/npy.h"
#include "mat/mat.h"

/* ---- Files made by hand ---- */

/* Writes a file of this version, with this header text and data. */
static const char *make(const char *name, int version, const char *header, const void *data, size_t size) {
    unsigned char bytes[4096];
    const size_t length = strlen(header), start = version == 1 ? 10 : 12;
    assert_true(start + length + size <= sizeof bytes);
    memcpy(bytes, "\x93NUMPY", 6);
    bytes[6] = (unsigned char)version;
    bytes[7] = 0;
    for (size_t i = 8; i < start; i++) bytes[i] = (unsigned char)(length >> 8 * (i - 8));
    memcpy(bytes + start, header, length);
    if (size) memcpy(bytes + start + length, data, size);
    return write_bytes(name, bytes, start + length + size);
}

static const char *make_f4(const char *header, size_t count) {
    static const float data[64] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    return make("x.npy", 1, header, data, count * 4);
}

static void load_and_expect(const char *path, int columns, inco_type type, int64_t rows, int64_t cols,
                            const double *expected) {
    inco_options *options = options_with("columns", columns ? "yes" : "no");
    inco_mat m;
    assert_works(inco_load(path, options, &m, &error));
    assert_int_equal(m.type, type);
    assert_int_equal(m.rows, rows);
    assert_int_equal(m.cols, cols);
    for (int64_t k = 0; k < rows * cols; k++) assert_true(entry(&m, k % rows, k / rows) == expected[k]);
    inco_mat_free(&m);
    inco_options_free(options);
}

/* ---- Valid files ---- */

static void round_trip(void **state) {
    (void)state;
    check_round_trip("m.npy", NULL);
}

static void a_view_with_gaps_is_written_without_them(void **state) {
    (void)state;
    inco_mat m = some_matrix(INCO_F32, 9, 4), part = m, back;
    part.rows = 5;
    static const char *const names[] = {"m.npy", "m.npz", "m.csv", "m.mat"};
    for (int i = 0; i < 4; i++) {
        if ((i == 1 && !inco_has("npz")) || (i == 3 && !inco_has("mat"))) continue;
        assert_works(inco_save(in_folder(names[i]), &part, NULL, NULL, &error));
        assert_works(inco_load(in_folder(names[i]), NULL, &back, &error));
        assert_same(&part, &back);
        inco_mat_free(&back);
    }
    free(m.data);
}

static void native_floats_are_mapped(void **state) {
    (void)state;
    inco_mat m = some_matrix(INCO_F64, 7, 5), back, again;
    assert_works(inco_save(in_folder("m.npy"), &m, NULL, NULL, &error));
    assert_works(inco_load(in_folder("m.npy"), NULL, &back, &error));
    const owner *mapping = back.owner;
    assert_int_equal(mapping->length, 128 + 7 * 5 * 8); /* the file, mapped */
    assert_ptr_equal(back.data, (char *)mapping->base + 128);
    ((double *)back.data)[0] = 99; /* writing to memory does not change the file */
    assert_works(inco_load(in_folder("m.npy"), NULL, &again, &error));
    assert_same(&m, &again);
    inco_mat_free(&back);
    inco_mat_free(&again);
    free(m.data);
}

static void versions_1_to_3(void **state) {
    (void)state;
    const float data[] = {1, 2, 3, 4, 5, 6};
    const double expected[] = {1, 2, 3, 4, 5, 6};
    for (int version = 1; version <= 3; version++) {
        const char *path = make("v.npy", version, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }     \n",
                                data, sizeof data);
        load_and_expect(path, 0, INCO_F32, 3, 2, expected);
    }
}

static void orders(void **state) {
    (void)state;
    const double as_it_lies[] = {1, 2, 3, 4, 5, 6}, by_rows_of_2[] = {1, 3, 5, 2, 4, 6},
                 by_rows_of_3[] = {1, 4, 2, 5, 3, 6};
    const char *c_order = make_f4("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}", 6);
    load_and_expect(c_order, 0, INCO_F32, 3, 2, as_it_lies);
    load_and_expect(c_order, 1, INCO_F32, 2, 3, by_rows_of_3);
    const char *fortran = make_f4("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3)}", 6);
    load_and_expect(fortran, 1, INCO_F32, 2, 3, as_it_lies);
    load_and_expect(fortran, 0, INCO_F32, 3, 2, by_rows_of_2);
}

static void all_number_types(void **state) {
    (void)state;
    static const struct one {
        const char *descr;
        int size;
        unsigned char bytes[2][8]; /* two items */
        inco_type type;
        double expected[2];
    } cases[] = {
        {"|b1", 1, {{1}, {0}}, INCO_F32, {1, 0}},
        {"|i1", 1, {{0xFF}, {5}}, INCO_F32, {-1, 5}},
        {"|u1", 1, {{0xFF}, {5}}, INCO_F32, {255, 5}},
        {"<i2", 2, {{0xFE, 0xFF}, {1, 2}}, INCO_F32, {-2, 513}},
        {">i2", 2, {{0xFF, 0xFE}, {2, 1}}, INCO_F32, {-2, 513}},
        {"<u2", 2, {{0xFE, 0xFF}, {1, 2}}, INCO_F32, {65534, 513}},
        {"<i4", 4, {{0, 0, 0, 0x80}, {1, 2, 0, 0}}, INCO_F64, {-2147483648.0, 513}},
        {">u4", 4, {{0x80, 0, 0, 0}, {0, 0, 2, 1}}, INCO_F64, {2147483648.0, 513}},
        {"<i8", 8, {{0xFD, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}, {7}}, INCO_F64, {-3, 7}},
        {"<u8", 8, {{0, 0, 0, 0, 0, 0, 0, 0x80}, {7}}, INCO_F64, {9223372036854775808.0, 7}},
        {"<f2", 2, {{0x00, 0x3C}, {0x01, 0xC0}}, INCO_F32, {1, -2.001953125}},
        {">f2", 2, {{0x00, 0x01}, {0x7B, 0xFF}}, INCO_F32, {0x1p-24, 65504}},
        {"<f4", 4, {{0, 0, 0x80, 0x3F}, {0, 0, 0, 0xC0}}, INCO_F32, {1, -2}},
        {">f4", 4, {{0x3F, 0x80, 0, 0}, {0xC0, 0, 0, 0}}, INCO_F32, {1, -2}},
        {"<f8", 8, {{0, 0, 0, 0, 0, 0, 0xF0, 0x3F}, {0, 0, 0, 0, 0, 0, 0, 0xC0}}, INCO_F64, {1, -2}},
        {">f8", 8, {{0x3F, 0xF0}, {0xC0, 0}}, INCO_F64, {1, -2}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct one *c = &cases[i];
        unsigned char data[16];
        char header[128];
        memcpy(data, c->bytes[0], (size_t)c->size);
        memcpy(data + c->size, c->bytes[1], (size_t)c->size);
        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (1, 2), }\n", c->descr);
        load_and_expect(make("t.npy", 1, header, data, 2 * (size_t)c->size), 0, c->type, 2, 1, c->expected);
    }
}

static void odd_but_valid_headers(void **state) {
    (void)state;
    const double expected[] = {1, 2, 3, 4, 5, 6};
    static const char *const headers[] = {
        "{\"shape\":(2,3),\"fortran_order\":False,\"descr\":\"<f4\"}",
        "  { 'fortran_order' : False , 'descr' : '=f4' , 'shape' : ( 2L , 3L , ) , }  ",
        "{'descr': 'f4', 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } ", /* unaligned data: copied */
    };
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        load_and_expect(make_f4(headers[i], 6), 0, INCO_F32, 3, 2, expected);
}

static void pipes_are_read_too(void **state) {
    (void)state;
    inco_mat m = some_matrix(INCO_F32, 100, 300), back;
    char command[512];
    assert_works(inco_save(in_folder("m.npy"), &m, NULL, NULL, &error));
    assert_int_equal(mkfifo(in_folder("pipe.npy"), 0600), 0);
    snprintf(command, sizeof command, "cat %s > %s &", in_folder("m.npy"), in_folder("pipe.npy"));
    assert_int_equal(system(command), 0);
    assert_works(inco_load(in_folder("pipe.npy"), NULL, &back, &error));
    assert_same(&m, &back);
    inco_mat_free(&back);
    free(m.data);
}

/* ---- Invalid files ---- */

static void refuse(const char *path, int code, const char *text) {
    inco_mat m = {.rows = 77};
    assert_fails(inco_load(path, NULL, &m, &error), code, text);
    assert_fails(inco_load(path, NULL, &m, &error), code, strrchr(path, '/') + 1); /* the message names the file */
    assert_null(m.data);
}

static void files_that_are_none(void **state) {
    (void)state;
    refuse(in_folder("missing.npy"), INCO_EIO, "No such file");
    refuse(write_text("empty.npy", ""), INCO_EFORMAT, "empty (0 bytes)");
    refuse(write_text("text.npy", "hello, this is no array"), INCO_EFORMAT, "not a NumPy array");
    assert_int_equal(mkdir(in_folder("folder.npy"), 0700), 0);
    refuse(in_folder("folder.npy"), INCO_EIO, "it is a folder");
    refuse(write_text("x.xyz", "1"), INCO_EINVAL, ".npy .npz .csv .tsv .mat .safetensors");
    refuse(write_text("x.wav", "1"), INCO_EINVAL, "a matrix to read must be one of");
    refuse(write_text("noending", "1"), INCO_EINVAL, "unknown format");
}

static void hostile_headers(void **state) {
    (void)state;
    static const char *const headers[] = {
        "",
        "{",
        "{}",
        "[]",
        "{'descr': '<f4'}",
        "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2, 3)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), 'more': 1}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, -3)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2 3)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 6}",
        "{'descr': '<f4, 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': '', 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': '<f99999999999999', 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': __import__('os').system('true'), 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999, 3)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}",
    };
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        refuse(make_f4(headers[i], 6), INCO_EFORMAT, "invalid NumPy header");
    refuse(make("x.npy", 4, "{}", NULL, 0), INCO_EFORMAT, "unknown version 4.0");
    refuse(write_bytes("x.npy", "\x93NUMPY\x01\x00\xff\xff{}", 12), INCO_EFORMAT, "truncated within the header");
    refuse(write_bytes("x.npy", "\x93NUMPY\x02\x00\xff\xff", 10), INCO_EFORMAT, "truncated within the header");
    refuse(write_bytes("x.npy", "\x93NUMPY\x02\x00\xff\xff\xff\xff{}", 14), INCO_EFORMAT,
           "truncated within the header");
}

/* Every truncation of a valid file: no byte after its end is read. */
static void every_truncation(void **state) {
    (void)state;
    inco_mat m = some_matrix(INCO_F32, 3, 2), back;
    size_t count;
    assert_works(inco_save(in_folder("m.npy"), &m, NULL, NULL, &error));
    unsigned char *bytes = read_bytes(in_folder("m.npy"), &count);
    for (size_t length = 1; length < count; length++) {
        unsigned char *exact = malloc(length); /* its end is guarded under ASan */
        npy_header h;
        memcpy(exact, bytes, length);
        int status = npy_parse(exact, length, "m.npy", &h, NULL);
        assert_true(length < 128 ? status == INCO_EFORMAT : status == INCO_OK);
        free(exact);
        assert_fails(inco_load(write_bytes("cut.npy", bytes, length), NULL, &back, &error), INCO_EFORMAT, "cut.npy");
    }
    free(bytes);
    free(m.data);
}

static void arrays_that_are_no_matrices(void **state) {
    (void)state;
    static const struct one {
        const char *descr, *shape;
        int code;
        const char *text;
    } cases[] = {
        {"'<f4'", "(6,)", INCO_EFORMAT, "a 1-d array of 6 values"},
        {"'<f4'", "()", INCO_EFORMAT, "a 0-d array"},
        {"'<f4'", "(1, 2, 3)", INCO_EFORMAT, "a 3-d array"},
        {"'<f4'", "(0, 3)", INCO_EDATA, "is empty: its shape is (0, 3)"},
        {"'|O'", "(2, 3)", INCO_EFORMAT, "Python objects"},
        {"'<c8'", "(2, 3)", INCO_EFORMAT, "complex numbers"},
        {"'<f16'", "(2, 3)", INCO_EFORMAT, "extended floats"},
        {"'<U1'", "(2, 3)", INCO_EFORMAT, "text"},
        {"'|S4'", "(2, 3)", INCO_EFORMAT, "text"},
        {"'<M8[ns]'", "(2, 3)", INCO_EFORMAT, "dates"},
        {"[('a', '<f4'), ('b', '<i4')]", "(2, 3)", INCO_EFORMAT, "structured"},
        {"'<f4'", "(2, 4)", INCO_EFORMAT, "truncated: 8 items of 4 bytes are declared, but the file has 24 bytes"},
        {"'<f4'", "(2000000000, 2000000000)", INCO_EFORMAT, "truncated"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char header[256];
        snprintf(header, sizeof header, "{'descr': %s, 'fortran_order': False, 'shape': %s, }\n", cases[i].descr,
                 cases[i].shape);
        refuse(make_f4(header, 6), cases[i].code, cases[i].text);
    }
}

static void nan_and_inf_have_a_place(void **state) {
    (void)state;
    const float data[] = {1, 2, 3, 4, 5, (float)__builtin_inf()};
    inco_mat m;
    inco_options *options = options_with("columns", "yes");
    const char *path =
        make("bad.npy", 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}", data, sizeof data);
    refuse(path, INCO_EDATA, "bad.npy: Inf at row 1, column 2 (counted from 0)");
    assert_fails(inco_load(path, options, &m, &error), INCO_EDATA, "Inf at row 1, column 2 (counted from 0)");
    path = make("bad.npy", 1, "{'descr': '<f2', 'fortran_order': False, 'shape': (1, 2)}", "\x00\x3C\x01\x7E", 4);
    refuse(path, INCO_EDATA, "NaN at row 0, column 1 (counted from 0)");
    inco_options_free(options);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        each_test(round_trip),
        each_test(a_view_with_gaps_is_written_without_them),
        each_test(native_floats_are_mapped),
        each_test(versions_1_to_3),
        each_test(orders),
        each_test(all_number_types),
        each_test(odd_but_valid_headers),
        each_test(pipes_are_read_too),
        each_test(files_that_are_none),
        each_test(hostile_headers),
        each_test(every_truncation),
        each_test(arrays_that_are_no_matrices),
        each_test(nan_and_inf_have_a_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
