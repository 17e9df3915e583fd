#include "metric/tally.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/range.h"

/* The median is exact as long as all values fit into 64 MB: 4096 atoms. Above, it is read from bins of width 2^-20. */
enum { EXACT_PAIRS = 1 << 23, FINE_BINS = 1 << 20 };

/* The product of two equal atoms may be slightly below 1 by rounding. */
static const double ROUNDING = 1e-12;

typedef struct pair {
    int64_t first, second;
    double similarity;
} pair;

/* The most coherent pairs, in descending order. */
typedef struct ranking {
    int64_t count;
    pair pair[TALLY_PAIRS];
} ranking;

typedef struct slot {
    double max, sum, squares;
    ranking worst;
} slot;

/* Pairs in no order. */
typedef struct pair_list {
    int64_t count, capacity;
    pair *pair;
    int failed; /* out of memory */
} pair_list;

/* Counts of one thread: integers, so that the order of summation does not matter. */
typedef struct counts {
    int64_t duplicates, coarse[TALLY_BINS];
    int64_t *fine;
    pair_list list; /* near duplicates */
} counts;

typedef struct tally {
    const gram_atoms *atoms;
    const tally_settings *settings;
    double duplicate;
    int threads;
    int64_t pairs;
    slot *slots, total;
    counts *counts;       /* per thread */
    double *values;       /* all |g(a, b)| at b (b - 1) / 2 + a; NULL if there are too many */
    int64_t top_capacity; /* number of entries of the Babel function */
    double *top;          /* per atom: its largest |g|, descending */
    double *top_least;    /* per atom: the smallest of them */
    pair *nearest;        /* per atom: the pair of the largest; `first` is the other atom */
    double list_least;    /* minimum |g| of a pair to be listed */
} tally;

/* ---- Rankings ---- */

/* Returns whether x is ranked before y. Ties are broken by the atoms, so that the order of arrival does not matter. */
static int worse(const pair *x, const pair *y) {
    double a = fabs(x->similarity), b = fabs(y->similarity);
    if (a != b) return a > b;
    return x->first != y->first ? x->first < y->first : x->second < y->second;
}

static void rank_pair(ranking *r, const pair *next) {
    if (r->count == TALLY_PAIRS && !worse(next, &r->pair[r->count - 1])) return;
    int64_t place = r->count < TALLY_PAIRS ? r->count++ : r->count - 1;
    for (; place > 0 && worse(next, &r->pair[place - 1]); place--) r->pair[place] = r->pair[place - 1];
    r->pair[place] = *next;
}

/* Minimum similarity of a pair to be ranked. */
static double rank_least(const ranking *r) {
    return r->count < TALLY_PAIRS ? 0 : fabs(r->pair[TALLY_PAIRS - 1].similarity);
}

/* ---- The list of near duplicates ---- */

static int by_rank(const void *a, const void *b) {
    const pair *x = a, *y = b;
    return worse(x, y) ? -1 : worse(y, x);
}

/* Capacity for `more` pairs; 0: out of memory. */
static int list_extend(pair_list *list, int64_t more) {
    const int64_t wanted = list->count + more;
    if (wanted <= list->capacity) return 1;
    pair *larger = memory_grow(list->pair, list->count, 2 * wanted, sizeof *larger);
    list->failed |= !larger;
    if (!larger) return 0;
    list->pair = larger;
    list->capacity = 2 * wanted;
    return 1;
}

static void list_column(const tally *t, pair_list *list, const gram_block *block, const double *size, int64_t j) {
    const double *g = block->g + j * block->rows;
    const int64_t count = block->first == block->second ? j : block->rows;
    if (!list_extend(list, count)) return;
    for (int64_t i = 0; i < count; i++)
        if (size[i] >= t->list_least)
            list->pair[list->count++] = (pair){block->first + i, block->second + j, copysign(size[i], g[i])};
}

/* Joins the lists of all threads in that of the first, in descending order, and cuts it. The result does not depend on
 * the threads: `worse` is a total order. */
