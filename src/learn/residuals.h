/* inco_residuals_measure, as far as a number of atoms. */
#ifndef INCO_LEARN_RESIDUALS_H
#define INCO_LEARN_RESIDUALS_H

#include <inco/inco.h>

/* Cardinalities above `most` are left out; there is always one. */
int residuals_measure(const inco_mat *dictionary, const inco_source *source, const inco_options *options, int64_t most,
                      inco_residuals *residuals, inco_error *error);

#endif
