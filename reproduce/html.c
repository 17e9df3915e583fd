/* The report of the experiment: claims first, then the figures of the paper and of its companion page, then all
 * runs. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/facts.h"
#include "cli/html.h"
#include "cli/results.h"
#include "reproduce.h"

/* ---- Charts ---- */

/* Draws one list of a run's results into a chart; returns 1 if the run has this list. */
typedef int (*draw_run)(const experiment *e, inco_chart *chart, const grid_run *g, const char *list, const char *name);

/* A list of the run's results as a line, with quartiles if it has them. */
static int draw_line(const experiment *e, inco_chart *chart, const grid_run *g, const char *list, const char *name) {
    int count, same;
    const double *x;
    double *y = seeds_list(e, g, list, &count, &x);
    if (count) inco_chart_line(chart, name, count, x, y);
    if (count && !strcmp(list, "residual")) {
        double *low = seeds_list(e, g, "residual_lower", &same, NULL);
        double *high = seeds_list(e, g, "residual_upper", &same, NULL);
        if (low && high) inco_chart_band(chart, low, high);
        free(low);
        free(high);
    }
    free(y);
    return count > 0;
}

static int draw_steps(const experiment *e, inco_chart *chart, const grid_run *g, const char *list, const char *name) {
    int count;
    const double *x;
    double *y = seeds_list(e, g, list, &count, &x);
    if (count) inco_chart_steps(chart, name, count, x, y, 1.0 / REPRODUCE_BINS);
    free(y);
    return count > 0;
}

/* The residual of a run over that of another, seed by seed. */
static void draw_ratio(const experiment *e, inco_chart *chart, const grid_run *g, const grid_run *base,
                       const char *name) {
    int count;
    const double *x;
    if (!g || !base) return;
    double *y = seeds_list(e, g, "residual", &count, &x);
    for (int i = 0; i < count; i++) y[i] = seeds_ratio(e, g, base, "residual", x[i]).median;
    if (count) inco_chart_line(chart, name, count, x, y);
    free(y);
}

/* One figure per family: their common properties. */
typedef struct figures {
    const char *what; /* first half of the id: "spectrum" */
    const char *list; /* of results */
    draw_run draw;
    int recovery;          /* of the runs on planted codes */
    const char *x, *y;     /* labels of the axes */
    double x_high, y_high; /* upper ends of their ranges from 0; 0: by the data */
    int y_log;
    const char *mark; /* name of a mark, or NULL */
    double mark_at;
    int vertical;
} figures;

/* The number of series drawn. */
static int draw_family(const experiment *e, inco_chart *chart, const figures *f, family which) {
    int drawn = 0;
    const grid_run *ksvd = grid_find(e, KSVD, 1, f->recovery), *sphere = grid_find(e, SPHERE, 5, f->recovery);
    if (which == INKSVD && ksvd) drawn += f->draw(e, chart, ksvd, f->list, "μt = 1 (K-SVD)");
    if (which == BOUND && sphere) drawn += f->draw(e, chart, sphere, f->list, "no bound");
    for (int i = 0; i < e->runs; i++) {
        const grid_run *g = &e->grid[i];
        if (g->family == which && (f->recovery ? g->recovers : g->generalises))
            drawn += f->draw(e, chart, g, f->list, g->label);
    }
    return drawn;
}

static void add_families(const experiment *e, inco_report *made, const figures *f) {
    for (family which = KSVD; which <= BOUND; which++) {
        char id[64];
        if (f->recovery && which == BOUND && !grid_find(e, BOUND, 0.5, 1)) continue;
        snprintf(id, sizeof id, "%s-%s", f->what, grid_short_name(which)); /* "spectrum-ksvd" */
        inco_chart *chart = inco_chart_new(id, grid_family(which), NULL);
        inco_chart_x(chart, f->x, 0, f->x_high, 0);
        inco_chart_y(chart, f->y, 0, f->y_high, f->y_log);
        if (f->mark) inco_chart_mark(chart, f->mark, f->mark_at, f->vertical);
        if (draw_family(e, chart, f, which)) inco_report_chart(made, chart);
        inco_chart_free(chart);
    }
}

