/* Block coordinate descent over the atoms, each on its sphere (docs/theory/online.md). */
#include "dict/online.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "dict/idl.h"
#include "mat/blas.h"
#include "mat/mat.h"

typedef struct sweep {
    const statistics *s;
    double gamma;
    double curvature; /* of d'(D D')d, an estimate that each atom may raise for itself */
    inco_mat d;       /* unit norms */
    inco_mat frame;   /* D D', kept up to date when gamma > 0 */
    inco_mat work;    /* D x 4: pull, candidate, and the products of the frame with the atom and with it */
} sweep;

enum { DOUBLINGS = 8 };

static int open_sweep(sweep *w, const inco_mat *d, const statistics *s, const update_settings *settings,
                      inco_error *error) {
    const int64_t small = d->rows < d->cols ? d->rows : d->cols;
    double *singular = NEW(double, small);
    int status;
    *w = (sweep){.s = s, .gamma = settings->gamma};
    if (!singular) TRY(error_no_memory(error));
    TRY(update_check(d, s, error));
    TRY(mat_convert(&w->d, d, INCO_F64, error));
    mat_normalize_columns(&w->d, NULL);
    TRY(mat_new_raw(&w->frame, INCO_F64, d->rows, d->rows, error));
    TRY(mat_new_raw(&w->work, INCO_F64, d->rows, 4, error));
    if (w->gamma > 0) {
        blas_multiply(settings->threads, "NT", 1, &w->d, &w->d, 0, &w->frame);
        TRY(lapack_singular_values(&w->d, singular, error));
        w->curvature = singular[0] * singular[0];
    }
done:
    memory_free(singular);
    return status;
}

static void close_sweep(sweep *w) {
    inco_mat_free(&w->d);
    inco_mat_free(&w->frame);
    inco_mat_free(&w->work);
}

/* out += sign M w, column by column: a matrix of a few thousand values stays in the cache, and zeros in w cost nothing.
 */
static void add_product(const inco_mat *m, const double *w, double sign, double *out) {
    for (int64_t k = 0; k < m->cols; k++)
        if (w[k] != 0) blas_axpy(m->rows, sign * w[k], mat_column(m, k), out);
}

/* (ONLINE-4): r = B_j - D A_j + A_jj d_j, the signals' pull on atom j. */
static void find_pull(const sweep *w, int64_t j, const inco_mat *r) {
    const inco_mat from = mat_columns(&w->s->b, j, 1);
    mat_copy(r, &from);
    add_product(&w->d, mat_column(&w->s->a, j), -1, r->data);
    blas_axpy(w->d.rows, mat_get(&w->s->a, j, j), mat_column(&w->d, j), r->data);
}

/* out = M d, M = D D' - d_j d_j': the other atoms' frame operator (ONLINE-5). */
static void apply_others(const sweep *w, int64_t j, const inco_mat *d, const inco_mat *out) {
    const double *atom = mat_column(&w->d, j);
    memset(out->data, 0, (size_t)w->d.rows * sizeof(double));
    add_product(&w->frame, d->data, 1, out->data);
    blas_axpy(w->d.rows, -blas_dot(w->d.rows, atom, d->data), atom, out->data);
}

/* u = r + 2 gamma (curvature d - M d), normalised. 0 when there is nothing to normalise. */
static int make_candidate(const sweep *w, const inco_mat *atom, double curvature) {
    const double *d = atom->data, *r = mat_column(&w->work, 0), *others = mat_column(&w->work, 2);
    double *u = mat_column(&w->work, 1);
    const int64_t rows = w->d.rows;
    for (int64_t i = 0; i < rows; i++) u[i] = r[i] + (w->gamma > 0 ? 2 * w->gamma * (curvature * d[i] - others[i]) : 0);
    double norm = mat_column_norm(&w->work, 1);
    if (!(norm > 0) || !isfinite(norm)) return 0;
    for (int64_t i = 0; i < rows; i++) u[i] /= norm;
    return 1;
}

/* (ONLINE-5) of the candidate less that of the atom, 2 <d - u, r> + 2 gamma (u'M u - d'M d); the products with M stand
 * in the work columns 2 (atom) and 3 (candidate). */
static double difference(const sweep *w, const inco_mat *atom) {
    const double *d = atom->data, *r = mat_column(&w->work, 0), *u = mat_column(&w->work, 1);
    const int64_t rows = w->d.rows;
    double pull = 2 * (blas_dot(rows, d, r) - blas_dot(rows, u, r));
    if (w->gamma == 0) return pull;
    return pull +
           2 * w->gamma * (blas_dot(rows, u, mat_column(&w->work, 3)) - blas_dot(rows, d, mat_column(&w->work, 2)));
}

/* frame += sign d d' */
static void add_outer(const inco_mat *frame, const double *d, double sign) {
    for (int64_t i = 0; i < frame->cols; i++) blas_axpy(frame->rows, sign * d[i], d, mat_column(frame, i));
}

/* The atom becomes the candidate, and the frame follows. */
static void accept(sweep *w, const inco_mat *atom) {
    const inco_mat u = mat_columns(&w->work, 1, 1);
    if (w->gamma > 0) {
        add_outer(&w->frame, atom->data, -1);
        add_outer(&w->frame, u.data, 1);
    }
    mat_copy(atom, &u);
}

/* (ONLINE-6), with twice the curvature until f does not rise. */
static void move_atom(sweep *w, int64_t j) {
    const inco_mat atom = mat_columns(&w->d, j, 1), r = mat_columns(&w->work, 0, 1), u = mat_columns(&w->work, 1, 1);
    const inco_mat others = mat_columns(&w->work, 2, 1), moved = mat_columns(&w->work, 3, 1);
    double curvature = w->curvature;
    if (mat_column_norm(&atom, 0) == 0) return;
    find_pull(w, j, &r);
    if (w->gamma > 0) apply_others(w, j, &atom, &others);
    for (int i = 0; i < DOUBLINGS; i++, curvature *= 2) {
        if (!make_candidate(w, &atom, curvature)) return;
        if (w->gamma > 0) apply_others(w, j, &u, &moved);
        if (difference(w, &atom) <= 0) {
            accept(w, &atom);
            return;
        }
    }
}

int online_update(inco_mat *d, const statistics *s, const update_settings *settings, update_result *result,
                  inco_error *error) {
    sweep w;
    int status = open_sweep(&w, d, s, settings, error);
    if (status < 0) goto done;
    *result = (update_result){.iterations = 1, .evaluations = 1};
    TRY(objective(&w.d, s, w.gamma, settings->threads, &result->before, error));
    if (!isfinite(result->before))
        TRY(error_set(error, INCO_ENUMERIC, "the objective is not finite at the start of the update"));
    for (int64_t j = 0; j < d->cols; j++) move_atom(&w, j);
    TRY(objective(&w.d, s, w.gamma, settings->threads, &result->after, error));
    mat_copy(d, &w.d);
done:
    close_sweep(&w);
    return status;
}
