#include "help.h"

#include <stdio.h>
#include <string.h>

#include "commands.h"

enum { WIDTH = 80, COLUMN = 26 };

void help_wrap(const char *text, int indent, int at, int width) {
    while (*text) {
        if (*text == '\n') {
            printf("\n%s", text[1] ? "\n" : "");
            at = 0;
            text++;
            continue;
        }
        int length = (int)strcspn(text, " \n");
        if (at > indent && at + 1 + length > width) {
            putchar('\n');
            at = 0;
        }
        if (at < indent)
            at += printf("%*s", indent - at, "");
        else if (at > indent)
            at += printf(" ");
        at += printf("%.*s", length, text);
        text += length;
        text += *text == ' ';
    }
    putchar('\n');
}

const char *help_value(const option *o) {
    return o->type == INCO_CHOICE ? o->choices : o->metavar;
}

/* ---- Options ---- */

/* Headings in the order of the help; any others follow. */
static const char *const headings[] = {"Dictionary",  "Sparse coding", "Data",    "Output",
                                       "Replacement", "Methods",       "Metrics", "Run"};
enum { HEADINGS = sizeof headings / sizeof *headings };

static int rank_of(const char *group) {
    int rank = 0;
    while (rank < HEADINGS && strcmp(headings[rank], group)) rank++;
    return rank;
}

void help_each_option(const command *c, help_visit visit, void *self) {
    const option *o;
    for (int rank = 0; rank <= HEADINGS; rank++) {
        const char *group = "";
        for (int i = 0; (o = table_at(i)); i++) {
            if (!(o->commands & c->bit) || rank_of(o->group) != rank) continue;
            visit(self, o, strcmp(group, o->group) != 0);
            group = o->group;
        }
    }
}

static void print_option(void *self, const option *o, int first) {
    const command *c = self;
    char text[2048];
    if (first) printf("\n%s\n", o->group);
    int at = o->letter ? printf("  -%c, --%s", o->letter, o->name) : printf("  --%s", o->name);
    if (o->metavar) at += printf(" %s", help_value(o));
    if (at + 2 > COLUMN) {
        putchar('\n');
        at = 0;
    }
    table_help(o, c->bit, text, sizeof text);
    if (o->default_text) snprintf(text + strlen(text), sizeof text - strlen(text), " (default %s)", o->default_text);
    help_wrap(text, COLUMN, at, WIDTH);
}

void help_command(const command *c) {
    printf("usage: %s %s %s\n\n", commands_program(), c->name, c->usage);
    help_wrap(c->about, 0, 0, WIDTH);
    help_each_option(c, print_option, (void *)c);
    printf("  -h, --help%*sthis text\n", COLUMN - 12, "");
}

/* ---- Overview ---- */

void help_program(void) {
    printf("%s %s: incoherent dictionaries for sparse coding\n\n", commands_program(), inco_version());
    printf("usage: %s COMMAND [OPTIONS] FILE...\n\n", commands_program());
    for (int i = 0; commands_at(i); i++) printf("  %-11s%s\n", commands_at(i)->name, commands_at(i)->summary);
    printf("  %-11s%s\n", "help", "print this text, or the options of a command");
    printf("\n'%s COMMAND --help' lists the options of a command, '%s --version' the features\n"
           "of this build. Write --name value or --name=value; if an option is given twice,\n"
           "the last value counts; -- ends the options.\n\n"
           "Exit status: 0 success; 1 failure, nothing written; 2 wrong usage; 3 output written,\n"
           "but a bound or target was missed; 130 or 143 interrupted by SIGINT or SIGTERM\n"
           "(learn, frame and decohere then save the result so far).\n",
           commands_program(), commands_program());
}

/* The optional features of a build that are present, or the missing ones. */
static void print_features(const char *title, int present) {
    static const char *const names[] = {"npz", "audio", "resample", "png", "mat", "json"};
    int count = 0;
    printf("%s", title);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (inco_has(names[i]) == present) count += printf(" %s", names[i]);
    printf("%s\n", count ? "" : " nothing");
}

void help_version(void) {
    printf("%s %s\n", commands_program(), inco_version());
    printf("kernels: %s\n", inco_isa());
    printf("BLAS: %s\n", inco_blas());
    printf("threads: %d\n", inco_threads_available());
    print_features("built with:", 1);
    print_features("built without:", 0);
}
