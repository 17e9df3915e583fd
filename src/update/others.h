/* What the other atoms are to one of them, d: their frame operator D D' - d d'. Of the frame D D' only the lower
 * triangle is read and kept. All vectors have D doubles. */
#ifndef INCO_UPDATE_OTHERS_H
#define INCO_UPDATE_OTHERS_H

#include <inco/inco.h>

/* out = (D D' - d d') v */
void others_apply(const inco_mat *frame, const double *d, const double *v, double *out);

/* The frame after the atom `from` has become `to`. scratch has room for two vectors. */
void others_move(const inco_mat *frame, const double *from, const double *to, double *scratch);

#endif
