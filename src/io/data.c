/* Signals from files: matrices unchanged, audio and images cut into windows and patches when they are read, so that
 * overlapping ones take no memory. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/common.h"
#include "base/error.h"
#include "base/handle.h"
#include "base/limit.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/range.h"
#include "base/rng.h"
#include "base/sized.h"
#include "io/cut.h"
#include "io/io.h"
#include "io/io_options.h"
#include "io/origin.h"
#include "io/paths.h"
#include "io/rows.h"
#include "io/store.h"
#include "mat/mat.h"

typedef struct data_file {
    io_array array; /* without data if the signals stay in the file, or in the store */
    io_rows rows;
    int64_t offset; /* in the store */
    int measured;   /* only its size and rate are known; audio is decoded once a window of it is drawn */
    int64_t first;  /* number of signals in the files before */
} data_file;

static const char kind[] = "data";

struct inco_data {
    path_list paths;
    data_file *files; /* one per path */
    cut cut;          /* matrices: one signal per column */
    int64_t places;   /* number of signals in all files */
    int64_t *pick;    /* the position of each signal, or NULL: all in order */
    store store;      /* decoded audio and images */
    int stored;       /* the store is in use */
    double *weights;  /* per place; NULL: none are given */
    uint64_t *mask;   /* per place and value, one bit: whether it is observed; NULL: no mask is given */
    int gaps;         /* some entries may be missing: NaN is not refused here */
    inco_source source;
};

/* ---- Reading signals ---- */

static const data_file *file_of(const inco_data *d, int64_t place) {
    int64_t low = 0, high = d->paths.count - 1;
    while (low < high) {
        int64_t middle = (low + high + 1) / 2;
        if (d->files[middle].first <= place)
            low = middle;
        else
            high = middle - 1;
    }
    return &d->files[low];
}

static const char advice[] = ", unless they mark missing entries: option 'missing' = 'nan'";

/* Reads `count` columns of a matrix, from memory or from its file. */
static int read_columns(const inco_data *d, const data_file *file, int64_t first, int64_t count, void *out,
                        inco_error *error) {
    const inco_mat *m = &file->array.m, to = mat_view(d->source.type, m->rows, count, out);
    io_array part = {m->data ? mat_columns(m, first, count) : to, 0, file->array.columns};
    int status = INCO_OK;
    if (!m->data && m->type != to.type) TRY(mat_new_raw(&part.m, m->type, m->rows, count, error));
    if (!m->data) TRY(rows_read(&file->rows, first, count, part.m.data, error));
    if (!d->gaps) TRY(io_check_finite(d->paths.path[file - d->files], &part, first, advice, error));
    if (part.m.data != out) mat_copy(&to, &part.m);
done:
    if (part.m.owner) inco_mat_free(&part.m);
    return status;
}

enum { PIECE = 512 }; /* values of audio and images copied at a time */

/* Copies values of a decoded file to out[at], in the type of the source. */
static int put(const inco_data *d, const data_file *file, int64_t first, int64_t count, void *out, int64_t at,
               inco_error *error) {
    float piece[PIECE];
    int status = INCO_OK;
    for (int64_t n = 0, some; status >= 0 && n < count; n += some) {
        some = range_min(count - n, PIECE);
        status = store_copy(&d->store, &file->array.m, file->offset, first + n, some, piece, error);
        const inco_mat from = mat_view(INCO_F32, some, 1, piece);
        const inco_mat to = mat_view(d->source.type, some, 1, (char *)out + (size_t)(at + n) * d->source.type);
        mat_copy(&to, &from);
    }
    return status;
}

static int read_window(const inco_data *d, const data_file *file, int64_t place, void *out, inco_error *error) {
    const int64_t rows = file->array.m.rows;
    int64_t start, none;
    cut_place(&d->cut, rows, 1, place, &start, &none);
    const int64_t there = range_min(rows - start, d->cut.rows);
    memset((char *)out + (size_t)there * d->source.type, 0, (size_t)(d->cut.rows - there) * d->source.type);
    return put(d, file, start, there, out, 0, error);
}

