/* Restarts the program, once, if OpenBLAS does not know this CPU: its kernels are chosen before main. */
#ifndef INCO_CLI_FAST_BLAS_H
#define INCO_CLI_FAST_BLAS_H

#include <stdlib.h>
#include <unistd.h>

#include <inco/inco.h>

static inline void use_fast_blas(char **argv) {
    const char *core = inco_blas_advice();
    if (!core || getenv("OPENBLAS_CORETYPE")) return;
    if (setenv("OPENBLAS_CORETYPE", core, 1) == 0) execv("/proc/self/exe", argv);
    /* if that fails, the program continues, only slower */
}

#endif
