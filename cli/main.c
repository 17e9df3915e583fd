/* inco: the program. Finds the command, parses its arguments, runs it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "commands.h"
#include "fast_blas.h"
#include "help.h"
#include "man.h"
#include "results.h"
#include "spelling.h"
#include "values.h"

#define ADDRESS(name) &name##_command,
static const command *const table[] = {COMMANDS(ADDRESS)};
enum { COUNT = sizeof table / sizeof *table };

const command *commands_at(int i) {
    return i >= 0 && i < COUNT ? table[i] : NULL;
}

const command *commands_find(const char *name) {
    for (int i = 0; i < COUNT; i++)
        if (!strcmp(table[i]->name, name)) return table[i];
    return NULL;
}

static int unknown_command(const char *name) {
    spelling_search search = spelling_start(name);
    for (int i = 0; i < COUNT; i++) spelling_try(&search, table[i]->name);
    fprintf(stderr, "inco: unknown command '%s'", name);
    if (spelling_found(&search)) fprintf(stderr, ": did you mean '%s'?", spelling_found(&search));
    fputs("\nthe commands are:", stderr);
    for (int i = 0; i < COUNT; i++) fprintf(stderr, " %s", table[i]->name);
    fputs("\ntry 'inco --help'\n", stderr);
    return 2;
}

/* Returns the exit status: 1 if standard output could not be written. */
static int written(void) {
    if (!fflush(stdout) && !ferror(stdout)) return 0;
    fputs("inco: cannot write to standard output\n", stderr);
    return 1;
}

/* `inco help [COMMAND]`; for the build: `inco help --man TEMPLATE [COMMAND]`. */
static int help(int argc, char *const *argv) {
    const int man = argc > 0 && !strcmp(argv[0], "--man");
    const char *template = man && argc > 1 ? argv[1] : NULL;
    const char *name = argc > 2 * man ? argv[2 * man] : NULL;
    const command *c = name ? commands_find(name) : NULL;
    if (man && !template) return unknown_command("help --man");
    if (name && !c) return unknown_command(name);
    if (man) return man_print(template, c) || written();
    if (c)
        help_command(c);
    else
        help_program();
    return written();
}

static void say_excess_threads(const run *r) {
    const int asked = results_threads(r), available = inco_threads_available();
    if (asked > available)
        run_say(r, "--threads %d: this process may use %d processor%s; more threads than that gain nothing", asked,
                available, available == 1 ? "" : "s");
}

static int perform(const command *c, int argc, char *const *argv) {
    run r = {.command = c, .argc = argc, .argv = argv, .started = run_clock()};
    int status = INCO_ENOMEM;
    run_watch_signals();
    inco_blas_one_thread();
    r.options = inco_options_new();
    if (r.options) status = args_parse(&r, argc - 2, argv + 2);
    if (status >= 0) {
        say_excess_threads(&r);
        status = c->perform(&r);
    }
    int code = run_finish(&r, status);
    values_free(&r);
    inco_options_free(r.options);
    free(r.paths);
    return code;
}

int main(int argc, char **argv) {
    const char *first = argc > 1 ? argv[1] : NULL;
    use_fast_blas(argv);
    if (!first) {
        fputs("inco: no command given\ntry 'inco --help'\n", stderr);
        return 2;
    }
    if (!strcmp(first, "--version") || !strcmp(first, "-V")) {
        help_version();
        return written();
    }
    if (!strcmp(first, "--help") || !strcmp(first, "-h")) return help(0, NULL);
    if (!strcmp(first, "help")) return help(argc - 2, argv + 2);
    const command *c = commands_find(first);
    if (!c) return unknown_command(first);
    if (args_want_help(argc - 2, argv + 2)) return help(1, (char *const[]){argv[1]});
    return perform(c, argc, argv);
}