static int read_patch(const inco_data *d, const data_file *file, int64_t place, void *out, inco_error *error) {
    const inco_mat *m = &file->array.m;
    int64_t row, col;
    int status = INCO_OK;
    cut_place(&d->cut, m->cols, m->rows, place, &row, &col);
    for (int64_t r = 0; status >= 0 && r < d->cut.rows; r++)
        status = put(d, file, (row + r) * m->rows + col, d->cut.cols, out, r * d->cut.cols, error);
    return status;
}

static int64_t place_of(const inco_data *d, int64_t n) {
    return d->pick ? d->pick[n] : n;
}

/* Columns of a matrix that are neighbours in its file are read together. */
static int read_signals(void *self, int64_t first, int64_t count, void *out, inco_error *error) {
    const inco_data *d = self;
    int status = handle_need(d, kind, error); /* the data may have been freed before the source */
    if (status < 0) return status;
    const size_t size = (size_t)d->source.dim * d->source.type;
    for (int64_t n = 0, run = 1; status >= 0 && n < count; n += run) {
        const int64_t place = place_of(d, first + n);
        const data_file *file = file_of(d, place);
        void *to = (char *)out + (size_t)n * size;
        if (d->cut.kind == IO_AUDIO) status = read_window(d, file, place - file->first, to, error);
        if (d->cut.kind == IO_IMAGE) status = read_patch(d, file, place - file->first, to, error);
        if (d->cut.kind != IO_MATRIX) continue;
        const int64_t left = range_min(count - n, file->first + file->array.m.cols - place);
        for (run = 1; run < left && place_of(d, first + n + run) == place + run;) run++;
        status = read_columns(d, file, place - file->first, run, to, error);
    }
    return status;
}

static int read_weights(void *self, int64_t first, int64_t count, double *out, inco_error *error) {
    const inco_data *d = self;
    int status = handle_need(d, kind, error);
    for (int64_t n = 0; status >= 0 && n < count; n++) out[n] = d->weights[place_of(d, first + n)];
    return status;
}

enum { WORD = 64 };

static int read_mask(void *self, int64_t first, int64_t count, unsigned char *out, inco_error *error) {
    const inco_data *d = self;
    const int64_t dim = d->source.dim;
    int status = handle_need(d, kind, error);
    for (int64_t n = 0; status >= 0 && n < count; n++)
        for (int64_t i = 0, bit = place_of(d, first + n) * dim; i < dim; i++, bit++)
            *out++ = d->mask[bit / WORD] >> bit % WORD & 1;
    return status;
}

/* ---- Opening: kinds and options ---- */

static int known_name(const char *path) {
    return io_find(path) != NULL;
}

static int find_kind(inco_data *d, inco_error *error) {
    const io_format *first = NULL, *format;
    for (int64_t i = 0; i < d->paths.count; i++) {
        int status = io_need(&format, d->paths.path[i], -1, IO_LOADS, error);
        if (status < 0) return status;
        if (first && format->kind != first->kind)
            return error_set(error, INCO_EINVAL, "%s is %s, but %s is %s: all inputs must be of the same kind",
                             d->paths.path[0], io_kind_phrase(first->kind), d->paths.path[i],
                             io_kind_phrase(format->kind));
        if (!first) first = format;
    }
    d->cut.kind = first->kind;
    return INCO_OK;
}

