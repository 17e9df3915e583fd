/* The learning loop: recovery, bits that depend only on data and options, stopping. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "data/print.h"
#include "learning.h"
#include "mat/blas.h"

static void a_planted_dictionary_is_recovered(void **state) {
    const inco_type type = *(inco_type *)*state;
    inco_mat truth = check_dictionary(type, 20, 40, 1), x = planted_signals(&truth, 3000, 3, 2), d;
    inco_learn_info info = INCO_INIT(inco_learn_info);
    const char *const methods[] = {"idl", "mod"};
    for (int m = 0; m < 2; m++) {
        inco_options *o =
            OPTIONS("method", methods[m], "atoms", "40", "coder", "omp", "sparsity", "3", "iterations", "60");
        if (m == 0) inco_options_set(o, "gamma", "0", NULL);
        assert_int_equal(learn(&x, o, &d, &info, NULL), INCO_OK);
        assert_true(recovered(&truth, &d) >= 0.9);
        assert_true(info.relative_error < 0.3);
        assert_int_equal(info.iterations, 60);
        assert_string_equal(info.stopped_by, "iterations");
        inco_mat_free(&d);
        inco_options_free(o);
    }
    inco_mat_free(&truth);
    inco_mat_free(&x);
}

/* More than one group of signals, more than one block of atoms. */
static void same_bits_for_any_number_of_threads(void **state) {
    const inco_type type = *(inco_type *)*state;
    inco_mat truth = check_dictionary(type, 24, 150, 3), x = planted_signals(&truth, 9000, 5, 4);
    check_threads(&x, OPTIONS("atoms", "150", "residual-coherence", "0.3", "iterations", "3"));
    inco_mat_free(&truth);
    inco_mat_free(&x);
}

static void a_resumed_run_has_the_same_bits(void **state) {
    const inco_type type = *(inco_type *)*state;
    inco_mat truth = check_dictionary(type, 16, 60, 5), x = planted_signals(&truth, 5000, 4, 6);
    inco_source source = mat_source_of(&x);
    inco_options *o = OPTIONS("atoms", "60", "coder", "omp", "sparsity", "4", "iterations", "6", "unused", "sample");
    resumption r;
    check_resumed(&r, &source, o, 3);
    assert_int_equal(r.whole.told, 6);
    assert_int_equal(check_info(r.resumed).iterations, 6);
    resumption_free(&r);
    inco_mat_free(&truth);
    inco_mat_free(&x);
}

/* Learns from a file named by the option init, and frees the options. */
static int learn_from_file(const inco_mat *x, const char *path, inco_options *o, inco_mat *d, inco_error *error) {
    inco_learn_info info = INCO_INIT(inco_learn_info);
    assert_int_equal(inco_options_set(o, "init", path, NULL), INCO_OK);
    int status = learn(x, o, d, &info, error);
    inco_options_free(o);
    return status;
}

static void an_initial_dictionary_is_read_from_a_file(void **state) {
    char folder[] = "/tmp/inco-test-XXXXXX", path[64], missing[64];
    inco_mat x = check_random(INCO_F64, 8, 1200, 7), start = check_dictionary(INCO_F64, 8, 12, 8), d, e;
    inco_source source = mat_source_of(&x);
    inco_error error;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/start.npy", folder);
    snprintf(missing, sizeof missing, "%s/missing.npy", folder);
    assert_int_equal(inco_save(path, &start, NULL, NULL, NULL), INCO_OK);
    static const char *const gammas[] = {"1", "auto"};
    for (int i = 0; i < 2; i++) { /* as if given in memory, also with a path of gamma */
        inco_options *o = OPTIONS("sparsity", "2", "iterations", "3", "gamma", gammas[i]);
        inco_learner *learner;
        assert_int_equal(inco_learner_new(&learner, &source, o, NULL), INCO_OK);
        assert_int_equal(inco_learner_start_from(learner, &start, NULL), INCO_OK);
        assert_int_equal(inco_learner_run(learner, NULL), INCO_OK);
        e = check_learned(learner);
        assert_int_equal(learn_from_file(&x, path, o, &d, NULL), INCO_OK);
        assert_int_equal(d.cols, 12);
        assert_memory_equal(d.data, e.data, 8 * 12 * sizeof(double));
        inco_learner_free(learner);
        inco_mat_free(&d);
    }
    assert_int_equal(learn_from_file(&x, path, OPTIONS("atoms", "12", "iterations", "0"), &d, NULL), INCO_OK);
    inco_mat_free(&d);
    assert_int_equal(learn_from_file(&x, path, OPTIONS("atoms", "13"), &d, &error), INCO_EINVAL);
    assert_non_null(strstr(error.message, "the file has 12 atoms, but option 'atoms' is 13"));
    assert_int_equal(learn_from_file(&x, missing, OPTIONS("atoms", "12"), &d, &error), INCO_EIO);
    assert_non_null(strstr(error.message, "missing.npy"));
    inco_mat_free(&start);
    start = check_dictionary(INCO_F64, 9, 12, 8);
    assert_int_equal(inco_save(path, &start, NULL, NULL, NULL), INCO_OK);
    assert_int_equal(learn_from_file(&x, path, OPTIONS("sparsity", "2"), &d, &error), INCO_EDIM);
    assert_int_equal(remove(path) || rmdir(folder), 0);
    inco_mat_free(&start);
    inco_mat_free(&x);
}

