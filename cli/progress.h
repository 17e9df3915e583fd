/* Progress on standard error: a bar with rate and time left on a terminal, plain lines elsewhere, or nothing. */
#ifndef INCO_CLI_PROGRESS_H
#define INCO_CLI_PROGRESS_H

#include <inco/inco.h>

typedef struct progress {
    int shown, terminal, colour;
    int drawn;              /* is there a bar on the screen? */
    double last;            /* when something was last printed */
    double pass_started;    /* when the coding pass under way began */
    int64_t pass;           /* which one that is */
    double error;           /* relative, of the last iteration; 0 before the first */
    double code, iteration; /* seconds that the last coding pass and the last iteration took; 0 before the first */
} progress;

progress progress_start(int quiet);

/* What the library's progress callback is told, by its phase. */
void progress_show(progress *p, const inco_progress *now);

/* A run of a grid: how far all of them are, what is being done, and the seconds left, NaN when unknown. */
void progress_grid(progress *p, const char *name, double fraction, double left, const char *doing);

/* Takes the bar off the screen, so that a message can be printed. */
void progress_clear(progress *p);

#endif
