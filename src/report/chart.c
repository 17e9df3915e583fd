#include "report/chart.h"

#include <math.h>
#include <string.h>

#include "base/range.h"
#include "report/scale.h"

enum { DRAWN_MAX = 400, DOTS_MAX = 40, CHAR = 7, LINE = 18, PAD = 8, KEY = 26, COLOURS = 6, DASHES = 3 };

const chart_size chart_wide = {620, 320, 8, 5, "wide"};
const chart_size chart_narrow = {350, 290, 5, 5, "narrow"};

typedef struct drawing {
    writer *w;
    const inco_chart *chart;
    const chart_size *size;
    scale x, y;
    double legend, height; /* height of the legend, and of all; more than one line of legend makes the chart higher */
} drawing;

int chart_draws(const chart_series *s, int64_t k) {
    const int64_t apart = range_blocks(s->count, DRAWN_MAX);
    return k % apart == 0 || k == s->count - 1;
}

/* ---- The axes' ranges ---- */

static void take(scale *s, double value) {
    if (!scale_has(s, value)) return;
    s->low = fmin(s->low, value);
    s->high = fmax(s->high, value);
}

static void take_series(drawing *d, const chart_series *s) {
    for (int64_t k = 0; k < s->count; k++) {
        d->x.whole = d->x.whole && chart_x(s, k) == floor(chart_x(s, k));
        take(&d->x, chart_x(s, k));
        if (s->style != CHART_LINE) take(&d->x, chart_x(s, k) + s->width);
        take(&d->y, s->y[k]);
        if (s->low) take(&d->y, s->low[k]);
        if (s->high) take(&d->y, s->high[k]);
    }
    /* bars start at 0; on a logarithmic axis, a count of one must still be visible */
    if (s->style != CHART_LINE) take(&d->y, d->y.log ? 0.5 : 0);
}

static void set_ends(scale *s, const chart_axis *axis) {
    if (axis->low == 0 && axis->high == 0) return;
    s->low = axis->low;
    s->high = axis->high;
}

static void fit(drawing *d) {
    const inco_chart *c = d->chart;
    d->x = (scale){.log = c->x.log, .whole = 1, .low = INFINITY, .high = -INFINITY};
    d->y = (scale){.log = c->y.log, .low = INFINITY, .high = -INFINITY};
    for (int i = 0; i < c->series_count; i++) take_series(d, &c->series[i]);
    for (int i = 0; i < c->mark_count; i++) take(c->marks[i].vertical ? &d->x : &d->y, c->marks[i].value);
    set_ends(&d->x, &c->x);
    set_ends(&d->y, &c->y);
    scale_fit(&d->x, d->size->x_ticks, 0);
    scale_fit(&d->y, d->size->y_ticks, c->y.low == 0 && c->y.high == 0);
}

/* ---- The legend ---- */

static int colour_of(int i) {
    return i % COLOURS + 1;
}

/* Lines are dashed after all colours are used. */
static const char *line_of(int i) {
    static const char *const names[2][COLOURS] = {
        {"s1", "s2", "s3", "s4", "s5", "s6"}, {"s1 again", "s2 again", "s3 again", "s4 again", "s5 again", "s6 again"}};
    return names[i / COLOURS % 2][i % COLOURS];
}

static int dash_of(int i) {
    return i % DASHES + 1;
}

/* Characters, not bytes. */
static int length_of(const char *text) {
    int count = 0;
    for (; *text; text++) count += (*text & 0xc0) != 0x80;
    return count;
}

static void draw_key(drawing *d, double x, double y, int item) {
    const int is_mark = item >= d->chart->series_count;
    if (is_mark)
        writer_format(d->w, "<path class=\"mark m%d\" d=\"M%.0f %.0fh20\"/>", dash_of(item - d->chart->series_count), x,
                      y - 4);
    else if (d->chart->series[item].style == CHART_BARS)
        writer_format(d->w, "<path class=\"bar s%d\" d=\"M%.0f %.0fh20v9h-20z\"/>", colour_of(item), x, y - 9);
    else
        writer_format(d->w, "<path class=\"line %s\" d=\"M%.0f %.0fh20\"/>", line_of(item), x, y - 4);
}

/* Draws the names of series and marks, from left to right on as many lines as needed, unless `measure`; returns the
 * height. A single series needs no legend: its name is that of the axis. */
