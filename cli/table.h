/* The options of the program: those of the library, and its own, which the library knows nothing of. */
#ifndef INCO_CLI_TABLE_H
#define INCO_CLI_TABLE_H

#include <inco/inco.h>

/* Commands of the program that are no calls of the library; the others have the library's bits. */
enum {
    COMMAND_REPORT = 64,
    COMMAND_REPRODUCE = 128,
    COMMANDS_ALL = INCO_COMMANDS | COMMAND_REPORT | COMMAND_REPRODUCE
};

typedef struct option {
    const char *name;
    char letter;  /* -o; 0 for none */
    int64_t type; /* inco_option_type */
    const char *metavar, *default_text, *choices, *group;
    double low, high;
    unsigned commands;
    const char *help; /* as the library writes it: see speak.h */
    int own;          /* number among the program's own, from 0; -1: of the library */
} option;

enum { OWN_MAX = 32 }; /* options of the program's own, at most */

/* Row i, NULL past the last. */
const option *table_at(int i);
/* The option of that name; NULL when there is none. */
const option *table_find(const char *name, size_t length);

/* The help of an option of a command, with options named as on the command line. */
void table_help(const option *o, unsigned command, char *text, size_t size);

#endif
