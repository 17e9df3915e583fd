/* Rules of the interface: sizes of structs, threads of callbacks, and stopping of every long call. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/handle.h"
#include "base/memory.h"
#include "base/owner.h"
#include "base/sized.h"
#include "learning.h"

/* ---- Sizes ---- */

typedef struct small {
    size_t size;
    int64_t a;
} small;

typedef struct large {
    size_t size;
    int64_t a, b;
} large;

static void the_smaller_of_two_sizes_is_copied(void **state) {
    const small old = {sizeof old, 1};
    const large new = {sizeof new, 1, 2};
    small s = {sizeof s, 9};
    large l = {sizeof l, 9, 9};
    (void)state;
    assert_int_equal(sized_take(&l, sizeof l, &old, "small", NULL), INCO_OK);
    assert_true(l.size == sizeof l && l.a == 1 && l.b == 0);
    assert_int_equal(sized_take(&s, sizeof s, &new, "large", NULL), INCO_OK);
    assert_true(s.size == sizeof s && s.a == 1);
    l = (large){sizeof l, 9, 9}, s.a = 9;
    sized_give(&l, &old, sizeof old);
    assert_true(l.size == sizeof l && l.a == 1 && l.b == 0);
    sized_give(&s, &new, sizeof new);
    assert_true(s.size == sizeof s && s.a == 1);
    sized_give(NULL, &new, sizeof new);
}

static void a_size_that_is_not_set_is_refused(void **state) {
    const size_t wrong[] = {0, 4, sizeof(inco_learn_info) + 1, SIZED_MAX + 8, (size_t)-8};
    inco_error error;
    inco_learn_info info;
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        memset(&info, 0xff, sizeof info);
        info.size = wrong[i];
        assert_int_equal(SIZED_CHECK(inco_learn_info, &info, &error), INCO_EINVAL);
        assert_non_null(strstr(error.message, "INCO_INIT(inco_learn_info)"));
    }
    assert_int_equal(SIZED_CHECK(inco_learn_info, NULL, &error), INCO_OK);
    assert_int_equal(SIZED_NEED(inco_learn_info, NULL, &error), INCO_EINVAL);
}

/* ---- Handles ---- */

static void a_handle_is_known_while_it_lives(void **state) {
    enum { MANY = 5000 };
    static void *handles[MANY];
    (void)state;
    for (int i = 0; i < MANY; i++) assert_non_null(handles[i] = handle_new("a", 8));
    for (int i = 0; i < MANY; i++) assert_true(handle_is(handles[i], "a") && !handle_is(handles[i], "b"));
    for (int i = 0; i < MANY; i += 2) assert_true(handle_end(handles[i], "a") && !handle_end(handles[i], "a"));
    for (int i = 0; i < MANY; i++) assert_int_equal(handle_is(handles[i], "a"), i % 2);
    for (int i = 1; i < MANY; i += 2) assert_false(handle_end(handles[i], "b"));
    for (int i = 1; i < MANY; i += 2) assert_true(handle_end(handles[i], "a"));
    for (int i = 0; i < MANY; i++) handle_free(handles[i]);
    assert_false(handle_is(NULL, "a") || handle_end(NULL, "a"));
    assert_false(handle_is(&state, "a") || handle_is((void *)1, "a"));
}

static void what_is_owned_is_released_once(void **state) {
    inco_mat m, copy, view;
    inco_metrics metrics = INCO_INIT(inco_metrics), other;
    double mine[4] = {1, 2, 3, 4};
    (void)state;
    assert_int_equal(inco_mat_new(&m, INCO_F64, 3, 4, NULL), INCO_OK);
    copy = m;
    inco_mat_free(&m);
    inco_mat_free(&m);
    inco_mat_free(&copy); /* checked by the sanitizer */
    inco_mat_view(&view, INCO_F64, 2, 2, mine);
    assert_int_equal(inco_inspect(&view, NULL, &metrics, NULL), INCO_OK);
    other = metrics;
    inco_metrics_free(&metrics);
    inco_metrics_free(&other);
    assert_null(metrics.singular);
    inco_mat_free(&view);
    assert_true(mine[3] == 4);
    view = (inco_mat){INCO_F64, 2, 2, 2, mine, mine}; /* the owner is not from the library */
    inco_mat_free(&view);
    assert_null(view.data);
}

