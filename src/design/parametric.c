/* Alternates between a clipped Gram matrix and steps in the parameters (docs/theory/parametric.md). */
#include "design/parametric.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/range.h"
#include "mat/blas.h"
#include "mat/mat.h"
#include "optim/lbfgs.h"

enum { MEMORY_PAIRS = 10, ATOMS_TOGETHER = 16 };

typedef struct design {
    const parametric_family *family;
    lbfgs_problem problem;
    int threads;
    inco_mat d;         /* the atoms of the unknowns last evaluated */
    inco_mat target;    /* (PARAMETRIC-2), L x L */
    inco_mat gap;       /* D'D - target */
    inco_mat slope;     /* 4 D (D'D - target) */
    double *derivative; /* of the atoms by their unknowns: dim values each, atom by atom */
} design;

/* ---- Atoms ---- */

typedef struct making {
    const parametric_family *family;
    const double *x;
    const inco_mat *d;
    double *derivative;
} making;

static int make_some(void *self, int64_t part, int thread, inco_error *error) {
    const making *m = self;
    const int64_t first = part * ATOMS_TOGETHER, each = m->family->unknowns;
    const int64_t last = range_min(first + ATOMS_TOGETHER, m->d->cols);
    for (int64_t j = first; j < last; j++)
        m->family->atom(m->family, m->x + j * each, mat_column(m->d, j),
                        m->derivative ? m->derivative + j * each * m->family->dim : NULL);
    (void)thread, (void)error;
    return INCO_OK;
}

static void make_atoms(const parametric_family *family, const double *x, const inco_mat *d, double *derivative,
                       int threads) {
    making m = {family, x, d, derivative};
    parallel_for(threads, range_blocks(d->cols, ATOMS_TOGETHER), make_some, &m, NULL);
}

void parametric_start(const parametric_family *family, inco_mat *d, double *x) {
    for (int64_t j = 0; j < d->cols; j++) family->start(family, j, d->cols, x + j * family->unknowns);
    make_atoms(family, x, d, NULL, 1);
}

/* ---- The objective ---- */

/* (PARAMETRIC-1) and (PARAMETRIC-3) */
static int eval(void *self, lbfgs_point *at, inco_error *error) {
    design *w = self;
    const int64_t atoms = w->d.cols, dim = w->d.rows, each = w->family->unknowns;
    (void)error;
    make_atoms(w->family, at->x, &w->d, w->derivative, w->threads);
    mat_copy(&w->gap, &w->target);
    blas_multiply(w->threads, "TN", 1, &w->d, &w->d, -1, &w->gap);
    blas_multiply(w->threads, "NN", 4, &w->d, &w->gap, 0, &w->slope);
    at->f = blas_dot(atoms * atoms, w->gap.data, w->gap.data);
    for (int64_t j = 0; j < atoms; j++)
        for (int64_t k = 0; k < each; k++)
            at->gradient[j * each + k] = blas_dot(dim, mat_column(&w->slope, j), w->derivative + (j * each + k) * dim);
    return INCO_OK;
}

/* (PARAMETRIC-2) at the current atoms; returns |D'D - target|^2. */
static double set_target(design *w, double mu) {
    double sum = 0;
    blas_multiply(w->threads, "TN", 1, &w->d, &w->d, 0, &w->target);
    for (int64_t j = 0; j < w->target.cols; j++) {
        double *column = mat_column(&w->target, j);
        for (int64_t i = 0; i < w->target.rows; i++) {
            const double value = column[i], wanted = i == j ? 1 : fmax(-mu, fmin(mu, value));
            sum += (value - wanted) * (value - wanted);
            column[i] = wanted;
        }
    }
    return sum;
}

/* ---- The update ---- */

static int open_design(design *w, const parametric_family *family, const inco_mat *d, int threads, inco_error *error) {
    const int64_t atoms = d->cols, unknowns = atoms * family->unknowns;
    int status;
    *w = (design){.family = family, .threads = threads};
    w->problem = (lbfgs_problem){.self = w, .n = unknowns, .eval = eval};
    TRY(mat_convert(&w->d, d, INCO_F64, error));
    TRY(mat_new_raw(&w->target, INCO_F64, atoms, atoms, error));
    TRY(mat_new_raw(&w->gap, INCO_F64, atoms, atoms, error));
    TRY(mat_new_raw(&w->slope, INCO_F64, d->rows, atoms, error));
    w->derivative = NEW_RAW(double, unknowns * d->rows);
    if (!w->derivative) TRY(error_no_memory(error));
done:
    return status;
}

int parametric_update(const parametric_family *family, inco_mat *d, double *x, double mu,
                      const update_settings *settings, update_result *result, inco_error *error) {
    design w;
    lbfgs_result found;
    const lbfgs_settings search = {MEMORY_PAIRS, settings->iterations, 1e-12, settings->threads, 0};
    int status = open_design(&w, family, d, settings->threads, error);
    double *moved = NEW_RAW(double, w.problem.n);
    if (status < 0) goto done;
    if (!moved) TRY(error_no_memory(error));
    memcpy(moved, x, (size_t)w.problem.n * sizeof *x);
    *result = (update_result){.before = set_target(&w, mu)};
    TRY(parametric_relocate(family, &w.d, moved, mu, w.threads, error));
    set_target(&w, mu);
    TRY(lbfgs_minimize(&w.problem, &search, moved, &found, error));
    make_atoms(family, moved, &w.d, NULL, w.threads);
    mat_copy(d, &w.d);
    memcpy(x, moved, (size_t)w.problem.n * sizeof *x);
    result->after = set_target(&w, mu);
    result->iterations = found.iterations;
    result->evaluations = found.evaluations;
    status = INCO_OK;
done:
    MAT_FREE_ALL(&w.d, &w.target, &w.gap, &w.slope);
    memory_free(w.derivative);
    memory_free(moved);
    return status;
}
