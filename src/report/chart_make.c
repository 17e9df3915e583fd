/* Construction of charts: each addition is checked and copied. */
#include <string.h>

#include "base/handle.h"
#include "base/memory.h"
#include "report/chart.h"

static const char kind[] = "chart";

inco_chart *inco_chart_new(const char *id, const char *title, const char *caption) {
    inco_chart *c = HANDLE(inco_chart, kind);
    if (!c) return NULL;
    c->id = memory_text(id ? id : "");
    c->title = memory_text(title ? title : "");
    c->caption = memory_text(caption ? caption : "");
    if (c->id && c->title && c->caption) return c;
    inco_chart_free(c);
    return NULL;
}

static void free_series(chart_series *s) {
    memory_free(s->name);
    memory_free(s->x);
    memory_free(s->y);
    memory_free(s->low);
    memory_free(s->high);
}

void inco_chart_free(inco_chart *c) {
    if (!handle_end(c, kind)) return;
    for (int i = 0; i < c->series_count; i++) free_series(&c->series[i]);
    for (int i = 0; i < c->mark_count; i++) memory_free(c->marks[i].name);
    char *texts[] = {c->id, c->title, c->caption, c->x.label, c->y.label};
    for (int i = 0; i < 5; i++) memory_free(texts[i]);
    memory_free(c->series);
    memory_free(c->marks);
    handle_free(c);
}

static void fail(inco_chart *c, int status) {
    if (!c->trouble) c->trouble = status;
}

int chart_name_is_good(const char *id) {
    return *id && strspn(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") == strlen(id);
}

int chart_check(const inco_chart *c) {
    if (!handle_is(c, kind)) return INCO_EINVAL;
    if (c->trouble) return c->trouble;
    return c->series_count > 0 && chart_name_is_good(c->id) ? INCO_OK : INCO_EINVAL;
}

/* ---- Axes ---- */

static void set_axis(inco_chart *c, chart_axis *axis, const char *label, const chart_axis *range) {
    char *copy = memory_text(label ? label : "");
    if (!copy) fail(c, INCO_ENOMEM);
    memory_free(axis->label);
    *axis = *range;
    axis->label = copy;
}

void inco_chart_x(inco_chart *c, const char *label, double low, double high, int logarithmic) {
    if (handle_is(c, kind)) set_axis(c, &c->x, label, &(chart_axis){.log = logarithmic, .low = low, .high = high});
}

void inco_chart_y(inco_chart *c, const char *label, double low, double high, int logarithmic) {
    if (handle_is(c, kind)) set_axis(c, &c->y, label, &(chart_axis){.log = logarithmic, .low = low, .high = high});
}

/* ---- Series ---- */

static double *copy_of(const double *values, int64_t count) {
    double *copy = values ? NEW_RAW(double, count) : NULL;
    if (copy) memcpy(copy, values, (size_t)count * sizeof *copy);
    return copy;
}

static int is_ascending(const double *x, int64_t count) {
    for (int64_t k = 1; x && k < count; k++)
        if (!(x[k] > x[k - 1])) return 0;
    return 1;
}

/* The caller's series, with pointers to the caller's arrays. */
typedef struct given {
    const char *name;
    chart_style style;
    int64_t count;
    const double *x, *y;
    double width;
} given;

static void add_series(inco_chart *c, const given *g) {
    if (!handle_is(c, kind)) return;
    if (!g->name || g->count < 0 || (g->count > 0 && !g->y) || !is_ascending(g->x, g->count) ||
        (g->style != CHART_LINE && !(g->width > 0))) {
        fail(c, INCO_EINVAL);
        return;
    }
    chart_series s = {.style = g->style, .count = g->count, .width = g->width};
    chart_series *more = memory_grow(c->series, c->series_count, c->series_count + 1, sizeof *more);
    if (more) c->series = more;
    s.name = memory_text(g->name);
    s.x = copy_of(g->x, g->count);
    s.y = copy_of(g->y, g->count);
    if (more && s.name && (s.x || !g->x) && (s.y || !g->y)) {
        c->series[c->series_count++] = s;
        return;
    }
    free_series(&s);
    fail(c, INCO_ENOMEM);
}

void inco_chart_line(inco_chart *c, const char *name, int64_t count, const double *x, const double *y) {
    add_series(c, &(given){name, CHART_LINE, count, x, y, 0});
}

void inco_chart_bars(inco_chart *c, const char *name, int64_t count, const double *x, const double *y, double width) {
    add_series(c, &(given){name, CHART_BARS, count, x, y, width});
}

void inco_chart_steps(inco_chart *c, const char *name, int64_t count, const double *x, const double *y, double width) {
    add_series(c, &(given){name, CHART_STEPS, count, x, y, width});
}

void inco_chart_band(inco_chart *c, const double *low, const double *high) {
    if (!handle_is(c, kind)) return;
    chart_series *s = c->series_count ? &c->series[c->series_count - 1] : NULL;
    if (!s || s->style != CHART_LINE || s->low || !low || !high) {
        fail(c, INCO_EINVAL);
        return;
    }
    s->low = copy_of(low, s->count);
    s->high = copy_of(high, s->count);
    if (!s->low || !s->high) fail(c, INCO_ENOMEM);
}

void inco_chart_mark(inco_chart *c, const char *name, double value, int vertical) {
    if (!handle_is(c, kind)) return;
    chart_mark *more = memory_grow(c->marks, c->mark_count, c->mark_count + 1, sizeof *more);
    char *copy = name ? memory_text(name) : NULL;
    if (more) c->marks = more;
    if (more && copy) {
        c->marks[c->mark_count++] = (chart_mark){copy, value, vertical};
        return;
    }
    memory_free(copy);
    fail(c, name ? INCO_ENOMEM : INCO_EINVAL);
}
