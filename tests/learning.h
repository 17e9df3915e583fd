/* Shared by the tests of learning: planted signals, checkpoints in memory, and an observer of runs. */
#ifndef INCO_TESTS_LEARNING_H
#define INCO_TESTS_LEARNING_H

#include "check.h"

#include <stdlib.h>

#include "base/fingerprint.h"
#include "base/memory.h"

/* Signals of `sparsity` atoms each from a random dictionary, with normal coefficients. */
static inline inco_mat planted_signals(const inco_mat *truth, int64_t count, int sparsity, uint64_t seed) {
    inco_mat x;
    assert_int_equal(inco_mat_new(&x, truth->type, truth->rows, count, NULL), INCO_OK);
    for (int64_t n = 0; n < count; n++)
        for (int k = 0; k < sparsity; k++) {
            uint64_t draw = (uint64_t)(n * sparsity + k);
            int64_t atom = rng_below(seed, RNG_TEST, draw, truth->cols);
            double c = rng_normal(seed + 1, RNG_TEST, draw);
            for (int64_t i = 0; i < x.rows; i++) mat_set(&x, i, n, mat_get(&x, i, n) + c * mat_get(truth, i, atom));
        }
    return x;
}

/* Share of true atoms with a learned atom of |d'd| >= 0.99. */
static inline double recovered(const inco_mat *truth, const inco_mat *learned) {
    int64_t found = 0;
    for (int64_t j = 0; j < truth->cols; j++) {
        double best = 0;
        for (int64_t k = 0; k < learned->cols; k++) {
            double product = 0;
            for (int64_t i = 0; i < truth->rows; i++) product += mat_get(truth, i, j) * mat_get(learned, i, k);
            best = fmax(best, fabs(product));
        }
        found += best > 0.99;
    }
    return (double)found / (double)truth->cols;
}

/* Learns; the caller frees the results. */
static inline int learn(const inco_mat *x, inco_options *o, inco_mat *d, inco_learn_info *info, inco_error *error) {
    inco_source source = mat_source_of(x);
    return inco_learn(&source, o, d, info, error);
}

/* Learns with each allocation failing in turn, of which there are more than `least`: INCO_ENOMEM, until all succeed.
 * Frees the options. */
static inline void check_failing_memory(const inco_mat *x, inco_options *o, int64_t least) {
    int64_t k = 1;
    for (int status = INCO_ENOMEM; status == INCO_ENOMEM; k++) {
        inco_mat d = {0};
        memory_fail_at(k);
        status = learn(x, o, &d, NULL, NULL);
        memory_fail_at(0);
        assert_true(status == INCO_OK || status == INCO_ENOMEM);
        inco_mat_free(&d);
    }
    assert_true(k > least);
    inco_options_free(o);
}

/* Signals (float64) that count how many of them are read. */
typedef struct counting_source {
    inco_mat x;
    int64_t read;
} counting_source;

static inline int counting_read(void *self, int64_t first, int64_t count, void *out, inco_error *error) {
    counting_source *c = self;
    (void)error;
    memcpy(out, mat_column(&c->x, first), (size_t)(count * c->x.rows) * sizeof(double));
    c->read += count;
    return INCO_OK;
}

static inline inco_source counting_source_of(counting_source *c) {
    return (inco_source){.size = sizeof(inco_source),
                         .self = c,
                         .dim = c->x.rows,
                         .count = c->x.cols,
                         .type = INCO_F64,
                         .read = counting_read};
}

/* Checks --unused: 15 initial atoms are among the signals, 5 are almost orthogonal to them. */
static inline void check_unused_policies(const char *const method[]) {
    static const char *const policies[] = {"keep", "worst", "sample"};
    inco_mat x = check_random(INCO_F64, 10, 500, 13), start = check_dictionary(INCO_F64, 10, 20, 14);
    for (int64_t n = 0; n < x.cols; n++)
        for (int64_t i = 5; i < 10; i++) mat_set(&x, i, n, 1e-3 * mat_get(&x, i, n));
    for (int64_t j = 0; j < 20; j++)
        for (int64_t i = 0; i < 10; i++)
            if (j >= 15 || i >= 5) mat_set(&start, i, j, i == j - 10);
    inco_source source = mat_source_of(&x);
    for (int p = 0; p < 3; p++) {
        inco_options *o = check_options(method);
        inco_learner *learner;
        assert_int_equal(inco_options_set(o, "unused", policies[p], NULL), INCO_OK);
        assert_int_equal(inco_learner_new(&learner, &source, o, NULL), INCO_OK);
        assert_int_equal(inco_learner_start_from(learner, &start, NULL), INCO_OK);
        assert_int_equal(inco_learner_run(learner, NULL), INCO_OK);
        assert_int_equal(check_info(learner).replaced >= 5, p > 0);
        assert_int_equal(check_info(learner).unused >= 5, p == 0);
        inco_learner_free(learner);
        inco_options_free(o);
    }
    inco_mat_free(&x);
    inco_mat_free(&start);
}

typedef struct memory_stream {
    char bytes[1 << 18];
    size_t written, read;
} memory_stream;

