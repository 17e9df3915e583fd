/* The standard page of a dictionary. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/atoms.h"
#include "report/report.h"

enum { TEXT = 160, HEADLINES = 8 };

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static const char *bound_name(const inco_metrics *m) {
    return (double)m->atoms > (double)m->dim * ((double)m->dim + 1) / 2 ? "Levenshtein bound" : "Welch bound";
}

/* The least root mean square that L unit vectors in D dimensions can have: sqrt((L - D) / (D (L - 1))). */
static double least_rms(const inco_metrics *m) {
    const double dim = (double)m->dim, atoms = (double)(m->atoms - m->zero_atoms);
    return atoms > dim ? sqrt((atoms - dim) / (dim * (atoms - 1))) : 0;
}

static double threshold_of(const inco_summary *s) {
    return s->duplicates > 0 ? s->duplicates : 0.99;
}

/* ---- Headlines ---- */

typedef struct headlines {
    inco_fact fact[HEADLINES];
    char value[HEADLINES][TEXT], note[HEADLINES][TEXT];
    int count;
} headlines;

/* The value and note of the next headline, to be filled in. */
static void add(headlines *h, const char *name, const char *value, const char *note) {
    const int i = h->count++;
    snprintf(h->value[i], TEXT, "%s", value);
    snprintf(h->note[i], TEXT, "%s", note);
    h->fact[i] = (inco_fact){name, h->value[i], h->note[i], 0};
}

static void add_fit(headlines *h, const inco_summary *s) {
    char value[TEXT], note[TEXT];
    if (isnan(s->relative_error) || s->signals < 1) return;
    snprintf(value, TEXT, "%.4f", s->relative_error);
    snprintf(note, TEXT, "‖X − DC‖ / ‖X‖ on the %lld training signals", (long long)s->signals);
    add(h, "Relative error", value, note);
    snprintf(value, TEXT, "%.1f", s->mean_cardinality);
    add(h, "Atoms per signal", value, "mean number of nonzero coefficients");
}

static void add_coherence(headlines *h, const inco_metrics *m) {
    char value[TEXT], note[TEXT];
    const double least = least_rms(m);
    snprintf(value, TEXT, "%.4f", m->coherence_max);
    snprintf(note, TEXT, "largest |dᵢᵀdⱼ|; %s %.4f", bound_name(m), m->welch);
    add(h, "Coherence", value, note);
    snprintf(value, TEXT, "%.4f", m->coherence_rms);
    if (least > 0)
        snprintf(note, TEXT, "no %lld vectors have less than %.4f", (long long)(m->atoms - m->zero_atoms), least);
    else
        snprintf(note, TEXT, "could be 0: no more atoms than dimensions");
    add(h, "RMS coherence", value, note);
    if (m->singular_count < 1) return;
    snprintf(value, TEXT, "%.4g–%.4g", m->singular[m->singular_count - 1], m->singular[0]);
    snprintf(note, TEXT, "all √(L/D) = %.4g in a tight frame", m->flat_singular);
    add(h, "Singular values", value, note);
}

static int64_t count_unused(const inco_summary *s) {
    int64_t unused = 0;
    for (int64_t j = 0; j < s->metrics->atoms; j++) unused += s->uses[j] == 0;
    return unused;
}

static void add_headlines(inco_report *r, const inco_summary *s) {
    const inco_metrics *m = s->metrics;
    headlines h = {.count = 0};
    char value[TEXT], note[TEXT];
    snprintf(value, TEXT, "%lld", (long long)m->atoms);
    snprintf(note, TEXT, "of %lld dimensions", (long long)m->dim);
    add(&h, "Atoms", value, note);
    add_fit(&h, s);
    add_coherence(&h, m);
    snprintf(value, TEXT, "%lld", (long long)m->duplicates);
    snprintf(note, TEXT, "pairs with |dᵢᵀdⱼ| of %.4g or more", threshold_of(s));
    add(&h, "Near duplicates", value, note);
    if (s->uses) {
        snprintf(value, TEXT, "%lld", (long long)count_unused(s));
        add(&h, "Unused atoms", value, "in no code of a training signal");
    }
    inco_report_headlines(r, h.fact, h.count);
}

/* ---- Convergence ---- */

typedef struct history {
    int64_t count;
    double *number, *error, *cardinality, *objective, *max, *rms; /* one block, at number */
} history;

