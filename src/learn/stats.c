#include "learn/stats.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/tree.h"
#include "mat/mat.h"
#include "sparse/csc.h"

enum { ATOMS_TOGETHER = 16 };

/* One array in the tree holds A, then B, then the energy. */
struct collector {
    int64_t dim, atoms;
    int threads;
    tree_sum *tree;
};

collector *collector_new(int64_t dim, int64_t atoms, int threads) {
    collector *c = NEW(collector, 1);
    if (!c) return NULL;
    *c = (collector){dim, atoms, threads, tree_new(atoms * atoms + dim * atoms + 1, threads)};
    if (c->tree) return c;
    memory_free(c);
    return NULL;
}

void collector_free(collector *c) {
    if (!c) return;
    tree_free(c->tree);
    memory_free(c);
}

void collector_clear(collector *c) {
    tree_clear(c->tree);
}

typedef struct adding {
    const inco_mat *x;
    const inco_csc *codes, *by_atom;
    double *a, *b;
} adding;

/* out += value x, x of either type */
static void add_signal(const inco_mat *x, int64_t n, double value, double *out) {
    if (x->type == INCO_F32) {
        const float *column = mat_column(x, n);
        for (int64_t i = 0; i < x->rows; i++) out[i] += value * (double)column[i];
    } else {
        const double *column = mat_column(x, n);
        for (int64_t i = 0; i < x->rows; i++) out[i] += value * column[i];
    }
}

/* out += value c, c a sparse code */
static void add_code(const inco_csc *codes, int64_t n, double value, double *out) {
    const int64_t first = codes->start[n], last = codes->start[n + 1];
    if (codes->type == INCO_F32) {
        const float *c = codes->value;
        for (int64_t k = first; k < last; k++) out[codes->index[k]] += value * (double)c[k];
    } else {
        const double *c = codes->value;
        for (int64_t k = first; k < last; k++) out[codes->index[k]] += value * c[k];
    }
}

/* Columns of A and B belong to atoms: each is summed over the signals that use its atom, in their order. */
static int add_atoms(void *self, int64_t part, int thread, inco_error *error) {
    const adding *add = self;
    const inco_csc *rows = add->by_atom;
    int64_t last = (part + 1) * ATOMS_TOGETHER < rows->cols ? (part + 1) * ATOMS_TOGETHER : rows->cols;
    for (int64_t j = part * ATOMS_TOGETHER; j < last; j++) {
        for (int64_t k = rows->start[j]; k < rows->start[j + 1]; k++) {
            double value = csc_value(rows, k);
            add_code(add->codes, rows->index[k], value, add->a + j * rows->cols);
            add_signal(add->x, rows->index[k], value, add->b + j * add->x->rows);
        }
    }
    (void)thread, (void)error;
    return INCO_OK;
}

static double energy_of(const inco_mat *x) {
    double sum = 0;
    for (int64_t n = 0; n < x->cols; n++)
        for (int64_t i = 0; i < x->rows; i++) sum += mat_get(x, i, n) * mat_get(x, i, n);
    return sum;
}

int collector_add(collector *c, const pass_group *group, inco_error *error) {
    inco_csc by_atom = {0};
    double *leaf = tree_next(c->tree);
    int status = leaf ? csc_transpose(&by_atom, group->codes, error) : error_no_memory(error);
    if (status < 0) return status;
    adding add = {group->x, group->codes, &by_atom, leaf, leaf + c->atoms * c->atoms};
    parallel_for(c->threads, (c->atoms + ATOMS_TOGETHER - 1) / ATOMS_TOGETHER, add_atoms, &add, NULL);
    leaf[c->atoms * c->atoms + c->dim * c->atoms] = energy_of(group->x);
    tree_push(c->tree);
    inco_csc_free(&by_atom);
    return INCO_OK;
}

statistics collector_total(collector *c) {
    double *sum = (double *)tree_total(c->tree);
    statistics s = {.energy = sum[c->atoms * c->atoms + c->dim * c->atoms]};
    s.a = inco_mat_view(INCO_F64, c->atoms, c->atoms, sum);
    s.b = inco_mat_view(INCO_F64, c->dim, c->atoms, sum + c->atoms * c->atoms);
    return s;
}
