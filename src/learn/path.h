/* --gamma auto: weights tried before the loop and judged by signals held out. The equations are in
 * docs/theory/steering.md. */
#ifndef INCO_LEARN_PATH_H
#define INCO_LEARN_PATH_H

#include <inco/inco.h>

/* With the learner's dictionary and info.path the state between two points. */
typedef struct gamma_path {
    int64_t begun; /* the learner's dictionary is the one that every point starts from ... */
    int64_t done;  /* ... and then that of the point chosen, which the loop starts from */
    int64_t most;  /* atoms in the codes that judge */
    double energy; /* ||X||^2 of all signals */
    inco_mat best; /* in between: dictionary of the point chosen so far */
} gamma_path;

int path_wanted(const inco_options *options);

/* Makes the points that are still to make, chooses, and leaves the learner with the dictionary chosen. Does nothing
 * when none is wanted or it is done. INCO_STOPPED when the caller stopped it: path_dictionary is then valid. */
int path_run(inco_learner *learner, inco_error *error);

/* The dictionary that the learner stands for: its own, but amid a path the one chosen so far. */
const inco_mat *path_dictionary(const inco_learner *learner);

/* The weight chosen, in units of ||X||^2 / L. */
double path_gamma_relative(const inco_learner *learner);

/* For checkpoints; `d` is the dictionary that was saved before. Nothing is changed when it fails. */
int path_save(const inco_learner *learner, const inco_stream *stream);
int path_resume(inco_learner *learner, const inco_mat *d, const inco_stream *stream, inco_error *error);

void path_free(gamma_path *path);

#endif
