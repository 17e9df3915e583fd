/* An axis: from values to places on the page, and the ticks on it. */
#ifndef INCO_REPORT_SCALE_H
#define INCO_REPORT_SCALE_H

typedef struct scale {
    int log;
    int whole;        /* only whole numbers are on it: no ticks between them */
    double low, high; /* values at the ends; both above 0 on a logarithmic axis */
    double from, to;  /* their places */
} scale;

enum { TICKS_MAX = 24 };

typedef struct ticks {
    int count;
    double value[TICKS_MAX];
    char label[TICKS_MAX][16]; /* empty for minor ones */
} ticks;

/* Can the value be shown on the axis at all? */
int scale_has(const scale *s, double value);
double scale_at(const scale *s, double value);

/* Makes low and high ends that an axis can have: apart, and above 0 on a logarithmic one. With `round` they move out to
 * the next tick. */
void scale_fit(scale *s, int wanted, int round);

/* About `wanted` ticks at round values between the ends. */
ticks scale_ticks(const scale *s, int wanted);

#endif
