/* Dictionaries with the mean that was subtracted from their signals ("center" feature). .npz and .mat store it beside
 * the atoms; for other formats there is a second file, D.meta.npz for D.npy, with a fingerprint of the dictionary. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/handle.h"
#include "base/memory.h"
#include "io/io.h"
#include "io/npz.h"
#include "mat/mat.h"

/* ---- The second file ---- */

/* Whether the format stores arrays by name. */
static int has_place(const char *path) {
    const io_format *format = io_find(path);
    return format && (format->can & IO_CODES);
}

int inco_mean_path(const char *path, char *buffer, size_t size) {
    if (buffer && size) *buffer = 0;
    if (!path || !strcmp(path, "-") || !io_find(path) || has_place(path)) return 0;
    return snprintf(buffer, buffer ? size : 0, "%.*s.meta.npz", (int)(strrchr(path, '.') - path), path);
}

/* To be freed; *name is NULL if there is no second file. */
static int name_second(const char *path, char **name, inco_error *error) {
    const int length = inco_mean_path(path, NULL, 0);
    *name = length ? NEW(char, length + 1) : NULL;
    if (length && !*name) return error_no_memory(error);
    if (*name) inco_mean_path(path, *name, (size_t)length + 1);
    return INCO_OK;
}

/* ---- Loading ---- */

static int load_list(const char *path, const char *name, double **values, int64_t *count, inco_error *error) {
    const io_format *format = NULL;
    *values = NULL;
    int status = io_need(&format, path, IO_MATRIX, IO_LOADS | IO_CODES, error);
    return status < 0 ? status : format->load_list(path, name, values, count, error);
}

static int check_fingerprint(const char *path, const char *second, const inco_mat *d, inco_error *error) {
    double *print;
    int64_t count;
    int status = load_list(second, "dictionary", &print, &count, error);
    if (status >= 0 && (!print || count != 1 || *print != (double)mat_fingerprint(d)))
        status = error_set(
            error, INCO_EDATA,
            "%s has the mean of another dictionary than %s: delete it, or restore the file that it belongs to", second,
            path);
    memory_free(print);
    return status;
}

/* Checks the values and copies them to a matrix. */
static int to_mean(const char *path, double *values, int64_t count, const inco_mat *d, inco_mat *mean,
                   inco_error *error) {
    int64_t row, col;
    int status = INCO_OK;
    inco_mat view = mat_view(INCO_F64, count, 1, values);
    if (count != d->rows)
        TRY(error_set(error, INCO_EDIM, "%s: the mean has %lld values, the atoms have %lld dimensions", path,
                      (long long)count, (long long)d->rows));
    if (mat_find_nonfinite(&view, &row, &col))
        TRY(error_set(error, INCO_EDATA, "%s: the mean has a NaN or Inf at feature %lld (counted from 0)", path,
                      (long long)row));
    TRY(mat_convert(mean, &view, INCO_F64, error));
done:
    return status;
}

int inco_load_mean(const char *path, const inco_mat *dictionary, inco_mat *mean, inco_error *error) {
    char *second = NULL;
    double *values = NULL;
    int64_t count = 0;
    int status;
    if (!mean) return error_null(error, "mean");
    *mean = (inco_mat){0};
    TRY(NEED(path));
    TRY(mat_need(dictionary, "dictionary", error));
    TRY(name_second(path, &second, error));
    if (second ? access(second, F_OK) != 0 : !has_place(path)) goto done;
    if (second) TRY(check_fingerprint(path, second, dictionary, error));
    const char *place = second ? second : path;
    TRY(load_list(place, "mean", &values, &count, error));
    if (!values && second) TRY(error_set(error, INCO_EFORMAT, "%s: there is no array 'mean'; delete the file", second));
    if (values) TRY(to_mean(place, values, count, dictionary, mean, error));
done:
    memory_free(values);
    memory_free(second);
    return status;
}

/* ---- Saving ---- */

#ifdef INCO_HAVE_NPZ
static int save_second(const char *second, const inco_mat *d, const inco_mat *mean, inco_error *error) {
    output out;
    int status = output_open(&out, second, 1, error);
    if (status < 0) return status;
    return output_finish(&out, npz_save_mean(&out, mean, mat_fingerprint(d), error), error);
}
#else
static int save_second(const char *second, const inco_mat *d, const inco_mat *mean, inco_error *error) {
    (void)d;
    (void)mean;
    return io_need_feature(IO_NPZ, second, error);
}
#endif

/* Removes the mean of an earlier dictionary of this name, which would not belong to the new one. */
static void drop_second(const char *second) {
    double *print = NULL;
    int64_t count;
    if (access(second, F_OK) == 0 && load_list(second, "dictionary", &print, &count, NULL) >= 0 && print)
        unlink(second);
    memory_free(print);
}

int inco_save_dictionary(const char *path, const inco_mat *dictionary, const inco_mat *given,
                         const inco_options *options, const char *meta, inco_error *error) {
    char *second = NULL;
    inco_mat mean = {0};
    int status;
    TRY(NEED(path));
    TRY(mat_need(dictionary, "dictionary", error));
    if (given) TRY(mat_need(given, "mean", error));
    if (given && (given->rows != dictionary->rows || given->cols != 1))
        TRY(error_set(error, INCO_EDIM, "the mean is %lld x %lld, the atoms have %lld dimensions",
                      (long long)given->rows, (long long)given->cols, (long long)dictionary->rows));
    if (given) TRY(mat_convert(&mean, given, INCO_F64, error));
    TRY(name_second(path, &second, error));
    if (second && given)
        TRY(save_second(second, dictionary, &mean, error)); /* first: a mean that is missing is silent */
    TRY(io_save_matrix(path, dictionary, &(io_extra){meta, given ? &mean : NULL}, options, error));
    if (second && !given) drop_second(second);
done:
    memory_free(second);
    inco_mat_free(&mean);
    return status;
}
