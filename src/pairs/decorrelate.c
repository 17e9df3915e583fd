#include "pairs/decorrelate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/range.h"
#include "base/rng.h"
#include "mat/blas.h"
#include "mat/mat.h"

enum { PANEL = 64 }; /* columns of the Gram matrix per task */

/* A pair i < j with |d_i'd_j| above the bound. */
typedef struct violator {
    double product;
    int32_t i, j;
} violator;

typedef struct violator_list {
    violator *item;
    int64_t count, capacity;
    double maximum; /* largest |d_i'd_j| found, above the bound or not */
} violator_list;

typedef struct decorrelator {
    inco_mat *d;
    const decorrelation *settings;
    decorrelation_result *result;
    int64_t panels;
    violator_list *found; /* per panel */
    violator_list all;    /* sorted */
    inco_mat workspace;   /* one panel of G per thread */
    unsigned char *taken; /* per atom: already in a pair of this pass */
    double *p, *q;
} decorrelator;

/* ---- The pairs above the bound ---- */

static int add_violator(violator_list *list, violator v) {
    violator *item = memory_more(list->item, list->count, &list->capacity, sizeof *item);
    if (!item) return INCO_ENOMEM;
    list->item = item;
    list->item[list->count++] = v;
    return INCO_OK;
}

/* Searches the columns of a panel above the diagonal. */
static int search_panel(void *self, int64_t panel, int thread, inco_error *error) {
    const decorrelator *w = self;
    const int64_t first = panel * PANEL, left = w->d->cols - first, cols = range_min(left, PANEL);
    const inco_mat right = mat_columns(w->d, first, cols), above = mat_columns(w->d, 0, first + cols);
    inco_mat g = mat_view(INCO_F64, above.cols, cols, mat_column(&w->workspace, thread));
    violator_list *list = &w->found[panel];
    int status = INCO_OK;
    list->count = 0;
    list->maximum = 0;
    blas_multiply(1, "TN", 1, &above, &right, 0, &g);
    for (int64_t j = 0; j < cols && status >= 0; j++) {
        const double *column = mat_column(&g, j);
        for (int64_t i = 0; i < first + j && status >= 0; i++) {
            list->maximum = fmax(list->maximum, fabs(column[i]));
            if (fabs(column[i]) > w->settings->bound)
                status = add_violator(list, (violator){column[i], (int32_t)i, (int32_t)(first + j)});
        }
    }
    return status < 0 ? error_no_memory(error) : INCO_OK;
}

/* Descending |d_i'd_j|; ties by the atoms, so that the order is unique. */
static int compare(const void *a, const void *b) {
    const violator *x = a, *y = b;
    if (fabs(x->product) != fabs(y->product)) return fabs(x->product) > fabs(y->product) ? -1 : 1;
    if (x->i != y->i) return x->i < y->i ? -1 : 1;
    return (x->j > y->j) - (x->j < y->j);
}

static int search(decorrelator *w, inco_error *error) {
    int status = parallel_for(w->settings->threads, w->panels, search_panel, w, error);
    if (status < 0) return status;
    w->all.count = 0;
    w->all.maximum = 0;
    for (int64_t p = 0; p < w->panels; p++) {
        w->all.maximum = fmax(w->all.maximum, w->found[p].maximum);
        for (int64_t k = 0; k < w->found[p].count && status >= 0; k++)
            status = add_violator(&w->all, w->found[p].item[k]);
    }
    return status < 0 ? error_no_memory(error) : status;
}

/* ---- Rotating ---- */

void decorrelate_direction(double *v, int64_t dim, uint64_t seed, uint64_t round, uint64_t index) {
    inco_mat column = mat_view(INCO_F64, dim, 1, v);
    for (int64_t i = 0; i < dim; i++)
        v[i] = rng_normal(seed, RNG_DECORRELATE, (round << 40) + index * (uint64_t)dim + (uint64_t)i);
    mat_normalize_columns(&column, NULL);
}

