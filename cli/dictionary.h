/* Dictionaries that a command reads in addition to its data. */
#ifndef INCO_CLI_DICTIONARY_H
#define INCO_CLI_DICTIONARY_H

#include "run.h"

/* Loads a dictionary with --columns but without --variable, which names the array of the data. */
int dictionary_load(run *r, const char *path, inco_mat *dictionary);

/* Reads -D and -o, both required. The caller frees the names. */
int dictionary_names(run *r, char **dictionary, char **output);

#endif
