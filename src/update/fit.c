#include "update/fit.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "mat/blas.h"
#include "mat/mat.h"

typedef struct placing {
    fit_work *f;
    const inco_mat *d;
    double weight, *gradient;
} placing;

/* ---- A, in the type of the products ---- */

/* No entry of A is larger than the largest on its diagonal. */
static double largest_of(const inco_mat *a) {
    double maximum = 0;
    for (int64_t j = 0; j < a->cols; j++) maximum = fmax(maximum, mat_get(a, j, j));
    return maximum > 0 ? maximum : 1;
}

static void narrow_columns(void *self, int64_t first, int64_t end) {
    const fit_work *f = self;
    for (int64_t j = first; j < end; j++) {
        const double *from = mat_column(&f->s->a, j), by = 1 / f->unit;
        float *to = mat_column(&f->a, j);
        for (int64_t i = 0; i < f->a.rows; i++) to[i] = (float)(by * from[i]);
    }
}

static int open_products(fit_work *f, inco_type type, inco_error *error) {
    const inco_mat *a = &f->s->a;
    f->unit = 1;
    f->a = mat_columns(a, 0, a->cols);
    if (type == INCO_F64) return INCO_OK;
    int status = mat_new_raw(&f->a, type, a->rows, a->cols, error);
    if (status < 0) return status;
    f->unit = largest_of(a);
    parallel_columns(f->threads, a->rows, a->cols, narrow_columns, f);
    return status;
}

int fit_open(fit_work *f, const statistics *s, inco_type type, int threads, inco_error *error) {
    const int64_t rows = s->b.rows, cols = s->b.cols;
    int status;
    *f = (fit_work){.s = s, .threads = threads, .constant = s->energy};
    TRY(open_products(f, type, error));
    TRY(mat_convert(&f->slope, &s->b, INCO_F64, error));
    for (int64_t i = 0; i < rows * cols; i++) ((double *)f->slope.data)[i] *= -2;
    TRY(mat_new_raw(&f->image, type, rows, cols, error));
    if (!(f->term = NEW_RAW(double, cols))) TRY(error_no_memory(error));
    if (type == INCO_F64) return status;
    if (!(f->square = NEW_RAW(double, cols))) TRY(error_no_memory(error));
    TRY(mat_new_raw(&f->base, INCO_F64, rows, cols, error));
    TRY(mat_new_raw(&f->change, type, rows, cols, error));
done:
    return status;
}

void fit_close(fit_work *f) {
    MAT_FREE_ALL(&f->a, &f->base, &f->slope, &f->change, &f->image);
    memory_free(f->term);
    memory_free(f->square);
}

/* ---- A dictionary near by ---- */

static double sum_of(int64_t n, const double *x) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += x[i];
    return sum;
}

/* Converts 2 D0 A to the gradient. */
static void begin_columns(void *self, int64_t first, int64_t end) {
    const fit_work *f = self;
    const int64_t rows = f->base.rows;
    for (int64_t j = first; j < end; j++) {
        const double *b = mat_column(&f->s->b, j);
        double *slope = mat_column(&f->slope, j);
        f->term[j] = blas_dot(rows, mat_column(&f->base, j), slope) / 2;
        for (int64_t i = 0; i < rows; i++) slope[i] -= 2 * b[i];
    }
}

void fit_begin(fit_work *f, const inco_mat *d) {
    const int64_t rows = d->rows, cols = d->cols;
    mat_copy(&f->base, d);
    blas_multiply(f->threads, "NN", 2, &f->base, &f->s->a, 0, &f->slope);
    f->products++;
    parallel_columns(f->threads, rows, cols, begin_columns, f);
    f->constant = f->s->energy - sum_of(cols, f->term);
    memset(f->change.data, 0, (size_t)(rows * cols) * f->change.type);
    memset(f->image.data, 0, (size_t)(rows * cols) * f->image.type);
    f->begun = 1;
}

/* ---- The dictionary ---- */

static void change_columns(void *self, int64_t first, int64_t end) {
    const placing *p = self;
    for (int64_t j = first; j < end; j++) {
        const double *d = mat_column(p->d, j), *base = mat_column(&p->f->base, j);
        float *change = mat_column(&p->f->change, j);
        for (int64_t i = 0; i < p->d->rows; i++) change[i] = (float)(d[i] - base[i]);
    }
}

void fit_place(fit_work *f, const inco_mat *d) {
    placing p = {.f = f, .d = d};
    const int narrow = f->image.type == INCO_F32;
    if (narrow && !f->begun) {
        fit_begin(f, d);
        return;
    }
    if (narrow) parallel_columns(f->threads, d->rows, d->cols, change_columns, &p);
    blas_multiply(f->threads, "NN", 1, narrow ? &f->change : d, &f->a, 0, &f->image);
    f->products++;
}

void fit_advance(fit_work *f, double t, const inco_mat *pa) {
    blas_axpy(pa->rows * pa->cols, t, pa->data, f->image.data);
}

/* (FIT-2) for one atom. */
static void gradient_column(const placing *p, int64_t j) {
    const double *slope = mat_column(&p->f->slope, j), weight = p->weight, twice = 2 * p->f->unit;
    const void *image = mat_column(&p->f->image, j);
    const int64_t rows = p->d->rows;
    double *g = p->gradient + j * rows;
    if (p->f->image.type == INCO_F32)
        for (int64_t i = 0; i < rows; i++) g[i] = weight * (slope[i] + twice * (double)((const float *)image)[i]);
    else
        for (int64_t i = 0; i < rows; i++) g[i] = weight * (slope[i] + twice * ((const double *)image)[i]);
}

static void take_columns(void *self, int64_t first, int64_t end) {
    const placing *p = self;
    const fit_work *f = p->f;
    const int narrow = f->image.type == INCO_F32;
    for (int64_t j = first; j < end; j++) {
        const double second = mat_column_dot(narrow ? &f->change : p->d, &f->image, j);
        f->term[j] = blas_dot(p->d->rows, mat_column(p->d, j), mat_column(&f->slope, j)) + f->unit * second;
        if (narrow) f->square[j] = mat_column_energy(&f->image, j);
        if (p->gradient) gradient_column(p, j);
    }
}

double fit_value(fit_work *f, const inco_mat *d, double weight, double *gradient) {
    placing p = {f, d, weight, gradient};
    parallel_columns(f->threads, d->rows, d->cols, take_columns, &p);
    if (f->begun) f->distance = f->unit * sqrt(sum_of(d->cols, f->square));
    return f->constant + sum_of(d->cols, f->term);
}

/* A is symmetric: <P, D A - B> = <P, D0 A - B> + <P A, D - D0>. */
double fit_along(const fit_work *f, const inco_mat *d, const double *p, const double *pa) {
    const int64_t n = d->rows * d->cols;
    double moved = blas_dot(n, pa, d->data) - (f->begun ? blas_dot(n, pa, f->base.data) : 0);
    return blas_dot(n, p, f->slope.data) + 2 * moved;
}

int fit_is_coarse(const fit_work *f, double norm) {
    return f->begun && norm < 1e-3 * f->distance;
}
