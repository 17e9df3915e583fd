/* What a program with commands does: finds the command, parses its arguments, runs it. The commands and the name of the
 * program are those of its main file (commands.h). */
#ifndef INCO_CLI_PROGRAM_H
#define INCO_CLI_PROGRAM_H

#include "run.h"

/* Prints what was asked for instead of running a command: help, the version, or what is wrong with the arguments.
 * Returns whether it did; *code is the exit status then. */
int program_tells(int argc, char **argv, int *code);

/* Runs the command, on one rank of several if `ranks` is not NULL. Returns the exit status. */
int program_run(int argc, char **argv, const run_ranks *ranks);

#endif
