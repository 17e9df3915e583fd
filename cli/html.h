/* The report of a dictionary: --report, --csv and --test. */
#ifndef INCO_CLI_HTML_H
#define INCO_CLI_HTML_H

#include "dictionary.h"
#include "facts.h"
#include "progress.h"
#include "run.h"

typedef struct html_report {
    run *run;
    char *report, *csv, *test;  /* NULL: not given */
    inco_data *data;            /* of the test signals */
    centred centred;            /* the mean of the dictionary, which they are coded without */
    inco_options *data_options; /* how they are cut */
    inco_residuals held_out;
    inco_metrics metrics;
    facts facts;
    const inco_progress **iterations; /* point into the caller's list */
    progress progress;
    int64_t overlap; /* test files that are also training files */
} html_report;

#define HTML_INIT                                                                                                      \
    { .held_out = INCO_INIT(inco_residuals), .metrics = INCO_INIT(inco_metrics) }

/* Reads the names; refuses --test without a report. `report`: the option that names the report. */
int html_names(html_report *p, run *r, const char *report);
int html_wanted(const html_report *p);

/* Opens the test signals, cut by the options that `value_of` returns as text (a length <= 0: not set). Called before
 * the work, so that a misspelt name fails at once. `dim`: dimension of the atoms, 0 if not yet known. */
typedef int (*html_option)(const void *self, const char *name, char *buffer, size_t size);
int html_open_test(html_report *p, html_option value_of, const void *self, int64_t dim);
/* The same with the options of the run itself. */
int html_open_own_test(html_report *p, int64_t dim);

/* Warns, also in the report, if test files are also training files. */
void html_warn_overlap(html_report *p, const inco_data *training);

/* Sets the iterations of a run, which must outlive the report; omitted if out of memory. */
void html_iterations(html_report *p, inco_summary *summary, const inco_progress *list, int64_t count);

/* From now on the run's options show progress, and measurements cannot be stopped. */
int html_watch(html_report *p);

/* Measures the dictionary, unless it has been measured, and the test signals; writes the report and its numbers. The
 * caller sets the dictionary, the run and its results in the summary. */
int html_write(html_report *p, const char *title, const char *subtitle, inco_summary *summary);

/* Rows and columns of a text such as "8x8"; both 0 for any other text. */
void html_size(const char *text, int64_t *rows, int64_t *cols);
/* Reads --patch, which must have `dim` values; 0 and 0 without it. */
int html_patch(run *r, int64_t dim, int64_t *rows, int64_t *cols);

/* Writes a report to a file, or with figure >= 0 the numbers of that figure; the second writes the numbers of all
 * figures to a folder. */
int html_write_file(run *r, const char *path, const inco_report *made, int figure);
int html_write_numbers(run *r, const char *folder, const inco_report *made);

void html_free(html_report *p);

#endif
