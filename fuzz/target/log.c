/* Logs of runs, and the report of what they state. */
#include <math.h>
#include <stdlib.h>

#include "../fuzz.h"

static int count_bytes(void *self, const void *bytes, size_t count) {
    (void)bytes;
    *(size_t *)self += count;
    return 0;
}

static void report(const inco_log *log) {
    const int64_t found = inco_log_iterations(log), count = found < 50 ? found : 50;
    inco_progress now[50];
    const inco_progress *iterations[50];
    double values[8] = {1, 0, 0, 1, .6, .8, -.8, .6};
    int64_t atoms;
    inco_mat d;
    size_t written = 0;
    inco_metrics metrics = INCO_INIT(inco_metrics);
    inco_report *page = inco_report_new("x", NULL);
    const int64_t *usage = inco_log_usage(log, &atoms);
    for (int64_t i = 0; i < count; i++) {
        now[i] = (inco_progress)INCO_INIT(inco_progress);
        PROMISE(inco_log_iteration(log, i, &now[i], NULL) == 0);
        iterations[i] = &now[i];
    }
    inco_mat_view(&d, INCO_F64, 2, 4, values);
    PROMISE(inco_inspect(&d, NULL, &metrics, NULL) == 0);
    const inco_summary summary = {.size = sizeof summary,
                                  .dictionary = &d,
                                  .metrics = &metrics,
                                  .iteration_count = count,
                                  .iterations = iterations,
                                  .usage = atoms == 4 ? usage : NULL,
                                  .signals = 100,
                                  .relative_error = inco_log_number(log, "end.relative_error"),
                                  .mean_cardinality = inco_log_number(log, "end.mean_cardinality")};
    const inco_stream stream = {.size = sizeof stream, .self = &written, .write = count_bytes};
    inco_report_dictionary(page, &summary);
    PROMISE(inco_report_write(page, &stream, NULL) == 0 && written > 100);
    inco_report_free(page);
    inco_metrics_free(&metrics);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static const char *const names[] = {
        "start.version", "start.options.method", "start.files", "start", "end.coherence.max", "end.stopped_by",
        "end.usage",     "start.command",        "end.a.b.c",   ""};
    inco_log *log = NULL;
    char text[16];
    if (inco_log_load(&log, fuzz_file("run.jsonl", bytes, count), NULL) < 0) {
        PROMISE(!log);
        return 0;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const int length = inco_log_text(log, names[i], text, sizeof text);
        char *whole = malloc((size_t)(length < 0 ? 0 : length) + 1);
        PROMISE(whole && inco_log_text(log, names[i], whole, (size_t)(length < 0 ? 0 : length) + 1) == length);
        free(whole);
        (void)inco_log_number(log, names[i]);
    }
    fuzz_accepted++;
    report(log);
    inco_log_free(log);
    return 0;
}
