#include "html.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "outputs.h"
#include "results.h"

enum { TEST_SIGNALS = 2000 }; /* maximum: more would not change the quartiles */

int html_names(html_report *p, run *r, const char *report) {
    int status;
    p->run = r;
    TRY(run_text(r, report, &p->report));
    TRY(run_text(r, "csv", &p->csv));
    TRY(run_text(r, "test", &p->test));
    if (p->test && !html_wanted(p))
        TRY(run_fail(r, INCO_EINVAL, "--test applies to the report: give --report or --csv too"));
done:
    return status;
}

int html_wanted(const html_report *p) {
    return p->report || p->csv;
}

/* ---- Test signals ---- */

static int copy_option(html_report *p, const char *name, html_option value_of, const void *self) {
    char value[256];
    const int length = value_of(self, name, value, sizeof value);
    if (length <= 0 || length >= (int)sizeof value) return INCO_OK;
    const int plain = !strcmp(value, "none") || !strcmp(value, "feature"); /* the mean is that of the dictionary */
    if (!strcmp(value, "no") || (!strcmp(name, "center") && plain)) return INCO_OK;
    return inco_options_set(p->data_options, name, value, &p->run->error);
}

int html_open_test(html_report *p, html_option value_of, const void *self, int64_t dim) {
    static const char *const names[] = {"columns", "variable", "window",  "hop",    "rate",
                                        "patch",   "center",   "threads", "missing"};
    run *r = p->run;
    int status = INCO_OK;
    if (!p->test) return INCO_OK;
    p->data_options = inco_options_new();
    if (!p->data_options) TRY(run_no_memory(r));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) TRY(copy_option(p, names[i], value_of, self));
    inco_source source = INCO_INIT(inco_source);
    TRY(inco_data_open(&p->data, (const char *const[]){p->test}, 1, p->data_options, &r->error));
    TRY(inco_data_source(p->data, &source, &r->error));
    if (dim && dim != source.dim)
        TRY(run_fail(r, INCO_EDIM, "--test '%s' has signals of %lld dimensions, the atoms have %lld", p->test,
                     (long long)source.dim, (long long)dim));
done:
    return status;
}

static int own_option(const void *self, const char *name, char *buffer, size_t size) {
    return inco_options_get(self, name, buffer, size);
}

int html_open_own_test(html_report *p, int64_t dim) {
    return html_open_test(p, own_option, p->run->options, dim);
}

/* ---- Overlap with the training files ---- */

typedef struct identity {
    dev_t device;
    ino_t number;
} identity;

