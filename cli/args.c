#include "args.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "spelling.h"
#include "values.h"

int args_want_help(int argc, char *const *argv) {
    for (int i = 0; i < argc && strcmp(argv[i], "--"); i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) return 1;
    return 0;
}

/* ---- Errors ---- */

static int unknown_option(run *r, const char *name, size_t length) {
    const option *o;
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)length, name);
    spelling_search search = spelling_start(word);
    for (int i = 0; (o = table_at(i)); i++)
        if (o->commands & r->command->bit) spelling_try(&search, o->name);
    if (spelling_found(&search))
        return run_fail(r, INCO_EINVAL, "unknown option '--%s': did you mean '--%s'?", word, spelling_found(&search));
    return run_fail(r, INCO_EINVAL, "unknown option '--%s'", word);
}

/* An option of other commands: the message lists them. */
static int foreign_option(run *r, const option *o) {
    char places[128] = "";
    for (int i = 0; commands_at(i); i++) {
        if (!(o->commands & commands_at(i)->bit)) continue;
        size_t used = strlen(places);
        snprintf(places + used, sizeof places - used, "%s%s %s", used ? ", " : "", commands_program(),
                 commands_at(i)->name);
    }
    return run_fail(r, INCO_EINVAL, "--%s is not an option of %s %s (it belongs to %s)", o->name, commands_program(),
                    r->command->name, places);
}

static int missing_value(run *r, const option *o, const char *next) {
    if (!next) return run_fail(r, INCO_EINVAL, "--%s needs a value: --%s %s", o->name, o->name, o->metavar);
    return run_fail(r, INCO_EINVAL, "--%s needs a value before %s (or write --%s=%s, if that is the value)", o->name,
                    next, o->name, next);
}

/* ---- Parsing ---- */

/* `value` is the text after = or after the letter; if it is NULL, the value is the next argument, and *used is set. */
static int take_option(run *r, const option *o, const char *value, const char *next, int *used) {
    if (!(o->commands & r->command->bit)) return foreign_option(r, o);
    if (!o->metavar && !value) value = "yes";
    if (!value) {
        if (!next || (!strncmp(next, "--", 2) && next[2])) return missing_value(r, o, next);
        value = next;
        *used = 1;
    }
    return values_set(r, o, value);
}

static int take_long(run *r, const char *text, const char *next, int *used) {
    const size_t length = strcspn(text, "=");
    const option *o = table_find(text, length);
    if (!o) return unknown_option(r, text, length);
    return take_option(r, o, text[length] ? text + length + 1 : NULL, next, used);
}

/* -q, -o FILE, -oFILE, and combined letters: -qo FILE. */
static int take_letters(run *r, const char *text, const char *next, int *used) {
    for (; *text; text++) {
        const option *o;
        for (int i = 0; (o = table_at(i)) && o->letter != *text;) i++;
        if (!o) return run_fail(r, INCO_EINVAL, "unknown option '-%c'", *text);
        if (o->metavar) return take_option(r, o, text[1] ? text + 1 : NULL, next, used);
        int status = take_option(r, o, "yes", NULL, used);
        if (status < 0) return status;
    }
    return INCO_OK;
}

int args_parse(run *r, int argc, char *const *argv) {
    int options_end = 0;
    r->paths = calloc((size_t)argc + 1, sizeof *r->paths);
    if (!r->paths) return run_no_memory(r);
    for (int i = 0; i < argc; i++) {
        const char *text = argv[i], *next = i + 1 < argc ? argv[i + 1] : NULL;
        int status = INCO_OK, used = 0;
        if (options_end || text[0] != '-' || !text[1])
            r->paths[r->path_count++] = text;
        else if (!strcmp(text, "--"))
            options_end = 1;
        else if (text[1] == '-')
            status = take_long(r, text + 2, next, &used);
        else
            status = take_letters(r, text + 1, next, &used);
        if (status < 0) return status;
        i += used;
    }
    r->quiet = values_number(r, "quiet") > 0;
    r->json = values_number(r, "json") > 0;
    return INCO_OK;
}
