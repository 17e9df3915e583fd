#ifdef INCO_HAVE_MAT
#include <matio.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/matfile.h"
#include "io/origin.h"
#include "io/text.h"
#include "mat/mat.h"
#include "sparse/csc.h"

/* ---- Checked writing ---- */

static int same_variable(const matvar_t *a, const matvar_t *b) {
    if (a->rank != 2 || b->rank != 2 || a->class_type != b->class_type || a->dims[0] != b->dims[0] ||
        a->dims[1] != b->dims[1] || !a->data || !b->data)
        return 0;
    if (a->class_type != MAT_C_SPARSE) return !memcmp(a->data, b->data, a->dims[0] * a->dims[1] * (size_t)a->data_size);
    const mat_sparse_t *s = a->data, *t = b->data;
    return s->ndata == t->ndata && !memcmp(s->jc, t->jc, (a->dims[1] + 1) * sizeof *s->jc) &&
           (!s->ndata ||
            (!memcmp(s->ir, t->ir, s->ndata * sizeof *s->ir) && !memcmp(s->data, t->data, s->ndata * sizeof(double))));
}

static int reads_back(const char *path, const matvar_t *wrote) {
    mat_t *mat = Mat_Open(path, MAT_ACC_RDONLY);
    matvar_t *v = mat ? Mat_VarRead(mat, wrote->name) : NULL;
    int same = v && same_variable(wrote, v);
    Mat_VarFree(v);
    if (mat) Mat_Close(mat);
    return same;
}

/* matio reports no reason: another write makes the system give one. */
static int write_failed(output *out, inco_error *error) {
    static const char more[4096];
    output_seek(out, 0, SEEK_END);
    for (int i = 0; i < 256; i++) output_write(out, more, sizeof more);
    output_seek(out, 0, SEEK_CUR);
    return error_set(error, INCO_EIO, "cannot write %s: verification of the MAT file failed", out->name);
}

typedef struct writing {
    output *out;
    mat_t *mat;
    matvar_t *written[16];
    int count;
} writing;

static int begin(writing *w, output *out, inco_error *error) {
    char header[116];
    snprintf(header, sizeof header, "MATLAB 5.0 MAT-file, created by inco %s", inco_version());
    *w = (writing){.out = out};
    w->mat = Mat_CreateVer(output_path(out), header, MAT_FT_MAT5);
    return w->mat ? INCO_OK : write_failed(out, error);
}

/* Takes ownership of v; NULL stands for out of memory. */
static int put(writing *w, matvar_t *v, inco_error *error) {
    if (!v) return error_no_memory(error);
    w->written[w->count++] = v;
    return Mat_VarWrite(w->mat, v, MAT_COMPRESSION_ZLIB) ? write_failed(w->out, error) : INCO_OK;
}

/* matio does not notice every failed write, such as on a full disk: the file is read back and compared. */
static int end(writing *w, int status, inco_error *error) {
    if (w->mat && Mat_Close(w->mat) && status >= 0) status = write_failed(w->out, error);
    for (int i = 0; i < w->count; i++) {
        if (status >= 0 && !reads_back(output_path(w->out), w->written[i])) status = write_failed(w->out, error);
        Mat_VarFree(w->written[i]);
    }
    return status;
}

static matvar_t *numbers(const char *name, inco_type type, int64_t rows, int64_t cols, const void *data) {
    size_t dims[2] = {(size_t)rows, (size_t)cols};
    return Mat_VarCreate(name, type == INCO_F32 ? MAT_C_SINGLE : MAT_C_DOUBLE,
                         type == INCO_F32 ? MAT_T_SINGLE : MAT_T_DOUBLE, 2, dims, (void *)data, MAT_F_DONT_COPY_DATA);
}

static int check_size(const char *path, double bytes, inco_error *error) {
    if (bytes < 2147483648.0) return INCO_OK;
    return error_set(error, INCO_EINVAL, "%s: a MAT file holds variables below 2 GB, this one has %.1f: use .npz", path,
                     bytes / 1e9);
}

/* ---- Matrices ---- */

