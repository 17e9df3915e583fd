/* The report of `inco learn`. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "learn.h"
#include "results.h"

void learn_page_iteration(learn_job *job, const inco_progress *now) {
    if (!page_wanted(&job->page)) return;
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

static void add_date(facts *f, time_t began) {
    char text[40];
    struct tm parts;
    if (gmtime_r(&began, &parts) && strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &parts))
        facts_add(f, "Date", "%s", text);
}

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

static void add_method(facts *f, const learn_job *job, const inco_learn_info *info) {
    char method[16], coder[16];
    inco_options_get(job->run->options, "method", method, sizeof method);
    inco_options_get(job->run->options, "coder", coder, sizeof coder);
    facts_add(f, "Method", "%s, %lld iterations", method, (long long)info->iterations);
    if (info->gamma > 0) facts_note(f, "γ = %.6g, relative %.6g", info->gamma, info->gamma_relative);
    if (job->data) facts_add(f, "Coder", "%s", coder);
}

static void add_run(facts *f, const learn_job *job, const inco_learn_info *info) {
    char seed[32];
    inco_options_get(job->run->options, "seed", seed, sizeof seed);
    facts_command_line(f, job->run);
    facts_add(f, "Program", "inco %s", inco_version());
    add_date(f, job->began);
    add_data(f, job, info);
    add_method(f, job, info);
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
    long long rows = 0, cols = 0;
    s->rate = job->data ? inco_data_rate(job->data) : inco_options_get_number(job->run->options, "rate");
    if (inco_options_get(job->run->options, "patch", patch, sizeof patch) > 0) sscanf(patch, "%lldx%lld", &rows, &cols);
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

int learn_page(learn_job *job) {
    const inco_learn_info info = learn_info(job);
    inco_mat dictionary = {0};
    inco_summary s = {.size = sizeof s,
                      .dictionary = &dictionary,
                      .usage = inco_learner_usage(job->learner, NULL),
                      .signals = info.signals,
                      .relative_error = info.relative_error,
                      .mean_cardinality = info.mean_cardinality};
    char subtitle[256], *name = strrchr(job->output, '/');
    if (!page_wanted(&job->page)) return INCO_OK;
    inco_learner_dictionary(job->learner, &dictionary, NULL);
    inco_learner_mean(job->learner, &job->page.centred.mean, NULL);
    add_shape(job, &s);
    add_run(&job->page.facts, job, &info);
    select_history(job);
    page_iterations(&job->page, &s, job->history, job->history_count);
    if (run_signal()) { /* interrupted: no more coding */
        inco_data_free(job->page.data);
        job->page.data = NULL;
    }
    snprintf(subtitle, sizeof subtitle, "A dictionary of %lld atoms in %lld dimensions, %s", (long long)info.atoms,
             (long long)info.dim, job->data ? "learned from data" : "designed without data");
    const char *title = !strcmp(job->output, "-") ? "Dictionary" : name ? name + 1 : job->output;
    return page_write(&job->page, title, subtitle, &s);
}
