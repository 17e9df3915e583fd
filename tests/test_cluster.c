/* Work shared by the ranks of a cluster, which are threads here: same bits as one process, for any number of ranks. */
#include "check.h"

#include <pthread.h>

#include "base/tree.h"
#include "learning.h"

/* ---- Ranks as threads ---- */

enum { RANKS = 7 };

/* A place where the sender leaves a pointer until the receiver has used it. */
typedef struct hub {
    pthread_mutex_t lock;
    pthread_cond_t change;
    const void *left[RANKS][RANKS];
    int64_t messages[RANKS]; /* sums sent by each rank */
} hub;

typedef struct member {
    hub *hub;
    int64_t rank, ranks;
    void *task;
    int status;
    inco_error error;
} member;

typedef void (*hub_use)(void *own, const void *theirs, size_t count);

static void copy_bytes(void *own, const void *theirs, size_t count) {
    memcpy(own, theirs, count);
}

static void add_values(void *own, const void *theirs, size_t count) {
    for (size_t i = 0; i < count; i++) ((double *)own)[i] += ((const double *)theirs)[i];
}

static void meet(member *m, void *data, size_t count, int64_t from, int64_t to, hub_use use) {
    const void **place = &m->hub->left[from][to];
    pthread_mutex_lock(&m->hub->lock);
    if (m->rank == from) {
        *place = data;
        pthread_cond_broadcast(&m->hub->change);
        while (*place) pthread_cond_wait(&m->hub->change, &m->hub->lock);
    } else {
        while (!*place) pthread_cond_wait(&m->hub->change, &m->hub->lock);
        use(data, *place, count);
        *place = NULL;
        pthread_cond_broadcast(&m->hub->change);
    }
    pthread_mutex_unlock(&m->hub->lock);
}

static int reduce(void *self, double *values, int64_t count, int64_t from, int64_t to, inco_error *error) {
    member *m = self;
    (void)error;
    if (m->rank == from) m->hub->messages[from]++;
    meet(m, values, (size_t)count, from, to, add_values);
    return INCO_OK;
}

static int broadcast(void *self, void *data, size_t bytes, int64_t from, int64_t to, inco_error *error) {
    member *m = self;
    (void)error;
    for (int64_t rank = 0; rank < m->ranks; rank++)
        if (rank != from && (to < 0 || to == rank) && (m->rank == from || m->rank == rank))
            meet(m, data, bytes, from, rank, copy_bytes);
    return INCO_OK;
}

static inco_cluster cluster_of(member *m) {
    return (inco_cluster){sizeof(inco_cluster), m->rank, m->ranks, reduce, broadcast, m};
}

/* Runs `body` on all ranks, each with its task. */
static void run_ranks(hub *h, member *members, int64_t ranks, void *(*body)(void *self)) {
    pthread_t thread[RANKS];
    *h = (hub){.lock = PTHREAD_MUTEX_INITIALIZER, .change = PTHREAD_COND_INITIALIZER};
    for (int64_t r = 0; r < ranks; r++) {
        members[r].hub = h;
        members[r].rank = r;
        members[r].ranks = ranks;
        assert_int_equal(pthread_create(&thread[r], NULL, body, &members[r]), 0);
    }
    for (int64_t r = 0; r < ranks; r++) pthread_join(thread[r], NULL);
}

/* ---- Sums ---- */

typedef struct sum_task {
    int64_t chunks;
    double total;
} sum_task;

static double term(int64_t chunk) {
    return rng_normal(3, RNG_TEST, (uint64_t)chunk);
}

static void *sum_share(void *self) {
    member *m = self;
    sum_task *task = m->task;
    cluster by = {.by = cluster_of(m)};
    tree_sum *tree = tree_new(1, 1, 1);
    double *total;
    const int64_t end = cluster_share(&by, task->chunks, m->rank + 1);
    for (int64_t c = cluster_share(&by, task->chunks, m->rank); c < end; c++) {
        tree_next(tree)[0] = term(c);
        tree_push(tree, c);
    }
    m->status = tree_reduce(tree, &by, task->chunks, &total, &m->error);
    if (total) task->total = *total;
    tree_free(tree);
    return NULL;
}

