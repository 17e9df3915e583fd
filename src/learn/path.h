/* --gamma auto: the regularisation path of gamma. Learns with one weight after another, scores them on held-out
 * signals, and chooses a weight (docs/theory/steering.md). */
#ifndef INCO_LEARN_PATH_H
#define INCO_LEARN_PATH_H

#include <inco/inco.h>

enum { PATH_POINTS = 6, PATH_CARDINALITIES = 3 };

/* The points computed, in ascending order of gamma. The pointers of the public structs are set when they are
 * returned. */
typedef struct path_table {
    inco_path path;
    int64_t cardinality[PATH_CARDINALITIES];
    inco_path_point point[PATH_POINTS];
    double residual[PATH_POINTS][PATH_CARDINALITIES];
} path_table;

/* The state between two points. */
typedef struct gamma_path {
    int64_t begun;     /* whether `start`, the initial dictionary of every point, is computed */
    int64_t done;      /* whether the weight is chosen */
    int64_t max_atoms; /* maximum in the codes that score */
    double energy;     /* ||X||^2 of all signals */
    inco_mat start;
    inco_mat best; /* dictionary of the best point so far */
    path_table table;
} gamma_path;

typedef struct path_task {
    const inco_source *signals;  /* all training signals, preprocessed */
    const inco_options *options; /* of the whole run; their watcher receives progress */
    const inco_mat *initial;     /* initial dictionary; without data: by the option init */
    double began;                /* start of the whole run, by clock_seconds */
    inco_learn_info *info;       /* its seconds are incremented */
} path_task;

int path_wanted(const inco_options *options);

/* Computes the missing points. INCO_STOPPED if the caller stopped it: path_dictionary is then valid. */
int path_run(gamma_path *path, const path_task *task, inco_error *error);

/* The dictionary of the chosen point; if there is none yet, the initial dictionary of the points. */
inco_mat *path_dictionary(gamma_path *path);
/* The weight chosen, in units of ||X||^2 / L. */
double path_weight(const gamma_path *path);

/* For checkpoints, without `start`. A failure may leave *path incomplete. */
int path_save(const gamma_path *path, const inco_stream *stream);
int path_resume(gamma_path *path, const inco_mat *d, const inco_stream *stream, inco_error *error);

void path_free(gamma_path *path);

#endif