/* Objects of a handle that has ended are refused. */
static void what_outlives_its_handle_is_refused(void **state) {
    char path[] = "/tmp/inco-interface-XXXXXX", byte;
    const char *const paths[] = {path};
    const double mine[] = {1, 2, 3, 4};
    inco_mat view, result;
    inco_source source = INCO_INIT(inco_source);
    inco_stream stream = INCO_INIT(inco_stream);
    inco_options *o = OPTIONS("atoms", "2");
    inco_data *data;
    inco_file *file;
    inco_error error = {0};
    (void)state;
    close(mkstemp(path));
    assert_int_equal(inco_file_create(&file, path, NULL), INCO_OK);
    assert_int_equal(inco_file_stream(file, &stream, NULL), INCO_OK);
    assert_int_equal(stream.write(stream.self, "a", 1), 0);
    assert_int_equal(inco_file_close(file, 1, NULL), INCO_OK);
    assert_true(stream.write(stream.self, "a", 1) != 0);
    assert_int_equal(inco_file_close(file, 1, NULL), INCO_OK);
    assert_int_equal(inco_file_open(&file, path, NULL), INCO_OK);
    assert_int_equal(inco_file_stream(file, &stream, NULL), INCO_OK);
    assert_int_equal(stream.read(stream.self, &byte, 1), 0);
    assert_int_equal(inco_file_close(file, 0, NULL), INCO_OK);
    assert_true(byte == 'a' && stream.read(stream.self, &byte, 1) != 0);
    unlink(path);
    strcpy(path + sizeof path - 5, ".npy");
    inco_mat_view(&view, INCO_F64, 2, 2, (void *)mine);
    assert_int_equal(inco_save(path, &view, NULL, NULL, NULL), INCO_OK);
    assert_int_equal(inco_data_open(&data, paths, 1, NULL, NULL), INCO_OK);
    assert_int_equal(inco_data_source(data, &source, NULL), INCO_OK);
    inco_data_free(data);
    inco_data_free(data);
    assert_int_equal(inco_learn(&source, o, &result, NULL, &error), INCO_EINVAL);
    assert_string_equal(error.message, "argument 'data' is not a live handle of this kind: it may have been freed");
    unlink(path);
    inco_options_free(o);
}

/* ---- Codes ---- */