static int history_new(history *h, const inco_progress *p, int64_t count) {
    *h = (history){.count = count, .number = NEW(double, 6 * count)};
    if (!h->number) return 0;
    h->error = h->number + count;
    h->cardinality = h->error + count;
    h->objective = h->cardinality + count;
    h->max = h->objective + count;
    h->rms = h->max + count;
    for (int64_t i = 0; i < count; i++) {
        h->number[i] = (double)p[i].iteration;
        h->error[i] = p[i].relative_error;
        h->cardinality[i] = p[i].mean_cardinality;
        h->objective[i] = p[i].objective;
        h->max[i] = p[i].coherence_max;
        h->rms[i] = p[i].coherence_rms;
    }
    return 1;
}

static int any_finite(const double *values, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (isfinite(values[i])) return 1;
    return 0;
}

/* One quantity by iteration. */
static void add_history(inco_report *r, const history *h, const double *y, inco_chart chart) {
    const inco_series series = {.name = chart.y.label, .count = h->count, .x = h->number, .y = y};
    if (!any_finite(y, h->count)) return;
    chart.size = sizeof chart;
    chart.x.label = "iteration";
    chart.series = &series;
    chart.series_count = 1;
    inco_report_chart(r, &chart);
}

static void add_coherence_history(inco_report *r, const history *h, const inco_metrics *m) {
    char bound[TEXT];
    snprintf(bound, TEXT, "%s %.4f", bound_name(m), m->welch);
    const inco_series series[] = {{.name = "largest", .count = h->count, .x = h->number, .y = h->max},
                                  {.name = "root mean square", .count = h->count, .x = h->number, .y = h->rms}};
    const inco_mark mark = {bound, m->welch, 0};
    const inco_chart chart = {
        .size = sizeof chart,
        .id = "convergence-coherence",
        .title = "Coherence of the dictionary",
        .caption = "After each update, over all pairs of atoms. The largest inner product can reach the bound in few "
                   "sizes only; the root mean square reaches it when the dictionary is a tight frame.",
        .x = {.label = "iteration"},
        .y = {.label = "|dᵢᵀdⱼ|", .low = 0, .high = 1},
        .series = series,
        .series_count = 2,
        .marks = &mark,
        .mark_count = m->welch > 0,
    };
    inco_report_chart(r, &chart);
}

static void add_convergence(inco_report *r, const inco_summary *s) {
    history h;
    if (s->iteration_count < 1) return;
    if (!history_new(&h, s->iterations, s->iteration_count)) {
        report_fail(r, INCO_ENOMEM);
        return;
    }
    inco_report_section(r, "Convergence",
                        "Each iteration codes all signals and then updates all atoms. Curves that are still falling at "
                        "their right end ask for more iterations.");
    add_history(r, &h, h.error,
                (inco_chart){.id = "convergence-error",
                             .title = "Relative error",
                             .caption =
                                 "Of the codes that each update starts from. With a coder that stops at a quality "
                                 "rather than at a number of atoms, look at the cardinality too.",
                             .y = {.label = "‖X − DC‖ / ‖X‖"}});
    add_history(r, &h, h.cardinality,
                (inco_chart){.id = "convergence-cardinality",
                             .title = "Atoms per signal",
                             .caption = "The mean cardinality of the same codes: what the error is paid with.",
                             .y = {.label = "nonzero coefficients"}});
    add_history(r, &h, h.objective,
                (inco_chart){.id = "convergence-objective",
                             .title = "Objective",
                             .caption =
                                 "After each update, at the codes it started from. It may rise between iterations "
                                 "where the coder trades error for fewer atoms.",
                             .y = {.label = "‖X − DC‖² + γ‖DᵀD − I‖²"}});
    add_coherence_history(r, &h, s->metrics);
    memory_free(h.number);
}

/* ---- Atoms ---- */

typedef struct ranked {
    int64_t atom, uses;
} ranked;

static int by_use(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    if (x->uses != y->uses) return x->uses < y->uses ? 1 : -1;
    return (x->atom > y->atom) - (x->atom < y->atom);
}

/* The atoms by falling use; in the order of the file when that is not known. To be freed. */
static int64_t *order_of(const inco_summary *s) {
    const int64_t atoms = s->dictionary->cols;
    ranked *list = NEW(ranked, atoms);
    int64_t *order = NEW(int64_t, atoms);
    for (int64_t j = 0; list && order && j < atoms; j++) list[j] = (ranked){j, s->uses ? s->uses[j] : 0};
    if (list && order) qsort(list, (size_t)atoms, sizeof *list, by_use);
    for (int64_t j = 0; list && order && j < atoms; j++) order[j] = list[j].atom;
    if (!list) {
        memory_free(order);
        order = NULL;
    }
    memory_free(list);
    return order;
}

static atom_view view_of(const inco_summary *s) {
    return (atom_view){s->dictionary, s->patch_rows, s->patch_cols, s->uses, s->signals};
}

