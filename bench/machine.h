/* What this machine can do, measured beside every case. */
#ifndef INCO_BENCH_MACHINE_H
#define INCO_BENCH_MACHINE_H

#include <inco/inco.h>

typedef struct machine {
    double product;      /* seconds of D'X in double on one thread: the unit of all figures */
    double dgemm, sgemm; /* GFLOP/s of that product in double and in float */
    double cache;        /* GB/s read from the second-level cache */
    double memory;       /* GB/s of y += a x over arrays larger than any cache */
} machine;

/* Made once for the sizes of a run. */
typedef struct machine_probe {
    inco_mat d[2], x[2], product[2]; /* in float, in double */
    double scale;                    /* signals of a case for each of x */
} machine_probe;

void machine_open(machine_probe *probe, int64_t dim, int64_t atoms, int64_t signals);
void machine_close(machine_probe *probe);
machine machine_measure(const machine_probe *probe); /* all but `memory`, which takes longer */
double machine_memory(void);

/* The mean of two measurements, before and after. */
machine machine_between(machine before, machine after);

/* Peak memory in MB since the last reset, or since the program began where the system does not reset it. */
void machine_reset_peak(void);
double machine_peak(void);

/* Signals as windows of speech are: sums of partials with a falling spectrum and some noise, of unit norm. */
inco_mat machine_signals(inco_type type, int64_t dim, int64_t count, uint64_t seed);

/* Ends the program when a call has failed. */
void stop_on(int status, const inco_error *error);

#endif
