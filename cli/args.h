/* The command line, read by the table of options. */
#ifndef INCO_CLI_ARGS_H
#define INCO_CLI_ARGS_H

#include "run.h"

/* Reads what follows the command into r->options and r->paths. `--name value`, `--name=value`, `-o value`, `-ovalue`;
 * `--` ends the options; `-` is a file. An option given twice has its last value. */
int args_parse(run *r, int argc, char *const *argv);

/* Is --help (or -h) among the arguments, before any `--`? */
int args_want_help(int argc, char *const *argv);

#endif