/* Normalises q; if it is zero, replaces it by a random direction orthogonal to p. */
static int make_orthogonal(decorrelator *w, uint64_t index, inco_error *error) {
    const int64_t dim = w->d->rows;
    inco_mat column = mat_view(INCO_F64, dim, 1, w->q);
    int status = INCO_OK;
    if (blas_dot(dim, w->q, w->q) < 1e-20) {
        decorrelate_direction(w->q, dim, w->settings->seed, w->settings->round, index);
        status = subspace_project(w->settings->within, &column, 1, error);
    }
    blas_axpy(dim, -blas_dot(dim, w->p, w->q), w->p, w->q);
    mat_normalize_columns(&column, NULL);
    return status;
}

/* (INK-1): rotates both atoms by the same angle in their plane until |d_i'd_j| equals the bound. */
static int rotate(decorrelator *w, const violator *v, uint64_t index, inco_error *error) {
    const int64_t dim = w->d->rows;
    const double sign = v->product < 0 ? -1 : 1, angle = acos(fmin(w->settings->bound, 1)) / 2;
    double *a = mat_column(w->d, v->i), *b = mat_column(w->d, v->j);
    inco_mat column = mat_view(INCO_F64, dim, 1, w->p);
    for (int64_t i = 0; i < dim; i++) {
        w->p[i] = a[i] + sign * b[i];
        w->q[i] = a[i] - sign * b[i];
    }
    mat_normalize_columns(&column, NULL);
    int status = make_orthogonal(w, index, error);
    for (int64_t i = 0; i < dim; i++) {
        a[i] = cos(angle) * w->p[i] + sin(angle) * w->q[i];
        b[i] = sign * (cos(angle) * w->p[i] - sin(angle) * w->q[i]);
    }
    return status;
}

/* Greedy matching in descending order of |d_i'd_j|: every atom is in at most one pair. Counts the pairs. */
static int rotate_pairs(decorrelator *w, int64_t pass, inco_error *error) {
    const int64_t atoms = w->d->cols;
    int64_t pairs = 0;
    int status = INCO_OK;
    qsort(w->all.item, (size_t)w->all.count, sizeof *w->all.item, compare);
    memset(w->taken, 0, (size_t)atoms);
    for (int64_t k = 0; k < w->all.count && 2 * pairs + 1 < atoms && status >= 0; k++) {
        const violator *v = &w->all.item[k];
        if (w->taken[v->i] || w->taken[v->j]) continue;
        w->taken[v->i] = w->taken[v->j] = 1;
        status = rotate(w, v, (uint64_t)(pass * atoms + v->i), error);
        pairs++;
    }
    w->result->pairs += pairs;
    return status;
}

/* ---- The passes ---- */

static int make_passes(decorrelator *w, inco_error *error) {
    const decorrelation *settings = w->settings;
    for (;;) {
        int status = watcher_ask(settings->poll);
        if (status < 0 || (status = search(w, error)) < 0) return status;
        w->result->coherence = w->all.maximum;
        if (w->all.maximum <= settings->bound + settings->tolerance) return status;
        if (w->result->passes == settings->passes) return INCO_OK;
        status = rotate_pairs(w, w->result->passes++, error);
        if (status < 0) return status;
    }
}

int decorrelate(inco_mat *d, const decorrelation *settings, decorrelation_result *result, inco_error *error) {
    decorrelator w = {.d = d, .settings = settings, .result = result};
    int status;
    *result = (decorrelation_result){0};
    w.panels = range_blocks(d->cols, PANEL);
    w.found = NEW(violator_list, w.panels);
    w.taken = NEW_RAW(unsigned char, d->cols);
    w.p = NEW_RAW(double, d->rows);
    w.q = NEW_RAW(double, d->rows);
    if (!w.found || !w.taken || !w.p || !w.q) TRY(error_no_memory(error));
    TRY(mat_new_raw(&w.workspace, INCO_F64, d->cols * PANEL, settings->threads, error));
    TRY(make_passes(&w, error));
    mat_normalize_columns(d, NULL);
done:
    for (int64_t p = 0; w.found && p < w.panels; p++) memory_free(w.found[p].item);
    memory_free(w.found);
    memory_free(w.all.item);
    memory_free(w.taken);
    memory_free(w.p);
    memory_free(w.q);
    inco_mat_free(&w.workspace);
    return status;
}