/* JSON in ASCII: other characters become \uXXXX, which every reader of MAT files preserves. */
static char *ascii_json(const char *text) {
    const int64_t length = (int64_t)strlen(text);
    uint32_t *points = NEW_RAW(uint32_t, length + 1);
    char *ascii = points ? NEW_RAW(char, 12 * length + 1) : NULL, *at = ascii;
    for (int64_t i = 0, n = ascii ? text_code_points(text, points) : 0; i < n; i++) {
        uint32_t p = points[i];
        if (p < 0x80)
            *at++ = (char)p;
        else if (p < 0x10000)
            at += sprintf(at, "\\u%04x", (unsigned)p);
        else
            at += sprintf(at, "\\u%04x\\u%04x", (unsigned)(0xD7C0 + (p >> 10)), (unsigned)(0xDC00 + (p & 0x3FF)));
    }
    if (ascii) *at = 0;
    memory_free(points);
    return ascii;
}

int matfile_save(output *out, const io_array *array, const io_how *how, inco_error *error) {
    const inco_mat *m = &array->m;
    inco_mat compact = {0};
    writing w = {0};
    char *ascii = NULL;
    int status;
    TRY(check_size(out->name, (double)m->rows * (double)m->cols * m->type, error));
    if (m->ld != m->rows) TRY(mat_convert(&compact, m, m->type, error));
    TRY(begin(&w, out, error));
    TRY(put(&w, numbers("components", m->type, m->rows, m->cols, compact.data ? compact.data : m->data), error));
    if (how->mean) TRY(put(&w, numbers("mean", INCO_F64, m->rows, 1, how->mean->data), error));
    if (how->meta && *how->meta) {
        if (!(ascii = ascii_json(how->meta))) TRY(error_no_memory(error));
        size_t dims[2] = {1, strlen(ascii)};
        TRY(put(&w, Mat_VarCreate("meta", MAT_C_CHAR, MAT_T_UINT8, 2, dims, ascii, MAT_F_DONT_COPY_DATA), error));
    }
done:
    status = end(&w, status, error);
    memory_free(ascii);
    inco_mat_free(&compact);
    return status;
}

/* ---- Codes ---- */

/* matio's form of the codes, in new arrays. */
static int copy_sparse(mat_sparse_t *s, const csc *codes, inco_error *error) {
    const int64_t count = csc_nonzeros(codes);
    double *values = NEW_RAW(double, count);
    *s = (mat_sparse_t){.nzmax = (uint32_t)count,
                        .ir = NEW_RAW(uint32_t, count),
                        .nir = (uint32_t)count,
                        .jc = NEW(uint32_t, codes->cols + 1),
                        .njc = (uint32_t)codes->cols + 1,
                        .ndata = (uint32_t)count,
                        .data = values};
    if (!s->ir || !s->jc || !values) return error_no_memory(error);
    for (int64_t n = 0; codes->start && n <= codes->cols; n++) s->jc[n] = (uint32_t)codes->start[n];
    for (int64_t k = 0; k < count; k++) {
        s->ir[k] = (uint32_t)codes->index[k];
        values[k] = csc_value(codes, k);
    }
    return INCO_OK;
}

int matfile_save_codes(output *out, const csc *codes, const inco_origin *origin, inco_error *error) {
    size_t dims[2] = {(size_t)codes->rows, (size_t)codes->cols};
    const double bytes = 12.0 * (double)csc_nonzeros(codes) + 4.0 * (double)codes->cols;
    origin_table table = {0};
    mat_sparse_t sparse = {0};
    writing w = {0};
    int status;
    TRY(check_size(out->name, bytes, error));
    TRY(origin_describe(&table, origin, error));
    TRY(copy_sparse(&sparse, codes, error));
    TRY(begin(&w, out, error));
    TRY(put(&w, Mat_VarCreate("codes", MAT_C_SPARSE, MAT_T_DOUBLE, 2, dims, &sparse, MAT_F_DONT_COPY_DATA), error));
    for (const origin_field *f = table.field; f < table.field + table.count; f++)
        TRY(put(&w, numbers(f->name, INCO_F64, f->cols, f->rows, f->values), error));
done:
    status = end(&w, status, error);
    memory_free(sparse.ir);
    memory_free(sparse.jc);
    memory_free(sparse.data);
    origin_table_free(&table);
    return status;
}
#else
typedef int matfile_write_not_built;
#endif