/* Resumes from `memory` with other options or damage; returns the message. */
static int resume_with(memory_stream *memory, const inco_source *source, inco_options *o, inco_error *error) {
    inco_stream stream = MEMORY_STREAM(memory);
    inco_learner *learner;
    memory->read = 0;
    assert_int_equal(inco_learner_new(&learner, source, o, NULL), INCO_OK);
    int status = inco_learner_resume(learner, &stream, error);
    if (status == INCO_OK) status = inco_learner_run(learner, error);
    inco_learner_free(learner);
    inco_options_free(o);
    return status;
}

static void a_checkpoint_of_another_run_is_refused(void **state) {
    (void)state;
    inco_mat x = check_random(INCO_F64, 8, 100, 7), y = check_random(INCO_F64, 8, 100, 8);
    inco_source source = mat_source_of(&x), other = mat_source_of(&y);
    inco_options *o = OPTIONS("atoms", "12", "sparsity", "2", "iterations", "2");
    memory_stream *memory = calloc(1, sizeof *memory);
    observer w = {.stream = MEMORY_STREAM(memory), .save_at = 1};
    inco_error error = {0};
    watch_new(&w, &source, o);
    assert_int_equal(inco_learner_run(w.learner, NULL), INCO_OK);
    inco_learner_free(w.learner);
    inco_options_free(o);

    assert_int_equal(resume_with(memory, &source, OPTIONS("sparsity", "2", "iterations", "4"), &error), INCO_OK);
    assert_int_equal(resume_with(memory, &source, OPTIONS("sparsity", "3"), &error), INCO_EINVAL);
    assert_string_equal(error.message, "option 'sparsity' is '3', but was '2' in the run of the checkpoint");
    assert_int_equal(resume_with(memory, &source, OPTIONS("sparsity", "2", "atoms", "13"), &error), INCO_EDIM);
    assert_int_equal(resume_with(memory, &other, OPTIONS("sparsity", "2"), &error), INCO_EDATA);
    assert_string_equal(error.message, "the signals differ from those of the checkpoint");
    memory->written -= 8;
    assert_int_equal(resume_with(memory, &source, OPTIONS("sparsity", "2"), &error), INCO_EFORMAT);
    memory->written += 8;
    memory->bytes[CHECKPOINT_LINE - 2]--;
    assert_int_equal(resume_with(memory, &source, OPTIONS("sparsity", "2"), &error), INCO_EFORMAT);
    assert_string_equal(error.message, "the checkpoint was written by another version of inco");
    memory->bytes[3] ^= 1;
    assert_int_equal(resume_with(memory, &source, OPTIONS("sparsity", "2"), &error), INCO_EFORMAT);
    assert_string_equal(error.message, "not a checkpoint of inco");
    free(memory);
    inco_mat_free(&x);
    inco_mat_free(&y);
}