/* Options of another kind of data are refused, not ignored. */
static int check_options(const inco_data *d, const inco_options *o, inco_error *error) {
    static const struct rule {
        const char *option;
        unsigned kinds;
        const char *belongs;
    } rules[] = {{"dim", 1u << IO_MATRIX, "matrices"},
                 {"window", 1u << IO_AUDIO, "audio"},
                 {"rate", 1u << IO_AUDIO, "audio"},
                 {"patch", 1u << IO_IMAGE | 1u << IO_MATRIX, "images and matrices of patches"},
                 {"weights", 1u << IO_MATRIX, "matrices, whose signals have an order"},
                 {"mask", 1u << IO_MATRIX, "matrices, whose signals have an order"},
                 {"hop", 1u << IO_AUDIO | 1u << IO_IMAGE, "audio and images"}};
    const common_options *common = common_options_of(o);
    const io_options *own = io_options_of(o);
    const char *path = d->paths.path[0];
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (inco_options_given(o, rules[i].option) && !(rules[i].kinds >> d->cut.kind & 1))
            return error_set(error, INCO_EINVAL, "option '%s' applies to %s, but %s is %s", rules[i].option,
                             rules[i].belongs, path, io_kind_phrase(d->cut.kind));
    if (own->signals != OPTION_UNSET && own->hop != OPTION_UNSET)
        return error_set(error, INCO_EINVAL,
                         "option 'signals' draws at random, option 'hop' takes all: give one of them");
    if (d->cut.kind == IO_AUDIO && common->window == OPTION_UNSET)
        return error_set(error, INCO_EINVAL, "%s is audio: give option 'window', the samples per signal, such as 160",
                         path);
    if (d->cut.kind == IO_IMAGE && !common->patch[0])
        return error_set(error, INCO_EINVAL, "%s is an image: give option 'patch', the size of a signal, such as 8x8",
                         path);
    return INCO_OK;
}

static void set_cut(cut *c, const inco_options *o) {
    const common_options *common = common_options_of(o);
    const io_options *own = io_options_of(o);
    c->rows = c->kind == IO_AUDIO ? common->window : common->patch[0];
    c->cols = c->kind == IO_AUDIO ? 1 : common->patch[1];
    c->whole = own->signals == OPTION_UNSET;
    c->step = c->kind == IO_IMAGE && c->cols < c->rows ? c->cols : c->rows;
    if (own->hop != OPTION_UNSET) c->step = own->hop;
    if (!c->whole) c->step = 1;
}

/* ---- Opening: the files ---- */

enum { HELD_OPEN = 256 }; /* files at a time: processes may often open 1024 */

typedef struct loading {
    inco_data *data;
    io_how how;
    const unsigned char *wanted; /* per file: whether a signal of it was drawn; NULL: all files are wanted */
} loading;

static int load_one(void *self, int64_t i, int thread, inco_error *error) {
    loading *l = self;
    inco_data *d = l->data;
    data_file *file = &d->files[i];
    io_how how = l->how;
    (void)thread;
    if (l->wanted && !(l->wanted[i] && file->measured)) return INCO_OK;
    file->rows.keep_open = d->paths.count <= HELD_OPEN;
    how.rows = &file->rows;
    file->measured = 0;
    const int64_t expected = file->array.m.rows;
    int status = io_load(d->paths.path[i], &how, &file->array, error);
    if (status >= 0 && l->wanted && file->array.m.rows != expected)
        status = error_set(error, INCO_EFORMAT, "%s: has %lld samples, its header declared %lld", d->paths.path[i],
                           (long long)file->array.m.rows, (long long)expected);
    if (status < 0 || d->cut.kind == IO_MATRIX) return status;
    return store_keep(&d->store, &file->array.m, &file->offset, error);
}

/* Reads the size and rate of a file if its format has them in a header, else loads it. */
static int measure_one(void *self, int64_t i, int thread, inco_error *error) {
    loading *l = self;
    data_file *file = &l->data->files[i];
    const int status = io_measure(l->data->paths.path[i], &l->how, &file->array, error);
    if (status < 0) return status;
    file->measured = status == IO_MEASURED;
    return file->measured ? INCO_OK : load_one(self, i, thread, error);
}

/* Audio of which windows are drawn is only measured: most of it may not be needed. */
static int load_files(inco_data *d, const inco_options *o, inco_error *error) {
    enum { STORE = 256 << 20 };
    loading l = {.data = d, .how = io_how_from(o)};
    const int drawn = d->cut.kind == IO_AUDIO && io_options_of(o)->signals != OPTION_UNSET;
    store_init(&d->store, range_min(STORE, l.how.limit / 4));
    d->stored = 1;
    d->files = NEW(data_file, d->paths.count);
    if (!d->files) return error_no_memory(error);
    return parallel_for(common_threads(o), d->paths.count, drawn ? measure_one : load_one, &l, error);
}

