/* Jonker and Volgenant's shortest augmenting paths. The dual variables v of the columns are prices: a row prefers the
 * column with the least c_ij - v_j. First the rows bid for columns as in an auction, which assigns most of them; then
 * each row that is left finds the shortest path to a free column by Dijkstra's algorithm on the reduced costs, and the
 * assignments along this path are exchanged (CMP-4). */
#include "metric/assign.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* Bidding stops after this many bids per row: then paths are faster. */
enum { BIDS = 8, TELL_EVERY = 64 };

/* Larger than every distance: those are below 4 ASSIGN_COST_MAX (CMP-5). */
enum { SCANNED = 1 << 30 };
_Static_assert(SCANNED > 4 * (int64_t)ASSIGN_COST_MAX, "distances have their bits to themselves");

typedef struct assignment {
    const assign_problem *p;
    int32_t *match, *v;
    int32_t *row;                /* of each column; -1: free */
    int32_t *distance, *through; /* of each column: the shortest path so far, and the row before it */
    int32_t *mask;               /* SCANNED for columns whose shortest path is known, else 0 */
    int32_t *tree, *free;        /* those columns; the rows that are not assigned */
    int64_t left;                /* number of them */
} assignment;

static const int32_t *costs_of(const assignment *a, int64_t row) {
    return a->p->cost + row * a->p->cols;
}

static void give(assignment *a, int32_t row, int32_t column) {
    a->match[row] = column;
    a->row[column] = row;
}

/* ---- Bids ---- */

/* The row takes its best column, that of the least c_ij - v_j, at a price at which the second best is as good. Returns
 * the row that lost it, -1 if it was free. */
static int32_t bid(assignment *a, int32_t row) {
    const int32_t *c = costs_of(a, row), *v = a->v;
    int32_t least = INT32_MAX, second = INT32_MAX, column = -1, other = -1;
    for (int32_t j = 0; j < (int32_t)a->p->cols; j++) {
        const int32_t cost = c[j] - v[j];
        if (cost >= second) continue;
        if (cost < least)
            second = least, other = column, least = cost, column = j;
        else
            second = cost, other = j;
    }
    if (other >= 0 && least < second)
        a->v[column] -= second - least;
    else if (other >= 0 && a->row[column] >= 0)
        column = other;
    const int32_t lost = a->row[column];
    give(a, row, column);
    return lost;
}

/* Rows bid one after the other; a row that loses its column bids again in the next round. */
static int bid_in_rounds(assignment *a) {
    int64_t bids = 0;
    int status = INCO_OK;
    for (int round = 0; status == INCO_OK && round < BIDS && a->left > 0; round++) {
        const int64_t count = a->left;
        a->left = 0;
        for (int64_t k = 0; k < count; k++, bids++) {
            const int32_t lost = bid(a, a->free[k]);
            if (lost < 0) continue;
            a->match[lost] = -1;
            a->free[a->left++] = lost;
        }
        if (a->p->tell) status = a->p->tell(a->p->self, a->p->rows - a->left, a->p->rows);
    }
    return status;
}

/* ---- Shortest paths ---- */

/* Paths through `row`, at the distance `offset` + c_ij - v_j. Returns the least distance of a column that was not
 * scanned. */
static int32_t extend(assignment *a, int32_t row, int32_t offset) {
    const int32_t *c = costs_of(a, row), *v = a->v, *mask = a->mask;
    int32_t *distance = a->distance, *through = a->through, least = INT32_MAX;
    for (int64_t j = 0; j < a->p->cols; j++) {
        const int32_t path = c[j] - v[j] + offset, old = distance[j], shorter = path < old;
        const int32_t now = shorter ? path : old, key = now | mask[j];
        through[j] = shorter ? row : through[j];
        distance[j] = now;
        least = key < least ? key : least;
    }
    return least;
}

/* A column at this distance that was not scanned, a free one if there is one. */
static int32_t nearest_column(const assignment *a, int32_t least) {
    int32_t found = -1;
    for (int32_t j = 0; j < (int32_t)a->p->cols; j++) {
        if ((a->distance[j] | a->mask[j]) != least) continue;
        if (a->row[j] < 0) return j;
        if (found < 0) found = j;
    }
    return found;
}

/* Finds the shortest path from the row to a free column, and exchanges the assignments along it. */
static void assign_by_path(assignment *a, int32_t start) {
    int64_t scanned = 0;
    int32_t row = start, offset = 0, least, column;
    for (int64_t j = 0; j < a->p->cols; j++) a->distance[j] = INT32_MAX;
    for (;;) {
        least = extend(a, row, offset);
        column = nearest_column(a, least);
        if (a->row[column] < 0) break;
        a->tree[scanned++] = column;
        a->mask[column] = SCANNED;
        row = a->row[column];
        offset = least - (costs_of(a, row)[column] - a->v[column]);
    }
    for (int64_t k = 0; k < scanned; k++) { /* the reduced costs along the path become zero */
        const int32_t j = a->tree[k];
        a->v[j] += a->distance[j] - least;
        a->mask[j] = 0;
    }
    for (row = -1; row != start;) {
        row = a->through[column];
        const int32_t before = a->match[row];
        give(a, row, column);
        column = before;
    }
}

static int assign_remaining(assignment *a) {
    int status = INCO_OK;
    for (int64_t k = 0; status == INCO_OK && k < a->left; k++) {
        assign_by_path(a, a->free[k]);
        if (a->p->tell && k % TELL_EVERY == 0)
            status = a->p->tell(a->p->self, a->p->rows - a->left + k + 1, a->p->rows);
    }
    return status;
}

int assign_solve(const assign_problem *p, int32_t *match, int32_t *price, inco_error *error) {
    assignment a = {.p = p, .match = match, .v = price, .left = p->rows};
    int32_t *block = NEW(int32_t, 5 * p->cols + p->rows);
    int status = INCO_OK;
    if (!block) return error_no_memory(error);
    a.row = block;
    a.distance = a.row + p->cols;
    a.through = a.distance + p->cols;
    a.mask = a.through + p->cols;
    a.tree = a.mask + p->cols;
    a.free = a.tree + p->cols;
    memset(price, 0, (size_t)p->cols * sizeof *price);
    for (int64_t j = 0; j < p->cols; j++) a.row[j] = -1;
    for (int64_t i = 0; i < p->rows; i++) {
        match[i] = -1;
        a.free[i] = (int32_t)i;
    }
    status = bid_in_rounds(&a);
    if (status == INCO_OK) status = assign_remaining(&a);
    memory_free(block);
    return status;
}
