#include "run.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "commands.h"
#include "speak.h"
#include "values.h"

int run_fail(run *r, int code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    r->error.code = code;
    vsnprintf(r->error.message, sizeof r->error.message, format, args);
    va_end(args);
    return code;
}

int run_no_memory(run *r) {
    return run_fail(r, INCO_ENOMEM, "out of memory");
}

int run_is_first(const run *r) {
    return !r->ranks || r->ranks->rank == 0;
}

int run_agree(run *r, int status) {
    return r->ranks ? r->ranks->agree(r->ranks->self, status, &r->error) : status;
}

void run_say(const run *r, const char *format, ...) {
    if (r->quiet || r->part) return;
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

void run_warn(const run *r, const char *format, ...) {
    char text[2048];
    va_list args;
    if (r->part) return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    speak_options(text);
    const char *bold = run_colour() ? "\033[1m" : "", *plain = run_colour() ? "\033[0m" : "";
    fprintf(stderr, "%s%s%s%s:%s %s\n", bold, commands_program(), r->command ? " " : "",
            r->command ? r->command->name : "", plain, text);
}

int run_text(run *r, const char *name, char **text) {
    int length = values_get(r, name, NULL, 0);
    *text = NULL;
    if (length <= 0) return INCO_OK;
    *text = malloc((size_t)length + 1);
    if (!*text) return run_no_memory(r);
    values_get(r, name, *text, (size_t)length + 1);
    return INCO_OK;
}

int run_means(run *r, const inco_source *source, double **means) {
    char *center = NULL;
    int status = run_text(r, "center", &center);
    const int subtracted = status >= 0 && center && !strcmp(center, "signal");
    free(center);
    *means = subtracted ? calloc((size_t)source->count + 1, sizeof **means) : NULL;
    if (!subtracted) return status;
    return *means ? inco_signal_means(source, *means, &r->error) : run_no_memory(r);
}

int run_on_progress(run *r, inco_progress_fn callback, void *self) {
    return inco_options_on_progress(r->options, callback, self, sizeof(inco_progress), &r->error);
}

double run_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int run_colour(void) {
    const char *refused = getenv("NO_COLOR"), *terminal = getenv("TERM");
    if (refused && *refused) return 0;
    return isatty(STDERR_FILENO) && terminal && strcmp(terminal, "dumb") != 0;
}

/* ---- Signals ---- */

/* Global, since signal handlers take no context. */
static volatile sig_atomic_t held, noted;

static void on_signal(int number) {
    static const char at_once[] = "\ninco: interrupted, nothing was written\n", again[] = "\ninco: ended at once\n";
    if (!held) (void)!write(STDERR_FILENO, at_once, sizeof at_once - 1);
    if (held && noted) (void)!write(STDERR_FILENO, again, sizeof again - 1);
    if (!held || noted) _exit(128 + number);
    noted = number;
}

void run_watch_signals(void) {
    static const int watched[] = {SIGINT, SIGTERM, SIGHUP};
    signal(SIGPIPE, SIG_IGN); /* a write that fails is an error, of which messages need none */
    signal(SIGXFSZ, SIG_IGN);
    for (int i = 0; i < 3; i++) {
        struct sigaction now, action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
        sigemptyset(&action.sa_mask);
        /* signals ignored by the parent (nohup, background jobs) stay ignored */
        if (!sigaction(watched[i], NULL, &now) && now.sa_handler != SIG_IGN) sigaction(watched[i], &action, NULL);
    }
}

void run_hold_signals(int hold) {
    held = hold;
}

int run_signal(void) {
    return noted;
}

/* ---- The end ---- */

static double peak_megabytes(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
#ifdef __APPLE__
    return (double)usage.ru_maxrss / 1e6; /* in bytes on macOS */
#else
    return (double)usage.ru_maxrss * 1024 / 1e6;
#endif
}

int run_finish(run *r, int status) {
    if (status >= 0 && (fflush(stdout) || ferror(stdout)))
        status = run_fail(r, INCO_EIO, "cannot write to standard output");
    if (status < 0) {
        run_warn(r, "%s", r->error.message[0] ? r->error.message : inco_strerror(status));
        if (status != INCO_EINVAL) return 1;
        if (!r->part)
            fprintf(stderr, "try '%s %s%s--help'\n", commands_program(), r->command ? r->command->name : "",
                    r->command ? " " : "");
        return 2;
    }
    run_say(r, "inco %s: %.1f s, %.0f MB peak", inco_version(), run_clock() - r->started, peak_megabytes());
    return run_signal() ? 128 + run_signal() : r->missed ? 3 : 0;
}