/* The sum of all chunks has the bits of one process; no rank sends more than log2(chunks) + 1 partial sums. */
static void sums_do_not_depend_on_the_ranks(void **state) {
    static const int64_t counts[] = {1, 2, 3, 5, 8, 11, 23, 32, 33, 49, 100, 1000, 4001};
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const int64_t chunks = counts[i];
        tree_sum *tree = tree_new(1, 1, 1);
        for (int64_t c = 0; c < chunks; c++) {
            tree_next(tree)[0] = term(c);
            tree_push(tree, c);
        }
        const double expected = *tree_total(tree);
        for (int64_t ranks = 1; ranks <= RANKS; ranks++) {
            sum_task task = {.chunks = chunks, .total = NAN};
            member members[RANKS] = {{0}};
            hub h;
            for (int64_t r = 0; r < ranks; r++) members[r].task = &task;
            run_ranks(&h, members, ranks, sum_share);
            assert_true(task.total == expected);
            for (int64_t r = 0; r < ranks; r++) {
                assert_int_equal(members[r].status, INCO_OK);
                assert_true((double)h.messages[r] <= log2((double)chunks) + 1);
            }
        }
        tree_free(tree);
    }
}

/* Shares are contiguous and cover all chunks; the first rank has the first; no share is much larger than the mean. */
static void shares_cover_all_chunks(void **state) {
    (void)state;
    for (int64_t chunks = 1; chunks < 3000; chunks += 1 + chunks / 3)
        for (int64_t ranks = 1; ranks <= 9; ranks++) {
            const cluster c = {.by = {.ranks = ranks}};
            assert_int_equal(cluster_share(&c, chunks, 0), 0);
            assert_int_equal(cluster_share(&c, chunks, ranks), chunks);
            assert_true(cluster_share(&c, chunks, 1) > 0);
            for (int64_t r = 0; r < ranks; r++) {
                const int64_t first = cluster_share(&c, chunks, r), end = cluster_share(&c, chunks, r + 1);
                assert_true(first <= end);
                assert_true((double)(end - first) <= ceil((double)chunks / (double)ranks * (1 + 1.0 / 32)));
                for (int64_t k = first; k < end; k++) assert_int_equal(cluster_owner(&c, chunks, k), r);
            }
        }
}

/* ---- Learning ---- */

enum { DIM = 6, ATOMS = 12, SIGNALS = 17000 }; /* five groups of a pass */

typedef struct learn_task {
    const char *const *options;
    const inco_mat *x;
    int64_t fail_on, fail_at; /* rank whose source fails from this signal on; fail_at 0: none */
    int64_t stop_on;          /* rank whose callback stops the run; -1: none */
    memory_stream *save, *resume;
    int want_codes;
    inco_mat d; /* results of rank 0 */
    inco_csc codes;
    inco_learn_info info;
} learn_task;

typedef struct failing_source {
    inco_source from;
    int64_t fail_at;
} failing_source;

static int read_or_fail(void *self, int64_t first, int64_t count, void *out, inco_error *error) {
    const failing_source *s = self;
    if (s->fail_at && first + count > s->fail_at) {
        if (error) strcpy(error->message, "the disk of this rank is gone");
        return INCO_EIO;
    }
    return s->from.read(s->from.self, first, count, out, error);
}

typedef struct watching {
    member *m;
    inco_learner *learner;
    memory_stream *save;
} watching;

static int look(void *self, const inco_progress *now) {
    const watching *w = self;
    const learn_task *task = w->m->task;
    if (w->save && !strcmp(now->phase, "iteration") && now->iteration == 2) {
        const inco_stream stream = MEMORY_STREAM(w->save);
        assert_int_equal(inco_learner_save(w->learner, &stream, NULL), INCO_OK);
    }
    return task->stop_on == w->m->rank && !strcmp(now->phase, "code") && now->iteration != 1;
}

static int run_first(inco_learner *learner, learn_task *task, inco_error *error) {
    const inco_stream stream = MEMORY_STREAM(task->resume);
    inco_mat view;
    int status = task->resume ? inco_learner_resume(learner, &stream, error) : INCO_OK;
    if (status >= 0) status = inco_learner_run(learner, error);
    task->info = (inco_learn_info)INCO_INIT(inco_learn_info);
    inco_learner_info(learner, &task->info, NULL);
    inco_learner_dictionary(learner, &view, NULL);
    if (status >= 0) assert_int_equal(mat_convert(&task->d, &view, view.type, NULL), INCO_OK);
    if (status == INCO_OK && task->want_codes) status = inco_learner_encode(learner, &task->codes, error);
    return status;
}

