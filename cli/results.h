/* JSON members shared by several commands. */
#ifndef INCO_CLI_RESULTS_H
#define INCO_CLI_RESULTS_H

#include "json.h"
#include "run.h"

enum { RESULTS_SCHEMA = 1 }; /* changes when a field is removed or changes its meaning */

/* schema, version, command */
void results_identity(json *j, const run *r);
/* The seconds as one object: code, update (unless NaN), io (including that of the run), total. */
void results_seconds(json *j, const run *r, double code, double update, double io);
/* All options of the command with their values; null if not set. */
void results_options(json *j, const run *r);
/* All words of the command line. */
void results_command_line(json *j, const run *r);
/* threads, isa, blas */
void results_machine(json *j, const run *r);

int results_threads(const run *r);
const char *results_precision(inco_type type); /* "f32" or "f64" */

/* Writes a dictionary, with metadata on its creation if the format has them. */
int results_save(run *r, const char *path, const inco_mat *dictionary, const inco_mat *mean,
                 const inco_options *options);
/* Says what was written: the dictionary, and the file with the mean of its features, if there is one. */
void results_say_saved(const run *r, const char *path, const inco_mat *mean);

/* Prints a note if --sparsity exceeds the maximum number of atoms of a code. */
void results_note_sparsity(const run *r, int64_t dim, int64_t atoms);

/* For --json: begins the object on standard output; results_end ends it with a newline. */
json results_begin(const run *r);
void results_end(json *j);

#endif
