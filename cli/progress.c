#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "run.h"

enum { LINE_MAX_WIDTH = 400, BAR_MAX = 40, BAR_MIN = 10, TEXT_MAX = 160 };
static const double redraw_seconds = 0.1, line_seconds = 30, measuring_seconds = 1;

progress progress_start(int quiet) {
    progress p = {.shown = !quiet, .terminal = isatty(STDERR_FILENO), .colour = run_colour()};
    p.pass_started = run_clock();
    p.last = p.terminal ? p.pass_started - redraw_seconds : p.pass_started;
    return p;
}

static int terminal_width(void) {
    struct winsize size;
    if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col > 0)
        return size.ws_col < LINE_MAX_WIDTH ? size.ws_col : LINE_MAX_WIDTH;
    return 80;
}

/* 42 s as 0:42, 3700 s as 1:01:40. */
static void write_time(char *text, size_t size, double seconds) {
    long s = lrint(fmin(seconds, 3.5e8));
    if (s >= 3600)
        snprintf(text, size, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    else
        snprintf(text, size, "%ld:%02ld", s / 60, s % 60);
}

/* label [=====>    ]  42% text, cut to the width of the terminal. */
static void draw(progress *p, const char *label, double fraction, const char *text) {
    const int width = terminal_width() - 1;
    const int space = width - (int)strlen(label) - (int)strlen(text) - 10;
    const int bar = space < BAR_MIN ? 0 : space > BAR_MAX ? BAR_MAX : space;
    const int full = (int)(fraction * bar);
    char line[LINE_MAX_WIDTH + TEXT_MAX + BAR_MAX + 1], drawing[BAR_MAX + 1];
    for (int i = 0; i < bar; i++) drawing[i] = i < full ? '=' : i == full ? '>' : ' ';
    drawing[bar] = 0;
    if (bar)
        snprintf(line, sizeof line, "%s [%s] %3.0f%% %s", label, drawing, 100 * fraction, text);
    else
        snprintf(line, sizeof line, "%s %3.0f%% %s", label, 100 * fraction, text);
    fprintf(stderr, "\r\033[K%s%.*s%s", p->colour ? "\033[36m" : "", width, line, p->colour ? "\033[0m" : "");
    fflush(stderr);
    p->drawn = 1;
    p->last = run_clock();
}

int progress_callback(void *self, const inco_progress *now) {
    progress_show(self, now);
    return 0;
}

int progress_until_signal(void *self, const inco_progress *now) {
    progress_show(self, now);
    return run_signal() != 0;
}

void progress_clear(progress *p) {
    if (p->drawn) fputs("\r\033[K", stderr);
    p->drawn = 0;
}

/* Whether to print again: a bar moves up to ten times a second, plain lines are rarer. */
static int due(const progress *p) {
    return p->shown && run_clock() - p->last >= (p->terminal ? redraw_seconds : line_seconds);
}

/* Fraction of the current phase that is done. */
static double share_of(const inco_progress *now) {
    return now->total > 0 ? (double)now->done / (double)now->total : 0;
}

/* ---- Learning ---- */

/* Signals per second of the current coding pass. */
static double rate(const progress *p, int64_t done) {
    double seconds = run_clock() - p->pass_started;
    return seconds > 0 ? (double)done / seconds : 0;
}

/* Seconds left of this iteration, the following iterations and the final coding pass; NaN: unknown. */
static double time_left(const progress *p, const inco_progress *now, double within) {
    double pass = p->code, iteration = p->iteration;
    if (iteration <= 0) {
        if (within < 0.02) return NAN;
        pass = iteration = (run_clock() - p->pass_started) / within;
    }
    if (!strcmp(now->phase, "final")) return (1 - within) * pass;
    return (1 - within) * iteration + (double)(now->iterations - now->iteration) * iteration + pass;
}

static void write_left(char *text, size_t size, double rate, double left) {
    char time[32];
    write_time(time, sizeof time, isnan(left) ? 0 : left);
    if (isnan(left))
        snprintf(text, size, "%.0f signals/s", rate);
    else
        snprintf(text, size, "%.0f signals/s, %s left", rate, time);
}

/* "gamma 3/12, ": the current point of a regularisation path, and their number if it is known; else "". */
static void label_point(char *text, size_t size, const inco_progress *now) {
    *text = 0;
    if (now->point > 0 && now->points > 0)
        snprintf(text, size, "gamma %lld/%lld, ", (long long)now->point, (long long)now->points);
    else if (now->point > 0)
        snprintf(text, size, "gamma %lld, ", (long long)now->point);
}

/* From the share of a point that is done, that of the whole path, where its length is known. */
static double share_of_path(const inco_progress *now, double share) {
    return now->points > 0 && now->point > 0 ? ((double)(now->point - 1) + share) / (double)now->points : share;
}

static void draw_learning(progress *p, const inco_progress *now) {
    const int final = !strcmp(now->phase, "final"), bound = !strcmp(now->phase, "bound");
    /* after the whole pass, not after a batch of it */
    const int update = !strcmp(now->phase, "update") && now->done == now->total;
    const double within = update ? 1 : share_of(now);
    const double passes = (double)(final ? now->iterations : now->iteration - 1) + within;
    char label[96], coded[32], text[TEXT_MAX];
    label_point(label, sizeof label, now);
    const size_t used = strlen(label);
    if (final)
        snprintf(label + used, sizeof label - used, "final coding");
    else if (bound)
        snprintf(label + used, sizeof label - used, "enforcing the bound");
    else
        snprintf(label + used, sizeof label - used, "iteration %lld/%lld", (long long)now->iteration,
                 (long long)now->iterations);
    write_left(text, sizeof text, rate(p, now->done), time_left(p, now, within));
    if (update) snprintf(text, sizeof text, "updating the atoms");
    if (bound) snprintf(text, sizeof text, "coherence %.4f", now->coherence_max);
    if (p->error > 0) snprintf(text + strlen(text), sizeof text - strlen(text), ", error %.4f", p->error);
    snprintf(coded, sizeof coded, "%.0f%% coded, ", 100 * within);
    if (p->terminal)
        draw(p, label, share_of_path(now, fmin(1, passes / (double)(now->iterations + 1))), text);
    else
        fprintf(stderr, "%s: %.*s%s\n", label, bound ? 0 : (int)strlen(coded), coded, text);
    p->last = run_clock();
}

/* At the end of an iteration: notes its time and, unless on a terminal, prints it. */
static void end_iteration(progress *p, const inco_progress *now) {
    p->code = now->seconds_code;
    p->iteration = now->seconds_code + now->seconds_update;
    p->error = now->relative_error;
    p->pass = now->iteration + 1;
    p->pass_started = run_clock();
    if (p->terminal || !p->shown || now->point > 0) return;
    fprintf(stderr, "iteration %lld/%lld: ", (long long)now->iteration, (long long)now->iterations);
    if (!isnan(now->relative_error))
        fprintf(stderr, "error %.4f, cardinality %.1f, ", now->relative_error, now->mean_cardinality);
    fprintf(stderr, "coherence max %.4f rms %.4f, %.1f s\n", now->coherence_max, now->coherence_rms, now->seconds);
    p->last = run_clock();
}

/* A point of a path has ended. */
static void show_point(progress *p, const inco_progress *now) {
    char label[64];
    p->pass_started = run_clock();
    if (p->terminal || !p->shown) return;
    label_point(label, sizeof label, now);
    fprintf(stderr, "%.*s: weight %.4g, error %.4f, cardinality %.1f, coherence max %.4f rms %.4f, %.1f s\n",
            (int)strlen(label) - 2, label, now->gamma, now->relative_error, now->mean_cardinality, now->coherence_max,
            now->coherence_rms, now->seconds);
    p->last = run_clock();
}

static void show_learning(progress *p, const inco_progress *now) {
    const int64_t pass = now->iteration + !strcmp(now->phase, "final");
    if (pass != p->pass && p->pass) p->pass_started = run_clock();
    p->pass = pass;
    if (!strcmp(now->phase, "iteration"))
        end_iteration(p, now);
    else if (due(p))
        draw_learning(p, now);
}

/* ---- Search ---- */

/* Steps of frame and decohere, and the coherence reached. */
static void show_search(progress *p, const inco_progress *now) {
    if (!due(p) || now->iterations <= 0) return;
    const double fraction = fmin(1, (double)now->iteration / (double)now->iterations);
    char label[64], text[TEXT_MAX];
    snprintf(label, sizeof label, "step %lld of at most %lld", (long long)now->iteration, (long long)now->iterations);
    snprintf(text, sizeof text, "coherence %.6f", now->coherence_max);
    if (p->terminal)
        draw(p, label, fraction, text);
    else
        fprintf(stderr, "%s: %s, %.1f s\n", label, text, now->seconds);
    p->last = run_clock();
}

/* ---- Coding and measuring ---- */

static void show_coding(progress *p, const inco_progress *now) {
    if (!due(p) || now->total <= 0) return;
    const double fraction = share_of(now), seconds = run_clock() - p->pass_started;
    char text[TEXT_MAX];
    write_left(text, sizeof text, rate(p, now->done), fraction > 0.02 ? seconds * (1 - fraction) / fraction : NAN);
    if (p->terminal)
        draw(p, "coding", fraction, text);
    else
        fprintf(stderr, "coding: %.0f%%, %s\n", 100 * fraction, text);
    p->last = run_clock();
}

/* Most measurements end before a bar is useful. */
static void show_measuring(progress *p, const inco_progress *now) {
    const double steps = (double)(now->iterations > 0 ? now->iterations : 1);
    const double step = now->iteration > 0 ? (double)now->iteration - 1 : 0;
    if (!due(p) || now->seconds < measuring_seconds) return;
    const double fraction = fmin(1, (step + share_of(now)) / steps);
    if (p->terminal)
        draw(p, "measuring", fraction, "");
    else
        fprintf(stderr, "measuring: %.0f%%, %.1f s\n", 100 * fraction, now->seconds);
    p->last = run_clock();
}

/* ---- Phases ---- */

void progress_show(progress *p, const inco_progress *now) {
    static const struct {
        const char *phase;
        void (*show)(progress *p, const inco_progress *now);
    } shows[] = {{"point", show_point},       {"frame", show_search},      {"decohere", show_search},
                 {"inspect", show_measuring}, {"compare", show_measuring}, {"residuals", show_measuring}};
    for (size_t i = 0; i < sizeof shows / sizeof *shows; i++)
        if (!strcmp(now->phase, shows[i].phase)) {
            shows[i].show(p, now);
            return;
        }
    if (now->iterations > 0)
        show_learning(p, now);
    else
        show_coding(p, now);
}

/* ---- A grid of runs ---- */

void progress_grid(progress *p, const char *name, double fraction, double left, const char *doing) {
    char time[32], text[TEXT_MAX];
    if (!due(p)) return;
    write_time(time, sizeof time, isnan(left) ? 0 : left);
    snprintf(text, sizeof text, "%s%s%s%s", doing, isnan(left) ? "" : ", ", isnan(left) ? "" : time,
             isnan(left) ? "" : " left");
    if (p->terminal)
        draw(p, name, fraction, text);
    else
        fprintf(stderr, "%s: %s, %.0f%% of all\n", name, text, 100 * fraction);
    p->last = run_clock();
}
