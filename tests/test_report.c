/* Reports: text, axes, charts, tables, and failing memory. */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "report/atoms.h"
#include "report/chart.h"
#include "report/scale.h"
#include "report/writer.h"

/* ---- A stream into memory ---- */

static int keep(void *self, const void *bytes, size_t count) {
    writer_bytes(self, bytes, count);
    return 0;
}

static int refuse(void *self, const void *bytes, size_t count) {
    (void)self, (void)bytes, (void)count;
    return -1;
}

static char *written(const inco_report *r, writer *w) {
    const inco_stream stream = {sizeof(inco_stream), w, keep, NULL};
    inco_error error = {0};
    *w = (writer){0};
    assert_int_equal(inco_report_write(r, &stream, &error), INCO_OK);
    return w->text;
}

/* ---- Text ---- */

static void test_text_from_outside_is_escaped(void **state) {
    writer w = {0};
    (void)state;
    writer_escaped(&w, "<a href='x'>&\"\x01\n\xc3\xa9\xff\xc0\xaf\xed\xa0\x80\xf5");
    assert_string_equal(w.text, "&lt;a href=&#39;x&#39;&gt;&amp;&quot;  \xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
                                "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    writer_free(&w);
    writer_escaped(&w, NULL);
    assert_null(w.text);
    writer_cell(&w, "plain");
    writer_cell(&w, "a,\"b\"");
    assert_string_equal(w.text, "plain\"a,\"\"b\"\"\"");
    writer_free(&w);
}

static void test_numbers_come_back(void **state) {
    static const double values[] = {0, 1, -2.5, 1.0 / 3, 1e-300, 6.02214076e23, 123456789.125};
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        writer w = {0};
        writer_exact(&w, values[i]);
        assert_true(strtod(w.text, NULL) == values[i]);
        writer_free(&w);
    }
    writer w = {0};
    writer_place(&w, -0.04);
    writer_put(&w, " ");
    writer_place(&w, 12.34);
    writer_put(&w, " ");
    writer_place(&w, 7);
    assert_string_equal(w.text, "0 12.3 7");
    writer_free(&w);
}

/* ---- Axes ---- */

static void check_ticks(scale s, int wanted) {
    s.from = 0;
    s.to = 100;
    const ticks t = scale_ticks(&s, wanted);
    assert_true(t.count >= 2 && t.count <= wanted + 3);
    for (int i = 0; i < t.count; i++) {
        const double place = scale_at(&s, t.value[i]);
        assert_true(place > -1e-6 && place < 100 + 1e-6);
        assert_true(strlen(t.label[i]) > 0 && strlen(t.label[i]) < 9);
        if (i) assert_true(t.value[i] > t.value[i - 1] && strcmp(t.label[i], t.label[i - 1]));
        if (s.whole && !s.log) assert_true(t.value[i] == floor(t.value[i]));
    }
}

static void test_axes_have_ticks_for_any_range(void **state) {
    static const double ends[] = {1e-9, 3e-4, 0.07, 0.9, 1, 2, 3.7, 12, 99, 1234, 56789, 3e6, 2e9, 4e12};
    const int count = sizeof ends / sizeof *ends;
    (void)state;
    for (int i = 0; i < count; i++)
        for (int k = i; k < count; k++)
            for (int log = 0; log < 2; log++)
                for (int round = 0; round < 2; round++) {
                    scale s = {.log = log, .low = ends[i], .high = ends[k]};
                    scale_fit(&s, 5, round);
                    assert_true(s.high > s.low && (!log || s.low > 0));
                    if (i < k) assert_true(s.low <= ends[i] && s.high >= ends[k] * (1 - 1e-12));
                    check_ticks(s, 5);
                    check_ticks(s, 8);
                }
}

static void test_axes_without_numbers(void **state) {
    (void)state;
    for (int log = 0; log < 2; log++) {
        scale empty = {.log = log, .low = INFINITY, .high = -INFINITY}, zero = {.log = log};
        scale_fit(&empty, 5, 1);
        check_ticks(empty, 5);
        scale_fit(&zero, 5, 1);
        check_ticks(zero, 5);
    }
    scale few = {.whole = 1, .low = 1, .high = 3};
    scale_fit(&few, 8, 0);
    check_ticks(few, 8);
    const scale s = {.log = 1, .low = 1, .high = 100, .from = 0, .to = 10};
    assert_true(fabs(scale_at(&s, 10) - 5) < 1e-12);
    assert_false(scale_has(&s, 0));
    assert_false(scale_has(&s, NAN));
}

/* ---- Charts ---- */

