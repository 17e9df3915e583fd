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
