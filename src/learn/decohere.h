/* inco_decohere for use inside the library, with as much care as is worth it there. */
#ifndef INCO_LEARN_DECOHERE_H
#define INCO_LEARN_DECOHERE_H

#include "dict/nearest.h"

int decohere(const inco_decohere_input *input, const inco_options *options, nearest_care care, inco_mat *result,
             inco_decohere_info *info, inco_error *error);

#endif
