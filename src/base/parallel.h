/* The one parallel loop of the library. */
#ifndef INCO_BASE_PARALLEL_H
#define INCO_BASE_PARALLEL_H

#include <stdint.h>

#include <inco/inco.h>

/* Body of iteration i on thread `thread` (0 .. threads - 1). Its result must depend on i alone. */
typedef int (*parallel_body)(void *self, int64_t i, int thread, inco_error *error);

/* Runs body(0) .. body(count - 1) on `threads` threads. The first failure by index is returned, with its message. */
int parallel_for(int threads, int64_t count, parallel_body body, void *self, inco_error *error);

/* Of `threads`, those worth waking to go through so many numbers; at least 1. */
int parallel_worth(int threads, int64_t numbers);

/* Runs body over the columns of a matrix, from `first` to below `end` at a time, on as many threads as that is worth.
 * What it leaves behind for a column must depend on that column alone. */
typedef void (*parallel_stripe)(void *self, int64_t first, int64_t end);
void parallel_columns(int threads, int64_t rows, int64_t cols, parallel_stripe body, void *self);

/* Many short loops one after another, too short to bring the threads together for each. `work` runs on one thread and
 * shares its loops with the others by parallel_share. A thread that comes late takes no part and holds nobody up, so
 * that a busy machine does not slow it below one thread's speed. */
typedef struct parallel_team parallel_team;
typedef int (*parallel_work)(void *self, parallel_team *team, inco_error *error);
int parallel_together(int threads, parallel_work work, void *self, inco_error *error);

/* Runs body(0) .. body(count - 1) on the team; its result must depend on i alone. member is 0 .. threads - 1. */
typedef void (*parallel_piece)(void *self, int64_t i, int member);
void parallel_share(parallel_team *team, int64_t count, parallel_piece body, void *self);

/* The number of threads that an option of 0 stands for, else the number itself. */
int parallel_threads(int64_t wanted);

#endif