static void join_lists(tally *t) {
    pair_list *all = &t->counts[0].list;
    for (int i = 1; i < t->threads; i++) {
        pair_list *list = &t->counts[i].list;
        all->failed |= list->failed;
        if (!list->count || !list_extend(all, list->count)) continue;
        memcpy(all->pair + all->count, list->pair, (size_t)list->count * sizeof *list->pair);
        all->count += list->count;
        list->count = 0;
    }
    if (all->count) qsort(all->pair, (size_t)all->count, sizeof *all->pair, by_rank);
    if (all->count <= TALLY_LISTED) return;
    all->count = TALLY_LISTED;
    t->list_least = fabs(all->pair[TALLY_LISTED - 1].similarity);
}

/* ---- One column of a block: atom b against atoms a .. a + count - 1, by the sizes |g| ---- */

static void add_column(slot *s, const double *size, int64_t count) {
    double max = s->max, sum = 0, squares = 0;
    for (int64_t i = 0; i < count; i++) {
        max = size[i] > max ? size[i] : max;
        sum += size[i];
        squares += size[i] * size[i];
    }
    s->max = max;
    s->sum += sum;
    s->squares += squares;
}

/* Returns the number of near duplicates. */
static int64_t count_column(counts *c, double duplicate, const double *size, int64_t count) {
    int64_t duplicates = 0;
    for (int64_t i = 0; i < count; i++) {
        int bin = (int)(size[i] * TALLY_BINS);
        c->coarse[bin < TALLY_BINS ? bin : TALLY_BINS - 1]++;
        duplicates += size[i] >= duplicate;
    }
    c->duplicates += duplicates;
    for (int64_t i = 0; c->fine && i < count; i++) {
        int bin = (int)(size[i] * FINE_BINS);
        c->fine[bin < FINE_BINS ? bin : FINE_BINS - 1]++;
    }
    return duplicates;
}

static void keep_top(const tally *t, int64_t atom, int64_t other, double similarity) {
    const double size = fabs(similarity);
    double *top = t->top + atom * t->top_capacity;
    int64_t place = t->top_capacity - 1;
    for (; place > 0 && top[place - 1] < size; place--) top[place] = top[place - 1];
    top[place] = size;
    t->top_least[atom] = top[t->top_capacity - 1];
    if (place == 0) t->nearest[atom] = (pair){other, atom, similarity};
}

static void top_column(const tally *t, const gram_block *block, const double *size, int64_t j) {
    const int64_t a = block->first, b = block->second + j, count = a == block->second ? j : block->rows;
    const double *g = block->g + j * block->rows, *least = t->top_least + a;
    for (int64_t i = 0; i < count; i++) {
        if (size[i] > least[i]) keep_top(t, a + i, b, copysign(size[i], g[i]));
        if (size[i] > t->top_least[b]) keep_top(t, b, a + i, copysign(size[i], g[i]));
    }
}

static void rank_column(const tally *t, slot *s, const gram_block *block, const double *size, int64_t j) {
    const double *g = block->g + j * block->rows;
    const int64_t count = block->first == block->second ? j : block->rows;
    double least = fmax(rank_least(&s->worst), rank_least(&t->total.worst));
    for (int64_t i = 0; i < count; i++) {
        if (size[i] < least) continue;
        rank_pair(&s->worst, &(pair){block->first + i, block->second + j, copysign(size[i], g[i])});
        least = fmax(least, rank_least(&s->worst));
    }
}

/* ---- The walk ---- */

static void visit(void *self, const gram_block *block) {
    tally *t = self;
    slot *s = &t->slots[block->slot];
    counts *c = &t->counts[block->thread];
    double size[GRAM_BLOCK];
    for (int64_t j = 0; j < block->cols; j++) {
        const int64_t a = block->first, b = block->second + j, count = a == block->second ? j : block->rows;
        const double *g = block->g + j * block->rows;
        for (int64_t i = 0; i < count; i++) size[i] = fabs(g[i]) < 1 ? fabs(g[i]) : 1; /* rounding may exceed 1 */
        add_column(s, size, count);
        if (count_column(c, t->duplicate, size, count)) list_column(t, &c->list, block, size, j);
        top_column(t, block, size, j);
        rank_column(t, s, block, size, j);
        if (t->values) memcpy(t->values + b * (b - 1) / 2 + a, size, (size_t)count * sizeof *size);
    }
}

