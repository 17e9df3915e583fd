/* Help texts, generated from the option table of this build. */
#ifndef INCO_CLI_HELP_H
#define INCO_CLI_HELP_H

#include "run.h"
#include "table.h"

void help_program(void);
void help_command(const command *c);
void help_version(void);

/* Calls `visit` for every option of the command in the order of the help, group by group. `first`: whether it is the
 * first option of its group. */
typedef void (*help_visit)(void *self, const option *option, int first);
void help_each_option(const command *c, help_visit visit, void *self);

/* Prints `text` wrapped to lines from column `indent` to `width`, starting at column `at`. A newline in the text begins
 * a paragraph. */
void help_wrap(const char *text, int indent, int at, int width);

/* What follows the name of an option: its choices, or the name of its value; NULL for a flag. */
const char *help_value(const option *option);

#endif
