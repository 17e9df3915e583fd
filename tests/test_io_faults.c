/* Every allocation of every public function fails once, in both precisions: the call returns INCO_ENOMEM (or NULL, or
 * what its comment in inco.h says), or the same result as without the failure; never another result. The last test
 * compares the functions called with cmake/inco.symbols, so that a new function must be added here. */
#include "test_io.h"

#include <math.h>

#include "base/memory.h"
#include "learning.h"

/* ---- The sweep ---- */

static inco_type type;
static fingerprint_sum returned; /* of all that an operation returns */

enum { CALLED_MAX = 300 };
static const char *called[CALLED_MAX];
static int called_count;

static void note(const char *name) {
    for (int i = 0; i < called_count; i++)
        if (!strcmp(called[i], name)) return;
    assert_true(called_count < CALLED_MAX);
    called[called_count++] = name;
}
#define CALL(function) (note(#function), function)

static void add_matrix(const inco_mat *m) {
    fingerprint_add(&returned, &m->cols, sizeof m->cols);
    for (int64_t j = 0; m->data && j < m->cols; j++)
        fingerprint_add(&returned, mat_column(m, j), (size_t)m->rows * m->type);
}

static void add_number(double value) {
    fingerprint_add(&returned, &value, sizeof value);
}

static void add_codes(const inco_csc *c) {
    if (!c->start) return;
    const size_t count = (size_t)c->start[c->cols];
    fingerprint_add(&returned, c->start, (size_t)(c->cols + 1) * sizeof *c->start);
    fingerprint_add(&returned, c->index, count * sizeof *c->index);
    fingerprint_add(&returned, c->value, count * c->type);
}

/* Returns a status. Objects that it makes are freed in any case. */
typedef int (*operation)(inco_error *error);

static uint64_t run_once(operation run, int *status, inco_error *error) {
    fingerprint_begin(&returned);
    *status = run(error);
    return fingerprint_end(&returned);
}

static void sweep(operation run) {
    inco_error error = {0};
    int expected, status;
    memory_fail_at(0);
    run_once(run, &expected, &error); /* what is allocated once for the process */
    if (expected < 0) fail_msg("without a failure: %s", error.message);
    memory_fail_at(0);
    const uint64_t print = run_once(run, &expected, &error);
    const int64_t allocations = memory_fail_at(0);
    for (int64_t k = 1; k <= allocations; k++) {
        memset(&error, 0, sizeof error);
        memory_fail_at(k);
        const uint64_t other = run_once(run, &status, &error);
        memory_fail_at(0);
        if (status == INCO_ENOMEM) continue;
        if (status != expected || other != print)
            fail_msg("allocation %d of %d: status %d instead of %d, %s: %s", (int)k, (int)allocations, status, expected,
                     other == print ? "same result" : "another result", error.message);
    }
}

static void sweep_both(operation run) {
    static const inco_type types[] = {INCO_F32, INCO_F64};
    for (int i = 0; i < 2; i++) {
        type = types[i];
        sweep(run);
    }
}

/* Small data of the current precision, made once, without counting. */
static const inco_mat *signals(void) {
    static inco_mat x[2];
    inco_mat *m = &x[type == INCO_F64];
    if (!m->data) *m = check_random(type, 6, 40, 3);
    return m;
}

static const inco_mat *dictionary(void) {
    static inco_mat d[2];
    inco_mat *m = &d[type == INCO_F64];
    if (!m->data) *m = check_dictionary(type, 6, 9, 5);
    return m;
}

static inco_source source_of(const inco_mat *m) {
    inco_source source = INCO_INIT(inco_source);
    assert_int_equal(CALL(inco_source_from_mat)(&source, m, NULL), INCO_OK);
    return source;
}

static inco_options *options; /* of the operation, made before it */

