#include "pairs/hinge.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/range.h"
#include "mat/blas.h"
#include "mat/mat.h"

/* LIST_SHARE: cost of a listed pair relative to a pair in a block of all products. PATIENCE: evaluations before
 * gathering is retried after there were too many pairs. ATOMS_TOGETHER: atoms of a list per task. LOOSE_SHARE: a list
 * is repaired if fewer than one in this many atoms has moved too far. */
enum { LIST_SHARE = 24, PATIENCE = 10, ATOMS_TOGETHER = 16, LOOSE_SHARE = 4 };
static const double LEAST_MARGIN = 1e-3;

typedef struct hinge_slot {
    double sum, max;
    int64_t pairs;
    /* while gathering pairs: */
    int32_t *found; /* i and j, alternating */
    int64_t capacity;
    int failed; /* out of memory */
} hinge_slot;

/* One evaluation, or one gathering of pairs. */
typedef struct hinge_task {
    hinge *w;
    const inco_mat *d, *gradient;
    double tau, weight;
    hinge_slot total;
} hinge_task;

/* ---- Workspace ---- */

static int64_t parts_of(int64_t cols) {
    return range_blocks(cols, ATOMS_TOGETHER);
}

int hinge_open(hinge *w, int64_t rows, int64_t cols, int threads, inco_error *error) {
    *w = (hinge){.margin = 0.05};
    int status = pairs_open(&w->all, rows, cols, threads, error);
    if (status < 0) return status;
    w->slot = NEW(hinge_slot, w->all.blocks > parts_of(cols) ? w->all.blocks : parts_of(cols));
    return w->slot ? INCO_OK : error_no_memory(error);
}

void hinge_close(hinge *w) {
    for (int64_t i = 0; w->slot && i < w->all.blocks; i++) memory_free(w->slot[i].found);
    pairs_close(&w->all);
    memory_free(w->slot);
    memory_free(w->list.start);
    memory_free(w->list.near);
    memory_free(w->list.mirror);
    memory_free(w->list.excess);
    memory_free(w->moved);
    memory_free(w->loose);
    inco_mat_free(&w->from);
}

/* ---- All pairs ---- */

static void clear(hinge_slot *s) {
    s->sum = s->max = 0;
    s->pairs = 0;
}

/* Replaces products by their violation, sign(g) max(0, |g| - tau), and counts and squares it; (BOUND-2). */
static void visit_block(void *self, const pairs_block *block) {
    const hinge_task *t = self;
    hinge_slot *s = &t->w->slot[block->slot];
    const int64_t n = block->g.rows * block->g.cols;
    const double tau = t->tau;
    double *x = block->g.data;
    int64_t count = 0;
    s->max = blas_largest(n, x);
    if (s->max <= tau) return;
    for (int64_t k = 0; k < n; k++) {
        const double inside = x[k] > tau ? tau : x[k] < -tau ? -tau : x[k];
        x[k] -= inside;
        count += x[k] != 0;
    }
    s->pairs = count;
    s->sum = blas_dot(n, x, x);
    if (t->gradient && count) pairs_push(block, count, 2 * t->weight, t->d, t->gradient);
}

static int add_slots(void *self, int64_t slots) {
    hinge_task *t = self;
    for (int64_t i = 0; i < slots; i++) {
        hinge_slot *s = &t->w->slot[i];
        t->total.sum += s->sum;
        t->total.max = fmax(t->total.max, s->max);
        t->total.pairs += s->pairs;
        clear(s);
    }
    return 0;
}

static void tell(hinge *w, const hinge_task *t, double others, double *h) {
    *h = t->total.sum;
    w->pairs = t->total.pairs;
    w->max = fmax(t->total.max, others);
}

int hinge_eval(hinge *w, const inco_mat *d, double tau, double weight, const inco_mat *gradient, double *h,
               inco_error *error) {
    hinge_task t = {.w = w, .d = d, .gradient = gradient, .tau = tau, .weight = weight};
    const pairs_visitor visitor = {&t, visit_block, add_slots};
    (void)error;
    pairs_walk(&w->all, d, &visitor);
    tell(w, &t, 0, h);
    return INCO_OK;
}