static void add_spectra(const experiment *e, inco_report *made) {
    inco_report_section(made, "Singular spectra",
                        "Figure 1 of the paper. A flatter spectrum means a less coherent dictionary; the dashed line "
                        "is the spectrum of a tight frame. The sum of squares is the same for all.");
    add_families(e, made,
                 &(figures){.what = "spectrum",
                            .list = "singular",
                            .draw = draw_line,
                            .x = "number",
                            .y = "singular value",
                            .mark = "√(L/D)",
                            .mark_at = sqrt((double)e->atoms / REPRODUCE_DIM)});
}

/* One setting of each method, relative to K-SVD without replacement. */
static void add_ratios(const experiment *e, inco_report *made) {
    const grid_run *base = grid_find(e, KSVD, 1, 0);
    inco_chart *chart = inco_chart_new("residual-ratio", "One of each, over K-SVD at μt = 1",
                                       "Ratios of median residuals. Below 1 is better.");
    inco_chart_x(chart, "atoms", 0, 0, 0);
    inco_chart_y(chart, "ratio", 0, 0, 1);
    inco_chart_mark(chart, "K-SVD, μt = 1", 1, 0);
    draw_ratio(e, chart, grid_find(e, KSVD, 0.5, 0), base, "K-SVD, μt = 0.5");
    draw_ratio(e, chart, grid_find(e, INKSVD, 0.5, 0), base, "INK-SVD, μt = 0.5");
    draw_ratio(e, chart, grid_find(e, RESCALE, 5, 0), base, "IDL(5), rescaled");
    draw_ratio(e, chart, grid_find(e, SPHERE, 5, 0), base, "IDL(5) on the spheres");
    draw_ratio(e, chart, grid_find(e, BOUND, 0.5, 0), base, "IDL(5), bound 0.5");
    inco_report_chart(made, chart);
    inco_chart_free(chart);
}

static void add_residuals(const experiment *e, inco_report *made) {
    inco_report_section(made, "Residuals on unseen data",
                        "Figure 2 of the paper: the median over all windows of the test recordings of ‖x − Dc‖ / ‖x‖, "
                        "with codes of that many atoms by orthogonal matching pursuit. The bands are the quartiles "
                        "over the windows. Lower is better.");
    add_families(e, made,
                 &(figures){.what = "residual",
                            .list = "residual",
                            .draw = draw_line,
                            .x = "atoms",
                            .y = "‖x − Dc‖ / ‖x‖",
                            .y_log = 1});
    add_ratios(e, made);
}

static void add_recordings(const experiment *e, inco_report *made) {
    inco_report_section(made, "Residuals of whole recordings",
                        "The median over the test recordings of ‖R‖ / ‖X‖, with all windows of a recording in X, and "
                        "codes as above. The median over windows counts a pause as much as a vowel; here loud speech "
                        "counts most. The table has both, and the medians over windows of speech and of pauses. A "
                        "pause is a window with less than a tenth of the mean energy of the windows of its recording.");
    add_families(e, made,
                 &(figures){.what = "recordings",
                            .list = "recording_residual",
                            .draw = draw_line,
                            .x = "atoms",
                            .y = "‖R‖ / ‖X‖",
                            .y_log = 1});
}

static void add_histograms(const experiment *e, inco_report *made) {
    inco_report_section(
        made, "Inner products of the atoms",
        "From the paper's companion page: the shares of all pairs by the size of their inner product. The penalty of "
        "IDL moves the mass towards zero and leaves the largest value; a bound cuts off the tail.");
    add_families(e, made,
                 &(figures){.what = "histogram",
                            .list = "histogram",
                            .draw = draw_steps,
                            .x = "|dᵢ'dⱼ|",
                            .x_high = 1,
                            .y = "share of pairs",
                            .y_log = 1,
                            .mark = "Welch bound",
                            .mark_at = seeds_over(e, &e->grid[0], "welch", 0).median,
                            .vertical = 1});
}

