/* A source around a source that moves the progress bar as signals are read. */
#ifndef INCO_CLI_COUNTED_H
#define INCO_CLI_COUNTED_H

#include <stdatomic.h>

#include "progress.h"

typedef struct counted {
    inco_source source; /* to hand to the library; this struct must stay where it is */
    const inco_source *from;
    progress progress;
    atomic_llong done;
    atomic_flag drawing; /* several threads may read, one at a time draws */
} counted;

void counted_open(counted *c, const inco_source *from, int quiet);

#endif