static void the_objective_never_rises_in_an_update(void **state) {
    const inco_type type = *(inco_type *)*state;
    inco_mat truth = check_dictionary(type, 16, 40, 9), x = planted_signals(&truth, 2000, 4, 10);
    inco_source source = mat_source_of(&x);
    const char *const gammas[] = {"0", "1", "100"};
    for (int g = 0; g < 3; g++) {
        inco_options *o = OPTIONS("atoms", "40", "gamma", gammas[g], "iterations", "8", "residual-coherence", "0.4");
        observer w = {0};
        watch_new(&w, &source, o);
        assert_int_equal(inco_learner_run(w.learner, NULL), INCO_OK);
        assert_int_equal(w.told, 8);
        assert_true(w.rise <= 0);
        inco_learner_free(w.learner);
        inco_options_free(o);
    }
    inco_mat_free(&truth);
    inco_mat_free(&x);
}

/* A large gamma leads to a tight frame, whose RMS coherence is the Welch bound. An update stops when a further
 * iteration promises little, which leaves about a fiftieth of the spread that there is without a penalty (3.4), for any
 * large gamma. */
static void gamma_flattens_the_spectrum(void **state) {
    (void)state;
    inco_mat x = check_random(INCO_F64, 12, 3000, 11), d;
    for (int64_t n = 0; n < x.cols; n++) /* a steep spectrum */
        for (int64_t i = 0; i < x.rows; i++) mat_set(&x, i, n, mat_get(&x, i, n) * pow(0.6, (double)i));
    double last = INFINITY, spread = 0;
    const char *const gammas[] = {"0", "5", "500"};
    for (int g = 0; g < 3; g++) {
        inco_options *o = OPTIONS("atoms", "30", "gamma", gammas[g], "iterations", "10", "sparsity", "3");
        inco_learn_info info = INCO_INIT(inco_learn_info);
        assert_int_equal(learn(&x, o, &d, &info, NULL), INCO_OK);
        assert_true(info.coherence_rms < last);
        assert_true(info.coherence_rms >= info.welch * (1 - 1e-12));
        assert_true(info.gamma == atof(gammas[g]));
        assert_near(info.gamma_relative, info.gamma * 30 / 3000, 1e-9);
        last = info.coherence_rms;
        if (g == 2) assert_near(info.coherence_rms, info.welch, 1e-3);
        if (g == 0) spread = info.singular_max - info.singular_min;
        if (g == 2) assert_true(info.singular_max - info.singular_min < spread / 30);
        inco_mat_free(&d);
        inco_options_free(o);
    }
    inco_mat_free(&x);
}

static void the_callback_stops_it(void **state) {
    (void)state;
    inco_mat x = check_random(INCO_F32, 8, 200, 12);
    inco_source source = mat_source_of(&x);
    inco_options *o = OPTIONS("atoms", "16", "sparsity", "2");
    observer w = {.stop_at = 2};
    watch_new(&w, &source, o);
    assert_int_equal(inco_learner_run(w.learner, NULL), INCO_STOPPED);
    assert_int_equal(check_info(w.learner).iterations, 2);
    assert_string_equal(check_info(w.learner).stopped_by, "callback");
    inco_mat d = check_learned(w.learner);
    for (int64_t j = 0; j < d.cols; j++) assert_near(mat_column_norm(&d, j), 1, 1e-6);
    inco_learner_free(w.learner);
    inco_options_free(o);
    o = OPTIONS("atoms", "16", "sparsity", "2", "stop-change", "1");
    inco_learn_info info = INCO_INIT(inco_learn_info);
    assert_int_equal(learn(&x, o, &d, &info, NULL), INCO_OK);
    assert_string_equal(info.stopped_by, "change");
    assert_int_equal(info.iterations, 1);
    inco_mat_free(&d);
    inco_options_free(o);
    inco_mat_free(&x);
}

/* At the third update: the first report, after which the caller takes its time, and one from inside the update. */
static int stop_inside(void *self, const inco_progress *now) {
    int *reports = self;
    if (strcmp(now->phase, "update") || now->iteration != 3) return 0;
    if (++*reports == 1) usleep(80000);
    return *reports == 2;
}

