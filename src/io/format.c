/* The table of formats, and the functions that use it. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/common.h"
#include "base/error.h"
#include "base/handle.h"
#include "base/limit.h"
#include "base/sized.h"
#include "io/audio.h"
#include "io/csv.h"
#include "io/image.h"
#include "io/io.h"
#include "io/io_options.h"
#include "io/matfile.h"
#include "io/npy.h"
#include "io/npz.h"
#include "io/safetensors.h"
#include "mat/mat.h"
#include "sparse/wide.h"

/* ---- What this build has ---- */

#ifdef INCO_HAVE_NPZ
#define NPZ(function) function
enum { HAVE_NPZ = 1 };
#else
#define NPZ(function) NULL
enum { HAVE_NPZ = 0 };
#endif
#ifdef INCO_HAVE_AUDIO
#define AUDIO(function) function
enum { HAVE_AUDIO = 1 };
#else
#define AUDIO(function) NULL
enum { HAVE_AUDIO = 0 };
#endif
#ifdef INCO_HAVE_RESAMPLE
enum { HAVE_RESAMPLE = 1 };
#else
enum { HAVE_RESAMPLE = 0 };
#endif
#ifdef INCO_HAVE_PNG
#define PNG(function) function
enum { HAVE_PNG = 1 };
#else
#define PNG(function) NULL
enum { HAVE_PNG = 0 };
#endif
#ifdef INCO_HAVE_MAT
#define MAT(function) function
enum { HAVE_MAT = 1 };
#else
#define MAT(function) NULL
enum { HAVE_MAT = 0 };
#endif
#ifdef INCO_HAVE_JSON
#define JSON(function) function
enum { HAVE_JSON = 1 };
#else
#define JSON(function) NULL
enum { HAVE_JSON = 0 };
#endif

static const struct feature {
    const char *name, *library, *package;
    int built;
} features[] = {
    [IO_ALWAYS] = {"", "", "", 1},
    [IO_NPZ] = {"npz", "libzip", "libzip-dev", HAVE_NPZ},
    [IO_AUDIO_FILES] = {"audio", "libsndfile", "libsndfile1-dev", HAVE_AUDIO},
    [IO_RESAMPLE] = {"resample", "libsamplerate", "libsamplerate0-dev", HAVE_RESAMPLE},
    [IO_PNG] = {"png", "libpng", "libpng-dev", HAVE_PNG},
    [IO_MAT] = {"mat", "matio", "libmatio-dev", HAVE_MAT},
    [IO_JSON] = {"json", "jansson", "libjansson-dev", HAVE_JSON},
};
enum { FEATURES = sizeof features / sizeof *features };

int inco_has(const char *name) {
    for (int i = IO_ALWAYS + 1; name && i < FEATURES; i++)
        if (!strcmp(features[i].name, name)) return features[i].built;
    return -1;
}

int io_need_feature(io_feature feature, const char *path, inco_error *error) {
    const struct feature *f = &features[feature];
    if (f->built) return INCO_OK;
    return error_set(error, INCO_ENOTBUILT,
                     "%s: this build of inco lacks %s; install it (Debian: %s) and build inco again", path, f->library,
                     f->package);
}

/* ---- The table ---- */

static const io_format formats[] = {
    /* clang-format off */
    {".npy", IO_MATRIX, IO_ALWAYS, IO_LOADS | IO_SAVES, npy_load, npy_save, NULL, NULL, NULL, NULL},
    {".npz", IO_MATRIX, IO_NPZ, IO_LOADS | IO_SAVES | IO_CODES | IO_SEEKS,
     NPZ(npz_load), NPZ(npz_save), NPZ(npz_load_codes), NPZ(npz_save_codes), NPZ(npz_load_list), NULL},
    {".csv .tsv", IO_MATRIX, IO_ALWAYS, IO_LOADS | IO_SAVES, csv_load, csv_save, NULL, NULL, NULL, NULL},
    {".mat", IO_MATRIX, IO_MAT, IO_LOADS | IO_SAVES | IO_CODES | IO_SEEKS,
     MAT(matfile_load), MAT(matfile_save), MAT(matfile_load_codes), MAT(matfile_save_codes),
     MAT(matfile_load_list), NULL},
    {".safetensors", IO_MATRIX, IO_JSON, IO_LOADS | IO_SAVES, JSON(safetensors_load), JSON(safetensors_save),
     NULL, NULL, NULL, NULL},
    {".f32", IO_MATRIX, IO_ALWAYS, IO_LOADS, npy_load, NULL, NULL, NULL, NULL, NULL},
    {".wav .flac .ogg .aiff .au", IO_AUDIO, IO_AUDIO_FILES, IO_LOADS | IO_SAVES | IO_SEEKS,
     AUDIO(audio_load), AUDIO(audio_save), NULL, NULL, NULL, AUDIO(audio_measure)},
    {".aif .aifc .oga .opus .mp3 .caf .w64 .rf64 .snd .sph .nist .voc", IO_AUDIO, IO_AUDIO_FILES, IO_LOADS,
     AUDIO(audio_load), NULL, NULL, NULL, NULL, AUDIO(audio_measure)},
    {".pgm", IO_IMAGE, IO_ALWAYS, IO_LOADS | IO_SAVES, image_load_pgm, image_save_pgm, NULL, NULL, NULL, NULL},
    {".png", IO_IMAGE, IO_PNG, IO_LOADS | IO_SAVES, PNG(image_load_png), PNG(image_save_png), NULL, NULL, NULL, NULL},
    /* clang-format on */
};
enum { FORMATS = sizeof formats / sizeof *formats };

