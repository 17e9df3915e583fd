/* inco_decohere for use inside the library. */
#ifndef INCO_LEARN_DECOHERE_H
#define INCO_LEARN_DECOHERE_H

#include <inco/inco.h>

/* How long to look for the nearest dictionary. Roughly: near it is enough, in a third of the time. Shortly: and a bound
 * that is hard to keep is given up. */
typedef enum decohere_care { DECOHERE_FINELY, DECOHERE_ROUGHLY, DECOHERE_SHORTLY } decohere_care;

int decohere(const inco_decohere_input *input, const inco_options *options, decohere_care care, inco_mat *result,
             inco_decohere_info *info, inco_error *error);

#endif