static inline int write_memory(void *self, const void *bytes, size_t count) {
    memory_stream *s = self;
    if (s->written + count > sizeof s->bytes) return 1;
    memcpy(s->bytes + s->written, bytes, count);
    s->written += count;
    return 0;
}

static inline int read_memory(void *self, void *bytes, size_t count) {
    memory_stream *s = self;
    if (s->read + count > s->written) return 1;
    memcpy(bytes, s->bytes + s->read, count);
    s->read += count;
    return 0;
}

#define MEMORY_STREAM(memory)                                                                                          \
    { sizeof(inco_stream), memory, write_memory, read_memory }

/* Length of the line that begins a checkpoint; byte order, length and checksum follow it. */
enum { CHECKPOINT_LINE = 18, CHECKPOINT_BODY = CHECKPOINT_LINE + 24 };

/* Makes the length and the checksum of a changed checkpoint those of its bytes, as an attacker would. */
static inline void reseal(memory_stream *s) {
    const uint64_t length = s->written - CHECKPOINT_BODY;
    const uint64_t print = fingerprint_of(s->bytes + CHECKPOINT_BODY, length, 0);
    memcpy(s->bytes + CHECKPOINT_LINE + 8, &length, sizeof length);
    memcpy(s->bytes + CHECKPOINT_LINE + 16, &print, sizeof print);
}

/* Observes every iteration of a run; saves or stops it where requested. */
typedef struct observer {
    inco_learner *learner;
    inco_stream stream;
    int64_t save_at, stop_at; /* iterations; 0: never */
    int64_t stop_after;       /* coded signals of iteration 2; 0: never */
    int64_t told, replaced;
    double first_error;
    double rise; /* largest increase of the objective in an update; initially -INFINITY */
} observer;

static inline int watch(void *self, const inco_progress *progress) {
    observer *w = self;
    if (!strcmp(progress->phase, "code"))
        return w->stop_after > 0 && progress->iteration == 2 && progress->done >= w->stop_after;
    if (strcmp(progress->phase, "iteration")) return 0;
    w->told++;
    w->replaced += progress->replaced;
    if (progress->iteration == 1) w->first_error = progress->relative_error;
    w->rise = fmax(w->rise, progress->objective - progress->objective_before);
    if (progress->iteration == w->save_at) {
        ((memory_stream *)w->stream.self)->written = 0; /* the last one, if there are several */
        assert_int_equal(inco_learner_save(w->learner, &w->stream, NULL), INCO_OK);
    }
    return progress->iteration == w->stop_at;
}

static inline void watch_new(observer *w, const inco_source *source, inco_options *o) {
    w->rise = -INFINITY;
    check_watch(o, watch, w);
    assert_int_equal(inco_learner_new(&w->learner, source, o, NULL), INCO_OK);
}

/* Learns with one thread and with several: the same bits. Frees the options. */
static inline void check_threads(const inco_mat *x, inco_options *o) {
    static const int threads[] = {1, 2, 3, 8};
    inco_mat first = {0}, d;
    for (int t = 0; t < 4; t++) {
        inco_learn_info info = INCO_INIT(inco_learn_info);
        assert_int_equal(inco_options_set_number(o, "threads", threads[t], NULL), INCO_OK);
        assert_int_equal(learn(x, o, &d, &info, NULL), INCO_OK);
        assert_int_equal(info.threads, threads[t]);
        if (t == 0) {
            first = d;
            continue;
        }
        assert_memory_equal(d.data, first.data, (size_t)(d.rows * d.cols) * d.type);
        inco_mat_free(&d);
    }
    inco_mat_free(&first);
    inco_options_free(o);
}

/* A run that is saved on the way, and a learner resumed from the checkpoint. */
typedef struct resumption {
    inco_options *options;
    memory_stream *memory; /* the checkpoint */
    observer whole;
    inco_learner *resumed;
} resumption;

/* Makes both runs: the same bits. Takes over the options; resumption_free frees all. */
static inline void check_resumed(resumption *r, const inco_source *source, inco_options *o, int64_t save_at) {
    *r = (resumption){.options = o, .memory = calloc(1, sizeof *r->memory)};
    r->whole = (observer){.stream = MEMORY_STREAM(r->memory), .save_at = save_at};
    watch_new(&r->whole, source, o);
    assert_int_equal(inco_learner_run(r->whole.learner, NULL), INCO_OK);
    check_watch(o, NULL, NULL);
    assert_int_equal(inco_learner_new(&r->resumed, source, o, NULL), INCO_OK);
    assert_int_equal(inco_learner_resume(r->resumed, &r->whole.stream, NULL), INCO_OK);
    assert_int_equal(inco_learner_run(r->resumed, NULL), INCO_OK);
    const inco_mat whole = check_learned(r->whole.learner), resumed = check_learned(r->resumed);
    assert_memory_equal(resumed.data, whole.data, (size_t)(whole.rows * whole.cols) * whole.type);
    assert_true(check_info(r->resumed).relative_error == check_info(r->whole.learner).relative_error);
    assert_true(check_info(r->resumed).replaced == check_info(r->whole.learner).replaced);
}

static inline void resumption_free(resumption *r) {
    inco_learner_free(r->whole.learner);
    inco_learner_free(r->resumed);
    inco_options_free(r->options);
    free(r->memory);
}

#endif
