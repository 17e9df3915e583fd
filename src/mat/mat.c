#include "mat/mat.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/fingerprint.h"
#include "base/memory.h"

void inco_mat_view(inco_mat *m, inco_type type, int64_t rows, int64_t cols, void *data) {
    if (m) *m = mat_view(type, rows, cols, data);
}

int mat_need(const inco_mat *m, const char *what, inco_error *error) {
    if (!m) return error_null(error, what);
    if (m->type != INCO_F32 && m->type != INCO_F64)
        return error_set(error, INCO_EINVAL, "the %s is not a matrix of type INCO_F32 or INCO_F64", what);
    if (m->rows < 0 || m->cols < 0 || m->ld < m->rows || (m->ld > 0 && m->cols > INT64_MAX / 8 / m->ld))
        return error_set(error, INCO_EINVAL, "the %s has an invalid size: %lld x %lld, leading dimension %lld", what,
                         (long long)m->rows, (long long)m->cols, (long long)m->ld);
    if (m->rows > 0 && m->cols > 0 && !m->data) return error_set(error, INCO_EINVAL, "the %s has no data", what);
    return INCO_OK;
}

int mat_new_raw(inco_mat *m, inco_type type, int64_t rows, int64_t cols, inco_error *error) {
    *m = mat_view(type, rows, cols, NULL);
    if (rows >= 0 && cols >= 0 && (rows == 0 || cols <= INT64_MAX / 8 / rows)) m->data = memory_raw(rows * cols, type);
    m->owner = owner_of_block(m->data);
    if (m->owner) return INCO_OK;
    *m = (inco_mat){0};
    return error_set(error, INCO_ENOMEM, "out of memory for a matrix of %lld x %lld", (long long)rows, (long long)cols);
}

int inco_mat_new(inco_mat *m, inco_type type, int64_t rows, int64_t cols, inco_error *error) {
    if (!m) return error_null(error, "matrix");
    if (type != INCO_F32 && type != INCO_F64) {
        *m = (inco_mat){0};
        return error_set(error, INCO_EINVAL, "the type of a matrix is INCO_F32 or INCO_F64, not %d", (int)type);
    }
    int status = mat_new_raw(m, type, rows, cols, error);
    if (!status) memset(m->data, 0, (size_t)(rows * cols) * type);
    return status;
}

void inco_mat_free(inco_mat *m) {
    if (!m) return;
    owner_release(m->owner);
    memset(m, 0, sizeof *m);
}

void mat_free_all(inco_mat *const *list) {
    for (; *list; list++) inco_mat_free(*list);
}

inco_mat mat_columns(const inco_mat *m, int64_t first, int64_t count) {
    return (inco_mat){m->type, m->rows, count, m->ld, m->data ? mat_column(m, first) : NULL, NULL};
}

inco_mat mat_part(const inco_mat *m, int64_t row, int64_t col, int64_t rows, int64_t cols) {
    char *first = (char *)mat_column(m, col) + (size_t)row * m->type;
    return (inco_mat){m->type, rows, cols, m->ld, first, NULL};
}

void mat_copy(const inco_mat *to, const inco_mat *from) {
    for (int64_t j = 0; j < from->cols; j++) {
        if (to->type == from->type) {
            memcpy(mat_column(to, j), mat_column(from, j), (size_t)from->rows * from->type);
        } else if (to->type == INCO_F32) {
            const double *in = mat_column(from, j);
            float *out = mat_column(to, j);
            for (int64_t i = 0; i < from->rows; i++) out[i] = (float)in[i];
        } else {
            const float *in = mat_column(from, j);
            double *out = mat_column(to, j);
            for (int64_t i = 0; i < from->rows; i++) out[i] = in[i];
        }
    }
}

int mat_convert(inco_mat *to, const inco_mat *from, inco_type type, inco_error *error) {
    int status = mat_new_raw(to, type, from->rows, from->cols, error);
    if (!status) mat_copy(to, from);
    return status;
}

/* Transposed copies are done in tiles, since one side is not in memory order. */
enum { TILE = 64 };

/* Copies column j of `from` to row j of `to`, entries `first` to `end` - 1. */
#define COPY_TO_ROW(to_type, from_type)                                                                                \
    for (int64_t i = first; i < end; i++) ((to_type *)row)[i * ld] = (to_type)((const from_type *)column)[i]

static void copy_to_row(const inco_mat *to, const inco_mat *from, int64_t j, int64_t first, int64_t end) {
    const int64_t ld = to->ld;
    const void *column = mat_column(from, j);
    void *row = (char *)to->data + (size_t)j * to->type;
    if (to->type == INCO_F32 && from->type == INCO_F32)
        COPY_TO_ROW(float, float);
    else if (to->type == INCO_F32)
        COPY_TO_ROW(float, double);
    else if (from->type == INCO_F32)
        COPY_TO_ROW(double, float);
    else
        COPY_TO_ROW(double, double);
}

/* Transposes one tile; `below`: only the entries below the diagonal of `from`. */
static void transpose_tile(const inco_mat *to, const inco_mat *from, int64_t i0, int64_t j0, int below) {
    const int64_t end = from->rows - i0 < TILE ? from->rows : i0 + TILE;
    const int64_t last = from->cols - j0 < TILE ? from->cols : j0 + TILE;
    for (int64_t j = j0; j < last; j++) copy_to_row(to, from, j, below && i0 <= j ? j + 1 : i0, end);
}

void mat_copy_transposed(const inco_mat *to, const inco_mat *from) {
    for (int64_t j = 0; j < from->cols; j += TILE)
        for (int64_t i = 0; i < from->rows; i += TILE) transpose_tile(to, from, i, j, 0);
}

