/* Checkpoints: the options that they hold, and how their parts are read. */
#ifndef INCO_LEARN_CHECKPOINT_H
#define INCO_LEARN_CHECKPOINT_H

#include <inco/inco.h>

/* The options that affect the iterates, as "name=value" lines, to be freed; NULL: out of memory. */
char *checkpoint_options(const inco_options *options, int64_t *length);

/* Reads `count` bytes; fails if there are fewer. */
int checkpoint_read(const inco_stream *stream, void *to, size_t count, inco_error *error);

/* Other failures of reading: INCO_EFORMAT. */
int checkpoint_damaged(inco_error *error);
int checkpoint_other_version(inco_error *error);

#endif