static const double xs[] = {1, 2, 4}, ys[] = {3, 1, 2}, lows[] = {2, 0.5, 1}, highs[] = {4, 2, 3}, other_xs[] = {2, 3};

/* A chart without series. */
static inco_chart *empty(const char *id) {
    inco_chart *chart = inco_chart_new(id, "A <title>", "what to look for");
    inco_chart_x(chart, "x", 0, 0, 0);
    inco_chart_y(chart, "y", 0, 0, 0);
    return chart;
}

static inco_chart *sample(const char *id) {
    inco_chart *chart = empty(id);
    inco_chart_line(chart, "a, \"quoted\"", 3, xs, ys);
    inco_chart_band(chart, lows, highs);
    inco_chart_line(chart, "<b>", 2, other_xs, ys);
    inco_chart_mark(chart, "bound & more", 2.5, 0);
    return chart;
}

static void test_numbers_of_a_chart(void **state) {
    inco_chart *chart = sample("sample");
    writer w = {0};
    (void)state;
    chart_csv(&w, chart);
    assert_string_equal(w.text, "x,\"a, \"\"quoted\"\"\",\"a, \"\"quoted\"\" (low)\",\"a, \"\"quoted\"\" (high)\",<b>\n"
                                "1,3,2,4,\n2,1,0.5,2,3\n3,,,,1\n4,2,1,3,\n");
    writer_free(&w);
    inco_chart_free(chart);
}

static void test_many_points_are_thinned_on_the_page_alone(void **state) {
    enum { MANY = 5000 };
    static double y[MANY];
    for (int i = 0; i < MANY; i++) y[i] = 1.0 / (i + 1);
    inco_chart *chart = empty("many");
    writer svg = {0}, csv = {0};
    (void)state;
    inco_chart_line(chart, "y", MANY, NULL, y);
    chart_draw(&svg, chart, &chart_wide);
    chart_csv(&csv, chart);
    assert_true(svg.used < 12000);
    assert_true(csv.used > 50000);
    const chart_series *series = &chart->series[0];
    assert_true(chart_draws(series, 0) && chart_draws(series, MANY - 1) && !chart_draws(series, 1));
    writer_free(&svg);
    writer_free(&csv);
    inco_chart_free(chart);
}

static void test_chart_alone_is_xml(void **state) {
    inco_chart *chart = sample("sample");
    writer w = {0};
    const inco_stream stream = {sizeof(inco_stream), &w, keep, NULL}, full = {sizeof(inco_stream), NULL, refuse, NULL};
    inco_error error = {0};
    (void)state;
    assert_int_equal(inco_chart_write(chart, &stream, &error), INCO_OK);
    assert_true(!strncmp(w.text, "<svg xmlns=\"http://www.w3.org/2000/svg\"", 39));
    assert_non_null(strstr(w.text, "aria-label=\"A &lt;title&gt;\""));
    assert_non_null(strstr(w.text, "bound &amp; more"));
    assert_non_null(strstr(w.text, "<style>"));
    for (const char *s = strstr(w.text, "</style>"); (s = strchr(s, '=')); s++)
        assert_true(s[1] == '"' || s[-1] == ' '); /* every attribute is quoted */
    assert_int_equal(inco_chart_write(chart, &full, &error), INCO_EIO);
    writer_free(&w);
    inco_chart_free(chart);
}

/* Every series is drawn and named, also with more series than colours. */
static void test_many_series(void **state) {
    enum { SERIES = 14 };
    inco_chart *chart = empty("many");
    writer w = {0};
    (void)state;
    for (int i = 0; i < SERIES; i++) {
        char name[24];
        snprintf(name, sizeof name, "method %d", i);
        if (i % 2)
            inco_chart_steps(chart, name, 3, xs, ys, 1);
        else
            inco_chart_line(chart, name, 3, xs, ys);
    }
    chart_draw(&w, chart, &chart_narrow);
    for (int i = 0; i < SERIES; i++) {
        char drawn[32], named[32];
        snprintf(drawn, sizeof drawn, "data-s=\"%d\"", i + 1);
        snprintf(named, sizeof named, ">method %d<", i);
        assert_non_null(strstr(w.text, drawn));
        assert_non_null(strstr(w.text, named));
    }
    assert_non_null(strstr(w.text, "\"line s1 again\" data-s=\"7\""));
    writer_free(&w);
    inco_chart_free(chart);
}

static void expect_nonsense(inco_chart *chart) {
    inco_report *r = inco_report_new("t", NULL);
    inco_error error = {0};
    const inco_stream stream = {sizeof(inco_stream), NULL, refuse, NULL};
    inco_report_chart(r, chart);
    assert_int_equal(inco_report_write(r, &stream, &error), INCO_EINVAL);
    assert_true(strlen(error.message) > 0);
    assert_int_equal(inco_chart_write(chart, &stream, &error), INCO_EINVAL);
    inco_report_free(r);
    inco_chart_free(chart);
}

