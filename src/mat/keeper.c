#define _DEFAULT_SOURCE
/* BLAS has global state that the library does not own. OpenBLAS has one thread count for all callers, its own threads,
 * and a lock that each product takes for its memory. If another thread held that lock during a fork, it would stay
 * locked in the child. Therefore a fork waits until no product of this library is running, and new ones wait for the
 * fork. */
#include "mat/keeper.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <time.h>

#include "base/error.h"

/* Provided by OpenBLAS; NULL with another BLAS. */
extern void openblas_set_num_threads(int threads) __attribute__((weak));
extern int openblas_get_num_threads(void) __attribute__((weak));
extern int blas_thread_shutdown_(void) __attribute__((weak));
extern void *blas_memory_alloc(int position) __attribute__((weak));
extern void blas_memory_free(void *buffer) __attribute__((weak));

static pthread_mutex_t keeper = PTHREAD_MUTEX_INITIALIZER; /* protects the next two */
static int inside;                                         /* public calls that are running */
static int before;                                         /* thread count to restore; 0: none */
static _Thread_local int inside_here;                      /* of this thread */

static pthread_mutex_t buffer_lock = PTHREAD_MUTEX_INITIALIZER; /* taken between keeper_begin and keeper_end */
static atomic_int buffers;                                      /* products at a time that BLAS has memory for */

static pthread_mutex_t fork_lock = PTHREAD_MUTEX_INITIALIZER; /* held during a fork */
static alignas(64) atomic_int forking;
static alignas(64) atomic_int calls; /* running BLAS calls; on its own cache line, since it is written often */

/* ---- Forks ---- */

static void before_fork(void) {
    const struct timespec moment = {0, 20000};
    pthread_mutex_lock(&fork_lock);
    atomic_store(&forking, 1);
    while (atomic_load(&calls) > 0) nanosleep(&moment, NULL);
    pthread_mutex_lock(&keeper);
}

static void after_fork(void) {
    pthread_mutex_unlock(&keeper);
    atomic_store(&forking, 0);
    pthread_mutex_unlock(&fork_lock);
}

/* The calls of other threads do not exist in the child. */
static void in_child(void) {
    atomic_store(&calls, 0);
    inside = inside_here;
    after_fork();
}

static void prepare_for_forks(void) {
    pthread_atfork(before_fork, after_fork, in_child);
}

void keeper_begin(void) {
    for (;;) {
        atomic_fetch_add(&calls, 1);
        if (!atomic_load(&forking)) return;
        atomic_fetch_sub(&calls, 1);
        pthread_mutex_lock(&fork_lock);
        pthread_mutex_unlock(&fork_lock);
    }
}

int keeper_end(int result) {
    atomic_fetch_sub(&calls, 1);
    return result;
}

/* ---- The memory of BLAS ---- */

/* OpenBLAS maps a buffer of this size for each product that runs at the same time, keeps it, and retries for ever if it
 * gets none. */
static const size_t BUFFER = ((size_t)128 << 20) + (1 << 16);
enum { BUFFERS_MAX = 64 }; /* OpenBLAS prints a warning when it maps more than about twice its number of threads */

static int can_map(void) {
    void *block = mmap(NULL, BUFFER, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) return 0;
    munmap(block, BUFFER);
    return 1;
}

/* Makes OpenBLAS map its buffers now: takes as many as there are threads, each of which holds the address of the one
 * before, and returns them. Returns how many there are. */
static int map_buffers(int threads) {
    void **last = NULL;
    int count = 0;
    while (count < threads && (count < atomic_load(&buffers) || can_map())) {
        void **buffer = blas_memory_alloc(0);
        if (!buffer) break;
        *buffer = last;
        last = buffer;
        count++;
    }
    while (last) {
        void **buffer = last;
        last = *buffer;
        blas_memory_free(buffer);
    }
    return count;
}

static int reserve(int threads, inco_error *error) {
    const int wanted = threads < BUFFERS_MAX ? threads : BUFFERS_MAX;
    if (wanted <= atomic_load(&buffers) || !blas_memory_alloc || !blas_memory_free) return INCO_OK;
    keeper_begin();
    pthread_mutex_lock(&buffer_lock);
    const int count = map_buffers(wanted);
    if (count > atomic_load(&buffers)) atomic_store(&buffers, count);
    pthread_mutex_unlock(&buffer_lock);
    keeper_end(0);
    return count >= wanted ? INCO_OK
                           : error_set(error, INCO_ENOMEM,
                                       "out of memory: matrix products take %zu MB of addresses per thread; raise the "
                                       "limit of the process (ulimit -v), or use fewer threads",
                                       BUFFER >> 20);
}

/* ---- The threads of BLAS ---- */

int blas_enter(int threads, inco_error *error) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare_for_forks);
    pthread_mutex_lock(&keeper);
    inside_here++;
    if (inside++ == 0 && !before && openblas_set_num_threads && openblas_get_num_threads() != 1) {
        before = openblas_get_num_threads();
        openblas_set_num_threads(1);
    }
    pthread_mutex_unlock(&keeper);
    return reserve(threads, error);
}

void blas_leave(void) {
    pthread_mutex_lock(&keeper);
    inside_here--;
    if (--inside == 0 && before) {
        openblas_set_num_threads(before);
        before = 0;
    }
    pthread_mutex_unlock(&keeper);
}

/* OpenBLAS's threads spin for a tenth of a second when they start, even without work. */
void inco_blas_one_thread(void) {
    if (openblas_set_num_threads) openblas_set_num_threads(1);
    if (blas_thread_shutdown_) blas_thread_shutdown_();
}