static void the_callback_stops_an_update(void **state) {
    const char *const methods[][6] = {{"method", "idl"},
                                      {"method", "idl", "schedule", "growing"},
                                      {"method", "idl", "update", "plain", "norms", "rescale"},
                                      {"method", "mocod"},
                                      {"method", "ksvd"},
                                      {"method", "aksvd"},
                                      {"method", "inksvd", "max-coherence", "0.8"},
                                      {"method", "ipr", "max-coherence", "0.8"}};
    inco_mat x = check_random(INCO_F64, 12, 600, 12), d, two;
    (void)state;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        inco_options *o = OPTIONS("atoms", "24", "coder", "omp", "sparsity", "3", "iterations", "2");
        inco_learn_info info = INCO_INIT(inco_learn_info);
        int reports = 0;
        for (int i = 0; i < 6 && methods[m][i]; i += 2)
            assert_int_equal(inco_options_set(o, methods[m][i], methods[m][i + 1], NULL), INCO_OK);
        assert_int_equal(learn(&x, o, &two, NULL, NULL), INCO_OK);
        inco_options_set(o, "iterations", "5", NULL);
        inco_options_on_progress(o, stop_inside, &reports, sizeof(inco_progress), NULL);
        assert_int_equal(learn(&x, o, &d, &info, NULL), INCO_STOPPED);
        assert_int_equal(reports, 2);
        assert_int_equal(info.iterations, 2);
        assert_memory_equal(d.data, two.data, (size_t)(d.rows * d.cols) * sizeof(double));
        inco_mat_free(&d);
        inco_mat_free(&two);
        inco_options_free(o);
    }
    inco_mat_free(&x);
}

static void unused_atoms_are_replaced_or_kept(void **state) {
    (void)state;
    check_unused_policies(
        (const char *const[]){"method", "mod", "coder", "omp", "sparsity", "2", "iterations", "4", NULL});
}

static void bad_data_is_refused_with_its_place(void **state) {
    const inco_type type = *(inco_type *)*state;
    inco_mat x = check_random(type, 6, 50, 15), d;
    inco_options *o = OPTIONS("atoms", "8", "sparsity", "2", "iterations", "1");
    inco_error error;
    inco_learn_info info = INCO_INIT(inco_learn_info);
    mat_set(&x, 4, 33, NAN);
    assert_int_equal(learn(&x, o, &d, &info, &error), INCO_EDATA);
    assert_string_equal(error.message, "signal 33 has a NaN or Inf at feature 4 (both from 0); with option 'missing' = "
                                       "'nan', NaN is a missing entry");
    for (int64_t n = 10; n < 50; n++)
        for (int64_t i = 0; i < 6; i++) mat_set(&x, i, n, 0);
    assert_int_equal(learn(&x, o, &d, &info, &error), INCO_OK);
    assert_int_equal(info.zero_signals, 40);
    inco_mat_free(&d);
    inco_options_set(o, "atoms", "11", NULL);
    assert_int_equal(learn(&x, o, &d, &info, &error), INCO_EDATA);
    inco_options_free(o);
    inco_mat_free(&x);
}

static void centring_and_codes(void **state) {
    const inco_type type = *(inco_type *)*state;
    inco_mat x = check_random(type, 9, 300, 16), d, back;
    for (int64_t n = 0; n < x.cols; n++)
        for (int64_t i = 0; i < 9; i++) mat_set(&x, i, n, mat_get(&x, i, n) + 5);
    inco_source source = mat_source_of(&x);
    inco_options *o = OPTIONS("atoms", "12", "coder", "omp", "sparsity", "9", "iterations", "2", "center", "signal");
    inco_csc codes;
    inco_encode_info info = INCO_INIT(inco_encode_info);
    double means[300];
    assert_int_equal(learn(&x, o, &d, NULL, NULL), INCO_OK);
    for (int64_t j = 0; j < d.cols; j++) { /* centred signals give centred atoms */
        double sum = 0;
        for (int64_t i = 0; i < 9; i++) sum += mat_get(&d, i, j);
        assert_near(sum, 0, 1e-5);
    }
    assert_int_equal(inco_encode(&d, &source, o, &codes, &info, NULL), INCO_OK);
    assert_int_equal(inco_signal_means(&source, means, NULL), INCO_OK);
    inco_origin origin = {.size = sizeof origin, .signals = 300, .mean = means};
    assert_int_equal(inco_decode(&d, &codes, &origin, &back, NULL), INCO_OK);
    for (int64_t n = 0; n < 300; n++)
        for (int64_t i = 0; i < 9; i++)
            assert_near(mat_get(&back, i, n), mat_get(&x, i, n), type == INCO_F32 ? 1e-3 : 1e-8);
    assert_true(info.relative_error < 1e-3 && info.signals == 300);
    inco_csc_free(&codes);
    inco_options_set(o, "center", "feature", NULL);
    assert_int_equal(inco_encode(&d, &source, o, &codes, &info, NULL), INCO_EINVAL);
    inco_mat_free(&d);
    assert_int_equal(learn(&x, o, &d, NULL, NULL), INCO_OK);
    inco_mat_free(&d);
    inco_mat_free(&back);
    inco_mat_free(&x);
    inco_options_free(o);
}