static void test_nonsense_is_refused(void **state) {
    static const double falling[] = {2, 1};
    inco_chart *chart;
    (void)state;
    expect_nonsense(sample("no/file"));
    expect_nonsense(sample(""));
    expect_nonsense(empty("no-series"));
    chart = sample("back"), inco_chart_line(chart, "s", 2, falling, ys), expect_nonsense(chart);
    chart = sample("thin"), inco_chart_bars(chart, "s", 2, NULL, ys, 0), expect_nonsense(chart);
    chart = sample("negative"), inco_chart_line(chart, "s", -1, NULL, ys), expect_nonsense(chart);
    chart = sample("nameless"), inco_chart_line(chart, NULL, 2, NULL, ys), expect_nonsense(chart);
    chart = empty("band"), inco_chart_band(chart, lows, highs), expect_nonsense(chart);
    inco_report *r = inco_report_new("t", NULL);
    const inco_stream stream = {sizeof(inco_stream), NULL, refuse, NULL};
    chart = sample("twice");
    inco_report_chart(r, chart);
    inco_report_chart(r, chart); /* the same name again */
    assert_int_equal(inco_report_write(r, &stream, NULL), INCO_EINVAL);
    inco_report_free(r);
    inco_chart_free(chart);
}

/* ---- Reports ---- */

static void fill(inco_report *r) {
    static const char *const header[] = {"claim", "measured", "verdict"}, *const cells[] = {"a < b", "1.5", "holds",
                                                                                            "c",     "2",   "fails"};
    const inco_table table = {.size = sizeof table,
                              .id = "claims",
                              .title = "Claims",
                              .columns = 3,
                              .rows = 2,
                              .header = header,
                              .cells = cells,
                              .kinds = "lrv"};
    static const char *const names[] = {"Command", "Seed"}, *const values[] = {"inco <x>", "0"},
                             *const notes[] = {"note", NULL};
    inco_chart *chart = sample("sample");
    inco_report_headlines(r, names, values, notes, 2);
    inco_report_section(r, "Section", "text");
    inco_report_facts(r, names, values, notes, "ct", 2);
    inco_report_chart(r, chart);
    inco_report_table(r, &table);
    inco_chart_free(chart);
}

static void test_page(void **state) {
    inco_report *r = inco_report_new("Title & all", "sub");
    writer page, csv = {0};
    const inco_stream stream = {sizeof(inco_stream), &csv, keep, NULL};
    (void)state;
    fill(r);
    written(r, &page);
    assert_non_null(strstr(page.text, "<h1>Title &amp; all</h1>"));
    assert_non_null(strstr(page.text, "<b class=\"verdict holds\">holds</b>"));
    assert_non_null(strstr(page.text, "<b class=\"verdict fails\">fails</b>"));
    assert_non_null(strstr(page.text, "inco &lt;x&gt;"));
    assert_null(strstr(page.text, "http://") != strstr(page.text, "http://www.w3.org/2000/svg") ? page.text : NULL);
    assert_string_equal(inco_report_figure(r, 0), "sample");
    assert_string_equal(inco_report_figure(r, 1), "claims");
    assert_null(inco_report_figure(r, 2));
    assert_int_equal(inco_report_write_csv(r, 1, &stream, NULL), INCO_OK);
    assert_string_equal(csv.text, "claim,measured,verdict\na < b,1.5,holds\nc,2,fails\n");
    assert_int_equal(inco_report_write_csv(r, 2, &stream, NULL), INCO_EINVAL);
    writer_free(&page);
    writer_free(&csv);
    inco_report_free(r);
}

/* Numbers have a decimal point if the program's locale has a comma. */
static void test_locale(void **state) {
    writer first, second;
    (void)state;
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "fr_FR.UTF-8")) skip();
    inco_report *r = inco_report_new("t", NULL);
    fill(r);
    written(r, &first);
    setlocale(LC_NUMERIC, "C");
    inco_report *again = inco_report_new("t", NULL);
    fill(again);
    written(again, &second);
    assert_string_equal(first.text, second.text);
    writer_free(&first);
    writer_free(&second);
    inco_report_free(r);
    inco_report_free(again);
}

