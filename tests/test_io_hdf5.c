/* Hostile .mat files of version 7.3: what they refer to, how deep they are, and what they declare. */
#include "test_io.h"

#if defined(INCO_HAVE_MAT) && defined(INCO_HAVE_HDF5)
#include <hdf5.h>

/* ---- Files ---- */

static hid_t new_file(const char *name) {
    const hid_t made = H5Pcreate(H5P_FILE_CREATE);
    assert_true(H5Pset_userblock(made, 512) >= 0);
    const hid_t file = H5Fcreate(in_folder(name), H5F_ACC_TRUNC, made, H5P_DEFAULT);
    assert_true(file >= 0);
    H5Pclose(made);
    return file;
}

/* Closes the file and writes MATLAB's header. */
static const char *finish(hid_t file, const char *name) {
    char head[129] = "";
    snprintf(head, sizeof head, "%-124s", "MATLAB 7.3 MAT-file");
    memcpy(head + 124, "\0\2IM", 4);
    assert_true(H5Fclose(file) >= 0);
    FILE *out = fopen(in_folder(name), "r+b");
    assert_non_null(out);
    assert_int_equal(fwrite(head, 1, 128, out), 128);
    fclose(out);
    return in_folder(name);
}

static void set_attribute(hid_t object, const char *name, hid_t type, const void *value) {
    const hid_t one = H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate2(object, name, type, one, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(attribute, type, value) >= 0);
    H5Aclose(attribute);
    H5Sclose(one);
}

static void set_class(hid_t object, const char *class) {
    const hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, strlen(class) + 1);
    set_attribute(object, "MATLAB_class", text, class);
    H5Tclose(text);
}

