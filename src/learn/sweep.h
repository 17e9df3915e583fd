/* The updates of the K-SVD family, which change codes and atoms together. */
#ifndef INCO_LEARN_SWEEP_H
#define INCO_LEARN_SWEEP_H

#include "learn/method.h"
#include "update/ksvd.h"

/* One sweep of K-SVD over all atoms, by `rule`; the objective is the squared residual. */
int sweep_update(inco_mat *d, const method_input *in, const ksvd_rule *rule, update_result *result, inco_error *error);

/* Separates atoms, with fixed codes. */
typedef int (*sweep_spread)(inco_mat *d, const method_input *in, update_result *result, inco_error *error);

/* A sweep of exact K-SVD, then `spread`. The codes are not changed; the objective is that of the dictionary
 * returned. */
int sweep_and_spread(inco_mat *d, const method_input *in, sweep_spread spread, update_result *result,
                     inco_error *error);

#endif
