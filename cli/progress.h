/* Progress on standard error: a bar with rate and time left on a terminal, plain lines elsewhere, or nothing. */
#ifndef INCO_CLI_PROGRESS_H
#define INCO_CLI_PROGRESS_H

#include <inco/inco.h>

typedef struct progress {
    int shown, terminal, colour;
    int drawn;              /* whether a bar is on the screen */
    double last;            /* time of the last output */
    double pass_started;    /* start of the current coding pass */
    int64_t pass;           /* its iteration */
    double error;           /* relative error of the last iteration; 0 before the first */
    double code, iteration; /* seconds of the last coding pass and of the last iteration; 0 before the first */
} progress;

progress progress_start(int quiet);

/* Shows what the library's progress callback receives. */
void progress_show(progress *p, const inco_progress *now);

/* Progress of a grid of runs: the current run, the fraction done of all, the seconds left (NaN: unknown), the current
 * phase. */
void progress_grid(progress *p, const char *name, double fraction, double left, const char *doing);

/* progress_show as a callback, `self` is a progress; the second stops the call after a signal. */
int progress_callback(void *self, const inco_progress *now);
int progress_until_signal(void *self, const inco_progress *now);

/* Erases the bar before a message is printed. */
void progress_clear(progress *p);

#endif
