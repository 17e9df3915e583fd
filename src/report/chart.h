/* A chart as SVG, and its numbers. */
#ifndef INCO_REPORT_CHART_H
#define INCO_REPORT_CHART_H

#include <inco/inco.h>

#include "report/writer.h"

typedef enum chart_style { CHART_LINE, CHART_BARS, CHART_STEPS } chart_style;

typedef struct chart_axis {
    char *label;
    int log;
    double low, high; /* both 0: fitted to the data */
} chart_axis;

typedef struct chart_series {
    char *name;
    chart_style style;
    int64_t count;
    double *x; /* NULL: 1, 2, 3, ... */
    double *y;
    double *low, *high; /* of a band; both NULL for none */
    double width;       /* of bars and steps */
} chart_series;

typedef struct chart_mark {
    char *name;
    double value;
    int vertical;
} chart_mark;

/* Owns all its strings and arrays. */
struct inco_chart {
    char *id, *title, *caption;
    chart_axis x, y;
    chart_series *series;
    int series_count;
    chart_mark *marks;
    int mark_count;
    int trouble; /* the first failure of an addition */
};

/* Letters, digits and dashes: valid as a file name and as an anchor. */
int chart_name_is_good(const char *id);

/* INCO_OK if it can be drawn, else the first failure. */
int chart_check(const inco_chart *c);

/* Two sizes, so that text is readable on a wide screen and on a phone. */
typedef struct chart_size {
    double width, height;
    int x_ticks, y_ticks;
    const char *name; /* class of the SVG */
} chart_size;

extern const chart_size chart_wide, chart_narrow;

/* Writes the SVG element. Its attributes data-x and data-y describe the axes: lin or log, the values at the ends, their
 * positions. */
void chart_draw(writer *w, const inco_chart *c, const chart_size *size);

/* Whether point k is drawn: of a long series, every so many, and the last. */
int chart_draws(const chart_series *s, int64_t k);

/* One row of numbers per x of any series, as CSV. */
void chart_csv(writer *w, const inco_chart *c);
/* Rows of an HTML table with the points that are drawn, to six digits. */
void chart_rows(writer *w, const inco_chart *c);

static inline double chart_x(const chart_series *s, int64_t k) {
    return s->x ? s->x[k] : (double)(k + 1);
}

#endif
