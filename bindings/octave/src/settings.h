/* Options given as a struct of the host, checked against the option table of the library. */
#ifndef INCO_OCTAVE_SETTINGS_H
#define INCO_OCTAVE_SETTINGS_H

#include <inco/inco.h>

#include "mex.h"

/* Sets the options named by the fields of a struct: max_coherence is the option max-coherence. Text, numbers, logical
 * values and pairs of numbers, such as [8 8], are values; an empty array leaves the default. An option that `command`
 * (INCO_LEARN, ...) does not take is refused. */
int settings_read(inco_options *options, const mxArray *settings, unsigned command, inco_error *error);

/* The options of a command as a struct array: name, type, default, low, high, choices, group, help. */
mxArray *settings_table(unsigned command);

/* Spells quoted names of options in a message as fields: option 'max_coherence'. */
void settings_spell(char *message);

#endif
