/* The page of a dictionary: what --report, --csv and --test ask for. */
#ifndef INCO_CLI_PAGE_H
#define INCO_CLI_PAGE_H

#include "facts.h"
#include "progress.h"
#include "run.h"

typedef struct page {
    run *run;
    char *report, *csv, *test;  /* names; NULL when not given */
    inco_data *data;            /* of the test signals */
    inco_options *data_options; /* how they were cut */
    inco_residuals held_out;
    inco_metrics metrics;
    facts facts;
    const inco_progress **iterations; /* pointers into the caller's list */
    progress progress;
    int64_t overlap; /* files of the test that were learned from */
} page;

#define PAGE_INIT                                                                                                      \
    { .held_out = INCO_INIT(inco_residuals), .metrics = INCO_INIT(inco_metrics) }

/* Reads the names and refuses --test without a page. `report` is the option of the page's name. */
int page_names(page *p, run *r, const char *report);
int page_wanted(const page *p);

/* Opens the test signals, cut as `value_of` says: the text of an option, or a length of 0 or less when it is not set.
 * Before hours of work, so that a misspelt name is told at once; `dim` is that of the atoms, 0 when not known yet. */
typedef int (*page_option)(const void *self, const char *name, char *buffer, size_t size);
int page_open_test(page *p, page_option value_of, const void *self, int64_t dim);
/* The same with the options of the run. */
int page_open_own_test(page *p, int64_t dim);

/* Says so, on the page too, when files of the test were learned from. */
void page_warn_overlap(page *p, const inco_data *training);

/* The iterations of a run, which must outlive the page; without memory it goes without them. */
void page_iterations(page *p, inco_summary *summary, const inco_progress *list, int64_t count);

/* The run's options show progress from now on, and nothing stops what is measured. */
int page_watch(page *p);

/* Measures the dictionary where that is not done, and the test signals, and writes page and numbers. Of the summary the
 * dictionary, the run and its results are given; the rest is filled in here. */
int page_write(page *p, const char *title, const char *subtitle, inco_summary *summary);

/* A page, or with `figure` of 0 and more the numbers of that figure, to a file; the numbers of all figures to a folder.
 */
int page_write_file(run *r, const char *path, const inco_report *made, int figure);
int page_write_numbers(run *r, const char *folder, const inco_report *made);

void page_free(page *p);

#endif
