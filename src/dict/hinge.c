#include "dict/hinge.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/tournament.h"
#include "mat/blas.h"
#include "mat/mat.h"

/* SPARSE_SHARE: an axpy costs about that many times its share of a GEMM. LIST_SHARE: and so does a pair of a list, of
 * the products and the gradient. PATIENCE: evaluations before gathering is tried again when there were too many pairs.
 * ATOMS_TOGETHER: of a list, by one task. */
enum { SPARSE_SHARE = 8, LIST_SHARE = 24, PATIENCE = 10, ATOMS_TOGETHER = 16 };

typedef struct hinge_slot {
    double sum, max;
    int64_t pairs;
    /* while pairs are gathered: */
    int32_t *found; /* i and j in turn */
    int64_t room;
    int failed; /* no memory */
} hinge_slot;

/* One evaluation, or one gathering. */
typedef struct hinge_task {
    hinge *w;
    const inco_mat *d, *gradient;
    double tau, weight;
    int gather;
    hinge_slot total;
} hinge_task;

/* ---- Workspace ---- */

int hinge_open(hinge *w, int64_t rows, int64_t cols, int threads, inco_error *error) {
    *w = (hinge){.rows = rows, .cols = cols, .margin = 0.05};
    const double most = 1 + (double)rows * (double)cols * (double)cols / 1e7; /* less does not pay for waking one */
    w->threads = threads < most ? threads : (int)most;
    w->block = cols <= 512 ? 64 : cols <= 4096 ? 128 : 256;
    w->blocks = (cols + w->block - 1) / w->block;
    w->slot = NEW(hinge_slot, w->blocks > cols / ATOMS_TOGETHER + 1 ? w->blocks : cols / ATOMS_TOGETHER + 1);
    w->room = NEW_RAW(double, w->threads * w->block * w->block);
    return w->slot && w->room ? INCO_OK : error_no_memory(error);
}

void hinge_close(hinge *w) {
    for (int64_t i = 0; w->slot && i < w->blocks; i++) memory_free(w->slot[i].found);
    memory_free(w->slot);
    memory_free(w->room);
    memory_free(w->list.start);
    memory_free(w->list.near);
    memory_free(w->list.mirror);
    memory_free(w->list.excess);
    inco_mat_free(&w->from);
}

/* ---- One block of products ---- */

/* Of a block with itself, pairs i < j alone. */
static void clear_lower(const inco_mat *g) {
    for (int64_t j = 0; j < g->cols; j++)
        memset((double *)mat_column(g, j) + j, 0, (size_t)(g->rows - j) * sizeof(double));
}

/* Replaces products by what exceeds the bound, sign(g) max(0, |g| - tau); counts and squares it. */
static hinge_slot take_excess(const inco_mat *g, double tau) {
    const int64_t n = g->rows * g->cols;
    double *x = g->data;
    hinge_slot s = {.max = blas_largest(n, x)};
    if (s.max <= tau) return s;
    for (int64_t k = 0; k < n; k++) {
        const double inside = x[k] > tau ? tau : x[k] < -tau ? -tau : x[k];
        x[k] -= inside;
        s.pairs += x[k] != 0;
    }
    s.sum = blas_dot(n, x, x);
    return s;
}

/* (BOUND-2), one pair after another: g_a += 2 weight t d_b, g_b += 2 weight t d_a. */
static void push_pairs(const hinge_task *t, const inco_mat *excess, int64_t first, int64_t second) {
    const int64_t rows = t->d->rows;
    for (int64_t j = 0; j < excess->cols; j++)
        for (int64_t i = 0; i < excess->rows; i++) {
            const double x = 2 * t->weight * mat_get(excess, i, j);
            if (x == 0) continue;
            blas_axpy(rows, x, mat_column(t->d, second + j), mat_column(t->gradient, first + i));
            blas_axpy(rows, x, mat_column(t->d, first + i), mat_column(t->gradient, second + j));
        }
}

/* (BOUND-2), all at once: G_b += 2 weight D_a T, G_a += 2 weight D_b T'. */
static void push_block(const hinge_task *t, const inco_mat *excess, int64_t first, int64_t second) {
    const inco_mat a = mat_columns(t->d, first, excess->rows), b = mat_columns(t->d, second, excess->cols);
    const inco_mat ga = mat_columns(t->gradient, first, excess->rows);
    const inco_mat gb = mat_columns(t->gradient, second, excess->cols);
    blas_multiply(1, "NN", 2 * t->weight, &a, excess, 1, &gb);
    blas_multiply(1, "NT", 2 * t->weight, &b, excess, 1, &ga);
}

static void add_found(hinge_slot *slot, int64_t i, int64_t j) {
    if (slot->pairs == slot->room) {
        const int64_t room = 2 * slot->room + 1024;
        int32_t *found = memory_grow(slot->found, 2 * slot->pairs, 2 * room, sizeof *found);
        slot->failed |= !found;
        if (!found) return;
        slot->found = found;
        slot->room = room;
    }
    slot->found[2 * slot->pairs] = (int32_t)i;
    slot->found[2 * slot->pairs++ + 1] = (int32_t)j;
}