/* Every allocation of learning and coding fails once: an error is returned, nothing leaks. */
static void failing_memory_is_survived(void **state) {
    (void)state;
    inco_mat x = check_random(INCO_F32, 6, 80, 17);
    inco_source source = mat_source_of(&x);
    inco_options *o = OPTIONS("atoms", "9", "sparsity", "3", "iterations", "2", "center", "feature", "threads", "1");
    inco_options *plain = OPTIONS("sparsity", "3", "threads", "1");
    int64_t k = 1;
    for (int status = INCO_ENOMEM; status == INCO_ENOMEM; k++) {
        inco_mat d = {0};
        inco_csc codes = {0};
        memory_fail_at(k);
        status = learn(&x, o, &d, NULL, NULL);
        if (status == INCO_OK) status = inco_encode(&d, &source, plain, &codes, NULL, NULL);
        memory_fail_at(0);
        assert_true(status == INCO_OK || status == INCO_ENOMEM);
        inco_mat_free(&d);
        inco_csc_free(&codes);
    }
    assert_true(k > 50);
    inco_options_free(o);
    inco_options_free(plain);
    inco_mat_free(&x);
}

/* A checkpoint after iteration 1 of a run with 12 atoms of 8 dimensions. */
static memory_stream *checkpoint_of(const inco_source *source) {
    inco_options *o = OPTIONS("atoms", "12", "sparsity", "2", "iterations", "1");
    memory_stream *memory = calloc(1, sizeof *memory);
    observer w = {.stream = MEMORY_STREAM(memory), .save_at = 1};
    watch_new(&w, source, o);
    assert_int_equal(inco_learner_run(w.learner, NULL), INCO_OK);
    inco_learner_free(w.learner);
    inco_options_free(o);
    return memory;
}

/* Fails to resume because of damage, with a message that contains `reason`. */
static void assert_damaged(memory_stream *memory, const inco_source *source, const char *reason) {
    inco_error error = {0};
    assert_int_equal(resume_with(memory, source, OPTIONS("sparsity", "2"), &error), INCO_EFORMAT);
    assert_non_null(strstr(error.message, reason));
}

static void a_changed_checkpoint_is_refused(void **state) {
    (void)state;
    inco_mat x = check_random(INCO_F64, 8, 100, 7);
    inco_source source = mat_source_of(&x);
    memory_stream *memory = checkpoint_of(&source);
    for (size_t at = CHECKPOINT_LINE; at < memory->written; at += 7) { /* any bit */
        memory->bytes[at] ^= (char)(1 << at % 8);
        assert_damaged(memory, &source, "the checkpoint ");
        memory->bytes[at] ^= (char)(1 << at % 8);
    }
    memory->written++;
    assert_damaged(memory, &source, "there are bytes after its end");
    reseal(memory); /* now within the sealed bytes */
    assert_damaged(memory, &source, "the checkpoint is damaged");
    free(memory);
    inco_mat_free(&x);
}

