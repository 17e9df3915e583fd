/* The initial dictionary in the file that the option init names. The learner knows no file format: the reader is linked
 * in by a higher room, src/table/initial.c. */
#ifndef INCO_LEARN_INITIAL_H
#define INCO_LEARN_INITIAL_H

#include <inco/inco.h>

int initial_load(const char *path, const inco_options *options, inco_mat *dictionary, inco_error *error);

#endif
