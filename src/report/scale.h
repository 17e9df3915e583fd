/* An axis: maps values to positions, and has ticks. */
#ifndef INCO_REPORT_SCALE_H
#define INCO_REPORT_SCALE_H

typedef struct scale {
    int log;
    int whole;        /* integers only: no ticks between them */
    double low, high; /* values at the ends; both above 0 on a logarithmic axis */
    double from, to;  /* their positions */
} scale;

enum { TICKS_MAX = 24 };

typedef struct ticks {
    int count;
    double value[TICKS_MAX];
    char label[TICKS_MAX][16]; /* empty for minor ones */
} ticks;

/* Returns whether the axis can show the value. */
int scale_has(const scale *s, double value);
double scale_at(const scale *s, double value);

/* Adjusts low and high such that they differ, and are above 0 on a logarithmic axis. With `round` they move out to the
 * next tick. */
void scale_fit(scale *s, int wanted, int round);

/* About `wanted` ticks at round values between the ends. */
ticks scale_ticks(const scale *s, int wanted);

#endif
