/* Valid arguments for every pointer type of inco.h, for the calls that nulls.py generates. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <inco/inco.h>

enum { DIM = 4, ATOMS = 6, SIGNALS = 20 };

/* ---- Data ---- */

static double values[DIM * SIGNALS], numbers[SIGNALS], rising[] = {1, 2, 3, 4, 5, 6};
static const char *const texts[] = {"a", "b"};
static char buffer[sizeof(inco_progress)]; /* the size that nulls.py passes for every size_t */
static int64_t count_place;

static int read_signals(void *self, int64_t first, int64_t count, void *out, inco_error *error) {
    (void)self, (void)error;
    memcpy(out, values + first * DIM, (size_t)count * DIM * sizeof(double));
    return INCO_OK;
}

static int write_bytes(void *self, const void *bytes, size_t count) {
    (void)self, (void)bytes, (void)count;
    return 0;
}

static int read_bytes(void *self, void *bytes, size_t count) {
    (void)self, (void)bytes, (void)count;
    return 1;
}

static int on_progress(void *self, const inco_progress *now) {
    (void)self, (void)now;
    return 0;
}

static int reduce(void *self, double *sum, int64_t count, int64_t from, int64_t to, inco_error *error) {
    (void)self, (void)sum, (void)count, (void)from, (void)to, (void)error;
    return INCO_OK;
}

static int broadcast(void *self, void *bytes, size_t count, int64_t from, int64_t to, inco_error *error) {
    (void)self, (void)bytes, (void)count, (void)from, (void)to, (void)error;
    return INCO_OK;
}

/* Results are created for every call; the previous ones are released. */
static inco_error error_place;
static inco_mat x = {INCO_F64, DIM, SIGNALS, DIM, values, NULL}, d = {INCO_F64, DIM, ATOMS, DIM, values, NULL}, made;
static inco_csc codes, made_codes;
static inco_source source = {.size = sizeof source,
                             .dim = DIM,
                             .count = SIGNALS,
                             .type = INCO_F64,
                             .read = read_signals},
                   made_source = INCO_INIT(inco_source);
static inco_stream stream = {.size = sizeof stream, .write = write_bytes, .read = read_bytes},
                   made_stream = INCO_INIT(inco_stream);
static inco_learn_info learn_info = INCO_INIT(inco_learn_info);
static inco_encode_info encode_info = INCO_INIT(inco_encode_info);
static inco_frame_info frame_info = INCO_INIT(inco_frame_info);
static inco_decohere_info decohere_info = INCO_INIT(inco_decohere_info);
static inco_metrics metrics = INCO_INIT(inco_metrics), made_metrics = INCO_INIT(inco_metrics);
static inco_comparison comparison = INCO_INIT(inco_comparison), made_comparison = INCO_INIT(inco_comparison);
static inco_residuals made_residuals = INCO_INIT(inco_residuals);
static inco_origin origin = INCO_INIT(inco_origin), made_origin = INCO_INIT(inco_origin);
static double sums[ATOMS * ATOMS + DIM * ATOMS];
static inco_mat sum_a = {INCO_F64, ATOMS, ATOMS, ATOMS, sums, NULL},
                sum_b = {INCO_F64, DIM, ATOMS, DIM, sums + ATOMS *ATOMS, NULL};
static inco_online online = {.size = sizeof online, .dictionary = &d, .a = &sum_a, .b = &sum_b};
static inco_cluster cluster = {.size = sizeof cluster, .rank = 0, .ranks = 1, .reduce = reduce, .broadcast = broadcast};
static inco_path path = INCO_INIT(inco_path);
static inco_path_point point = INCO_INIT(inco_path_point);
static inco_progress progress = INCO_INIT(inco_progress);
static inco_option option = INCO_INIT(inco_option);
static inco_table table = {.size = sizeof table,
                           .id = "t",
                           .title = "t",
                           .columns = 1,
                           .rows = 1,
                           .header = texts,
                           .cells = texts,
                           .kinds = "l"};
static inco_summary summary = {.size = sizeof summary, .dictionary = &d, .metrics = &metrics};

static inco_comparison_summary compared = {.size = sizeof compared, .a = &d, .b = &d, .comparison = &comparison};

/* ---- Handles ---- */

static inco_options *options, *made_options;
static inco_data *data, *made_data;
static inco_learner *learner, *made_learner;
static inco_coder *coder, *made_coder;
static inco_report *report, *made_report;
static inco_chart *chart, *made_chart;
static inco_log *run_log, *made_log;
static inco_file *file, *made_file;