static void add_atoms(inco_report *r, const inco_summary *s) {
    const atom_view v = view_of(s);
    int64_t *order = order_of(s);
    char caption[4 * TEXT];
    if (!order) {
        report_fail(r, INCO_ENOMEM);
        return;
    }
    int length = snprintf(caption, sizeof caption, "%s%s",
                          s->uses ? "Sorted by use, most used first; under each its number, counted from 0, and the "
                                    "training signals that use it."
                                  : "In the order of the file; under each its number, counted from 0.",
                          atoms_are_patches(&v) ? " Mid-grey is zero; each patch has its own contrast."
                                                : " Each curve has its own scale.");
    if (s->rate > 0)
        snprintf(caption + length, sizeof caption - (size_t)length, " A curve is %.4g ms long.",
                 1000 * (double)s->dictionary->rows / s->rate);
    inco_report_section(
        r, "Atoms",
        "Structure is what to look for: waves, edges, transients. Atoms that look like noise, or like a "
        "training signal copied whole, may not have been learned.");
    if (report_enter(r)) {
        atoms_add(r, &v, order, caption);
        report_leave(r);
    }
    memory_free(order);
}

/* ---- Coherence ---- */

static void add_spectrum(inco_report *r, const inco_metrics *m) {
    char flat[TEXT];
    snprintf(flat, TEXT, "√(L/D) = %.4g", m->flat_singular);
    const inco_series series = {.name = "singular values", .count = m->singular_count, .y = m->singular};
    const inco_mark mark = {flat, m->flat_singular, 0};
    const double low = m->singular_count ? m->singular[m->singular_count - 1] : 1;
    const inco_chart chart = {
        .size = sizeof chart,
        .id = "singular-values",
        .title = "Singular values",
        .caption =
            "Of the dictionary with unit atoms, largest first. The closer to the dashed line, the nearer to a tight "
            "frame; a steep curve means that the atoms crowd into few directions, and that codes get long.",
        .x = {.label = "rank"},
        .y = {.label = "singular value", .log = m->singular_count > 0 && m->singular[0] > 20 * low && low > 0},
        .series = &series,
        .series_count = 1,
        .marks = &mark,
        .mark_count = 1,
    };
    if (m->singular_count > 0) inco_report_chart(r, &chart);
}

static void add_histogram(inco_report *r, const inco_metrics *m) {
    double x[INCO_HISTOGRAM_BINS], y[INCO_HISTOGRAM_BINS];
    char bound[TEXT], largest[TEXT];
    int count = 0;
    for (int b = 0; b < INCO_HISTOGRAM_BINS; b++) {
        x[b] = (double)b / INCO_HISTOGRAM_BINS;
        y[b] = (double)m->histogram[b];
        if (m->histogram[b]) count = b + 1;
    }
    const double end = fmin(1, ceil((count + 0.5) / 10) / 10);
    snprintf(bound, TEXT, "%s %.4f", bound_name(m), m->welch);
    snprintf(largest, TEXT, "largest %.4f", m->coherence_max);
    const inco_series series = {.name = "pairs of atoms",
                                .style = INCO_BARS,
                                .count = count,
                                .x = x,
                                .y = y,
                                .width = 1.0 / INCO_HISTOGRAM_BINS};
    const inco_mark marks[] = {{largest, m->coherence_max, 1}, {bound, m->welch, 1}};
    const inco_chart chart = {
        .size = sizeof chart,
        .id = "inner-products",
        .title = "Inner products of all pairs of atoms",
        .caption =
            "Counts on a logarithmic axis, so that a single pair shows. Some pair must lie at the bound or to its "
            "right; a tail far to the right is atoms that say nearly the same.",
        .x = {.label = "|dᵢᵀdⱼ|", .low = 0, .high = end},
        .y = {.label = "pairs", .log = 1},
        .series = &series,
        .series_count = 1,
        .marks = marks,
        .mark_count = m->welch > 0 ? 2 : 1,
    };
    if (count) inco_report_chart(r, &chart);
}

static void add_babel(inco_report *r, const inco_metrics *m) {
    const inco_series series = {.name = "Babel function", .count = m->babel_count, .y = m->babel};
    char caption[4 * TEXT];
    int64_t sure = 0;
    while (sure < m->babel_count && m->babel[sure] + (sure ? m->babel[sure - 1] : 0) < 1) sure++;
    snprintf(caption, sizeof caption,
             "For k, the largest sum of k absolute inner products of one atom with others. Any code of up to %lld "
             "atom%s is sure to be found by OMP and basis pursuit, whatever it is; in practice far longer ones are.",
             (long long)sure, sure == 1 ? "" : "s");
    const inco_chart chart = {
        .size = sizeof chart,
        .id = "babel",
        .title = "Cumulative coherence",
        .caption = caption,
        .x = {.label = "k"},
        .y = {.label = "Babel function of k"},
        .series = &series,
        .series_count = 1,
    };
    if (m->babel_count > 1 && m->coherence_max > 0) inco_report_chart(r, &chart);
}