static double legend(drawing *d, int measure) {
    const inco_chart *c = d->chart;
    const int items = c->series_count + c->mark_count, first = c->series_count > 1 ? 0 : 1;
    double x = 1, y = LINE + 13;
    if (first >= items) return 0;
    for (int i = first; i < items; i++) {
        const char *name = i < c->series_count ? c->series[i].name : c->marks[i - c->series_count].name;
        const double width = KEY + CHAR * length_of(name);
        if (x > 1 && x + width > d->size->width) x = 1, y += LINE;
        if (!measure) {
            draw_key(d, x, y, i);
            writer_format(d->w, "<text x=\"%.0f\" y=\"%.0f\">", x + KEY, y);
            writer_escaped(d->w, name);
            writer_put(d->w, "</text>");
        }
        x += width + 16;
    }
    return y - 13;
}

/* ---- Axes ---- */

static void lay_out(drawing *d) {
    const ticks t = scale_ticks(&d->y, d->size->y_ticks + 2);
    int longest = 1;
    for (int i = 0; i < t.count; i++) longest = length_of(t.label[i]) > longest ? length_of(t.label[i]) : longest;
    d->legend = legend(d, 1);
    d->height = d->size->height + fmax(0, d->legend - LINE);
    d->x.from = PAD + CHAR * longest;
    d->x.to = d->size->width - 12;
    d->y.from = d->height - 2 * LINE - 4;
    d->y.to = LINE + d->legend + (d->legend > 0 ? 14 : 8);
}

