/* The initial dictionary that the option init names a file for. Learning knows no format of files: what reads them is
 * linked in from above, src/table/initial.c. */
#ifndef INCO_LEARN_INITIAL_H
#define INCO_LEARN_INITIAL_H

#include <inco/inco.h>

int initial_load(const char *path, const inco_options *options, inco_mat *dictionary, inco_error *error);

#endif
