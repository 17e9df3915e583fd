#include "metric/coherence.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"

/* (COH-4) */
double coherence_least_rms(int64_t dim, int64_t atoms) {
    const double d = (double)dim, l = (double)atoms;
    return dim < 1 || atoms <= dim ? 0 : sqrt((l - d) / (d * (l - 1)));
}

/* Where Levenshtein's bound is the larger one. */
static int is_beyond_welch(int64_t dim, int64_t atoms) {
    return (double)atoms > (double)dim * ((double)dim + 1) / 2;
}

const char *inco_bound_name(int64_t dim, int64_t atoms) {
    return is_beyond_welch(dim, atoms) ? "Levenshtein bound" : "Welch bound";
}

/* (COH-4), (COH-5) */
double coherence_bound(int64_t dim, int64_t atoms) {
    const double d = (double)dim, l = (double)atoms;
    if (is_beyond_welch(dim, atoms) && dim >= 1 && atoms > dim)
        return sqrt((3 * l - d * d - 2 * d) / ((d + 2) * (l - d)));
    return coherence_least_rms(dim, atoms);
}

double inco_bound(int64_t dim, int64_t atoms) {
    return coherence_bound(dim, atoms);
}

/* (COH-6). The bound is strict: mu = 1/3 up to rounding gives 1, not 2. */
int64_t coherence_sparsity(double mu, int64_t atoms) {
    double limit = (1 + 1 / mu) / 2;
    return limit < (double)atoms ? (int64_t)ceil(limit * (1 - 1e-12)) - 1 : atoms;
}

int64_t coherence_babel_sparsity(const double *babel, int64_t count, int64_t dim) {
    const double rounding = fmax(1e-12, ldexp(4 * (double)dim, -53)); /* of an inner product */
    int64_t k = 0;
    while (k < count && babel[k] + (k ? babel[k - 1] : 0) + (double)(2 * k + 1) * rounding < 1) k++;
    return k;
}

typedef struct sums {
    double max, sum, squares;
} sums;

typedef struct measure {
    sums *slot, total;
} measure;

static void visit(void *self, const gram_block *block) {
    const measure *m = self;
    sums s = {0};
    for (int64_t j = 0; j < block->cols; j++) {
        const double *g = block->g + j * block->rows;
        int64_t end = block->first == block->second ? j : block->rows;
        for (int64_t i = 0; i < end; i++) {
            double value = fabs(g[i]);
            s.max = value > s.max ? value : s.max;
            s.sum += value;
            s.squares += value * value;
        }
    }
    m->slot[block->slot] = s;
}

static void fold(void *self, int64_t slots) {
    measure *m = self;
    for (int64_t i = 0; i < slots; i++) {
        m->total.max = fmax(m->total.max, m->slot[i].max);
        m->total.sum += m->slot[i].sum;
        m->total.squares += m->slot[i].squares;
        m->slot[i] = (sums){0};
    }
}

int coherence_measure_atoms(const gram_atoms *atoms, int threads, coherence *result, inco_error *error) {
    const double pairs = 0.5 * (double)atoms->count * (double)(atoms->count - 1);
    measure m = {.slot = NEW(sums, gram_slots(atoms->count))};
    const gram_visitor visitor = {&m, visit, fold, NULL};
    int status = m.slot ? gram_walk(atoms, threads, &visitor, error) : error_no_memory(error);
    *result = (coherence){0};
    if (pairs > 0) *result = (coherence){fmin(m.total.max, 1), sqrt(m.total.squares / pairs), m.total.sum / pairs};
    memory_free(m.slot);
    return status;
}

int coherence_measure(const inco_mat *d, int threads, coherence *result, inco_error *error) {
    const gram_atoms atoms = {d, NULL, NULL, d->cols};
    return coherence_measure_atoms(&atoms, threads, result, error);
}
