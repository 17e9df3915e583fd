/* Values of the options of a run, the library's and the program's own. */
#ifndef INCO_CLI_VALUES_H
#define INCO_CLI_VALUES_H

#include "run.h"
#include "table.h"

/* Sets an option from the text of the command line. */
int values_set(run *r, const option *o, const char *text);

/* Like inco_options_get, inco_options_get_number and inco_options_given. */
int values_get(const run *r, const char *name, char *buffer, size_t size);
double values_number(const run *r, const char *name);
int values_given(const run *r, const char *name);

void values_free(run *r);

#endif
