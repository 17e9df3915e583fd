/* Block coordinate descent over the atoms, each on its sphere (docs/theory/online.md). */
#include "update/online.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/range.h"
#include "mat/blas.h"
#include "mat/mat.h"
#include "update/idl.h"
#include "update/others.h"

/* B_j - D A_j of this many atoms is computed by one matrix product, and then updated as atoms move. */
enum { TOGETHER = 64, DOUBLINGS = 8 };

typedef struct sweep {
    const statistics *s;
    double gamma;
    int threads;
    double curvature; /* of d'(D D')d, an estimate that is doubled for an atom if necessary */
    inco_mat d;       /* unit norms */
    inco_mat frame;   /* D D', lower triangle, updated if gamma > 0 */
    inco_mat pull;    /* D x TOGETHER: B_j - D A_j */
    inco_mat work;    /* D x COLUMNS */
} sweep;

/* Columns of the workspace for one atom: its r, the candidate u, M d and M u with M = D D' - d d', and the change of
 * the atom. */
enum { PULL, CANDIDATE, OF_ATOM, OF_CANDIDATE, CHANGE, COLUMNS };

static double *column_of(const sweep *w, int which) {
    return mat_column(&w->work, which);
}

/* Largest eigenvalue of D D', from D'D if that is smaller. */
static int find_curvature(sweep *w, inco_error *error) {
    const int wide = w->d.rows <= w->d.cols;
    const int64_t order = wide ? w->d.rows : w->d.cols;
    inco_mat small = {0}, vector = {0};
    double *values = NEW_RAW(double, order);
    int status = values ? mat_new_raw(&small, INCO_F64, order, order, error) : error_no_memory(error);
    if (status < 0) goto done;
    TRY(mat_new_raw(&vector, INCO_F64, order, 1, error));
    if (wide)
        mat_copy(&small, &w->frame);
    else
        blas_multiply(w->threads, "TN", 1, &w->d, &w->d, 0, &small);
    TRY(lapack_leading_eigenvectors(&small, values, &vector, error));
    w->curvature = values[0];
done:
    inco_mat_free(&small);
    inco_mat_free(&vector);
    memory_free(values);
    return status;
}

static int open_sweep(sweep *w, const inco_mat *d, const statistics *s, const update_settings *settings,
                      inco_error *error) {
    int status;
    *w = (sweep){.s = s, .gamma = settings->gamma, .threads = settings->threads};
    TRY(update_check(d, s, error));
    TRY(mat_convert(&w->d, d, INCO_F64, error));
    mat_normalize_columns(&w->d, NULL);
    TRY(mat_new_raw(&w->frame, INCO_F64, d->rows, d->rows, error));
    TRY(mat_new_raw(&w->pull, INCO_F64, d->rows, TOGETHER, error));
    TRY(mat_new_raw(&w->work, INCO_F64, d->rows, COLUMNS, error));
    if (w->gamma > 0) {
        blas_multiply(w->threads, "NT", 1, &w->d, &w->d, 0, &w->frame);
        TRY(find_curvature(w, error));
    }
done:
    return status;
}

/* B_j - D A_j for `count` atoms from `first` on. */
static void find_pulls(const sweep *w, int64_t first, int64_t count) {
    const inco_mat a = mat_columns(&w->s->a, first, count), b = mat_columns(&w->s->b, first, count);
    const inco_mat pull = mat_columns(&w->pull, 0, count);
    mat_copy(&pull, &b);
    blas_multiply(w->threads, "NN", -1, &w->d, &a, 1, &pull);
}

/* (ONLINE-4): r = B_j - D A_j + A_jj d_j, from the precomputed column. */
static void take_pull(const sweep *w, int64_t j, int64_t column) {
    const double *pull = mat_column(&w->pull, column), *d = mat_column(&w->d, j), own = mat_get(&w->s->a, j, j);
    double *r = column_of(w, PULL);
    for (int64_t i = 0; i < w->d.rows; i++) r[i] = pull[i] + own * d[i];
}

