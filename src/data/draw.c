/* A signal of weight w gets the key e / w, where e is an exponential random number that is a function of the seed and
 * of the content of the signal; the smallest keys are drawn (W-3). The weight of a content is known only after all
 * signals were read. The first pass adds the weights of all contents that fall into a bucket, which bounds their keys
 * from below; the second one collects the few contents that these bounds leave (W-4). */
#include "data/draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/fingerprint.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/range.h"
#include "base/source.h"
#include "mat/gaps.h"
#include "mat/mat.h"

enum { GROUP = 4096, PART = 256 };           /* signals read at a time, and by one thread */
static const int64_t MOST_BUCKETS = 1 << 20; /* unless more are drawn */

typedef struct bucket {
    double weight; /* of all signals in it */
    double least;  /* smallest e / w of a single signal */
} bucket;

/* A content that may be drawn. */
typedef struct candidate {
    uint64_t content; /* 0: none */
    double weight, key;
    int64_t signal; /* the first one with this content */
} candidate;

typedef struct drawing {
    const draw_task *task;
    inco_mat x;        /* the signals of a group, */
    uint64_t *content; /* their contents, */
    double *weight;    /* and weights */
    int64_t first;
    bucket *bucket;
    int64_t buckets; /* a power of two */
    double limit;    /* upper bound on the keys drawn */
    candidate *table;
    int64_t entries, capacity; /* a power of two: open addressing */
} drawing;

/* ---- Contents and keys ---- */

/* The largest magnitude becomes 1/2 to 1, which is exact, so that content does not depend on the unit of the signals if
 * units differ by powers of two; adding zero gives -0 and 0 the same bytes. */
uint64_t draw_content(const inco_mat *x, int64_t n, uint64_t seed) {
    void *column = mat_column(x, n);
    double largest = 0;
    int exponent;
    for (int64_t i = 0; i < x->rows; i++) {
        const double size = fabs(mat_get(x, i, n));
        if (size > largest) largest = size;
    }
    if (!(largest > 0)) return 0;
    frexp(largest, &exponent);
    const double scale = ldexp(1, -exponent); /* not representable at the ends of the range */
    const int slow = !(scale > 0x1p-1000 && scale < 0x1p1000);
    for (int64_t i = 0; i < x->rows; i++) {
        const double value = mat_get(x, i, n);
        mat_set(x, i, n, (slow ? ldexp(value, -exponent) : value * scale) + 0.0);
    }
    const uint64_t content = fingerprint_of(column, (size_t)x->rows * x->type, seed);
    return content ? content : 1;
}

/* e = -log u, u uniform in (0, 1) */
static double exponential(uint64_t content) {
    return -log(((double)(content >> 11) + 0.5) * 0x1p-53);
}

/* ---- Reading ---- */

static int read_part(void *self, int64_t part, int thread, inco_error *error) {
    const drawing *d = self;
    const inco_source *from = d->task->signals;
    const int64_t first = part * PART, count = range_min(PART, d->x.cols - first);
    const inco_mat x = mat_columns(&d->x, first, count);
    int64_t row, col;
    int status = source_read(from, d->first + first, count, x.data, error);
    if (status < 0) return status;
    if (from->missing ? gaps_check(&x, &row, &col) : mat_find_nonfinite(&x, &row, &col))
        return error_set(error, INCO_EDATA, "signal %lld, feature %lld (both counted from 0) is NaN or infinite",
                         (long long)(d->first + first + col), (long long)row);
    for (int64_t n = 0; n < count; n++) d->content[first + n] = draw_content(&x, n, d->task->seed);
    (void)thread;
    return INCO_OK;
}

/* Calls `take` for every nonzero signal, in their order. */
static int read_all(drawing *d, int (*take)(drawing *d, int64_t i), inco_error *error) {
    const inco_source *from = d->task->signals;
    const int readers = from->concurrent ? d->task->threads : 1;
    const inco_mat all = d->x;
    int status = INCO_OK;
    for (d->first = 0; status >= 0 && d->first < from->count; d->first += GROUP) {
        d->x = mat_columns(&all, 0, range_min(all.cols, from->count - d->first));
        status = parallel_for(readers, range_blocks(d->x.cols, PART), read_part, d, error);
        if (status >= 0) status = source_weights(from, d->first, d->x.cols, d->weight, error);
        for (int64_t i = 0; status >= 0 && i < d->x.cols; i++)
            if (d->content[i] && d->weight[i] > 0 && take(d, i) < 0) status = error_no_memory(error);
    }
    d->x = all;
    return status;
}

/* ---- The first pass: bounds ---- */

static bucket *bucket_of(const drawing *d, uint64_t content) {
    return &d->bucket[content & (uint64_t)(d->buckets - 1)];
}

