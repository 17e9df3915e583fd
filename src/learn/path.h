/* The regularisation path of gamma: --gamma auto, --target-error, --target-rms. Learns with one weight after another
 * from a common dictionary; the result is the dictionary of one of these points (docs/theory/steering.md). */
#ifndef INCO_LEARN_PATH_H
#define INCO_LEARN_PATH_H

#include "data/holdout.h"
#include "learn/learner.h"
#include "learn/path_table.h"

/* The state of the learner at the end of a point, besides its dictionary: what its results depend on. */
typedef struct path_end {
    double objective;
    int64_t iterations, replaced, replaced_coherent, replaced_exchanged, spread_passes, spread_pairs;
    int64_t by_change; /* whether the option stop-change ended it */
} path_end;

typedef struct gamma_path {
    path_goal goal;
    int64_t begun;      /* whether `start`, the initial dictionary of every point, is computed */
    int64_t under_way;  /* whether the learner is amid a point */
    int64_t max_atoms;  /* maximum in the codes that score */
    int64_t iterations; /* of every point */
    double energy;      /* ||X||^2 of the signals that the points learn from */
    holdout split;
    inco_mat start;
    inco_mat best; /* dictionary of the point chosen so far */
    path_end end;  /* of that point */
    path_table table;
} gamma_path;

typedef struct path_task {
    const inco_source *signals;  /* all training signals, preprocessed */
    const inco_options *options; /* of the whole run */
    learner *learner;            /* with the initial dictionary, or resumed */
    double began;                /* start of the whole run, by clock_seconds */
} path_task;

int path_wanted(const inco_options *options);

/* Computes the missing points. The learner then has the dictionary of the chosen one, ready for learner_finish; if
 * there is none, its own. INCO_STOPPED if the caller stopped it. `path` must not move as long as the learner is used.
 */
int path_run(gamma_path *path, const path_task *task, inco_error *error);

/* For checkpoints, besides the state of the learner. A failure may leave *path incomplete. */
int path_save(const gamma_path *path, const inco_stream *stream);
int path_resume(gamma_path *path, const inco_mat *d, const inco_stream *stream, inco_error *error);

void path_free(gamma_path *path);

#endif