static void add_recovery(const experiment *e, inco_report *made) {
    inco_report_section(made, "Recovery of planted codes",
                        "From the companion page: signals are generated from K uniformly drawn atoms of a learned "
                        "dictionary of 200 atoms, with coefficients from N(0, 1), and coded by LARC with sparsity K.");
    figures f = {.what = "recovered-atoms",
                 .list = "recovered_atoms",
                 .draw = draw_line,
                 .recovery = 1,
                 .x = "planted atoms K",
                 .y = "share of planted atoms recovered",
                 .y_high = 1};
    add_families(e, made, &f);
    f.what = "recovered-supports";
    f.list = "recovered_supports";
    f.y = "share of signals with complete support recovered";
    add_families(e, made, &f);
}

static void add_convergence(const experiment *e, inco_report *made) {
    inco_report_section(made, "Convergence",
                        "Atoms per training signal by iteration. LARC stops at a residual coherence, so that the "
                        "number of atoms is a better measure of convergence than the error.");
    add_families(e, made,
                 &(figures){.what = "convergence",
                            .list = "iteration_cardinality",
                            .draw = draw_line,
                            .x = "iteration",
                            .y = "atoms per signal"});
}

/* ---- Tables ---- */

/* Cells, row by row; they own their texts. */
typedef struct cells {
    char *text[REPRODUCE_RUNS * 12];
    int count, failed;
} cells;

