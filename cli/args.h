/* Parses the command line by the table of options. */
#ifndef INCO_CLI_ARGS_H
#define INCO_CLI_ARGS_H

#include "run.h"

/* Parses the arguments after the command into r->options and r->paths. `--name value`, `--name=value`, `-o value`,
 * `-ovalue`; `--` ends the options; `-` is a file. If an option is given twice, the last value counts. */
int args_parse(run *r, int argc, char *const *argv);

/* Returns whether --help or -h is among the arguments, before any `--`. */
int args_want_help(int argc, char *const *argv);

#endif