static void *learn_share(void *self) {
    member *m = self;
    learn_task *task = m->task;
    const inco_cluster by = cluster_of(m);
    inco_options *o = check_options(task->options);
    failing_source own = {.from = mat_source_of(task->x), .fail_at = m->rank == task->fail_on ? task->fail_at : 0};
    inco_source source = own.from;
    watching w = {.m = m, .save = m->rank == 0 ? task->save : NULL};
    source.self = &own;
    source.read = read_or_fail;
    assert_int_equal(inco_options_cluster(o, &by, NULL), INCO_OK);
    assert_int_equal(inco_options_on_progress(o, look, &w, sizeof(inco_progress), NULL), INCO_OK);
    m->status = inco_learner_new(&w.learner, &source, o, &m->error);
    if (m->status >= 0)
        m->status = m->rank == 0 ? run_first(w.learner, task, &m->error) : inco_learner_serve(w.learner, &m->error);
    inco_learner_free(w.learner);
    inco_options_free(o);
    return NULL;
}

static void learn_on(learn_task *task, member *members, int64_t ranks) {
    hub h;
    memset(members, 0, RANKS * sizeof *members);
    for (int64_t r = 0; r < ranks; r++) members[r].task = task;
    run_ranks(&h, members, ranks, learn_share);
}

static inco_mat signals_of(uint64_t seed) {
    inco_mat truth = check_dictionary(INCO_F64, DIM, 10, seed), x = planted_signals(&truth, SIGNALS, 2, seed + 1);
    inco_mat_free(&truth);
    return x;
}

static void free_results(learn_task *task) {
    inco_mat_free(&task->d);
    inco_csc_free(&task->codes);
}

#define COMMON "atoms", "12", "coder", "omp", "sparsity", "2", "threads", "1", "iterations"

/* Every kind of pass: growing batches, whole passes, codes of a length that depends on the signals, refits, batches of
 * a fixed size, the path of gamma with held-out signals, replacements, means of features. */
static void learning_does_not_depend_on_the_ranks(void **state) {
    static const char *const runs[][20] = {
        {COMMON, "3", NULL},
        {COMMON, "3", "schedule", "batch", "gamma", "0", NULL},
        {COMMON, "2", "max-coherence", "0.8", NULL},
        {COMMON, "2", "method", "mod", "center", "feature", NULL},
        {COMMON, "2", "method", "mocod", NULL},
        {COMMON, "2", "method", "online", "batch", "5000", NULL},
        {COMMON, "1", "gamma", "auto", NULL},
        {"atoms", "12", "threads", "1", "iterations", "2", NULL},
        {"atoms", "12", "threads", "1", "iterations", "1", "gamma", "auto", NULL},
        {COMMON, "3", "exchange", "yes", "normalize", "none", NULL},
        {COMMON, "2", "precision", "f32", "center", "signal", "unused", "sample", NULL},
    };
    inco_mat x = signals_of(7);
    (void)state;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        inco_options *o = check_options(runs[i]);
        inco_learn_info info = INCO_INIT(inco_learn_info);
        inco_mat alone;
        assert_int_equal(learn(&x, o, &alone, &info, NULL), INCO_OK);
        for (int64_t ranks = 1; ranks <= 4; ranks++) {
            learn_task task = {.options = runs[i], .x = &x, .stop_on = -1};
            member members[RANKS];
            learn_on(&task, members, ranks);
            for (int64_t r = 0; r < ranks; r++) assert_int_equal(members[r].status, INCO_OK);
            assert_int_equal(task.d.type, alone.type);
            assert_memory_equal(task.d.data, alone.data, (size_t)(DIM * ATOMS) * alone.type);
            assert_true(task.info.relative_error == info.relative_error);
            assert_true(task.info.mean_cardinality == info.mean_cardinality);
            assert_true(task.info.objective == info.objective);
            assert_int_equal(task.info.replaced, info.replaced);
            assert_int_equal(task.info.ranks, ranks);
            assert_int_equal(task.info.cluster_bytes > 0, ranks > 1);
            free_results(&task);
        }
        inco_mat_free(&alone);
        inco_options_free(o);
    }
    inco_mat_free(&x);
}

static const char *const three[] = {COMMON, "3", "seed", "5", NULL};