/* Decodes the files of these places that are not decoded yet. */
static int load_drawn(inco_data *d, const int64_t *places, int64_t count, const inco_options *o, inco_error *error) {
    unsigned char *wanted = NEW(unsigned char, d->paths.count);
    loading l = {.data = d, .how = io_how_from(o), .wanted = wanted};
    if (!wanted) return error_no_memory(error);
    for (int64_t n = 0; n < count; n++) wanted[file_of(d, places[n]) - d->files] = 1;
    const int status = parallel_for(common_threads(o), d->paths.count, load_one, &l, error);
    memory_free(wanted);
    return status;
}

/* Checks that all matrices have signals of the same dimension, and all audio has the same rate. */
static int check_equal(const inco_data *d, inco_error *error) {
    const io_array *a = &d->files[0].array;
    for (int64_t i = 1; i < d->paths.count; i++) {
        const io_array *b = &d->files[i].array;
        if (d->cut.kind == IO_MATRIX && a->m.rows != b->m.rows)
            return error_set(error, INCO_EDIM,
                             "%s has signals of %lld values, %s of %lld: they cannot be used together",
                             d->paths.path[0], (long long)a->m.rows, d->paths.path[i], (long long)b->m.rows);
        if (d->cut.kind == IO_AUDIO && a->rate != b->rate)
            return error_set(error, INCO_EDATA,
                             "%s is at %g Hz, %s at %g Hz: give option 'rate' to resample them to one rate",
                             d->paths.path[0], a->rate, d->paths.path[i], b->rate);
    }
    return INCO_OK;
}

static int count_places(inco_data *d, inco_error *error) {
    const cut *c = &d->cut;
    for (int64_t i = 0; i < d->paths.count; i++) {
        const inco_mat *m = &d->files[i].array.m;
        const int64_t places = c->kind == IO_MATRIX  ? m->cols
                               : c->kind == IO_AUDIO ? cut_count(c, m->rows, 1)
                                                     : cut_count(c, m->cols, m->rows);
        if (!places && c->kind == IO_IMAGE && c->whole)
            return error_set(error, INCO_EDATA, "%s has %lld x %lld pixels: smaller than the patch of %lld x %lld",
                             d->paths.path[i], (long long)m->cols, (long long)m->rows, (long long)c->rows,
                             (long long)c->cols);
        d->files[i].first = d->places;
        d->places += places;
    }
    if (d->places) return INCO_OK;
    if (c->kind == IO_AUDIO)
        return error_set(error, INCO_EDATA, "%s%s: no file has as many samples as the window of %lld", d->paths.path[0],
                         d->paths.count > 1 ? " and the others" : "", (long long)c->rows);
    return error_set(error, INCO_EDATA, "%s%s: no image is as large as the patch of %lld x %lld", d->paths.path[0],
                     d->paths.count > 1 ? " and the others" : "", (long long)c->rows, (long long)c->cols);
}

/* ---- Opening: random signals ---- */

