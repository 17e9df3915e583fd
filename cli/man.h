/* Manual pages: prose from a template, options from the table. */
#ifndef INCO_CLI_MAN_H
#define INCO_CLI_MAN_H

#include "run.h"

/* Prints the template on standard output. Two of its lines are replaced: @OPTIONS@ by the options of the command,
 * @COMMANDS@ by the list of commands; @VERSION@ within a line by the version. 0, or 1 when there is no such file. */
int man_print(const char *template, const command *c);

#endif
