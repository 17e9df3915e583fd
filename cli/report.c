/* inco report: writes a report of a dictionary and of the run that learned it, from the run's log. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "outputs.h"
#include "html.h"
#include "results.h"

typedef struct report_job {
    run *run;
    html_report html;
    inco_log *log;
    inco_progress *iterations; /* of the log */
    int64_t iteration_count;
    inco_mat dictionary;
} report_job;

/* ---- Facts from the log ---- */

/* A member as text, to be freed; NULL: none. */
static char *text_of(const inco_log *log, const char *name) {
    const int length = inco_log_text(log, name, NULL, 0);
    char *text = length > 0 ? malloc((size_t)length + 1) : NULL;
    if (text) inco_log_text(log, name, text, (size_t)length + 1);
    return text;
}

static void add_text(report_job *job, const char *name, const char *member) {
    char *text = text_of(job->log, member);
    if (text) facts_add(&job->html.facts, name, "%s", text);
    free(text);
}

/* 2026-03-01T12:00:00Z becomes 2026-03-01 12:00 UTC. */
static void add_program(report_job *job) {
    char *version = text_of(job->log, "start.version"), *time = text_of(job->log, "start.time");
    if (version) facts_add(&job->html.facts, "Program", "inco %s", version);
    if (time && strlen(time) >= 16) facts_add(&job->html.facts, "Date", "%.10s %.5s UTC", time, time + 11);
    free(version);
    free(time);
}

static void add_method(report_job *job) {
    char *method = text_of(job->log, "start.options.method");
    const int64_t count = job->iteration_count;
    if (method)
        facts_add(&job->html.facts, "Method", "%s, %lld iterations", method,
                  count ? (long long)job->iterations[count - 1].iteration : 0);
    free(method);
}

static void add_machine(report_job *job) {
    char *isa = text_of(job->log, "start.isa"), *blas = text_of(job->log, "start.blas");
    const double threads = inco_log_number(job->log, "start.threads");
    if (isa && blas && threads > 0) facts_machine(&job->html.facts, (int)threads, isa, blas);
    free(isa);
    free(blas);
}

static void add_data(report_job *job) {
    char *kind = text_of(job->log, "start.data.kind"), *precision = text_of(job->log, "start.data.precision");
    const double files = inco_log_number(job->log, "start.data.files");
    if (kind && precision)
        facts_add(&job->html.facts, "Data", "%.0f signals of %.0f values (%s) from %.0f %s file%s",
                  inco_log_number(job->log, "start.data.signals"), inco_log_number(job->log, "start.data.dim"),
                  precision, files, kind, files == 1 ? "" : "s");
    free(kind);
    free(precision);
}

static void add_run(report_job *job) {
    facts *f = &job->html.facts;
    const double gamma = inco_log_number(job->log, "end.gamma"), total = inco_log_number(job->log, "end.seconds.total");
    add_text(job, "Command", "start.command_line");
    facts_code(f);
    add_program(job);
    add_data(job);
    add_method(job);
    if (gamma > 0) facts_note(f, "γ = %.6g, relative %.6g", gamma, inco_log_number(job->log, "end.gamma_relative"));
    if (inco_log_number(job->log, "start.data.signals") > 0) add_text(job, "Coder", "start.options.coder");
    add_text(job, "Seed", "start.seed");
    add_text(job, "Stopped by", "end.stopped_by");
    if (total >= 0)
        facts_add(f, "Time", "%.1f s: coding %.1f, update %.1f", total, inco_log_number(job->log, "end.seconds.code"),
                  inco_log_number(job->log, "end.seconds.update"));
    else
        facts_add(f, "Stopped by", "the log is incomplete: the run was interrupted");
    add_machine(job);
}

static int read_iterations(report_job *job) {
    run *r = job->run;
    const int64_t count = inco_log_iterations(job->log);
    int status = INCO_OK;
    job->iterations = calloc((size_t)count + 1, sizeof *job->iterations);
    if (!job->iterations) return run_no_memory(r);
    for (int64_t i = 0; i < count; i++) {
        job->iterations[i].size = sizeof *job->iterations;
        TRY(inco_log_iteration(job->log, i, &job->iterations[i], &r->error));
    }
    job->iteration_count = count;
done:
    return status;
}

static int agree(report_job *job) {
    const double dim = inco_log_number(job->log, "end.dim"), atoms = inco_log_number(job->log, "end.atoms");
    const inco_mat *d = &job->dictionary;
    const double print = inco_log_number(job->log, "end.fingerprint");
    if ((isnan(dim) || dim == (double)d->rows) && (isnan(atoms) || atoms == (double)d->cols)) {
        if (isnan(print) || print == (double)inco_fingerprint(d)) return INCO_OK;
        return run_fail(job->run, INCO_EDATA,
                        "'%s' is the log of another dictionary than '%s': they are not from the same run",
                        job->run->paths[0], job->run->paths[1]);
    }
    return run_fail(
        job->run, INCO_EDIM,
        "'%s' is the log of %.0f atoms of %.0f dimensions, but '%s' has %lld of %lld: they are not from the same run",
        job->run->paths[0], atoms, dim, job->run->paths[1], (long long)d->cols, (long long)d->rows);
}

