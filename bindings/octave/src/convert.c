#include "convert.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(mwIndex) == sizeof(int64_t), "indices of sparse matrices have 64 bits");

int convert_fail(inco_error *error, int status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return error->code = status;
}

/* ---- From the host ---- */

int convert_matrix(inco_mat *m, const mxArray *array, const char *name, inco_error *error) {
    if (mxIsSparse(array))
        return convert_fail(error, INCO_EINVAL, "%s is sparse, but a full matrix is required: use full (%s)", name,
                            name);
    if (mxIsComplex(array)) return convert_fail(error, INCO_EINVAL, "%s is complex, but must be real", name);
    if (!mxIsDouble(array) && !mxIsSingle(array))
        return convert_fail(error, INCO_EINVAL, "%s is of class %s, but must be double or single", name,
                            mxGetClassName(array));
    if (mxGetNumberOfDimensions(array) != 2)
        return convert_fail(error, INCO_EDIM,
                            "%s has %d dimensions, but must be a matrix with a signal or atom per column", name,
                            (int)mxGetNumberOfDimensions(array));
    inco_mat_view(m, mxIsDouble(array) ? INCO_F64 : INCO_F32, (int64_t)mxGetM(array), (int64_t)mxGetN(array),
                  mxGetData(array));
    return INCO_OK;
}

int convert_codes(inco_csc *codes, const mxArray *array, const char *name, inco_error *error) {
    if (!mxIsSparse(array) || !mxIsDouble(array) || mxIsComplex(array))
        return convert_fail(error, INCO_EINVAL, "%s must be a real sparse matrix", name);
    *codes = (inco_csc){INCO_F64,
                        (int64_t)mxGetM(array),
                        (int64_t)mxGetN(array),
                        (int64_t *)mxGetJc(array),
                        (int64_t *)mxGetIr(array),
                        mxGetData(array),
                        NULL};
    return INCO_OK;
}

/* Opens the files named by a text or by a cell array of texts. */
static int open_files(signals *s, const mxArray *array, const inco_options *options, inco_error *error) {
    const int cell = mxIsCell(array), count = cell ? (int)mxGetNumberOfElements(array) : 1;
    char **paths = calloc((size_t)count + 1, sizeof *paths);
    int status = paths ? INCO_OK : convert_fail(error, INCO_ENOMEM, "out of memory");
    for (int i = 0; i < count && status >= 0; i++) {
        const mxArray *path = cell ? mxGetCell(array, (mwIndex)i) : array;
        if (!path || !mxIsChar(path))
            status = convert_fail(error, INCO_EINVAL, "element %d of X is no text", i + 1);
        else
            paths[i] = mxArrayToString(path);
    }
    if (status >= 0) status = inco_data_open(&s->data, (const char *const *)paths, count, options, error);
    if (status >= 0) status = inco_data_source(s->data, &s->source, error);
    for (int i = 0; paths && i < count; i++) mxFree(paths[i]);
    free(paths);
    return status;
}

int signals_open(signals *s, const mxArray *array, const inco_options *options, inco_error *error) {
    *s = (signals){.source = INCO_INIT(inco_source)};
    if (mxIsChar(array) || mxIsCell(array)) return open_files(s, array, options, error);
    if (inco_options_given(options, "weights"))
        return convert_fail(error, INCO_EINVAL, "option 'weights' names a file of weights, for signals from files");
    if (inco_options_given(options, "mask"))
        return convert_fail(
            error, INCO_EINVAL,
            "option 'mask' names a file, for signals from files; in a matrix, NaN marks missing entries: option "
            "'missing' = 'nan'");
    int status = convert_matrix(&s->x, array, "X", error);
    if (status >= 0) status = inco_source_from_mat(&s->source, &s->x, error);
    return status;
}

void signals_close(signals *s) {
    inco_data_free(s->data);
    s->data = NULL;
}

/* ---- To the host ---- */

mxArray *convert_to_array(const inco_mat *m) {
    const mxClassID class = m->type == INCO_F32 ? mxSINGLE_CLASS : mxDOUBLE_CLASS;
    mxArray *array = mxCreateNumericMatrix((mwSize)m->rows, (mwSize)m->cols, class, mxREAL);
    const size_t column = (size_t)m->rows * m->type;
    for (int64_t j = 0; j < m->cols && column; j++)
        memcpy((char *)mxGetData(array) + (size_t)j * column, (const char *)m->data + (size_t)(j * m->ld) * m->type,
               column);
    return array;
}

mxArray *convert_to_sparse(const inco_csc *codes) {
    const int64_t count = codes->start ? codes->start[codes->cols] : 0;
    mxArray *array = mxCreateSparse((mwSize)codes->rows, (mwSize)codes->cols, (mwSize)(count ? count : 1), mxREAL);
    double *value = mxGetData(array);
    if (!codes->start) return array;
    memcpy(mxGetJc(array), codes->start, ((size_t)codes->cols + 1) * sizeof(int64_t));
    if (count) memcpy(mxGetIr(array), codes->index, (size_t)count * sizeof(int64_t));
    for (int64_t k = 0; k < count; k++)
        value[k] =
            codes->type == INCO_F32 ? (double)((const float *)codes->value)[k] : ((const double *)codes->value)[k];
    return array;
}

mxArray *convert_doubles(const double *values, int64_t rows, int64_t cols) {
    mxArray *array = mxCreateDoubleMatrix((mwSize)rows, (mwSize)cols, mxREAL);
    if (rows * cols > 0) memcpy(mxGetData(array), values, (size_t)(rows * cols) * sizeof(double));
    return array;
}

mxArray *convert_integers(const int64_t *values, int64_t count, int64_t offset) {
    mxArray *array = mxCreateDoubleMatrix(count ? 1 : 0, (mwSize)count, mxREAL);
    double *to = mxGetData(array);
    for (int64_t i = 0; i < count; i++) to[i] = (double)(values[i] + offset);
    return array;
}

double field_number(const field *f, const void *base) {
    const char *at = (const char *)base + f->offset;
    switch (f->kind) {
    case FIELD_REAL:
        return *(const double *)at;
    case FIELD_INTEGER:
        return (double)*(const int64_t *)at;
    case FIELD_ENUM:
        return *(const int *)at;
    default:
        return NAN;
    }
}

void struct_add(mxArray *to, const char *name, mxArray *value) {
    mxAddField(to, name);
    mxSetField(to, 0, name, value);
}

/* An inco_type becomes the name of its class. */
mxArray *convert_to_struct(const field *fields, int count, const void *base) {
    mxArray *to = mxCreateStructMatrix(1, 1, 0, NULL);
    for (int i = 0; i < count; i++) {
        const char *text = fields[i].kind == FIELD_TEXT ? *(const char *const *)((const char *)base + fields[i].offset)
                           : fields[i].kind != FIELD_ENUM               ? NULL
                           : field_number(&fields[i], base) == INCO_F32 ? "single"
                                                                        : "double";
        const int is_text = fields[i].kind == FIELD_TEXT || fields[i].kind == FIELD_ENUM;
        struct_add(to, fields[i].name,
                   is_text ? mxCreateString(text ? text : "") : mxCreateDoubleScalar(field_number(&fields[i], base)));
    }
    return to;
}
