/* The worker threads of the process.
 *
 * Threads are state, and kept here alone. Loops of ten microseconds, one after another, are worth sharing only with
 * threads that exist already and watch for work; creating a thread takes longer than such a loop. The pool belongs to
 * the process, not to a handle, because the processors do: handles and threads of a program reuse the same workers.
 *
 * A worker is idle or lent to one call. When it has nothing to do it watches for a moment and then sleeps. A call
 * offers its work to the workers it has borrowed, does what it can itself, and takes back the offers that no worker has
 * taken. It waits only for workers inside, and asleep after a moment. So no call depends on a worker being scheduled,
 * and a process that shares the processors with others loses no more than they take.
 *
 * State of a worker, and who changes it:
 *
 *   IDLE -> ASLEEP           the worker, after a moment without work
 *   IDLE, ASLEEP -> OFFERED  a thread inside the call that the worker is lent to
 *   OFFERED -> IDLE          the call: it has ended without the worker
 *   OFFERED -> TAKEN         the worker begins
 *   TAKEN -> AWAITED         the call sleeps until the worker has left
 *   TAKEN, AWAITED -> IDLE   the worker has left
 *   IDLE, ASLEEP -> ENDED    the library is unloaded
 *
 * After a fork the child has one thread: it forgets the workers, and creates new ones when it needs them.
 */
#include "base/pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>

#include <inco/inco.h>

#include "base/clock.h"

enum { MAX_WORKERS = 1023, CACHE_LINE = 64 };
enum { IDLE, ASLEEP, OFFERED, TAKEN, AWAITED, ENDED };

/* Long enough for gaps between consecutive loops, short compared with a time slice of the system. */
static const double PATIENCE = 50e-6; /* seconds */

typedef struct pool_call pool_call;

typedef struct worker {
    alignas(2 * CACHE_LINE) atomic_int state;
    pool_call *call;     /* that the worker is lent to */
    int thread;          /* its thread number in that call */
    struct worker *next; /* next worker of the same call, or next idle worker */
    double patience;     /* seconds of spinning before it sleeps, or is waited for asleep */
    pthread_t id;
    pthread_mutex_t lock; /* used for sleeping only */
    pthread_cond_t changed;
} worker;

struct pool_call {
    pool_work work;
    void *self;
    worker *lent;              /* in the order of thread numbers */
    _Atomic(worker *) unasked; /* the first of them without an offer */
    atomic_int finished;       /* the calling thread found no work left */
};

static worker workers[MAX_WORKERS];
static struct {
    pthread_mutex_t lock; /* protects what follows; held briefly, and while threads are created */
    worker *idle;         /* most recently used first */
    int lent, made, maximum;
    double retry; /* when to retry after the system refused to create a thread */
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .maximum = MAX_WORKERS};

static _Thread_local int inside; /* inside a pool_run */

/* ---- Waiting ---- */

static void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("isb");
#endif
}

/* Spins until the state changes or patience ends. Returns the state. */
static int watch(worker *w, int state) {
    const double end = clock_seconds() + w->patience;
    while (atomic_load(&w->state) == state && clock_seconds() < end)
        for (int i = 0; i < 8; i++) relax();
    return atomic_load(&w->state);
}

/* Changes one state to another and sleeps until somebody else changes it; does nothing in any other state. */
static void sleep_in(worker *w, int from, int state) {
    pthread_mutex_lock(&w->lock);
    atomic_compare_exchange_strong(&w->state, &from, state);
    while (atomic_load(&w->state) == state) pthread_cond_wait(&w->changed, &w->lock);
    pthread_mutex_unlock(&w->lock);
}

/* Changes the state, and wakes the thread that sleeps in `asleep`. */
static void change(worker *w, int state, int asleep) {
    if (atomic_exchange(&w->state, state) != asleep) return;
    pthread_mutex_lock(&w->lock);
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

/* ---- Inside a call ---- */

/* Every thread that enters makes two offers: waking a worker is a system call, too slow for one thread to make them
 * all. */
static void take_part(pool_call *call, int thread) {
    for (int i = 0; i < 2 && !atomic_load(&call->finished); i++) {
        worker *w = atomic_load(&call->unasked);
        while (w && !atomic_compare_exchange_weak(&call->unasked, &w, w->next)) continue;
        if (w) change(w, OFFERED, ASLEEP);
    }
    inside = 1;
    call->work(call->self, thread);
    inside = 0;
}

static void *serve(void *self) {
    worker *w = self;
    for (;;) {
        int state = watch(w, IDLE);
        if (state == IDLE) sleep_in(w, IDLE, ASLEEP);
        if (state == ENDED) return NULL;
        if (state != OFFERED || !atomic_compare_exchange_strong(&w->state, &state, TAKEN)) continue;
        take_part(w->call, w->thread);
        change(w, IDLE, AWAITED);
    }
}

/* ---- Forks and the end ---- */

static void close_worker(worker *w) {
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->changed);
}

