/* The report of `inco learn`. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "learn.h"
#include "results.h"

void learn_html_iteration(learn_job *job, const inco_progress *now) {
    if (!html_wanted(&job->html)) return;
    if (job->history_count == job->history_capacity) {
        const int64_t capacity = job->history_capacity ? 2 * job->history_capacity : 64;
        inco_progress *more = realloc(job->history, (size_t)capacity * sizeof *more);
        if (!more) return; /* the figure ends early */
        job->history = more;
        job->history_capacity = capacity;
    }
    job->history[job->history_count++] = *now;
}

/* ---- Facts ---- */

static void add_data(facts *f, const learn_job *job, const inco_learn_info *info) {
    if (!job->data) return;
    const inco_source *source = &job->source;
    const long long files = inco_data_files(job->data);
    char *paths = facts_join(job->run->paths, job->run->path_count);
    facts_add(f, "Data", "%lld signals of %lld values (%s) from %lld %s file%s", (long long)source->count,
              (long long)source->dim, results_precision(source->type), files, inco_data_kind(job->data),
              files == 1 ? "" : "s");
    if (paths) facts_note(f, "%s", paths);
    free(paths);
    if (info->rank < info->dim)
        facts_add(f, "Span of the signals", "%lld of %lld dimensions", (long long)info->rank, (long long)info->dim);
}

static void add_run(facts *f, const learn_job *job, const inco_learn_info *info) {
    char date[40], method[16], coder[16], seed[32];
    struct tm parts;
    inco_options_get(job->run->options, "method", method, sizeof method);
    inco_options_get(job->run->options, "coder", coder, sizeof coder);
    inco_options_get(job->run->options, "seed", seed, sizeof seed);
    facts_command_line(f, job->run);
    facts_add(f, "Program", "inco %s", inco_version());
    if (gmtime_r(&job->began, &parts) && strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", &parts))
        facts_add(f, "Date", "%s", date);
    add_data(f, job, info);
    facts_add(f, "Method", "%s, %lld iterations", method, (long long)info->iterations);
    if (info->gamma > 0) facts_note(f, "γ = %.6g, relative %.6g", info->gamma, info->gamma_relative);
    if (job->data) facts_add(f, "Coder", "%s", coder);
    facts_add(f, "Seed", "%s", seed);
    facts_add(f, "Stopped by", "%s", run_signal() ? "a signal" : info->stopped_by);
    facts_add(f, "Time", "%.1f s: coding %.1f, update %.1f", info->seconds_total, info->seconds_code,
              info->seconds_update);
    facts_machine(f, (int)info->threads, info->isa, info->blas);
}

/* ---- The report ---- */

/* Sets the shape of the atoms: audio with a sampling rate, or patches. */
static void add_shape(const learn_job *job, inco_summary *s) {
    char patch[64];
    int64_t rows = 0, cols = 0;
    s->rate = job->data ? inco_data_rate(job->data) : inco_options_get_number(job->run->options, "rate");
    if (inco_options_get(job->run->options, "patch", patch, sizeof patch) > 0) html_size(patch, &rows, &cols);
    s->patch_rows = rows;
    s->patch_cols = cols;
}

/* Of a regularisation path only the iterations of the point chosen; if there is none, those before the first point. */
static void select_history(learn_job *job) {
    const int64_t chosen = learn_path_chosen(job);
    int64_t kept = 0;
    for (int64_t i = 0; i < job->history_count; i++)
        if (job->history[i].point == chosen) job->history[kept++] = job->history[i];
    job->history_count = kept;
}

int learn_html(learn_job *job) {
    const inco_learn_info info = learn_info(job);
    inco_mat dictionary = {0};
    inco_summary s = {.size = sizeof s,
                      .dictionary = &dictionary,
                      .usage = inco_learner_usage(job->learner, NULL),
                      .signals = info.signals,
                      .relative_error = info.relative_error,
                      .mean_cardinality = info.mean_cardinality};
    char subtitle[256], *name = strrchr(job->output, '/');
    if (!html_wanted(&job->html)) return INCO_OK;
    inco_learner_dictionary(job->learner, &dictionary, NULL);
    inco_learner_mean(job->learner, &job->html.centred.mean, NULL);
    add_shape(job, &s);
    add_run(&job->html.facts, job, &info);
    select_history(job);
    html_iterations(&job->html, &s, job->history, job->history_count);
    if (run_signal()) { /* interrupted: no more coding */
        inco_data_free(job->html.data);
        job->html.data = NULL;
    }
    snprintf(subtitle, sizeof subtitle, "A dictionary of %lld atoms in %lld dimensions, %s", (long long)info.atoms,
             (long long)info.dim, job->data ? "learned from data" : "designed without data");
    const char *title = !strcmp(job->output, "-") ? "Dictionary" : name ? name + 1 : job->output;
    return html_write(&job->html, title, subtitle, &s);
}
