/* Restarts the program, once, if OpenBLAS does not know this CPU, since its kernels are chosen before main; or if the
 * memory of the process is limited, since OpenBLAS then must not start threads of its own: they retry for ever to get
 * memory, and the program waits for them at its end. */
#ifndef INCO_CLI_FAST_BLAS_H
#define INCO_CLI_FAST_BLAS_H

#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <inco/inco.h>

static inline void use_fast_blas(char **argv) {
    const char *core = getenv("OPENBLAS_CORETYPE") ? NULL : inco_blas_advice();
    struct rlimit limit;
    const int limited =
        getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && !getenv("OPENBLAS_NUM_THREADS");
    if (!core && !limited) return;
    if ((!core || setenv("OPENBLAS_CORETYPE", core, 1) == 0) &&
        (!limited || setenv("OPENBLAS_NUM_THREADS", "1", 1) == 0))
        execv("/proc/self/exe", argv);
    /* if that fails, the program continues, only slower */
}

#endif
