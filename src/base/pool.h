/* The worker threads of the process, lent to one call after another. */
#ifndef INCO_BASE_POOL_H
#define INCO_BASE_POOL_H

/* Work that any number of threads can share: each call of it takes what is left to do, piece by piece, and returns when
 * nothing is. thread: 0 for the calling thread, 1 .. for workers, each at most once. */
typedef void (*pool_work)(void *self, int thread);

/* Runs work on the calling thread and on up to threads - 1 workers. Returns when work has returned on the calling
 * thread and on every worker that has begun it; workers that have not begun are not waited for. Inside another pool_run
 * it runs on the calling thread alone. */
void pool_run(int threads, pool_work work, void *self);

/* For tests: at most so many workers from now on, as if the system refused to create them; -1: no such limit.
 * Workers there are stay. */
void pool_limit(int most);
/* For tests: workers that there are. */
int pool_workers(void);

#endif
