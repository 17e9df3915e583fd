/* IDL for codes whose atoms drop out (docs/theory/dropout.md). */
#ifndef INCO_UPDATE_DROPOUT_H
#define INCO_UPDATE_DROPOUT_H

#include "update/update.h"

/* idl_update as if each atom of a code were left out with probability 0 <= share < 1. The objective is (DROP-2). For
 * unit norms during the update: settings->rescale must be 0 if the share is not. */
int dropout_update(inco_mat *d, const statistics *s, double share, const update_settings *settings,
                   update_result *result, inco_error *error);

#endif