static void gather_block(hinge_slot *slot, const inco_mat *g, double limit, int64_t first, int64_t second) {
    slot->max = blas_largest(g->rows * g->cols, g->data);
    for (int64_t j = 0; slot->max > limit && j < g->cols; j++) {
        const double *column = mat_column(g, j);
        for (int64_t i = 0; i < g->rows; i++)
            if (fabs(column[i]) > limit) add_found(slot, first + i, second + j);
    }
}

static void visit_block(void *self, int64_t meeting, int member) {
    const hinge_task *t = self;
    const hinge *w = t->w;
    hinge_slot *slot = &w->slot[meeting];
    int64_t a, b;
    slot->sum = slot->max = 0;
    slot->pairs = 0;
    if (!tournament_pair(w->blocks, w->round, meeting, &a, &b)) return;
    const int64_t first = a * w->block, second = b * w->block;
    const int64_t rows = w->cols - first < w->block ? w->cols - first : w->block;
    const int64_t cols = w->cols - second < w->block ? w->cols - second : w->block;
    const inco_mat da = mat_columns(t->d, first, rows), db = mat_columns(t->d, second, cols);
    const inco_mat g = inco_mat_view(INCO_F64, rows, cols, w->room + member * w->block * w->block);
    blas_multiply(1, "TN", 1, &da, &db, 0, &g);
    if (a == b) clear_lower(&g);
    if (t->gather) {
        gather_block(slot, &g, t->tau, first, second);
        return;
    }
    const hinge_slot s = take_excess(&g, t->tau);
    slot->sum = s.sum;
    slot->max = s.max;
    slot->pairs = s.pairs;
    if (!t->gradient || s.pairs == 0) return;
    if (s.pairs * SPARSE_SHARE < rows * cols)
        push_pairs(t, &g, first, second);
    else
        push_block(t, &g, first, second);
}

/* ---- All blocks ---- */

static void add_slots(hinge_task *t, int64_t slots) {
    for (int64_t i = 0; i < slots; i++) {
        const hinge_slot *s = &t->w->slot[i];
        t->total.sum += s->sum;
        t->total.max = fmax(t->total.max, s->max);
        t->total.pairs += s->pairs;
        t->total.failed |= s->failed;
    }
}

/* Appends the pairs of this round to the total's. */
static void keep_found(hinge_task *t, int64_t slots) {
    hinge_slot *all = &t->total;
    for (int64_t i = 0; i < slots && !all->failed; i++) {
        const hinge_slot *s = &t->w->slot[i];
        for (int64_t k = 0; k < s->pairs && !all->failed; k++) add_found(all, s->found[2 * k], s->found[2 * k + 1]);
        all->max = fmax(all->max, s->max);
        all->failed |= s->failed;
    }
}

static int64_t most_listed(const hinge *w) {
    return w->cols * (w->cols - 1) / 2 / LIST_SHARE;
}

static int walk_blocks(void *self, parallel_team *team, inco_error *error) {
    hinge_task *t = self;
    hinge *w = t->w;
    for (w->round = 0; w->round < tournament_rounds(w->blocks); w->round++) {
        const int64_t meetings = tournament_meetings(w->blocks, w->round);
        parallel_share(team, meetings, visit_block, t);
        if (t->gather)
            keep_found(t, meetings);
        else
            add_slots(t, meetings);
        if (t->gather && t->total.pairs > most_listed(w)) break;
    }
    return t->total.failed ? error_no_memory(error) : INCO_OK;
}

int hinge_eval(hinge *w, const inco_mat *d, double tau, double weight, const inco_mat *gradient, double *h,
               inco_error *error) {
    hinge_task t = {.w = w, .d = d, .gradient = gradient, .tau = tau, .weight = weight};
    int status = parallel_together(w->threads, walk_blocks, &t, error);
    *h = t.total.sum;
    w->pairs = t.total.pairs;
    w->max = t.total.max;
    return status;
}

/* ---- The list ---- */

static int list_room(hinge *w, int64_t count, inco_error *error) {
    hinge_list *list = &w->list;
    if (!list->start) list->start = NEW(int64_t, w->cols + 1);
    if (!list->near || count > list->room) {
        memory_free(list->near);
        memory_free(list->mirror);
        memory_free(list->excess);
        list->near = NEW_RAW(int32_t, count);
        list->mirror = NEW_RAW(int64_t, count);
        list->excess = NEW_RAW(double, count);
        list->room = count;
    }
    if (list->start && list->near && list->mirror && list->excess) return INCO_OK;
    list->room = 0;
    return error_no_memory(error);
}

