/* The commands of the program. */
#ifndef INCO_CLI_COMMANDS_H
#define INCO_CLI_COMMANDS_H

#include "run.h"

extern const command learn_command, encode_command, decode_command, inspect_command, frame_command, decohere_command,
    report_command, reproduce_command;

/* Command i, NULL past the last. */
const command *commands_at(int i);
const command *commands_find(const char *name);

#endif
