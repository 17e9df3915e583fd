#include "results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "help.h"
#include "outputs.h"
#include "values.h"

void results_identity(json *j, const run *r) {
    json_integer(j, "schema", RESULTS_SCHEMA);
    json_text(j, "version", inco_version());
    json_text(j, "command", r->command->name);
}

void results_seconds(json *j, const run *r, double code, double update, double io) {
    json_object(j, "seconds");
    json_number(j, "code", code);
    if (!isnan(update)) json_number(j, "update", update);
    json_number(j, "io", io + r->seconds_io);
    json_number(j, "total", run_clock() - r->started);
    json_end_object(j);
}

/* ---- Options ---- */

typedef struct option_writer {
    json *json;
    const run *run;
} option_writer;

static void write_option(void *self, const option *o, int first) {
    const option_writer *w = self;
    const double number = values_number(w->run, o->name);
    int length = values_get(w->run, o->name, NULL, 0);
    char *text = length > 0 ? malloc((size_t)length + 1) : NULL;
    (void)first;
    if (text) values_get(w->run, o->name, text, (size_t)length + 1);
    if (!o->metavar)
        json_boolean(w->json, o->name, number > 0);
    else if (!isnan(number))
        json_number(w->json, o->name, number);
    else
        json_text(w->json, o->name, text);
    free(text);
}

void results_options(json *j, const run *r) {
    option_writer w = {j, r};
    json_object(j, "options");
    help_each_option(r->command, write_option, &w);
    json_end_object(j);
}

/* ---- The run ---- */

void results_command_line(json *j, const run *r) {
    json_array(j, "command_line");
    for (int i = 0; i < r->argc; i++) json_text(j, NULL, r->argv[i]);
    json_end_array(j);
}

int results_threads(const run *r) {
    double asked = inco_options_get_number(r->options, "threads");
    return asked >= 1 ? (int)asked : inco_threads_available();
}

void results_machine(json *j, const run *r) {
    json_integer(j, "threads", results_threads(r));
    json_text(j, "isa", inco_isa());
    json_text(j, "blas", inco_blas());
}

const char *results_precision(inco_type type) {
    return type == INCO_F32 ? "f32" : "f64";
}

json results_begin(const run *r) {
    json j = {.out = stdout};
    json_object(&j, NULL);
    results_identity(&j, r);
    return j;
}

void results_end(json *j) {
    json_end_object(j);
    fputc('\n', j->out);
}

void results_note_sparsity(const run *r, int64_t dim, int64_t atoms) {
    const int64_t maximum = dim < atoms ? dim : atoms;
    const double wanted = inco_options_get_number(r->options, "sparsity");
    if (wanted > (double)maximum)
        run_say(r,
                "  note              --sparsity %.0f: no code has more than %lld atoms, the smaller of dimensions and "
                "atoms",
                wanted, (long long)maximum);
}

/* JSON text to be freed; NULL: out of memory. */
static char *describe(const run *r) {
    char *text = NULL;
    size_t size = 0;
    json j = {.out = open_memstream(&text, &size)};
    if (!j.out) return NULL;
    json_object(&j, NULL);
    results_identity(&j, r);
    results_command_line(&j, r);
    results_options(&j, r);
    json_end_object(&j);
    if (!fclose(j.out)) return text;
    free(text);
    return NULL;
}

int results_save(run *r, const char *path, const inco_mat *dictionary, const inco_mat *mean,
                 const inco_options *options) {
    const double before = run_clock();
    char *meta = describe(r);
    if (!meta) return run_no_memory(r);
    int status = inco_save_dictionary(path, dictionary, mean && mean->data ? mean : NULL, options, meta, &r->error);
    free(meta);
    r->seconds_io += run_clock() - before;
    if (status >= 0) results_say_saved(r, path, mean);
    return status;
}

void results_say_saved(const run *r, const char *path, const inco_mat *mean) {
    char second[4096];
    const int beside = inco_mean_path(path, second, sizeof second);
    outputs_say(r, path, "dictionary");
    if (!mean || !mean->data) return;
    if (outputs_is_standard(path))
        run_warn(r, "the mean of the features is not written: standard output has no place for it");
    else if (beside > 0 && beside < (int)sizeof second)
        run_say(r, "wrote %s, the mean of the features", second);
}