static void with_options(operation run, const char *const *pairs) {
    options = check_options(pairs);
    assert_int_equal(inco_options_set(options, "threads", "1", NULL), INCO_OK);
    sweep_both(run);
    inco_options_free(options);
    options = NULL;
}
#define SWEEP(run, ...) with_options(run, (const char *const[]){__VA_ARGS__, NULL})

/* ---- Matrices and options ---- */

static int matrices(inco_error *error) {
    inco_mat m = {0}, view;
    double means[40];
    const inco_source source = source_of(signals());
    int status = CALL(inco_mat_new)(&m, type, 3, 4, error);
    CALL(inco_mat_view)(&view, type, 3, 4, m.data);
    add_matrix(&view);
    if (status >= 0) status = CALL(inco_signal_means)(&source, means, error);
    if (status >= 0) fingerprint_add(&returned, means, sizeof means);
    add_number((double)CALL(inco_fingerprint)(dictionary()));
    CALL(inco_mat_free)(&m);
    return status;
}

static int nothing(void *self, const inco_progress *progress) {
    (void)self, (void)progress;
    return 0;
}

static int option_strings(inco_error *error) {
    inco_options *o = CALL(inco_options_new)(), *copy = NULL;
    inco_option row = INCO_INIT(inco_option);
    char text[64];
    int status = o ? CALL(inco_options_set)(o, "init", "a file with a long name.npy", error) : INCO_ENOMEM;
    if (status >= 0) status = CALL(inco_options_set_number)(o, "gamma", 2, error);
    if (status >= 0) status = CALL(inco_options_check)(o, INCO_ENCODE, error);
    if (status >= 0) status = CALL(inco_options_on_progress)(o, nothing, NULL, sizeof(inco_progress), error);
    if (status >= 0) status = CALL(inco_options_cluster)(o, NULL, error);
    if (status >= 0) status = CALL(inco_check_memory)("it", 8, o, error);
    if (status >= 0 && !(copy = CALL(inco_options_copy)(o))) status = INCO_ENOMEM;
    if (status >= 0) {
        add_number(CALL(inco_options_get)(copy, "init", text, sizeof text));
        add_number(strcmp(text, "a file with a long name.npy"));
        add_number(CALL(inco_options_get_number)(copy, "gamma"));
        add_number(CALL(inco_options_given)(copy, "gamma") + CALL(inco_learn_needs_data)(copy));
        add_number(isnan(CALL(inco_learn_memory)(NULL, 3, copy)));
        add_number(CALL(inco_option_at)(3, &row));
    }
    CALL(inco_options_free)(copy);
    inco_options_free(o);
    return status;
}

static int this_build(inco_error *error) {
    (void)error;
    add_number((double)strlen(CALL(inco_strerror)(INCO_ENOMEM)) + (double)strlen(CALL(inco_version)()));
    add_number(CALL(inco_has)("npz") + CALL(inco_threads_available)());
    add_number((double)strlen(CALL(inco_isa)()) + (double)strlen(CALL(inco_blas)()) + !CALL(inco_blas_advice)());
    add_number(CALL(inco_bound)(4, 9) + (double)strlen(CALL(inco_bound_name)(4, 9)));
    CALL(inco_blas_one_thread)();
    return INCO_OK;
}

static void small_calls(void **state) {
    (void)state;
    sweep_both(matrices);
    sweep_both(option_strings);
    sweep_both(this_build);
}

/* ---- Learning ---- */

static int learn_at_once(inco_error *error) {
    const inco_source source = source_of(signals());
    inco_mat d = {0};
    inco_learn_info info = INCO_INIT(inco_learn_info);
    const int status = CALL(inco_learn)(&source, options, &d, &info, error);
    if (status >= 0) add_matrix(&d), add_number(info.relative_error), add_number(info.objective);
    inco_mat_free(&d);
    return status;
}

