/* The commands of the program. */
#ifndef INCO_CLI_COMMANDS_H
#define INCO_CLI_COMMANDS_H

#include "run.h"

/* In the order of the help; command NAME is NAME_command. */
#define COMMANDS(X) X(learn) X(encode) X(decode) X(inspect) X(compare) X(frame) X(decohere) X(report) X(reproduce)

#define COMMANDS_DECLARE(name) extern const command name##_command;
COMMANDS(COMMANDS_DECLARE)

/* Defined by the main file of a program: its name; its command i, NULL after the last. */
const char *commands_program(void);
const command *commands_at(int i);

const command *commands_find(const char *name);

#endif
