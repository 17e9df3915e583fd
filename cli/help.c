#include "help.h"

#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "table.h"

enum { WIDTH = 80, COLUMN = 26 };

/* Words of `text` in lines from column `indent` up to WIDTH; the cursor stands at column `at`. A newline in the text
 * begins a paragraph. */
static void print_wrapped(const char *text, int indent, int at) {
    while (*text) {
        if (*text == '\n') {
            printf("\n%s", text[1] ? "\n" : "");
            at = 0;
            text++;
            continue;
        }
        int length = (int)strcspn(text, " \n");
        if (at > indent && at + 1 + length > WIDTH) {
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

const char *help_value(const inco_option *option) {
    return option->choices ? option->choices : option->metavar;
}

/* ---- Options ---- */

static int group_seen_before(const command *c, int i) {
    for (int k = 0; k < i; k++)
        if ((table_at(k)->commands & c->bit) && !strcmp(table_at(k)->group, table_at(i)->group)) return 1;
    return 0;
}

/* Options of one group need not stand together in the table. */
void help_each_option(const command *c, help_visit visit, void *self) {
    for (int i = 0; table_at(i); i++) {
        if (!(table_at(i)->commands & c->bit) || group_seen_before(c, i)) continue;
        for (int k = i; table_at(k); k++) {
            const inco_option *o = table_at(k);
            if ((o->commands & c->bit) && !strcmp(o->group, table_at(i)->group)) visit(self, o, k == i);
        }
    }
}

static void print_option(void *self, const inco_option *o, int first) {
    char text[1024];
    (void)self;
    if (first) printf("\n%s\n", o->group);
    int at = o->letter ? printf("  -%c, --%s", (int)o->letter, o->name) : printf("  --%s", o->name);
    if (o->metavar) at += printf(" %s", help_value(o));
    if (at + 2 > COLUMN) {
        putchar('\n');
        at = 0;
    }
    if (o->default_text)
        snprintf(text, sizeof text, "%s (default %s)", o->help, o->default_text);
    else
        snprintf(text, sizeof text, "%s", o->help);
    print_wrapped(text, COLUMN, at);
}

void help_command(const command *c) {
    printf("usage: inco %s %s\n\n", c->name, c->usage);
    print_wrapped(c->about, 0, 0);
    help_each_option(c, print_option, NULL);
    printf("  -h, --help%*sthis text\n", COLUMN - 12, "");
}

/* ---- The program ---- */

void help_program(void) {
    printf("inco %s: dictionaries for sparse coding whose atoms stay incoherent\n\n", inco_version());
    printf("usage: inco COMMAND [OPTIONS] FILE...\n\n");
    for (int i = 0; commands_at(i); i++) printf("  %-11s%s\n", commands_at(i)->name, commands_at(i)->summary);
    printf("  %-11s%s\n", "help", "this text, or with the name of a command its options");
    printf("\n'inco COMMAND --help' lists the options of a command, 'inco --version' what this\n"
           "build can do. Write --name value or --name=value; an option given twice has its\n"
           "last value; -- ends the options.\n\n"
           "Exit status: 0 done, 1 failed and nothing written, 2 wrong usage, 3 written but a\n"
           "bound or target missed, 130 or 143 interrupted by SIGINT or SIGTERM (learn, frame\n"
           "and decohere then save what they have).\n");
}

const char *help_feature(int i) {
    static const char *const names[] = {"npz", "audio", "resample", "png", "mat", "json"};
    return i >= 0 && i < 6 ? names[i] : NULL;
}

static void print_features(const char *title, int present) {
    int count = 0;
    printf("%s", title);
    for (int i = 0; help_feature(i); i++)
        if (inco_has(help_feature(i)) == present) count += printf(" %s", help_feature(i));
    printf("%s\n", count ? "" : " nothing");
}

void help_version(void) {
    printf("inco %s\n", inco_version());
    printf("kernels: %s\n", inco_isa());
    printf("BLAS: %s\n", inco_blas());
    printf("threads: %d\n", inco_threads_available());
    print_features("built with:", 1);
    print_features("built without:", 0);
}