static int learn_in_steps(inco_error *error) {
    static memory_stream saved;
    const inco_stream stream = MEMORY_STREAM(&saved);
    const inco_source source = source_of(signals());
    inco_learner *learner = NULL, *again = NULL;
    inco_mat view = {0}, mean = {0};
    inco_learn_info info = INCO_INIT(inco_learn_info);
    inco_path path = INCO_INIT(inco_path);
    inco_path_point point = INCO_INIT(inco_path_point);
    inco_csc codes = {0};
    int64_t atoms = 0;
    saved.written = saved.read = 0;
    int status = CALL(inco_learner_new)(&learner, &source, options, error);
    if (status >= 0) status = CALL(inco_learner_start_from)(learner, dictionary(), error);
    if (status >= 0) status = CALL(inco_learner_run)(learner, error);
    if (status >= 0) add_number(CALL(inco_learner_serve)(learner, NULL)); /* refused: there is no cluster */
    if (status >= 0) status = CALL(inco_learner_save)(learner, &stream, error);
    if (status >= 0) status = inco_learner_new(&again, &source, options, error);
    if (status >= 0) status = CALL(inco_learner_resume)(again, &stream, error);
    if (status >= 0) status = inco_learner_run(again, error);
    if (status >= 0) status = CALL(inco_learner_dictionary)(again, &view, error);
    if (status >= 0) add_matrix(&view);
    if (status >= 0) status = CALL(inco_learner_mean)(again, &mean, error);
    if (status >= 0) status = CALL(inco_learner_info)(again, &info, error);
    if (status >= 0) status = CALL(inco_learner_path)(again, &path, error);
    if (status >= 0 && path.count) status = CALL(inco_learner_path_point)(again, 0, &point, error);
    if (status >= 0) status = CALL(inco_learner_encode)(again, &codes, error);
    if (status >= 0) {
        const int64_t *usage = CALL(inco_learner_usage)(again, &atoms);
        fingerprint_add(&returned, usage, (size_t)atoms * sizeof *usage);
        add_number(info.objective), add_number(point.gamma), add_number(info.relative_error);
        add_matrix(&mean);
        add_codes(&codes);
    }
    CALL(inco_csc_free)(&codes);
    CALL(inco_learner_free)(learner);
    inco_learner_free(again);
    return status;
}

static int learn_online(inco_error *error) {
    const inco_source source = source_of(signals());
    inco_mat d = {0}, a = {0}, b = {0};
    int status = mat_convert(&d, dictionary(), INCO_F64, error);
    if (status >= 0) status = inco_mat_new(&a, INCO_F64, 9, 9, error);
    if (status >= 0) status = inco_mat_new(&b, INCO_F64, 6, 9, error);
    inco_online state = {.size = sizeof state, .dictionary = &d, .a = &a, .b = &b};
    if (status >= 0) status = CALL(inco_online_learn)(&source, options, &state, error);
    if (status >= 0) add_matrix(&d), add_number(state.objective);
    inco_mat_free(&d);
    inco_mat_free(&a);
    inco_mat_free(&b);
    return status;
}

#define SHORT "iterations", "2", "sparsity", "2", "atoms", "9"

static void learning(void **state) {
    static const char *const methods[] = {"mod", "mocod", "ksvd", "aksvd", "aksvdc"};
    static const char *const bounded[] = {"idl", "inksvd", "ipr", "idb"};
    (void)state;
    for (int i = 0; i < 5; i++) SWEEP(learn_at_once, "method", methods[i], SHORT);
    for (int i = 0; i < 4; i++) SWEEP(learn_at_once, "method", bounded[i], "max-coherence", "0.8", SHORT);
    SWEEP(learn_at_once, "method", "online", "batch", "16", SHORT);
    SWEEP(learn_in_steps, "center", "feature", "exchange", "yes", SHORT);
    SWEEP(learn_in_steps, "target-error", "0.9", "iterations", "1", "sparsity", "2", "atoms", "9");
    SWEEP(learn_online, "method", "online", "batch", "16", "sparsity", "2");
}

/* ---- Coding and dictionaries ---- */

