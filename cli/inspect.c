/* inco inspect: measures the coherence of a dictionary. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "commands.h"
#include "lists.h"
#include "outputs.h"
#include "html.h"
#include "results.h"

enum { BAR = 40, ROWS = 20, PAIRS_SHOWN = 5 };

/* ---- Text ---- */

static void print_norms(const inco_metrics *m) {
    const int unit = fabs(m->norm_min - 1) < 1e-5 && fabs(m->norm_max - 1) < 1e-5;
    if (unit)
        printf("  norms              1 (unit atoms)\n");
    else
        printf("  norms              %.6g to %.6g (coherence is measured on the normalised atoms)\n", m->norm_min,
               m->norm_max);
}

static void print_coherence(const inco_metrics *m) {
    printf("  coherence          %.4f", m->coherence_max);
    if (m->welch > 0)
        printf(" (%s %.4f, ratio %.1f)\n", inco_bound_name(m->rank, m->atoms), m->welch, m->coherence_max / m->welch);
    else
        printf(" (0 is possible: no more atoms than dimensions)\n");
    printf("    of all pairs     rms %.4f, mean %.4f, median %.4f\n", m->coherence_rms, m->coherence_mean,
           m->coherence_median);
}

static void print_recovery(const inco_metrics *m) {
    const long long babel = m->babel_sparsity, erc = m->erc_sparsity;
    if (erc >= m->atoms - m->zero_atoms) {
        printf("  exact recovery     of every code: the atoms are orthogonal\n");
        return;
    }
    printf("  exact recovery     guaranteed up to %lld atom%s by coherence, %s%lld by the Babel function\n", erc,
           erc == 1 ? "" : "s", babel == m->babel_count ? "at least " : "", babel);
    printf("  Babel function     ");
    for (int64_t k = 1; k <= m->babel_count; k *= 2)
        printf("%s%.3g (%lld)", k > 1 ? ", " : "", m->babel[k - 1], (long long)k);
    printf("\n");
}

static void print_spectrum(const inco_metrics *m) {
    if (m->singular_count < 1) return;
    const double top = m->singular[0], bottom = m->singular[m->rank > 0 ? m->rank - 1 : 0];
    printf("  singular values    %.4g to %.4g, median %.4g (%.4g each in a tight frame)\n", top, bottom,
           m->singular[m->rank / 2], m->flat_singular);
    printf("  frame bounds       %.4g and %.4g\n", m->frame_lower, m->frame_upper);
}

/* The quantile of this level of the similarity with the nearest atom. */
static double nearest_quantile(const inco_metrics *m, double level) {
    for (int64_t i = 0; i < m->quantile_count; i++)
        if (m->quantile_level[i] == level) return m->nearest_quantile[i];
    return NAN;
}

static void print_nearest(const inco_metrics *m) {
    if (!m->nearest_count) return;
    printf("  nearest atom       %.4f median, %.4f to %.4f for 90 %% of the atoms, %.4f to %.4f for all\n",
           nearest_quantile(m, 0.5), nearest_quantile(m, 0.05), nearest_quantile(m, 0.95), nearest_quantile(m, 0),
           nearest_quantile(m, 1));
}

static void print_pairs(const inco_metrics *m, double threshold) {
    const int64_t shown = m->duplicates > PAIRS_SHOWN ? m->duplicates : PAIRS_SHOWN;
    printf("  near duplicates    %lld pair%s at %g or above%s\n", (long long)m->duplicates,
           m->duplicates == 1 ? "" : "s", threshold, m->duplicates > m->pair_count ? "; --pairs FILE lists them" : "");
    if (m->pair_count && m->coherence_max >= 5e-5) printf("  most coherent pairs, atoms counted from 0\n");
    for (int64_t i = 0; i < m->pair_count && i < shown && fabs(m->pair_similarity[i]) >= 5e-5; i++)
        printf("    %6lld %6lld     %+.4f\n", (long long)m->pair_first[i], (long long)m->pair_second[i],
               m->pair_similarity[i]);
}

/* A histogram in ROWS rows, from the first to the last nonempty bin. */
static void print_histogram(const char *title, const int64_t *histogram, int64_t bins) {
    const int64_t each = bins / ROWS;
    long long count[ROWS] = {0}, maximum = 0;
    int first = ROWS, last = -1;
    for (int64_t b = 0; b < each * ROWS; b++) count[b / each] += histogram[b];
    for (int i = 0; i < ROWS; i++) {
        if (count[i] > maximum) maximum = count[i];
        if (count[i] && first == ROWS) first = i;
        if (count[i]) last = i;
    }
    if (last < 0) return;
    printf("  %s\n", title);
    for (int i = first; i <= last; i++) {
        int bar = (int)ceil(BAR * (double)count[i] / (double)maximum);
        printf("    %.2f %-*.*s %lld\n", (double)i / ROWS, BAR, bar, "########################################",
               count[i]);
    }
}