static void cell(cells *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void cell(cells *c, const char *format, ...) {
    char *text = NULL;
    size_t size;
    va_list args;
    FILE *out = c->count < (int)(sizeof c->text / sizeof *c->text) ? open_memstream(&text, &size) : NULL;
    if (!out) {
        c->failed = 1;
        return;
    }
    va_start(args, format);
    vfprintf(out, format, args);
    va_end(args);
    if (fclose(out)) c->failed = 1;
    c->text[c->count++] = text;
}

/* A value, with quartiles if there are several seeds; empty if it is unknown. */
static void cell_spread(cells *c, const experiment *e, spread s, const char *format) {
    char value[3][32];
    const double of[] = {s.median, s.lower, s.upper};
    for (int i = 0; i < 3; i++) snprintf(value[i], sizeof value[i], format, of[i]); /* `format` has one %g */
    if (isnan(s.median))
        cell(c, "%s", "");
    else if (e->seeds > 1)
        cell(c, "%s (%s to %s)", value[0], value[1], value[2]);
    else
        cell(c, "%s", value[0]);
}

/* Adds the cells as a table, and frees them; returns 0 if memory ran out. */
static int finish_table(cells *c, inco_report *made, inco_table table) {
    const int complete = c && !c->failed;
    if (complete) {
        table.size = sizeof table;
        table.cells = (const char *const *)c->text;
        table.rows = c->count / (int)table.columns;
        if (table.rows) inco_report_table(made, &table);
    }
    for (int i = 0; c && i < c->count; i++) free(c->text[i]);
    free(c);
    return complete;
}

static int add_claims(inco_report *made, const claim *claims) {
    static const char *const header[] = {"", "verdict", "claim", "measured"};
    cells *c = calloc(1, sizeof *c);
    for (int i = 0; c && i < CLAIMS; i++) {
        cell(c, "%s", claims[i].id);
        cell(c, "%s", claims_verdict(claims[i].verdict));
        cell(c, "%s", claims[i].text);
        cell(c, "%s", claims[i].measured);
    }
    return finish_table(c, made,
                        (inco_table){.id = "claims",
                                     .title = "The claims of the paper, and what was measured here",
                                     .columns = 4,
                                     .header = header,
                                     .kinds = "lvll"});
}

/* A table of the runs that are tested on test signals: `row` adds the cells of one, or none. */
static int add_table(const experiment *e, inco_report *made, inco_table table,
                     void row(cells *c, const experiment *e, const grid_run *g)) {
    cells *c = calloc(1, sizeof *c);
    for (int i = 0; c && i < e->runs; i++)
        if (e->grid[i].generalises) row(c, e, &e->grid[i]);
    return finish_table(c, made, table);
}

static void name_run(cells *c, const grid_run *g) {
    if (g->family == MOD)
        cell(c, "MOD");
    else
        cell(c, "%s, %s", grid_family(g->family), g->label);
}

static void fill_run(cells *c, const experiment *e, const grid_run *g) {
    name_run(c, g);
    cell_spread(c, e, seeds_over(e, g, "coherence_max", 0), "%.4f");
    cell_spread(c, e, seeds_over(e, g, "coherence_rms", 0), "%.4f");
    cell_spread(c, e, seeds_over(e, g, "coherence_median", 0), "%.4f");
    cell_spread(c, e, seeds_over(e, g, "deviation", 0), "%.4f");
    cell_spread(c, e, seeds_over(e, g, "relative_error", 0), "%.4f");
    cell_spread(c, e, seeds_over(e, g, "mean_cardinality", 0), "%.1f");
    for (int k = 0; k < 3; k++)
        cell_spread(c, e, seeds_over(e, g, "residual", (const double[]){10, 40, 100}[k]), "%.4f");
}

static int add_runs(const experiment *e, inco_report *made) {
    static const char *const header[] = {"run",
                                         "largest coherence",
                                         "RMS coherence",
                                         "median coherence",
                                         "distance from flat",
                                         "training error",
                                         "atoms per signal",
                                         "test residual, 10 atoms",
                                         "40 atoms",
                                         "100 atoms"};
    return add_table(e, made,
                     (inco_table){.id = "runs",
                                  .title = "All runs",
                                  .columns = 10,
                                  .header = header,
                                  .kinds = "lrrrrrrrrr",
                                  .caption = e->seeds > 1 ? "Medians over the seeds, and quartiles." : NULL},
                     fill_run);
}

/* Ratios to K-SVD without replacement, seed by seed, with the same signals and initial dictionary. */
static void fill_paired(cells *c, const experiment *e, const grid_run *g) {
    static const double at[] = {5, 10, 20, 40, 80, 120};
    const grid_run *base = grid_find(e, KSVD, 1, 0);
    if (g == base) return;
    name_run(c, g);
    for (int k = 0; k < 6; k++) cell_spread(c, e, seeds_ratio(e, g, base, "residual", at[k]), "%.3f");
}

static int add_paired(const experiment *e, inco_report *made) {
    static const char *const header[] = {"run", "5 atoms", "10 atoms", "20 atoms", "40 atoms", "80 atoms", "120 atoms"};
    return add_table(
        e, made,
        (inco_table){.id = "paired",
                     .title = "Test residual over that of K-SVD at μt = 1",
                     .columns = 7,
                     .header = header,
                     .kinds = "lrrrrrr",
                     .caption =
                         "For the same seed: the same recordings, signals and initial dictionary. Below 1 is better."},
        fill_paired);
}

static void fill_parts(cells *c, const experiment *e, const grid_run *g) {
    name_run(c, g);
    for (int part = 0; part < 2 * SPEECH_PARTS; part++)
        cell_spread(c, e, seeds_over(e, g, speech_parts[part / 2].list, part % 2 ? 40 : 10), "%.4f");
}

/* Medians over windows, recordings, speech and pauses. */
static int add_parts(const experiment *e, inco_report *made) {
    static const char *const header[] = {"run",      "windows, 10 atoms", "40 atoms", "recordings, 10 atoms",
                                         "40 atoms", "speech, 10 atoms",  "40 atoms", "pauses, 10 atoms",
                                         "40 atoms"};
    return add_table(
        e, made,
        (inco_table){.id = "parts",
                     .title = "Test residual: median over windows, recordings, speech and pauses",
                     .columns = 9,
                     .header = header,
                     .kinds = "lrrrrrrrr",
                     .caption = "Windows: ‖x − Dc‖ / ‖x‖ of all, of speech, of pauses. Recordings: ‖R‖ / ‖X‖."},
        fill_parts);
}

static void fill_cost(cells *c, const experiment *e, const grid_run *g) {
    const double *passes;
    int capped = 0;
    if (g->family != INKSVD) return;
    const int count = numbers_of(reproduce_figures(e, 0, g), "iteration_passes", NULL, &passes);
    for (int k = 0; k < count; k++) capped += passes[k] >= (double)e->passes;
    name_run(c, g);
    cell_spread(c, e, seeds_over(e, g, "spread_passes", 0), "%.0f");
    cell_spread(c, e, seeds_over(e, g, "spread_pairs", 0), "%.0f");
    cell(c, "%d of %d", capped, count);
    cell_spread(c, e, seeds_over(e, g, "spread_seconds", 0), "%.1f");
    cell_spread(c, e, seeds_over(e, g, "seconds_code", 0), "%.1f");
    cell_spread(c, e, seeds_over(e, g, "seconds_update", 0), "%.1f");
    cell_spread(c, e, seeds_over(e, g, "coherence_max", 0), "%.4f");
}

static int add_cost(const experiment *e, inco_report *made) {
    static const char *const header[] = {"run",
                                         "passes",
                                         "pairs rotated",
                                         "updates that reached the limit",
                                         "seconds of decorrelation",
                                         "of coding",
                                         "of the whole update",
                                         "largest coherence"};
    return add_table(e, made,
                     (inco_table){.id = "cost",
                                  .title = "Cost of decorrelation in INK-SVD",
                                  .columns = 8,
                                  .header = header,
                                  .kinds = "lrrrrrrr",
                                  .caption = "Over all iterations. A pass rotates disjoint pairs of atoms; passes are "
                                             "repeated until no pair is above μt + 0.001, up to a limit per update."},
                     fill_cost);
}

/* ---- The report ---- */

static void add_verdicts(const claim *claims, inco_report *made) {
    char count[3][16], lists[3][96] = {"", "", ""};
    int found[3] = {0};
    for (int i = 0; i < CLAIMS; i++) {
        char *list = lists[claims[i].verdict];
        const size_t used = strlen(list);
        found[claims[i].verdict]++;
        snprintf(list + used, sizeof lists[0] - used, "%s%s", used ? ", " : "", claims[i].id);
    }
    for (int i = 0; i < 3; i++) snprintf(count[i], sizeof count[i], "%d", found[i]);
    const char *const names[] = {"claims hold", "hold in part", "fail"};
    const char *const values[] = {count[HOLDS], count[PARTLY], count[FAILS]};
    const char *const notes[] = {lists[HOLDS], lists[PARTLY], lists[FAILS]};
    inco_report_headlines(made, names, values, notes, 3);
}

/* "C6, C8" */
static void list_claims(FILE *out, const claim *claims, verdict v) {
    const char *comma = "";
    for (int i = 0; i < CLAIMS; i++) {
        if (claims[i].verdict != v) continue;
        fprintf(out, "%s%s", comma, claims[i].id);
        comma = ", ";
    }
}

/* Lists in words where the measurement contradicts the paper; the table below has the figures. */
static void add_contradictions(const claim *claims, inco_report *made) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    int found[3] = {0};
    for (int i = 0; i < CLAIMS; i++) found[claims[i].verdict]++;
    if (out && found[FAILS]) {
        fputs("This measurement contradicts the paper in ", out);
        list_claims(out, claims, FAILS);
        fputs(". ", out);
    }
    if (out && found[PARTLY]) {
        fputs("It confirms only in part ", out);
        list_claims(out, claims, PARTLY);
        fputs(". ", out);
    }
    if (out && found[HOLDS] == CLAIMS) fputs("This measurement contradicts the paper nowhere. ", out);
    if (out) fputs("Every verdict follows from a rule with stated thresholds: see docs/reproduction.md.", out);
    if (out && !fclose(out)) inco_report_section(made, "Where this measurement contradicts the paper", text);
    free(text);
}

