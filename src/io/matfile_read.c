#ifdef INCO_HAVE_MAT
#include <matio.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/limit.h"
#include "base/memory.h"
#include "io/codes.h"
#include "io/file.h"
#include "io/hdf5check.h"
#include "io/matcheck.h"
#include "io/matfile.h"
#include "io/npy.h"
#include "io/origin.h"
#include "mat/mat.h"
#include "sparse/csc.h"

/* ---- Opening ---- */

typedef struct mat_file {
    mat_t *mat;
    const char *path;
    size_t length;
    int64_t limit;
    int is_hdf5; /* version 7.3 */
    hdf5_voice voice;
} mat_file;

static int check_hdf5(const mat_file *file, const char *variable, inco_error *error) {
    if (!file->is_hdf5) return INCO_OK;
    return hdf5check(&(hdf5_file){file->path, file->length, file->limit}, variable, error);
}

static int open_mat(mat_file *file, const char *path, int64_t limit, inco_error *error) {
    file_bytes bytes;
    *file = (mat_file){.path = path, .limit = limit};
    int status = file_open(&bytes, path, error);
    if (status < 0) return status;
    file->length = bytes.length;
    status = matcheck(&bytes, limit, error);
    file->is_hdf5 = status >= 0 && matcheck_is_hdf5(&bytes);
    file_release(&bytes);
    if (file->is_hdf5) hdf5check_hush(&file->voice);
    if (status >= 0) status = check_hdf5(file, NULL, error);
    if (status < 0) return status;
    file->mat = Mat_Open(path, MAT_ACC_RDONLY);
    return file->mat ? INCO_OK : error_set(error, INCO_EFORMAT, "%s: not a MAT file, or a damaged one", path);
}

static void close_mat(mat_file *file) {
    if (file->mat) Mat_Close(file->mat);
    if (file->is_hdf5) hdf5check_speak(&file->voice);
}

/* Each item, or each column of a sparse matrix, takes at least a byte in the file, before deflation, and up to 16 bytes
 * in memory. */
static int check_size(const mat_file *file, const matvar_t *v, inco_error *error) {
    int64_t items = 1;
    for (int i = v->class_type == MAT_C_SPARSE; i < v->rank && v->dims; i++)
        items = limit_product(items, v->dims[i] > INT64_MAX ? -1 : (int64_t)v->dims[i]);
    const limit_claim claim = {.path = file->path,
                               .what = "numbers",
                               .count = items,
                               .size = 2 * sizeof(double),
                               .holds = LIMIT_DEFLATE * (double)file->length,
                               .limit = file->limit};
    return limit_check(&claim, error);
}

/* Reads a variable with its data; *v is NULL if there is none of this name. */
static int read_variable(const mat_file *file, const char *name, matvar_t **v, inco_error *error) {
    matvar_t *info = Mat_VarReadInfo(file->mat, name);
    *v = NULL;
    int status = info ? check_size(file, info, error) : INCO_OK;
    if (info && status >= 0) status = check_hdf5(file, name, error);
    if (info && status >= 0) {
        *v = Mat_VarRead(file->mat, name);
        if (!*v) status = error_set(error, INCO_EFORMAT, "%s: the variable %s is damaged", file->path, name);
    }
    Mat_VarFree(info);
    return status;
}

/* ---- Numbers ---- */

/* Converts a numeric class to NumPy's kind and size; returns 0 for other classes. */
static int number_class(const matvar_t *v, npy_header *h) {
    static const struct row {
        enum matio_classes class;
        char kind;
        int size;
    } rows[] = {{MAT_C_DOUBLE, 'f', 8}, {MAT_C_SINGLE, 'f', 4}, {MAT_C_INT8, 'i', 1},  {MAT_C_UINT8, 'u', 1},
                {MAT_C_INT16, 'i', 2},  {MAT_C_UINT16, 'u', 2}, {MAT_C_INT32, 'i', 4}, {MAT_C_UINT32, 'u', 4},
                {MAT_C_INT64, 'i', 8},  {MAT_C_UINT64, 'u', 8}};
    memset(h, 0, sizeof *h);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (v->class_type != rows[i].class || v->isComplex) continue;
        h->kind = rows[i].kind;
        h->size = rows[i].size;
    }
    h->count = 1;
    for (int i = 0; i < v->rank && v->dims; i++)
        if (__builtin_mul_overflow(h->count, v->dims[i], &h->count)) return 0;
    return h->kind != 0;
}