/* Codes in the caller's arrays are copied before they grow; the arrays are neither changed nor freed. */
static void borrowed_codes_stay_the_callers(void **state) {
    int64_t start[] = {0, 1, 3}, index[] = {2, 0, 5};
    double value[] = {1, 2, 3};
    inco_mat d = check_dictionary(INCO_F64, 4, 6, 9), x = check_random(INCO_F64, 4, 300, 10), decoded;
    inco_options *o = OPTIONS("coder", "omp", "sparsity", "2", "threads", "2");
    inco_csc codes = {INCO_F64, 6, 2, start, index, value, NULL}, alone = {0}, copy;
    inco_coder *coder;
    (void)state;
    assert_int_equal(inco_coder_new(&coder, &d, INCO_F64, o, NULL), INCO_OK);
    assert_int_equal(inco_coder_run(coder, &x, &codes, NULL, NULL), INCO_OK);
    assert_int_equal(inco_coder_run(coder, &x, &alone, NULL, NULL), INCO_OK);
    assert_true(codes.start != start && codes.owner && codes.cols == 302 && alone.cols == 300);
    assert_memory_equal(codes.start, start, sizeof start);
    assert_memory_equal(codes.index, index, sizeof index);
    assert_memory_equal(codes.value, value, sizeof value);
    assert_memory_equal(codes.index + 3, alone.index, (size_t)alone.start[300] * sizeof(int64_t));
    assert_memory_equal((double *)codes.value + 3, alone.value, (size_t)alone.start[300] * sizeof(double));
    for (int i = 0; i < 20; i++) assert_int_equal(inco_coder_run(coder, &x, &codes, NULL, NULL), INCO_OK);
    assert_int_equal(codes.cols, 302 + 20 * 300);
    assert_int_equal(inco_decode(&d, &codes, NULL, &decoded, NULL), INCO_OK);
    assert_int_equal(decoded.cols, codes.cols);
    for (int64_t i = 0; i < 4; i++) assert_near(mat_get(&decoded, i, 0), mat_get(&d, i, 2), 1e-15);
    copy = codes;
    inco_csc_free(&codes);
    inco_csc_free(&copy);
    inco_csc_free(&alone);
    codes = (inco_csc){INCO_F64, 6, 2, start, index, value, NULL};
    inco_csc_free(&codes);
    assert_true(!codes.start && start[2] == 3 && index[2] == 5 && value[2] == 3);
    inco_coder_free(coder);
    inco_options_free(o);
    inco_mat_free(&d);
    inco_mat_free(&x);
    inco_mat_free(&decoded);
}

static void codes_that_make_no_sense_are_refused(void **state) {
    int64_t start[] = {0, 1, 3}, falling[] = {0, 3, 1}, late[] = {1, 2, 3}, index[] = {2, 0, 5}, outside[] = {2, 0, 6},
            below[] = {2, -1, 5};
    double value[] = {1, 2, 3};
    inco_mat d = check_dictionary(INCO_F64, 4, 6, 9), decoded;
    const inco_csc wrong[] = {
        {INCO_F64, 6, 2, falling, index, value, NULL}, {INCO_F64, 6, 2, late, index, value, NULL},
        {INCO_F64, 6, 2, start, outside, value, NULL}, {INCO_F64, 6, 2, start, below, value, NULL},
        {INCO_F64, 6, 2, NULL, index, value, NULL},    {INCO_F64, 6, 2, start, NULL, value, NULL},
        {INCO_F64, 6, 2, start, index, NULL, NULL},    {(inco_type)3, 6, 2, start, index, value, NULL},
        {INCO_F64, 6, -2, start, index, value, NULL}};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        inco_error error = {0};
        assert_int_equal(inco_decode(&d, &wrong[i], NULL, &decoded, &error), INCO_EINVAL);
        assert_true(strlen(error.message) > 0);
        assert_int_equal(inco_save_codes("c.npz", &wrong[i], NULL, &error), INCO_EINVAL);
    }
    inco_mat_free(&d);
}

/* ---- Threads ---- */

typedef struct witness {
    inco_source from;
    pthread_t caller;
    int64_t reads, told; /* calls */
    int stops;           /* at the first call */
} witness;

static int read_here(void *self, int64_t first, int64_t count, void *out, inco_error *error) {
    witness *w = self;
    assert_true(pthread_equal(pthread_self(), w->caller));
    w->reads++;
    return w->from.read(w->from.self, first, count, out, error);
}

static int told_here(void *self, const inco_progress *now) {
    witness *w = self;
    assert_true(pthread_equal(pthread_self(), w->caller));
    assert_true(now->size == sizeof *now && now->phase && now->done <= now->total && now->seconds >= 0);
    w->told++;
    return w->stops;
}

/* A source that may be read on the caller's thread only. */
static inco_source witnessed(witness *w, const inco_mat *x, inco_options *o) {
    *w = (witness){.from = mat_source_of(x), .caller = pthread_self(), .stops = w->stops};
    inco_source source = w->from;
    source.self = w;
    source.read = read_here;
    source.concurrent = 0;
    check_watch(o, told_here, w);
    return source;
}

