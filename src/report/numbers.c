/* The numbers of a chart, in a table with one row per x of any series. */
#include <math.h>

#include "base/memory.h"
#include "report/chart.h"

/* Iterates over the rows in ascending x, with a position in each series. */
typedef struct walk {
    const inco_chart *chart;
    int64_t *next; /* of each series: the first point not passed yet */
    double x;      /* of the row */
} walk;

/* The next x, 0 at the end. */
static int walk_step(walk *walking) {
    const inco_chart *c = walking->chart;
    double least = INFINITY;
    for (int i = 0; i < c->series_count; i++) {
        const chart_series *s = &c->series[i];
        if (walking->next[i] < s->count && chart_x(s, walking->next[i]) == walking->x) walking->next[i]++;
        if (walking->next[i] < s->count) least = fmin(least, chart_x(s, walking->next[i]));
    }
    walking->x = least;
    return least < INFINITY;
}

/* The point of the series in this row, -1 if there is none. */
static int64_t walk_point(const walk *walking, int i) {
    const chart_series *s = &walking->chart->series[i];
    const int64_t k = walking->next[i];
    return k < s->count && chart_x(s, k) == walking->x ? k : -1;
}

static int walk_draws(const walk *walking) {
    for (int i = 0; i < walking->chart->series_count; i++) {
        const int64_t k = walk_point(walking, i);
        if (k >= 0 && (walking->chart->series[i].style != CHART_LINE || chart_draws(&walking->chart->series[i], k)))
            return 1;
    }
    return 0;
}

/* ---- The two forms ---- */

typedef void (*put_text)(writer *w, const char *text);
typedef void (*put_number)(writer *w, double value);

typedef struct form {
    const char *row, *head, *cell; /* strings before a row, a heading, and a number other than the first */
    const char *first_head, *first_cell, *row_end;
    put_text text;
    put_number number;
} form;

static void six_digits(writer *w, double value) {
    if (!isnan(value)) writer_format(w, "%.6g", value);
}

static const form csv = {"", ",", ",", "", "", "\n", writer_cell, writer_exact};
static const form html = {"<tr>", "<th>", "<td>", "<th>", "<td>", "\n", writer_escaped, six_digits};

/* A heading of two words, quoted or escaped as one. */
static void put_head(writer *w, const form *f, const char *name, const char *more) {
    writer whole = {0};
    writer_put(&whole, name);
    writer_put(&whole, more);
    writer_put(w, f->head);
    if (!whole.failed) f->text(w, whole.text ? whole.text : "");
    w->failed = w->failed || whole.failed;
    writer_free(&whole);
}

static void write_head(writer *w, const inco_chart *c, const form *f) {
    writer_put(w, f->row);
    writer_put(w, f->first_head);
    f->text(w, c->x.label ? c->x.label : "x");
    for (int i = 0; i < c->series_count; i++) {
        put_head(w, f, c->series[i].name, "");
        if (!c->series[i].low) continue;
        put_head(w, f, c->series[i].name, " (low)");
        put_head(w, f, c->series[i].name, " (high)");
    }
    writer_put(w, f->row_end);
}

static void put_value(writer *w, const form *f, const double *values, int64_t k) {
    writer_put(w, f->cell);
    if (k >= 0) f->number(w, values[k]);
}

static void write_row(writer *w, const walk *walking, const form *f) {
    const inco_chart *c = walking->chart;
    writer_put(w, f->row);
    writer_put(w, f->first_cell);
    f->number(w, walking->x);
    for (int i = 0; i < c->series_count; i++) {
        const int64_t k = walk_point(walking, i);
        put_value(w, f, c->series[i].y, k);
        if (!c->series[i].low) continue;
        put_value(w, f, c->series[i].low, k);
        put_value(w, f, c->series[i].high, k);
    }
    writer_put(w, f->row_end);
}

static void write_all(writer *w, const inco_chart *c, const form *f, int drawn_only) {
    walk walking = {c, NEW(int64_t, c->series_count), NAN};
    if (!walking.next) {
        w->failed = 1;
        return;
    }
    write_head(w, c, f);
    while (walk_step(&walking))
        if (!drawn_only || walk_draws(&walking)) write_row(w, &walking, f);
    memory_free(walking.next);
}

void chart_csv(writer *w, const inco_chart *c) {
    write_all(w, c, &csv, 0);
}

void chart_rows(writer *w, const inco_chart *c) {
    write_all(w, c, &html, 1);
}
