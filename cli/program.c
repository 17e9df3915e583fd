#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "commands.h"
#include "help.h"
#include "man.h"
#include "results.h"
#include "spelling.h"
#include "values.h"

const command *commands_find(const char *name) {
    const command *c;
    for (int i = 0; (c = commands_at(i)); i++)
        if (!strcmp(c->name, name)) return c;
    return NULL;
}

static int unknown_command(const char *name) {
    spelling_search search = spelling_start(name);
    for (int i = 0; commands_at(i); i++) spelling_try(&search, commands_at(i)->name);
    fprintf(stderr, "%s: unknown command '%s'", commands_program(), name);
    if (spelling_found(&search)) fprintf(stderr, ": did you mean '%s'?", spelling_found(&search));
    fputs("\nthe commands are:", stderr);
    for (int i = 0; commands_at(i); i++) fprintf(stderr, " %s", commands_at(i)->name);
    fprintf(stderr, "\ntry '%s --help'\n", commands_program());
    return 2;
}

/* Returns the exit status: 1 if standard output could not be written. */
static int written(void) {
    if (!fflush(stdout) && !ferror(stdout)) return 0;
    fprintf(stderr, "%s: cannot write to standard output\n", commands_program());
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

static int perform(const command *c, int argc, char *const *argv, const run_ranks *ranks) {
    run r = {.command = c, .argc = argc, .argv = argv, .ranks = ranks, .started = run_clock()};
    r.part = !run_is_first(&r);
    int status = INCO_ENOMEM;
    run_watch_signals();
    inco_blas_one_thread();
    r.options = inco_options_new();
    if (r.options) status = args_parse(&r, argc - 2, argv + 2);
    if (status >= 0) {
        const int asked = results_threads(&r), available = inco_threads_available();
        if (asked > available)
            run_say(&r, "--threads %d: this process may use %d processor%s; more threads than that gain nothing", asked,
                    available, available == 1 ? "" : "s");
        status = c->perform(&r);
    }
    if (r.part) r.quiet = 1;
    int code = run_finish(&r, status);
    values_free(&r);
    inco_options_free(r.options);
    free(r.paths);
    return code;
}

int program_tells(int argc, char **argv, int *code) {
    const char *first = argc > 1 ? argv[1] : NULL;
    *code = 0;
    if (!first) {
        fprintf(stderr, "%s: no command given\ntry '%s --help'\n", commands_program(), commands_program());
        *code = 2;
    } else if (!strcmp(first, "--version") || !strcmp(first, "-V")) {
        help_version();
        *code = written();
    } else if (!strcmp(first, "--help") || !strcmp(first, "-h")) {
        *code = help(0, NULL);
    } else if (!strcmp(first, "help")) {
        *code = help(argc - 2, argv + 2);
    } else if (!commands_find(first)) {
        *code = unknown_command(first);
    } else if (args_want_help(argc - 2, argv + 2)) {
        *code = help(1, (char *const[]){argv[1]});
    } else {
        return 0;
    }
    return 1;
}

int program_run(int argc, char **argv, const run_ranks *ranks) {
    return perform(commands_find(argv[1]), argc, argv, ranks);
}
