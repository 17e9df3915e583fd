/* Shared by all commands: the command line, messages on standard error, signals, time, and the end of a run. */
#ifndef INCO_CLI_RUN_H
#define INCO_CLI_RUN_H

#include <inco/inco.h>

#include "table.h"

typedef struct run run;

/* The ranks of inco-mpi, which run the same command; rank 0 alone prints and writes. */
typedef struct run_ranks {
    int64_t rank, ranks;
    void *self;
    int (*use)(void *self, inco_options *options, inco_error *error); /* calls with these options share their work */
    int (*agree)(void *self, int status, inco_error *error);          /* the same outcome for all ranks */
} run_ranks;

typedef struct command {
    const char *name;
    unsigned bit;        /* INCO_LEARN, COMMAND_REPORT...: selects its options */
    const char *usage;   /* follows "inco NAME" */
    const char *summary; /* one line */
    const char *about;   /* a paragraph or two for --help */
    int (*perform)(run *r);
} command;

struct run {
    const command *command;
    int argc;
    char *const *argv; /* the complete command line */
    inco_options *options;
    char *own[OWN_MAX]; /* values of the program's own options (values.h); NULL: not given */
    const char **paths; /* arguments that are not options */
    int path_count;
    int quiet, json;
    int missed;             /* the output is written but misses a target */
    int part;               /* run by another command, or not on rank 0: prints nothing */
    const run_ranks *ranks; /* NULL: one process */
    inco_progress_fn watch; /* progress callback of that command, or NULL */
    void *watcher;
    double started;    /* time by run_clock */
    double seconds_io; /* spent on reading and writing files */
    inco_error error;
};

/* Jumps to the `done:` label of the function if a call fails. Needs `int status` in scope. */
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        if ((status = (call)) < 0) goto done;                                                                          \
    } while (0)

/* Sets the run's error message and returns the code. */
int run_fail(run *r, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
int run_no_memory(run *r);

/* Whether this is rank 0, or the only process. */
int run_is_first(const run *r);
/* After steps that every rank did for itself: the same outcome for all, with the message of a rank that failed. */
int run_agree(run *r, int status);

/* Prints a line on standard error: run_say not with --quiet, the others always. */
void run_say(const run *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
void run_warn(const run *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns the value of an option as text, to be freed by the caller; NULL: not set. */
int run_text(run *r, const char *name, char **text);
/* Returns the mean of every signal if --center signal is given, for decode to add, else NULL. The caller frees it. */
int run_means(run *r, const inco_source *source, double **means);

/* Sets the progress callback of library calls with the run's options. */
int run_on_progress(run *r, inco_progress_fn callback, void *self);

/* Seconds of a monotonic clock. */
double run_clock(void);

/* Returns whether standard error may have colours. */
int run_colour(void);

/* SIGINT, SIGTERM and SIGHUP end the program at once, except while they are held: then the first is only noted, so that
 * the current work can be saved, and a second ends the program. */
void run_watch_signals(void);
void run_hold_signals(int hold);
int run_signal(void); /* the noted signal, or 0 */

/* Ends the run: prints the error, or the line with version, time and memory. Returns the exit status. */
int run_finish(run *r, int status);

#endif
