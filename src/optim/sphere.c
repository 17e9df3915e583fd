#include "optim/sphere.h"

#include <math.h>

#include "base/parallel.h"
#include "mat/blas.h"
#include "mat/mat.h"

typedef struct spheres {
    const inco_mat *d;
    const double *from;   /* unknowns */
    const double *length; /* their norms, once known; NULL: 1 */
    double *norm, *radial;
    double *x, *g;
} spheres;

static void normalize(void *self, int64_t first, int64_t end) {
    const spheres *w = self;
    const int64_t rows = w->d->rows;
    for (int64_t j = first; j < end; j++) {
        const double *from = w->from + j * rows;
        double *to = mat_column(w->d, j), length = w->norm[j] = sqrt(blas_dot(rows, from, from));
        for (int64_t i = 0; i < rows; i++) to[i] = length > 0 ? from[i] / length : 0;
    }
}

void sphere_normalize(int threads, const double *v, const inco_mat *d, double *norm) {
    spheres w = {.d = d, .from = v, .norm = norm};
    parallel_columns(threads, d->rows, d->cols, normalize, &w);
}

static void project(void *self, int64_t first, int64_t end) {
    const spheres *w = self;
    const int64_t rows = w->d->rows;
    for (int64_t j = first; j < end; j++) {
        double *g = w->g + j * rows;
        const double *atom = mat_column(w->d, j), along = blas_dot(rows, atom, g),
                     length = w->length ? w->length[j] : 1;
        if (w->radial) w->radial[j] = along;
        for (int64_t i = 0; i < rows; i++) g[i] = length > 0 ? (g[i] - along * atom[i]) / length : 0;
    }
}

void sphere_project(int threads, const inco_mat *d, const double *norm, double *g, double *radial) {
    spheres w = {.d = d, .length = norm, .g = g, .radial = radial};
    parallel_columns(threads, d->rows, d->cols, project, &w);
}

static void rename_columns(void *self, int64_t first, int64_t end) {
    const spheres *w = self;
    const int64_t rows = w->d->rows;
    for (int64_t j = first; j < end; j++) {
        const double *atom = mat_column(w->d, j);
        for (int64_t i = 0; i < rows; i++) {
            w->x[i + j * rows] = atom[i];
            w->g[i + j * rows] *= w->length[j];
        }
    }
}

void sphere_rename(int threads, const inco_mat *d, const double *norm, lbfgs_point *at) {
    spheres w = {.d = d, .length = norm, .x = at->x, .g = at->gradient};
    parallel_columns(threads, d->rows, d->cols, rename_columns, &w);
}
