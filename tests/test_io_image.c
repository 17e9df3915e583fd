/* Images: .pgm by inco's own code, .png through libpng. */
#include "test_io.h"

#include "io/image.h"
#ifdef INCO_HAVE_PNG
#include <png.h>
#endif

/* All pixels of an image, as one patch. */
static int load(const char *path, const char *patch, inco_mat *m, inco_error *error) {
    inco_options *options = inco_options_new();
    inco_data *data = NULL;
    int status = inco_options_set(options, "patch", patch, error);
    if (!status) status = inco_data_open(&data, &path, 1, options, error);
    if (!status) {
        const inco_source all = test_source(data), *s = &all;
        status = inco_mat_new(m, s->type, s->dim, s->count, error);
        if (!status) status = s->read(s->self, 0, s->count, m->data, error);
    }
    inco_data_free(data);
    inco_options_free(options);
    return status;
}

static void expect(const char *path, const double *grey, double tolerance) {
    inco_mat m;
    assert_works(load(path, "2x3", &m, &error));
    assert_int_equal(m.type, INCO_F32);
    assert_int_equal(m.rows, 6);
    assert_int_equal(m.cols, 1);
    for (int i = 0; i < 6; i++)
        if (!(entry(&m, i, 0) - grey[i] <= tolerance && grey[i] - entry(&m, i, 0) <= tolerance))
            fail_msg("pixel %d: %g, not %g", i, entry(&m, i, 0), grey[i]);
    inco_mat_free(&m);
}

static const double ramp[] = {0, 51 / 255., 102 / 255., 153 / 255., 204 / 255., 1};

/* ---- PGM ---- */

static void pgm(void **state) {
    (void)state;
    expect(write_bytes("a.pgm", "P5\n3 2\n255\n\x00\x33\x66\x99\xCC\xFF", 17), ramp, 1e-7);
    expect(write_bytes("a.pgm", "P5 # c\n# 9 9\n3\t2 255\n\x00\x33\x66\x99\xCC\xFF", 27), ramp, 1e-7);
    expect(write_bytes("a.pgm", "P5\n3 2\n65535\n\0\0\x33\x33\x66\x66\x99\x99\xCC\xCC\xFF\xFF", 25), ramp, 1e-7);
    expect(write_text("a.pgm", "P2\n3 2\n255\n0 51 102\n153 204 255\n"), ramp, 1e-7);
    expect(write_text("a.pgm", "P2 3 2 5 0 1 2 # more\n3 4\n5"), ramp, 1e-7);
    expect(write_bytes("a.pgm", "P5\n3 2\n5\n\0\1\2\3\4\5", 15), ramp, 1e-7);
}

