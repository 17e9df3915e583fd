#include "data/training.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/range.h"
#include "mat/blas.h"
#include "mat/mat.h"
#include "sparse/csc.h"

enum { SIGNALS_TOGETHER = 256, ATOMS_TOGETHER = 16 };

int training_new(training *t, inco_type type, int64_t dim, int64_t signals, int threads, inco_error *error) {
    *t = (training){.threads = threads, .square = NEW(double, 2 * signals)};
    int status = t->square ? mat_new_raw(&t->residual, type, dim, signals, error) : error_no_memory(error);
    if (status >= 0) status = mat_new_raw(&t->scratch, INCO_F64, dim, threads, error);
    return status;
}

void training_free(training *t) {
    inco_mat_free(&t->residual);
    inco_mat_free(&t->scratch);
    csc_free(&t->by_atom);
    csc_free(&t->gathered);
    memory_free(t->square);
    memory_free(t->weight);
    *t = (training){0};
}

void training_clear(training *t) {
    csc_free(&t->by_atom);
    csc_free(&t->gathered);
    t->filled = 0;
    t->energy = 0;
}

/* ---- Signals less their codes ---- */

/* R = R0 + s F C for codes by signal; s F = -D turns signals into residuals. */
typedef struct combining {
    const inco_mat *from, *factor; /* R0; F, D x L, double */
    double sign;
    const csc *codes;
    const inco_mat *to; /* NULL: not stored */
    const inco_mat *scratch;
    double *square;       /* per signal: ||r||^2 and ||r0||^2 */
    const double *weight; /* per signal, whose root is a factor of x and c (W-2); NULL: 1 */
} combining;

static double sum_of_squares(int64_t n, const double *x) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += x[i] * x[i];
    return sum;
}

static int combine_part(void *self, int64_t part, int thread, inco_error *error) {
    const combining *c = self;
    const int64_t dim = c->from->rows, first = part * SIGNALS_TOGETHER, count = c->from->cols;
    double *r = mat_column(c->scratch, thread);
    inco_mat column = mat_view(INCO_F64, dim, 1, r);
    for (int64_t n = first; n < first + SIGNALS_TOGETHER && n < count; n++) {
        inco_mat from = mat_columns(c->from, n, 1);
        const double root = c->weight ? sqrt(c->weight[n]) : 1;
        mat_copy(&column, &from);
        for (int64_t i = 0; i < dim; i++) r[i] *= root;
        c->square[2 * n + 1] = sum_of_squares(dim, r);
        for (int64_t k = c->codes->start[n]; k < c->codes->start[n + 1]; k++)
            blas_axpy(dim, root * c->sign * csc_value(c->codes, k), mat_column(c->factor, c->codes->index[k]), r);
        c->square[2 * n] = sum_of_squares(dim, r);
        if (!c->to) continue;
        inco_mat to = mat_columns(c->to, n, 1);
        mat_copy(&to, &column);
    }
    (void)error;
    return INCO_OK;
}

static void combine(combining *c, int threads) {
    parallel_for(threads, range_blocks(c->from->cols, SIGNALS_TOGETHER), combine_part, c, NULL);
}

static int keep_weights(training *t, const pass_group *group, inco_error *error) {
    if (!group->weight) return INCO_OK;
    if (!t->weight && !(t->weight = NEW(double, t->residual.cols))) return error_no_memory(error);
    memcpy(t->weight + t->filled, group->weight, (size_t)group->x->cols * sizeof(double));
    return INCO_OK;
}

/* Multiplies the codes from signal `first` on by the roots of the weights. */
static void scale_codes(const csc *codes, int64_t first, const double *weight) {
    for (int64_t n = first; weight && n < codes->cols; n++)
        for (int64_t k = codes->start[n]; k < codes->start[n + 1]; k++)
            csc_set_value(codes, k, sqrt(weight[n - first]) * csc_value(codes, k));
}

int training_add(training *t, const inco_mat *d, const pass_group *group, inco_error *error) {
    const inco_mat *x = group->x, to = mat_columns(&t->residual, t->filled, x->cols);
    const csc *codes = group->codes;
    combining c = {x, d, -1, codes, &to, &t->scratch, t->square, group->weight};
    int status = keep_weights(t, group, error);
    if (status < 0) return status;
    combine(&c, t->threads);
    for (int64_t n = 0; n < x->cols; n++)
        t->energy += group->missing ? pass_weight(group, n) * pass_energy(group, n) : t->square[2 * n + 1];
    if (!t->gathered.start) status = csc_new(&t->gathered, codes->type, codes->rows, t->residual.cols, 0, error);
    if (status >= 0) status = csc_append(&t->gathered, codes, error);
    if (status >= 0) scale_codes(&t->gathered, t->filled, group->weight);
    t->filled += x->cols;
    return status;
}

