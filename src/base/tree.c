#include "base/tree.h"

#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/range.h"

enum { TREE_DEPTH = 128, TREE_PIECE = 1 << 15 };

/* Partial sums of consecutive chunks: stack[i] is node `place` of its level, the sum of chunks place * 2^level up to
 * (place + 1) * 2^level - 1. Nodes 2 k and 2 k + 1 of a level are merged as soon as both are complete. From chunk 0 on,
 * this is a binary counter: levels decrease along the stack. A rank whose chunks begin elsewhere has up to twice as
 * many nodes, first of increasing levels. */
struct tree_sum {
    int64_t length, capacity;
    int threads, height;
    int level[TREE_DEPTH];
    int64_t place[TREE_DEPTH];
    double *stack[TREE_DEPTH + 1]; /* stack[height] is the array being filled; those above it are unused */
};

tree_sum *tree_new(int64_t length, int64_t capacity, int threads) {
    tree_sum *tree = NEW(tree_sum, 1);
    if (!tree) return NULL;
    tree->length = length;
    tree->capacity = capacity;
    tree->threads = threads;
    return tree;
}

void tree_free(tree_sum *tree) {
    if (!tree) return;
    for (int i = 0; i <= TREE_DEPTH; i++) memory_free(tree->stack[i]);
    memory_free(tree);
}

void tree_clear(tree_sum *tree) {
    tree->height = 0;
}

typedef struct addition {
    double *to;
    const double *from; /* NULL: `to` becomes zero */
    int64_t length;
} addition;

static int add_piece(void *self, int64_t piece, int thread, inco_error *error) {
    const addition *add = self;
    int64_t first = piece * TREE_PIECE, last = first + TREE_PIECE;
    if (last > add->length) last = add->length;
    if (!add->from) memset(add->to + first, 0, (size_t)(last - first) * sizeof *add->to);
    for (int64_t i = first; add->from && i < last; i++) add->to[i] += add->from[i];
    (void)thread, (void)error;
    return 0;
}

static void add_all(const tree_sum *tree, double *to, const double *from) {
    addition add = {to, from, tree->length};
    parallel_for(tree->threads, range_blocks(tree->length, TREE_PIECE), add_piece, &add, NULL);
}

double *tree_next(tree_sum *tree) {
    double **slot = &tree->stack[tree->height];
    if (!*slot)
        *slot = NEW_RAW(double, tree->height ? tree->length : tree->capacity); /* the first receives the total */
    if (*slot) add_all(tree, *slot, NULL);
    return *slot;
}

/* Adds the topmost partial sum to the one below. */
static void merge_top(tree_sum *tree) {
    int top = --tree->height;
    add_all(tree, tree->stack[top - 1], tree->stack[top]);
    tree->level[top - 1]++;
    tree->place[top - 1] /= 2;
}

/* Merges the two topmost partial sums as long as they are siblings. */
static void merge_siblings(tree_sum *tree) {
    for (int top; (top = tree->height - 1) > 0; merge_top(tree))
        if (tree->level[top] != tree->level[top - 1] || tree->place[top] % 2 == 0) return;
}

void tree_push(tree_sum *tree, int64_t number) {
    tree->level[tree->height] = 0;
    tree->place[tree->height++] = number;
    merge_siblings(tree);
}

double *tree_total(tree_sum *tree) {
    if (tree->height == 0) return NULL;
    while (tree->height > 1) merge_top(tree);
    return tree->stack[0];
}

/* ---- Over the ranks of a cluster ---- */

typedef struct reduction {
    tree_sum *tree;
    cluster *c;
    int64_t chunks, first, end; /* all; those of this rank */
} reduction;

/* Sends the lowest partial sum of this rank, and drops it. */
static int send_bottom(const reduction *r, int64_t to, inco_error *error) {
    tree_sum *tree = r->tree;
    double *sent = tree->stack[0];
    int status = cluster_add(r->c, sent, tree->length, r->c->by.rank, to, error);
    for (int i = 1; i < tree->height; i++) {
        tree->stack[i - 1] = tree->stack[i];
        tree->level[i - 1] = tree->level[i];
        tree->place[i - 1] = tree->place[i];
    }
    tree->stack[--tree->height] = sent;
    return status;
}

/* Adds the partial sum of another rank, which continues the topmost one. */
static int receive_top(const reduction *r, int64_t from, inco_error *error) {
    const tree_sum *tree = r->tree;
    return cluster_add(r->c, tree->stack[tree->height - 1], tree->length, from, r->c->by.rank, error);
}

static int64_t owner(const reduction *r, int64_t chunk) {
    return cluster_owner(r->c, r->chunks, chunk);
}

/* Merges the nodes of a level whose halves are on two ranks: the right one goes to the owner of the left one. Only the
 * nodes at both ends of a share can be divided. Messages go from higher to lower ranks, so that all of them arrive. */
static int merge_level(const reduction *r, int level, inco_error *error) {
    const int64_t half = (int64_t)1 << level, size = 2 * half;
    const int64_t low = r->first / size * size, high = (r->end - 1) / size * size;
    int status = INCO_OK;
    if (low + size <= r->chunks && low < r->first && low + half >= r->first && low + half < r->end)
        status = send_bottom(r, owner(r, low), error);
    if (status < 0 || high + size > r->chunks || high < r->first || high + half < r->end) return status;
    status = receive_top(r, owner(r, high + half), error);
    r->tree->level[r->tree->height - 1]++; /* the topmost partial sum has become that of the node above */
    r->tree->place[r->tree->height - 1] /= 2;
    merge_siblings(r->tree);
    return status;
}

/* The nodes that remain are those of the binary digits of the number of chunks; the last is added first. */
static int merge_rest(const reduction *r, inco_error *error) {
    int64_t begin = r->chunks & (r->chunks - 1); /* of the last node */
    int status = INCO_OK;
    for (; begin > 0 && status >= 0; begin &= begin - 1) {
        const int64_t from = owner(r, begin), to = owner(r, begin & (begin - 1)), rank = cluster_rank(r->c);
        if (from == to && rank == to) merge_top(r->tree);
        if (from != to && rank == from) status = send_bottom(r, to, error);
        if (from != to && rank == to) status = receive_top(r, from, error);
    }
    return status;
}

int tree_reduce(tree_sum *tree, cluster *c, int64_t chunks, double **total, inco_error *error) {
    const int64_t rank = cluster_rank(c), first = cluster_share(c, chunks, rank);
    const reduction r = {tree, c, chunks, first, cluster_share(c, chunks, rank + 1)};
    int status = INCO_OK;
    *total = NULL;
    if (cluster_ranks(c) == 1) {
        *total = tree_total(tree);
        return INCO_OK;
    }
    if (r.first == r.end) return INCO_OK;
    for (int level = 0; status >= 0 && (int64_t)2 << level <= chunks; level++) status = merge_level(&r, level, error);
    if (status >= 0) status = merge_rest(&r, error);
    if (status >= 0 && rank == 0) *total = tree->stack[0];
    return status;
}
