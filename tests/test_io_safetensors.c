/* .safetensors: the four types of floats are read, invalid headers are refused with a reason. */
#define _GNU_SOURCE /* memmem */
#include "test_io.h"

#include "io/safetensors.h"

#define SKIP_WITHOUT_JSON                                                                                              \
    (void)state;                                                                                                       \
    if (!inco_has("json")) skip()

/* A file with this header and data; `declared` < 0: the length of the header as it is. */
static const char *make_declared(const char *header, int64_t declared, const void *data, size_t size) {
    unsigned char bytes[8192];
    const size_t length = strlen(header);
    const uint64_t value = declared < 0 ? length : (uint64_t)declared;
    assert_true(8 + length + size <= sizeof bytes);
    for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)(value >> 8 * i);
    memcpy(bytes + 8, header, length);
    if (size) memcpy(bytes + 8 + length, data, size);
    return write_bytes("m.safetensors", bytes, 8 + length + size);
}

static const char *make(const char *header, const void *data, size_t size) {
    return make_declared(header, -1, data, size);
}

static void refuse(const char *path, const char *variable, int code, const char *text) {
    inco_options *options = variable ? options_with("variable", variable) : NULL;
    inco_mat m;
    assert_fails(inco_load(path, options, &m, &error), code, text);
    assert_null(m.data);
    inco_options_free(options);
}

static const char ZEROS[64];

/* ---- Valid files ---- */

static void round_trip(void **state) {
    SKIP_WITHOUT_JSON;
    check_round_trip("m.safetensors", NULL);
    check_round_trip("m.safetensors", "{\"a\": \"\xC3\xA9 \\\"quoted\\\"\"}");
}

/* The name of the tensor is kept, the numbers begin at a multiple of 8 bytes. */
static void the_variable_names_the_tensor(void **state) {
    SKIP_WITHOUT_JSON;
    inco_mat m = some_matrix(INCO_F32, 7, 5), back;
    inco_options *options = options_with("variable", "W_dec");
    const char *path = in_folder("m.safetensors");
    static const char entry_text[] = "\"W_dec\":{\"dtype\":\"F32\",\"shape\":[5,7],\"data_offsets\":[0,140]}";
    size_t count;
    assert_works(inco_save(path, &m, options, "{}", &error));
    unsigned char *bytes = read_bytes(path, &count);
    assert_int_equal(bytes[0] % 8, 0);
    assert_int_equal(count, 8 + bytes[0] + 256 * bytes[1] + 35 * 4);
    assert_non_null(memmem(bytes, count, entry_text, strlen(entry_text)));
    free(bytes);
    assert_works(inco_load(path, options, &back, &error));
    assert_same(&m, &back);
    inco_mat_free(&back);
    assert_works(inco_load(path, NULL, &back, &error)); /* the only one */
    inco_mat_free(&back);
    assert_works(inco_options_set(options, "variable", "__metadata__", &error));
    assert_fails(inco_save(in_folder("n.safetensors"), &m, options, NULL, &error), INCO_EINVAL, "cannot be named");
    inco_options_free(options);
    free(m.data);
}

static void load_and_expect(const char *path, int columns, inco_type type, const double *expected) {
    inco_options *options = options_with("columns", columns ? "yes" : "no");
    inco_mat m;
    assert_works(inco_load(path, options, &m, &error));
    assert_int_equal(m.type, type);
    assert_int_equal(m.rows, columns ? 2 : 3);
    assert_int_equal(m.cols, columns ? 3 : 2);
    for (int k = 0; k < 6; k++) assert_true(entry(&m, columns ? k / 3 : k % 3, columns ? k % 3 : k / 3) == expected[k]);
    inco_mat_free(&m);
    inco_options_free(options);
}