static int log_option(const void *self, const char *name, char *buffer, size_t size) {
    char member[64];
    snprintf(member, sizeof member, "start.options.%s", name);
    return inco_log_text(self, member, buffer, size);
}

/* ---- The report ---- */

static inco_summary summarise(const report_job *job) {
    const inco_log *log = job->log;
    int64_t atoms;
    int64_t rows = 0, cols = 0;
    char patch[64];
    const double signals = inco_log_number(log, "end.signals"), sampled = inco_log_number(log, "start.data.rate"),
                 asked = inco_log_number(log, "start.options.rate");
    inco_summary s = {.size = sizeof s,
                      .dictionary = &job->dictionary,
                      .signals = signals > 0 ? (int64_t)signals : 0,
                      .relative_error = inco_log_number(log, "end.relative_error"),
                      .mean_cardinality = inco_log_number(log, "end.mean_cardinality"),
                      .rate = sampled > 0 ? sampled
                              : asked > 0 ? asked
                                          : 0};
    s.usage = inco_log_usage(log, &atoms);
    if (atoms != job->dictionary.cols) s.usage = NULL;
    if (log_option(log, "patch", patch, sizeof patch) > 0) html_size(patch, &rows, &cols);
    s.patch_rows = rows;
    s.patch_cols = cols;
    return s;
}

static void print_json(const report_job *job) {
    json j = results_begin(job->run);
    json_text(&j, "output", job->html.report);
    json_integer(&j, "dim", job->dictionary.rows);
    json_integer(&j, "atoms", job->dictionary.cols);
    results_seconds(&j, job->run, 0, NAN, 0);
    results_end(&j);
}

static int make(report_job *job) {
    run *r = job->run;
    inco_summary s;
    char subtitle[256], columns[8];
    int status;
    TRY(inco_log_load(&job->log, r->paths[0], &r->error));
    if (log_option(job->log, "columns", columns, sizeof columns) > 0 && !strcmp(columns, "yes"))
        TRY(inco_options_set(r->options, "columns", "yes", &r->error)); /* as written by learn */
    TRY(inco_load(r->paths[1], r->options, &job->dictionary, &r->error));
    TRY(inco_load_mean(r->paths[1], &job->dictionary, &job->html.centred.mean, &r->error));
    TRY(agree(job));
    TRY(html_open_test(&job->html, log_option, job->log, job->dictionary.rows));
    TRY(read_iterations(job));
    s = summarise(job);
    html_iterations(&job->html, &s, job->iterations, job->iteration_count);
    add_run(job);
    snprintf(subtitle, sizeof subtitle, "A dictionary of %lld atoms in %lld dimensions, and the run that learned it",
             (long long)s.dictionary->cols, (long long)s.dictionary->rows);
    const char *slash = strrchr(r->paths[1], '/');
    TRY(html_write(&job->html, slash ? slash + 1 : r->paths[1], subtitle, &s));
    if (r->json) print_json(job);
done:
    return status;
}

static int perform(run *r) {
    report_job job = {.run = r, .html = HTML_INIT};
    int status;
    TRY(html_names(&job.html, r, "output"));
    if (r->path_count != 2) TRY(run_fail(r, INCO_EINVAL, "give the log of a run and its dictionary: RUN.jsonl D.npy"));
    if (!job.html.report) TRY(run_fail(r, INCO_EINVAL, "no output file given: -o FILE"));
    const output outputs[] = {{"-o", job.html.report, OUTPUT_TEXT}, {"--csv", job.html.csv, OUTPUT_FOLDER}};
    TRY(outputs_check(r, outputs, 2, r->paths, 2));
    TRY(make(&job));
done:
    inco_log_free(job.log);
    free(job.iterations);
    inco_mat_free(&job.dictionary);
    html_free(&job.html);
    return status;
}

const command report_command = {
    "report",
    COMMAND_REPORT,
    "RUN.jsonl D.npy -o REPORT.html [OPTIONS]",
    "write a report with figures, from a run's log and dictionary",
    "Writes a self-contained HTML report: headline figures, the settings of the run, convergence, atoms, coherence, "
    "use of the atoms, and the most coherent pairs. RUN.jsonl is the file written by inco learn --log. Test signals "
    "are cut into windows or patches like the training signals, as recorded in the log.",
    perform,
};
