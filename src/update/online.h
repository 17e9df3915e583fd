/* The block update of online dictionary learning. The equations are in docs/theory/online.md. */
#ifndef INCO_UPDATE_ONLINE_H
#define INCO_UPDATE_ONLINE_H

#include "update/update.h"

/* One sweep of block coordinate descent over the atoms of d (D x L, double, unit-norm columns), each moved on its
 * sphere to lower f(D) = ||X - D C||^2 + gamma ||D'D - I||^2; f never rises. Atoms without use feel the penalty alone.
 * Only gamma and threads of the settings are used. Without a result (NULL) the objective is not computed, which takes
 * as long as the sweep. */
int online_update(inco_mat *d, const statistics *s, const update_settings *settings, update_result *result,
                  inco_error *error);

#endif