static int is_matrix(const matvar_t *v) {
    npy_header h;
    return number_class(v, &h) && v->rank == 2 && h.count > 1 &&
           !(v->name && !strncmp(v->name, ORIGIN_PREFIX, strlen(ORIGIN_PREFIX)));
}

static int is_codes(const matvar_t *v) {
    return v->class_type == MAT_C_SPARSE && v->rank == 2 && !v->isComplex;
}

/* ---- Choice of the variable ---- */

enum { NAME = 128 };

/* The only suitable variable, else the one with the preferred name. */
static int choose(const mat_file *file, int (*suits)(const matvar_t *v), const char *preferred, char chosen[NAME],
                  inco_error *error) {
    char all[500] = ""; /* "a (3x4), b" */
    int suitable = 0, found = 0;
    for (matvar_t *v; (v = Mat_VarReadNextInfo(file->mat)); Mat_VarFree(v)) {
        const char *name = v->name ? v->name : "?";
        const size_t used = strlen(all);
        if (v->rank == 2 && v->dims)
            snprintf(all + used, sizeof all - used, "%s%s (%zux%zu)", used ? ", " : "", name, v->dims[0], v->dims[1]);
        else
            snprintf(all + used, sizeof all - used, "%s%s", used ? ", " : "", name);
        if (!suits(v)) continue;
        snprintf(chosen, NAME, "%s", name);
        found = found || !strcmp(name, preferred);
        suitable++;
    }
    Mat_Rewind(file->mat);
    if (suitable > 1 && found) snprintf(chosen, NAME, "%s", preferred);
    if (suitable == 1 || found) return INCO_OK;
    return error_set(error, INCO_EFORMAT, "%s: %s; it holds: %s", file->path,
                     suitable            ? "several matrices: name one by option 'variable'"
                     : suits == is_codes ? "there is no sparse matrix of codes"
                                         : "there is no dense matrix of real numbers",
                     *all ? all : "nothing");
}

/* ---- Matrices ---- */

static void release_variable(owner *variable) {
    Mat_VarFree(variable->base);
}

/* Takes ownership of *v if its numbers are floats. */
static int to_matrix(matvar_t **v, const char *path, inco_mat *m, inco_error *error) {
    npy_header h;
    if (!number_class(*v, &h) || (*v)->rank != 2)
        return error_set(error, INCO_EFORMAT, "%s: the variable %s is not a dense matrix of real numbers", path,
                         (*v)->name);
    const int64_t rows = (int64_t)(*v)->dims[0], cols = (int64_t)(*v)->dims[1];
    if (!h.count || !(*v)->data)
        return error_set(error, INCO_EDATA, "%s: the variable %s is empty or cannot be read", path, (*v)->name);
    const inco_type type = npy_type(&h);
    if (h.kind != 'f') {
        int status = mat_new_raw(m, type, rows, cols, error);
        if (!status) npy_convert(&h, (*v)->data, type, m->data);
        return status;
    }
    *m = mat_view(type, rows, cols, (*v)->data);
    m->owner = owner_new(release_variable, *v, 0);
    if (!m->owner) return error_no_memory(error);
    *v = NULL;
    return INCO_OK;
}