static int coding(inco_error *error) {
    const inco_source source = source_of(signals());
    inco_csc codes = {0}, more = {0};
    inco_mat back = {0};
    inco_coder *coder = NULL;
    double residual[40];
    int status = CALL(inco_encode)(dictionary(), &source, options, &codes, NULL, error);
    if (status >= 0) status = CALL(inco_decode)(dictionary(), &codes, NULL, &back, error);
    if (status >= 0) status = CALL(inco_coder_new)(&coder, dictionary(), type, options, error);
    if (status >= 0) status = CALL(inco_coder_run)(coder, signals(), &more, residual, error);
    if (status >= 0) {
        add_codes(&codes), add_codes(&more), add_matrix(&back);
        fingerprint_add(&returned, residual, sizeof residual);
    }
    CALL(inco_coder_free)(coder);
    inco_csc_free(&codes);
    inco_csc_free(&more);
    inco_mat_free(&back);
    return status;
}

static int residuals(inco_error *error) {
    const inco_source source = source_of(signals());
    inco_residuals r = INCO_INIT(inco_residuals);
    const int status = CALL(inco_residuals_measure)(dictionary(), &source, options, &r, error);
    if (status >= 0) fingerprint_add(&returned, r.median, (size_t)r.count * sizeof *r.median);
    CALL(inco_residuals_free)(&r);
    return status;
}

static int measuring(inco_error *error) {
    inco_metrics m = INCO_INIT(inco_metrics);
    inco_comparison c = INCO_INIT(inco_comparison);
    int status = CALL(inco_inspect)(dictionary(), options, &m, error);
    if (status >= 0) status = CALL(inco_compare)(dictionary(), signals(), options, &c, error);
    if (status >= 0) {
        add_number(m.coherence_max), add_number(m.coherence_rms), add_number(c.mean_similarity);
        fingerprint_add(&returned, m.singular, (size_t)m.singular_count * sizeof *m.singular);
        fingerprint_add(&returned, c.match, (size_t)c.atoms_a * sizeof *c.match);
    }
    CALL(inco_metrics_free)(&m);
    CALL(inco_comparison_free)(&c);
    return status;
}

static int designing(inco_error *error) {
    const inco_source source = source_of(signals());
    inco_mat e = {0}, f = {0};
    int status = CALL(inco_decohere)(dictionary(), &source, options, &e, NULL, error);
    if (status >= 0) add_matrix(&e);
    if (status >= 0) status = CALL(inco_frame)(options, &f, NULL, error);
    if (status >= 0) add_matrix(&f);
    inco_mat_free(&e);
    inco_mat_free(&f);
    return status;
}

static void coding_and_dictionaries(void **state) {
    static const char *const coders[] = {"larc", "omp", "ols", "lars", "lasso"};
    (void)state;
    for (int i = 0; i < 5; i++) SWEEP(coding, "coder", coders[i], i == 4 ? "lambda" : "sparsity", i == 4 ? "0.3" : "3");
    SWEEP(residuals, "center", "signal");
    SWEEP(measuring, "duplicates", "0.5");
    SWEEP(designing, "max-coherence", "0.7", "dim", "3", "starts", "1", "steps", "3", "atoms", "5", "sparsity", "2");
}

/* ---- Files ---- */

static const char *name;

static int dictionary_files(inco_error *error) {
    const char *path = in_folder(name);
    double means[6] = {1, 2, 3, 4, 5, 6};
    const inco_mat mean = mat_view(INCO_F64, 6, 1, means);
    inco_mat m = {0}, back = {0};
    char text[400];
    int status = CALL(inco_check_output)(path, error);
    if (status >= 0) status = CALL(inco_save_dictionary)(path, dictionary(), &mean, NULL, "{}", error);
    if (status >= 0) status = CALL(inco_load)(path, NULL, &m, error);
    if (status >= 0) status = CALL(inco_load_mean)(path, &m, &back, error);
    if (status >= 0) add_matrix(&m), add_matrix(&back), add_number(CALL(inco_mean_path)(path, text, sizeof text));
    if (status >= 0) status = CALL(inco_save)(path, &m, NULL, NULL, error);
    inco_mat_free(&m);
    inco_mat_free(&back);
    return status;
}

