/* inco_compare: matches the atoms of two dictionaries. The similarities |a_i'b_j| of the normalised atoms, computed in
 * double, become integer costs (CMP-2), from which the optimal matching and the most similar atoms are found; the
 * similarities of these pairs are computed again in double. docs/theory/compare.md. */
#include <math.h>

#include "base/clock.h"
#include "base/common.h"
#include "base/error.h"
#include "base/handle.h"
#include "base/memory.h"
#include "base/owner.h"
#include "base/parallel.h"
#include "base/range.h"
#include "base/sized.h"
#include "mat/blas.h"
#include "mat/mat.h"
#include "metric/assign.h"
#include "metric/coherence.h"

static const double thresholds[] = {0.99, 0.95, 0.9};
enum { THRESHOLDS = sizeof thresholds / sizeof *thresholds, BINS = 100 };

/* A pair of equal atoms may be slightly below 1 by rounding. */
static const double ROUNDING = 1e-12;

/* One of the dictionaries, and the results for its atoms. */
typedef struct side {
    const inco_mat *d;
    double *norm;
    int64_t *index; /* the nonzero atoms */
    gram_atoms atoms;
    int64_t *nearest; /* results, per atom */
    double *similarity;
    int64_t recovered[THRESHOLDS];
    int64_t collisions;
    double mean;
} side;

typedef struct comparing {
    side rows, cols; /* the dictionary with fewer atoms, the other one */
    int swapped;     /* the rows are B */
    const inco_options *options;
    int threads;
    double start;
    int32_t *cost;
    int64_t first_block; /* of costs to compute in this round */
    int32_t *match;      /* of the rows */
    inco_comparison *result;
} comparing;

/* Memory of the arrays of the result. */
typedef struct arrays {
    int64_t *match, *nearest_a, *nearest_b;
    double *match_similarity, *similarity_a, *similarity_b;
    int64_t recovered[THRESHOLDS], recovered_a[THRESHOLDS], recovered_b[THRESHOLDS], histogram[BINS];
} arrays;

static void release_arrays(owner *own) {
    arrays *a = own->base;
    void *blocks[] = {a->match, a->nearest_a, a->nearest_b, a->match_similarity, a->similarity_a, a->similarity_b, a};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) memory_free(blocks[i]);
}

static int tell(const comparing *w, int64_t done, int64_t total) {
    const inco_progress now = {.phase = "compare", .done = done, .total = total, .seconds = clock_seconds() - w->start};
    return w->options ? watcher_tell(options_watcher(w->options), &now) : INCO_OK;
}

/* ---- The dictionaries ---- */

static int open_side(side *s, const inco_mat *d, const char *name, inco_error *error) {
    int64_t used = 0;
    *s = (side){.d = d};
    int status = mat_check_atoms(d, name, error);
    if (status < 0) return status;
    s->norm = NEW_RAW(double, d->cols);
    s->index = NEW_RAW(int64_t, d->cols);
    s->nearest = NEW_RAW(int64_t, d->cols);
    s->similarity = NEW_RAW(double, d->cols);
    if (!s->norm || !s->index || !s->nearest || !s->similarity) return error_no_memory(error);
    for (int64_t j = 0; j < d->cols; j++) {
        s->nearest[j] = -1;
        s->similarity[j] = NAN;
        s->norm[j] = mat_column_norm(d, j);
        if (!isfinite(s->norm[j]))
            return error_set(error, INCO_EDATA,
                             "the norm of atom %lld (counted from 0) of the %s is beyond the largest double: scale "
                             "the dictionary",
                             (long long)j, name);
        if (s->norm[j] > 0) s->index[used++] = j;
    }
    s->atoms = (gram_atoms){d, s->index, s->norm, used};
    return INCO_OK;
}

static void close_side(side *s) {
    memory_free(s->norm);
    memory_free(s->index);
    memory_free(s->nearest);
    memory_free(s->similarity);
}

/* ---- Costs ---- */

/* (CMP-2): a cost of 1 is a difference of 2^-27 in |a'b|. */
static int32_t cost_of(double product) {
    const double size = fmin(fabs(product), 1);
    return (int32_t)((1 - size) * ASSIGN_COST_MAX + 0.5);
}

