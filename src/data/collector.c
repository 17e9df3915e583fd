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

/* One array of the tree holds single numbers, the count of signals per atom, B, which begins a cache line, and the
 * lower triangle of A, column by column. */
enum { ATOMS_TOGETHER = 16, LINE = 8 };
enum { AT_ENERGY, AT_RESIDUAL, AT_NONZEROS, AT_WEIGHT, AT_OBSERVED, AT_COUNTS = LINE };

struct collector {
    int64_t dim, atoms, at_b;
    int threads;
    cluster *by;
    tree_sum *tree;
    int64_t *start;    /* per atom: index of its first use */
    sums_entry *entry; /* of the current group, by atom */
    int64_t capacity;
};

collector *collector_new(int64_t dim, int64_t atoms, int threads, cluster *by) {
    collector *c = NEW(collector, 1);
    if (!c) return NULL;
    const int64_t at_b = AT_COUNTS + range_padded(atoms, LINE), length = at_b + dim * atoms + atoms * (atoms + 1) / 2;
    *c = (collector){.dim = dim, .atoms = atoms, .at_b = at_b, .threads = threads, .by = by};
    c->tree = tree_new(length, cluster_is_first(by) ? at_b + dim * atoms + atoms * atoms : length, threads);
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
        const int64_t first = c->start[j], entries = c->start[j + 1] - first;
        if (!entries) continue; /* without any there may be no list of them */
        sums_atom atom = {
            add->group->x,       add->group->codes, c->entry + first, entries, add->a + triangle_column(c, j),
            add->b + j * c->dim, add->group->weight};
        add->run(&atom);
    }
    (void)thread, (void)error;
    return INCO_OK;
}

/* ---- The energy ---- */

enum { SIGNALS_TOGETHER = 256 };

typedef struct measuring {
    const pass_group *group;
    double *part; /* sums over SIGNALS_TOGETHER */
    int observed; /* of the observed entries */
} measuring;

static int measure_part(void *self, int64_t part, int thread, inco_error *error) {
    const measuring *m = self;
    const inco_mat *x = m->group->x;
    const int64_t first = part * SIGNALS_TOGETHER, last = range_min(first + SIGNALS_TOGETHER, x->cols);
    for (int64_t n = first; n < last; n++)
        m->part[part] += pass_weight(m->group, n) * (m->observed ? pass_energy(m->group, n) : mat_column_energy(x, n));
    (void)thread, (void)error;
    return INCO_OK;
}

/* ||X||^2 of a group, or of its observed entries; negative: out of memory. */
static double energy_of(const pass_group *group, int observed, int threads) {
    const int64_t parts = range_blocks(group->x->cols, SIGNALS_TOGETHER);
    measuring m = {group, NEW(double, parts), observed};
    double sum = 0;
    if (!m.part) return -1;
    parallel_for(threads, parts, measure_part, &m, NULL);
    for (int64_t i = 0; i < parts; i++) sum += m.part[i];
    memory_free(m.part);
    return sum;
}

static void count_uses(const pass_group *group, double *leaf) {
    const csc *codes = group->codes;
    for (int64_t n = 0; n < codes->cols; n++) {
        const double weight = pass_weight(group, n);
        for (int64_t k = codes->start[n]; k < codes->start[n + 1]; k++)
            if (csc_value(codes, k) != 0) leaf[AT_COUNTS + codes->index[k]] += weight;
        leaf[AT_RESIDUAL] += weight * group->residual[n];
    }
    leaf[AT_NONZEROS] = pass_total_nonzeros(group);
    leaf[AT_WEIGHT] = pass_total_weight(group);
}

int collector_add(collector *c, const pass_group *group, inco_error *error) {
    double *leaf = tree_next(c->tree), energy = energy_of(group, 0, c->threads);
    const double observed = group->missing ? energy_of(group, 1, c->threads) : energy;
    if (!leaf || energy < 0 || observed < 0 || sort_uses(c, group->codes) < 0) return error_no_memory(error);
    adding add = {c, group, sums_choose(group->x->type), leaf + c->at_b + c->dim * c->atoms, leaf + c->at_b};
    parallel_for(c->threads, range_blocks(c->atoms, ATOMS_TOGETHER), add_atoms, &add, NULL);
    leaf[AT_ENERGY] = energy;
    leaf[AT_OBSERVED] = observed;
    count_uses(group, leaf);
    tree_push(c->tree, group->number);
    return INCO_OK;
}

/* The triangle of A is expanded to the full matrix in place, from the last column on. */
static void expand_triangle(const collector *c, const inco_mat *a) {
    const double *triangle = a->data;
    for (int64_t j = c->atoms - 1; j >= 0; j--)
        memmove((double *)mat_column(a, j) + j, triangle + triangle_column(c, j) + j,
                (size_t)(c->atoms - j) * sizeof(double));
    mat_mirror(a);
}

int collector_total(collector *c, int64_t groups, collected *total, inco_error *error) {
    double *sum;
    int status = tree_reduce(c->tree, c->by, groups, &sum, error);
    *total = (collected){0};
    if (status < 0 || !sum) return status;
    total->s.energy = sum[AT_ENERGY];
    total->s.b = mat_view(INCO_F64, c->dim, c->atoms, sum + c->at_b);
    total->s.a = mat_view(INCO_F64, c->atoms, c->atoms, sum + c->at_b + c->dim * c->atoms);
    total->s.observed = sum[AT_OBSERVED];
    total->residual = sum[AT_RESIDUAL];
    total->nonzeros = sum[AT_NONZEROS];
    total->weight = sum[AT_WEIGHT];
    total->use_weight = sum + AT_COUNTS;
    expand_triangle(c, &total->s.a);
    return status;
}