const char *io_kind_name(io_kind kind) {
    static const char *const names[] = {[IO_MATRIX] = "matrix", [IO_AUDIO] = "audio", [IO_IMAGE] = "image"};
    return names[kind];
}

const char *io_kind_phrase(io_kind kind) {
    static const char *const phrases[] = {[IO_MATRIX] = "a matrix", [IO_AUDIO] = "audio", [IO_IMAGE] = "an image"};
    return phrases[kind];
}

/* Returns whether `ending` is one of the words of the list, ignoring case. */
static int listed(const char *list, const char *ending) {
    const size_t length = strlen(ending);
    while (*list) {
        size_t n = strcspn(list, " ");
        if (n == length && !strncasecmp(list, ending, n)) return 1;
        list += n + (list[n] == ' ');
    }
    return 0;
}

const io_format *io_find(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *ending = strrchr(name, '.');
    if (!ending || ending == name) return NULL;
    for (int i = 0; i < FORMATS; i++)
        if (listed(formats[i].extensions, ending)) return &formats[i];
    return NULL;
}

static int suits(const io_format *f, int kind, unsigned what) {
    return (kind < 0 || (int)f->kind == kind) && (f->can & what) == what;
}

static int wrong_ending(const char *path, int kind, unsigned what, inco_error *error) {
    char endings[256] = "";
    size_t used = 0;
    for (int i = 0; i < FORMATS; i++)
        if (suits(&formats[i], kind, what) && used < sizeof endings)
            used += (size_t)snprintf(endings + used, sizeof endings - used, " %s", formats[i].extensions);
    return error_set(error, INCO_EINVAL, "%s: unknown format: the extension of %s%s must be one of%s", path,
                     what & IO_CODES ? "codes"
                     : kind < 0      ? "a file"
                                     : io_kind_phrase((io_kind)kind),
                     what & IO_SAVES ? " to write" : " to read", endings);
}

/* Standard input and output, pipes and devices. */
static int is_stream(const char *path) {
    struct stat info;
    return !strcmp(path, "-") || !strncmp(path, "/dev/", 5) ||
           (stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode));
}

/* A stream whose name has no extension has the first format of the table that suits. */
int io_need(const io_format **format, const char *path, int kind, unsigned what, inco_error *error) {
    const io_format *found = io_find(path);
    for (int i = 0; i < FORMATS && !found && is_stream(path); i++)
        if (suits(&formats[i], kind, what)) found = &formats[i];
    if (!found || !suits(found, kind, what)) return wrong_ending(path, kind, what, error);
    *format = found;
    return io_need_feature(found->feature, path, error);
}

/* ---- Loading and saving by it ---- */

io_how io_how_from(const inco_options *options) {
    io_how how = {.limit = limit_of(options)};
    if (!options) return how;
    const double rate = common_options_of(options)->rate;
    const int64_t dim = common_options_of(options)->dim;
    how.columns = io_options_of(options)->columns == 1;
    how.variable = io_options_of(options)->variable;
    how.rate = isnan(rate) ? 0 : rate;
    how.dim = dim == OPTION_UNSET ? 0 : dim;
    return how;
}

int io_load(const char *path, const io_how *how, io_array *out, inco_error *error) {
    const io_format *format = NULL;
    memset(out, 0, sizeof *out);
    int status = io_need(&format, path, -1, IO_LOADS, error);
    return status < 0 ? status : format->load(path, how, out, error);
}

int io_measure(const char *path, const io_how *how, io_array *out, inco_error *error) {
    const io_format *format = NULL;
    memset(out, 0, sizeof *out);
    int status = io_need(&format, path, -1, IO_LOADS, error);
    return status < 0 || !format->measure ? status : format->measure(path, how, out, error);
}

