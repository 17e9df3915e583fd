#include "data/collector.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/range.h"
#include "base/tree.h"
#include "data/sums.h"
#include "mat/mat.h"
#include "sparse/csc.h"

/* One array of the tree holds the energy, then from AT_B on B, which thus begins a cache line, then the lower triangle
 * of A, column by column. */
enum { ATOMS_TOGETHER = 16, AT_B = 8 };

struct collector {
    int64_t dim, atoms;
    int threads;
    tree_sum *tree;
    int64_t *start;    /* per atom: index of its first use */
    sums_entry *entry; /* of the current group, by atom */
    int64_t capacity;
};

collector *collector_new(int64_t dim, int64_t atoms, int threads) {
    collector *c = NEW(collector, 1);
    if (!c) return NULL;
    *c = (collector){.dim = dim, .atoms = atoms, .threads = threads};
    c->tree = tree_new(AT_B + dim * atoms + atoms * (atoms + 1) / 2, AT_B + dim * atoms + atoms * atoms, threads);
    c->start = NEW(int64_t, atoms + 1);
    if (c->tree && c->start) return c;
    collector_free(c);
    return NULL;
}

void collector_free(collector *c) {
    if (!c) return;
    tree_free(c->tree);
    memory_free(c->start);
    memory_free(c->entry);
    memory_free(c);
}

void collector_clear(collector *c) {
    tree_clear(c->tree);
}

/* Index in the triangle of row 0 of column j; its first stored row is j. */
static int64_t triangle_column(const collector *c, int64_t j) {
    return j * c->atoms - j * (j + 1) / 2;
}

/* Sorts the nonzeros of the codes by atom, and for each atom by signal. */
static int sort_uses(collector *c, const csc *codes) {
    const int64_t nonzeros = csc_nonzeros(codes);
    if (nonzeros > c->capacity) {
        memory_free(c->entry);
        c->capacity = (c->entry = NEW_RAW(sums_entry, nonzeros)) ? nonzeros : 0;
        if (!c->entry) return INCO_ENOMEM;
    }
    int64_t *start = c->start; /* first counts, then ends, then (decremented while filling) starts */
    for (int64_t j = 0; j <= c->atoms; j++) start[j] = 0;
    for (int64_t k = 0; k < nonzeros; k++) start[codes->index[k]]++;
    for (int64_t j = 0, sum = 0; j <= c->atoms; j++) start[j] = sum += j < c->atoms ? start[j] : 0;
    for (int64_t n = codes->cols - 1; n >= 0; n--)
        for (int64_t k = codes->start[n + 1] - 1; k >= codes->start[n]; k--)
            c->entry[--start[codes->index[k]]] = (sums_entry){k, (int32_t)(codes->start[n + 1] - k), (int32_t)n};
    return INCO_OK;
}

typedef struct adding {
    const collector *collector;
    const pass_group *group;
    sums_kernel run;
    double *a, *b;
} adding;

/* Each column of A and B belongs to an atom: it is summed over the signals that use the atom, in their order. */
static int add_atoms(void *self, int64_t part, int thread, inco_error *error) {
    const adding *add = self;
    const collector *c = add->collector;
    int64_t last = range_min((part + 1) * ATOMS_TOGETHER, c->atoms);
    for (int64_t j = part * ATOMS_TOGETHER; j < last; j++) {
        sums_atom atom = {add->group->x,
                          add->group->codes,
                          c->entry + c->start[j],
                          c->start[j + 1] - c->start[j],
                          add->a + triangle_column(c, j),
                          add->b + j * c->dim};
        if (atom.entries > 0) add->run(&atom);
    }
    (void)thread, (void)error;
    return INCO_OK;
}

/* ---- The energy ---- */

enum { SIGNALS_TOGETHER = 256 };

typedef struct measuring {
    const inco_mat *x;
    double *part; /* sums over SIGNALS_TOGETHER */
} measuring;

static int measure_part(void *self, int64_t part, int thread, inco_error *error) {
    const measuring *m = self;
    const int64_t first = part * SIGNALS_TOGETHER, left = m->x->cols - first;
    for (int64_t n = 0; n < SIGNALS_TOGETHER && n < left; n++) m->part[part] += mat_column_energy(m->x, first + n);
    (void)thread, (void)error;
    return INCO_OK;
}

/* ||X||^2 of a group; negative: out of memory. */
static double energy_of(const inco_mat *x, int threads) {
    const int64_t parts = range_blocks(x->cols, SIGNALS_TOGETHER);
    measuring m = {x, NEW(double, parts)};
    double sum = 0;
    if (!m.part) return -1;
    parallel_for(threads, parts, measure_part, &m, NULL);
    for (int64_t i = 0; i < parts; i++) sum += m.part[i];
    memory_free(m.part);
    return sum;
}

int collector_add(collector *c, const pass_group *group, inco_error *error) {
    double *leaf = tree_next(c->tree), energy = energy_of(group->x, c->threads);
    if (!leaf || energy < 0 || sort_uses(c, group->codes) < 0) return error_no_memory(error);
    adding add = {c, group, sums_choose(group->x->type), leaf + AT_B + c->dim * c->atoms, leaf + AT_B};
    parallel_for(c->threads, range_blocks(c->atoms, ATOMS_TOGETHER), add_atoms, &add, NULL);
    leaf[0] = energy;
    tree_push(c->tree);
    return INCO_OK;
}

/* The triangle of A is expanded to the full matrix in place, from the last column on. */
statistics collector_total(collector *c) {
    double *sum = tree_total(c->tree), *b = sum + AT_B, *a = b + c->dim * c->atoms;
    statistics s = {.energy = sum[0]};
    s.a = mat_view(INCO_F64, c->atoms, c->atoms, a);
    s.b = mat_view(INCO_F64, c->dim, c->atoms, b);
    for (int64_t j = c->atoms - 1; j >= 0; j--)
        memmove((double *)mat_column(&s.a, j) + j, a + triangle_column(c, j) + j,
                (size_t)(c->atoms - j) * sizeof(double));
    mat_mirror(&s.a);
    return s;
}
