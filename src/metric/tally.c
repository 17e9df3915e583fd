#include "metric/tally.h"

#include <math.h>
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

/* Counts of one thread: integers, so that the order of summation does not matter. */
typedef struct counts {
    int64_t duplicates, coarse[TALLY_BINS];
    int64_t *fine;
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

static void count_column(counts *c, double duplicate, const double *size, int64_t count) {
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
}

static void keep_top(const tally *t, int64_t atom, double size) {
    double *top = t->top + atom * t->top_capacity;
    int64_t place = t->top_capacity - 1;
    for (; place > 0 && top[place - 1] < size; place--) top[place] = top[place - 1];
    top[place] = size;
    t->top_least[atom] = top[t->top_capacity - 1];
}

static void top_column(const tally *t, const double *size, int64_t a, int64_t b, int64_t count) {
    const double *least = t->top_least + a;
    for (int64_t i = 0; i < count; i++) {
        if (size[i] > least[i]) keep_top(t, a + i, size[i]);
        if (size[i] > t->top_least[b]) keep_top(t, b, size[i]);
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
    double size[GRAM_BLOCK];
    for (int64_t j = 0; j < block->cols; j++) {
        const int64_t a = block->first, b = block->second + j, count = a == block->second ? j : block->rows;
        const double *g = block->g + j * block->rows;
        for (int64_t i = 0; i < count; i++) size[i] = fabs(g[i]) < 1 ? fabs(g[i]) : 1; /* rounding may exceed 1 */
        add_column(s, size, count);
        count_column(&t->counts[block->thread], t->duplicate, size, count);
        top_column(t, size, a, b, count);
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

static double exact_median(double *v, int64_t n) {
    double lower = select_rank(v, n, (n - 1) / 2), upper = lower;
    if (n % 2) return lower;
    upper = v[n / 2];
    for (int64_t i = n / 2; i < n; i++) upper = fmin(upper, v[i]);
    return (lower + upper) / 2;
}

/* Value of rank k, interpolated linearly within its bin. */
static double rank_in_bins(const int64_t *bins, int64_t k) {
    int64_t bin = 0, below = 0;
    while (below + bins[bin] <= k) below += bins[bin++];
    return ((double)bin + ((double)(k - below) + 0.5) / (double)bins[bin]) / FINE_BINS;
}

static double median(const tally *t) {
    if (t->values) return exact_median(t->values, t->pairs);
    const int64_t *bins = t->counts[0].fine;
    return (rank_in_bins(bins, (t->pairs - 1) / 2) + rank_in_bins(bins, t->pairs / 2)) / 2;
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

static void fill_result(tally *t, tally_result *result) {
    add_counts(t);
    result->max = t->total.max;
    result->rms = sqrt(t->total.squares / (double)t->pairs);
    result->mean = t->total.sum / (double)t->pairs;
    result->median = median(t);
    result->duplicates = t->counts[0].duplicates;
    memcpy(result->histogram, t->counts[0].coarse, sizeof result->histogram);
    fill_babel(t, result);
    fill_pairs(t, result);
}

static void tally_close(tally *t) {
    for (int i = 0; t->counts && i < t->threads; i++) memory_free(t->counts[i].fine);
    memory_free(t->slots);
    memory_free(t->counts);
    memory_free(t->values);
    memory_free(t->top);
    memory_free(t->top_least);
}

static int tally_open(tally *t, inco_error *error) {
    const int64_t count = t->atoms->count;
    t->pairs = count * (count - 1) / 2;
    t->top_capacity = range_min(count - 1, TALLY_BABEL);
    t->slots = NEW(slot, gram_slots(count));
    t->counts = NEW(counts, t->threads);
    t->top = NEW(double, count * t->top_capacity);
    t->top_least = NEW(double, count);
    int complete = t->slots && t->counts && t->top && t->top_least;
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
    tally t = {.atoms = atoms, .settings = settings, .duplicate = settings->duplicate - ROUNDING, .threads = threads};
    const gram_visitor visitor = {&t, visit, fold, tell};
    int status;
    if (atoms->count < 2) return INCO_OK;
    TRY(tally_open(&t, error));
    TRY(gram_walk(atoms, threads, &visitor, error));
    if (status == INCO_OK) fill_result(&t, result);
done:
    tally_close(&t);
    return status;
}
