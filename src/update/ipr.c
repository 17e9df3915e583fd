#include "update/ipr.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/range.h"
#include "mat/blas.h"
#include "mat/mat.h"
#include "pairs/decorrelate.h"

enum { PANEL = 128 };

typedef struct projector {
    const ipr_settings *settings;
    inco_mat *d;
    inco_mat gram, vectors; /* L x L, lower triangle; its leading eigenvectors, L x min(rank, L) */
    double *values;         /* L */
    double *maximum;        /* per column of the Gram matrix */
} projector;

/* ---- Projections ---- */

/* (IPR-1): clips a panel of columns of the Gram matrix, from the diagonal down, to the bound; most[] receives the
 * largest entry of each before. */
static int clip_panel(void *self, int64_t panel, int thread, inco_error *error) {
    const projector *w = self;
    const double bound = w->settings->bound;
    const int64_t first = panel * PANEL, left = w->d->cols - first, cols = range_min(left, PANEL);
    const inco_mat below = mat_columns(w->d, first, left), right = mat_columns(w->d, first, cols);
    const inco_mat to = mat_part(&w->gram, first, first, left, cols);
    blas_multiply(1, "TN", 1, &below, &right, 0, &to);
    for (int64_t j = 0; j < cols; j++) {
        double *g = mat_column(&to, j), maximum = 0;
        for (int64_t i = j + 1; i < left; i++) {
            maximum = fmax(maximum, fabs(g[i]));
            g[i] = fmin(fmax(g[i], -bound), bound);
        }
        g[j] = 1;
        w->maximum[first + j] = maximum;
    }
    (void)thread, (void)error;
    return INCO_OK;
}

/* Computes the lower triangle of the clipped Gram matrix; returns the coherence before. */
static double clip(projector *w) {
    double maximum = 0;
    parallel_for(w->settings->threads, range_blocks(w->d->cols, PANEL), clip_panel, w, NULL);
    for (int64_t j = 0; j < w->d->cols; j++) maximum = fmax(maximum, w->maximum[j]);
    return maximum;
}

/* Dimensions that atoms may use before the rotation. */
static int64_t rank_of(const projector *w) {
    return w->settings->rank > 0 ? w->settings->rank : w->d->rows;
}

/* (IPR-2): D = diag(sqrt(lambda)) V', with columns normalised. A zero column is replaced by a random direction. */
static void factor(projector *w, int64_t iteration) {
    const int64_t rank = w->vectors.cols, dim = w->d->rows, free = rank_of(w);
    for (int64_t j = 0; j < w->d->cols; j++) {
        inco_mat column = mat_columns(w->d, j, 1);
        double *atom = column.data;
        memset(atom, 0, (size_t)dim * sizeof *atom);
        for (int64_t r = 0; r < rank; r++) atom[r] = sqrt(fmax(w->values[r], 0)) * mat_get(&w->vectors, j, r);
        if (mat_column_norm(&column, 0) < 1e-8)
            decorrelate_direction(atom, free, w->settings->seed, w->settings->round,
                                  (uint64_t)(iteration * w->d->cols + j));
        mat_normalize_columns(&column, NULL);
    }
}

/* ---- The rotation ---- */

/* (IPR-3): D <- W D with the orthogonal W that minimises |X - W D C|. b = X C'. */
static int rotate(projector *w, const inco_mat *b, inco_error *error) {
    const int64_t dim = w->d->rows;
    inco_mat p = {0}, u = {0}, vt = {0}, turned = {0};
    double *values = NEW_RAW(double, dim);
    int status;
    if (!values) TRY(error_no_memory(error));
    TRY(mat_new_raw(&p, INCO_F64, dim, dim, error));
    TRY(mat_new_raw(&u, INCO_F64, dim, dim, error));
    TRY(mat_new_raw(&vt, INCO_F64, dim, dim, error));
    TRY(mat_new_raw(&turned, INCO_F64, dim, w->d->cols, error));
    blas_multiply(w->settings->threads, "NT", 1, w->d, b, 0, &p); /* D C X' = U S V' */
    TRY(lapack_svd(&p, &u, values, &vt, error));
    blas_multiply(w->settings->threads, "TT", 1, &vt, &u, 0, &p); /* W = V U' */
    blas_multiply(w->settings->threads, "NN", 1, &p, w->d, 0, &turned);
    mat_copy(w->d, &turned);
    mat_normalize_columns(w->d, NULL);
done:
    memory_free(values);
    inco_mat_free(&p);
    inco_mat_free(&u);
    inco_mat_free(&vt);
    inco_mat_free(&turned);
    return status;
}

/* ---- Both ---- */

static int open_projector(projector *w, inco_error *error) {
    const int64_t atoms = w->d->cols, rank = range_min(rank_of(w), atoms);
    w->values = NEW_RAW(double, atoms);
    w->maximum = NEW_RAW(double, atoms);
    if (!w->values || !w->maximum) return error_no_memory(error);
    int status = mat_new_raw(&w->gram, INCO_F64, atoms, atoms, error);
    return status < 0 ? status : mat_new_raw(&w->vectors, INCO_F64, atoms, rank, error);
}

/* The rotation does not change the Gram matrix, so that one after the last projection is equivalent to one after
 * each. */
int ipr_project(inco_mat *d, training *t, const ipr_settings *settings, ipr_result *result, inco_error *error) {
    projector w = {.settings = settings, .d = d};
    inco_mat b = {0};
    int status;
    *result = (ipr_result){0};
    TRY(open_projector(&w, error));
    TRY(training_products(t, d, &b, error));
    while ((result->coherence = clip(&w)) > settings->bound + settings->tolerance &&
           result->iterations < settings->iterations) {
        TRY(watcher_ask(settings->poll));
        TRY(lapack_leading_eigenvectors(&w.gram, w.values, &w.vectors, error));
        factor(&w, result->iterations++);
    }
    if (result->iterations > 0) TRY(rotate(&w, &b, error));
done:
    memory_free(w.values);
    memory_free(w.maximum);
    MAT_FREE_ALL(&w.gram, &w.vectors, &b);
    return status;
}
