/* Splits signals into training signals and held-out signals: two sources around a source. */
#ifndef INCO_DATA_HOLDOUT_H
#define INCO_DATA_HOLDOUT_H

#include <inco/inco.h>

typedef struct holdout {
    inco_source kept, held;
    const inco_source *from;
    int64_t step; /* signals step - 1, 2 step - 1, ... are held out */
} holdout;

/* `h` must not move as long as its sources are in use. */
void holdout_make(holdout *h, const inco_source *from, int64_t step);

#endif