/* Codes of the training signals come to rank 0, in the order of the signals. */
static void codes_come_to_the_first_rank(void **state) {
    inco_mat x = signals_of(8);
    learn_task alone = {.options = three, .x = &x, .stop_on = -1, .want_codes = 1}, other = alone;
    member members[RANKS];
    (void)state;
    learn_on(&alone, members, 1);
    assert_int_equal(members[0].status, INCO_OK);
    learn_on(&other, members, 3);
    for (int r = 0; r < 3; r++) assert_int_equal(members[r].status, INCO_OK);
    assert_int_equal(other.codes.cols, SIGNALS);
    assert_memory_equal(other.codes.start, alone.codes.start, (SIGNALS + 1) * sizeof(int64_t));
    const size_t nonzeros = (size_t)alone.codes.start[SIGNALS];
    assert_memory_equal(other.codes.index, alone.codes.index, nonzeros * sizeof(int64_t));
    assert_memory_equal(other.codes.value, alone.codes.value, nonzeros * sizeof(double));
    free_results(&alone);
    free_results(&other);
    inco_mat_free(&x);
}

/* A run of three ranks, saved after its second iteration, is continued by two, and by one. */
static void a_run_continues_with_other_ranks(void **state) {
    inco_mat x = signals_of(9);
    memory_stream *saved = NEW(memory_stream, 1);
    learn_task first = {.options = three, .x = &x, .stop_on = -1, .save = saved};
    member members[RANKS];
    (void)state;
    learn_on(&first, members, 3);
    assert_true(saved->written > 0);
    for (int64_t ranks = 1; ranks <= 2; ranks++) {
        learn_task second = {.options = three, .x = &x, .stop_on = -1, .resume = saved};
        saved->read = 0;
        learn_on(&second, members, ranks);
        assert_int_equal(members[0].status, INCO_OK);
        assert_memory_equal(second.d.data, first.d.data, DIM * ATOMS * sizeof(double));
        free_results(&second);
    }
    free_results(&first);
    memory_free(saved);
    inco_mat_free(&x);
}

/* A rank that cannot read its signals ends the run of all, with its message. */
static void a_failure_is_that_of_all_ranks(void **state) {
    static const char *const codes[] = {COMMON, "3", "method", "ksvd", NULL};
    static const char *const passes[] = {COMMON, "3", "init", "random", NULL}; /* rank 0 draws signals from all */
    inco_mat x = signals_of(10);
    member members[RANKS];
    (void)state;
    for (int rank = 0; rank < 3; rank++) {
        learn_task task = {.options = passes, .x = &x, .stop_on = -1, .fail_on = rank, .fail_at = SIGNALS - 1};
        learn_on(&task, members, 3);
        for (int r = 0; r < 3; r++) {
            /* signals of the last groups are read by the last rank alone, in whole passes */
            assert_int_equal(members[r].status, INCO_EIO);
            assert_string_equal(members[r].error.message, "the disk of this rank is gone");
        }
        free_results(&task);
    }
    learn_task held = {.options = codes, .x = &x, .stop_on = -1};
    learn_on(&held, members, 2);
    for (int r = 0; r < 2; r++) {
        assert_int_equal(members[r].status, INCO_EINVAL);
        assert_non_null(strstr(members[r].error.message, "'ksvd' holds the codes"));
    }
    inco_mat_free(&x);
}

/* The callback of any rank stops the run; the dictionary is that of the last complete iteration. Rank 0 stops in the
 * second, rank 1 in the first. */
static void any_rank_stops_the_run(void **state) {
    static const char *const one[] = {COMMON, "1", "schedule", "batch", NULL};
    static const char *const two[] = {COMMON, "2", "schedule", "batch", NULL};
    inco_mat x = signals_of(11);
    learn_task complete = {.options = one, .x = &x, .stop_on = -1};
    member members[RANKS];
    (void)state;
    learn_on(&complete, members, 1);
    for (int rank = 0; rank < 2; rank++) {
        learn_task task = {.options = two, .x = &x, .stop_on = rank};
        learn_on(&task, members, 3);
        assert_int_equal(members[0].status, INCO_STOPPED);
        assert_int_equal(task.info.iterations, 1 - rank);
        if (rank == 0) assert_memory_equal(task.d.data, complete.d.data, DIM * ATOMS * sizeof(double));
        free_results(&task);
    }
    free_results(&complete);
    inco_mat_free(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_cover_all_chunks),
        cmocka_unit_test(sums_do_not_depend_on_the_ranks),
        cmocka_unit_test(learning_does_not_depend_on_the_ranks),
        cmocka_unit_test(codes_come_to_the_first_rank),
        cmocka_unit_test(a_run_continues_with_other_ranks),
        cmocka_unit_test(a_failure_is_that_of_all_ranks),
        cmocka_unit_test(any_rank_stops_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
