/* .mat through matio. */
#include "test_io.h"

#ifdef INCO_HAVE_MAT
#include <matio.h>

typedef struct variable {
    const char *name;
    enum matio_classes class;
    enum matio_types type;
    size_t rows, cols;
    const void *data;
    int flags;
} variable;

static const char *make(const char *name, enum mat_ft version, const variable *variables, int count) {
    const char *path = in_folder(name);
    mat_t *mat = Mat_CreateVer(path, NULL, version);
    assert_non_null(mat);
    for (int i = 0; i < count; i++) {
        size_t dims[3] = {variables[i].rows, variables[i].cols, 2};
        const int rank = variables[i].flags == 3 ? 3 : 2;
        matvar_t *v = Mat_VarCreate(variables[i].name, variables[i].class, variables[i].type, rank, dims,
                                    (void *)variables[i].data, rank == 3 ? 0 : variables[i].flags);
        assert_non_null(v);
        assert_int_equal(Mat_VarWrite(mat, v, i & 1 ? MAT_COMPRESSION_ZLIB : MAT_COMPRESSION_NONE), 0);
        Mat_VarFree(v);
    }
    Mat_Close(mat);
    return path;
}

static void round_trip(void **state) {
    (void)state;
    for (int type = INCO_F32; type <= (int)INCO_F64; type += 4)
        for (int columns = 0; columns < 2; columns++) { /* has no effect on .mat */
            inco_mat m = some_matrix((inco_type)type, 7, 5), back;
            inco_options *options = options_with("columns", columns ? "yes" : "no");
            assert_works(inco_save(in_folder("m.mat"), &m, options, "{\"a\": \"\xC3\xA9\"}", &error));
            assert_works(inco_load(in_folder("m.mat"), options, &back, &error));
            assert_int_equal(back.type, type);
            assert_same(&m, &back);
            inco_mat_free(&back);
            inco_options_free(options);
            free(m.data);
        }
}

static void all_number_classes(void **state) {
    (void)state;
    const double f8[] = {1, 2, 3, 200, 5, 6};
    const float f4[] = {1, 2, 3, 200, 5, 6};
    const uint8_t u1[] = {1, 2, 3, 200, 5, 6};
    const int16_t i2[] = {1, 2, 3, 200, 5, 6};
    const int32_t i4[] = {1, 2, 3, 200, 5, 6};
    const uint64_t u8[] = {1, 2, 3, 200, 5, 6};
    const variable variables[] = {
        {"x", MAT_C_DOUBLE, MAT_T_DOUBLE, 3, 2, f8, 0}, {"x", MAT_C_SINGLE, MAT_T_SINGLE, 3, 2, f4, 0},
        {"x", MAT_C_UINT8, MAT_T_UINT8, 3, 2, u1, 0},   {"x", MAT_C_INT16, MAT_T_INT16, 3, 2, i2, 0},
        {"x", MAT_C_INT32, MAT_T_INT32, 3, 2, i4, 0},   {"x", MAT_C_UINT64, MAT_T_UINT64, 3, 2, u8, 0}};
    const inco_type types[] = {INCO_F64, INCO_F32, INCO_F32, INCO_F32, INCO_F64, INCO_F64};
    const inco_mat expected = {INCO_F64, 3, 2, 3, (void *)f8, NULL};
    for (int i = 0; i < 6; i++) {
        inco_mat m;
        assert_works(inco_load(make("x.mat", MAT_FT_MAT5, &variables[i], 1), NULL, &m, &error));
        assert_int_equal(m.type, types[i]);
        assert_same(&expected, &m);
        inco_mat_free(&m);
    }
}

static void old_and_new_versions(void **state) {
    (void)state;
    const double numbers[] = {1, 2, 3, 4, 5, 6};
    const variable x = {"x", MAT_C_DOUBLE, MAT_T_DOUBLE, 3, 2, numbers, 0};
    const inco_mat expected = {INCO_F64, 3, 2, 3, (void *)numbers, NULL};
    const enum mat_ft versions[] = {MAT_FT_MAT4, MAT_FT_MAT5, MAT_FT_MAT73};
    for (int i = 0; i < 3; i++) {
        inco_mat m;
        mat_t *able = Mat_CreateVer(in_folder("able.mat"), NULL, versions[i]);
        if (!able) continue; /* matio without HDF5 has no 7.3 */
        Mat_Close(able);
        assert_works(inco_load(make("x.mat", versions[i], &x, 1), NULL, &m, &error));
        assert_same(&expected, &m);
        inco_mat_free(&m);
    }
}

