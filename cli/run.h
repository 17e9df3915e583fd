/* What all commands share: the command line, messages on standard error, signals, time, and how a run ends. */
#ifndef INCO_CLI_RUN_H
#define INCO_CLI_RUN_H

#include <inco/inco.h>

#include "table.h"

typedef struct run run;

typedef struct command {
    const char *name;
    unsigned bit;        /* INCO_LEARN, COMMAND_REPORT...: the options that it takes */
    const char *usage;   /* what follows "inco NAME" */
    const char *summary; /* one line */
    const char *about;   /* a paragraph or two for --help */
    int (*perform)(run *r);
} command;

struct run {
    const command *command;
    int argc;
    char *const *argv; /* the whole command line */
    inco_options *options;
    char *own[OWN_MAX]; /* values of the program's own options, NULL where not given: see values.h */
    const char **paths; /* what is no option */
    int path_count;
    int quiet, json;
    int missed;             /* the output is written, but it misses a target */
    int part;               /* of another command, which does the talking: nothing is printed */
    inco_progress_fn watch; /* of that command; NULL when there is none */
    void *watcher;
    double started;    /* by run_clock */
    double seconds_io; /* spent in reading and writing files */
    inco_error error;
};

/* Leaves a function through its `done:` label when a call fails. Needs `int status` in scope. */
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        if ((status = (call)) < 0) goto done;                                                                          \
    } while (0)

/* Sets the run's error message and returns the code. */
int run_fail(run *r, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
int run_no_memory(run *r);

/* A line on standard error: not with --quiet; always. */
void run_say(const run *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
void run_warn(const run *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The value of an option as text of the caller's, to be freed; NULL when it is not set. */
int run_text(run *r, const char *name, char **text);
/* Returns the mean of every signal if --center signal is given, for decode to add, else NULL. The caller frees it. */
int run_means(run *r, const inco_source *source, double **means);

/* Has the library's calls with the run's options tell `callback` how far they are. */
int run_on_progress(run *r, inco_progress_fn callback, void *self);

/* Seconds from a clock that only goes forward. */
double run_clock(void);

/* May standard error have colours? */
int run_colour(void);

/* SIGINT, SIGTERM and SIGHUP end the program at once, except while they are held: then the first is only noted, so that
 * the work under way can be saved, and a second ends the program. */
void run_watch_signals(void);
void run_hold_signals(int hold);
int run_signal(void); /* the signal noted, or 0 */

/* The end: prints the error, or the line with version, time and memory. Returns the exit code. */
int run_finish(run *r, int status);

#endif
