/* The points of a regularisation path of gamma, the weight to try next, and the point chosen (docs/theory/steering.md).
 * Functions of the points alone, so that a resumed path continues with the same weights. */
#ifndef INCO_LEARN_PATH_TABLE_H
#define INCO_LEARN_PATH_TABLE_H

#include <inco/inco.h>

enum { PATH_MAX = 16, PATH_CARDINALITIES = 3 };

/* The points computed, in ascending order of gamma. The pointers of the public structs are set when they are
 * returned. */
typedef struct path_table {
    inco_path path;
    int64_t cardinality[PATH_CARDINALITIES];
    inco_path_point point[PATH_MAX];
    double residual[PATH_MAX][PATH_CARDINALITIES];
} path_table;

/* What a path is computed for. */
typedef enum path_kind {
    PATH_AUTO,  /* the largest gamma with the residuals of the best one (PATH-2) */
    PATH_ERROR, /* the least rms coherence with a relative error of at most the target (PATH-3) */
    PATH_RMS    /* the least relative error with an rms coherence of at most the target (PATH-4) */
} path_kind;

typedef struct path_goal {
    path_kind kind;
    double target;
} path_goal;

/* The weight of every update is searched for, such that its rms coherence is the target (steer.h). */
#define PATH_STEERED NAN

/* Number of points planned; 0: not known in advance. */
int64_t path_planned(const path_goal *goal);
/* The next weight, relative to ||X||^2 / L, or PATH_STEERED. Returns 1, or 0 if the path is complete. */
int path_next(const path_table *table, const path_goal *goal, double *weight);
/* Inserts a point with its residuals, and chooses again. */
void path_insert(path_table *table, const path_goal *goal, inco_path_point *point, const double *residual);

#endif
