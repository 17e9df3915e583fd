/* The cases of inco-bench. A coder's case is named by the coder and its stop rule: omp-10, ols-40 and lars-40 have so
 * many atoms, omp-20db stops at that ratio of signal to residual, lasso-10 has so many atoms on average, larc-0.2 stops
 * at that residual coherence; larc alone is larc-0.2. */
#ifndef INCO_BENCH_CASES_H
#define INCO_BENCH_CASES_H

#include <inco/inco.h>

typedef struct setup {
    int64_t dim, atoms, signals, repeats;
    int threads;
    inco_type type;
} setup;

typedef struct outcome {
    double seconds;
    double multiplied;  /* multiplications of numbers: in matrix products, and of bases in the coders */
    double bytes;       /* of bases and Gram matrices that the coders read */
    double signals;     /* coded, or atoms inspected; 0: none */
    const char *detail; /* name of one more figure */
    double value;
} outcome;

extern const char *const case_names[]; /* those run by default, ended by NULL */

/* 0 when there is no such case. */
int case_exists(const char *name);
/* The sizes and type that a case runs with: those asked for, or its own. */
setup case_setup(const setup *s, const char *name);
outcome case_run(const setup *s, const char *name);

#endif