/* A report of a dictionary of 40 atoms, one of them zero and two equal. */
static int dictionary_page(writer *w, inco_error *error) {
    enum { DIM = 9, ATOMS = 40 };
    double values[DIM * ATOMS];
    int64_t uses[ATOMS];
    const inco_progress iterations[] = {{.size = sizeof(inco_progress),
                                         .iteration = 1,
                                         .relative_error = 0.5,
                                         .mean_cardinality = 3,
                                         .objective = 9,
                                         .coherence_max = 0.9,
                                         .coherence_rms = 0.4},
                                        {.size = sizeof(inco_progress),
                                         .iteration = 2,
                                         .relative_error = NAN,
                                         .mean_cardinality = NAN,
                                         .objective = 8,
                                         .coherence_max = 0.8,
                                         .coherence_rms = 0.3}};
    inco_metrics metrics = INCO_INIT(inco_metrics);
    inco_options *options = inco_options_new();
    inco_report *r = inco_report_new("D", NULL);
    const inco_stream stream = {sizeof(inco_stream), w, keep, NULL};
    int status = options && r ? INCO_OK : INCO_ENOMEM;
    for (int i = 0; i < DIM * ATOMS; i++) values[i] = i / DIM == 3 ? 0 : sin(i * i + 1);
    memcpy(values + 5 * DIM, values, DIM * sizeof *values);
    for (int j = 0; j < ATOMS; j++) uses[j] = j * j % 7;
    const inco_mat d = mat_view(INCO_F64, DIM, ATOMS, values);
    if (status >= 0) status = inco_inspect(&d, options, &metrics, error);
    const inco_summary s = {.size = sizeof s,
                            .dictionary = &d,
                            .metrics = &metrics,
                            .iterations = (const inco_progress *const[]){&iterations[0], &iterations[1]},
                            .iteration_count = 2,
                            .usage = uses,
                            .signals = 100,
                            .relative_error = 0.1,
                            .mean_cardinality = 2,
                            .patch_rows = 3,
                            .patch_cols = 3};
    if (status >= 0) inco_report_dictionary(r, &s);
    if (status >= 0) status = inco_report_write(r, &stream, error);
    inco_report_free(r);
    inco_metrics_free(&metrics);
    inco_options_free(options);
    return status;
}

static void test_dictionary_page(void **state) {
    writer w = {0};
    (void)state;
    assert_int_equal(dictionary_page(&w, NULL), INCO_OK);
    assert_non_null(strstr(w.text, "id=atoms"));
    assert_non_null(strstr(w.text, "data:image/bmp;base64,"));
    assert_non_null(strstr(w.text, "id=usage"));
    assert_non_null(strstr(w.text, "atoms 0 and 5, inner product +1.0000"));
    writer_free(&w);
}

/* A log may state any shape: one whose product overflows to the number of values is none. */
static void test_patches_of_impossible_shapes(void **state) {
    double values[4] = {1, 2, 3, 4};
    const inco_mat d = mat_view(INCO_F64, 4, 1, values);
    const atom_view square = {.dictionary = &d, .patch_rows = 2, .patch_cols = 2};
    const atom_view wrapped = {.dictionary = &d, .patch_rows = 12, .patch_cols = INT64_C(3074457345618258603)};
    const atom_view large = {.dictionary = &d, .patch_rows = INT64_MAX, .patch_cols = INT64_MAX};
    (void)state;
    assert_true(atoms_are_patches(&square));
    assert_false(atoms_are_patches(&wrapped) || atoms_are_patches(&large));
}

/* Every allocation fails once: an error is returned, nothing leaks (checked by the sanitizer). */
static void test_no_memory(void **state) {
    writer w = {0};
    (void)state;
    memory_fail_at(0);
    assert_int_equal(dictionary_page(&w, NULL), INCO_OK);
    const int64_t count = memory_fail_at(0);
    const size_t whole = w.used;
    writer_free(&w);
    assert_true(count > 20);
    for (int64_t k = 1; k <= count; k++) {
        memory_fail_at(k);
        const int status = dictionary_page(&w, NULL);
        memory_fail_at(0);
        assert_true(status == INCO_ENOMEM || (status == INCO_OK && (w.failed || w.used == whole)));
        writer_free(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_from_outside_is_escaped),
        cmocka_unit_test(test_numbers_come_back),
        cmocka_unit_test(test_axes_have_ticks_for_any_range),
        cmocka_unit_test(test_axes_without_numbers),
        cmocka_unit_test(test_numbers_of_a_chart),
        cmocka_unit_test(test_many_points_are_thinned_on_the_page_alone),
        cmocka_unit_test(test_chart_alone_is_xml),
        cmocka_unit_test(test_many_series),
        cmocka_unit_test(test_nonsense_is_refused),
        cmocka_unit_test(test_page),
        cmocka_unit_test(test_locale),
        cmocka_unit_test(test_dictionary_page),
        cmocka_unit_test(test_patches_of_impossible_shapes),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