static int by_number(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Returns whether all values are equal, 1 or 0: digital silence, or a patch of one colour; or a negative status. */
static int is_constant(const inco_data *d, int64_t place, inco_error *error) {
    const data_file *file = file_of(d, place);
    const inco_mat *m = &file->array.m;
    const int image = d->cut.kind == IO_IMAGE;
    const int64_t lines = image ? d->cut.rows : 1, length = image ? d->cut.cols : d->cut.rows;
    float first = 0, piece[PIECE];
    int64_t row = place - file->first, col = 0;
    if (image) cut_place(&d->cut, m->cols, m->rows, place - file->first, &row, &col);
    for (int64_t r = 0; r < lines; r++) {
        const int64_t start = image ? (row + r) * m->rows + col : row;
        for (int64_t n = 0, some; n < length; n += some) {
            some = range_min(length - n, PIECE);
            const int status = store_copy(&d->store, m, file->offset, start + n, some, piece, error);
            if (status < 0) return status;
            if (!r && !n) first = piece[0];
            for (int64_t i = 0; i < some; i++)
                if (piece[i] != first) return 0;
        }
    }
    return 1;
}

static int too_constant(const inco_data *d, int tries, inco_error *error) {
    return error_set(error, INCO_EDATA, "%s%s: %d consecutive %s drawn were %s: too little data to learn from",
                     d->paths.path[0], d->paths.count > 1 ? " and the others" : "", tries,
                     d->cut.kind == IO_AUDIO ? "windows" : "patches",
                     d->cut.kind == IO_AUDIO ? "digital silence" : "of one colour");
}

/* Draws with replacement; constant signals are drawn again, up to a limit. A signal of one value is always constant.
 * All that are missing are drawn at once, so that each file is decoded once. */
static int pick_places(inco_data *d, int64_t count, const inco_options *o, inco_error *error) {
    enum { TRIES = 10000 };
    uint64_t draw = 0;
    int tries = 0, status = INCO_OK;
    for (int64_t kept = 0, missing; status >= 0 && kept < count;) {
        int64_t *drawn = d->pick + kept;
        missing = count - kept;
        for (int64_t n = 0; n < missing; n++) drawn[n] = rng_below(common_seed(o), RNG_WINDOWS, draw++, d->places);
        status = load_drawn(d, drawn, missing, o, error);
        for (int64_t n = 0; status >= 0 && n < missing; n++) {
            const int constant = d->source.dim == 1 ? 0 : is_constant(d, drawn[n], error);
            if (constant < 0) return constant;
            if (!constant) d->pick[kept++] = drawn[n];
            tries = constant ? tries + 1 : 0;
            if (tries == TRIES) status = too_constant(d, tries, error);
        }
    }
    return status;
}

/* Draws the columns of matrices without replacement, and sorts them. */
static int pick_signals(inco_data *d, const inco_options *o, inco_error *error) {
    static const char *const names[] = {[IO_MATRIX] = "signals", [IO_AUDIO] = "windows", [IO_IMAGE] = "patches"};
    const int64_t count = io_options_of(o)->signals;
    d->source.count = d->places;
    if (count == OPTION_UNSET) return INCO_OK;
    if (count > d->places)
        return error_set(error, INCO_EDATA, "option 'signals' is %lld, but there are only %lld %s", (long long)count,
                         (long long)d->places, names[d->cut.kind]);
    d->source.count = count;
    d->pick = NEW_RAW(int64_t, count);
    if (!d->pick) return error_no_memory(error);
    if (d->cut.kind != IO_MATRIX) return pick_places(d, count, o, error);
    if (rng_choose(common_seed(o), RNG_WINDOWS, d->places, count, d->pick) < 0) return error_no_memory(error);
    qsort(d->pick, (size_t)count, sizeof *d->pick, by_number);
    return INCO_OK;
}

/* ---- Opening: weights ---- */

static int check_weights(const inco_data *d, const char *path, const inco_mat *w, inco_error *error) {
    const int64_t count = w->rows * w->cols;
    if ((w->rows > 1 && w->cols > 1) || count != d->places)
        return error_set(error, INCO_EDIM, "%s has %lld x %lld numbers, not one weight for each of %lld signals", path,
                         (long long)w->cols, (long long)w->rows, (long long)d->places);
    for (int64_t n = 0; n < count; n++)
        if (mat_get(w, w->rows > 1 ? n : 0, w->rows > 1 ? 0 : n) < 0)
            return error_set(error, INCO_EDATA, "%s: weight %lld (counted from 0) is %g: weights are nonnegative", path,
                             (long long)n, mat_get(w, w->rows > 1 ? n : 0, w->rows > 1 ? 0 : n));
    return INCO_OK;
}

static int load_weights(inco_data *d, const inco_options *o, inco_error *error) {
    const char *path = io_options_of(o)->weights;
    io_how how = {.limit = limit_of(o), .list = 1};
    inco_mat w = {0}, wide = {0};
    int status = INCO_OK;
    if (!path) return status;
    TRY(io_load_matrix(path, &how, &w, error));
    TRY(check_weights(d, path, &w, error));
    TRY(mat_convert(&wide, &w, INCO_F64, error));
    if (!(d->weights = NEW_RAW(double, d->places))) TRY(error_no_memory(error));
    memcpy(d->weights, wide.data, (size_t)d->places * sizeof(double));
    d->source.weights = read_weights;
done:
    inco_mat_free(&w);
    inco_mat_free(&wide);
    return status;
}

/* ---- Opening: the mask ---- */

static int load_mask(inco_data *d, const inco_options *o, inco_error *error) {
    const char *path = io_options_of(o)->mask;
    const io_how how = {.limit = limit_of(o), .columns = io_options_of(o)->columns == 1};
    const int64_t dim = d->source.dim;
    inco_mat m = {0};
    int status = INCO_OK;
    if (!path) return status;
    TRY(io_load_matrix(path, &how, &m, error));
    if (m.rows != dim || m.cols != d->places)
        TRY(error_set(error, INCO_EDIM, "%s is a mask of %lld signals of %lld values, not of %lld of %lld", path,
                      (long long)m.cols, (long long)m.rows, (long long)d->places, (long long)dim));
    if (!(d->mask = NEW(uint64_t, range_blocks(m.rows * m.cols, WORD)))) TRY(error_no_memory(error));
    for (int64_t n = 0, bit = 0; n < m.cols; n++)
        for (int64_t i = 0; i < dim; i++, bit++)
            if (mat_get(&m, i, n) != 0) d->mask[bit / WORD] |= (uint64_t)1 << bit % WORD;
    d->source.mask = read_mask;
done:
    inco_mat_free(&m);
    return status;
}

/* ---- The whole ---- */

static void set_source(inco_data *d, const inco_options *o) {
    inco_type widest = INCO_F32;
    for (int64_t i = 0; i < d->paths.count; i++)
        if (d->files[i].array.m.type == INCO_F64) widest = INCO_F64;
    d->source = (inco_source){.size = sizeof d->source, .self = d, .read = read_signals, .concurrent = 1};
    d->source.missing = common_options_of(o)->missing == MISSING_NAN;
    d->source.type = common_precision(o, widest);
    d->source.dim = d->cut.kind == IO_MATRIX ? d->files[0].array.m.rows : d->cut.rows * d->cut.cols;
}

/* With a matrix, the option patch only describes its signals. The option dim is for raw numbers; a file that has a size
 * of its own must agree with it. */
static int check_dim(const inco_data *d, const inco_options *o, inco_error *error) {
    const int64_t *patch = common_options_of(o)->patch, dim = common_options_of(o)->dim;
    if (d->cut.kind == IO_MATRIX && patch[0] && patch[0] * patch[1] != d->source.dim)
        return error_set(error, INCO_EDIM, "option 'patch' = '%lldx%lld' has %lld values, the signals of %s have %lld",
                         (long long)patch[0], (long long)patch[1], (long long)(patch[0] * patch[1]), d->paths.path[0],
                         (long long)d->source.dim);
    if (dim != OPTION_UNSET && dim != d->source.dim)
        return error_set(error, INCO_EDIM, "option 'dim' is %lld, but the signals of %s have %lld values",
                         (long long)dim, d->paths.path[0], (long long)d->source.dim);
    return INCO_OK;
}

static int open_data(inco_data *d, const char *const *paths, int count, const inco_options *o, inco_error *error) {
    int status;
    TRY(paths_expand(&d->paths, paths, count, known_name, error));
    TRY(find_kind(d, error));
    TRY(check_options(d, o, error));
    set_cut(&d->cut, o);
    d->gaps = common_options_of(o)->missing == MISSING_NAN || io_options_of(o)->mask;
    TRY(load_files(d, o, error));
    TRY(check_equal(d, error));
    set_source(d, o);
    TRY(check_dim(d, o, error));
    TRY(count_places(d, error));
    TRY(pick_signals(d, o, error));
    TRY(load_weights(d, o, error));
    TRY(load_mask(d, o, error));
done:
    return status;
}

int inco_data_open(inco_data **data, const char *const *paths, int count, const inco_options *options,
                   inco_error *error) {
    inco_options *defaults = NULL;
    inco_data *d = NULL;
    int status = INCO_OK;
    if (!data) return error_null(error, "data");
    *data = NULL;
    if (count > 0 && !paths) TRY(error_null(error, "paths"));
    for (int i = 0; i < count; i++)
        if (!paths[i]) TRY(error_set(error, INCO_EINVAL, "path %d (counted from 0) is NULL", i));
    if (options) TRY(handle_need(options, "options", error));
    if (!options && !(options = defaults = inco_options_new())) TRY(error_no_memory(error));
    if (!(d = HANDLE(inco_data, kind))) TRY(error_no_memory(error));
    TRY(open_data(d, paths, count, options, error));
    *data = d;
done:
    if (status < 0) inco_data_free(d);
    inco_options_free(defaults);
    return status;
}

void inco_data_free(inco_data *d) {
    if (!handle_end(d, kind)) return;
    for (int64_t i = 0; d->files && i < d->paths.count; i++) {
        inco_mat_free(&d->files[i].array.m);
        rows_close(&d->files[i].rows);
    }
    if (d->stored) store_free(&d->store);
    memory_free(d->files);
    memory_free(d->pick);
    memory_free(d->weights);
    memory_free(d->mask);
    paths_free(&d->paths);
    handle_free(d);
}

int inco_data_source(const inco_data *d, inco_source *source, inco_error *error) {
    int status = handle_need(d, kind, error);
    if (status >= 0) status = SIZED_NEED(inco_source, source, error);
    if (status >= 0) sized_give(source, &d->source, sizeof d->source);
    return status;
}

int64_t inco_data_files(const inco_data *d) {
    return handle_is(d, kind) ? d->paths.count : 0;
}

const char *inco_data_kind(const inco_data *d) {
    return handle_is(d, kind) ? io_kind_name(d->cut.kind) : NULL;
}

const char *inco_data_file(const inco_data *d, int64_t i) {
    return i >= 0 && i < inco_data_files(d) ? d->paths.path[i] : NULL;
}

double inco_data_rate(const inco_data *d) {
    return handle_is(d, kind) && d->cut.kind == IO_AUDIO ? d->files[0].array.rate : 0;
}

double inco_data_memory(const inco_data *d) {
    double bytes = 0;
    if (!handle_is(d, kind)) return 0;
    for (int64_t i = 0; i < d->paths.count; i++) {
        const inco_mat *m = &d->files[i].array.m;
        if (m->data) bytes += (double)m->rows * (double)m->cols * m->type;
    }
    bytes += d->pick ? (double)d->source.count * sizeof *d->pick : 0;
    return bytes + (d->weights ? (double)d->places * sizeof *d->weights : 0);
}

/* Random windows and patches cannot be reassembled: they have no origin. */
static int find_origin(const inco_data *d, inco_origin *origin, inco_error *error) {
    origin_arrays *arrays = origin_new(origin, d->source.count);
    if (!arrays) return error_no_memory(error);
    if (d->cut.kind == IO_MATRIX || d->pick) return INCO_OK;
    origin->shape = arrays->shape = NEW_RAW(int64_t, 2 * d->paths.count);
    if (!arrays->shape) return error_no_memory(error);
    const int image = d->cut.kind == IO_IMAGE;
    for (int64_t i = 0; i < d->paths.count; i++) {
        const inco_mat *m = &d->files[i].array.m;
        arrays->shape[2 * i] = image ? m->cols : m->rows;
        arrays->shape[2 * i + 1] = image ? m->rows : 1;
    }
    origin->kind = d->cut.kind;
    origin->files = d->paths.count;
    origin->hop = d->cut.step;
    origin->window = image ? 0 : d->cut.rows;
    origin->rate = image ? 0 : d->files[0].array.rate;
    origin->patch_rows = image ? d->cut.rows : 0;
    origin->patch_cols = image ? d->cut.cols : 0;
    return INCO_OK;
}

int inco_data_origin(const inco_data *d, inco_origin *origin, inco_error *error) {
    inco_origin own = INCO_INIT(inco_origin);
    int status = handle_need(d, kind, error);
    if (status >= 0) status = SIZED_NEED(inco_origin, origin, error);
    if (status < 0) return status;
    status = find_origin(d, &own, error);
    if (status < 0) inco_origin_free(&own);
    sized_give(origin, &own, sizeof own);
    return status;
}