/* Decodes to a sound or an image; `name` is its file. */
static int data_files(inco_error *error) {
    const char *path = in_folder(name), *kind = NULL;
    inco_data *data = NULL;
    inco_source source = INCO_INIT(inco_source);
    inco_origin origin = INCO_INIT(inco_origin);
    float block[6];
    int status = CALL(inco_data_open)(&data, &path, 1, options, error);
    if (status >= 0) status = CALL(inco_data_source)(data, &source, error);
    if (status >= 0) status = CALL(inco_data_origin)(data, &origin, error);
    if (status >= 0) status = source.read(source.self, 0, 1, block, error);
    if (status >= 0) {
        kind = CALL(inco_data_kind)(data);
        add_number(*kind + (double)CALL(inco_data_files)(data) + CALL(inco_data_rate)(data) +
                   CALL(inco_data_memory)(data) + block[1]);
        add_number(CALL(inco_data_file)(data, 0) != NULL);
    }
    CALL(inco_origin_free)(&origin);
    CALL(inco_data_free)(data);
    return status;
}

static inco_origin origin_of(int64_t shape[2], int64_t kind) {
    shape[0] = kind == 1 ? 240 : 12, shape[1] = kind == 1 ? 1 : 20;
    return (inco_origin){.size = sizeof(inco_origin),
                         .kind = kind,
                         .window = 6,
                         .hop = kind == 1 ? 6 : 2,
                         .rate = 8000,
                         .patch_rows = 2,
                         .patch_cols = 3,
                         .files = 1,
                         .shape = shape,
                         .signals = 40};
}

static int decoded_files(inco_error *error) {
    int64_t shape[2];
    inco_origin origin = origin_of(shape, 1);
    float values[240] = {0.5f, 0.25f};
    const inco_mat x = {INCO_F32, 6, 40, 6, values, NULL};
    return CALL(inco_save_decoded)(in_folder("decoded.wav"), &x, &origin, error);
}

static int codes_files(inco_error *error) {
    static int64_t start[] = {0, 2, 3}, index[] = {1, 2, 0};
    static double wide[] = {1, 2, 3};
    static float narrow[] = {1, 2, 3};
    const inco_csc codes = {type, 4, 2, start, index, type == INCO_F32 ? (void *)narrow : wide, NULL};
    inco_csc back = {0};
    inco_origin origin = INCO_INIT(inco_origin);
    int status = CALL(inco_save_codes)(in_folder(name), &codes, NULL, error);
    if (status >= 0) status = CALL(inco_load_codes)(in_folder(name), NULL, &back, &origin, error);
    if (status >= 0) add_codes(&back);
    inco_csc_free(&back);
    inco_origin_free(&origin);
    return status;
}

static int streams(inco_error *error) {
    inco_file *file = NULL;
    inco_stream stream = INCO_INIT(inco_stream);
    char text[3] = "";
    int status = CALL(inco_file_create)(&file, in_folder("stream"), error);
    if (status >= 0) status = CALL(inco_file_stream)(file, &stream, error);
    if (status >= 0) stream.write(stream.self, "abc", 3);
    const int closed = CALL(inco_file_close)(file, status >= 0, error);
    if (status >= 0) status = closed;
    if (status < 0) return status;
    status = CALL(inco_file_open)(&file, in_folder("stream"), error);
    if (status >= 0) status = inco_file_stream(file, &stream, error);
    if (status >= 0) stream.read(stream.self, text, 3);
    if (status >= 0) fingerprint_add(&returned, text, 3);
    inco_file_close(file, 0, NULL);
    return status;
}

