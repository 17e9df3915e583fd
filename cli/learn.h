/* One run of `inco learn`. */
#ifndef INCO_CLI_LEARN_H
#define INCO_CLI_LEARN_H

#include <stdio.h>
#include <time.h>

#include "json.h"
#include "page.h"
#include "progress.h"
#include "run.h"

typedef struct learn_job {
    run *run;
    char *output, *codes, *log, *checkpoint, *resume, *init; /* NULL when not given */
    inco_data *data;
    inco_source source; /* of the data */
    inco_learner *learner;
    progress progress;
    double seconds_codes; /* the coding pass for --codes */
    time_t began;
    FILE *log_file;
    int log_lines;
    int log_failed, checkpoint_failed; /* told already; the run fails in the end */
    page page;
    inco_progress *history; /* the iterations, for the report */
    int64_t history_count, history_room;
} learn_job;

/* What the learner says of its run so far. */
inco_learn_info learn_info(const learn_job *job);

/* The log: a line that describes the run, one per point of --gamma auto, one per iteration, one with the results; each
 * flushed at once. It begins when the first of them has ended, so that a run that fails before leaves none, and an
 * older log as it was. */
void learn_log_start(learn_job *job);
void learn_log_point(learn_job *job);
void learn_log_iteration(learn_job *job, const inco_progress *now);
void learn_log_end(learn_job *job, int status);

/* The page: the iterations as they end, and all of it when --report or --csv asks for it. */
void learn_page_iteration(learn_job *job, const inco_progress *now);
int learn_page(learn_job *job);

/* What a .npz dictionary says of its making: JSON text to be freed, NULL when there is no memory. */
char *learn_meta(const learn_job *job);

/* Before, and after: on standard error for people, as JSON for programs. */
void learn_announce(const learn_job *job);
void learn_summary(const learn_job *job);
void learn_results(json *j, const learn_job *job);

/* The path of --gamma auto, where there is one: for people, as the member "path", and the members of the last point's
 * line in the log. */
void learn_path_table(const learn_job *job);
void learn_path_results(json *j, const learn_job *job);
void learn_path_line(json *j, const learn_job *job);

/* Was a target missed? Then loudly. */
int learn_warn_missed(const learn_job *job);

#endif