/* The invariants are checked even if the checksum is right. */
static void an_impossible_checkpoint_is_refused(void **state) {
    enum { ITERATION = CHECKPOINT_BODY + 3 * 8, OWN = 5 * 8 }; /* own: what idl stores after the dictionary */
    (void)state;
    inco_mat x = check_random(INCO_F64, 8, 90, 7); /* too few for batches */
    inco_source source = mat_source_of(&x);
    memory_stream *memory = checkpoint_of(&source), *changed = calloc(1, sizeof *changed);
    const int64_t iterations[] = {INT64_MAX, (int64_t)1 << 31, -1};
    const double factors[] = {1e-3, 0, NAN, 1 + 1e-8};
    for (int i = 0; i < 3; i++) {
        *changed = *memory;
        memcpy(changed->bytes + ITERATION, &iterations[i], sizeof iterations[i]);
        reseal(changed);
        assert_damaged(changed, &source, "the checkpoint is damaged");
    }
    const size_t last_atom = memory->written - OWN - 8 * sizeof(double);
    for (int i = 0; i < 4; i++) {
        *changed = *memory;
        for (size_t at = last_atom; at < last_atom + 64; at += 8) {
            double value;
            memcpy(&value, changed->bytes + at, sizeof value);
            value *= factors[i];
            memcpy(changed->bytes + at, &value, sizeof value);
        }
        reseal(changed);
        assert_damaged(changed, &source, "the checkpoint is damaged");
    }
    inco_error error = {0};
    reseal(memory);
    assert_int_equal(resume_with(memory, &source, OPTIONS("sparsity", "2"), &error), INCO_OK);
    free(memory);
    free(changed);
    inco_mat_free(&x);
}

/* Wherever a value changes, the fingerprint does. */
static void data_changed_anywhere_is_noticed(void **state) {
    const inco_type type = *(inco_type *)*state;
    inco_mat x = check_random(type, 8, 1000, 7);
    inco_source source = mat_source_of(&x);
    memory_stream *memory = checkpoint_of(&source);
    for (int64_t n = 0; n < x.cols; n += 37) {
        inco_error error = {0};
        const double value = mat_get(&x, n % 8, n);
        mat_set(&x, n % 8, n, value * 1.0001);
        assert_int_equal(resume_with(memory, &source, OPTIONS("sparsity", "2"), &error), INCO_EDATA);
        assert_string_equal(error.message, "the signals differ from those of the checkpoint");
        mat_set(&x, n % 8, n, value);
    }
    free(memory);
    inco_mat_free(&x);
}

/* The fingerprint does not depend on how the signals are read, and reads only what was not read before. */
static void a_fingerprint_does_not_depend_on_the_reads(void **state) {
    (void)state;
    counting_source c = {.x = check_random(INCO_F64, 3, 1000, 4)};
    const inco_source source = counting_source_of(&c);
    static const struct {
        int64_t first, count, missing;
    } reads[] = {{0, 1000, 0}, {0, 500, 744}, {500, 500, 512}, {256, 256, 744}, {100, 900, 256}, {7, 200, 1000}};
    uint64_t whole, other;
    data_print *p = print_new(&source, NULL);
    assert_int_equal(print_total(p, &whole, NULL), INCO_OK);
    assert_int_equal(c.read, 1000);
    print_free(p);
    for (int i = 0; i < 6; i++) {
        p = print_new(&source, NULL);
        for (int twice = 0; twice < 2; twice++)
            print_note(p, reads[i].first, reads[i].count, mat_column(&c.x, reads[i].first));
        c.read = 0;
        assert_int_equal(print_total(p, &other, NULL), INCO_OK);
        assert_true(other == whole);
        assert_int_equal(c.read, reads[i].missing);
        print_free(p);
    }
    inco_mat_free(&c.x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        BOTH(a_planted_dictionary_is_recovered),
        BOTH(same_bits_for_any_number_of_threads),
        BOTH(a_resumed_run_has_the_same_bits),
        cmocka_unit_test(an_initial_dictionary_is_read_from_a_file),
        cmocka_unit_test(a_checkpoint_of_another_run_is_refused),
        cmocka_unit_test(a_changed_checkpoint_is_refused),
        cmocka_unit_test(an_impossible_checkpoint_is_refused),
        BOTH(data_changed_anywhere_is_noticed),
        cmocka_unit_test(a_fingerprint_does_not_depend_on_the_reads),
        BOTH(the_objective_never_rises_in_an_update),
        cmocka_unit_test(gamma_flattens_the_spectrum),
        cmocka_unit_test(the_callback_stops_it),
        cmocka_unit_test(the_callback_stops_an_update),
        cmocka_unit_test(unused_atoms_are_replaced_or_kept),
        BOTH(bad_data_is_refused_with_its_place),
        BOTH(centring_and_codes),
        cmocka_unit_test(failing_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
