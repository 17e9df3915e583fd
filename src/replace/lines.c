#include "replace/lines.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mat/blas.h"
#include "mat/mat.h"

enum { PASSES = 6 };

typedef struct finder {
    const inco_mat *r;
    const double *weight;
    inco_mat z;        /* the lines so far */
    inco_mat products; /* z'r */
    double *gain, *square, *left;
    int32_t *line; /* per vector: the closest line */
} finder;

static double weight_of(const finder *f, int64_t n) {
    return f->weight ? f->weight[n] : 1;
}

/* ---- Initialisation ---- */

static int64_t largest(const double *x, int64_t count) {
    int64_t best = 0;
    for (int64_t n = 1; n < count; n++)
        if (x[n] > x[best]) best = n;
    return best;
}

/* (EX-2): each line starts at the vector that the lines so far explain least. Returns their number. */
static int64_t start_lines(finder *f, const inco_mat *lines) {
    const int64_t dim = f->r->rows, count = f->r->cols;
    double *product = f->products.data;
    for (int64_t n = 0; n < count; n++) {
        const double *r = mat_column(f->r, n);
        f->left[n] = f->square[n] = blas_dot(dim, r, r);
    }
    const double least = 1e-12 * f->square[largest(f->square, count)];
    for (int64_t i = 0; i < lines->cols; i++) {
        const int64_t from = largest(f->left, count);
        inco_mat z = mat_columns(lines, i, 1);
        if (!(f->left[from] > least)) return i;
        memcpy(z.data, mat_column(f->r, from), (size_t)dim * sizeof(double));
        mat_normalize_columns(&z, NULL);
        blas_gemv_transposed(f->r, 1, z.data, 0, product);
        for (int64_t n = 0; n < count; n++) f->left[n] = fmin(f->left[n], f->square[n] - product[n] * product[n]);
    }
    return lines->cols;
}

/* ---- Iterations ---- */

/* (EX-3): assigns every vector to the line with the largest |z'r|, and sums the gains. */
static void assign(finder *f, int threads) {
    blas_multiply(threads, "TN", 1, &f->z, f->r, 0, &f->products);
    memset(f->gain, 0, (size_t)f->z.cols * sizeof *f->gain);
    for (int64_t n = 0; n < f->r->cols; n++) {
        const double *product = mat_column(&f->products, n);
        int32_t best = 0;
        for (int32_t i = 1; i < f->z.cols; i++)
            if (fabs(product[i]) > fabs(product[best])) best = i;
        f->line[n] = best;
        f->gain[best] += weight_of(f, n) * product[best] * product[best];
    }
}

/* (EX-4): one power step of every line on its vectors. A line without vectors stays. */
static void refit(finder *f) {
    const int64_t dim = f->r->rows;
    for (int64_t i = 0; i < f->z.cols; i++)
        if (f->gain[i] > 0) memset(mat_column(&f->z, i), 0, (size_t)dim * sizeof(double));
    for (int64_t n = 0; n < f->r->cols; n++) {
        const int64_t i = f->line[n];
        const double step = weight_of(f, n) * mat_get(&f->products, i, n);
        if (f->gain[i] > 0) blas_axpy(dim, step, mat_column(f->r, n), mat_column(&f->z, i));
    }
    mat_normalize_columns(&f->z, NULL);
}

static void sort_lines(finder *f) {
    const int64_t dim = f->r->rows;
    for (int64_t i = 0; i < f->z.cols; i++) {
        const int64_t k = i + largest(f->gain + i, f->z.cols - i);
        double *a = mat_column(&f->z, i), *b = mat_column(&f->z, k), gain = f->gain[i];
        f->gain[i] = f->gain[k];
        f->gain[k] = gain;
        for (int64_t j = 0; j < dim && k != i; j++) {
            const double swap = a[j];
            a[j] = b[j];
            b[j] = swap;
        }
    }
}

int lines_find(inco_mat *z, double *gain, int64_t *found, const lines_input *in, inco_error *error) {
    const int64_t count = in->r->cols;
    finder f = {.r = in->r, .weight = in->weight, .gain = gain};
    int status = INCO_OK;
    *found = 0;
    if (count == 0 || z->cols == 0) return status;
    f.square = NEW_RAW(double, count);
    f.left = NEW_RAW(double, count);
    f.line = NEW_RAW(int32_t, count);
    if (!f.square || !f.left || !f.line) TRY(error_no_memory(error));
    TRY(mat_new_raw(&f.products, INCO_F64, z->cols, count, error));
    *found = start_lines(&f, z);
    f.z = mat_columns(z, 0, *found);
    f.products.rows = f.products.ld = *found;
    for (int pass = 0; *found > 0; pass++) {
        assign(&f, in->threads);
        if (pass == PASSES) break;
        refit(&f);
    }
    sort_lines(&f);
done:
    memory_free(f.square);
    memory_free(f.left);
    memory_free(f.line);
    inco_mat_free(&f.products);
    return status;
}
