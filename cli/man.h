/* Manual pages: prose from a template, options from the table. */
#ifndef INCO_CLI_MAN_H
#define INCO_CLI_MAN_H

#include "run.h"

/* Prints the template to standard output. Lines @OPTIONS@ and @COMMANDS@ are replaced by the options of the command and
 * the list of commands, @VERSION@ by the version. Returns 0, or 1 if there is no such file. */
int man_print(const char *template, const command *c);

#endif