double training_nonzeros(const training *t) {
    const int64_t *start = t->gathered.start;
    double sum = 0;
    for (int64_t n = 0; n < t->gathered.cols; n++)
        sum += (t->weight ? t->weight[n] : 1) * (double)(start[n + 1] - start[n]);
    return sum;
}

int training_complete(training *t, inco_error *error) {
    int status = csc_transpose(&t->by_atom, &t->gathered, error);
    csc_free(&t->gathered);
    return status;
}

/* ---- What the codes say ---- */

static int measure_part(void *self, int64_t part, int thread, inco_error *error) {
    training *t = self;
    const int64_t first = part * SIGNALS_TOGETHER;
    inco_mat column = mat_columns(&t->scratch, thread, 1);
    for (int64_t n = first; n < first + SIGNALS_TOGETHER && n < t->residual.cols; n++) {
        inco_mat from = mat_columns(&t->residual, n, 1);
        mat_copy(&column, &from);
        t->square[n] = sum_of_squares(t->residual.rows, column.data);
    }
    (void)error;
    return INCO_OK;
}

double training_error(training *t) {
    double sum = 0;
    parallel_for(t->threads, range_blocks(t->residual.cols, SIGNALS_TOGETHER), measure_part, t, NULL);
    for (int64_t n = 0; n < t->residual.cols; n++) {
        sum += t->square[n];
        if (t->weight) t->square[n] /= t->weight[n];
    }
    return sum;
}

int training_error_in(training *t, const inco_mat *d, const inco_mat *e, double *square, inco_error *error) {
    inco_mat change = {0};
    csc codes = {0};
    int status;
    TRY(mat_convert(&change, d, INCO_F64, error));
    TRY(csc_transpose(&codes, &t->by_atom, error));
    for (int64_t i = 0; i < d->rows * d->cols; i++) ((double *)change.data)[i] -= ((const double *)e->data)[i];
    combining c = {&t->residual, &change, 1, &codes, NULL, &t->scratch, t->square, NULL};
    combine(&c, t->threads);
    *square = 0;
    for (int64_t n = 0; n < t->residual.cols; n++) *square += t->square[2 * n];
done:
    inco_mat_free(&change);
    csc_free(&codes);
    return status;
}

double training_use_energy(const training *t, int64_t j) {
    double sum = 0;
    for (int64_t k = t->by_atom.start[j]; k < t->by_atom.start[j + 1]; k++) {
        double value = csc_value(&t->by_atom, k);
        sum += value * value;
    }
    return sum;
}

/* ---- X C' ---- */

typedef struct multiplying {
    const training *t;
    const csc *codes; /* by signal */
    inco_mat *a, *b;
} multiplying;

/* out += value r, r of either type */
static void add_residual(const inco_mat *residual, int64_t n, double value, double *out) {
    if (residual->type == INCO_F32) {
        const float *r = mat_column(residual, n);
        for (int64_t i = 0; i < residual->rows; i++) out[i] += value * (double)r[i];
    } else {
        blas_axpy(residual->rows, value, mat_column(residual, n), out);
    }
}

/* Columns of C C' and R C' for a few atoms, each summed over the signals that use the atom. */
static int multiply_part(void *self, int64_t part, int thread, inco_error *error) {
    const multiplying *m = self;
    const csc *rows = &m->t->by_atom, *codes = m->codes;
    for (int64_t j = part * ATOMS_TOGETHER; j < (part + 1) * ATOMS_TOGETHER && j < rows->cols; j++) {
        double *a = mat_column(m->a, j), *b = mat_column(m->b, j);
        for (int64_t k = rows->start[j]; k < rows->start[j + 1]; k++) {
            const double value = csc_value(rows, k);
            const int64_t n = rows->index[k];
            add_residual(&m->t->residual, n, value, b);
            for (int64_t l = codes->start[n]; l < codes->start[n + 1]; l++)
                a[codes->index[l]] += value * csc_value(codes, l);
        }
    }
    (void)thread, (void)error;
    return INCO_OK;
}

int training_products(training *t, const inco_mat *d, inco_mat *b, inco_error *error) {
    inco_mat a = {0};
    csc codes = {0};
    int status;
    TRY(inco_mat_new(&a, INCO_F64, d->cols, d->cols, error));
    TRY(inco_mat_new(b, INCO_F64, d->rows, d->cols, error));
    TRY(csc_transpose(&codes, &t->by_atom, error));
    multiplying m = {t, &codes, &a, b};
    parallel_for(t->threads, range_blocks(d->cols, ATOMS_TOGETHER), multiply_part, &m, NULL);
    blas_multiply(t->threads, "NN", 1, d, &a, 1, b);
done:
    if (status < 0) inco_mat_free(b);
    inco_mat_free(&a);
    csc_free(&codes);
    return status;
}
