#include "base/tree.h"

#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/range.h"

enum { TREE_DEPTH = 64, TREE_PIECE = 1 << 15 };

/* A binary counter of partial sums: stack[i] holds the sum of 2^level[i] chunks; levels decrease along the stack. */
struct tree_sum {
    int64_t length, capacity;
    int threads, height;
    int level[TREE_DEPTH];
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
    const double *from; /* NULL: zeros take the place of what is there */
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

/* Merges the two topmost partial sums. */
static void merge_top(tree_sum *tree) {
    int top = --tree->height;
    add_all(tree, tree->stack[top - 1], tree->stack[top]);
    tree->level[top - 1]++;
}

void tree_push(tree_sum *tree) {
    tree->level[tree->height++] = 0;
    while (tree->height > 1 && tree->level[tree->height - 1] == tree->level[tree->height - 2]) merge_top(tree);
}

double *tree_total(tree_sum *tree) {
    if (tree->height == 0) return NULL;
    while (tree->height > 1) merge_top(tree);
    return tree->stack[0];
}
