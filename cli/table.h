/* The option table of the program: the options of the library and its own, which the library does not know. */
#ifndef INCO_CLI_TABLE_H
#define INCO_CLI_TABLE_H

#include <inco/inco.h>

/* Commands that are not calls of the library; the others have the library's bits. */
enum {
    COMMAND_REPORT = 128,
    COMMAND_REPRODUCE = 256,
    COMMANDS_ALL = INCO_COMMANDS | COMMAND_REPORT | COMMAND_REPRODUCE
};

typedef struct option {
    const char *name;
    char letter;  /* as in -o; 0: none */
    int64_t type; /* inco_option_type */
    const char *metavar, *default_text, *choices, *group;
    double low, high;
    unsigned commands;
    const char *help; /* in the library's form: see speak.h */
    int own;          /* index among the program's own options; -1: of the library */
} option;

enum { OWN_MAX = 32 }; /* maximum number of the program's own options */

/* Row i; NULL after the last. */
const option *table_at(int i);
/* The option of that name; NULL: none. */
const option *table_find(const char *name, size_t length);

/* The help text of an option for a command, with options named as on the command line. */
void table_help(const option *o, unsigned command, char *text, size_t size);

#endif
