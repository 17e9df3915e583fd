/* Cases of inco-bench. The case of a coder is named by the coder and its stopping rule: omp-10, ols-40 and lars-40 have
 * that many atoms, omp-20db stops at that signal-to-residual ratio, lasso-10 has that many atoms on average, larc-0.2
 * stops at that residual coherence; larc is larc-0.2. */
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
    double multiplied;  /* scalar multiplications: of matrix products, and of bases in the coders */
    double bytes;       /* of bases and Gram matrices read by the coders */
    double signals;     /* signals coded, or atoms inspected; 0: none */
    const char *detail; /* name of an additional figure */
    double value;
} outcome;

extern const char *const case_names[]; /* cases run by default, ended by NULL */

/* Returns whether there is such a case. */
int case_exists(const char *name);
/* Sizes and type of a case: as requested, or its own. */
setup case_setup(const setup *s, const char *name);
outcome case_run(const setup *s, const char *name);

#endif