/* From the last pair to the first, each once in both directions. */
static void list_fill(hinge *w, const int32_t *found, int64_t pairs) {
    hinge_list *list = &w->list;
    memset(list->start, 0, (size_t)(w->cols + 1) * sizeof *list->start);
    for (int64_t k = 0; k < 2 * pairs; k++) list->start[found[k]]++;
    for (int64_t j = 1; j <= w->cols; j++) list->start[j] += list->start[j - 1];
    for (int64_t k = pairs - 1; k >= 0; k--) {
        const int32_t i = found[2 * k], j = found[2 * k + 1];
        const int64_t at = --list->start[i], there = --list->start[j];
        list->near[at] = j;
        list->near[there] = i;
        list->mirror[at] = there;
        list->mirror[there] = at;
    }
    list->count = 2 * pairs;
}

int hinge_collect(hinge *w, const inco_mat *d, double limit, inco_error *error) {
    hinge_task t = {.w = w, .d = d, .tau = limit, .gather = 1};
    int status;
    w->listed = 0;
    w->walks++;
    TRY(parallel_together(w->threads, walk_blocks, &t, error));
    if (t.total.pairs > most_listed(w)) goto done;
    TRY(list_room(w, 2 * t.total.pairs, error));
    if (!w->from.data) TRY(mat_new_raw(&w->from, INCO_F64, w->rows, w->cols, error));
    list_fill(w, t.total.found, t.total.pairs);
    mat_copy(&w->from, d);
    w->limit = limit;
    w->listed = 1;
done:
    memory_free(t.total.found);
    return status;
}

/* Products of the pairs whose first atom is among these. */
static void visit_pairs(void *self, int64_t part, int member) {
    const hinge_task *t = self;
    const hinge *w = t->w;
    const hinge_list *list = &w->list;
    const int64_t first = part * ATOMS_TOGETHER;
    const int64_t last = first + ATOMS_TOGETHER < w->cols ? first + ATOMS_TOGETHER : w->cols;
    hinge_slot s = {0};
    (void)member;
    for (int64_t i = first; i < last; i++)
        for (int64_t k = list->start[i]; k < list->start[i + 1]; k++) {
            if (list->near[k] < i) continue;
            const double x = blas_dot(w->rows, mat_column(t->d, i), mat_column(t->d, list->near[k]));
            const double excess = x > t->tau ? x - t->tau : x < -t->tau ? x + t->tau : 0;
            list->excess[k] = list->excess[list->mirror[k]] = excess;
            s.max = fmax(s.max, fabs(x));
            s.sum += excess * excess;
            s.pairs += excess != 0;
        }
    w->slot[part].sum = s.sum;
    w->slot[part].max = s.max;
    w->slot[part].pairs = s.pairs;
}

static void push_listed(void *self, int64_t part, int member) {
    const hinge_task *t = self;
    const hinge_list *list = &t->w->list;
    const int64_t first = part * ATOMS_TOGETHER, cols = t->w->cols;
    (void)member;
    for (int64_t j = first; j < first + ATOMS_TOGETHER && j < cols; j++)
        for (int64_t k = list->start[j]; k < list->start[j + 1]; k++)
            if (list->excess[k] != 0)
                blas_axpy(t->w->rows, 2 * t->weight * list->excess[k], mat_column(t->d, list->near[k]),
                          mat_column(t->gradient, j));
}

static int walk_list(void *self, parallel_team *team, inco_error *error) {
    hinge_task *t = self;
    const int64_t parts = (t->w->cols + ATOMS_TOGETHER - 1) / ATOMS_TOGETHER;
    (void)error;
    parallel_share(team, parts, visit_pairs, t);
    add_slots(t, parts);
    if (t->gradient && t->total.pairs > 0) parallel_share(team, parts, push_listed, t);
    return INCO_OK;
}

/* (BOUND-3): how much a product can have grown since the list was gathered: the two longest ways together. */
static double growth(const hinge *w, const inco_mat *d) {
    double longest = 0, second = 0;
    for (int64_t j = 0; j < w->cols; j++) {
        const double *a = mat_column(d, j), *b = mat_column(&w->from, j);
        double square = 0;
        for (int64_t i = 0; i < w->rows; i++) square += (a[i] - b[i]) * (a[i] - b[i]);
        second = fmax(second, fmin(longest, square));
        longest = fmax(longest, square);
    }
    return sqrt(longest) + sqrt(second);
}

int hinge_eval_pairs(hinge *w, const inco_mat *d, double tau, double weight, const inco_mat *gradient, double *h,
                     inco_error *error) {
    hinge_task t = {.w = w, .d = d, .gradient = gradient, .tau = tau, .weight = weight};
    int status;
    double others = w->listed ? w->limit + growth(w, d) : INFINITY;
    if (others > tau && w->patience-- <= 0) {
        TRY(hinge_collect(w, d, tau - w->margin, error));
        others = w->limit;
        w->patience = w->listed ? 0 : PATIENCE;
    }
    if (!w->listed) return hinge_eval(w, d, tau, weight, gradient, h, error);
    w->visits++;
    TRY(parallel_together(w->threads, walk_list, &t, error));
    *h = t.total.sum;
    w->pairs = t.total.pairs;
    w->max = fmax(t.total.max, others);
done:
    return status;
}
