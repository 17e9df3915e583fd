/* The one parallel loop of the library. */
#ifndef INCO_BASE_PARALLEL_H
#define INCO_BASE_PARALLEL_H

#include <stdint.h>

#include <inco/inco.h>

/* Body of iteration i on thread `thread` (0 .. threads - 1). Its result must depend on i alone. */
typedef int (*parallel_body)(void *self, int64_t i, int thread, inco_error *error);

/* Runs body(0) .. body(count - 1) on up to `threads` threads: the calling one, and those of the process's workers that
 * come in time (base/pool.h). Iterations of a microsecond and loops of ten are long enough. The first failure by index
 * is returned, with its message. A loop inside a body runs on one thread. */
int parallel_for(int threads, int64_t count, parallel_body body, void *self, inco_error *error);

/* Of `threads`, those worth waking to go through so many numbers; at least 1. */
int parallel_worth(int threads, int64_t numbers);

/* Runs body over the columns of a matrix, from `first` to below `end` at a time, on as many threads as that is worth.
 * What it leaves behind for a column must depend on that column alone. */
typedef void (*parallel_stripe)(void *self, int64_t first, int64_t end);
void parallel_columns(int threads, int64_t rows, int64_t cols, parallel_stripe body, void *self);

/* The number of threads that an option of 0 stands for, else the number itself. */
int parallel_threads(int64_t wanted);

#endif
