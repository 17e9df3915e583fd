#include "dict/fit.h"

#include "base/parallel.h"
#include "mat/blas.h"
#include "mat/mat.h"

/* All that is wanted of a column while it is at hand. */
static void take_columns(void *self, int64_t first, int64_t end) {
    const fit_terms *f = self;
    const int64_t rows = f->d->rows;
    for (int64_t j = first; j < end; j++) {
        const double *d = mat_column(f->d, j), *da = mat_column(f->da, j), *b = mat_column(&f->s->b, j);
        f->room[j] = blas_dot(rows, d, da) - 2 * blas_dot(rows, d, b);
        for (int64_t i = 0; f->slope && i < rows; i++) f->slope[i + j * rows] = 2 * f->weight * (da[i] - b[i]);
    }
}

double fit_value(const fit_terms *f) {
    double sum = 0;
    parallel_columns(f->threads, f->d->rows, f->d->cols, take_columns, (void *)f);
    for (int64_t j = 0; j < f->d->cols; j++) sum += f->room[j];
    return f->s->energy + sum;
}