/* Byte 125 of this file is 2, as in files of version 7.3. */
static void version_4_is_not_taken_for_hdf5(void **state) {
    (void)state;
    double numbers[40];
    for (int i = 0; i < 40; i++) numbers[i] = i + 1;
    unsigned char *bytes = (unsigned char *)numbers;
    bytes[125 - 22] = 2; /* after five words and the name "x" */
    const variable x = {"x", MAT_C_DOUBLE, MAT_T_DOUBLE, 4, 10, numbers, 0};
    const inco_mat expected = {INCO_F64, 4, 10, 4, numbers, NULL};
    inco_mat m;
    assert_works(inco_load(make("x.mat", MAT_FT_MAT4, &x, 1), NULL, &m, &error));
    assert_same(&expected, &m);
    inco_mat_free(&m);
}

static void the_right_variable_is_chosen(void **state) {
    (void)state;
    const double numbers[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    const variable variables[] = {{"scalar", MAT_C_DOUBLE, MAT_T_DOUBLE, 1, 1, numbers, 0},
                                  {"text", MAT_C_CHAR, MAT_T_UINT8, 1, 3, "abc", 0},
                                  {"a", MAT_C_DOUBLE, MAT_T_DOUBLE, 3, 2, numbers, 0},
                                  {"b", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, 3, numbers, 0},
                                  {"components", MAT_C_DOUBLE, MAT_T_DOUBLE, 1, 6, numbers, 0}};
    inco_mat m;
    assert_works(inco_load(make("x.mat", MAT_FT_MAT5, variables, 3), NULL, &m, &error));
    assert_int_equal(m.rows, 3);
    inco_mat_free(&m);
    assert_fails(
        inco_load(make("x.mat", MAT_FT_MAT5, variables, 4), NULL, &m, &error), INCO_EFORMAT,
        "several matrices: name one by option 'variable'; it holds: scalar (1x1), text (1x3), a (3x2), b (2x3)");
    inco_options *options = options_with("variable", "b");
    assert_works(inco_load(in_folder("x.mat"), options, &m, &error));
    assert_int_equal(m.rows, 2);
    inco_mat_free(&m);
    inco_options_set(options, "variable", "c", NULL);
    assert_fails(inco_load(in_folder("x.mat"), options, &m, &error), INCO_EFORMAT, "there is no variable c");
    inco_options_set(options, "variable", "text", NULL);
    assert_fails(inco_load(in_folder("x.mat"), options, &m, &error), INCO_EFORMAT, "text is not a dense matrix");
    assert_works(inco_load(make("x.mat", MAT_FT_MAT5, variables, 5), NULL, &m, &error));
    assert_int_equal(m.rows, 1);
    inco_mat_free(&m);
    assert_fails(inco_load(make("x.mat", MAT_FT_MAT5, variables, 2), NULL, &m, &error), INCO_EFORMAT,
                 "there is no dense matrix of real numbers; it holds: scalar (1x1), text (1x3)");
    inco_options_free(options);
}

static void what_is_refused(void **state) {
    (void)state;
    const double numbers[] = {1, 2, 3, 4, 5, __builtin_inf(), 7, 8, 9, 10, 11, 12};
    const mat_complex_split_t complex = {(void *)numbers, (void *)numbers};
    const variable solid = {"x", MAT_C_DOUBLE, MAT_T_DOUBLE, 3, 2, numbers, 3};
    const variable split = {"x", MAT_C_DOUBLE, MAT_T_DOUBLE, 3, 2, &complex, MAT_F_COMPLEX};
    const variable infinite = {"x", MAT_C_DOUBLE, MAT_T_DOUBLE, 3, 2, numbers, 0};
    inco_mat m;
    inco_csc c;
    assert_fails(inco_load(make("x.mat", MAT_FT_MAT5, &solid, 1), NULL, &m, &error), INCO_EFORMAT,
                 "no dense matrix of real");
    assert_fails(inco_load(make("x.mat", MAT_FT_MAT5, &split, 1), NULL, &m, &error), INCO_EFORMAT,
                 "no dense matrix of real");
    assert_fails(inco_load(make("x.mat", MAT_FT_MAT5, &infinite, 1), NULL, &m, &error), INCO_EDATA,
                 "Inf at row 2, column 1 (counted from 0)");
    assert_fails(inco_load_codes(in_folder("x.mat"), NULL, &c, NULL, &error), INCO_EFORMAT,
                 "there is no sparse matrix of codes; it holds: x (3x2)");
    assert_fails(inco_load(write_text("x.mat", ""), NULL, &m, &error), INCO_EFORMAT, "empty");
    assert_fails(inco_load(write_text("x.mat", "no such thing"), NULL, &m, &error), INCO_EFORMAT, "not a MAT file");
    assert_fails(inco_load(in_folder("missing.mat"), NULL, &m, &error), INCO_EIO, "No such file");
    assert_fails(inco_load(write_text("x.mat", "# Created by Octave 7.3.0\n# name: x\n"), NULL, &m, &error),
                 INCO_EFORMAT, "save it with save -v7");
}

/* The variable of a name is the first one, whose size and class may be others. */
static void codes_whose_name_is_there_twice(void **state) {
    (void)state;
    double numbers[] = {1, 2};
    mat_uint32_t rows[] = {0, 1}, starts[] = {0, 1, 2};
    mat_complex_split_t both = {numbers, numbers};
    mat_sparse_t real = {2, rows, 2, starts, 3, 2, numbers}, complex = {2, rows, 2, starts, 3, 2, &both};
    const variable variables[] = {{"other", MAT_C_SPARSE, MAT_T_DOUBLE, 3, 2, &complex, MAT_F_COMPLEX},
                                  {"codes", MAT_C_SPARSE, MAT_T_DOUBLE, 3, 2, &real, 0}};
    inco_csc c;
    size_t count;
    assert_works(inco_load_codes(make("x.mat", MAT_FT_MAT5, variables + 1, 1), NULL, &c, NULL, &error));
    assert_int_equal(c.cols, 2);
    inco_csc_free(&c);
    assert_works(inco_load_codes(make("x.mat", MAT_FT_MAT5, variables, 2), NULL, &c, NULL, &error));
    inco_csc_free(&c);
    unsigned char *bytes = read_bytes(in_folder("x.mat"), &count);
    for (size_t at = 0; at + 5 < count; at++)
        if (!memcmp(bytes + at, "other", 5)) memcpy(bytes + at, "codes", 5);
    assert_fails(inco_load_codes(write_bytes("y.mat", bytes, count), NULL, &c, NULL, &error), INCO_EFORMAT,
                 "the sparse matrix codes is invalid");
    free(bytes);
}

static void every_truncation(void **state) {
    (void)state;
    inco_mat m = some_matrix(INCO_F64, 5, 4), back;
    const variable x = {"x", MAT_C_DOUBLE, MAT_T_DOUBLE, 5, 4, m.data, 0};
    for (int packed = 0; packed < 2; packed++) {
        size_t count;
        if (packed)
            assert_works(inco_save(in_folder("m.mat"), &m, NULL, NULL, &error));
        else
            make("m.mat", MAT_FT_MAT5, &x, 1);
        unsigned char *bytes = read_bytes(in_folder("m.mat"), &count);
        for (size_t length = 1; length < count; length++)
            assert_fails(inco_load(write_bytes("cut.mat", bytes, length), NULL, &back, &error), INCO_EFORMAT,
                         "cut.mat");
        free(bytes);
    }
    free(m.data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        each_test(round_trip),
        each_test(all_number_classes),
        each_test(old_and_new_versions),
        each_test(version_4_is_not_taken_for_hdf5),
        each_test(the_right_variable_is_chosen),
        each_test(what_is_refused),
        each_test(codes_whose_name_is_there_twice),
        each_test(every_truncation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
static void mat_files_are_refused(void **state) {
    (void)state;
    inco_mat m;
    assert_fails(inco_load(write_text("x.mat", "x"), NULL, &m, &error), INCO_ENOTBUILT, "libmatio-dev");
}

int main(void) {
    const struct CMUnitTest tests[] = {each_test(mat_files_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