/* ---- The list ---- */

static void add_found(hinge_slot *slot, int64_t i, int64_t j) {
    int32_t *found = memory_more(slot->found, slot->pairs, &slot->capacity, 2 * sizeof *found);
    slot->failed |= !found;
    if (!found) return;
    slot->found = found;
    slot->found[2 * slot->pairs] = (int32_t)i;
    slot->found[2 * slot->pairs++ + 1] = (int32_t)j;
}

static void gather_block(void *self, const pairs_block *block) {
    const hinge_task *t = self;
    const inco_mat *g = &block->g;
    if (blas_largest(g->rows * g->cols, g->data) <= t->tau) return;
    for (int64_t j = 0; j < g->cols; j++) {
        const double *column = mat_column(g, j);
        const int64_t end = block->first == block->second ? j : g->rows;
        for (int64_t i = 0; i < end; i++)
            if (fabs(column[i]) > t->tau) add_found(&t->w->slot[block->slot], block->first + i, block->second + j);
    }
}

/* A longer list takes more time than all products. */
static int64_t max_visited(const hinge *w) {
    return w->all.cols * (w->all.cols - 1) / 2 / LIST_SHARE;
}

static int64_t max_listed(const hinge *w) {
    return max_visited(w) > w->wanted ? max_visited(w) : w->wanted;
}

/* Appends the pairs of this round to the total; stops if there are too many. */
static int keep_found(void *self, int64_t slots) {
    hinge_task *t = self;
    hinge_slot *all = &t->total;
    for (int64_t i = 0; i < slots; i++) {
        hinge_slot *s = &t->w->slot[i];
        for (int64_t k = 0; k < s->pairs && !all->failed; k++) add_found(all, s->found[2 * k], s->found[2 * k + 1]);
        all->failed |= s->failed;
        s->failed = 0;
        clear(s);
    }
    return all->failed || all->pairs > max_listed(t->w);
}

static int list_reserve(hinge *w, int64_t count, inco_error *error) {
    hinge_list *list = &w->list;
    if (!list->start) list->start = NEW(int64_t, w->all.cols + 1);
    if (!w->moved) w->moved = NEW(double, w->all.cols);
    if (!w->loose) w->loose = NEW(char, w->all.cols);
    if (!list->near || count > list->capacity) {
        memory_free(list->near);
        memory_free(list->mirror);
        memory_free(list->excess);
        list->near = NEW_RAW(int32_t, count);
        list->mirror = NEW_RAW(int64_t, count);
        list->excess = NEW_RAW(double, count);
        list->capacity = count;
    }
    if (list->start && w->moved && w->loose && list->near && list->mirror && list->excess) return INCO_OK;
    list->capacity = 0;
    return error_no_memory(error);
}