static void fold(void *self, int64_t slots) {
    tally *t = self;
    for (int64_t i = 0; i < slots; i++) {
        const slot *s = &t->slots[i];
        t->total.max = fmax(t->total.max, s->max);
        t->total.sum += s->sum;
        t->total.squares += s->squares;
        for (int64_t k = 0; k < s->worst.count; k++) rank_pair(&t->total.worst, &s->worst.pair[k]);
    }
    memset(t->slots, 0, (size_t)slots * sizeof *t->slots);
    int64_t listed = 0;
    for (int i = 0; i < t->threads; i++) listed += t->counts[i].list.count;
    if (listed > 2 * TALLY_LISTED) join_lists(t);
}

/* ---- The median ---- */

/* Value of rank k, from 0, of n values; the values after it are at least as large. */
static double select_rank(double *v, int64_t n, int64_t k) {
    int64_t low = 0, high = n - 1;
    while (low < high) {
        double pivot = v[low + (high - low) / 2];
        int64_t i = low, j = high;
        while (i <= j) {
            while (v[i] < pivot) i++;
            while (v[j] > pivot) j--;
            if (i > j) break;
            double swapped = v[i];
            v[i++] = v[j];
            v[j--] = swapped;
        }
        if (k <= j)
            high = j;
        else if (k >= i)
            low = i;
        else
            break;
    }
    return v[k];
}

/* Value of rank k, interpolated linearly within its bin. */
static double rank_in_bins(const int64_t *bins, int64_t k) {
    int64_t bin = 0, below = 0;
    while (below + bins[bin] <= k) below += bins[bin++];
    return ((double)bin + ((double)(k - below) + 0.5) / (double)bins[bin]) / FINE_BINS;
}

static double median(const tally *t) {
    const int64_t n = t->pairs, *bins = t->counts[0].fine;
    double *v = t->values;
    if (!v) return (rank_in_bins(bins, (n - 1) / 2) + rank_in_bins(bins, n / 2)) / 2;
    const double lower = select_rank(v, n, (n - 1) / 2);
    if (n % 2) return lower;
    double upper = v[n / 2];
    for (int64_t i = n / 2; i < n; i++) upper = fmin(upper, v[i]);
    return (lower + upper) / 2;
}

/* ---- Results ---- */

/* Adds all counts to those of the first thread. */
static void add_counts(tally *t) {
    counts *all = &t->counts[0];
    for (int i = 1; i < t->threads; i++) {
        const counts *c = &t->counts[i];
        all->duplicates += c->duplicates;
        for (int k = 0; k < TALLY_BINS; k++) all->coarse[k] += c->coarse[k];
        for (int64_t k = 0; c->fine && k < FINE_BINS; k++) all->fine[k] += c->fine[k];
    }
}

/* (COH-7): sum of the k largest values of each atom; maximum over the atoms. */
static void fill_babel(const tally *t, tally_result *result) {
    result->babel_count = t->top_capacity;
    for (int64_t j = 0; j < t->atoms->count; j++) {
        double sum = 0;
        for (int64_t k = 0; k < t->top_capacity; k++) {
            sum += t->top[j * t->top_capacity + k];
            result->babel[k] = fmax(result->babel[k], sum);
        }
    }
}

static void fill_pairs(const tally *t, tally_result *result) {
    const int64_t *index = t->atoms->index;
    result->pair_count = t->total.worst.count;
    for (int64_t k = 0; k < result->pair_count; k++) {
        const pair *worst = &t->total.worst.pair[k];
        result->pair_first[k] = index ? index[worst->first] : worst->first;
        result->pair_second[k] = index ? index[worst->second] : worst->second;
        result->pair_similarity[k] = worst->similarity;
    }
}

/* Columns of d of the atoms that are most similar to each. */
static int fill_nearest(const tally *t, tally_result *result, inco_error *error) {
    const int64_t *index = t->atoms->index, columns = t->atoms->d->cols;
    result->nearest = NEW_RAW(int64_t, columns);
    result->nearest_similarity = NEW_RAW(double, columns);
    if (!result->nearest || !result->nearest_similarity) return error_no_memory(error);
    for (int64_t j = 0; j < columns; j++) {
        result->nearest[j] = -1;
        result->nearest_similarity[j] = NAN;
    }
    for (int64_t k = 0; k < t->atoms->count; k++) {
        const int64_t j = index ? index[k] : k;
        result->nearest[j] = index ? index[t->nearest[k].first] : t->nearest[k].first;
        result->nearest_similarity[j] = t->nearest[k].similarity;
    }
    return INCO_OK;
}

