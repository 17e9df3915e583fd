/* The block update of online dictionary learning (docs/theory/online.md). */
#ifndef INCO_UPDATE_ONLINE_H
#define INCO_UPDATE_ONLINE_H

#include "update/update.h"

/* One sweep of block coordinate descent over the atoms of d (D x L, double, unit-norm columns), each on its sphere.
 * Decreases f(D) = ||X - D C||^2 + gamma ||D'D - I||^2; f never increases. Unused atoms are affected by the penalty
 * alone. Uses the settings gamma and threads. Without a result (NULL) the objective is not computed, which takes as
 * long as the sweep. */
int online_update(inco_mat *d, const statistics *s, const update_settings *settings, update_result *result,
                  inco_error *error);

#endif