static void add_facts(const experiment *e, facts *f) {
    facts_command_line(f, e->run);
    facts_add(f, "Program", "inco %s", inco_version());
    facts_add(f, "Data", "%lld training windows of %d samples at %d Hz, %d test recordings", (long long)e->signals,
              REPRODUCE_DIM, REPRODUCE_RATE, REPRODUCE_TEST_FILES);
    facts_note(f, "%s", e->data);
    facts_add(f, "Dictionaries", "%lld atoms, from random signals; %lld iterations; signals of unit norm",
              (long long)e->atoms, (long long)e->iterations);
    facts_add(f, "Coder", "LARC to a residual coherence of 0.2");
    facts_add(f, "γ", "weighs ‖DᵀD − I‖² beside ‖X − DC‖²; γ = 5 is %.3g ‖X‖² / L",
              seeds_over(e, grid_find(e, RESCALE, 5, 0), "gamma_relative", 0).median);
    if (e->seeds > 1)
        facts_add(f, "Seeds", "%lld to %lld", (long long)e->first_seed, (long long)(e->first_seed + e->seeds - 1));
    else
        facts_add(f, "Seed", "%lld", (long long)e->first_seed);
    facts_add(f, "Test", "%.0f windows, %.0f of them pauses", seeds_over(e, &e->grid[0], "test_signals", 0).median,
              seeds_over(e, &e->grid[0], "test_pauses", 0).median);
    facts_machine(f, results_threads(e->run), inco_isa(), inco_blas());
}

