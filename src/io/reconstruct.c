/* Reassembles decoded windows and patches: each sample or pixel is the mean of the signals that overlap there. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/limit.h"
#include "base/memory.h"
#include "base/sized.h"
#include "io/cut.h"
#include "io/io.h"
#include "io/origin.h"
#include "io/paths.h"
#include "mat/mat.h"

typedef struct canvas {
    cut cut;
    const inco_mat *signals;
    int64_t rows, cols; /* of the current file */
    int64_t first;      /* its first signal */
} canvas;

/* Reassembles one file as an array for its format: a column of samples, or one column per row of pixels. */
static int reassemble(canvas *v, io_array *out, inco_error *error) {
    const int64_t count = v->rows * v->cols, places = cut_count(&v->cut, v->rows, v->cols);
    const int image = v->cut.kind == IO_IMAGE;
    double *sum = NEW(double, count), *weight = NEW(double, count);
    int status;
    memset(out, 0, sizeof *out);
    if (!sum || !weight) TRY(error_no_memory(error));
    for (int64_t place = 0; place < places; place++) {
        int64_t row, col;
        cut_place(&v->cut, v->rows, v->cols, place, &row, &col);
        for (int64_t r = 0; r < v->cut.rows && row + r < v->rows; r++)
            for (int64_t c = 0; c < v->cut.cols; c++) {
                const int64_t at = (row + r) * v->cols + col + c;
                sum[at] += mat_get(v->signals, r * v->cut.cols + c, v->first + place);
                weight[at]++;
            }
    }
    TRY(mat_new_raw(&out->m, INCO_F32, image ? v->cols : count, image ? v->rows : 1, error));
    for (int64_t i = 0; i < count; i++) ((float *)out->m.data)[i] = (float)(weight[i] > 0 ? sum[i] / weight[i] : 0);
    v->first += places;
done:
    memory_free(sum);
    memory_free(weight);
    return status;
}

/* Reassembles the next file and writes it to `path`; messages name it `shown`. */
static int save_one(canvas *v, const io_format *format, const io_how *how, const char *path, const char *shown,
                    inco_error *error) {
    io_array array;
    output out;
    int status = reassemble(v, &array, error);
    if (status >= 0) status = output_open(&out, path, !!(format->can & IO_SEEKS), error);
    if (status >= 0) {
        out.name = shown;
        status = output_finish(&out, format->save(&out, &array, how, error), error);
    }
    inco_mat_free(&array.m);
    return status;
}

static int save_numbered(canvas *v, const char *path, const inco_origin *o, inco_error *error) {
    const char *example = o->kind == IO_AUDIO ? "0.wav" : inco_has("png") ? "0.png" : "0.pgm", *ending = example + 1;
    const io_how how = {.rate = o->rate};
    const io_format *format;
    output_folder folder;
    int clipped = 0, status = io_need(&format, example, (int)o->kind, IO_SAVES, error);
    if (status < 0) return status;
    status = output_folder_open(&folder, path, error);
    if (status < 0) return status;
    for (int64_t i = 0; status >= 0 && i < o->files; i++) {
        char name[32];
        snprintf(name, sizeof name, "%05lld%s", (long long)i, ending);
        char *file = paths_join(folder.temporary, name), *shown = paths_join(path, name);
        v->rows = o->shape[2 * i];
        v->cols = o->shape[2 * i + 1];
        status = file && shown ? save_one(v, format, &how, file, shown, error) : error_no_memory(error);
        memory_free(file);
        memory_free(shown);
        if (status == INCO_CLIPPED) clipped = 1;
    }
    return output_folder_finish(&folder, status >= 0 && clipped ? INCO_CLIPPED : status, error);
}

static int save_single(canvas *v, const char *path, const inco_origin *o, inco_error *error) {
    const io_how how = {.rate = o->rate};
    const io_format *format;
    int status = io_need(&format, path, (int)o->kind, IO_SAVES, error);
    if (status < 0) return status;
    v->rows = o->shape[0];
    v->cols = o->shape[1];
    return save_one(v, format, &how, path, path, error);
}

static int invalid_origin(inco_error *error) {
    return error_set(error, INCO_EINVAL, "the origin of the codes is invalid");
}

/* Signals cover a file, or leave gaps up to GAPS_MAX times as long as themselves: an origin that declares more is not
 * believed. */
static int check_extent(const inco_mat *signals, const inco_origin *o, inco_error *error) {
    enum { GAPS_MAX = 16 };
    int status = INCO_OK;
    for (int64_t i = 0; status >= 0 && i < o->files; i++) {
        const limit_claim claim = {.path = "the origin of the codes",
                                   .what = "samples or pixels",
                                   .count = limit_product(o->shape[2 * i], o->shape[2 * i + 1]),
                                   .size = 2 * sizeof(double) + sizeof(float),
                                   .holds = (1 + GAPS_MAX) * (double)signals->rows * (double)signals->cols,
                                   .limit = INT64_MAX};
        status = limit_check(&claim, error);
    }
    return status;
}

/* Checks that number and size of the signals match the files of the origin. */
static int check_sizes(const cut *c, const inco_mat *signals, const inco_origin *o, inco_error *error) {
    const int64_t size = limit_product(c->rows, c->cols);
    int64_t places = 0;
    if (c->rows < 1 || c->cols < 1 || c->step < 1) return invalid_origin(error);
    if (signals->rows != size)
        return error_set(error, INCO_EDIM, "signals of %lld values do not fit %s of %lld", (long long)signals->rows,
                         c->kind == IO_AUDIO ? "windows" : "patches", (long long)size);
    for (int64_t i = 0; i < o->files && places <= signals->cols; i++) {
        const int64_t rows = o->shape[2 * i], cols = o->shape[2 * i + 1];
        if (rows < 0 || cols < 0 || (c->kind == IO_AUDIO && cols != 1) ||
            (c->kind == IO_IMAGE && (rows > INT32_MAX || cols > INT32_MAX)))
            return invalid_origin(error);
        places += cut_count(c, rows, cols);
    }
    if (signals->cols != places)
        return error_set(error, INCO_EDIM, "%lld signals do not fit the files they came from, which have %s%lld",
                         (long long)signals->cols, places > signals->cols ? "at least " : "", (long long)places);
    return INCO_OK;
}

int inco_save_decoded(const char *path, const inco_mat *signals, const inco_origin *given, inco_error *error) {
    inco_origin own, *o = &own;
    int status;
    TRY(NEED(path));
    TRY(mat_need(signals, "matrix", error));
    TRY(SIZED_TAKE(inco_origin, o, given, error));
    if (o->kind != IO_AUDIO && o->kind != IO_IMAGE)
        TRY(error_set(error, INCO_EINVAL,
                      "%s: these codes do not come from consecutive windows or patches (encode with option 'hop'), so "
                      "they cannot be decoded to audio or images: write a matrix, such as .npy",
                      path));
    TRY(origin_check(o, error));
    const int audio = o->kind == IO_AUDIO;
    canvas v = {.cut = {o->kind, audio ? o->window : o->patch_rows, audio ? 1 : o->patch_cols, o->hop, 1},
                .signals = signals};
    TRY(check_sizes(&v.cut, signals, o, error));
    TRY(check_extent(signals, o, error));
    if (o->files == 1) return save_single(&v, path, o, error);
    if (!strcmp(path, "-") || io_find(path))
        TRY(error_set(error, INCO_EINVAL, "%s: the codes come from %lld files: the output must be a folder", path,
                      (long long)o->files));
    status = save_numbered(&v, path, o, error);
done:
    return status;
}