/* u = r + 2 gamma (curvature d - M d), normalised. Returns 0 if it is zero. */
static int make_candidate(const sweep *w, const double *d, double curvature) {
    const double *r = column_of(w, PULL), *others = column_of(w, OF_ATOM);
    double *u = column_of(w, CANDIDATE);
    const int64_t rows = w->d.rows;
    for (int64_t i = 0; i < rows; i++) u[i] = r[i] + (w->gamma > 0 ? 2 * w->gamma * (curvature * d[i] - others[i]) : 0);
    double norm = mat_column_norm(&w->work, CANDIDATE);
    if (!(norm > 0) || !isfinite(norm)) return 0;
    for (int64_t i = 0; i < rows; i++) u[i] /= norm;
    return 1;
}

/* (ONLINE-5) of the candidate minus that of the atom, 2 <d - u, r> + 2 gamma (u'M u - d'M d). */
static double difference(const sweep *w, const double *d) {
    const double *r = column_of(w, PULL), *u = column_of(w, CANDIDATE);
    const int64_t rows = w->d.rows;
    double pull = 2 * (blas_dot(rows, d, r) - blas_dot(rows, u, r));
    if (w->gamma == 0) return pull;
    return pull +
           2 * w->gamma * (blas_dot(rows, u, column_of(w, OF_CANDIDATE)) - blas_dot(rows, d, column_of(w, OF_ATOM)));
}

/* Replaces the atom d by the candidate u. */
static void accept(const sweep *w, double *d) {
    const double *u = column_of(w, CANDIDATE);
    double *change = column_of(w, CHANGE);
    if (w->gamma > 0) others_move(&w->frame, d, u, column_of(w, OF_ATOM));
    for (int64_t i = 0; i < w->d.rows; i++) {
        change[i] = u[i] - d[i];
        d[i] = u[i];
    }
}

/* (ONLINE-6), doubling the curvature until f does not increase. Returns 1 if the atom has moved. */
static int move_atom(const sweep *w, int64_t j) {
    double *d = mat_column(&w->d, j), curvature = w->curvature;
    if (w->gamma > 0) others_apply(&w->frame, d, d, column_of(w, OF_ATOM));
    for (int i = 0; i < DOUBLINGS; i++, curvature *= 2) {
        if (!make_candidate(w, d, curvature)) return 0;
        if (w->gamma > 0) others_apply(&w->frame, d, column_of(w, CANDIDATE), column_of(w, OF_CANDIDATE));
        if (!(difference(w, d) <= 0)) continue;
        accept(w, d);
        return 1;
    }
    return 0;
}

/* Updates the atoms from `first` on, one after the other, and the columns of the later ones after each move. */
static void move_together(const sweep *w, int64_t first) {
    const int64_t left = w->d.cols - first, count = range_min(left, TOGETHER);
    find_pulls(w, first, count);
    for (int64_t i = 0; i < count; i++) {
        const double *a = mat_column(&w->s->a, first + i);
        if (mat_column_norm(&w->d, first + i) == 0) continue;
        take_pull(w, first + i, i);
        if (!move_atom(w, first + i)) continue;
        for (int64_t k = i + 1; k < count; k++)
            if (a[first + k] != 0) blas_axpy(w->d.rows, -a[first + k], column_of(w, CHANGE), mat_column(&w->pull, k));
    }
}

/* Computes the objective *f, unless f is NULL. */
static int measure(const sweep *w, double *f, inco_error *error) {
    return f ? update_objective(&w->d, w->s, w->gamma, w->threads, f, error) : INCO_OK;
}

int online_update(inco_mat *d, const statistics *s, const update_settings *settings, update_result *result,
                  inco_error *error) {
    sweep w;
    int status = open_sweep(&w, d, s, settings, error);
    if (status < 0) goto done;
    if (result) *result = (update_result){.iterations = 1, .evaluations = 1};
    TRY(measure(&w, result ? &result->before : NULL, error));
    if (!isfinite(result ? result->before : s->energy))
        TRY(error_set(error, INCO_ENUMERIC, "the objective is not finite at the start of the update"));
    for (int64_t first = 0; first < d->cols; first += TOGETHER) move_together(&w, first);
    TRY(measure(&w, result ? &result->after : NULL, error));
    mat_copy(d, &w.d);
done:
    MAT_FREE_ALL(&w.d, &w.frame, &w.pull, &w.work);
    return status;
}