static int compare(const void *a, const void *b) {
    const identity *x = a, *y = b;
    if (x->device != y->device) return x->device < y->device ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static identity identify(const char *path) {
    struct stat info;
    return stat(path, &info) ? (identity){0, 0} : (identity){info.st_dev, info.st_ino};
}

void html_warn_overlap(html_report *p, const inco_data *training) {
    const int64_t count = training ? inco_data_files(training) : 0, tested = p->data ? inco_data_files(p->data) : 0;
    identity *known = count && tested ? calloc((size_t)count, sizeof *known) : NULL;
    if (!known) return;
    for (int64_t i = 0; i < count; i++) known[i] = identify(inco_data_file(training, i));
    qsort(known, (size_t)count, sizeof *known, compare);
    for (int64_t i = 0; i < tested; i++) {
        const identity file = identify(inco_data_file(p->data, i));
        p->overlap += file.number && bsearch(&file, known, (size_t)count, sizeof *known, compare);
    }
    free(known);
    if (p->overlap)
        run_warn(p->run, "--test '%s': %lld of its %lld files are also training files, so the test is not fair",
                 p->test, (long long)p->overlap, (long long)tested);
}

/* ---- Measuring ---- */

int html_watch(html_report *p) {
    p->progress = progress_start(p->run->quiet);
    return run_on_progress(p->run, progress_callback, &p->progress);
}

void html_iterations(html_report *p, inco_summary *summary, const inco_progress *list, int64_t count) {
    p->iterations = calloc((size_t)count + 1, sizeof *p->iterations);
    for (int64_t i = 0; p->iterations && i < count; i++) p->iterations[i] = &list[i];
    summary->iterations = p->iterations;
    summary->iteration_count = p->iterations ? count : 0;
}

/* A source of every step-th signal of another source. */
typedef struct thinned {
    const inco_source *from;
    int64_t apart;
} thinned;

static int read_thinned(void *self, int64_t first, int64_t count, void *out, inco_error *error) {
    const thinned *t = self;
    const size_t bytes = (size_t)t->from->dim * (size_t)t->from->type;
    int status = INCO_OK;
    for (int64_t n = 0; status >= 0 && n < count; n++)
        status = t->from->read(t->from->self, (first + n) * t->apart, 1, (char *)out + (size_t)n * bytes, error);
    return status;
}

static int measure_test(html_report *p, const inco_mat *dictionary) {
    inco_source all = INCO_INIT(inco_source);
    run *r = p->run;
    int status = inco_data_source(p->data, &all, &r->error);
    if (status < 0) return status;
    dictionary_centre(&p->centred, &all);
    thinned t = {&all, (all.count + TEST_SIGNALS - 1) / TEST_SIGNALS};
    inco_source source = all;
    source.count = (all.count + t.apart - 1) / t.apart;
    source.self = &t;
    source.read = read_thinned;
    facts_add(&p->facts, "Test signals", "%lld of the %lld in %s", (long long)source.count, (long long)all.count,
              p->test);
    if (p->overlap)
        facts_note(&p->facts, "not a fair test: %lld of the %lld files are also training files", (long long)p->overlap,
                   (long long)inco_data_files(p->data));
    run_say(r, "coding %lld test signals", (long long)source.count);
    status =
        inco_options_on_progress(p->data_options, progress_callback, &p->progress, sizeof(inco_progress), &r->error);
    if (status >= 0) status = inco_residuals_measure(dictionary, &source, p->data_options, &p->held_out, &r->error);
    progress_clear(&p->progress);
    return status;
}

/* ---- Writing ---- */

void html_size(const char *text, int64_t *rows, int64_t *cols) {
    enum { MAXIMUM = 1 << 30 }; /* the product of two fits */
    char *end;
    *rows = strtoll(text, &end, 10);
    *cols = *end == 'x' ? strtoll(end + 1, &end, 10) : 0;
    if (*end || *rows < 1 || *cols < 1 || *rows > MAXIMUM || *cols > MAXIMUM) *rows = *cols = 0;
}

int html_patch(run *r, int64_t dim, int64_t *rows, int64_t *cols) {
    char patch[64];
    *rows = *cols = 0;
    if (inco_options_get(r->options, "patch", patch, sizeof patch) <= 0) return INCO_OK;
    html_size(patch, rows, cols);
    if (*rows * *cols == dim) return INCO_OK;
    return run_fail(r, INCO_EDIM, "--patch %s has %lld values, the atoms have %lld", patch, (long long)(*rows * *cols),
                    (long long)dim);
}

int html_write_file(run *r, const char *path, const inco_report *made, int figure) {
    inco_file *file = NULL;
    inco_stream stream = INCO_INIT(inco_stream);
    int status = inco_file_create(&file, path, &r->error);
    if (status < 0) return status;
    status = inco_file_stream(file, &stream, &r->error);
    if (status >= 0)
        status = figure < 0 ? inco_report_write(made, &stream, &r->error)
                            : inco_report_write_csv(made, figure, &stream, &r->error);
    const int closing = inco_file_close(file, status >= 0 || status == INCO_EIO, &r->error);
    return status < 0 ? status : closing;
}

int html_write_numbers(run *r, const char *folder, const inco_report *made) {
    if (mkdir(folder, 0777) && errno != EEXIST)
        return run_fail(r, INCO_EIO, "cannot create the folder '%s': %s", folder, strerror(errno));
    int status = INCO_OK, i;
    for (i = 0; status >= 0 && inco_report_figure(made, i); i++) {
        const char *words[] = {folder, "/", inco_report_figure(made, i), ".csv"};
        char *path = calloc(strlen(folder) + strlen(words[2]) + 6, 1);
        for (int k = 0; path && k < 4; k++) strcat(path, words[k]);
        status = path ? html_write_file(r, path, made, i) : run_no_memory(r);
        free(path);
    }
    if (status >= 0) run_say(r, "wrote %d CSV files to %s", i, folder);
    return status;
}

int html_write(html_report *p, const char *title, const char *subtitle, inco_summary *summary) {
    run *r = p->run;
    inco_report *made = NULL;
    int status = INCO_OK;
    TRY(html_watch(p));
    if (!p->metrics.owner) TRY(inco_inspect(summary->dictionary, r->options, &p->metrics, &r->error));
    progress_clear(&p->progress);
    if (p->data) TRY(measure_test(p, summary->dictionary));
    if (p->facts.failed) TRY(run_no_memory(r));
    summary->metrics = &p->metrics;
    summary->fact_names = p->facts.names;
    summary->fact_values = (const char *const *)p->facts.values;
    summary->fact_notes = (const char *const *)p->facts.notes;
    summary->fact_kinds = p->facts.kinds;
    summary->fact_count = p->facts.count;
    summary->held_out = p->held_out.count ? &p->held_out : NULL;
    summary->duplicates = inco_options_get_number(r->options, "duplicates");
    made = inco_report_new(title, subtitle);
    if (!made) TRY(run_no_memory(r));
    inco_report_dictionary(made, summary);
    if (p->report) TRY(html_write_file(r, p->report, made, -1));
    if (p->report) outputs_say(r, p->report, "report");
    if (p->csv) TRY(html_write_numbers(r, p->csv, made));
done:
    inco_report_free(made);
    return status;
}

void html_free(html_report *p) {
    inco_mat_free(&p->centred.mean);
    inco_data_free(p->data);
    inco_options_free(p->data_options);
    inco_residuals_free(&p->held_out);
    inco_metrics_free(&p->metrics);
    facts_free(&p->facts);
    free(p->iterations);
    char *names[] = {p->report, p->csv, p->test};
    for (int i = 0; i < 3; i++) free(names[i]);
}
