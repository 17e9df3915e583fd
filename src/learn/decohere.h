/* inco_decohere for use inside the library. */
#ifndef INCO_LEARN_DECOHERE_H
#define INCO_LEARN_DECOHERE_H

#include <inco/inco.h>

/* With `roughly`, near the nearest dictionary is enough, in a third of the time; the bound is kept all the same. */
int decohere(const inco_decohere_input *input, const inco_options *options, int roughly, inco_mat *result,
             inco_decohere_info *info, inco_error *error);

#endif
