/* Speed of the machine, measured with every case. */
#ifndef INCO_BENCH_MACHINE_H
#define INCO_BENCH_MACHINE_H

#include <inco/inco.h>

typedef struct machine {
    double product;      /* seconds of D'X in double on one thread: the unit of all figures */
    double dgemm, sgemm; /* GFLOP/s of that product in double and in float */
    double cache;        /* GB/s read from the second-level cache */
    double memory;       /* GB/s of y += a x over arrays larger than any cache */
} machine;

/* Created once for the sizes of a run. */
typedef struct machine_probe {
    inco_mat d[2], x[2], product[2]; /* in float, in double */
    double scale;                    /* signals of a case per signal of x */
} machine_probe;

void machine_open(machine_probe *probe, int64_t dim, int64_t atoms, int64_t signals);
void machine_close(machine_probe *probe);
machine machine_measure(const machine_probe *probe); /* all except `memory`, which is slow */
double machine_memory(void);

/* The mean of two measurements, before and after. */
machine machine_between(machine before, machine after);

/* Peak memory in MB since the last reset, or since the program began if the system cannot reset it. */
void machine_reset_peak(void);
double machine_peak(void);

/* Speech-like signals: sums of partials with a decreasing spectrum and noise, of unit norm. */
inco_mat machine_signals(inco_type type, int64_t dim, int64_t count, uint64_t seed);

/* Ends the program if a call has failed. */
void stop_on(int status, const inco_error *error);

#endif
