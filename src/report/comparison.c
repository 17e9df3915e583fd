/* The report of a comparison of two dictionaries. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/sized.h"
#include "mat/mat.h"
#include "report/atoms.h"
#include "report/report.h"

enum { TEXT = 200, HEADLINES = 6 };

/* The caller's summary, copied to the library's structs. */
typedef struct summary {
    inco_comparison_summary s;
    inco_comparison c;
} summary;

static int take_summary(summary *own, const inco_comparison_summary *given) {
    const inco_comparison_summary *s = &own->s;
    const inco_comparison *c = &own->c;
    if (SIZED_TAKE(inco_comparison_summary, &own->s, given, NULL) < 0) return 0;
    if (mat_need(s->a, "a", NULL) < 0 || mat_need(s->b, "b", NULL) < 0) return 0;
    if (SIZED_TAKE(inco_comparison, &own->c, s->comparison, NULL) < 0) return 0;
    if (!c->match || !c->match_similarity || !c->histogram || !c->recovered || !c->threshold) return 0;
    if (c->dim != s->a->rows || c->dim != s->b->rows || c->atoms_a != s->a->cols || c->atoms_b != s->b->cols) return 0;
    return s->fact_count <= 0 || (s->fact_count <= INT32_MAX && s->fact_names && s->fact_values);
}

/* ---- Headlines ---- */

static void add_headlines(inco_report *r, const inco_comparison *c) {
    static const char *const names[HEADLINES] = {"Atoms",     "Mean similarity",   "Recovered",
                                                 "Recovered", "Most similar atom", "Collisions"};
    char value[HEADLINES][TEXT], note[HEADLINES][TEXT];
    const char *values[HEADLINES], *notes[HEADLINES];
    const double share = c->matched ? 100 / (double)c->matched : 0;
    const int last = (int)c->threshold_count - 1;
    snprintf(value[0], TEXT, "%lld, %lld", (long long)c->atoms_a, (long long)c->atoms_b);
    snprintf(note[0], TEXT, "of %lld dimensions; %lld pairs are matched one to one, zero atoms: %lld, %lld",
             (long long)c->dim, (long long)c->matched, (long long)c->zero_a, (long long)c->zero_b);
    snprintf(value[1], TEXT, "%.4f", c->mean_similarity);
    snprintf(note[1], TEXT, "mean |aᵢᵀbⱼ| of the matched pairs, the largest possible");
    snprintf(value[2], TEXT, "%.1f %%", share * (double)c->recovered[0]);
    snprintf(note[2], TEXT, "%lld matched pairs at %g or above", (long long)c->recovered[0], c->threshold[0]);
    snprintf(value[3], TEXT, "%.1f %%", share * (double)c->recovered[last]);
    snprintf(note[3], TEXT, "%lld matched pairs at %g or above", (long long)c->recovered[last], c->threshold[last]);
    snprintf(value[4], TEXT, "%.3f, %.3f", c->mean_nearest_a, c->mean_nearest_b);
    snprintf(note[4], TEXT, "mean |aᵢᵀbⱼ| of the atoms of A, of B, if several may share one");
    snprintf(value[5], TEXT, "%lld, %lld", (long long)c->collisions_a, (long long)c->collisions_b);
    snprintf(note[5], TEXT, "atoms of A, of B, that share their most similar atom with an earlier one");
    for (int i = 0; i < HEADLINES; i++) {
        values[i] = value[i];
        notes[i] = note[i];
    }
    inco_report_headlines(r, names, values, notes, HEADLINES);
}

/* ---- Matched similarities ---- */

