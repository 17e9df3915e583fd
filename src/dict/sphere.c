#include "dict/sphere.h"

#include <math.h>

#include "mat/blas.h"
#include "mat/mat.h"

void sphere_normalize(const double *v, const inco_mat *d, double *norm) {
    const int64_t rows = d->rows;
    for (int64_t j = 0; j < d->cols; j++) {
        const double *from = v + j * rows;
        double *to = mat_column(d, j), length = norm[j] = sqrt(blas_dot(rows, from, from));
        for (int64_t i = 0; i < rows; i++) to[i] = length > 0 ? from[i] / length : 0;
    }
}

void sphere_project(const inco_mat *d, const double *norm, double *g, double *radial) {
    const int64_t rows = d->rows;
    for (int64_t j = 0; j < d->cols; j++, g += rows) {
        const double *atom = mat_column(d, j), length = norm[j], along = blas_dot(rows, atom, g);
        if (radial) radial[j] = along;
        for (int64_t i = 0; i < rows; i++) g[i] = length > 0 ? (g[i] - along * atom[i]) / length : 0;
    }
}

void sphere_rename(const inco_mat *d, const double *norm, lbfgs_point *at) {
    const int64_t rows = d->rows;
    for (int64_t j = 0; j < d->cols; j++) {
        const double *atom = mat_column(d, j);
        for (int64_t i = 0; i < rows; i++) {
            at->x[i + j * rows] = atom[i];
            at->gradient[i + j * rows] *= norm[j];
        }
    }
}
