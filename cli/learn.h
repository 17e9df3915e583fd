/* One run of `inco learn`. */
#ifndef INCO_CLI_LEARN_H
#define INCO_CLI_LEARN_H

#include <stdio.h>
#include <time.h>

#include "json.h"
#include "html.h"
#include "progress.h"
#include "run.h"

typedef struct learn_job {
    run *run;
    char *output, *codes, *log, *checkpoint, *resume, *init; /* NULL: not given */
    char *mean; /* the file beside `output` with the mean of the features, or NULL */
    inco_data *data;
    inco_source source; /* of the data */
    inco_learner *learner;
    progress progress;
    double seconds_codes; /* the coding pass for --codes */
    time_t began;
    FILE *log_file;
    int log_lines;
    int log_failed, checkpoint_failed; /* reported; the run fails at the end */
    html_report html;
    inco_progress *history; /* the iterations, for the report */
    int64_t history_count, history_capacity;
} learn_job;

/* Bytes that learning this many atoms takes, with what the data hold; NaN: unknown. */
double learn_memory(const learn_job *job, int64_t atoms);

/* The learner's info so far. */
inco_learn_info learn_info(const learn_job *job);

/* The log: one line that describes the run, one per point of a regularisation path, one per iteration, one with the
 * results; each flushed at once. It is opened when the first of them is complete, so that a run that fails earlier
 * leaves an older log unchanged. */
void learn_log_start(learn_job *job);
void learn_log_point(learn_job *job);
void learn_log_iteration(learn_job *job, const inco_progress *now);
void learn_log_end(learn_job *job, int status);
/* Returns INCO_EIO if a line of the log could not be written. */
int learn_log_close(learn_job *job);

/* The report: collects the iterations, and writes it if --report or --csv is given. */
void learn_html_iteration(learn_job *job, const inco_progress *now);
int learn_html(learn_job *job);

/* Metadata of a .npz dictionary: JSON text to be freed; NULL: out of memory. */
char *learn_meta(const learn_job *job);

/* Summaries before and after the run: on standard error, and as JSON. */
void learn_announce(const learn_job *job);
void learn_summary(const learn_job *job);
void learn_results(json *j, const learn_job *job);

/* The regularisation path of gamma, if there is one: as a table, as the member "path", and the last point as a line of
 * the log. */
void learn_path_table(const learn_job *job);
void learn_path_results(json *j, const learn_job *job);
void learn_path_line(json *j, const learn_job *job);
/* Which point of the path, in the order they were computed, from 1, was chosen; 0: there is none. */
int64_t learn_path_chosen(const learn_job *job);

/* Prints what the run would take, instead of learning. */
int learn_dry_run(learn_job *job);

/* Warns if a target was missed; returns whether it was. */
int learn_warn_missed(const learn_job *job);

#endif
