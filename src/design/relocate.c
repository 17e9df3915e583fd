/* Relocates crowded atoms of a parametric dictionary (docs/theory/parametric.md). Gradients cannot: between two nearly
 * equal atoms they vanish. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/range.h"
#include "design/parametric.h"
#include "mat/blas.h"
#include "mat/mat.h"

enum { CANDIDATES_PER_ATOM = 4, CANDIDATES_MAX = 4096, SHARE_MOVED = 8 };

typedef struct relocation {
    const parametric_family *family;
    double mu;
    inco_mat gram;             /* Gram matrix of the atoms, L x L */
    inco_mat places;           /* candidates, D x M */
    inco_mat products;         /* inner products of the candidates with the atoms, M x L */
    double *x;                 /* unknowns of the candidates */
    double *cost, *place_cost; /* (PARAMETRIC-7) per atom, and per candidate with all atoms */
} relocation;

/* max(0, |g| - mu)^2 */
static double excess(const relocation *w, double g) {
    const double over = fabs(g) - w->mu;
    return over > 0 ? over * over : 0;
}

static int open_relocation(relocation *w, const parametric_family *family, const inco_mat *d, double mu,
                           inco_error *error) {
    const int64_t wanted = CANDIDATES_PER_ATOM * d->cols, count = range_min(wanted, CANDIDATES_MAX);
    int status;
    *w = (relocation){.family = family, .mu = mu};
    TRY(mat_new_raw(&w->gram, INCO_F64, d->cols, d->cols, error));
    TRY(mat_new_raw(&w->places, INCO_F64, d->rows, count, error));
    TRY(mat_new_raw(&w->products, INCO_F64, count, d->cols, error));
    w->x = NEW(double, count * family->unknowns);
    w->cost = NEW(double, d->cols);
    w->place_cost = NEW(double, count);
    if (!w->x || !w->cost || !w->place_cost) TRY(error_no_memory(error));
done:
    return status;
}

static void find_costs(relocation *w, const inco_mat *d, int threads) {
    parametric_start(w->family, &w->places, w->x);
    blas_multiply(threads, "TN", 1, d, d, 0, &w->gram);
    blas_multiply(threads, "TN", 1, &w->places, d, 0, &w->products);
    for (int64_t j = 0; j < d->cols; j++) {
        for (int64_t i = 0; i < d->cols; i++)
            if (i != j) w->cost[j] += excess(w, mat_get(&w->gram, i, j));
        for (int64_t k = 0; k < w->places.cols; k++) w->place_cost[k] += excess(w, mat_get(&w->products, k, j));
    }
}

/* The candidate with the lowest cost after removing atom j. */
static int64_t best_place(const relocation *w, int64_t j, double *cost) {
    int64_t best = 0;
    *cost = INFINITY;
    for (int64_t k = 0; k < w->places.cols; k++) {
        const double here = w->place_cost[k] - excess(w, mat_get(&w->products, k, j));
        if (here < *cost) *cost = here, best = k;
    }
    return best;
}

/* Replaces atom j by candidate k, and updates costs and products. */
static void move(relocation *w, inco_mat *d, int64_t j, int64_t k) {
    const int64_t rows = d->rows;
    memcpy(mat_column(d, j), mat_column(&w->places, k), (size_t)rows * sizeof(double));
    w->cost[j] = 0;
    for (int64_t i = 0; i < d->cols; i++) {
        if (i == j) continue;
        const double old = mat_get(&w->gram, i, j), now = blas_dot(rows, mat_column(d, i), mat_column(d, j));
        w->cost[i] += excess(w, now) - excess(w, old);
        w->cost[j] += excess(w, now);
        mat_set(&w->gram, i, j, now);
        mat_set(&w->gram, j, i, now);
    }
    for (int64_t i = 0; i < w->places.cols; i++) {
        const double now = blas_dot(rows, mat_column(&w->places, i), mat_column(d, j));
        w->place_cost[i] += excess(w, now) - excess(w, mat_get(&w->products, i, j));
        mat_set(&w->products, i, j, now);
    }
}

int parametric_relocate(const parametric_family *family, inco_mat *d, double *x, double mu, int threads,
                        inco_error *error) {
    relocation w;
    int moved = 0, status = open_relocation(&w, family, d, mu, error);
    if (status < 0) goto done;
    find_costs(&w, d, threads);
    for (; moved < d->cols / SHARE_MOVED; moved++) {
        double cost;
        int64_t j = 0;
        for (int64_t i = 1; i < d->cols; i++)
            if (w.cost[i] > w.cost[j]) j = i;
        const int64_t k = best_place(&w, j, &cost);
        if (!(cost < 0.9 * w.cost[j])) break;
        move(&w, d, j, k);
        memcpy(x + j * family->unknowns, w.x + k * family->unknowns, (size_t)family->unknowns * sizeof *x);
    }
done:
    MAT_FREE_ALL(&w.gram, &w.places, &w.products);
    memory_free(w.x);
    memory_free(w.cost);
    memory_free(w.place_cost);
    return status < 0 ? status : moved;
}
