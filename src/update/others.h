/* Frame operator of all atoms but one, D D' - d d'. Only the lower triangle of D D' is read and updated. All vectors
 * have D doubles. */
#ifndef INCO_UPDATE_OTHERS_H
#define INCO_UPDATE_OTHERS_H

#include <inco/inco.h>

/* out = (D D' - d d') v */
void others_apply(const inco_mat *frame, const double *d, const double *v, double *out);

/* Updates D D' after the atom `from` has become `to`. scratch holds two vectors. */
void others_move(const inco_mat *frame, const double *from, const double *to, double *scratch);

#endif