/* ---- Use, residuals, pairs ---- */

static void add_usage(inco_report *r, const inco_summary *s) {
    const int64_t atoms = s->dictionary->cols;
    int64_t *order = order_of(s);
    double *y = NEW(double, atoms), mean = 0;
    char name[TEXT], caption[4 * TEXT];
    for (int64_t k = 0; order && y && k < atoms; k++) mean += (y[k] = (double)s->uses[order[k]]) / (double)atoms;
    snprintf(name, TEXT, "mean %.4g", mean);
    snprintf(
        caption, sizeof caption,
        "Training signals that use each atom, most used first. A flat curve shares the work; %lld of %lld atoms are "
        "used by none. A long tail is atoms for rare events.",
        (long long)count_unused(s), (long long)atoms);
    const inco_series series = {.name = "signals that use the atom", .count = atoms, .y = y};
    const inco_mark mark = {name, mean, 0};
    const inco_chart chart = {
        .size = sizeof chart,
        .id = "usage",
        .title = "Use of the atoms",
        .caption = caption,
        .x = {.label = "atoms, by falling use"},
        .y = {.label = "signals that use the atom", .log = y && mean > 0 && y[0] > 20 * mean},
        .series = &series,
        .series_count = 1,
        .marks = &mark,
        .mark_count = 1,
    };
    if (order && y)
        inco_report_chart(r, &chart);
    else
        report_fail(r, INCO_ENOMEM);
    memory_free(order);
    memory_free(y);
}

static void add_residuals(inco_report *r, const inco_residuals *held_out) {
    char caption[4 * TEXT];
    snprintf(
        caption, sizeof caption,
        "Codes of exactly k atoms by OMP, for %lld signals given apart: the median of their residuals, and the band "
        "between the quartiles. The lower and the steeper, the better the dictionary; compare dictionaries at the "
        "same k.",
        (long long)held_out->signals);
    const inco_series series = {.name = "median",
                                .count = held_out->count,
                                .x = held_out->cardinality,
                                .y = held_out->median,
                                .low = held_out->lower,
                                .high = held_out->upper};
    const inco_chart chart = {
        .size = sizeof chart,
        .id = "residual",
        .title = "Residual against cardinality on test signals",
        .caption = caption,
        .x = {.label = "atoms per signal, k"},
        .y = {.label = "‖x − Dc‖ / ‖x‖", .log = 1},
        .series = &series,
        .series_count = 1,
    };
    inco_report_chart(r, &chart);
}

static void add_pairs(inco_report *r, const inco_summary *s) {
    const inco_metrics *m = s->metrics;
    const atom_view v = view_of(s);
    const long long atoms = (long long)(m->atoms - m->zero_atoms);
    char caption[4 * TEXT];
    if (m->pair_count < 1 || !(m->coherence_max > 5e-5)) return;
    snprintf(caption, sizeof caption,
             "The %lld most coherent of %lld pairs, %s, the second with its sign turned where the inner product is "
             "negative; %lld pairs have an inner product of %.4g or more.",
             (long long)m->pair_count, atoms * (atoms - 1) / 2,
             atoms_are_patches(&v) ? "side by side" : "one over the other", (long long)m->duplicates, threshold_of(s));
    inco_report_section(r, "The most coherent pairs",
                        "Two atoms whose inner product is near 1 or -1 stand for the same thing, and which of them a "
                        "code uses is left to chance.");
    if (!report_enter(r)) return;
    atoms_add_pairs(r, &v, m->pairs, m->pair_count, caption);
    report_leave(r);
}

void inco_report_dictionary(inco_report *r, const inco_summary *s) {
    if (s->size < sizeof *s || !s->dictionary || !s->metrics || s->metrics->atoms != s->dictionary->cols) {
        report_fail(r, INCO_EINVAL);
        return;
    }
    add_headlines(r, s);
    if (s->fact_count) {
        inco_report_section(r, "What was run", NULL);
        inco_report_facts(r, s->facts, s->fact_count);
    }
    add_convergence(r, s);
    add_atoms(r, s);
    inco_report_section(r, "Coherence and use", NULL);
    add_histogram(r, s->metrics);
    add_spectrum(r, s->metrics);
    if (s->held_out) add_residuals(r, s->held_out);
    if (s->uses) add_usage(r, s);
    add_babel(r, s->metrics);
    add_pairs(r, s);
}
