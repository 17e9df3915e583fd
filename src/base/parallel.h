/* The only parallel loop of the library. */
#ifndef INCO_BASE_PARALLEL_H
#define INCO_BASE_PARALLEL_H

#include <stdint.h>

#include <inco/inco.h>

/* Body of iteration i on thread `thread` (0 .. threads - 1). Its result must depend only on i. */
typedef int (*parallel_body)(void *self, int64_t i, int thread, inco_error *error);

/* Runs body(0) .. body(count - 1) on up to `threads` threads: the calling thread, and workers of the process
 * (base/pool.h). Pays off for iterations of a microsecond and loops of ten. Returns the failure with the lowest index,
 * with its message. Nested loops run on one thread. */
int parallel_for(int threads, int64_t count, parallel_body body, void *self, inco_error *error);

/* Returns how many of `threads` pay off for processing this many numbers; at least 1. */
int parallel_worth(int threads, int64_t numbers);

/* Runs body over the columns of a matrix, columns `first` to `end` - 1 at a time, on as many threads as pay off. The
 * result for a column must depend only on that column. */
typedef void (*parallel_stripe)(void *self, int64_t first, int64_t end);
void parallel_columns(int threads, int64_t rows, int64_t cols, parallel_stripe body, void *self);

/* Resolves an option: 0 stands for all available processors. */
int parallel_threads(int64_t wanted);

#endif
