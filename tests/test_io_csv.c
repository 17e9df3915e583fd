/* Text files of numbers. */
#include "test_io.h"

#include <locale.h>

#include "io/csv.h"

static void expect(const char *path, int64_t rows, int64_t cols, const double *expected) {
    inco_mat m;
    assert_works(inco_load(path, NULL, &m, &error));
    assert_int_equal(m.type, INCO_F64);
    assert_int_equal(m.cols, rows);
    assert_int_equal(m.rows, cols);
    for (int64_t k = 0; k < rows * cols; k++) assert_true(((double *)m.data)[k] == expected[k]);
    inco_mat_free(&m);
}

static const double six[] = {1, 2.5, -3e2, 4, 5, 0.125};

static void what_is_read(void **state) {
    (void)state;
    static const char *const texts[] = {
        "1,2.5,-3e2\n4,5,.125\n",
        "1,2.5,-3e2\r\n4,5,.125\r\n",
        "1,2.5,-3e2\n4,5,.125",
        "\xEF\xBB\xBF\x61,b,c\n1,2.5,-3e2\n4,5,.125\n",
        "# a comment\n\n 1 , 2.5 , -3e2 \n   \n# another\n4,5,.125\n\n",
        "first name,\"second\",third\n1,\"2.5\",-3e2\n4,5,.125\n",
        "1;2.5;-3e2\n4;5;.125\n",
        "1 2.5  -3e2\n 4 5 .125 \n",
        "1\t2.5\t-3e2\n4\t5\t.125\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        expect(write_text("x.csv", texts[i]), 2, 3, six);
        expect(write_text("x.tsv", texts[i]), 2, 3, six);
    }
    expect(write_text("x.CSV", texts[0]), 2, 3, six);
    expect(write_text("x.csv", "1\n2.5\n-300\n"), 3, 1, six);
}

static void round_trip(void **state) {
    (void)state;
    static const char *const names[] = {"m.csv", "m.tsv"};
    for (int type = INCO_F32; type <= (int)INCO_F64; type += 4)
        for (int i = 0; i < 4; i++) {
            inco_mat m = some_matrix((inco_type)type, 6, 4), back;
            inco_options *options = options_with("columns", i & 2 ? "yes" : "no");
            if (type == INCO_F32)
                ((float *)m.data)[3] = 0.1f;
            else
                ((double *)m.data)[3] = 0.1;
            assert_works(inco_save(in_folder(names[i & 1]), &m, options, NULL, &error));
            assert_works(inco_load(in_folder(names[i & 1]), options, &back, &error));
            assert_same(&m, &back);
            inco_mat_free(&back);
            inco_options_free(options);
            free(m.data);
        }
}

static void columns_are_turned(void **state) {
    (void)state;
    inco_mat m;
    inco_options *options = options_with("columns", "yes");
    assert_works(inco_load(write_text("x.csv", "1,2,3\n4,5,6\n"), options, &m, &error));
    assert_int_equal(m.rows, 2);
    assert_int_equal(m.cols, 3);
    assert_true(entry(&m, 1, 0) == 4);
    inco_mat_free(&m);
    inco_options_free(options);
}