/* The costs of GRAM_BLOCK rows. */
static int fill_rows(void *self, int64_t i, int thread, inco_error *error) {
    const comparing *w = self;
    const int64_t dim = w->rows.d->rows, cols = w->cols.atoms.count, first = (w->first_block + i) * GRAM_BLOCK;
    const int64_t rows = range_min(w->rows.atoms.count - first, GRAM_BLOCK);
    double *panels = NEW_RAW(double, 2 * dim * GRAM_BLOCK + GRAM_BLOCK * GRAM_BLOCK);
    (void)thread;
    if (!panels) return error_no_memory(error);
    inco_mat of_rows = mat_view(INCO_F64, dim, rows, panels);
    gram_gather(&w->rows.atoms, first, rows, panels);
    for (int64_t second = 0; second < cols; second += GRAM_BLOCK) {
        const int64_t count = range_min(cols - second, GRAM_BLOCK);
        inco_mat of_cols = mat_view(INCO_F64, dim, count, panels + dim * GRAM_BLOCK);
        inco_mat g = mat_view(INCO_F64, count, rows, panels + 2 * dim * GRAM_BLOCK);
        gram_gather(&w->cols.atoms, second, count, of_cols.data);
        blas_multiply(1, "TN", 1, &of_cols, &of_rows, 0, &g);
        const double *product = g.data;
        for (int64_t k = 0; k < rows; k++)
            for (int64_t j = 0; j < count; j++)
                w->cost[(first + k) * cols + second + j] = cost_of(product[k * count + j]);
    }
    memory_free(panels);
    return INCO_OK;
}

/* In rounds, between which progress is reported. */
static int fill_costs(comparing *w, inco_error *error) {
    const int64_t rows = w->rows.atoms.count, cols = w->cols.atoms.count, blocks = range_blocks(rows, GRAM_BLOCK);
    int status =
        inco_check_memory("the similarities of all pairs of atoms", 4 * (double)rows * (double)cols, w->options, error);
    if (status < 0) return status;
    w->cost = NEW_RAW(int32_t, rows * cols);
    if (!w->cost)
        return error_set(error, INCO_ENOMEM,
                         "out of memory: to compare %lld with %lld atoms takes %.1f GB for their similarities",
                         (long long)rows, (long long)cols, 4e-9 * (double)rows * (double)cols);
    for (int64_t first = 0; status == INCO_OK && first < blocks; first += w->threads) {
        w->first_block = first;
        status = parallel_for(w->threads, range_min(w->threads, blocks - first), fill_rows, w, error);
        if (status == INCO_OK) status = tell(w, range_min(first + w->threads, blocks) * rows / blocks, 2 * rows);
    }
    return status;
}

/* ---- Similarities of chosen pairs ---- */

/* a'b of the row and column of these numbers, in double. */
static double product(const comparing *w, int64_t row, int64_t col, double *workspace) {
    const int64_t dim = w->rows.d->rows;
    gram_gather(&w->rows.atoms, row, 1, workspace);
    gram_gather(&w->cols.atoms, col, 1, workspace + dim);
    return fmax(-1, fmin(1, blas_dot(dim, workspace, workspace + dim)));
}

static void count_recovered(double similarity, int64_t *recovered) {
    for (int k = 0; k < THRESHOLDS; k++) recovered[k] += fabs(similarity) >= thresholds[k] - ROUNDING;
}

/* ---- The most similar atoms ---- */

typedef struct stripe {
    comparing *w;
    int32_t *row; /* of each column: the row of the least cost */
} stripe;

enum { STRIPE = 1024 };

/* The rows with the least cost of STRIPE columns; the first of equal ones. */
static int nearest_rows(void *self, int64_t i, int thread, inco_error *error) {
    const stripe *s = self;
    const int64_t cols = s->w->cols.atoms.count, first = i * STRIPE, count = range_min(cols - first, STRIPE);
    int32_t least[STRIPE], *row = s->row + first;
    (void)thread;
    (void)error;
    for (int64_t j = 0; j < count; j++) least[j] = INT32_MAX;
    for (int64_t k = 0; k < s->w->rows.atoms.count; k++) {
        const int32_t *cost = s->w->cost + k * cols + first;
        for (int64_t j = 0; j < count; j++) {
            row[j] = cost[j] < least[j] ? (int32_t)k : row[j];
            least[j] = cost[j] < least[j] ? cost[j] : least[j];
        }
    }
    return INCO_OK;
}

/* Notes the most similar atom `other` of the atom k. */
static void note_nearest(side *s, const side *others, int64_t k, int64_t other, double similarity) {
    const int64_t atom = s->index[k];
    s->nearest[atom] = others->index[other];
    s->similarity[atom] = similarity;
    s->mean += fabs(similarity) / (double)s->atoms.count;
    count_recovered(similarity, s->recovered);
}

