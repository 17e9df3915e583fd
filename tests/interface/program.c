/* A program that uses every struct that may grow. It is compiled against the header of this version, one with a field
 * fewer in every such struct, and one with a field more, and run with the same library: its output must be the same. It
 * uses only fields that the older header has. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <inco/inco.h>

#ifndef GUARD
#define GUARD 0 /* bytes after a struct that must not be written; not needed with valgrind and sanitizers */
#endif

enum { DIM = 8, SIGNALS = 1000 };
static const size_t guard = GUARD;

static void stop(const char *where, const char *why) {
    fprintf(stderr, "%s: %s\n", where, why);
    exit(1);
}

static inco_error error;

#define WORKS(call)                                                                                                    \
    do {                                                                                                               \
        if ((call) < 0) stop(#call, error.message);                                                                    \
    } while (0)

/* ---- Structs on the heap ---- */

static void *make(size_t size, int fill) {
    unsigned char *block = malloc(size + guard);
    if (!block) stop("make", "no memory");
    memset(block, fill, size);
    memset(block + size, 0xa5, guard);
    memcpy(block, &size, sizeof size);
    return block;
}

/* A struct for results: all bits 1 except the size, so that fields not returned are noticed. */
#define RESULT(type, name) type *name = make(sizeof(type), 0xff)

/* Checks that nothing was written after it, and that fields only a newer caller knows are zero. */
static void returned(const void *result, const char *type) {
    const unsigned char *block = result;
    size_t size;
    int64_t last;
    memcpy(&size, block, sizeof size);
    memcpy(&last, block + size - sizeof last, sizeof last);
    for (size_t i = 0; i < guard; i++)
        if (block[size + i] != 0xa5) stop(type, "there was writing past its end");
#ifdef INCO_TEST_MORE
    if (last) stop(type, "a field that the library does not know is not zero");
#endif
    (void)last;
    printf("covers %s\n", type);
}
#define RETURNED(type, name) returned(name, #type)

/* A struct for input: zero except the size and fields that only a newer caller knows, which the library must ignore. */
#ifdef INCO_TEST_MORE
#define GIVE(type, name)                                                                                               \
    type *name = make(sizeof(type), 0);                                                                                \
    name->grown = 77;                                                                                                  \
    printf("covers %s\n", #type)
#else
#define GIVE(type, name)                                                                                               \
    type *name = make(sizeof(type), 0);                                                                                \
    printf("covers %s\n", #type)
#endif

/* ---- Data ---- */

static double signals[DIM * SIGNALS];

static double draw(void) {
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)state / 9223372036854775808.0;
}

static void make_signals(void) {
    for (int n = 0; n < SIGNALS; n++) {
        double value = draw();
        for (int i = 0; i < DIM; i++) signals[i + n * DIM] = value = 0.8 * value + draw();
    }
}

static int read_signals(void *self, int64_t first, int64_t count, void *out, inco_error *trouble) {
    (void)self, (void)trouble;
    memcpy(out, signals + first * DIM, (size_t)count * DIM * sizeof(double));
    return INCO_OK;
}

/* ---- A stream into memory ---- */

static char bytes[1 << 16];
static size_t written;

static int write_bytes(void *self, const void *from, size_t count) {
    (void)self;
    if (written + count > sizeof bytes) return 1;
    memcpy(bytes + written, from, count);
    written += count;
    return 0;
}

/* ---- Every struct ---- */

static int told;

static int on_progress(void *self, const inco_progress *now) {
    (void)self;
    if (now->size != sizeof *now) stop("inco_progress", "its size is not the caller's");
    if (!told++) RETURNED(inco_progress, now);
    return 0;
}

static inco_options *options_of(const char *const *pairs) {
    inco_options *o = inco_options_new();
    for (; *pairs; pairs += 2) WORKS(inco_options_set(o, pairs[0], pairs[1], &error));
    WORKS(inco_options_on_progress(o, on_progress, NULL, sizeof(inco_progress), &error));
    return o;
}
#define OPTIONS(...) options_of((const char *const[]){__VA_ARGS__, NULL})

static void list_options(void) {
    RESULT(inco_option, row);
    int count = 0;
    while (inco_option_at(count, row)) count++;
    RETURNED(inco_option, row);
    printf("%d options, the last is %s\n", count, row->name);
    free(row);
}

static int reduce(void *self, double *sum, int64_t count, int64_t from, int64_t to, inco_error *e) {
    (void)self, (void)sum, (void)count, (void)from, (void)to, (void)e;
    return INCO_EIO; /* a rank alone has nobody to exchange sums with */
}

static int broadcast(void *self, void *bytes, size_t count, int64_t from, int64_t to, inco_error *e) {
    (void)self, (void)bytes, (void)count, (void)from, (void)to, (void)e;
    return INCO_EIO;
}

/* A cluster of one. */
static void make_cluster(inco_options *o) {
    GIVE(inco_cluster, alone);
    alone->ranks = 1;
    alone->reduce = reduce;
    alone->broadcast = broadcast;
    WORKS(inco_options_cluster(o, alone, &error));
    free(alone);
}

static void learn(const inco_source *source, inco_mat *dictionary) {
    inco_options *o = OPTIONS("atoms", "12", "iterations", "1", "coder", "omp", "sparsity", "1", "gamma", "auto",
                              "update-iterations", "1", "threads", "1");
    inco_learner *learner;
    GIVE(inco_stream, stream);
    RESULT(inco_learn_info, info);
    RESULT(inco_path, path);
    RESULT(inco_path_point, point);
    make_cluster(o);
    WORKS(inco_learner_new(&learner, source, o, &error));
    WORKS(inco_learner_run(learner, &error));
    WORKS(inco_learner_info(learner, info, &error));
    WORKS(inco_learner_path(learner, path, &error));
    WORKS(inco_learner_path_point(learner, path->chosen, point, &error));
    stream->write = write_bytes;
    WORKS(inco_learner_save(learner, stream, &error));
    RETURNED(inco_learn_info, info);
    RETURNED(inco_path, path);
    RETURNED(inco_path_point, point);
    printf("error %.9g coherence %.9g by %s; path %lld %lld %.9g %.9g; checkpoint of %zu bytes\n", info->relative_error,
           info->coherence_max, info->stopped_by, (long long)path->count, (long long)path->chosen, point->gamma,
           point->residual[0], written);
    inco_learner_free(learner);
    WORKS(inco_learn(source, o, dictionary, info, &error));
    printf("again %.9g\n", info->objective);
    inco_options_free(o);
    free(stream);
    free(info);
    free(path);
    free(point);
}

static void learn_a_batch(const inco_source *source, const inco_mat *dictionary) {
    inco_options *o = OPTIONS("coder", "omp", "sparsity", "1", "threads", "1");
    inco_mat d = {0}, a = {0}, b = {0};
    RESULT(inco_online, state);
    memset((char *)state + sizeof state->size, 0, sizeof *state - sizeof state->size);
    WORKS(inco_mat_new(&d, INCO_F64, DIM, dictionary->cols, &error));
    WORKS(inco_mat_new(&a, INCO_F64, d.cols, d.cols, &error));
    WORKS(inco_mat_new(&b, INCO_F64, DIM, d.cols, &error));
    memcpy(d.data, dictionary->data, (size_t)(d.rows * d.cols) * sizeof(double));
    state->dictionary = &d;
    state->a = &a;
    state->b = &b;
    WORKS(inco_online_learn(source, o, state, &error));
    RETURNED(inco_online, state);
    printf("online: %lld signals, error %.9g\n", (long long)state->signals, state->relative_error);
    inco_mat_free(&d);
    inco_mat_free(&a);
    inco_mat_free(&b);
    inco_options_free(o);
    free(state);
}

static void code(const inco_mat *dictionary, const inco_source *source) {
    inco_options *o = OPTIONS("coder", "omp", "sparsity", "3", "threads", "1");
    inco_csc codes = {0};
    inco_mat decoded = {0};
    GIVE(inco_origin, origin);
    RESULT(inco_encode_info, info);
    WORKS(inco_encode(dictionary, source, o, &codes, info, &error));
    WORKS(inco_decode(dictionary, &codes, origin, &decoded, &error));
    RETURNED(inco_encode_info, info);
    printf("%lld nonzeros, error %.9g, %.9g\n", (long long)info->nonzeros, info->relative_error,
           ((double *)decoded.data)[DIM]);
    inco_mat_free(&decoded);
    inco_csc_free(&codes);
    inco_origin_free(origin);
    inco_options_free(o);
    free(origin);
    free(info);
}

static void change(const inco_mat *dictionary, const inco_source *source) {
    inco_options *o = OPTIONS("max-coherence", "0.6", "coder", "omp", "sparsity", "2", "threads", "1");
    inco_options *f = OPTIONS("dim", "3", "atoms", "5", "starts", "2", "steps", "20", "threads", "1");
    inco_mat result = {0};
    RESULT(inco_decohere_info, info);
    RESULT(inco_frame_info, frame);
    WORKS(inco_decohere(dictionary, source, o, &result, info, &error));
    RETURNED(inco_decohere_info, info);
    printf("decohere %.9g to %.9g, change %.9g\n", info->coherence_before, info->coherence_max, info->change);
    inco_mat_free(&result);
    WORKS(inco_frame(f, &result, frame, &error));
    RETURNED(inco_frame_info, frame);
    printf("frame %.9g, start %lld\n", frame->coherence_max, (long long)frame->start);
    inco_mat_free(&result);
    inco_options_free(o);
    inco_options_free(f);
    free(info);
    free(frame);
}

static void describe(const inco_mat *dictionary, const inco_source *source) {
    static const char *const header[] = {"a"}, *const cells[] = {"1"};
    inco_options *o = OPTIONS("duplicates", "0.9", "threads", "1");
    inco_report *report = inco_report_new("t", NULL), *second = inco_report_new("t", NULL);
    inco_stream stream = {.size = sizeof stream, .write = write_bytes};
    GIVE(inco_table, table);
    GIVE(inco_summary, summary);
    RESULT(inco_metrics, metrics);
    RESULT(inco_residuals, residuals);
    RESULT(inco_comparison, comparison);
    GIVE(inco_comparison_summary, compared);
    table->id = table->title = "t";
    table->columns = table->rows = 1;
    table->header = header;
    table->cells = cells;
    table->kinds = "l";
    summary->dictionary = dictionary;
    summary->relative_error = NAN;
    WORKS(inco_inspect(dictionary, o, metrics, &error));
    WORKS(inco_residuals_measure(dictionary, source, o, residuals, &error));
    WORKS(inco_compare(dictionary, dictionary, o, comparison, &error));
    compared->a = compared->b = dictionary;
    compared->comparison = comparison;
    inco_report_comparison(second, compared);
    WORKS(inco_report_write(second, &stream, &error));
    printf("compared %.9g, %lld matched\n", comparison->mean_similarity, (long long)comparison->matched);
    inco_comparison_free(comparison);
    RETURNED(inco_comparison, comparison);
    inco_report_free(second);
    free(comparison);
    free(compared);
    summary->metrics = metrics;
    inco_report_dictionary(report, summary);
    inco_report_table(report, table);
    written = 0;
    WORKS(inco_report_write(report, &stream, &error));
    printf("metrics %.9g %.9g %lld; residual %.9g; a report: %s\n", metrics->coherence_max, metrics->singular[0],
           (long long)metrics->pair_first[0], residuals->median[0], written > 10000 ? "yes" : "no");
    inco_metrics_free(metrics);
    inco_residuals_free(residuals);
    RETURNED(inco_metrics, metrics);
    RETURNED(inco_residuals, residuals);
    inco_report_free(report);
    inco_options_free(o);
    free(table);
    free(summary);
    free(metrics);
    free(residuals);
}

int main(void) {
    inco_mat dictionary = {0};
    GIVE(inco_source, source);
    make_signals();
    source->dim = DIM;
    source->count = SIGNALS;
    source->type = INCO_F64;
    source->read = read_signals;
    list_options();
    learn(source, &dictionary);
    learn_a_batch(source, &dictionary);
    code(&dictionary, source);
    change(&dictionary, source);
    describe(&dictionary, source);
    inco_mat_free(&dictionary);
    free(source);
    return 0;
}