static void errors_have_a_place(void **state) {
    (void)state;
    static const struct one {
        const char *text;
        int code;
        const char *message;
    } cases[] = {
        {"1,2\n3,x4\n", INCO_EFORMAT, "'x4' is not a number at row 1, column 1 (counted from 0; line 2 of the file)"},
        {"a,b\n# c\n1,2\n3,4 5\n", INCO_EFORMAT, "'4 5' is not a number at row 1, column 1 (counted from 0; line 4"},
        {"1,two\n3,4\n", INCO_EFORMAT, "'two' is not a number at row 0, column 1"},
        {"1,2\n3,\n", INCO_EFORMAT, "an empty field instead of a number at row 1, column 1"},
        {"1,2\n3\n", INCO_EFORMAT, "row 1 (counted from 0; line 2 of the file) has 1 numbers, the rows before have 2"},
        {"1,2\n3,4,5\n", INCO_EFORMAT, "has 3 numbers, the rows before"},
        {"1,2\n3,nan\n", INCO_EDATA, "NaN at row 1, column 1 (counted from 0)"},
        {"1,-inf\n3,4\n", INCO_EDATA, "Inf at row 0, column 1 (counted from 0)"},
        {"1,1e999\n", INCO_EDATA, "Inf at row 0, column 1"},
        {"a,b,c\n", INCO_EFORMAT, "holds no numbers"},
        {"# only this\n\n", INCO_EFORMAT, "holds no numbers"},
        {"1,5;2,5\n", INCO_EFORMAT, "'5;2' is not a number"},
        {"\x01\x02\x03,1\n", INCO_EFORMAT, "'??\?' is not a number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        inco_mat m;
        const char *path = write_text("bad.csv", cases[i].text);
        assert_fails(inco_load(path, NULL, &m, &error), cases[i].code, cases[i].message);
        assert_fails(inco_load(path, NULL, &m, &error), cases[i].code, "bad.csv");
    }
    inco_mat m;
    assert_fails(inco_load(write_text("empty.csv", ""), NULL, &m, &error), INCO_EFORMAT, "empty.csv is empty");
}

/* Text in memory need not be null-terminated, and may contain zero bytes. */
static void text_without_an_end(void **state) {
    (void)state;
    const char text[] = "1,2\n3,45";
    for (size_t length = 1; length < sizeof text; length++) {
        char *exact = malloc(length);
        inco_mat m = {0};
        memcpy(exact, text, length);
        int status = csv_parse(exact, length, "x", &(csv_how){",", INT64_MAX}, &m, NULL);
        int whole = length == 1 || length == 3 || length == 4 || length >= 7;
        assert_int_equal(status, whole ? INCO_OK : INCO_EFORMAT);
        inco_mat_free(&m);
        free(exact);
    }
    inco_mat m;
    assert_fails(csv_parse("1\0,2\n", 5, "x", &(csv_how){",", INT64_MAX}, &m, &error), INCO_EFORMAT, "is not a number");
}

/* Sets a locale that writes 0,5: an installed one, or one built here. */
static int use_decimal_commas(void) {
    static const char *const locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "sv_SE.UTF-8", "inco.UTF-8"};
    char command[256], half[8];
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/inco.UTF-8 2>/dev/null", test_folder);
    for (int i = 0; i < 4; i++) {
        if (i == 3 && (system(command) != 0 || setenv("LOCPATH", test_folder, 1) != 0)) return 0;
        if (!setlocale(LC_NUMERIC, locales[i])) continue;
        snprintf(half, sizeof half, "%.1f", 0.5);
        if (!strcmp(half, "0,5")) return 1;
    }
    return 0;
}

static void decimal_commas_do_not_matter(void **state) {
    (void)state;
    char half[8];
    if (!use_decimal_commas()) {
        print_message("no locale with a decimal comma can be had\n");
        skip();
    }
    inco_mat m = some_matrix(INCO_F64, 3, 2), back;
    expect(write_text("x.csv", "1,2.5,-3e2\n4,5,.125\n"), 2, 3, six);
    assert_works(inco_save(in_folder("m.csv"), &m, NULL, NULL, &error));
    assert_works(inco_load(in_folder("m.csv"), NULL, &back, &error));
    assert_same(&m, &back);
    snprintf(half, sizeof half, "%.1f", 0.5);
    assert_string_equal(half, "0,5"); /* the program's locale is unchanged */
    setlocale(LC_NUMERIC, "C");
    inco_mat_free(&back);
    free(m.data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        each_test(what_is_read),        each_test(round_trip),          each_test(columns_are_turned),
        each_test(errors_have_a_place), each_test(text_without_an_end), each_test(decimal_commas_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
