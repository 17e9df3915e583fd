#include "mat/subspace.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "mat/blas.h"
#include "mat/mat.h"

static const double SEEN = 1e-3, NOTHING = 1e-6;

enum { PASSES = 3 }; /* a projection of a vector that is almost orthogonal to the subspace is inexact */

subspace subspace_whole(int64_t dim) {
    return (subspace){.dim = dim, .rank = dim};
}

void subspace_free(subspace *s) {
    inco_mat_free(&s->basis);
    *s = (subspace){0};
}

int subspace_make(subspace *s, const inco_mat *u, int64_t rank, inco_error *error) {
    const int64_t dim = u->rows, codimension = dim - rank;
    *s = (subspace){.dim = dim, .rank = rank, .complement = codimension < rank};
    if (rank == 0 || codimension == 0) return INCO_OK;
    const inco_mat part = s->complement ? mat_columns(u, rank, codimension) : mat_columns(u, 0, rank);
    return mat_convert(&s->basis, &part, INCO_F64, error);
}

/* ---- Columns ---- */

typedef struct projecting {
    const subspace *s;
    const inco_mat *m;
    inco_mat product, outside; /* basis'm; the part of m outside the subspace */
    int unit;                  /* normalise what changes */
    int64_t seen;
} projecting;

/* Whether column j changed. */
static int move_column(projecting *p, int64_t j, int first) {
    const int64_t dim = p->m->rows;
    const double before = mat_column_norm(p->m, j), outside = mat_column_norm(&p->outside, j);
    double *x = mat_column(p->m, j);
    if (!(outside > SUBSPACE_ROUNDING * before)) return 0;
    p->seen += first && outside > SEEN * before;
    blas_axpy(dim, -1, mat_column(&p->outside, j), x);
    if (!p->unit) return 1;
    const double after = mat_column_norm(p->m, j), by = after > NOTHING * before ? 1 / after : 0;
    for (int64_t i = 0; i < dim; i++) x[i] *= by;
    return 1;
}

static int project(projecting *p, int threads, inco_error *error) {
    const int64_t dim = p->m->rows, cols = p->m->cols;
    const subspace *s = p->s;
    int status = INCO_OK;
    if (!s || !s->basis.data) return status;
    TRY(mat_new_raw(&p->product, INCO_F64, s->basis.cols, cols, error));
    TRY(mat_new_raw(&p->outside, INCO_F64, dim, cols, error));
    for (int pass = 0, moved = 1; pass < PASSES && moved; pass++) {
        blas_multiply(threads, "TN", 1, &s->basis, p->m, 0, &p->product);
        if (!s->complement) mat_copy(&p->outside, p->m);
        blas_multiply(threads, "NN", s->complement ? 1 : -1, &s->basis, &p->product, !s->complement, &p->outside);
        moved = 0;
        for (int64_t j = 0; j < cols; j++) moved |= move_column(p, j, pass == 0);
    }
done:
    inco_mat_free(&p->product);
    inco_mat_free(&p->outside);
    return status;
}

int subspace_project(const subspace *s, const inco_mat *m, int threads, inco_error *error) {
    projecting p = {.s = s, .m = m};
    return project(&p, threads, error);
}

int subspace_project_atoms(const subspace *s, const inco_mat *d, int threads, int64_t *seen, inco_error *error) {
    projecting p = {.s = s, .m = d, .unit = 1};
    int status = project(&p, threads, error);
    if (seen) *seen = p.seen;
    return status;
}

double subspace_noise(inco_type type) {
    return type == INCO_F32 ? ldexp(4, -24) : ldexp(64, -53);
}
