#include "code/refit.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "mat/blas.h"
#include "mat/mat.h"
#include "sparse/csc.h"

enum { SIGNALS_TOGETHER = 64 };

typedef struct refitting {
    const inco_mat *d, *x;
    const inco_csc *codes;
    double *residual;
    int64_t most;   /* atoms in a code */
    inco_mat *room; /* for every thread: the atoms (D x most), their products (most x most), x and c (one column) */
} refitting;

static int64_t longest(const inco_csc *codes) {
    int64_t most = 1;
    for (int64_t n = 0; n < codes->cols; n++)
        if (codes->start[n + 1] - codes->start[n] > most) most = codes->start[n + 1] - codes->start[n];
    return most;
}

static void set_value(const inco_csc *codes, int64_t k, double value) {
    if (codes->type == INCO_F32)
        ((float *)codes->value)[k] = (float)value;
    else
        ((double *)codes->value)[k] = value;
}

/* c = (S'S)^-1 S'x for S the atoms of the support; 0 when they are dependent. */
static int solve_code(const inco_mat *atoms, const inco_mat *gram, const double *x, double *c) {
    blas_multiply(1, "TN", 1, atoms, atoms, 0, gram);
    blas_gemv_transposed(atoms, 1, x, 0, c);
    return lapack_solve_positive(gram, c);
}

static void refit_signal(const refitting *r, int64_t n, inco_mat *room) {
    const inco_csc *codes = r->codes;
    const int64_t first = codes->start[n], count = codes->start[n + 1] - first, dim = r->d->rows;
    inco_mat atoms = mat_columns(&room[0], 0, count), gram = mat_columns(&room[1], 0, count), from, to;
    double *x = room[2].data, *c = room[3].data;
    gram.rows = count;
    to = inco_mat_view(INCO_F64, dim, 1, x);
    from = mat_columns(r->x, n, 1);
    mat_copy(&to, &from);
    for (int64_t k = 0; k < count; k++) {
        from = mat_columns(r->d, codes->index[first + k], 1);
        to = mat_columns(&atoms, k, 1);
        mat_copy(&to, &from);
    }
    if (count > 0 && solve_code(&atoms, &gram, x, c))
        for (int64_t k = 0; k < count; k++) set_value(codes, first + k, c[k]);
    for (int64_t k = 0; k < count; k++)
        blas_axpy(dim, -csc_value(codes, first + k), mat_column(r->d, codes->index[first + k]), x);
    r->residual[n] = blas_dot(dim, x, x);
}

static int refit_part(void *self, int64_t part, int thread, inco_error *error) {
    const refitting *r = self;
    int64_t last = (part + 1) * SIGNALS_TOGETHER < r->x->cols ? (part + 1) * SIGNALS_TOGETHER : r->x->cols;
    for (int64_t n = part * SIGNALS_TOGETHER; n < last; n++) refit_signal(r, n, r->room + 4 * thread);
    (void)error;
    return INCO_OK;
}

static int make_room(refitting *r, int threads, inco_error *error) {
    const int64_t dim = r->d->rows, most = r->most, size[4][2] = {{dim, most}, {most, most}, {dim, 1}, {most, 1}};
    int status = INCO_OK;
    if (!(r->room = NEW(inco_mat, 4 * threads))) return error_no_memory(error);
    for (int i = 0; status >= 0 && i < 4 * threads; i++)
        status = mat_new_raw(&r->room[i], INCO_F64, size[i % 4][0], size[i % 4][1], error);
    return status;
}

int refit_codes(const inco_mat *d, const inco_mat *x, const inco_csc *codes, double *residual, int threads,
                inco_error *error) {
    refitting r = {d, x, codes, residual, longest(codes), NULL};
    int status = make_room(&r, threads, error);
    if (status >= 0)
        status = parallel_for(threads, (x->cols + SIGNALS_TOGETHER - 1) / SIGNALS_TOGETHER, refit_part, &r, error);
    for (int i = 0; r.room && i < 4 * threads; i++) inco_mat_free(&r.room[i]);
    memory_free(r.room);
    return status;
}