/* An address that is not a handle, and one of a handle that has ended. */
static char nothing[256];
static void *gone_options, *gone_data, *gone_learner, *gone_coder, *gone_report, *gone_chart, *gone_log, *gone_file;

static char folder[] = "/tmp/inco-nulls-XXXXXX", file_name[64], matrix_name[64], codes_name[64], log_name[64];
static const char *paths[] = {matrix_name};

static void need(int status, const char *what) {
    if (status >= 0) return;
    fprintf(stderr, "%s: %s\n", what, error_place.message);
    exit(1);
}
#define NEED(call) need(call, #call)

static inco_options *new_options(void) {
    inco_options *o = inco_options_new();
    NEED(inco_options_set(o, "atoms", "6", &error_place));
    NEED(inco_options_set(o, "dim", "4", &error_place));
    NEED(inco_options_set(o, "iterations", "1", &error_place));
    NEED(inco_options_set(o, "coder", "omp", &error_place));
    NEED(inco_options_set(o, "sparsity", "2", &error_place));
    NEED(inco_options_set(o, "max-coherence", "0.9", &error_place));
    NEED(inco_options_set(o, "starts", "1", &error_place));
    NEED(inco_options_set(o, "steps", "2", &error_place));
    NEED(inco_options_set(o, "threads", "1", &error_place));
    return o;
}

/* Creates one handle of each kind. */
static void make_handles(void) {
    options = new_options();
    NEED(inco_data_open(&data, paths, 1, NULL, &error_place));
    NEED(inco_learner_new(&learner, &source, options, &error_place));
    NEED(inco_coder_new(&coder, &d, INCO_F64, options, &error_place));
    report = inco_report_new("t", "s");
    chart = inco_chart_new("c", "t", NULL);
    if (inco_has("json") > 0) NEED(inco_log_load(&run_log, log_name, &error_place));
    NEED(inco_file_create(&file, file_name, &error_place));
}

static void free_handles(void) {
    inco_learner_free(learner);
    inco_coder_free(coder);
    inco_data_free(data);
    inco_report_free(report);
    inco_chart_free(chart);
    inco_log_free(run_log);
    inco_file_close(file, 0, NULL);
    inco_options_free(options);
}

static void begin(void) {
    if (!mkdtemp(folder)) exit(1);
    snprintf(file_name, sizeof file_name, "%s/f", folder);
    snprintf(matrix_name, sizeof matrix_name, "%s/x.npy", folder);
    snprintf(codes_name, sizeof codes_name, "%s/c.npz", folder);
    snprintf(log_name, sizeof log_name, "%s/l.jsonl", folder);
    for (int i = 0; i < DIM * SIGNALS; i++) values[i] = (double)(i * i % 17) - 5 + 0.01 * i;
    FILE *out = fopen(log_name, "w");
    fputs("{\"event\": \"start\", \"version\": \"0\"}\n", out);
    fclose(out);
    NEED(inco_save(matrix_name, &x, NULL, NULL, &error_place));
    make_handles();
    gone_options = options, gone_data = data, gone_learner = learner, gone_coder = coder;
    gone_report = report, gone_chart = chart, gone_log = run_log, gone_file = file;
    free_handles();
    make_handles();
    NEED(inco_inspect(&d, NULL, &metrics, &error_place));
    NEED(inco_compare(&d, &d, NULL, &comparison, &error_place));
    NEED(inco_encode(&d, &source, options, &codes, NULL, &error_place));
}

/* Releases the results of a call. */
static void release(void) {
    inco_mat_free(&made);
    inco_csc_free(&made_codes);
    inco_metrics_free(&made_metrics);
    inco_comparison_free(&made_comparison);
    inco_residuals_free(&made_residuals);
    inco_origin_free(&made_origin);
    inco_options_free(made_options);
    inco_data_free(made_data);
    inco_learner_free(made_learner);
    inco_coder_free(made_coder);
    inco_report_free(made_report);
    inco_chart_free(made_chart);
    inco_log_free(made_log);
    inco_file_close(made_file, 0, NULL);
    made_options = NULL, made_data = NULL, made_learner = NULL, made_coder = NULL;
    made_report = NULL, made_chart = NULL, made_log = NULL, made_file = NULL;
}

static void end(void) {
    free_handles();
    inco_csc_free(&codes);
    inco_metrics_free(&metrics);
    inco_comparison_free(&comparison);
    const char *names[] = {file_name, matrix_name, codes_name, log_name};
    for (int i = 0; i < 4; i++) unlink(names[i]);
    if (rmdir(folder)) exit(1);
}
