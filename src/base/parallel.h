/* The one parallel loop of the library. */
#ifndef INCO_BASE_PARALLEL_H
#define INCO_BASE_PARALLEL_H

#include <stdint.h>

#include <inco/inco.h>

/* Body of iteration i on thread `thread` (0 .. threads - 1). Its result must depend on i alone. */
typedef int (*parallel_body)(void *self, int64_t i, int thread, inco_error *error);

/* Runs body(0) .. body(count - 1) on `threads` threads. The first failure by index is returned, with its message. */
int parallel_for(int threads, int64_t count, parallel_body body, void *self, inco_error *error);

/* The number of threads that an option of 0 stands for, else the number itself. */
int parallel_threads(int64_t wanted);

#endif