static void files(void **state) {
    static const char *const matrices[] = {"d.npy", "d.csv", "d.npz", "d.mat", "d.safetensors"};
    static const char *const features[] = {"npz", NULL, "npz", "mat", "json"}; /* .npy: its mean is in .npz */
    (void)state;
    for (int i = 0; i < 5; i++) {
        if (inco_has("npz") != 1 || (features[i] && inco_has(features[i]) != 1)) continue;
        name = matrices[i];
        sweep_both(dictionary_files);
    }
    for (int i = 0; i < 2; i++) {
        if (inco_has(i ? "mat" : "npz") != 1) continue;
        name = i ? "c.mat" : "c.npz";
        sweep_both(codes_files);
    }
    sweep_both(streams);
    type = INCO_F32;
    assert_works(inco_save(in_folder("x.npy"), signals(), NULL, NULL, &error));
    name = "x.npy";
    SWEEP(data_files, "signals", "20");
    if (inco_has("audio") == 1) {
        sweep_both(decoded_files);
        name = "decoded.wav";
        SWEEP(data_files, "window", "6");
    }
    write_text("image.pgm", "P2 3 4 9\n1 2 3 4 5 6 7 8 9 1 2 3\n");
    name = "image.pgm";
    SWEEP(data_files, "patch", "2x3", "hop", "1");
}

/* ---- Charts, reports and logs ---- */

static int hash_bytes(void *self, const void *bytes, size_t count) {
    (void)self;
    fingerprint_add(&returned, bytes, count);
    return 0;
}

static const inco_stream hashing = {.size = sizeof hashing, .write = hash_bytes};

static inco_chart *chart(void) {
    static const double x[] = {1, 2, 3}, y[] = {2, 1, 4}, low[] = {1, .5, 3}, high[] = {3, 2, 5};
    inco_chart *c = CALL(inco_chart_new)("a-chart", "Title", "A caption");
    CALL(inco_chart_x)(c, "x", 0, 0, 0);
    CALL(inco_chart_y)(c, "y", 0, 0, 1);
    CALL(inco_chart_line)(c, "line", 3, x, y);
    CALL(inco_chart_band)(c, low, high);
    CALL(inco_chart_bars)(c, "bars", 3, x, y, 1);
    CALL(inco_chart_steps)(c, "steps", 3, x, y, 1);
    CALL(inco_chart_mark)(c, "mark", 2, 1);
    return c;
}

static int charts(inco_error *error) {
    inco_chart *c = chart();
    const int status = c ? CALL(inco_chart_write)(c, &hashing, error) : INCO_ENOMEM;
    CALL(inco_chart_free)(c);
    return status;
}

static inco_metrics metrics; /* made before the reports */
static inco_comparison comparison;

static void add_sections(inco_report *r) {
    static const char *const names[] = {"a", "b"}, *const values[] = {"1", "2"};
    const inco_table table = {.size = sizeof table,
                              .id = "t",
                              .title = "Table",
                              .columns = 2,
                              .rows = 1,
                              .header = names,
                              .cells = values,
                              .kinds = "lr"};
    CALL(inco_report_section)(r, "Section", "Text");
    CALL(inco_report_facts)(r, names, values, NULL, "tc", 2);
    CALL(inco_report_headlines)(r, names, values, NULL, 2);
    CALL(inco_report_table)(r, &table);
}

static int write_report(const inco_report *r, inco_error *error) {
    int status = CALL(inco_report_write)(r, &hashing, error);
    for (int i = 0; status >= 0 && CALL(inco_report_figure)(r, i); i++)
        status = CALL(inco_report_write_csv)(r, i, &hashing, error);
    return status;
}

