#ifdef INCO_HAVE_PNG
#include <png.h>
#include <string.h>

#include "base/error.h"
#include "base/limit.h"
#include "base/memory.h"
#include "io/file.h"
#include "io/image.h"

/* State that must survive a longjmp of libpng. */
typedef struct job {
    png_structp png;
    png_infop info;
    const char *path;
    char trouble[200];
    /* reading */
    const unsigned char *at;
    size_t left;
    unsigned char *pixels;
    png_bytep *rows;
    int64_t width, height, step; /* step: bytes of a pixel */
    int status;                  /* of what failed other than libpng; else 0 */
    inco_error *error;
    int64_t limit;
    /* writing */
    output *out;
} job;

static void on_error(png_structp png, png_const_charp text) {
    job *j = png_get_error_ptr(png);
    strncpy(j->trouble, text, sizeof j->trouble - 1);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text) {
    (void)png, (void)text;
}

/* ---- Reading ---- */

static void from_memory(png_structp png, png_bytep out, size_t count) {
    job *j = png_get_io_ptr(png);
    if (count > j->left) png_error(png, "it is truncated");
    memcpy(out, j->at, count);
    j->at += count;
    j->left -= count;
}

/* Converts everything to grey of 8 or 16 bits without alpha. */
static void ask_for_grey(job *j) {
    const png_byte colour = png_get_color_type(j->png, j->info);
    const uint16_t one = 1;
    png_set_expand(j->png);
    if (colour & PNG_COLOR_MASK_COLOR) png_set_rgb_to_gray_fixed(j->png, PNG_ERROR_ACTION_NONE, -1, -1);
    png_set_strip_alpha(j->png);
    if (*(const unsigned char *)&one) png_set_swap(j->png);
    png_set_interlace_handling(j->png);
    png_read_update_info(j->png, j->info);
}

/* packed: bytes of a row in the file, inflated. */
static int allocate(job *j, size_t packed, size_t length) {
    j->width = png_get_image_width(j->png, j->info);
    j->height = png_get_image_height(j->png, j->info);
    j->step = png_get_bit_depth(j->png, j->info) / 8;
    const limit_claim claim = {.path = j->path,
                               .what = "pixels",
                               .count = limit_product(j->width, j->height),
                               .size = (size_t)j->step + sizeof(float),
                               .holds = (double)length * LIMIT_DEFLATE / (double)packed * (double)j->width,
                               .limit = j->limit};
    int status = limit_check(&claim, j->error);
    if (status < 0) return status;
    j->pixels = NEW_RAW(unsigned char, j->width * j->height * j->step);
    j->rows = NEW_RAW(png_bytep, j->height);
    if (!j->pixels || !j->rows) return error_no_memory(j->error);
    for (int64_t i = 0; i < j->height; i++) j->rows[i] = j->pixels + i * j->width * j->step;
    return 0;
}

/* Returns 0, or -1 with `trouble` or `status` set. All reading by libpng is in here, below the setjmp. */
static int decode(job *j, const file_bytes *file) {
    j->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, j, on_error, on_warning);
    if (j->png) j->info = png_create_info_struct(j->png);
    if (!j->info) {
        j->status = error_no_memory(j->error);
        return -1;
    }
    if (setjmp(png_jmpbuf(j->png))) return -1;
    png_set_read_fn(j->png, j, from_memory);
    png_read_info(j->png, j->info);
    const size_t packed = png_get_rowbytes(j->png, j->info);
    ask_for_grey(j);
    j->status = allocate(j, packed, file->length);
    if (j->status < 0) return -1;
    png_read_image(j->png, j->rows);
    png_read_end(j->png, NULL);
    return 0;
}

static float grey_of(const job *j, int64_t i) {
    uint16_t wide;
    if (j->step == 1) return (float)(j->pixels[i] / 255.0);
    memcpy(&wide, j->pixels + 2 * i, sizeof wide);
    return (float)(wide / 65535.0);
}

int image_load_png(const char *path, const io_how *how, io_array *out, inco_error *error) {
    file_bytes file;
    job j = {.path = path, .error = error, .limit = how->limit};
    int status = file_read(&file, path, how->limit, error);
    if (status < 0) return status;
    j.at = file.data;
    j.left = file.length;
    if (decode(&j, &file) < 0)
        TRY(j.status < 0 ? j.status : error_set(error, INCO_EFORMAT, "%s: cannot be read as PNG: %s", path, j.trouble));
    TRY(mat_new_raw(&out->m, INCO_F32, j.width, j.height, error));
    for (int64_t i = 0; i < j.width * j.height; i++) ((float *)out->m.data)[i] = grey_of(&j, i);
done:
    png_destroy_read_struct(&j.png, &j.info, NULL);
    memory_free(j.rows);
    memory_free(j.pixels);
    file_release(&file);
    return status;
}

/* ---- Writing ---- */

static void to_output(png_structp png, png_bytep bytes, size_t count) {
    job *j = png_get_io_ptr(png);
    if (output_write(j->out, bytes, count) < 0) png_error(png, "write failed");
}

static void no_flush(png_structp png) {
    (void)png;
}

static int encode(job *j, const inco_mat *m) {
    if (setjmp(png_jmpbuf(j->png))) return -1;
    png_set_write_fn(j->png, j, to_output, no_flush);
    png_set_IHDR(j->png, j->info, (png_uint_32)m->rows, (png_uint_32)m->cols, 8, PNG_COLOR_TYPE_GRAY,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(j->png, j->info);
    for (int64_t i = 0; i < m->cols; i++) {
        image_to_bytes(mat_column(m, i), m->rows, j->pixels);
        png_write_row(j->png, j->pixels);
    }
    png_write_end(j->png, NULL);
    return 0;
}

int image_save_png(output *out, const io_array *array, const io_how *how, inco_error *error) {
    job j = {.out = out, .path = out->name};
    int status = INCO_OK;
    (void)how;
    j.pixels = NEW_RAW(unsigned char, array->m.rows);
    j.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &j, on_error, on_warning);
    if (j.png) j.info = png_create_info_struct(j.png);
    if (!j.pixels || !j.info)
        status = error_no_memory(error);
    else if (encode(&j, &array->m) < 0)
        status = error_set(error, INCO_EIO, "cannot write %s: %s", out->name, j.trouble);
    png_destroy_write_struct(&j.png, &j.info);
    memory_free(j.pixels);
    return status;
}
#else
typedef int png_not_built;
#endif
