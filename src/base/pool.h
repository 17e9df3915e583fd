/* The worker threads of the process, shared by all calls. */
#ifndef INCO_BASE_POOL_H
#define INCO_BASE_POOL_H

/* Work that any number of threads can share: each call takes the remaining pieces one by one, and returns when none is
 * left. thread: 0 for the calling thread, 1 .. for workers, each at most once. */
typedef void (*pool_work)(void *self, int thread);

/* Runs work on the calling thread and on up to threads - 1 workers. Returns when work has returned on the calling
 * thread and on every worker that has begun it; workers that have not begun are not waited for. Nested calls run on the
 * calling thread alone. */
void pool_run(int threads, pool_work work, void *self);

/* For tests: limits the number of workers from now on, as if the system refused to create more; -1: no limit. Existing
 * workers stay. */
void pool_limit(int maximum);
/* For tests: number of workers. */
int pool_workers(void);

#endif