static void bad_pgm(void **state) {
    (void)state;
    static const struct one {
        const char *text, *message;
    } cases[] = {
        {"P6\n1 1\n255\nabc", "not a grey PGM image"},
        {"P", "not a grey PGM image"},
        {"P5", "not a grey PGM image"},
        {"P5\n", "invalid PGM header"},
        {"P5\n3", "invalid PGM header"},
        {"P5\n3 2\n", "invalid PGM header"},
        {"P5\n3 2\n0\n", "invalid PGM header"},
        {"P5\n3 2\n65536\n", "invalid PGM header"},
        {"P5\n-3 2\n255\n", "invalid PGM header"},
        {"P5\n99999999999 2\n255\n", "invalid PGM header"},
        {"P5\n3 2\n255\nabcde", "truncated: fewer pixels than 2 x 3"},
        {"P5\n999999 999999\n255\nabcde", "truncated"},
        {"P2\n3 2\n255\n1 2 3 4 5", "truncated"},
        {"P2\n3 2\n255\n1 2 3 4 5 256", "no grey value from 0 to 255 at row 1, column 2 (counted from 0)"},
        {"P2\n3 2\n255\n1 2 x 4 5 6", "no grey value from 0 to 255 at row 0, column 2 (counted from 0)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        inco_mat m;
        const size_t length = strlen(cases[i].text);
        unsigned char *exact = malloc(length); /* guarded at its end under ASan */
        memcpy(exact, cases[i].text, length);
        assert_fails(pgm_parse(exact, length, "x", INT64_MAX, &m, &error), INCO_EFORMAT, cases[i].message);
        free(exact);
        assert_fails(load(write_text("bad.pgm", cases[i].text), "2x3", &m, &error), INCO_EFORMAT, "bad.pgm");
    }
    inco_mat m;
    assert_fails(load(write_text("empty.pgm", ""), "2x3", &m, &error), INCO_EFORMAT, "empty.pgm is empty");
}

static void grey_becomes_bytes(void **state) {
    (void)state;
    const float grey[] = {0, 1, 0.5f, -3, 7, 1 / 255.f, 254.4f / 255, (float)__builtin_nan("")};
    const unsigned char expected[] = {0, 255, 128, 0, 255, 1, 254, 0};
    unsigned char bytes[8];
    image_to_bytes(grey, 8, bytes);
    assert_memory_equal(bytes, expected, 8);
}

/* ---- PNG ---- */

#ifdef INCO_HAVE_PNG
static const char *make_png(const char *name, int colour, int depth, int interlace, const unsigned char *rows[2]) {
    const char *path = in_folder(name);
    FILE *file = fopen(path, "wb");
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    const png_color palette[] = {{0, 0, 0},       {51, 51, 51},    {102, 102, 102},
                                 {153, 153, 153}, {204, 204, 204}, {255, 255, 255}};
    assert_non_null(file);
    if (setjmp(png_jmpbuf(png))) fail();
    png_init_io(png, file);
    png_set_IHDR(png, info, 3, 2, depth, colour, interlace, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (colour == PNG_COLOR_TYPE_PALETTE) png_set_PLTE(png, info, palette, 6);
    png_set_rows(png, info, (png_bytepp)rows);
    png_write_png(png, info, PNG_TRANSFORM_IDENTITY, NULL);
    png_destroy_write_struct(&png, &info);
    fclose(file);
    return path;
}

static void png_kinds(void **state) {
    (void)state;
    const unsigned char grey[2][3] = {{0, 51, 102}, {153, 204, 255}};
    const unsigned char wide[2][6] = {{0, 0, 51, 51, 102, 102}, {153, 153, 204, 204, 255, 255}};
    const unsigned char alpha[2][6] = {{0, 9, 51, 9, 102, 0}, {153, 255, 204, 9, 255, 1}};
    const unsigned char rgb[2][9] = {{0, 0, 0, 51, 51, 51, 102, 102, 102},
                                     {153, 153, 153, 204, 204, 204, 255, 255, 255}};
    const unsigned char index[2][3] = {{0, 1, 2}, {3, 4, 5}};
    const unsigned char bits[2][1] = {{0x40}, {0xA0}}; /* 010, 101 */
    const double black_white[] = {0, 1, 0, 1, 0, 1};
    for (int interlace = PNG_INTERLACE_NONE; interlace <= PNG_INTERLACE_ADAM7; interlace++) {
        expect(make_png("a.png", PNG_COLOR_TYPE_GRAY, 8, interlace, (const unsigned char *[]){grey[0], grey[1]}), ramp,
               1e-7);
        expect(make_png("a.png", PNG_COLOR_TYPE_GRAY, 16, interlace, (const unsigned char *[]){wide[0], wide[1]}), ramp,
               1e-7);
        expect(
            make_png("a.png", PNG_COLOR_TYPE_GRAY_ALPHA, 8, interlace, (const unsigned char *[]){alpha[0], alpha[1]}),
            ramp, 1e-7);
        expect(make_png("a.png", PNG_COLOR_TYPE_RGB, 8, interlace, (const unsigned char *[]){rgb[0], rgb[1]}), ramp,
               1e-7);
        expect(make_png("a.png", PNG_COLOR_TYPE_PALETTE, 8, interlace, (const unsigned char *[]){index[0], index[1]}),
               ramp, 1e-7);
        expect(make_png("a.png", PNG_COLOR_TYPE_GRAY, 1, interlace, (const unsigned char *[]){bits[0], bits[1]}),
               black_white, 1e-7);
    }
}

/* The weights of red, green and blue are libpng's (ITU-R BT.709), which truncates the sum to a whole grey level. */
static void colours_become_grey(void **state) {
    (void)state;
    const unsigned char rgb[2][9] = {{255, 0, 0, 0, 255, 0, 0, 0, 255}, {255, 255, 0, 0, 255, 255, 0, 0, 0}};
    const double expected[] = {0.2126, 0.7152, 0.0722, 0.9278, 0.7874, 0};
    expect(make_png("a.png", PNG_COLOR_TYPE_RGB, 8, 0, (const unsigned char *[]){rgb[0], rgb[1]}), expected, 1 / 255.);
}

static void bad_png(void **state) {
    (void)state;
    const unsigned char grey[2][3] = {{0, 51, 102}, {153, 204, 255}};
    const char *path = make_png("a.png", PNG_COLOR_TYPE_GRAY, 8, 0, (const unsigned char *[]){grey[0], grey[1]});
    size_t count;
    unsigned char *bytes = read_bytes(path, &count);
    inco_mat m;
    for (size_t length = 1; length < count; length++)
        assert_fails(load(write_bytes("bad.png", bytes, length), "2x3", &m, &error), INCO_EFORMAT,
                     "bad.png: cannot be read as PNG: ");
    /* 1000000 x 1000000 pixels with a valid checksum in 70 bytes: refused before memory is allocated */
    const unsigned char huge[] = {0, 0x0F, 0x42, 0x40, 0, 0x0F, 0x42, 0x40};
    memcpy(bytes + 16, huge, sizeof huge);
    png_uint_32 crc = 0xFFFFFFFF;
    for (int i = 12; i < 29; i++) {
        crc ^= bytes[i];
        for (int k = 0; k < 8; k++) crc = crc & 1 ? 0xEDB88320u ^ crc >> 1 : crc >> 1;
    }
    crc ^= 0xFFFFFFFF;
    for (int i = 0; i < 4; i++) bytes[29 + i] = (unsigned char)(crc >> (24 - 8 * i));
    assert_fails(load(write_bytes("bad.png", bytes, count), "2x3", &m, &error), INCO_EFORMAT,
                 "declares 1000000000000 pixels, more than it can hold");
    assert_fails(load(write_text("bad.png", "GIF89a"), "2x3", &m, &error), INCO_EFORMAT, "cannot be read as PNG");
    free(bytes);
}
#else
static void png_is_not_built(void **state) {
    (void)state;
    inco_mat m;
    assert_fails(load(write_text("a.png", "x"), "2x3", &m, &error), INCO_ENOTBUILT, "libpng-dev");
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        each_test(pgm),
        each_test(bad_pgm),
        each_test(grey_becomes_bytes),
#ifdef INCO_HAVE_PNG
        each_test(png_kinds),
        each_test(colours_become_grey),
        each_test(bad_png),
#else
        each_test(png_is_not_built),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
