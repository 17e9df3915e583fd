/* inco_residuals_measure, up to a maximum number of atoms. */
#ifndef INCO_DATA_RESIDUALS_H
#define INCO_DATA_RESIDUALS_H

#include "base/watcher.h"

typedef struct residuals_task {
    const inco_mat *dictionary;
    const inco_source *signals;
    int center;        /* CENTER_...: applied to the signals */
    int64_t max_atoms; /* per code: larger cardinalities are omitted, except one */
    int threads;
    const watcher *watch;
} residuals_task;

/* INCO_STOPPED if the watcher stopped it, with the cardinalities that are complete. `residuals` is the library's own
 * struct. */
int residuals_measure(const residuals_task *task, inco_residuals *residuals, inco_error *error);

#endif