/* Atoms whose most similar atom was also that of an atom before. */
static int count_collisions(side *s, int64_t others, inco_error *error) {
    char *taken = NEW(char, others);
    if (!taken) return error_no_memory(error);
    for (int64_t j = 0; j < s->d->cols; j++) {
        if (s->nearest[j] < 0) continue;
        s->collisions += taken[s->nearest[j]];
        taken[s->nearest[j]] = 1;
    }
    memory_free(taken);
    return INCO_OK;
}

static int find_nearest(comparing *w, double *workspace, inco_error *error) {
    side *rows = &w->rows, *cols = &w->cols;
    const int64_t m = cols->atoms.count;
    stripe s = {w, NEW(int32_t, m)};
    int status = s.row ? INCO_OK : error_no_memory(error);
    if (status == INCO_OK) status = parallel_for(w->threads, range_blocks(m, STRIPE), nearest_rows, &s, error);
    for (int64_t i = 0; status == INCO_OK && i < rows->atoms.count; i++) {
        const int32_t *cost = w->cost + i * m;
        int64_t j = 0;
        for (int64_t k = 1; k < m; k++)
            if (cost[k] < cost[j]) j = k;
        note_nearest(rows, cols, i, j, product(w, i, j, workspace));
    }
    for (int64_t j = 0; status == INCO_OK && j < m; j++)
        note_nearest(cols, rows, j, s.row[j], product(w, s.row[j], j, workspace));
    memory_free(s.row);
    if (status == INCO_OK) status = count_collisions(rows, cols->d->cols, error);
    if (status == INCO_OK) status = count_collisions(cols, rows->d->cols, error);
    return status;
}

/* ---- The optimal matching ---- */

static int tell_matched(void *self, int64_t done, int64_t rows) {
    return tell(self, rows + done, 2 * rows);
}

static int find_match(comparing *w, inco_error *error) {
    const assign_problem p = {w->rows.atoms.count, w->cols.atoms.count, w->cost, w, tell_matched};
    int32_t *price = NEW_RAW(int32_t, p.cols);
    w->match = NEW_RAW(int32_t, p.rows);
    int status = price && w->match ? assign_solve(&p, w->match, price, error) : error_no_memory(error);
    memory_free(price);
    return status;
}

/* ---- Results ---- */

static void fill_match(const comparing *w, arrays *to, double *workspace) {
    inco_comparison *c = w->result;
    for (int64_t j = 0; j < c->atoms_a; j++) {
        to->match[j] = -1;
        to->match_similarity[j] = NAN;
    }
    c->matched = w->rows.atoms.count;
    for (int64_t i = 0; i < c->matched; i++) {
        const int64_t row = w->rows.index[i], col = w->cols.index[w->match[i]];
        const double similarity = product(w, i, w->match[i], workspace), size = fabs(similarity);
        const int64_t a = w->swapped ? col : row;
        to->match[a] = w->swapped ? row : col;
        to->match_similarity[a] = similarity;
        c->mean_similarity += size / (double)c->matched;
        count_recovered(similarity, to->recovered);
        to->histogram[range_min((int64_t)(size * BINS), BINS - 1)]++;
    }
}

static int fill_coherence(const comparing *w, inco_error *error) {
    const side *a = w->swapped ? &w->cols : &w->rows, *b = w->swapped ? &w->rows : &w->cols;
    coherence of_a, of_b;
    int status;
    TRY(coherence_measure_atoms(&a->atoms, w->threads, &of_a, error));
    TRY(coherence_measure_atoms(&b->atoms, w->threads, &of_b, error));
    w->result->coherence_max_a = of_a.max;
    w->result->coherence_rms_a = of_a.rms;
    w->result->coherence_max_b = of_b.max;
    w->result->coherence_rms_b = of_b.rms;
done:
    return status;
}

/* Moves the arrays of the sides to the result. */
static void take_sides(comparing *w, arrays *to) {
    side *a = w->swapped ? &w->cols : &w->rows, *b = w->swapped ? &w->rows : &w->cols;
    inco_comparison *c = w->result;
    to->nearest_a = a->nearest;
    to->similarity_a = a->similarity;
    to->nearest_b = b->nearest;
    to->similarity_b = b->similarity;
    a->nearest = b->nearest = NULL;
    a->similarity = b->similarity = NULL;
    for (int k = 0; k < THRESHOLDS; k++) {
        to->recovered_a[k] = a->recovered[k];
        to->recovered_b[k] = b->recovered[k];
    }
    c->zero_a = c->atoms_a - a->atoms.count;
    c->zero_b = c->atoms_b - b->atoms.count;
    c->mean_nearest_a = a->mean;
    c->mean_nearest_b = b->mean;
    c->collisions_a = a->collisions;
    c->collisions_b = b->collisions;
}

