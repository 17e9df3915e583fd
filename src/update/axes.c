/* The axes are the eigenvectors of K = D diag(1/c_j) D' (CURV-11) if D D' - I is nearly diagonal in them (CURV-10),
 * else those of D D' - I. */
#include "update/axes.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "mat/blas.h"
#include "mat/mat.h"
#include "update/curvature.h"

/* out = U'm */
static int turn(const axes *w, const inco_mat *m, inco_mat *out, inco_error *error) {
    int status = mat_new_raw(out, INCO_F64, w->basis.cols, m->cols, error);
    if (status >= 0) blas_multiply(w->settings.threads, "TN", 1, &w->basis, m, 0, out);
    return status;
}

/* out = D diag(1 / c_j) D', c_j = 2 A_jj + floor */
static int soften(const axes *w, const inco_mat *d, const statistics *s, const inco_mat *out, inco_error *error) {
    const int64_t rows = d->rows, cols = d->cols;
    double *fit = NEW_RAW(double, cols);
    inco_mat scaled = {0};
    int status;
    if (!fit) TRY(error_no_memory(error));
    TRY(mat_convert(&scaled, d, INCO_F64, error));
    curvature_fit(s, &w->settings, fit);
    for (int64_t j = 0; j < cols; j++) {
        double *atom = mat_column(&scaled, j), by = 1 / sqrt(fit[j]);
        for (int64_t i = 0; i < rows; i++) atom[i] *= by;
    }
    blas_multiply(w->settings.threads, "NT", 1, &scaled, &scaled, 0, out);
done:
    memory_free(fit);
    inco_mat_free(&scaled);
    return status;
}

/* Of the matrix rounded to float32, so that dictionaries that differ by the last bits have the same axes. */
static int take_eigenvectors(axes *w, inco_error *error) {
    double *values = NEW_RAW(double, w->basis.rows), *entry = w->basis.data;
    for (int64_t i = 0; i < w->basis.rows * w->basis.cols; i++) entry[i] = (float)entry[i];
    int status = values ? lapack_eigenvectors(&w->basis, values, error) : error_no_memory(error);
    memory_free(values);
    return status;
}

/* Whether e is nearly diagonal in the axes. */
static int suits(const axes *w, const inco_mat *e, int *suitable, inco_error *error) {
    inco_mat half = {0}, turned = {0};
    int status;
    TRY(turn(w, e, &half, error));
    TRY(mat_new_raw(&turned, INCO_F64, e->rows, e->cols, error));
    blas_multiply(w->settings.threads, "NN", 1, &half, &w->basis, 0, &turned);
    *suitable = curvature_is_diagonal(&turned, 1);
done:
    MAT_FREE_ALL(&half, &turned);
    return status;
}

static int choose(axes *w, const inco_mat *d, const statistics *s, inco_error *error) {
    inco_mat e = {0};
    int status, suitable = 0;
    TRY(mat_new_raw(&e, INCO_F64, d->rows, d->rows, error));
    TRY(mat_new_raw(&w->basis, INCO_F64, d->rows, d->rows, error));
    blas_multiply(w->settings.threads, "NT", 1, d, d, 0, &e);
    for (int64_t i = 0; i < e.rows; i++) mat_set(&e, i, i, mat_get(&e, i, i) - 1);
    if (!w->settings.rescale) {
        TRY(soften(w, d, s, &w->basis, error));
        TRY(take_eigenvectors(w, error));
        TRY(suits(w, &e, &suitable, error));
    }
    if (suitable) goto done;
    mat_copy(&w->basis, &e);
    TRY(take_eigenvectors(w, error));
done:
    inco_mat_free(&e);
    return status;
}

int axes_open(axes *w, const inco_mat *given, const inco_mat *d, const statistics *s, const update_settings *settings,
              inco_error *error) {
    int status;
    *w = (axes){.settings = *settings, .s = *s};
    w->s.b = (inco_mat){0};
    TRY(given->data ? mat_convert(&w->basis, given, INCO_F64, error) : choose(w, d, s, error));
    TRY(turn(w, d, &w->d, error));
    TRY(turn(w, &s->b, &w->s.b, error));
    if (!settings->within) goto done;
    w->span = *settings->within;
    w->span.basis = (inco_mat){0};
    w->settings.within = &w->span;
    if (settings->within->basis.data) TRY(turn(w, &settings->within->basis, &w->span.basis, error));
done:
    return status;
}

void axes_close(axes *w) {
    MAT_FREE_ALL(&w->basis, &w->d, &w->s.b, &w->span.basis);
}

void axes_leave(const axes *w, const inco_mat *d) {
    blas_multiply(w->settings.threads, "NN", 1, &w->basis, &w->d, 0, d);
    mat_normalize_columns(d, NULL);
}