static int take_bound(drawing *d, int64_t i) {
    bucket *b = bucket_of(d, d->content[i]);
    const double key = exponential(d->content[i]) / d->weight[i];
    b->least = b->weight > 0 ? fmin(b->least, key) : key;
    b->weight += d->weight[i];
    return INCO_OK;
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Every bucket that is not empty has a content whose key is at most its `least`. */
static int set_limit(drawing *d, inco_error *error) {
    double *least = NEW_RAW(double, d->buckets);
    int64_t used = 0;
    if (!least) return error_no_memory(error);
    for (int64_t b = 0; b < d->buckets; b++)
        if (d->bucket[b].weight > 0) least[used++] = d->bucket[b].least;
    qsort(least, (size_t)used, sizeof *least, by_value);
    d->limit = used >= d->task->count ? least[d->task->count - 1] : INFINITY;
    memory_free(least);
    return INCO_OK;
}

/* ---- The second pass: candidates ---- */

static candidate *entry_of(candidate *table, int64_t capacity, uint64_t content) {
    uint64_t at = content * 0x9e3779b97f4a7c15u >> 20 & (uint64_t)(capacity - 1);
    while (table[at].content && table[at].content != content) at = (at + 1) & (uint64_t)(capacity - 1);
    return &table[at];
}

static int grow(drawing *d) {
    const int64_t capacity = d->capacity ? 2 * d->capacity : 1024;
    candidate *table = NEW(candidate, capacity);
    if (!table) return INCO_ENOMEM;
    for (int64_t i = 0; i < d->capacity; i++)
        if (d->table[i].content) *entry_of(table, capacity, d->table[i].content) = d->table[i];
    memory_free(d->table);
    d->table = table;
    d->capacity = capacity;
    return INCO_OK;
}

static int take_candidate(drawing *d, int64_t i) {
    const uint64_t content = d->content[i];
    const double rounding = 1e-9; /* of sums of weights */
    if (exponential(content) / bucket_of(d, content)->weight > d->limit * (1 + rounding)) return INCO_OK;
    if (2 * d->entries >= d->capacity && grow(d) < 0) return INCO_ENOMEM;
    candidate *c = entry_of(d->table, d->capacity, content);
    if (!c->content) {
        *c = (candidate){.content = content, .signal = d->first + i};
        d->entries++;
    }
    c->weight += d->weight[i];
    return INCO_OK;
}

static int by_key(const void *a, const void *b) {
    const candidate *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->content > y->content) - (x->content < y->content);
}

/* The candidates with the smallest keys. */
static int64_t take_smallest(drawing *d, int64_t *chosen) {
    int64_t count = 0;
    for (int64_t i = 0; i < d->capacity; i++) {
        candidate c = d->table[i];
        if (!c.content) continue;
        c.key = exponential(c.content) / c.weight;
        d->table[count++] = c;
    }
    if (count > 0) qsort(d->table, (size_t)count, sizeof *d->table, by_key);
    count = range_min(count, d->task->count);
    for (int64_t i = 0; i < count; i++) chosen[i] = d->table[i].signal;
    return count;
}

/* ---- Both ---- */

/* A power of two. */
static int64_t buckets_for(int64_t count, int64_t wanted) {
    const int64_t least = range_min(2 * count, MOST_BUCKETS);
    int64_t buckets = 64;
    while (buckets < least || buckets < 4 * wanted) buckets *= 2;
    return buckets;
}

/* The buckets, their bounds, and the copy with which qsort sorts these. */
double draw_memory(int64_t count, int64_t wanted) {
    return (double)buckets_for(count, wanted) * (double)(sizeof(bucket) + 2 * sizeof(double));
}

static int open_drawing(drawing *d, inco_error *error) {
    const inco_source *from = d->task->signals;
    const int64_t group = range_min(GROUP, from->count);
    d->buckets = buckets_for(from->count, d->task->count);
    d->bucket = NEW(bucket, d->buckets);
    d->content = NEW(uint64_t, group);
    d->weight = NEW(double, group);
    if (!d->bucket || !d->content || !d->weight) return error_no_memory(error);
    return mat_new_raw(&d->x, from->type, from->dim, group, error);
}

int draw_signals(const draw_task *task, int64_t *chosen, int64_t *found, inco_error *error) {
    drawing d = {.task = task};
    int status;
    *found = 0;
    TRY(open_drawing(&d, error));
    TRY(read_all(&d, take_bound, error));
    TRY(set_limit(&d, error));
    TRY(read_all(&d, take_candidate, error));
    *found = take_smallest(&d, chosen);
done:
    memory_free(d.bucket);
    memory_free(d.content);
    memory_free(d.weight);
    memory_free(d.table);
    inco_mat_free(&d.x);
    return status;
}
