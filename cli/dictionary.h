/* Dictionaries that a command reads in addition to its data, and the means that belong to them. */
#ifndef INCO_CLI_DICTIONARY_H
#define INCO_CLI_DICTIONARY_H

#include "run.h"

/* New options with --columns of the run but without --variable, which names the array of the data. */
int dictionary_options(run *r, inco_options **options);
/* Loads a dictionary with --columns but without --variable. */
int dictionary_load(run *r, const char *path, inco_mat *dictionary);

/* Reads -D and -o, both required. The caller frees the names. */
int dictionary_names(run *r, char **dictionary, char **output);

/* Signals minus the mean of a dictionary. */
typedef struct centred {
    inco_source from;
    inco_mat mean; /* empty: nothing is subtracted */
} centred;

/* Makes *source, which must not outlive `c`, one of signals minus c->mean. */
void dictionary_centre(centred *c, inco_source *source);
/* Adds a mean to all signals; nothing if it is empty. */
void dictionary_add_mean(const inco_mat *mean, inco_mat *signals);

#endif
