/* Codes that come from elsewhere. */
#ifndef INCO_IO_CODES_H
#define INCO_IO_CODES_H

#include "sparse/csc.h"

/* Checks that starts rise within the nonzeros there are, that indices are rows and values finite; sorts the columns
 * that need it and sums duplicates. */
int codes_clean(csc *codes, int64_t nonzeros, const char *path, inco_error *error);

#endif
