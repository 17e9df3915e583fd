#define _GNU_SOURCE
#include "base/parallel.h"

#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif

int inco_threads_available(void) {
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

int parallel_threads(int64_t wanted) {
    return wanted > 0 ? (int)wanted : inco_threads_available();
}

static int thread_number(void) {
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}

/* Every iteration below the first failure runs, so that the failure reported is the same for any number of threads. */
int parallel_for(int threads, int64_t count, parallel_body body, void *self, inco_error *error) {
    atomic_llong first = count;
    int status = INCO_OK;
    if (threads > count) threads = count > 0 ? (int)count : 1;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (int64_t i = 0; i < count; i++) {
        inco_error trouble = {0};
        if (i > atomic_load(&first)) continue;
        int result = body(self, i, thread_number(), &trouble);
        if (result >= 0) continue;
#pragma omp critical(inco_parallel_failure)
        if (i < atomic_load(&first)) {
            atomic_store(&first, i);
            status = result;
            if (error) *error = trouble;
        }
    }
    return status;
}

int parallel_worth(int threads, int64_t numbers) {
    enum { SHARE = 65536 };
    const int64_t most = 1 + numbers / SHARE;
    return threads < 1 ? 1 : threads < most ? threads : (int)most;
}

enum { STRIPE = 32 }; /* columns */

typedef struct stripes {
    parallel_stripe body;
    void *self;
    int64_t cols;
} stripes;

static int run_stripe(void *self, int64_t number, int thread, inco_error *error) {
    const stripes *s = self;
    const int64_t first = number * STRIPE, left = s->cols - first;
    s->body(s->self, first, first + (left < STRIPE ? left : STRIPE));
    (void)thread, (void)error;
    return INCO_OK;
}

void parallel_columns(int threads, int64_t rows, int64_t cols, parallel_stripe body, void *self) {
    stripes s = {body, self, cols};
    parallel_for(parallel_worth(threads, rows * cols), (cols + STRIPE - 1) / STRIPE, run_stripe, &s, NULL);
}

/* ---- Loops shared by a team ---- */

/* A ticket is the number of the loop, then the next piece of it to be taken. Who takes a piece has seen the loop that
 * it belongs to, since the loop changes only when all its pieces are done. */
struct parallel_team {
    atomic_ullong ticket;
    atomic_llong count, done;
    _Atomic(parallel_piece) body;
    _Atomic(void *) self;
    atomic_int finished;
    int threads;
    parallel_work work;
    void *work_self;
};

enum { PIECE_BITS = 32, PATIENCE = 4000 };

/* Takes a piece of the loop under way, if there is one left. 1 when it has done so. */
static int take_piece(parallel_team *team, int member) {
    unsigned long long ticket = atomic_load(&team->ticket);
    const int64_t piece = (int64_t)(ticket & ((1ull << PIECE_BITS) - 1));
    if (piece >= atomic_load(&team->count)) return 0; /* read before the body, as it is written after it */
    const parallel_piece body = atomic_load(&team->body);
    void *self = atomic_load(&team->self);
    if (!atomic_compare_exchange_strong(&team->ticket, &ticket, ticket + 1)) return 1;
    body(self, piece, member);
    atomic_fetch_add(&team->done, 1);
    return 1;
}

void parallel_share(parallel_team *team, int64_t count, parallel_piece body, void *self) {
    if (team->threads == 1 || count < 2) {
        for (int64_t i = 0; i < count; i++) body(self, i, 0);
        return;
    }
    const unsigned long long loop = (atomic_load(&team->ticket) >> PIECE_BITS) + 1;
    atomic_store(&team->count, 0); /* nothing to take while the loop changes */
    atomic_store(&team->ticket, loop << PIECE_BITS);
    atomic_store(&team->body, body);
    atomic_store(&team->self, self);
    atomic_store(&team->done, 0);
    atomic_store(&team->count, count);
    while (take_piece(team, 0)) continue;
    for (int waited = 0; atomic_load(&team->done) < count;)
        if (++waited > PATIENCE) sched_yield();
}

static void help(parallel_team *team, int member) {
    for (int waited = 0; !atomic_load(&team->finished); waited++) {
        if (take_piece(team, member)) waited = 0;
        if (waited > PATIENCE) sched_yield();
    }
}

/* Member 0, the first to be handed out, does the work. The others find it finished when they start after it. */
static int join_team(void *self, int64_t member, int thread, inco_error *error) {
    parallel_team *team = self;
    (void)thread;
    if (member > 0) {
        help(team, (int)member);
        return INCO_OK;
    }
    int status = team->work(team->work_self, team, error);
    atomic_store(&team->finished, 1);
    return status;
}

int parallel_together(int threads, parallel_work work, void *self, inco_error *error) {
    parallel_team team = {.threads = threads, .work = work, .work_self = self};
    return parallel_for(threads, threads, join_team, &team, error);
}