static int write_html(const experiment *e, const inco_report *made) {
    run *r = e->run;
    char *path = reproduce_path(e, -1, "index", ".html"), *csv = reproduce_path(e, -1, "csv", "");
    int status = INCO_OK;
    if (!path || !csv) TRY(run_no_memory(r));
    TRY(html_write_numbers(r, csv, made));
    TRY(html_write_file(r, path, made, -1));
    run_say(r, "wrote %s", path);
done:
    free(path);
    free(csv);
    return status;
}

int reproduce_html(const experiment *e, const claim *claims) {
    facts f = {.count = 0};
    inco_report *made = inco_report_new("Learning Dictionaries with Bounded Self-Coherence",
                                        "The experiment of Sigg, Dikk and Buhmann (2012), repeated with inco");
    int status = INCO_OK, complete;
    if (!made) TRY(run_no_memory(e->run));
    add_verdicts(claims, made);
    add_contradictions(claims, made);
    complete = add_claims(made, claims);
    add_facts(e, &f);
    inco_report_section(made, "What was run", NULL);
    inco_report_facts(made, f.names, (const char *const *)f.values, (const char *const *)f.notes, f.kinds, f.count);
    add_spectra(e, made);
    add_residuals(e, made);
    complete = add_paired(e, made) && complete;
    add_recordings(e, made);
    complete = add_parts(e, made) && complete;
    add_histograms(e, made);
    add_recovery(e, made);
    add_convergence(e, made);
    inco_report_section(made, "Runs and costs", NULL);
    complete = add_cost(e, made) && add_runs(e, made) && complete;
    if (!complete || f.failed) TRY(run_no_memory(e->run));
    TRY(write_html(e, made));
done:
    inco_report_free(made);
    facts_free(&f);
    return status;
}