void mat_mirror(const inco_mat *m) {
    for (int64_t j = 0; j < m->cols; j += TILE)
        for (int64_t i = j; i < m->rows; i += TILE) transpose_tile(m, m, i, j, 1);
}

int mat_transpose(inco_mat *to, const inco_mat *from, inco_error *error) {
    int status = mat_new_raw(to, from->type, from->cols, from->rows, error);
    if (!status) mat_copy_transposed(to, from);
    return status;
}

/* x - x is 0 for finite x, else NaN: one pass without branches finds the columns to examine. */
static int column_finite(const inco_mat *m, int64_t j) {
    if (m->type == INCO_F32) {
        const float *x = mat_column(m, j);
        float sum = 0;
        for (int64_t i = 0; i < m->rows; i++) sum += x[i] - x[i];
        return sum == 0;
    }
    const double *x = mat_column(m, j);
    double sum = 0;
    for (int64_t i = 0; i < m->rows; i++) sum += x[i] - x[i];
    return sum == 0;
}

int mat_find_nonfinite(const inco_mat *m, int64_t *row, int64_t *col) {
    for (int64_t j = 0; j < m->cols; j++) {
        if (column_finite(m, j)) continue;
        for (int64_t i = 0; i < m->rows; i++) {
            if (isfinite(mat_get(m, i, j))) continue;
            *row = i;
            *col = j;
            return 1;
        }
    }
    return 0;
}

int mat_check_atoms(const inco_mat *d, const char *name, inco_error *error) {
    int64_t feature, atom;
    if (!mat_find_nonfinite(d, &feature, &atom)) return INCO_OK;
    return error_set(error, INCO_EDATA, "the %s has a NaN or Inf in atom %lld, feature %lld (counted from 0)", name,
                     (long long)atom, (long long)feature);
}

enum { SUMS = 8 }; /* independent partial sums */

static double add_up(const double sum[SUMS]) {
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

static double dot_f32(int64_t n, const float *x, const float *y) {
    double sum[SUMS] = {0};
    int64_t i = 0;
    for (; i + SUMS <= n; i += SUMS)
        for (int k = 0; k < SUMS; k++) sum[k] += (double)x[i + k] * (double)y[i + k];
    for (; i < n; i++) sum[0] += (double)x[i] * (double)y[i];
    return add_up(sum);
}

static double dot_f64(int64_t n, const double *x, const double *y) {
    double sum[SUMS] = {0};
    int64_t i = 0;
    for (; i + SUMS <= n; i += SUMS)
        for (int k = 0; k < SUMS; k++) sum[k] += x[i + k] * y[i + k];
    for (; i < n; i++) sum[0] += x[i] * y[i];
    return add_up(sum);
}

double mat_column_dot(const inco_mat *a, const inco_mat *b, int64_t j) {
    return a->type == INCO_F32 ? dot_f32(a->rows, mat_column(a, j), mat_column(b, j))
                               : dot_f64(a->rows, mat_column(a, j), mat_column(b, j));
}

double mat_column_energy(const inco_mat *m, int64_t j) {
    return mat_column_dot(m, m, j);
}

/* If squares may have overflowed or underflowed, scales by the largest entry first. */
double mat_column_norm(const inco_mat *m, int64_t j) {
    const double energy = mat_column_energy(m, j);
    double largest = 0, sum = 0;
    if (energy > 1e-200 && energy < 1e200) return sqrt(energy);
    for (int64_t i = 0; i < m->rows; i++) largest = fmax(largest, fabs(mat_get(m, i, j)));
    if (largest == 0 || !isfinite(largest)) return largest;
    for (int64_t i = 0; i < m->rows; i++) {
        double x = mat_get(m, i, j) / largest;
        sum += x * x;
    }
    return largest * sqrt(sum);
}

static void divide_column(const inco_mat *m, int64_t j, double by) {
    if (m->type == INCO_F32) {
        float *x = mat_column(m, j);
        for (int64_t i = 0; i < m->rows; i++) x[i] = (float)(x[i] / by);
    } else {
        double *x = mat_column(m, j);
        for (int64_t i = 0; i < m->rows; i++) x[i] /= by;
    }
}

int64_t mat_normalize_columns(const inco_mat *m, double *norms) {
    int64_t zeros = 0;
    for (int64_t j = 0; j < m->cols; j++) {
        double norm = mat_column_norm(m, j);
        if (norms) norms[j] = norm;
        if (norm == 0)
            zeros++;
        else
            divide_column(m, j, norm);
    }
    return zeros;
}

int mat_is_normalized(const inco_mat *m) {
    int64_t row, col;
    int good = !mat_find_nonfinite(m, &row, &col);
    for (int64_t j = 0; good && j < m->cols; j++) good = fabs(mat_column_norm(m, j) - 1) < 1e-9;
    return good;
}

int64_t mat_fingerprint(const inco_mat *m) {
    const int64_t size[] = {m->rows, m->cols};
    fingerprint_sum sum;
    fingerprint_begin(&sum);
    fingerprint_add(&sum, size, sizeof size);
    for (int64_t j = 0; j < m->cols; j++)
        for (int64_t i = 0; i < m->rows; i++) {
            const float value = (float)mat_get(m, i, j);
            fingerprint_add(&sum, &value, sizeof value);
        }
    return 1 + (int64_t)(fingerprint_end(&sum) >> 12);
}

int64_t inco_fingerprint(const inco_mat *dictionary) {
    return mat_need(dictionary, "dictionary", NULL) < 0 ? 0 : mat_fingerprint(dictionary);
}