/* Exact values, the smallest subnormal of each type among them, also if the data is not aligned. */
static void the_four_types(void **state) {
    SKIP_WITHOUT_JSON;
    static const unsigned char f16[] = {0x00, 0x3C, 0x00, 0xC0, 0x01, 0x00, 0xFF, 0x7B, 0x00, 0x80, 0x55, 0x35};
    static const unsigned char bf16[] = {0x80, 0x3F, 0x00, 0xC0, 0x01, 0x00, 0x7F, 0x7F, 0x00, 0x80, 0xAB, 0x3E};
    static const double from_f16[] = {1, -2, 0x1p-24, 65504, 0, 0x1.554p-2};
    static const double from_bf16[] = {1, -2, 0x1p-133, 0x1.fep127, 0, 0x1.56p-2};
    static const float f32[] = {1, -2, 3, 4, 5, 0.25f};
    static const double f64[] = {1, -2, 3, 4, 5, 0.1}, from_f32[] = {1, -2, 3, 4, 5, 0.25};
    const struct {
        const char *dtype;
        const void *data;
        size_t size;
        inco_type type;
        const double *expected;
    } cases[] = {{"F16", f16, 12, INCO_F32, from_f16},
                 {"BF16", bf16, 12, INCO_F32, from_bf16},
                 {"F32", f32, 24, INCO_F32, from_f32},
                 {"F64", f64, 48, INCO_F64, f64}};
    for (int i = 0; i < 4; i++)
        for (int padding = 0; padding < 8; padding++)
            for (int columns = 0; columns < 2; columns++) {
                char header[200];
                snprintf(header, sizeof header,
                         "{\"x\":{\"dtype\":\"%s\",\"shape\":[2,3],\"data_offsets\":[0,%zu]}}%*s", cases[i].dtype,
                         cases[i].size, padding, "");
                load_and_expect(make(header, cases[i].data, cases[i].size), columns, cases[i].type, cases[i].expected);
            }
}

/* Tensors in any order of the header, scalars and empty ones, types that inco does not read, unknown members. */
static const char *const DECODER = "{\"__metadata__\":{\"format\":\"pt\"},"
                                   "\"W_enc\":{\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[20,36],\"more\":[]},"
                                   "\"W_dec\":{\"shape\":[2,2],\"dtype\":\"F32\",\"data_offsets\":[4,20]},"
                                   "\"step\":{\"dtype\":\"I32\",\"shape\":[],\"data_offsets\":[0,4]},"
                                   "\"none\":{\"dtype\":\"F16\",\"shape\":[0,7],\"data_offsets\":[36,36]},"
                                   "\"b\":{\"dtype\":\"BF16\",\"shape\":[2],\"data_offsets\":[36,40]},"
                                   "\"cube\":{\"dtype\":\"U8\",\"shape\":[1,2,3],\"data_offsets\":[40,46]},"
                                   "\"odd\":{\"dtype\":\"F4\",\"shape\":[4],\"data_offsets\":[46,48]}}";

