#include "man.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "help.h"

/* Text for roff: backslashes and leading dots or quotes are escaped, hyphens stay hyphens one can search for. */
static void put_roff(const char *text) {
    if (*text == '.' || *text == '\'') fputs("\\&", stdout);
    for (; *text; text++) {
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else
            putchar(*text);
    }
}

static void put_option(void *self, const option *o, int first) {
    const command *c = self;
    char help[2048];
    if (first) {
        fputs(".SS ", stdout);
        put_roff(o->group);
        putchar('\n');
    }
    fputs(".TP\n", stdout);
    if (o->letter) printf("\\fB\\-%c\\fR, ", o->letter);
    fputs("\\fB\\-\\-", stdout);
    put_roff(o->name);
    fputs("\\fR", stdout);
    if (o->metavar) {
        fputs(" \\fI", stdout);
        put_roff(help_value(o));
        fputs("\\fR", stdout);
    }
    putchar('\n');
    table_help(o, c->bit, help, sizeof help);
    put_roff(help);
    if (o->default_text) {
        fputs(" (default ", stdout);
        put_roff(o->default_text);
        putchar(')');
    }
    putchar('\n');
}

static void put_line(const char *line, const command *c) {
    const char *mark = strstr(line, "@VERSION@");
    if (!strcmp(line, "@OPTIONS@\n") && c)
        help_each_option(c, put_option, (void *)c);
    else if (!strcmp(line, "@COMMANDS@\n"))
        for (int i = 0; commands_at(i); i++) {
            printf(".TP\n\\fBinco\\-%s\\fR(1)\n", commands_at(i)->name);
            put_roff(commands_at(i)->summary);
            putchar('\n');
        }
    else if (mark)
        printf("%.*s%s%s", (int)(mark - line), line, inco_version(), mark + strlen("@VERSION@"));
    else
        fputs(line, stdout);
}

int man_print(const char *template, const command *c) {
    char line[1024];
    FILE *in = fopen(template, "r");
    if (!in) {
        fprintf(stderr, "inco: cannot open '%s': %s\n", template, strerror(errno));
        return 1;
    }
    while (fgets(line, sizeof line, in)) put_line(line, c);
    fclose(in);
    return 0;
}
