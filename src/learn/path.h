/* --gamma auto: the regularisation path of gamma. Learners run with one weight after another, signals held out judge
 * them, and the weight chosen is the one to learn with. The equations are in docs/theory/steering.md. */
#ifndef INCO_LEARN_PATH_H
#define INCO_LEARN_PATH_H

#include <inco/inco.h>

enum { PATH_POINTS = 6, PATH_CARDINALITIES = 3 };

/* The points made, by rising gamma. The pointers of the public structs are set when they are returned. */
typedef struct path_table {
    inco_path path;
    int64_t cardinality[PATH_CARDINALITIES];
    inco_path_point point[PATH_POINTS];
    double residual[PATH_POINTS][PATH_CARDINALITIES];
} path_table;

/* The state between two points. */
typedef struct gamma_path {
    int64_t begun;     /* `start` is the dictionary that every point starts from */
    int64_t done;      /* the weight is chosen */
    int64_t max_atoms; /* in the codes that judge */
    double energy;     /* ||X||^2 of all signals */
    inco_mat start;
    inco_mat best; /* dictionary of the point chosen so far */
    path_table table;
} gamma_path;

typedef struct path_task {
    const inco_source *signals;  /* all of them, as they are learned from */
    const inco_options *options; /* of the whole run; their watcher is told of progress */
    const inco_mat *initial;     /* dictionary; without data: by the option init */
    double began;                /* the whole run, by clock_seconds */
    inco_learn_info *info;       /* its seconds are added to */
} path_task;

int path_wanted(const inco_options *options);

/* Makes the points that are still to make. INCO_STOPPED when the caller stopped it: path_dictionary is then valid. */
int path_run(gamma_path *path, const path_task *task, inco_error *error);

/* The dictionary of the point chosen, while there is none the one that all start from. */
inco_mat *path_dictionary(gamma_path *path);
/* The weight chosen, in units of ||X||^2 / L. */
double path_weight(const gamma_path *path);

/* For checkpoints, but for `start`. A failure may leave *path half-way. */
int path_save(const gamma_path *path, const inco_stream *stream);
int path_resume(gamma_path *path, const inco_mat *d, const inco_stream *stream, inco_error *error);

void path_free(gamma_path *path);

#endif