int io_check_finite(const char *path, const io_array *array, int64_t first, const char *advice, inco_error *error) {
    int64_t i, j;
    if (!mat_find_nonfinite(&array->m, &i, &j)) return INCO_OK;
    const int is_nan = isnan(mat_get(&array->m, i, j));
    j += first;
    return error_set(error, INCO_EDATA,
                     "%s: %s at row %lld, column %lld (counted from 0); such values cannot be used%s", path,
                     is_nan ? "NaN" : "Inf", (long long)(array->columns ? i : j), (long long)(array->columns ? j : i),
                     is_nan ? advice : "");
}

int io_load_matrix(const char *path, const io_how *how, inco_mat *m, inco_error *error) {
    const io_format *format = NULL;
    io_array array = {0};
    int status;
    *m = (inco_mat){0};
    TRY(io_need(&format, path, IO_MATRIX, IO_LOADS, error));
    TRY(format->load(path, how, &array, error));
    TRY(io_check_finite(path, &array, 0, "", error));
    *m = array.m;
    return INCO_OK;
done:
    inco_mat_free(&array.m);
    return status;
}

int inco_load(const char *path, const inco_options *options, inco_mat *m, inco_error *error) {
    int status;
    if (!m) return error_null(error, "matrix");
    *m = (inco_mat){0};
    TRY(NEED(path));
    if (options) TRY(handle_need(options, "options", error));
    const io_how how = io_how_from(options);
    TRY(io_load_matrix(path, &how, m, error));
done:
    return status;
}

int inco_save(const char *path, const inco_mat *m, const inco_options *options, const char *meta, inco_error *error) {
    return io_save_matrix(path, m, &(io_extra){.meta = meta}, options, error);
}

int io_save_matrix(const char *path, const inco_mat *m, const io_extra *extra, const inco_options *options,
                   inco_error *error) {
    const io_format *format = NULL;
    output out;
    int status;
    TRY(NEED(path));
    TRY(mat_need(m, "matrix", error));
    if (m->rows < 1 || m->cols < 1)
        TRY(error_set(error, INCO_EINVAL, "%s: a matrix of %lld x %lld cannot be written", path, (long long)m->rows,
                      (long long)m->cols));
    if (options) TRY(handle_need(options, "options", error));
    const io_array array = {.m = *m};
    io_how how = io_how_from(options);
    how.meta = extra->meta;
    how.mean = extra->mean;
    TRY(io_need(&format, path, IO_MATRIX, IO_SAVES, error));
    TRY(output_open(&out, path, !!(format->can & IO_SEEKS), error));
    status = output_finish(&out, format->save(&out, &array, &how, error), error);
done:
    return status;
}

int inco_load_codes(const char *path, const inco_options *options, inco_csc *codes, inco_origin *origin,
                    inco_error *error) {
    const io_format *format = NULL;
    inco_origin own = INCO_INIT(inco_origin);
    csc loaded = {0};
    int status;
    if (!codes) return error_null(error, "codes");
    memset(codes, 0, sizeof *codes);
    TRY(NEED(path));
    if (options) TRY(handle_need(options, "options", error));
    TRY(SIZED_CHECK(inco_origin, origin, error));
    TRY(io_need(&format, path, -1, IO_LOADS | IO_CODES, error));
    TRY(format->load_codes(path, limit_of(options), &loaded, &own, error));
    TRY(wide_new(codes, loaded.type, loaded.rows, loaded.cols, error));
    TRY(wide_append(codes, &loaded, error));
done:
    csc_free(&loaded);
    if (status < 0) inco_csc_free(codes);
    if (status < 0 || !origin) inco_origin_free(&own);
    if (status >= 0) sized_give(origin, &own, sizeof own);
    return status;
}

int inco_save_codes(const char *path, const inco_csc *codes, const inco_origin *given, inco_error *error) {
    const io_format *format = NULL;
    inco_origin origin;
    csc narrow = {0};
    output out;
    int status;
    TRY(NEED(path));
    TRY(wide_narrow(&narrow, codes, error));
    if (given) TRY(SIZED_TAKE(inco_origin, &origin, given, error));
    TRY(io_need(&format, path, -1, IO_SAVES | IO_CODES, error));
    TRY(output_open(&out, path, 1, error));
    status = output_finish(&out, format->save_codes(&out, &narrow, given ? &origin : NULL, error), error);
done:
    csc_free(&narrow);
    return status;
}

/* A name that ends in a slash is a folder, created when needed: its parent must allow that. */
int inco_check_output(const char *path, inco_error *error) {
    const io_format *format = NULL;
    if (!path) return error_null(error, "path");
    const size_t length = strlen(path);
    if (!strcmp(path, "-")) return INCO_OK;
    if (length && path[length - 1] == '/') return output_check_folder(path, error);
    int status = output_check(path, error);
    return status < 0 ? status : io_need(&format, path, -1, IO_SAVES, error);
}