static void draw_x_axis(drawing *d) {
    const ticks t = scale_ticks(&d->x, d->size->x_ticks);
    writer_format(d->w, "<path class=\"axis\" d=\"M%.1f %.1fH%.1f\"/>", d->x.from, d->y.from, d->x.to);
    for (int i = 0; i < t.count; i++) {
        const double x = scale_at(&d->x, t.value[i]);
        writer_format(d->w,
                      "<path class=\"axis\" d=\"M%.1f %.1fv4\"/><text class=\"tick\" x=\"%.1f\" y=\"%.1f\" "
                      "text-anchor=\"middle\">%s</text>",
                      x, d->y.from, x, d->y.from + 17, t.label[i]);
    }
    writer_format(d->w, "<text class=\"label\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">", d->x.to, d->height - 4);
    writer_escaped(d->w, d->chart->x.label);
    writer_put(d->w, "</text>");
}

static void draw_y_axis(drawing *d) {
    const ticks t = scale_ticks(&d->y, d->size->y_ticks + 2);
    for (int i = 0; i < t.count; i++) {
        const double y = scale_at(&d->y, t.value[i]);
        writer_format(d->w,
                      "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/><text class=\"tick\" x=\"%.1f\" y=\"%.1f\" "
                      "text-anchor=\"end\">%s</text>",
                      d->x.from, y, d->x.to, d->x.from - 6, y + 4, t.label[i]);
    }
    writer_put(d->w, "<text class=\"label\" x=\"0\" y=\"12\">");
    writer_escaped(d->w, d->chart->y.label);
    writer_put(d->w, "</text>");
}

/* ---- Series ---- */

/* A path in relative steps of tenths, between rounded positions so that errors do not accumulate. */
typedef struct pen {
    writer *w;
    double x, y;
    int down;
} pen;

static void pen_to(pen *p, double x, double y) {
    x = round(10 * x) / 10;
    y = round(10 * y) / 10;
    writer_put(p->w, p->down ? "l" : "M");
    writer_place(p->w, p->down ? x - p->x : x);
    writer_put(p->w, " ");
    writer_place(p->w, p->down ? y - p->y : y);
    *p = (pen){p->w, x, y, 1};
}

static int shown(const drawing *d, const chart_series *s, int64_t k) {
    return scale_has(&d->x, chart_x(s, k)) && scale_has(&d->y, s->y[k]);
}

static void draw_line(drawing *d, const chart_series *s, int i) {
    pen p = {.w = d->w};
    writer_format(d->w, "<path class=\"line %s\" data-s=\"%d\" d=\"", line_of(i), i + 1);
    for (int64_t k = 0; k < s->count; k++) {
        if (!shown(d, s, k))
            p.down = 0;
        else if (chart_draws(s, k))
            pen_to(&p, scale_at(&d->x, chart_x(s, k)), scale_at(&d->y, s->y[k]));
    }
    writer_put(d->w, "\"/>");
    if (s->count > DOTS_MAX) return;
    writer_format(d->w, "<path class=\"dots s%d\" d=\"", colour_of(i));
    for (int64_t k = 0; k < s->count; k++)
        if (shown(d, s, k))
            writer_format(d->w, "M%.1f %.1fh0", scale_at(&d->x, chart_x(s, k)), scale_at(&d->y, s->y[k]));
    writer_put(d->w, "\"/>");
}

/* Along the upper edge and back along the lower one. */
static void draw_band(drawing *d, const chart_series *s, int i) {
    pen p = {.w = d->w};
    writer_format(d->w, "<path class=\"band s%d\" d=\"", colour_of(i));
    for (int64_t k = 0; k < s->count; k++)
        if (chart_draws(s, k) && shown(d, s, k) && scale_has(&d->y, s->high[k]) && scale_has(&d->y, s->low[k]))
            pen_to(&p, scale_at(&d->x, chart_x(s, k)), scale_at(&d->y, s->high[k]));
    for (int64_t k = s->count - 1; k >= 0; k--)
        if (chart_draws(s, k) && shown(d, s, k) && scale_has(&d->y, s->high[k]) && scale_has(&d->y, s->low[k]))
            pen_to(&p, scale_at(&d->x, chart_x(s, k)), scale_at(&d->y, s->low[k]));
    writer_put(d->w, "z\"/>");
}

static void draw_bars(drawing *d, const chart_series *s, int i) {
    const double floor_at = d->y.from;
    writer_format(d->w, "<path class=\"bar s%d\" data-s=\"%d\" d=\"", colour_of(i), i + 1);
    for (int64_t k = 0; k < s->count; k++) {
        if (!shown(d, s, k) || s->y[k] == 0) continue;
        const double left = scale_at(&d->x, chart_x(s, k)), right = scale_at(&d->x, chart_x(s, k) + s->width);
        const double gap = right - left > 4 ? 1 : 0, top = round(10 * scale_at(&d->y, s->y[k])) / 10;
        writer_format(d->w, "M%.1f %.1fh%.1fV%.1fh%.1fz", left, top, right - left - gap, floor_at,
                      -(right - left - gap));
    }
    writer_put(d->w, "\"/>");
}

static void draw_steps(drawing *d, const chart_series *s, int i) {
    pen p = {.w = d->w};
    writer_format(d->w, "<path class=\"line %s\" data-s=\"%d\" d=\"", line_of(i), i + 1);
    for (int64_t k = 0; k < s->count; k++) {
        const double y = shown(d, s, k) ? scale_at(&d->y, s->y[k]) : d->y.from;
        pen_to(&p, scale_at(&d->x, chart_x(s, k)), y);
        pen_to(&p, scale_at(&d->x, chart_x(s, k) + s->width), y);
    }
    writer_put(d->w, "\"/>");
}

static void draw_series(drawing *d) {
    const inco_chart *c = d->chart;
    for (int i = 0; i < c->series_count; i++)
        if (c->series[i].low) draw_band(d, &c->series[i], i);
    for (int i = 0; i < c->series_count; i++) {
        const chart_series *s = &c->series[i];
        if (s->style == CHART_BARS)
            draw_bars(d, s, i);
        else if (s->style == CHART_STEPS)
            draw_steps(d, s, i);
        else
            draw_line(d, s, i);
    }
}

static void draw_marks(drawing *d) {
    for (int i = 0; i < d->chart->mark_count; i++) {
        const chart_mark *m = &d->chart->marks[i];
        const scale *s = m->vertical ? &d->x : &d->y;
        if (!scale_has(s, m->value) || m->value < s->low || m->value > s->high) continue;
        const double at = scale_at(s, m->value);
        if (m->vertical)
            writer_format(d->w, "<path class=\"mark m%d\" d=\"M%.1f %.1fV%.1f\"/>", dash_of(i), at, d->y.from, d->y.to);
        else
            writer_format(d->w, "<path class=\"mark m%d\" d=\"M%.1f %.1fH%.1f\"/>", dash_of(i), d->x.from, at, d->x.to);
    }
}

/* ---- The whole ---- */

static void write_scale(writer *w, const char *name, const scale *s) {
    writer_format(w, " %s=\"%s ", name, s->log ? "log" : "lin");
    writer_exact(w, s->low);
    writer_put(w, " ");
    writer_exact(w, s->high);
    writer_format(w, " %.1f %.1f\"", s->from, s->to);
}

void chart_draw(writer *w, const inco_chart *c, const chart_size *size) {
    drawing d = {.w = w, .chart = c, .size = size};
    fit(&d);
    lay_out(&d);
    writer_format(
        w,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"%s\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"",
        size->name, size->width, d.height);
    writer_escaped(w, c->title);
    writer_put(w, "\"");
    write_scale(w, "data-x", &d.x);
    write_scale(w, "data-y", &d.y);
    writer_put(w, ">");
    legend(&d, 0);
    draw_y_axis(&d);
    draw_series(&d);
    draw_x_axis(&d);
    draw_marks(&d);
    writer_put(w, "</svg>\n");
}
