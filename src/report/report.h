/* A report under construction. */
#ifndef INCO_REPORT_REPORT_H
#define INCO_REPORT_REPORT_H

#include <inco/inco.h>

#include "base/decimal.h"
#include "report/writer.h"

typedef struct figure {
    char *name; /* of its CSV file */
    writer csv;
} figure;

struct inco_report {
    char *title, *subtitle;
    writer body;
    figure *figures;
    int figure_count;
    int in_section; /* a section is open ... */
    int in_grid;    /* ... and in it a grid of figures */
    int trouble;    /* the first failure of an addition */
    decimal_locale locale;
};

/* Called around every addition: numbers use a decimal point, and nothing is added after a failure. report_enter then
 * returns 0. */
int report_enter(inco_report *r);
void report_leave(inco_report *r);
void report_fail(inco_report *r, int status);
/* Adds a chart, if it is not NULL (out of memory), and frees it. */
void report_take_chart(inco_report *r, inco_chart *chart);

/* A writer for the numbers of a figure; NULL if out of memory, or the name is already used or invalid. */
writer *report_new_csv(inco_report *r, const char *name);

/* Closes the grid of figures that is open. */
void report_close_grid(inco_report *r);

/* <tag class="...">escaped text</tag>; nothing when there is no text. */
void report_element(writer *w, const char *tag, const char *css, const char *text);

/* Style and script of a report; style of a single chart. */
extern const char *const report_style, *const report_script, *const report_chart_style;

#endif
