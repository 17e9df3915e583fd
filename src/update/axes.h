/* The problem of an update in other axes of R^D, where the model of its curvature is simple
 * (docs/theory/curvature.md). */
#ifndef INCO_UPDATE_AXES_H
#define INCO_UPDATE_AXES_H

#include "update/update.h"

/* In the axes U, an orthogonal matrix: f(U'D; A, U'B) = f(D; A, B). */
typedef struct axes {
    inco_mat basis;           /* U, D x D */
    inco_mat d;               /* U'D */
    statistics s;             /* A and U'B; A is the caller's */
    subspace span;            /* U' of the span of the signals */
    update_settings settings; /* with this span */
} axes;

/* Takes the axes `given`, or if they are empty chooses some in which D D' - I is nearly diagonal, (CURV-10) or
 * (CURV-11). Statistics and settings must outlive them. axes_close is needed after a failure too. */
int axes_open(axes *w, const inco_mat *given, const inco_mat *d, const statistics *s, const update_settings *settings,
              inco_error *error);
void axes_close(axes *w);

/* d = U (the dictionary in the axes), its columns normalised. */
void axes_leave(const axes *w, const inco_mat *d);

#endif