static void print_table(const run *r, const inco_mat *d, const html_report *p) {
    const inco_metrics *m = &p->metrics;
    printf("%s: %lld atoms of %lld dimensions, %s", r->paths[0], (long long)m->atoms, (long long)m->dim,
           results_precision(d->type));
    if (m->zero_atoms) printf(", %lld of the atoms zero and ignored below", (long long)m->zero_atoms);
    printf("\n");
    if (p->centred.mean.data) printf("  mean               of the features, which encode subtracts\n");
    print_norms(m);
    if (m->rank < m->singular_count)
        printf("  rank               %lld: the atoms are in a subspace\n", (long long)m->rank);
    print_coherence(m);
    print_nearest(m);
    print_recovery(m);
    print_spectrum(m);
    print_pairs(m, inco_options_get_number(r->options, "duplicates"));
    print_histogram("pairs by |inner product|", m->histogram, m->histogram_count);
    if (m->nearest_count)
        print_histogram("atoms by |inner product| with the nearest", m->nearest_histogram, m->histogram_count);
}

/* Fewer atoms than dimensions are rare in a dictionary, and common in a transposed file. */
static void doubt_orientation(const run *r, const inco_mat *d) {
    const char *ending = strrchr(r->paths[0], '.');
    const int columns = inco_options_get_number(r->options, "columns") > 0;
    if (d->cols >= d->rows) return;
    if (ending && !strcasecmp(ending, ".mat")) {
        run_warn(r,
                 "'%s' was read as %lld atoms of %lld dimensions, one per column, as in all .mat files: fewer atoms "
                 "than dimensions. If its atoms are the rows, transpose the matrix in the file.",
                 r->paths[0], (long long)d->cols, (long long)d->rows);
        return;
    }
    run_warn(r,
             "'%s' was read as %lld atoms of %lld dimensions, one per %s: fewer atoms than dimensions. If its atoms "
             "are the %s, read it %s --columns.",
             r->paths[0], (long long)d->cols, (long long)d->rows, columns ? "column" : "row",
             columns ? "rows" : "columns", columns ? "without" : "with");
}

/* ---- JSON ---- */

static void write_pairs(json *j, const inco_metrics *m) {
    json_array(j, "pairs");
    for (int64_t i = 0; i < m->pair_count; i++) {
        json_object(j, NULL);
        json_integer(j, "first", m->pair_first[i]);
        json_integer(j, "second", m->pair_second[i]);
        json_number(j, "similarity", m->pair_similarity[i]);
        json_end_object(j);
    }
    json_end_array(j);
}

static void write_nearest(json *j, const inco_metrics *m) {
    json_object(j, "nearest");
    json_object(j, "quantiles");
    for (int64_t i = 0; i < m->quantile_count; i++) {
        char level[32];
        snprintf(level, sizeof level, "%g", m->quantile_level[i]);
        json_number(j, level, m->nearest_quantile[i]);
    }
    json_end_object(j);
    json_integers(j, "histogram", m->nearest_histogram, m->nearest_count ? m->histogram_count : 0);
    json_end_object(j);
}

static void print_json(const run *r, const inco_mat *d, const html_report *p, double seconds) {
    const inco_metrics *m = &p->metrics;
    json j = results_begin(r);
    json_text(&j, "file", r->paths[0]);
    json_text(&j, "precision", results_precision(d->type));
    json_integer(&j, "dim", m->dim);
    json_integer(&j, "atoms", m->atoms);
    json_integer(&j, "rank", m->rank);
    json_boolean(&j, "mean", p->centred.mean.data != NULL);
    json_object(&j, "coherence");
    json_number(&j, "max", m->coherence_max);
    json_number(&j, "rms", m->coherence_rms);
    json_number(&j, "mean", m->coherence_mean);
    json_number(&j, "median", m->coherence_median);
    json_number(&j, "welch", m->welch);
    json_number(&j, "welch_ratio", m->welch > 0 ? m->coherence_max / m->welch : NAN);
    json_end_object(&j);
    json_integer(&j, "erc_sparsity", m->erc_sparsity);
    json_numbers(&j, "babel", m->babel, m->babel_count);
    json_numbers(&j, "singular_values", m->singular, m->singular_count);
    json_number(&j, "flat_singular_value", m->flat_singular);
    json_pair(&j, "frame_bounds", "lower", m->frame_lower, "upper", m->frame_upper);
    json_pair(&j, "norms", "min", m->norm_min, "max", m->norm_max);
    json_integer(&j, "duplicates", m->duplicates);
    json_integer(&j, "zero_atoms", m->zero_atoms);
    write_pairs(&j, m);
    json_integers(&j, "histogram", m->histogram, m->histogram_count);
    write_nearest(&j, m);
    results_seconds(&j, r, seconds, NAN, 0);
    results_end(&j);
}

/* ---- Lists ---- */