static void reads_and_progress_stay_on_the_callers_thread(void **state) {
    static const char *const methods[] = {"idl", "mod", "mocod", "online", "ksvd", "aksvd", "aksvdc", "inksvd", "ipr"};
    inco_mat truth = check_dictionary(INCO_F32, 10, 24, 5), x = planted_signals(&truth, 1500, 3, 6), d;
    (void)state;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        inco_options *o = OPTIONS("method", methods[i], "atoms", "24", "iterations", "2", "coder", "omp", "sparsity",
                                  "3", "threads", "3", "exchange", "yes", "precision", "f64");
        if (i >= 7) assert_int_equal(inco_options_set(o, "max-coherence", "0.8", NULL), INCO_OK);
        witness w = {.stops = 0};
        const inco_source source = witnessed(&w, &x, o);
        assert_int_equal(inco_learn(&source, o, &d, NULL, NULL), INCO_OK);
        assert_true(w.reads > 10 && w.told > 3);
        inco_mat_free(&d);
        inco_options_free(o);
    }
    inco_mat_free(&truth);
    inco_mat_free(&x);
}

static void so_do_those_of_the_path_and_of_a_bound(void **state) {
    inco_mat truth = check_dictionary(INCO_F64, 10, 24, 5), x = planted_signals(&truth, 1500, 3, 6), d;
    inco_options *o = OPTIONS("atoms", "24", "iterations", "2", "coder", "omp", "sparsity", "3", "threads", "3",
                              "gamma", "auto", "max-coherence", "0.7", "center", "feature");
    witness w = {.stops = 0};
    (void)state;
    const inco_source source = witnessed(&w, &x, o);
    assert_int_equal(inco_learn(&source, o, &d, NULL, NULL), INCO_OK);
    assert_true(w.reads > 100 && w.told > 20);
    inco_mat_free(&d);
    inco_options_free(o);
    inco_mat_free(&truth);
    inco_mat_free(&x);
}

/* ---- Stopping ---- */

typedef struct calls {
    inco_mat dictionary, x, result;
    inco_options *o;
    witness w;
    inco_source source;
} calls;

static void calls_new(calls *c, inco_options *o, int stops) {
    c->o = o;
    c->dictionary = check_dictionary(INCO_F64, 12, 600, 7); /* several rounds of the tournament of pairs */
    c->x = check_random(INCO_F64, 12, 5000, 8);             /* two groups of signals */
    c->result = (inco_mat){0};
    c->w.stops = stops;
    c->source = witnessed(&c->w, &c->x, o);
}

static void calls_free(calls *c) {
    inco_mat_free(&c->dictionary);
    inco_mat_free(&c->x);
    inco_mat_free(&c->result);
    inco_options_free(c->o);
}

static void encoding_can_be_stopped(void **state) {
    (void)state;
    for (int stops = 0; stops < 2; stops++) {
        calls c;
        inco_csc codes;
        inco_encode_info info = INCO_INIT(inco_encode_info);
        calls_new(&c, OPTIONS("coder", "omp", "sparsity", "2", "threads", "2"), stops);
        assert_int_equal(inco_encode(&c.dictionary, &c.source, c.o, &codes, &info, NULL), stops);
        assert_int_equal(c.w.told, stops ? 1 : 2);
        assert_int_equal(codes.cols, stops ? 4096 : 5000); /* codes so far */
        assert_true(info.signals == codes.cols && info.nonzeros == 2 * codes.cols);
        assert_true(codes.start[codes.cols] == info.nonzeros);
        inco_csc_free(&codes);
        calls_free(&c);
    }
}

