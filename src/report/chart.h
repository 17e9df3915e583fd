/* A chart as SVG, and its numbers. */
#ifndef INCO_REPORT_CHART_H
#define INCO_REPORT_CHART_H

#include <inco/inco.h>

#include "report/writer.h"

/* Two sizes, so that text has its size on a wide page and on a phone. */
typedef struct chart_size {
    double width, height;
    int x_ticks, y_ticks;
    const char *name; /* class of the SVG */
} chart_size;

extern const chart_size chart_wide, chart_narrow;

/* Are the sizes, pointers and numbers such as can be drawn? */
int chart_is_sound(const inco_chart *c);

/* The SVG element. Its attributes data-x and data-y give the axes: lin or log, the values at the ends, their places. */
void chart_draw(writer *w, const inco_chart *c, const chart_size *size);

/* Points drawn of a series of many: every so many, and the last. */
int chart_draws(const inco_series *s, int64_t k);

/* A row of numbers for every x of any series, as CSV. */
void chart_csv(writer *w, const inco_chart *c);
/* The rows of an HTML table with the points that are drawn, to six digits. */
void chart_rows(writer *w, const inco_chart *c);

static inline double chart_x(const inco_series *s, int64_t k) {
    return s->x ? s->x[k] : (double)(k + 1);
}

#endif