static int write_lists(run *r, const char *neighbours, const char *pairs, const inco_metrics *m) {
    const list_column nearest[] = {
        {"atom", NULL, NULL}, {"nearest", m->nearest, NULL}, {"similarity", NULL, m->nearest_similarity}};
    const list_column duplicates[] = {{"first", m->duplicate_first, NULL},
                                      {"second", m->duplicate_second, NULL},
                                      {"similarity", NULL, m->duplicate_similarity}};
    int status = INCO_OK;
    if (pairs && m->duplicate_count < m->duplicates)
        run_warn(r, "--pairs '%s' has the %lld most coherent of %lld pairs; raise --duplicates", pairs,
                 (long long)m->duplicate_count, (long long)m->duplicates);
    if (neighbours) TRY(lists_write(r, neighbours, nearest, 3, m->nearest_count));
    if (pairs) TRY(lists_write(r, pairs, duplicates, 3, m->duplicate_count));
done:
    return status;
}

/* ---- The report ---- */

/* Options about the report are refused without one. */
static int check_html(run *r, const html_report *p, const char *neighbours, const char *pairs) {
    static const char *const of_test[] = {"window", "hop", "center"}, *const of_html[] = {"patch", "rate"};
    const output outputs[] = {{"--report", p->report, OUTPUT_TEXT},
                              {"--csv", p->csv, OUTPUT_FOLDER},
                              {"--neighbours", neighbours, OUTPUT_TEXT},
                              {"--pairs", pairs, OUTPUT_TEXT}};
    const char *inputs[] = {r->paths[0], p->test};
    for (int i = 0; i < 3; i++)
        if (inco_options_given(r->options, of_test[i]) && !p->test)
            return run_fail(r, INCO_EINVAL, "--%s applies to test signals: give --test too", of_test[i]);
    for (int i = 0; i < 2; i++)
        if (inco_options_given(r->options, of_html[i]) && !html_wanted(p))
            return run_fail(r, INCO_EINVAL, "--%s applies to the report: give --report or --csv too", of_html[i]);
    return outputs_check(r, outputs, 4, inputs, 2);
}

static int write_html(html_report *p, inco_summary *s) {
    run *r = p->run;
    const inco_mat *d = s->dictionary;
    const char *slash = strrchr(r->paths[0], '/');
    const double rate = inco_options_get_number(r->options, "rate");
    char subtitle[128];
    if (!html_wanted(p)) return INCO_OK;
    s->rate = rate > 0 ? rate : 0;
    facts_command_line(&p->facts, r);
    facts_add(&p->facts, "Program", "inco %s", inco_version());
    facts_add(&p->facts, "File", "%s", r->paths[0]);
    facts_note(&p->facts, "%s, norms of the atoms %.6g to %.6g", results_precision(d->type), p->metrics.norm_min,
               p->metrics.norm_max);
    snprintf(subtitle, sizeof subtitle, "A dictionary of %lld atoms in %lld dimensions", (long long)d->cols,
             (long long)d->rows);
    return html_write(p, slash ? slash + 1 : r->paths[0], subtitle, s);
}

static int perform(run *r) {
    inco_mat d = {0};
    html_report p = HTML_INIT;
    inco_summary summary = {.size = sizeof summary, .dictionary = &d, .relative_error = NAN, .mean_cardinality = NAN};
    char *neighbours = NULL, *pairs = NULL;
    inco_metrics *m = &p.metrics;
    int status;
    if (r->path_count != 1)
        TRY(run_fail(r, INCO_EINVAL, "name one dictionary%s", r->path_count ? ", not several" : ""));
    TRY(html_names(&p, r, "report"));
    TRY(run_text(r, "neighbours", &neighbours));
    TRY(run_text(r, "pairs", &pairs));
    TRY(check_html(r, &p, neighbours, pairs));
    const double before = run_clock();
    TRY(inco_load(r->paths[0], r->options, &d, &r->error));
    TRY(inco_load_mean(r->paths[0], &d, &p.centred.mean, &r->error));
    TRY(html_patch(r, d.rows, &summary.patch_rows, &summary.patch_cols));
    TRY(html_open_own_test(&p, d.rows));
    r->seconds_io = run_clock() - before;
    doubt_orientation(r, &d);
    TRY(html_watch(&p));
    TRY(inco_inspect(&d, r->options, m, &r->error));
    progress_clear(&p.progress);
    const double seconds = run_clock() - before - r->seconds_io;
    TRY(write_html(&p, &summary));
    TRY(write_lists(r, neighbours, pairs, m));
    if (r->json)
        print_json(r, &d, &p, seconds);
    else if (!outputs_is_standard(p.report) && !outputs_is_standard(neighbours) && !outputs_is_standard(pairs))
        print_table(r, &d, &p);
done:
    free(neighbours);
    free(pairs);
    html_free(&p);
    inco_mat_free(&d);
    return status;
}

const command inspect_command = {
    "inspect",
    INCO_INSPECT,
    "D.npy [OPTIONS]",
    "measure the coherence of a dictionary from any tool",
    "Measures a dictionary with one atom per row: its coherence, compared with the lowest possible for its size, the "
    "sparsity up to which recovery is guaranteed, its singular values, and near duplicates. Prints a table, or all "
    "numbers with --json; --report writes a report with figures. Atoms may have any norm: they are normalised first.",
    perform,
};