static int reports(inco_error *error) {
    inco_chart *c = chart();
    inco_report *one = CALL(inco_report_new)("Title", "Subtitle"), *two = inco_report_new("Title", NULL);
    const inco_summary summary = {.size = sizeof summary, .dictionary = dictionary(), .metrics = &metrics};
    const inco_comparison_summary compared = {
        .size = sizeof compared, .a = dictionary(), .b = signals(), .comparison = &comparison};
    int status = one && two && c ? INCO_OK : INCO_ENOMEM;
    if (status >= 0) {
        add_sections(one);
        CALL(inco_report_chart)(one, c);
        CALL(inco_report_dictionary)(one, &summary);
        CALL(inco_report_comparison)(two, &compared);
        status = write_report(one, error);
        if (status >= 0) status = write_report(two, error);
    }
    CALL(inco_report_free)(one);
    inco_report_free(two);
    inco_chart_free(c);
    return status;
}

static int logs(inco_error *error) {
    inco_log *log = NULL;
    inco_progress now = {.size = sizeof now, .phase = "iteration", .iteration = 2};
    char line[1000];
    int64_t atoms = 0;
    add_number(CALL(inco_log_line)(&now, line, sizeof line));
    int status = CALL(inco_log_load)(&log, in_folder("run.jsonl"), error);
    if (status >= 0) status = CALL(inco_log_iteration)(log, 0, &now, error);
    if (status >= 0) {
        add_number(CALL(inco_log_text)(log, "start.version", line, sizeof line));
        add_number(CALL(inco_log_number)(log, "end.relative_error") + now.objective);
        add_number((double)CALL(inco_log_iterations)(log) + (double)*CALL(inco_log_usage)(log, &atoms));
    }
    CALL(inco_log_free)(log);
    return status;
}

static void charts_reports_and_logs(void **state) {
    static const inco_type types[] = {INCO_F32, INCO_F64};
    (void)state;
    sweep_both(charts);
    for (int i = 0; i < 2; i++) {
        type = types[i];
        metrics = (inco_metrics)INCO_INIT(inco_metrics);
        comparison = (inco_comparison)INCO_INIT(inco_comparison);
        assert_works(inco_inspect(dictionary(), NULL, &metrics, &error));
        assert_works(inco_compare(dictionary(), signals(), NULL, &comparison, &error));
        sweep(reports);
        inco_metrics_free(&metrics);
        inco_comparison_free(&comparison);
    }
    if (inco_has("json") != 1) return;
    write_text("run.jsonl", "{\"event\": \"start\", \"version\": \"1\"}\n"
                            "{\"event\": \"iteration\", \"iteration\": 1, \"objective\": 3.5}\n"
                            "{\"event\": \"end\", \"relative_error\": 0.5, \"usage\": [3, 1]}\n");
    sweep_both(logs);
}

/* ---- Completeness ---- */

/* The functions of libraries that this build lacks are not called. */
static int may_be_missing(const char *function) {
    return (inco_has("json") != 1 && !strncmp(function, "inco_log_", 9)) ||
           (inco_has("audio") != 1 && !strcmp(function, "inco_save_decoded")) ||
           (inco_has("npz") != 1 && (!strcmp(function, "inco_save_codes") || !strcmp(function, "inco_load_codes") ||
                                     !strcmp(function, "inco_save_dictionary") || !strncmp(function, "inco_load", 9) ||
                                     !strcmp(function, "inco_mean_path") || !strcmp(function, "inco_check_output") ||
                                     !strcmp(function, "inco_save")));
}

static void every_public_function_is_swept(void **state) {
    FILE *list = fopen(SYMBOLS_FILE, "r");
    char line[200];
    int functions = 0;
    (void)state;
    assert_non_null(list);
    while (fgets(line, sizeof line, list)) {
        int found = 0;
        line[strcspn(line, "\n")] = 0;
        if (strncmp(line, "inco_", 5)) continue;
        functions++;
        for (int i = 0; i < called_count; i++) found = found || !strcmp(called[i], line);
        if (!found && !may_be_missing(line)) fail_msg("%s is not called in tests/test_io_faults.c", line);
    }
    fclose(list);
    assert_true(functions > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        each_test(small_calls),
        each_test(learning),
        each_test(coding_and_dictionaries),
        each_test(files),
        each_test(charts_reports_and_logs),
        cmocka_unit_test(every_public_function_is_swept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