/* Fills the list from the last pair to the first, each pair in both directions. */
static void list_fill(hinge *w, const int32_t *found, int64_t pairs) {
    hinge_list *list = &w->list;
    memset(list->start, 0, (size_t)(w->all.cols + 1) * sizeof *list->start);
    for (int64_t k = 0; k < 2 * pairs; k++) list->start[found[k]]++;
    for (int64_t j = 1; j <= w->all.cols; j++) list->start[j] += list->start[j - 1];
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

/* Gathers the pairs with |d_i'd_j| > limit, of unit-norm atoms. Keeps no list (w->listed = 0) if they are so many that
 * computing all products costs less, and more than wanted. */
static int collect(hinge *w, const inco_mat *d, double limit, inco_error *error) {
    hinge_task t = {.w = w, .d = d, .tau = limit};
    const pairs_visitor visitor = {&t, gather_block, keep_found};
    int status = INCO_OK;
    w->listed = 0;
    w->walks++;
    pairs_walk(&w->all, d, &visitor);
    if (t.total.failed) TRY(error_no_memory(error));
    if (t.total.pairs > max_listed(w)) goto done;
    TRY(list_reserve(w, 2 * t.total.pairs, error));
    if (!w->from.data) TRY(mat_new_raw(&w->from, INCO_F64, w->all.rows, w->all.cols, error));
    list_fill(w, t.total.found, t.total.pairs);
    mat_copy(&w->from, d);
    w->limit = limit;
    w->listed = 1;
done:
    memory_free(t.total.found);
    return status;
}

/* Computes the products of the pairs whose first atom is in this part. */
static int visit_pairs(void *self, int64_t part, int thread, inco_error *error) {
    const hinge_task *t = self;
    const hinge *w = t->w;
    const hinge_list *list = &w->list;
    const int64_t first = part * ATOMS_TOGETHER;
    const int64_t last = range_min(first + ATOMS_TOGETHER, w->all.cols);
    hinge_slot s = {0};
    (void)thread, (void)error;
    for (int64_t i = first; i < last; i++)
        for (int64_t k = list->start[i]; k < list->start[i + 1]; k++) {
            if (list->near[k] < i) continue;
            const double x = blas_dot(w->all.rows, mat_column(t->d, i), mat_column(t->d, list->near[k]));
            const double excess = x > t->tau ? x - t->tau : x < -t->tau ? x + t->tau : 0;
            list->excess[k] = list->excess[list->mirror[k]] = excess;
            s.max = fmax(s.max, fabs(x));
            s.sum += excess * excess;
            s.pairs += excess != 0;
        }
    w->slot[part].sum = s.sum;
    w->slot[part].max = s.max;
    w->slot[part].pairs = s.pairs;
    return INCO_OK;
}

static int push_listed(void *self, int64_t part, int thread, inco_error *error) {
    const hinge_task *t = self;
    const hinge_list *list = &t->w->list;
    const int64_t first = part * ATOMS_TOGETHER, cols = t->w->all.cols;
    (void)thread, (void)error;
    for (int64_t j = first; j < first + ATOMS_TOGETHER && j < cols; j++)
        for (int64_t k = list->start[j]; k < list->start[j + 1]; k++)
            if (list->excess[k] != 0)
                blas_axpy(t->w->all.rows, 2 * t->weight * list->excess[k], mat_column(t->d, list->near[k]),
                          mat_column(t->gradient, j));
    return INCO_OK;
}

/* ---- Mending the list ---- */

/* (BOUND-3): computes how far each atom has moved since the list was gathered. Returns the maximum increase of a
 * product: the sum of the two largest distances. */
static double growth(const hinge *w, const inco_mat *d) {
    double longest = 0, second = 0;
    for (int64_t j = 0; j < w->all.cols; j++) {
        const double *a = mat_column(d, j), *b = mat_column(&w->from, j);
        double square = 0;
        for (int64_t i = 0; i < w->all.rows; i++) square += (a[i] - b[i]) * (a[i] - b[i]);
        w->moved[j] = sqrt(square);
        second = fmax(second, fmin(longest, w->moved[j]));
        longest = fmax(longest, w->moved[j]);
    }
    return longest + second;
}

/* Finds the atoms that have moved by more than half of the margin of the list. */
static int64_t find_loose(hinge *w, double tau) {
    int64_t count = 0;
    for (int64_t j = 0; j < w->all.cols; j++) count += w->loose[j] = w->moved[j] > (tau - w->limit) / 2;
    return count;
}

/* Some of the loose atoms, whose products with all others are computed. */
typedef struct hinge_mend {
    hinge_task task;
    inco_mat panel;
    int64_t *atom; /* their numbers */
} hinge_mend;

/* (BOUND-4): gathers the pairs of the panel's atoms with those of a block; a pair of two loose atoms once. */
static int mend_block(void *self, int64_t block, int thread, inco_error *error) {
    const hinge_mend *m = self;
    const hinge *w = m->task.w;
    const int64_t first = block * w->all.block, left = w->all.cols - first;
    const inco_mat others = mat_columns(m->task.d, first, range_min(left, w->all.block));
    const inco_mat g =
        mat_view(INCO_F64, m->panel.cols, others.cols, w->all.products + thread * w->all.block * w->all.block);
    (void)error;
    blas_multiply(1, "TN", 1, &m->panel, &others, 0, &g);
    for (int64_t j = first; j < first + others.cols; j++) {
        const double *column = mat_column(&g, j - first), least = w->limit - (w->loose[j] ? 0 : w->moved[j]);
        for (int64_t i = 0; i < g.rows; i++)
            if (fabs(column[i]) > least && m->atom[i] != j && (!w->loose[j] || m->atom[i] < j))
                add_found(&w->slot[block], m->atom[i], j);
    }
    return INCO_OK;
}

static int mend_all(hinge_mend *m, inco_error *error) {
    const hinge *w = m->task.w;
    int stop = 0;
    for (int64_t j = 0; j < w->all.cols && !stop;) {
        for (m->panel.cols = 0; j < w->all.cols && m->panel.cols < w->all.block; j++) {
            if (!w->loose[j]) continue;
            memcpy(mat_column(&m->panel, m->panel.cols), mat_column(m->task.d, j),
                   (size_t)w->all.rows * sizeof(double));
            m->atom[m->panel.cols++] = j;
        }
        parallel_for(w->all.threads, w->all.blocks, mend_block, m, NULL);
        stop = keep_found(&m->task, w->all.blocks);
    }
    return m->task.total.failed ? error_no_memory(error) : INCO_OK;
}

/* Keeps the pairs of the list without loose atoms. */
static void keep_firm(hinge_task *t) {
    const hinge *w = t->w;
    const hinge_list *list = &w->list;
    for (int64_t i = 0; i < w->all.cols; i++)
        for (int64_t k = list->start[i]; k < list->start[i + 1]; k++)
            if (list->near[k] > i && !w->loose[i] && !w->loose[list->near[k]]) add_found(&t->total, i, list->near[k]);
}

static int mend(hinge *w, const inco_mat *d, inco_error *error) {
    hinge_mend m = {.task = {.w = w, .d = d}, .atom = NEW_RAW(int64_t, w->all.block)};
    int status = m.atom ? mat_new_raw(&m.panel, INCO_F64, w->all.rows, w->all.block, error) : error_no_memory(error);
    if (status < 0) goto done;
    w->mends++;
    w->listed = 0;
    keep_firm(&m.task);
    TRY(mend_all(&m, error));
    if (m.task.total.pairs > max_listed(w)) goto done;
    TRY(list_reserve(w, 2 * m.task.total.pairs, error));
    list_fill(w, m.task.total.found, m.task.total.pairs);
    for (int64_t j = 0; j < w->all.cols; j++)
        if (w->loose[j]) memcpy(mat_column(&w->from, j), mat_column(d, j), (size_t)w->all.rows * sizeof(double));
    w->listed = 1;
done:
    m.panel.cols = w->all.block;
    inco_mat_free(&m.panel);
    memory_free(m.atom);
    memory_free(m.task.total.found);
    return status;
}

/* Updates the list, only in part if few atoms have moved far. */
static int renew(hinge *w, const inco_mat *d, double tau, inco_error *error) {
    const int some = w->listed && w->limit < tau && find_loose(w, tau) * LOOSE_SHARE < w->all.cols;
    int status = some ? mend(w, d, error) : collect(w, d, tau - w->margin, error);
    w->patience = w->listed ? 0 : PATIENCE;
    if (!w->listed) w->margin = fmax(w->margin / 2, LEAST_MARGIN);
    return status;
}

int hinge_eval_pairs(hinge *w, const inco_mat *d, double tau, double weight, const inco_mat *gradient, double *h,
                     inco_error *error) {
    hinge_task t = {.w = w, .d = d, .gradient = gradient, .tau = tau, .weight = weight};
    int status = INCO_OK;
    double others = w->listed ? w->limit + growth(w, d) : INFINITY;
    if (others > tau && w->patience-- <= 0) {
        TRY(renew(w, d, tau, error));
        others = w->listed ? w->limit + growth(w, d) : tau;
    }
    if (!w->listed || w->list.count / 2 > max_visited(w)) return hinge_eval(w, d, tau, weight, gradient, h, error);
    w->visits++;
    const int64_t parts = parts_of(w->all.cols);
    parallel_for(w->all.threads, parts, visit_pairs, &t, NULL);
    add_slots(&t, parts);
    if (gradient && t.total.pairs > 0) parallel_for(w->all.threads, parts, push_listed, &t, NULL);
    tell(w, &t, others, h);
done:
    return status;
}
