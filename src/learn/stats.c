#include "learn/stats.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/tree.h"
#include "learn/sums.h"
#include "mat/mat.h"
#include "sparse/csc.h"

enum { ATOMS_TOGETHER = 16 };

/* One array in the tree holds A, of which only the lower triangle is summed, then B, then the energy. */
struct collector {
    int64_t dim, atoms;
    int threads;
    tree_sum *tree;
    int64_t *start; /* by atom: where its uses begin */
    sums_use *use;  /* of the group at hand, by atom */
    int64_t room;
};

collector *collector_new(int64_t dim, int64_t atoms, int threads) {
    collector *c = NEW(collector, 1);
    if (!c) return NULL;
    *c = (collector){.dim = dim, .atoms = atoms, .threads = threads};
    c->tree = tree_new(atoms * atoms + dim * atoms + 1, threads);
    c->start = NEW(int64_t, atoms + 1);
    if (c->tree && c->start) return c;
    collector_free(c);
    return NULL;
}

void collector_free(collector *c) {
    if (!c) return;
    tree_free(c->tree);
    memory_free(c->start);
    memory_free(c->use);
    memory_free(c);
}

void collector_clear(collector *c) {
    tree_clear(c->tree);
}

/* The codes' nonzeros by atom, and for each atom by signal. */
static int sort_uses(collector *c, const inco_csc *codes) {
    const int64_t nonzeros = csc_nonzeros(codes);
    if (nonzeros > c->room) {
        memory_free(c->use);
        c->room = (c->use = NEW_RAW(sums_use, nonzeros)) ? nonzeros : 0;
        if (!c->use) return INCO_ENOMEM;
    }
    int64_t *start = c->start; /* first counts, then ends, then (moved back by the filling) starts */
    for (int64_t j = 0; j <= c->atoms; j++) start[j] = 0;
    for (int64_t k = 0; k < nonzeros; k++) start[codes->index[k]]++;
    for (int64_t j = 0, sum = 0; j <= c->atoms; j++) start[j] = sum += j < c->atoms ? start[j] : 0;
    for (int64_t n = codes->cols - 1; n >= 0; n--)
        for (int64_t k = codes->start[n + 1] - 1; k >= codes->start[n]; k--)
            c->use[--start[codes->index[k]]] =
                (sums_use){csc_value(codes, k), k, (int32_t)(codes->start[n + 1] - k), (int32_t)n};
    return INCO_OK;
}

typedef struct adding {
    const collector *collector;
    const pass_group *group;
    sums_kernel run;
    double *a, *b;
} adding;

/* Columns of A and B belong to atoms: each is summed over the signals that use its atom, in their order. */
static int add_atoms(void *self, int64_t part, int thread, inco_error *error) {
    const adding *add = self;
    const collector *c = add->collector;
    int64_t last = (part + 1) * ATOMS_TOGETHER < c->atoms ? (part + 1) * ATOMS_TOGETHER : c->atoms;
    for (int64_t j = part * ATOMS_TOGETHER; j < last; j++) {
        sums_atom atom = {add->group->x,         add->group->codes,
                          c->use + c->start[j],  c->start[j + 1] - c->start[j],
                          add->a + j * c->atoms, add->b + j * c->dim};
        if (atom.uses > 0) add->run(&atom);
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

/* ||X||^2 of a group; negative without memory. */
static double energy_of(const inco_mat *x, int threads) {
    const int64_t parts = (x->cols + SIGNALS_TOGETHER - 1) / SIGNALS_TOGETHER;
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
    adding add = {c, group, sums_choose(group->x->type), leaf, leaf + c->atoms * c->atoms};
    parallel_for(c->threads, (c->atoms + ATOMS_TOGETHER - 1) / ATOMS_TOGETHER, add_atoms, &add, NULL);
    leaf[c->atoms * c->atoms + c->dim * c->atoms] = energy;
    tree_push(c->tree);
    return INCO_OK;
}

statistics collector_total(collector *c) {
    double *sum = (double *)tree_total(c->tree);
    statistics s = {.energy = sum[c->atoms * c->atoms + c->dim * c->atoms]};
    s.a = inco_mat_view(INCO_F64, c->atoms, c->atoms, sum);
    mat_mirror(&s.a);
    s.b = inco_mat_view(INCO_F64, c->dim, c->atoms, sum + c->atoms * c->atoms);
    return s;
}
