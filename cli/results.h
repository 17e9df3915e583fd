/* The members that the JSON of several commands share. */
#ifndef INCO_CLI_RESULTS_H
#define INCO_CLI_RESULTS_H

#include "json.h"
#include "run.h"

enum { RESULTS_SCHEMA = 1 }; /* changes when a field is taken away or means something else */

/* schema, version, command */
void results_identity(json *j, const run *r);
/* The seconds as one object: code, update where there is one (not NaN), io (with those of the run added), total. */
void results_seconds(json *j, const run *r, double code, double update, double io);
/* All options of the command with the values that hold; null for those not set. */
void results_options(json *j, const run *r);
/* Every word of the command line. */
void results_command_line(json *j, const run *r);
/* threads, isa, blas */
void results_machine(json *j, const run *r);

int results_threads(const run *r);
const char *results_precision(inco_type type); /* "f32" or "f64" */

/* Writes a dictionary; in formats that can hold it, with what it was made by. */
int results_save(run *r, const char *path, const inco_mat *dictionary);

/* Says so when --sparsity asks for more atoms than a code can have. */
void results_note_sparsity(const run *r, int64_t dim, int64_t atoms);

/* For --json: begins the object on standard output, and ends it with its newline. */
json results_begin(const run *r);
void results_end(json *j);

#endif