static void add_histogram(inco_report *r, const inco_comparison *c) {
    char mean[TEXT];
    const int64_t count = c->histogram_count;
    if (!c->matched) return;
    double *bins = NEW(double, 2 * count);
    for (int64_t b = 0; bins && b < count; b++) {
        bins[b] = (double)b / (double)count;
        bins[count + b] = (double)c->histogram[b];
    }
    if (!bins) {
        report_fail(r, INCO_ENOMEM);
        return;
    }
    inco_chart *chart = inco_chart_new("matched", "Similarity of matched atoms",
                                       "Matched pairs by |aᵢᵀbⱼ|. Pairs near 1 are the same atom in both dictionaries; "
                                       "the similarities of unrelated dictionaries form a hump at the left.");
    snprintf(mean, TEXT, "mean %.4f", c->mean_similarity);
    inco_chart_x(chart, "|aᵢᵀbⱼ|", 0, 1, 0);
    inco_chart_y(chart, "matched pairs", 0, 0, 1);
    inco_chart_bars(chart, "matched pairs", count, bins, bins + count, 1.0 / (double)count);
    inco_chart_mark(chart, mean, c->mean_similarity, 1);
    report_take_chart(r, chart);
    memory_free(bins);
}

/* ---- The worst pairs ---- */

static int by_similarity(const void *a, const void *b) {
    const atom_pair *x = a, *y = b;
    const double s = fabs(x->similarity), t = fabs(y->similarity);
    if (s != t) return s < t ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

/* All matched pairs, the least similar first; to be freed. */
static atom_pair *sorted_pairs(const inco_comparison *c) {
    atom_pair *pairs = NEW(atom_pair, c->matched);
    int64_t count = 0;
    for (int64_t j = 0; pairs && j < c->atoms_a && count < c->matched; j++)
        if (c->match[j] >= 0) pairs[count++] = (atom_pair){j, c->match[j], c->match_similarity[j]};
    if (pairs) qsort(pairs, (size_t)count, sizeof *pairs, by_similarity);
    return pairs;
}

static void add_pairs(inco_report *r, const inco_comparison_summary *s, const inco_comparison *c) {
    static const char *const header[] = {"atom of A", "atom of B", "inner product"};
    const atom_view a = {.dictionary = s->a, .patch_rows = s->patch_rows, .patch_cols = s->patch_cols};
    const atom_view b = {.dictionary = s->b, .patch_rows = s->patch_rows, .patch_cols = s->patch_cols};
    const int64_t count = c->matched < ATOM_PAIRS ? c->matched : ATOM_PAIRS;
    const int draws = c->atoms_a <= ATOMS_DRAWN || s->rate > 0 || atoms_are_patches(&a);
    char caption[3 * TEXT];
    atom_pair *pairs = sorted_pairs(c);
    if (!pairs) report_fail(r, INCO_ENOMEM);
    snprintf(caption, sizeof caption, "The %lld of %lld matched pairs with the least |aᵢᵀbⱼ|%s.", (long long)count,
             (long long)c->matched,
             !draws ? ""
             : atoms_are_patches(&a)
                 ? ", the atom of A beside that of B, which is negated if the inner product is negative"
                 : ", the atom of B over that of A, negated if the inner product is negative");
    if (pairs && !draws) {
        atoms_add_pair_table(r, header, pairs, count, caption);
    } else if (pairs && report_enter(r)) {
        atoms_add_pairs(r, &a, &b, pairs, count, caption);
        report_leave(r);
    }
    memory_free(pairs);
}

void inco_report_comparison(inco_report *r, const inco_comparison_summary *given) {
    summary own;
    const inco_comparison_summary *s = &own.s;
    if (!take_summary(&own, given) || own.c.threshold_count < 1) {
        report_fail(r, INCO_EINVAL);
        return;
    }
    add_headlines(r, &own.c);
    if (s->fact_count > 0) {
        inco_report_section(r, "What was compared", NULL);
        inco_report_facts(r, s->fact_names, s->fact_values, s->fact_notes, s->fact_kinds, (int)s->fact_count);
    }
    inco_report_section(r, "Matched atoms",
                        "Every atom of the smaller dictionary has one atom of the other, such that the sum of the "
                        "similarities is largest. Signs and norms do not matter.");
    add_histogram(r, &own.c);
    if (own.c.matched < 1) return;
    inco_report_section(r, "The worst matched atoms",
                        "Atoms of one dictionary that have no counterpart in the other are matched last.");
    add_pairs(r, s, &own.c);
}