int matfile_load(const char *path, const io_how *how, io_array *out, inco_error *error) {
    mat_file file;
    matvar_t *v = NULL;
    char chosen[NAME];
    int status;
    TRY(open_mat(&file, path, how->limit, error));
    if (!how->variable) TRY(choose(&file, is_matrix, "components", chosen, error));
    const char *name = how->variable ? how->variable : chosen;
    TRY(read_variable(&file, name, &v, error));
    if (!v) TRY(error_set(error, INCO_EFORMAT, "%s: there is no variable %s", path, name));
    out->columns = 1;
    TRY(to_matrix(&v, path, &out->m, error));
done:
    Mat_VarFree(v);
    close_mat(&file);
    return status;
}

/* ---- Codes ---- */

static int sparse_header(const matvar_t *v, npy_header *h) {
    const mat_sparse_t *s = v->data;
    memset(h, 0, sizeof *h);
    h->kind = v->data_type == MAT_T_UINT8 ? 'u' : 'f';
    h->size = v->data_type == MAT_T_UINT8 ? 1 : v->data_type == MAT_T_SINGLE ? 4 : 8;
    h->count = s->ndata;
    return v->data_type == MAT_T_DOUBLE || v->data_type == MAT_T_SINGLE || v->data_type == MAT_T_UINT8;
}

static int to_codes(const matvar_t *v, const char *path, csc *codes, inco_error *error) {
    const mat_sparse_t *s = v->data;
    npy_header h;
    const int sparse = is_codes(v) && (size_t)v->data_size == sizeof *s; /* another one may have had this name */
    if (!s || !sparse || !sparse_header(v, &h) || !v->dims[0] || v->dims[0] >= INT32_MAX || s->njc != v->dims[1] + 1 ||
        s->nir < s->ndata || !s->jc || s->jc[v->dims[1]] > s->ndata)
        return error_set(error, INCO_EFORMAT, "%s: the sparse matrix %s is invalid", path, v->name);
    int status = csc_new(codes, INCO_F64, (int64_t)v->dims[0], (int64_t)v->dims[1], s->ndata, error);
    if (status < 0) return status;
    codes->cols = (int64_t)v->dims[1];
    for (int64_t n = 0; n <= codes->cols; n++) codes->start[n] = s->jc[n];
    for (int64_t k = 0; k < s->ndata; k++) codes->index[k] = s->ir[k] < INT32_MAX ? (int32_t)s->ir[k] : -1;
    if (s->ndata) npy_convert(&h, s->data, INCO_F64, codes->value);
    return codes_clean(codes, s->ndata, path, error);
}

static int get_field(void *self, const char *name, double **values, int64_t *count, inco_error *error) {
    matvar_t *v;
    npy_header h;
    *values = NULL;
    int status = read_variable(self, name, &v, error);
    if (status >= 0 && v && v->data && number_class(v, &h)) {
        *count = h.count;
        *values = NEW_RAW(double, h.count);
        if (*values)
            npy_convert(&h, v->data, INCO_F64, *values);
        else
            status = error_no_memory(error);
    }
    Mat_VarFree(v);
    return status;
}

int matfile_load_list(const char *path, const char *name, double **values, int64_t *count, inco_error *error) {
    mat_file file;
    *values = NULL;
    int status = open_mat(&file, path, limit_of(NULL), error);
    if (status >= 0) status = get_field(&file, name, values, count, error);
    close_mat(&file);
    return status;
}

int matfile_load_codes(const char *path, int64_t limit, csc *codes, inco_origin *origin, inco_error *error) {
    mat_file file;
    matvar_t *v = NULL;
    char name[NAME];
    int status;
    TRY(open_mat(&file, path, limit, error));
    TRY(choose(&file, is_codes, "codes", name, error));
    TRY(read_variable(&file, name, &v, error));
    if (!v) TRY(error_set(error, INCO_EFORMAT, "%s: the variable %s cannot be read", path, name));
    TRY(to_codes(v, path, codes, error));
    TRY(origin_restore(origin, &(origin_reader){get_field, &file, path}, codes->cols, error));
done:
    Mat_VarFree(v);
    close_mat(&file);
    return status;
}
#else
typedef int matfile_read_not_built;
#endif