static void before_fork(void) {
    pthread_mutex_lock(&pool.lock);
}

static void in_parent(void) {
    pthread_mutex_unlock(&pool.lock);
}

/* The workers do not exist in the child. */
static void in_child(void) {
    pool.idle = NULL;
    pool.lent = pool.made = 0;
    pool.retry = 0;
    pthread_mutex_unlock(&pool.lock);
}

static void prepare_for_forks(void) {
    if (pthread_atfork(before_fork, in_parent, in_child))
        pool.maximum = 0; /* one thread rather than a child that hangs */
}

/* Runs when the library is unloaded and when the process exits. If the process exits during a call, possibly from a
 * worker, the workers are left to the system. */
__attribute__((destructor)) static void end_workers(void) {
    if (pthread_mutex_trylock(&pool.lock)) return;
    if (pool.lent == 0) {
        for (int i = 0; i < pool.made; i++) change(&workers[i], ENDED, ASLEEP);
        for (int i = 0; i < pool.made; i++) {
            pthread_join(workers[i].id, NULL);
            close_worker(&workers[i]);
        }
        pool.idle = NULL;
        pool.made = 0;
    }
    pthread_mutex_unlock(&pool.lock);
}

/* ---- Lending ---- */

/* Starts a worker, which inherits the mask: all signals are blocked, except those that a thread raises itself and the
 * profiler's. */
static int start(worker *w) {
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF};
    sigset_t blocked, before;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) sigdelset(&blocked, own[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    const int refused = pthread_create(&w->id, NULL, serve, w);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return refused;
}

/* NULL if the limit is reached or the system refuses. Workers in excess of the processors do not spin, since they would
 * keep other threads from running. */
static worker *create(void) {
    if (pool.made >= pool.maximum || clock_seconds() < pool.retry) return NULL;
    worker *w = &workers[pool.made];
    w->patience = pool.made + 1 < inco_threads_available() ? PATIENCE : 0;
    atomic_store(&w->state, IDLE);
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->changed, NULL);
    if (start(w)) {
        close_worker(w);
        pool.retry = clock_seconds() + 1;
        return NULL;
    }
    pool.made++;
    return w;
}

/* Takes up to `count` workers from the idle ones, or creates them. */
static void borrow(pool_call *call, int count) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    worker **end = &call->lent;
    pthread_once(&once, prepare_for_forks);
    pthread_mutex_lock(&pool.lock);
    for (int thread = 1; thread <= count; thread++) {
        worker *w = pool.idle;
        if (w)
            pool.idle = w->next;
        else if (!(w = create()))
            break;
        pool.lent++;
        w->call = call;
        w->thread = thread;
        *end = w;
        end = &w->next;
    }
    *end = NULL;
    pthread_mutex_unlock(&pool.lock);
}

/* In the order of thread numbers: the thread that made an offer to a worker comes before it, and has left by then. */
static void await_all(pool_call *call) {
    for (worker *w = call->lent; w; w = w->next) {
        int state = OFFERED;
        if (atomic_compare_exchange_strong(&w->state, &state, IDLE) || state != TAKEN) continue;
        if (watch(w, TAKEN) == TAKEN) sleep_in(w, TAKEN, AWAITED);
    }
}

static void give_back(pool_call *call) {
    worker **end = &call->lent;
    int count = 0;
    for (; *end; end = &(*end)->next) count++;
    pthread_mutex_lock(&pool.lock);
    *end = pool.idle;
    pool.idle = call->lent;
    pool.lent -= count;
    pthread_mutex_unlock(&pool.lock);
}

void pool_run(int threads, pool_work work, void *self) {
    pool_call call = {.work = work, .self = self};
    if (threads < 2 || inside) {
        work(self, 0);
        return;
    }
    int cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel); /* workers use this thread's stack */
    borrow(&call, threads - 1);
    atomic_store(&call.unasked, call.lent);
    take_part(&call, 0);
    atomic_store(&call.finished, 1);
    await_all(&call);
    give_back(&call);
    pthread_setcancelstate(cancel, NULL);
}

/* ---- For tests ---- */

void pool_limit(int maximum) {
    pthread_mutex_lock(&pool.lock);
    pool.maximum = maximum < 0 ? MAX_WORKERS : maximum;
    pthread_mutex_unlock(&pool.lock);
}

int pool_workers(void) {
    pthread_mutex_lock(&pool.lock);
    const int made = pool.made;
    pthread_mutex_unlock(&pool.lock);
    return made;
}