static void a_tensor_is_chosen_by_name(void **state) {
    SKIP_WITHOUT_JSON;
    const float data[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    const char *path = make(DECODER, data, sizeof data);
    inco_options *options = options_with("variable", "W_dec");
    inco_mat m;
    assert_works(inco_load(path, options, &m, &error));
    assert_true(entry(&m, 0, 0) == 1 && entry(&m, 1, 0) == 2 && entry(&m, 0, 1) == 3 && entry(&m, 1, 1) == 4);
    inco_mat_free(&m);
    inco_options_free(options);
    refuse(
        path, NULL, INCO_EFORMAT,
        "several matrices: name one by option 'variable'; it holds: W_dec F32 (2, 2), W_enc F32 (2, 2), none F16 (0, "
        "7), step I32 0-d, b BF16 1-d, cube U8 3-d, odd F4 1-d");
    refuse(path, "W", INCO_EFORMAT, "there is no tensor 'W'; it holds: W_dec F32 (2, 2)");
    refuse(path, "b", INCO_EFORMAT, "the tensor 'b' has 1 dimensions");
    refuse(path, "cube", INCO_EFORMAT, "items of type U8; only F64, F32, F16 and BF16");
    refuse(path, "odd", INCO_EFORMAT, "items of type F4");
    refuse(path, "none", INCO_EDATA, "its shape is (0, 7)");
}

static void a_long_list_is_cut(void **state) {
    SKIP_WITHOUT_JSON;
    char header[8000] = "{";
    for (int i = 0; i < 90; i++)
        sprintf(header + strlen(header), "%s\"layer.%d\":{\"dtype\":\"F16\",\"shape\":[0,8],\"data_offsets\":[0,0]}",
                i ? "," : "", i);
    strcat(header, "}");
    refuse(make(header, "", 0), NULL, INCO_EFORMAT, " more");
    refuse(make("{}", "", 0), NULL, INCO_EFORMAT, "there is no matrix of floats; it holds: nothing");
}

/* ---- Invalid files ---- */

#define X(members) "{\"x\":{" members "}}"

static void hostile_headers(void **state) {
    SKIP_WITHOUT_JSON;
    static const struct {
        const char *header, *text;
    } cases[] = {
        {"", "its header is not a JSON object"},
        {" {}", "its header is not a JSON object"},
        {"[1]", "its header is not a JSON object"},
        {"{\"x\":", "its header is not JSON"},
        {"{} {}", "its header is not JSON"},
        {"{\"\xFF\":1}", "its header is not JSON"},
        {"{\"x\":{\"dtype\":\"F32\",\"dtype\":\"F32\",\"shape\":[1,1],\"data_offsets\":[0,4]}}", "duplicate"},
        {"{\"x\":1}", "the tensor 'x' has no dtype"},
        {"{\"\\u001b[2J\":1}", "the tensor '?[2J' has no dtype"},
        {"{\"x\":[[[1]]]}", "nested too deeply"},
        {"{\"__metadata__\":{\"a\":1}}", "__metadata__ is not an object of strings"},
        {"{\"__metadata__\":\"a\"}", "__metadata__ is not an object of strings"},
        {X("\"dtype\":4,\"shape\":[1,1],\"data_offsets\":[0,4]"), "no dtype"},
        {X("\"dtype\":\"F32\",\"data_offsets\":[0,4]"), "no valid shape"},
        {X("\"dtype\":\"F32\",\"shape\":[-1,1],\"data_offsets\":[0,4]"), "no valid shape"},
        {X("\"dtype\":\"F32\",\"shape\":[1.5,1],\"data_offsets\":[0,4]"), "no valid shape"},
        {X("\"dtype\":\"F32\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,4]"), "no valid shape"},
        {X("\"dtype\":\"F32\",\"shape\":[99999999999999999999,1],\"data_offsets\":[0,4]"), "not JSON"},
        {X("\"dtype\":\"F64\",\"shape\":[2305843009213693952,1],\"data_offsets\":[0,0]"), "does not match"},
        {X("\"dtype\":\"F32\",\"shape\":[1,1]"), "no valid data_offsets"},
        {X("\"dtype\":\"F32\",\"shape\":[1,1],\"data_offsets\":[0]"), "no valid data_offsets"},
        {X("\"dtype\":\"F32\",\"shape\":[1,1],\"data_offsets\":[0,4,8]"), "no valid data_offsets"},
        {X("\"dtype\":\"F32\",\"shape\":[1,1],\"data_offsets\":[-4,0]"), "no valid data_offsets"},
        {X("\"dtype\":\"F32\",\"shape\":[1,1],\"data_offsets\":[8,4]"), "no valid data_offsets"},
        {X("\"dtype\":\"F32\",\"shape\":[1,1],\"data_offsets\":[0,8]"), "does not match"},
        {X("\"dtype\":\"F32\",\"shape\":[8,3],\"data_offsets\":[0,96]"), "ends after the end of the file"},
        {X("\"dtype\":\"F32\",\"shape\":[1,1],\"data_offsets\":[9223372036854775803,9223372036854775807]"),
         "ends after"},
        {X("\"dtype\":\"F32\",\"shape\":[8,1],\"data_offsets\":[32,64]"), "begins after bytes of no tensor"},
        {X("\"dtype\":\"F32\",\"shape\":[8,1],\"data_offsets\":[0,32]"), "bytes of no tensor at its end"},
        {"{\"x\":{\"dtype\":\"F32\",\"shape\":[8,1],\"data_offsets\":[0,32]},"
         "\"y\":{\"dtype\":\"F32\",\"shape\":[9,1],\"data_offsets\":[28,64]}}",
         "the tensor 'y' overlaps another"},
        {"{\"x\":{\"dtype\":\"F32\",\"shape\":[16,1],\"data_offsets\":[0,64]},"
         "\"y\":{\"dtype\":\"F32\",\"shape\":[16,1],\"data_offsets\":[0,64]}}",
         "overlaps another"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refuse(make(cases[i].header, ZEROS, sizeof ZEROS), NULL, INCO_EFORMAT, cases[i].text);
}

static void declared_lengths(void **state) {
    SKIP_WITHOUT_JSON;
    refuse(make_declared("{}", INT64_MAX, "", 0), NULL, INCO_EFORMAT, "more than 100 MB");
    refuse(make_declared("{}", 100000001, "", 0), NULL, INCO_EFORMAT, "more than 100 MB");
    refuse(make_declared("{}", 100000000, "", 0), NULL, INCO_EFORMAT, "truncated within the header");
    refuse(make_declared("{}", 3, "", 0), NULL, INCO_EFORMAT, "truncated within the header");
    refuse(write_text("m.safetensors", "1234567"), NULL, INCO_EFORMAT, "fewer than 8 bytes");
}

/* A parser of two million empty lists would allocate a hundred times the size of the header. */
static void a_header_of_very_many_values(void **state) {
    SKIP_WITHOUT_JSON;
    const size_t count = 1100000, length = 8 + 5 + 3 * count + 2;
    unsigned char *bytes = malloc(length + 1);
    assert_non_null(bytes);
    for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)((length - 8) >> 8 * i);
    strcpy((char *)bytes + 8, "{\"x\":[");
    size_t at = 8 + 6;
    for (size_t i = 0; i < count - 1; i++, at += 3) memcpy(bytes + at, "[],", 3);
    while (at < length) bytes[at++] = ' ';
    refuse(write_bytes("m.safetensors", bytes, length), NULL, INCO_EFORMAT, "more than a million values");
    free(bytes);
}

#ifdef INCO_HAVE_JSON
/* Every file that is cut short, and every one with a changed byte of the header, is refused or read within its memory:
 * run with the address sanitizer. */
static void every_truncation_and_change(void **state) {
    (void)state;
    const float data[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    size_t count;
    unsigned char *bytes = read_bytes(make(DECODER, data, sizeof data), &count);
    const io_how how = {.variable = "W_dec", .limit = INT64_MAX};
    for (size_t length = 0; length < count; length++) {
        file_bytes file = {0};
        inco_mat m;
        unsigned char *copy = file_block(&file, length);
        assert_non_null(copy);
        memcpy(copy, bytes, length);
        assert_int_equal(safetensors_matrix(&file, "x", &how, &m, NULL), INCO_EFORMAT);
        file_release(&file);
    }
    for (size_t at = 0; at < 8 + strlen(DECODER); at++) {
        file_bytes file = {0};
        inco_mat m;
        unsigned char *copy = file_block(&file, count);
        assert_non_null(copy);
        memcpy(copy, bytes, count);
        copy[at] ^= (unsigned char)(1 << at % 7);
        const int status = safetensors_matrix(&file, "x", &how, &m, NULL);
        assert_true(status == INCO_OK || status == INCO_EFORMAT || status == INCO_EDATA);
        inco_mat_free(&m);
        file_release(&file);
    }
    free(bytes);
}
#endif

static void nan_has_a_place(void **state) {
    SKIP_WITHOUT_JSON;
    static const unsigned char bf16[] = {0x80, 0x3F, 0xC0, 0x7F};
    refuse(make(X("\"dtype\":\"BF16\",\"shape\":[1,2],\"data_offsets\":[0,4]"), bf16, 4), NULL, INCO_EDATA,
           "NaN at row 0, column 1 (counted from 0)");
}

static void builds_without_jansson_say_so(void **state) {
    (void)state;
    if (inco_has("json")) skip();
    refuse(write_text("m.safetensors", "12345678{}"), NULL, INCO_ENOTBUILT, "jansson");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        each_test(round_trip),
        each_test(the_variable_names_the_tensor),
        each_test(the_four_types),
        each_test(a_tensor_is_chosen_by_name),
        each_test(a_long_list_is_cut),
        each_test(hostile_headers),
        each_test(declared_lengths),
        each_test(a_header_of_very_many_values),
#ifdef INCO_HAVE_JSON
        each_test(every_truncation_and_change),
#endif
        each_test(nan_has_a_place),
        each_test(builds_without_jansson_say_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