static int new_arrays(inco_comparison *c, arrays **to, inco_error *error) {
    *to = NEW(arrays, 1);
    c->owner = *to ? owner_new(release_arrays, *to, 0) : NULL;
    if (!c->owner) {
        memory_free(*to);
        return error_no_memory(error);
    }
    (*to)->match = NEW_RAW(int64_t, c->atoms_a);
    (*to)->match_similarity = NEW_RAW(double, c->atoms_a);
    return (*to)->match && (*to)->match_similarity ? INCO_OK : error_no_memory(error);
}

static void show_arrays(inco_comparison *c, const arrays *from) {
    c->threshold_count = THRESHOLDS;
    c->threshold = thresholds;
    c->recovered = from->recovered;
    c->recovered_a = from->recovered_a;
    c->recovered_b = from->recovered_b;
    c->histogram_count = BINS;
    c->histogram = from->histogram;
    c->match = from->match;
    c->match_similarity = from->match_similarity;
    c->nearest_a = from->nearest_a;
    c->nearest_b = from->nearest_b;
    c->nearest_similarity_a = from->similarity_a;
    c->nearest_similarity_b = from->similarity_b;
}

static int compare(comparing *w, inco_error *error) {
    inco_comparison *c = w->result;
    arrays *to = NULL;
    double *workspace = NEW_RAW(double, 2 * w->rows.d->rows);
    const int64_t pairs = w->rows.atoms.count * w->cols.atoms.count;
    int status = workspace ? new_arrays(c, &to, error) : error_no_memory(error);
    if (status == INCO_OK && pairs) status = fill_costs(w, error);
    if (status == INCO_OK && pairs) status = find_nearest(w, workspace, error);
    if (status == INCO_OK && pairs) status = find_match(w, error);
    memory_free(w->cost);
    if (status == INCO_OK) status = fill_coherence(w, error);
    if (status == INCO_OK) {
        if (!pairs) w->rows.atoms.count = 0; /* nothing can be matched */
        fill_match(w, to, workspace);
        take_sides(w, to);
        show_arrays(c, to);
        c->seconds_total = clock_seconds() - w->start;
    }
    memory_free(w->match);
    memory_free(workspace);
    return status;
}

static int check(const inco_mat *a, const inco_mat *b, inco_error *error) {
    int status;
    TRY(mat_need(a, "a", error));
    TRY(mat_need(b, "b", error));
    if (a->cols >= INT32_MAX || b->cols >= INT32_MAX)
        TRY(error_set(error, INCO_EINVAL, "a dictionary to compare has fewer than 2^31 atoms"));
    if (a->rows != b->rows)
        TRY(error_set(
            error, INCO_EDIM,
            "the atoms of the first dictionary have %lld dimensions, those of the second %lld: they cannot be compared",
            (long long)a->rows, (long long)b->rows));
done:
    return status;
}

int inco_compare(const inco_mat *a, const inco_mat *b, const inco_options *options, inco_comparison *comparison,
                 inco_error *error) {
    inco_comparison own = INCO_INIT(inco_comparison);
    comparing w = {.options = options, .start = clock_seconds(), .result = &own};
    int status;
    TRY(SIZED_NEED(inco_comparison, comparison, error));
    TRY(check(a, b, error));
    if (options) TRY(handle_need(options, "options", error));
    w.threads = options ? common_threads(options) : parallel_threads(0);
    own.dim = a->rows;
    own.atoms_a = a->cols;
    own.atoms_b = b->cols;
    status = blas_enter(w.threads, error);
    if (status >= 0) status = open_side(&w.rows, a, "first dictionary", error);
    if (status == INCO_OK) status = open_side(&w.cols, b, "second dictionary", error);
    w.swapped = w.rows.atoms.count > w.cols.atoms.count;
    if (w.swapped) {
        const side first = w.rows;
        w.rows = w.cols;
        w.cols = first;
    }
    if (status == INCO_OK) status = compare(&w, error);
    blas_leave();
    close_side(&w.rows);
    close_side(&w.cols);
    if (status != INCO_OK) inco_comparison_free(&own);
    sized_give(comparison, &own, sizeof own);
done:
    return status;
}

void inco_comparison_free(inco_comparison *comparison) {
    sized_clear(comparison);
}