static int fill_list(tally *t, tally_result *result, inco_error *error) {
    const int64_t *index = t->atoms->index;
    join_lists(t);
    const pair_list *list = &t->counts[0].list;
    result->listed = list->count;
    result->listed_first = NEW_RAW(int64_t, list->count);
    result->listed_second = NEW_RAW(int64_t, list->count);
    result->listed_similarity = NEW_RAW(double, list->count);
    if (list->failed || !result->listed_first || !result->listed_second || !result->listed_similarity)
        return error_no_memory(error);
    for (int64_t k = 0; k < list->count; k++) {
        const pair *p = &list->pair[k];
        result->listed_first[k] = index ? index[p->first] : p->first;
        result->listed_second[k] = index ? index[p->second] : p->second;
        result->listed_similarity[k] = p->similarity;
    }
    return INCO_OK;
}

static int fill_result(tally *t, tally_result *result, inco_error *error) {
    int status;
    add_counts(t);
    result->max = t->total.max;
    result->rms = sqrt(t->total.squares / (double)t->pairs);
    result->mean = t->total.sum / (double)t->pairs;
    result->median = median(t);
    result->duplicates = t->counts[0].duplicates;
    memcpy(result->histogram, t->counts[0].coarse, sizeof result->histogram);
    fill_babel(t, result);
    fill_pairs(t, result);
    TRY(fill_nearest(t, result, error));
    TRY(fill_list(t, result, error));
done:
    return status;
}

void tally_result_free(tally_result *result) {
    void *arrays[] = {result->nearest, result->nearest_similarity, result->listed_first, result->listed_second,
                      result->listed_similarity};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) memory_free(arrays[i]);
}

static void tally_close(tally *t) {
    for (int i = 0; t->counts && i < t->threads; i++) {
        memory_free(t->counts[i].fine);
        memory_free(t->counts[i].list.pair);
    }
    memory_free(t->slots);
    memory_free(t->counts);
    memory_free(t->values);
    memory_free(t->top);
    memory_free(t->top_least);
    memory_free(t->nearest);
}

static int tally_open(tally *t, inco_error *error) {
    const int64_t count = t->atoms->count;
    t->pairs = count * (count - 1) / 2;
    t->top_capacity = range_min(count - 1, TALLY_BABEL);
    t->slots = NEW(slot, gram_slots(count));
    t->counts = NEW(counts, t->threads);
    t->top = NEW(double, count * t->top_capacity);
    t->top_least = NEW(double, count);
    t->nearest = NEW(pair, count);
    int complete = t->slots && t->counts && t->top && t->top_least && t->nearest;
    if (complete && t->pairs <= EXACT_PAIRS) complete = (t->values = NEW_RAW(double, t->pairs)) != NULL;
    for (int i = 0; complete && !t->values && i < t->threads; i++)
        complete = (t->counts[i].fine = NEW(int64_t, FINE_BINS)) != NULL;
    return complete ? INCO_OK : error_no_memory(error);
}

static int tell(void *self, int64_t round, int64_t rounds) {
    const tally *t = self;
    return t->settings->tell ? t->settings->tell(t->settings->self, round, rounds) : INCO_OK;
}

int tally_pairs(const gram_atoms *atoms, const tally_settings *settings, tally_result *result, inco_error *error) {
    const int64_t slots = gram_slots(atoms->count);
    const int threads = settings->threads > slots ? (int)slots : settings->threads;
    tally t = {.atoms = atoms, .settings = settings, .threads = threads};
    const gram_visitor visitor = {&t, visit, fold, tell};
    int status;
    t.duplicate = t.list_least = settings->duplicate - ROUNDING;
    if (atoms->count < 2) return INCO_OK;
    TRY(tally_open(&t, error));
    TRY(gram_walk(atoms, threads, &visitor, error));
    if (status == INCO_OK) TRY(fill_result(&t, result, error));
done:
    tally_close(&t);
    return status;
}