/* A dataset of rows x cols, created with the properties `made`; `values` may be NULL. */
static void add(hid_t where, const char *name, hid_t type, hsize_t rows, hsize_t cols, hid_t made, const void *values) {
    const hid_t space = H5Screate_simple(2, (hsize_t[]){cols, rows}, NULL);
    const hid_t set = H5Dcreate2(where, name, type, space, H5P_DEFAULT, made, H5P_DEFAULT);
    assert_true(set >= 0);
    set_class(set, H5Tget_class(type) == H5T_REFERENCE ? "cell" : "double");
    if (values) assert_true(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    H5Sclose(space);
}

static const double numbers[] = {1, 2, 3, 4, 5, 6};

static void add_numbers(hid_t where, const char *name) {
    add(where, name, H5T_NATIVE_DOUBLE, 3, 2, H5P_DEFAULT, numbers);
}

static hid_t add_group(hid_t where, const char *name) {
    const hid_t group = H5Gcreate2(where, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(group >= 0);
    set_class(group, "struct");
    return group;
}

/* Properties of chunks of side x side, deflated so many times. */
static hid_t chunks(hsize_t side, int deflations) {
    const hid_t made = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(made, 2, (hsize_t[]){side, side});
    while (deflations-- > 0) H5Pset_deflate(made, 1);
    return made;
}

static void refused(hid_t file, const char *text) {
    inco_mat m;
    assert_fails(inco_load(finish(file, "x.mat"), NULL, &m, &error), INCO_EFORMAT, text);
    assert_null(m.data);
}

/* ---- What they refer to ---- */

static void what_is_good(void **state) {
    (void)state;
    inco_mat m;
    hid_t file = new_file("x.mat"), made = chunks(2, 1);
    hobj_ref_t cells[2] = {0};
    add(file, "x", H5T_NATIVE_DOUBLE, 3, 2, made, numbers);
    const hid_t group = add_group(file, "s");
    add(group, "field", H5T_NATIVE_DOUBLE, 1, 1, H5P_DEFAULT, numbers);
    for (int i = 0; i < 2; i++) assert_true(H5Rcreate(&cells[i], file, "s/field", H5R_OBJECT, -1) >= 0);
    add(file, "c", H5T_STD_REF_OBJ, 2, 1, H5P_DEFAULT, cells);
    H5Gclose(group);
    H5Pclose(made);
    assert_works(inco_load(finish(file, "x.mat"), NULL, &m, &error));
    assert_true(m.rows == 3 && m.cols == 2 && ((double *)m.data)[5] == 6);
    inco_mat_free(&m);
}

static void links(void **state) {
    (void)state;
    hid_t file = new_file("x.mat");
    add_numbers(file, "x");
    H5Lcreate_soft("/x", file, "y", H5P_DEFAULT, H5P_DEFAULT);
    refused(file, "it has links to other files or variables; save its matrix alone");
    file = new_file("x.mat");
    H5Lcreate_external("/etc/passwd", "x", file, "x", H5P_DEFAULT, H5P_DEFAULT);
    refused(file, "links to other files");
}

static void data_of_other_files(void **state) {
    (void)state;
    hid_t file = new_file("x.mat"), made = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(made, write_bytes("secret", numbers, sizeof numbers), 0, sizeof numbers);
    add(file, "x", H5T_NATIVE_DOUBLE, 3, 2, made, NULL);
    H5Pclose(made);
    refused(file, "its data is in another file");
    file = new_file("x.mat");
    made = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t space = H5Screate_simple(2, (hsize_t[]){2, 3}, NULL);
    H5Pset_virtual(made, space, "secret.h5", "x", space);
    add(file, "x", H5T_NATIVE_DOUBLE, 3, 2, made, NULL);
    H5Sclose(space);
    H5Pclose(made);
    refused(file, "its data is in another file");
}

/* ---- How deep they are ---- */

static void groups_in_a_circle(void **state) {
    (void)state;
    const hid_t file = new_file("x.mat"), group = add_group(file, "g");
    assert_true(H5Lcreate_hard(file, "g", group, "g", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    H5Gclose(group);
    refused(file, "nested deeper than 64 levels, or in a circle");
}

static void cells_in_a_circle(void **state) {
    (void)state;
    hobj_ref_t cells[2] = {0};
    const hid_t file = new_file("x.mat");
    add_numbers(file, "x");
    add(file, "c", H5T_STD_REF_OBJ, 2, 1, H5P_DEFAULT, cells);
    assert_true(H5Rcreate(&cells[1], file, "c", H5R_OBJECT, -1) >= 0);
    const hid_t set = H5Dopen2(file, "c", H5P_DEFAULT);
    assert_true(H5Dwrite(set, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, cells) >= 0);
    H5Dclose(set);
    refused(file, "nested deeper than 64 levels, or in a circle");
}

/* Twenty groups, each with two links to the next: a million ways to the last one. */
static void many_ways_to_an_object(void **state) {
    (void)state;
    const hid_t file = new_file("x.mat");
    hid_t group = add_group(file, "g");
    for (int i = 0; i < 20; i++) {
        const hid_t next = add_group(group, "a");
        assert_true(H5Lcreate_hard(group, "a", group, "b", H5P_DEFAULT, H5P_DEFAULT) >= 0);
        H5Gclose(group);
        group = next;
    }
    H5Gclose(group);
    refused(file, "more than 65536 variables and cells");
}

/* matio would list the variables in quadratic time, and visit all groups for each cell. */
static void many_variables_and_cells(void **state) {
    (void)state;
    enum { CELLS = 2100, VARIABLES = 8193 };
    static hobj_ref_t cells[CELLS];
    hid_t file = new_file("x.mat");
    char name[16];
    for (int i = 0; i < VARIABLES; i++) {
        snprintf(name, sizeof name, "v%d", i);
        H5Gclose(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    }
    refused(file, "it has more than 8192 variables");
    file = new_file("x.mat");
    const hid_t group = add_group(file, "#refs#");
    for (int i = 0; i < CELLS; i++) {
        snprintf(name, sizeof name, "v%d", i);
        H5Gclose(H5Gcreate2(group, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        assert_true(H5Rcreate(&cells[i], group, name, H5R_OBJECT, -1) >= 0);
    }
    H5Gclose(group);
    add(file, "c", H5T_STD_REF_OBJ, CELLS, 1, H5P_DEFAULT, cells);
    refused(file, "it has too many cells; save its matrix alone");
}

/* ---- What they declare ---- */

/* 400 million numbers in 6 kB: before, they took 5 GB. */
static void sparse_matrices_without_end(void **state) {
    (void)state;
    const int64_t rows = 5, starts[] = {0, 1};
    const hid_t file = new_file("x.mat"), group = H5Gcreate2(file, "codes", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t made = chunks(1000, 1);
    inco_csc c;
    set_class(group, "double");
    set_attribute(group, "MATLAB_sparse", H5T_NATIVE_INT64, &rows);
    add(group, "ir", H5T_NATIVE_INT64, 20000, 20000, made, NULL);
    add(group, "jc", H5T_NATIVE_INT64, 1, 2, H5P_DEFAULT, starts);
    add(group, "data", H5T_NATIVE_DOUBLE, 20000, 20000, made, NULL);
    H5Pclose(made);
    H5Gclose(group);
    assert_fails(inco_load_codes(finish(file, "x.mat"), NULL, &c, NULL, &error), INCO_EFORMAT,
                 "declares 400000000 numbers, more than it can hold");
}

static void cells_without_end(void **state) {
    (void)state;
    const hid_t file = new_file("x.mat"), made = chunks(1000, 1);
    add_numbers(file, "x");
    add(file, "c", H5T_STD_REF_OBJ, 20000, 20000, made, NULL);
    H5Pclose(made);
    refused(file, "declares 400000000 numbers, more than it can hold");
}

static void large_chunks(void **state) {
    (void)state;
    const hid_t file = new_file("x.mat"), made = H5Pcreate(H5P_DATASET_CREATE);
    inco_options *options = options_with("max-memory", "1");
    inco_mat m;
    const hid_t space = H5Screate_simple(2, (hsize_t[]){2, 3}, (hsize_t[]){H5S_UNLIMITED, H5S_UNLIMITED});
    H5Pset_chunk(made, 2, (hsize_t[]){1000, 1000});
    H5Pset_deflate(made, 1);
    const hid_t set = H5Dcreate2(file, "x", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, made, H5P_DEFAULT);
    set_class(set, "double");
    assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(made);
    assert_fails(inco_load(finish(file, "x.mat"), options, &m, &error), INCO_ENOMEM, "'max-memory': raise it if");
    inco_options_free(options);
    assert_works(inco_load(in_folder("x.mat"), NULL, &m, &error));
    inco_mat_free(&m);
}

static void data_deflated_twice(void **state) {
    (void)state;
    const hid_t file = new_file("x.mat"), made = chunks(2, 2);
    add(file, "x", H5T_NATIVE_DOUBLE, 3, 2, made, numbers);
    H5Pclose(made);
    refused(file, "its data is compressed in another way than MATLAB's");
}

/* ---- Damage ---- */

static int64_t printed(FILE *to) {
    fflush(stderr);
    return ftell(to) >= 0 ? (int64_t)lseek(fileno(to), 0, SEEK_END) : -1;
}

/* HDF5 prints its errors unless it is told not to; afterwards it does so again. */
static void damage_is_not_printed(void **state) {
    (void)state;
    const hid_t file = new_file("x.mat");
    H5E_auto2_t before, after;
    void *self;
    size_t count;
    inco_mat m;
    add_numbers(file, "x");
    unsigned char *bytes = read_bytes(finish(file, "x.mat"), &count);
    const int kept = dup(STDERR_FILENO);
    FILE *out = tmpfile();
    assert_non_null(out);
    H5Eget_auto2(H5E_DEFAULT, &before, &self);
    fflush(stderr);
    dup2(fileno(out), STDERR_FILENO);
    int refusals = 0;
    for (size_t at = 600; at < count; at += 8) {
        memset(bytes + at, 0x55, 8);
        const int status = inco_load(write_bytes("y.mat", bytes, count), NULL, &m, NULL);
        refusals += status < 0;
        if (status >= 0) inco_mat_free(&m);
    }
    const int64_t length = printed(out);
    dup2(kept, STDERR_FILENO);
    close(kept);
    fclose(out);
    free(bytes);
    H5Eget_auto2(H5E_DEFAULT, &after, &self);
    assert_true(refusals > 10);
    assert_int_equal(length, 0);
    assert_true(before == after);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        each_test(what_is_good),
        each_test(links),
        each_test(data_of_other_files),
        each_test(groups_in_a_circle),
        each_test(cells_in_a_circle),
        each_test(many_ways_to_an_object),
        each_test(many_variables_and_cells),
        each_test(sparse_matrices_without_end),
        each_test(cells_without_end),
        each_test(large_chunks),
        each_test(data_deflated_twice),
        each_test(damage_is_not_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
/* Without the library that reads them the message names it. */
static void such_files_are_refused(void **state) {
    (void)state;
    char head[513] = "";
    inco_mat m;
    snprintf(head, sizeof head, "%-124s", "MATLAB 7.3 MAT-file");
    memcpy(head + 124, "\0\2IM", 4);
    memcpy(head + 128, "\211HDF\r\n\032\n", 8);
    FILE *out = fopen(in_folder("x.mat"), "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(head, 1, sizeof head, out), sizeof head);
    fclose(out);
#ifdef INCO_HAVE_MAT
    assert_fails(inco_load(in_folder("x.mat"), NULL, &m, &error), INCO_ENOTBUILT, "libhdf5-dev");
#else
    assert_fails(inco_load(in_folder("x.mat"), NULL, &m, &error), INCO_ENOTBUILT, "libmatio-dev");
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {each_test(such_files_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
