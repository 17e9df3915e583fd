/* The standard report of a dictionary. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/sized.h"
#include "mat/mat.h"
#include "report/atoms.h"
#include "report/report.h"

enum { TEXT = 160, HEADLINES = 9 };

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* Minimum rms of the inner products of L unit vectors in D dimensions: sqrt((L - D) / (D (L - 1))). */
static double least_rms(const inco_metrics *m) {
    const double rank = (double)m->rank, atoms = (double)(m->atoms - m->zero_atoms);
    return atoms > rank && rank > 0 ? sqrt((atoms - rank) / (rank * (atoms - 1))) : 0;
}

static double threshold_of(const inco_summary *s) {
    return s->duplicates > 0 ? s->duplicates : 0.99;
}

/* ---- Headlines ---- */

typedef struct headlines {
    const char *names[HEADLINES], *values[HEADLINES], *notes[HEADLINES];
    char value[HEADLINES][TEXT], note[HEADLINES][TEXT];
    int count;
} headlines;

static void add(headlines *h, const char *name, const char *value, const char *note) {
    const int i = h->count++;
    snprintf(h->value[i], TEXT, "%s", value);
    snprintf(h->note[i], TEXT, "%s", note);
    h->names[i] = name;
    h->values[i] = h->value[i];
    h->notes[i] = h->note[i];
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

/* Index of the smallest singular value that is more than a rounding error. */
static int64_t last_value(const inco_metrics *m) {
    return m->rank > 0 ? m->rank - 1 : 0;
}

static void add_coherence(headlines *h, const inco_metrics *m) {
    char value[TEXT], note[TEXT];
    const double least = least_rms(m);
    snprintf(value, TEXT, "%.4f", m->coherence_max);
    snprintf(note, TEXT, "largest |dᵢᵀdⱼ|; %s %.4f", inco_bound_name(m->rank, m->atoms), m->welch);
    add(h, "Coherence", value, note);
    snprintf(value, TEXT, "%.4f", m->coherence_rms);
    if (least > 0)
        snprintf(note, TEXT, "%lld unit vectors have at least %.4f", (long long)(m->atoms - m->zero_atoms), least);
    else
        snprintf(note, TEXT, "0 is possible: no more atoms than dimensions");
    add(h, "RMS coherence", value, note);
    if (m->singular_count < 1) return;
    snprintf(value, TEXT, "%.4g–%.4g", m->singular[last_value(m)], m->singular[0]);
    snprintf(note, TEXT, "in a tight frame all are √(L/%c) = %.4g", m->rank < m->dim ? 'r' : 'D', m->flat_singular);
    add(h, "Singular values", value, note);
}

static int64_t count_unused(const inco_summary *s) {
    int64_t unused = 0;
    for (int64_t j = 0; j < s->metrics->atoms; j++) unused += s->usage[j] == 0;
    return unused;
}

static void add_headlines(inco_report *r, const inco_summary *s) {
    const inco_metrics *m = s->metrics;
    headlines h = {.count = 0};
    char value[TEXT], note[TEXT];
    snprintf(value, TEXT, "%lld", (long long)m->atoms);
    if (m->rank < m->singular_count)
        snprintf(note, TEXT, "of %lld dimensions, in a subspace of r = %lld", (long long)m->dim, (long long)m->rank);
    else
        snprintf(note, TEXT, "of %lld dimensions", (long long)m->dim);
    add(&h, "Atoms", value, note);
    add_fit(&h, s);
    add_coherence(&h, m);
    if (m->zero_atoms) {
        snprintf(value, TEXT, "%lld", (long long)m->zero_atoms);
        add(&h, "Zero atoms", value, "ignored in all other figures");
    }
    snprintf(value, TEXT, "%lld", (long long)m->duplicates);
    snprintf(note, TEXT, "pairs with |dᵢᵀdⱼ| ≥ %.4g", threshold_of(s));
    add(&h, "Near duplicates", value, note);
    if (s->usage) {
        snprintf(value, TEXT, "%lld", (long long)count_unused(s));
        add(&h, "Unused atoms", value, "used by no training signal");
    }
    inco_report_headlines(r, h.names, h.values, h.notes, h.count);
}

/* ---- Convergence ---- */

typedef struct history {
    int64_t count;
    double *number, *error, *cardinality, *objective, *max, *rms; /* one block, at number */
} history;

static int history_new(history *h, const inco_progress *const *iterations, int64_t count) {
    *h = (history){.count = count, .number = NEW(double, 6 * count)};
    if (!h->number) return 0;
    h->error = h->number + count;
    h->cardinality = h->error + count;
    h->objective = h->cardinality + count;
    h->max = h->objective + count;
    h->rms = h->max + count;
    for (int64_t i = 0; i < count; i++) {
        inco_progress p;
        SIZED_TAKE(inco_progress, &p, iterations[i], NULL);
        h->number[i] = (double)p.iteration;
        h->error[i] = p.relative_error;
        h->cardinality[i] = p.mean_cardinality;
        h->objective[i] = p.objective;
        h->max[i] = p.coherence_max;
        h->rms[i] = p.coherence_rms;
    }
    return 1;
}

/* One quantity by iteration, if it is known. */
static void add_history(inco_report *r, const history *h, const double *y, inco_chart *chart, const char *label) {
    int known = 0;
    for (int64_t i = 0; i < h->count; i++) known = known || isfinite(y[i]);
    if (!known) {
        inco_chart_free(chart);
        return;
    }
    inco_chart_x(chart, "iteration", 0, 0, 0);
    inco_chart_y(chart, label, 0, 0, 0);
    inco_chart_line(chart, label, h->count, h->number, y);
    report_take_chart(r, chart);
}

/* A dashed line at the lower bound of the coherence. */
static void mark_bound(inco_chart *chart, const inco_metrics *m, int vertical) {
    char bound[TEXT];
    snprintf(bound, TEXT, "%s %.4f", inco_bound_name(m->rank, m->atoms), m->welch);
    if (m->welch > 0) inco_chart_mark(chart, bound, m->welch, vertical);
}

static void add_coherence_history(inco_report *r, const history *h, const inco_metrics *m) {
    inco_chart *chart =
        inco_chart_new("convergence-coherence", "Coherence of the dictionary",
                       "After each update, over all pairs of atoms. The root mean square attains the bound if the "
                       "dictionary is a tight frame; the largest inner product can attain it only for few sizes.");
    inco_chart_x(chart, "iteration", 0, 0, 0);
    inco_chart_y(chart, "|dᵢᵀdⱼ|", 0, 1, 0);
    inco_chart_line(chart, "largest", h->count, h->number, h->max);
    inco_chart_line(chart, "root mean square", h->count, h->number, h->rms);
    mark_bound(chart, m, 0);
    report_take_chart(r, chart);
}

static void add_convergence(inco_report *r, const inco_summary *s) {
    history h;
    if (s->iteration_count < 1) return;
    if (!history_new(&h, s->iterations, s->iteration_count)) {
        report_fail(r, INCO_ENOMEM);
        return;
    }
    inco_report_section(r, "Convergence",
                        "Each iteration computes codes of all signals and then updates the dictionary. If a curve "
                        "still decreases at the end, more iterations would help.");
    add_history(r, &h, h.error,
                inco_chart_new("convergence-error", "Relative error",
                               "Of the codes that each update starts from. If the coder does not stop at a fixed "
                               "number of atoms, compare the cardinality too."),
                "‖X − DC‖ / ‖X‖");
    add_history(r, &h, h.cardinality,
                inco_chart_new("convergence-cardinality", "Atoms per signal",
                               "Mean number of nonzero coefficients of the same codes."),
                "nonzero coefficients");
    add_history(r, &h, h.objective,
                inco_chart_new("convergence-objective", "Objective",
                               "After each update, with the codes that it started from. It may increase from one "
                               "iteration to the next if the coder trades error for sparsity."),
                "‖X − DC‖² + γ‖DᵀD − I‖²");
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

/* The atoms in descending order of use; in file order if it is unknown. To be freed. */
static int64_t *order_of(const inco_summary *s) {
    const int64_t atoms = s->dictionary->cols;
    ranked *list = NEW(ranked, atoms);
    int64_t *order = NEW(int64_t, atoms);
    for (int64_t j = 0; list && order && j < atoms; j++) list[j] = (ranked){j, s->usage ? s->usage[j] : 0};
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
    return (atom_view){s->dictionary, s->patch_rows, s->patch_cols, s->usage, s->signals};
}

static int draws_atoms(const inco_summary *s) {
    const atom_view v = view_of(s);
    return s->dictionary->cols <= ATOMS_DRAWN || s->usage || s->rate > 0 || atoms_are_patches(&v);
}

static void add_atoms(inco_report *r, const inco_summary *s) {
    const atom_view v = view_of(s);
    char caption[4 * TEXT];
    if (!draws_atoms(s)) return;
    int64_t *order = order_of(s);
    if (!order) {
        report_fail(r, INCO_ENOMEM);
        return;
    }
    int length = snprintf(caption, sizeof caption, "%s%s",
                          s->usage ? "Sorted by use, most used first; below each atom its number, counted from 0, and "
                                     "the number of training signals that use it."
                                   : "In the order of the file; below each atom its number, counted from 0.",
                          atoms_are_patches(&v) ? " Mid-grey is zero; each patch has its own contrast."
                                                : " Each curve has its own scale.");
    if (s->rate > 0)
        snprintf(caption + length, sizeof caption - (size_t)length, " A curve is %.4g ms long.",
                 1000 * (double)s->dictionary->rows / s->rate);
    inco_report_section(r, "Atoms",
                        "Learned atoms have structure: waves, edges, transients. Atoms that look like noise or like a "
                        "training signal may not have been learned.");
    if (report_enter(r)) {
        atoms_add(r, &v, order, caption);
        report_leave(r);
    }
    memory_free(order);
}

/* ---- Coherence ---- */

static void add_spectrum(inco_report *r, const inco_metrics *m) {
    char flat[TEXT];
    if (m->singular_count < 1) return;
    const double high = m->singular[0], low = m->singular[last_value(m)];
    inco_chart *chart = inco_chart_new(
        "singular-values", "Singular values",
        "Of the normalised dictionary, in descending order. The dashed line is the spectrum of a tight frame. A steep "
        "curve means that the atoms are concentrated in few directions, which makes codes longer.");
    snprintf(flat, TEXT, "√(L/%c) = %.4g", m->rank < m->dim ? 'r' : 'D', m->flat_singular);
    inco_chart_x(chart, "rank", 0, 0, 0);
    inco_chart_y(chart, "singular value", 0, 0, high > 20 * low && low > 0);
    inco_chart_line(chart, "singular values", m->singular_count, NULL, m->singular);
    inco_chart_mark(chart, flat, m->flat_singular, 0);
    report_take_chart(r, chart);
}

/* Left ends and counts of the bins, up to the last nonempty one; to be freed. */
static double *bins_of(const int64_t *histogram, int64_t bins, int64_t *count) {
    double *x = NEW(double, 2 * bins);
    *count = 0;
    for (int64_t b = 0; x && b < bins; b++) {
        x[b] = (double)b / (double)bins;
        x[bins + b] = (double)histogram[b];
        if (histogram[b]) *count = b + 1;
    }
    return x;
}

/* The end of the axis of `count` bins of 0.01: the next multiple of 0.1. */
static double end_of_bins(int64_t count) {
    return fmin(1, ceil(((double)count + 0.5) / 10) / 10);
}

static void add_histogram(inco_report *r, const inco_metrics *m) {
    char largest[TEXT];
    int64_t count;
    double *x = bins_of(m->histogram, m->histogram_count, &count);
    if (!x) report_fail(r, INCO_ENOMEM);
    if (count) {
        inco_chart *chart =
            inco_chart_new("inner-products", "Inner products of all pairs of atoms",
                           "Counts on a logarithmic axis, so that single pairs are visible. The largest inner product "
                           "is at least the bound. A tail far to the right consists of nearly equal atoms.");
        snprintf(largest, TEXT, "largest %.4f", m->coherence_max);
        inco_chart_x(chart, "|dᵢᵀdⱼ|", 0, end_of_bins(count), 0);
        inco_chart_y(chart, "pairs", 0, 0, 1);
        inco_chart_bars(chart, "pairs of atoms", count, x, x + m->histogram_count, 1.0 / (double)m->histogram_count);
        inco_chart_mark(chart, largest, m->coherence_max, 1);
        mark_bound(chart, m, 1);
        report_take_chart(r, chart);
    }
    memory_free(x);
}

static void add_nearest(inco_report *r, const inco_metrics *m) {
    char caption[4 * TEXT], median[TEXT];
    const double middle = m->quantile_count > 0 ? m->nearest_quantile[m->quantile_count / 2] : 0;
    int64_t count;
    if (m->nearest_count < 1) return;
    double *x = bins_of(m->nearest_histogram, m->histogram_count, &count);
    if (!x) report_fail(r, INCO_ENOMEM);
    snprintf(caption, sizeof caption,
             "Every atom counts once, by its largest absolute inner product with any other; counts on a logarithmic "
             "axis. Atoms far to the right have a near duplicate; %lld pairs are at or above the threshold.",
             (long long)m->duplicates);
    snprintf(median, TEXT, "median %.4f", middle);
    if (count) {
        inco_chart *chart = inco_chart_new("nearest", "Similarity with the nearest atom", caption);
        inco_chart_x(chart, "largest |dᵢᵀdⱼ| of an atom", 0, end_of_bins(count), 0);
        inco_chart_y(chart, "atoms", 0, 0, 1);
        inco_chart_bars(chart, "atoms", count, x, x + m->histogram_count, 1.0 / (double)m->histogram_count);
        inco_chart_mark(chart, median, middle, 1);
        report_take_chart(r, chart);
    }
    memory_free(x);
}

static void add_babel(inco_report *r, const inco_metrics *m) {
    char caption[4 * TEXT];
    const int64_t sure = m->babel_sparsity;
    if (m->babel_count < 2 || !(m->coherence_max > 0)) return;
    snprintf(
        caption, sizeof caption,
        "Babel function of k: the largest sum of the absolute inner products of one atom with k others. OMP and basis "
        "pursuit are guaranteed to recover every code of up to %lld atom%s; in practice they recover much longer ones.",
        (long long)sure, sure == 1 ? "" : "s");
    inco_chart *chart = inco_chart_new("babel", "Cumulative coherence", caption);
    inco_chart_x(chart, "k", 0, 0, 0);
    inco_chart_y(chart, "Babel function of k", 0, 0, 0);
    inco_chart_line(chart, "Babel function", m->babel_count, NULL, m->babel);
    report_take_chart(r, chart);
}

/* ---- Use, residuals, pairs ---- */

static void add_usage(inco_report *r, const inco_summary *s) {
    const int64_t atoms = s->dictionary->cols;
    int64_t *order = order_of(s);
    double *y = NEW(double, atoms), mean = 0;
    char name[TEXT], caption[4 * TEXT];
    for (int64_t k = 0; order && y && k < atoms; k++) mean += (y[k] = (double)s->usage[order[k]]) / (double)atoms;
    if (!order || !y) {
        report_fail(r, INCO_ENOMEM);
        goto done;
    }
    snprintf(name, TEXT, "mean %.4g", mean);
    snprintf(caption, sizeof caption,
             "Number of training signals that use each atom, in descending order; %lld of %lld atoms are unused. A "
             "flat curve means that all atoms are used alike, a long tail that some atoms code rare events.",
             (long long)count_unused(s), (long long)atoms);
    inco_chart *chart = inco_chart_new("usage", "Use of the atoms", caption);
    inco_chart_x(chart, "atoms, by descending use", 0, 0, 0);
    inco_chart_y(chart, "signals that use the atom", 0, 0, mean > 0 && y[0] > 20 * mean);
    inco_chart_line(chart, "signals that use the atom", atoms, NULL, y);
    inco_chart_mark(chart, name, mean, 0);
    report_take_chart(r, chart);
done:
    memory_free(order);
    memory_free(y);
}

static void add_residuals(inco_report *r, const inco_residuals *held_out) {
    char caption[4 * TEXT];
    snprintf(caption, sizeof caption,
             "Residual of %lld test signals with exactly k atoms by OMP: median, and the band between the quartiles. "
             "Lower is better; compare dictionaries at the same k.",
             (long long)held_out->signals);
    inco_chart *chart = inco_chart_new("residual", "Residual against cardinality on test signals", caption);
    inco_chart_x(chart, "atoms per signal, k", 0, 0, 0);
    inco_chart_y(chart, "‖x − Dc‖ / ‖x‖", 0, 0, 1);
    inco_chart_line(chart, "median", held_out->count, held_out->cardinality, held_out->median);
    inco_chart_band(chart, held_out->lower, held_out->upper);
    report_take_chart(r, chart);
}

static void add_pair_atoms(inco_report *r, const inco_summary *s, const char *caption) {
    static const char *const header[] = {"first atom", "second atom", "inner product"};
    const inco_metrics *m = s->metrics;
    const atom_view v = view_of(s);
    atom_pair *pairs = NEW(atom_pair, m->pair_count);
    for (int64_t k = 0; pairs && k < m->pair_count; k++)
        pairs[k] = (atom_pair){m->pair_first[k], m->pair_second[k], m->pair_similarity[k]};
    if (!pairs) report_fail(r, INCO_ENOMEM);
    if (pairs && !draws_atoms(s)) {
        atoms_add_pair_table(r, header, pairs, m->pair_count, caption);
    } else if (report_enter(r)) {
        atoms_add_pairs(r, &v, &v, pairs, m->pair_count, caption);
        report_leave(r);
    }
    memory_free(pairs);
}

static void add_pairs(inco_report *r, const inco_summary *s) {
    const inco_metrics *m = s->metrics;
    const atom_view v = view_of(s);
    const long long atoms = (long long)(m->atoms - m->zero_atoms);
    char caption[4 * TEXT];
    if (m->pair_count < 1 || !(m->coherence_max > 5e-5)) return;
    snprintf(caption, sizeof caption,
             "The %lld most coherent of %lld pairs%s; %lld pairs have an inner product of %.4g or more.",
             (long long)m->pair_count, atoms * (atoms - 1) / 2,
             !draws_atoms(s)         ? ""
             : atoms_are_patches(&v) ? ", side by side, the second negated if the inner product is negative"
                                     : ", one over the other, the second negated if the inner product is negative",
             (long long)m->duplicates, threshold_of(s));
    inco_report_section(r, "The most coherent pairs",
                        "Two atoms whose inner product is close to 1 or -1 are nearly interchangeable, so that it is "
                        "arbitrary which of them a code uses.");
    add_pair_atoms(r, s, caption);
}

/* ---- All of it ---- */

/* The caller's summary, copied to the library's structs. */
typedef struct summary {
    inco_summary s;
    inco_metrics metrics;
    inco_residuals held_out;
} summary;

/* Figures of arrays that the caller does not know are omitted. */
static int take_metrics(inco_metrics *m, const inco_metrics *given, const inco_mat *d) {
    if (SIZED_TAKE(inco_metrics, m, given, NULL) < 0 || m->dim != d->rows || m->atoms != d->cols) return 0;
    if (!m->histogram) m->histogram_count = 0;
    if (!m->babel) m->babel_count = 0;
    if (!m->singular) m->singular_count = 0;
    if (!m->nearest_histogram || !m->nearest_quantile || !m->histogram_count) m->nearest_count = 0;
    if (!m->pair_first || !m->pair_second || !m->pair_similarity) m->pair_count = 0;
    return 1;
}

static int take_summary(summary *own, const inco_summary *given) {
    inco_summary *s = &own->s;
    if (SIZED_TAKE(inco_summary, s, given, NULL) < 0 || mat_need(s->dictionary, "dictionary", NULL) < 0) return 0;
    if (!take_metrics(&own->metrics, s->metrics, s->dictionary)) return 0;
    s->metrics = &own->metrics;
    if (s->held_out) {
        const inco_residuals *h = &own->held_out;
        if (SIZED_TAKE(inco_residuals, &own->held_out, s->held_out, NULL) < 0) return 0;
        s->held_out = h->count > 0 && h->cardinality && h->median && h->lower && h->upper ? h : NULL;
    }
    if (s->iteration_count > 0 && !s->iterations) return 0;
    for (int64_t i = 0; i < s->iteration_count; i++)
        if (SIZED_NEED(inco_progress, s->iterations[i], NULL) < 0) return 0;
    return s->fact_count <= 0 || (s->fact_count <= INT32_MAX && s->fact_names && s->fact_values);
}

void inco_report_dictionary(inco_report *r, const inco_summary *given) {
    summary own;
    const inco_summary *s = &own.s;
    if (!take_summary(&own, given)) {
        report_fail(r, INCO_EINVAL);
        return;
    }
    add_headlines(r, s);
    if (s->fact_count > 0) {
        inco_report_section(r, "What was run", NULL);
        inco_report_facts(r, s->fact_names, s->fact_values, s->fact_notes, s->fact_kinds, (int)s->fact_count);
    }
    add_convergence(r, s);
    add_atoms(r, s);
    inco_report_section(r, "Coherence and use", NULL);
    add_histogram(r, s->metrics);
    add_nearest(r, s->metrics);
    add_spectrum(r, s->metrics);
    if (s->held_out) add_residuals(r, s->held_out);
    if (s->usage) add_usage(r, s);
    add_babel(r, s->metrics);
    add_pairs(r, s);
}