static void inspection_can_be_stopped(void **state) {
    (void)state;
    for (int stops = 0; stops < 2; stops++) {
        calls c;
        inco_metrics m = INCO_INIT(inco_metrics);
        calls_new(&c, OPTIONS("threads", "2"), stops);
        assert_int_equal(inco_inspect(&c.dictionary, c.o, &m, NULL), stops);
        assert_true(stops ? c.w.told == 1 && !m.owner && !m.singular && m.coherence_max == 0
                          : c.w.told > 1 && m.coherence_max > 0);
        inco_metrics_free(&m);
        calls_free(&c);
    }
}

static void decoherence_can_be_stopped(void **state) {
    (void)state;
    for (int data = 0; data < 2; data++) {
        calls c;
        inco_decohere_info info = INCO_INIT(inco_decohere_info);
        inco_options *o = OPTIONS("max-coherence", "0.9", "threads", "2");
        if (data) assert_int_equal(inco_options_set(o, "sparsity", "2", NULL), INCO_OK);
        calls_new(&c, o, 1);
        const inco_source *source = data ? &c.source : NULL;
        assert_int_equal(inco_decohere(&c.dictionary, source, o, &c.result, &info, NULL), INCO_STOPPED);
        assert_true(c.w.told == 1 && c.result.cols == 600 && info.dim == 12 && info.coherence_max > 0);
        calls_free(&c);
    }
}

static void a_search_for_a_frame_can_be_stopped(void **state) {
    calls c;
    inco_frame_info info = INCO_INIT(inco_frame_info);
    (void)state;
    calls_new(&c, OPTIONS("dim", "6", "atoms", "20", "threads", "2"), 1);
    assert_int_equal(inco_frame(c.o, &c.result, &info, NULL), INCO_STOPPED);
    assert_true(c.w.told >= 1 && c.result.cols == 20 && info.coherence_max > 0);
    calls_free(&c);
}

static void residuals_can_be_stopped(void **state) {
    (void)state;
    for (int stops = 0; stops < 2; stops++) {
        calls c;
        inco_residuals r = INCO_INIT(inco_residuals);
        calls_new(&c, OPTIONS("threads", "2"), stops);
        c.source.count = 300;
        assert_int_equal(inco_residuals_measure(&c.dictionary, &c.source, c.o, &r, NULL), stops);
        assert_true(stops ? c.w.told == 1 && r.count == 0 : c.w.told == r.count && r.count > 5);
        inco_residuals_free(&r);
        calls_free(&c);
    }
}

static void learning_can_be_stopped(void **state) {
    calls c;
    inco_learn_info info = INCO_INIT(inco_learn_info);
    (void)state;
    calls_new(&c, OPTIONS("atoms", "30", "coder", "omp", "sparsity", "2", "threads", "2"), 1);
    assert_int_equal(inco_learn(&c.source, c.o, &c.result, &info, NULL), INCO_STOPPED);
    assert_true(c.w.told == 1 && c.result.cols == 30 && info.iterations == 0);
    assert_string_equal(info.stopped_by, "callback");
    calls_free(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_smaller_of_two_sizes_is_copied),
        cmocka_unit_test(a_size_that_is_not_set_is_refused),
        cmocka_unit_test(a_handle_is_known_while_it_lives),
        cmocka_unit_test(what_is_owned_is_released_once),
        cmocka_unit_test(what_outlives_its_handle_is_refused),
        cmocka_unit_test(borrowed_codes_stay_the_callers),
        cmocka_unit_test(codes_that_make_no_sense_are_refused),
        cmocka_unit_test(reads_and_progress_stay_on_the_callers_thread),
        cmocka_unit_test(so_do_those_of_the_path_and_of_a_bound),
        cmocka_unit_test(encoding_can_be_stopped),
        cmocka_unit_test(inspection_can_be_stopped),
        cmocka_unit_test(decoherence_can_be_stopped),
        cmocka_unit_test(a_search_for_a_frame_can_be_stopped),
        cmocka_unit_test(residuals_can_be_stopped),
        cmocka_unit_test(learning_can_be_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
