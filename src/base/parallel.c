#define _GNU_SOURCE
#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/pool.h"
#include "base/range.h"

enum { CACHE_LINE = 64 };

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

/* ---- The loop ---- */

typedef struct loop {
    parallel_body body;
    void *self;
    int64_t count;
    alignas(CACHE_LINE) atomic_llong next;  /* next iteration */
    alignas(CACHE_LINE) atomic_llong first; /* first failed iteration; count: none */
    pthread_mutex_t lock;                   /* protects the failure */
    int status;
    inco_error *error;
} loop;

/* All iterations below the first failure run, so that the failure reported does not depend on the number of threads. */
static void take_iterations(void *self, int thread) {
    loop *l = self;
    for (int64_t i; (i = atomic_fetch_add(&l->next, 1)) < l->count;) {
        inco_error trouble;
        trouble.code = 0;
        trouble.message[0] = 0;
        if (i > atomic_load(&l->first)) return;
        const int status = l->body(l->self, i, thread, &trouble);
        if (status >= 0) continue;
        pthread_mutex_lock(&l->lock);
        if (i < atomic_load(&l->first)) {
            atomic_store(&l->first, i);
            l->status = status;
            if (l->error) *l->error = trouble;
        }
        pthread_mutex_unlock(&l->lock);
    }
}

int parallel_for(int threads, int64_t count, parallel_body body, void *self, inco_error *error) {
    loop l = {.body = body, .self = self, .count = count, .first = count, .error = error};
    pthread_mutex_init(&l.lock, NULL);
    pool_run(threads < count ? threads : (int)count, take_iterations, &l);
    pthread_mutex_destroy(&l.lock);
    return l.status;
}

int parallel_worth(int threads, int64_t numbers) {
    enum { SHARE = 65536 };
    const int64_t maximum = 1 + numbers / SHARE;
    return threads < 1 ? 1 : threads < maximum ? threads : (int)maximum;
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
    s->body(s->self, first, first + range_min(left, STRIPE));
    (void)thread, (void)error;
    return INCO_OK;
}

void parallel_columns(int threads, int64_t rows, int64_t cols, parallel_stripe body, void *self) {
    stripes s = {body, self, cols};
    parallel_for(parallel_worth(threads, rows * cols), range_blocks(cols, STRIPE), run_stripe, &s, NULL);
}
