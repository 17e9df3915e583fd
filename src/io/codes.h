/* Codes from other programs. */
#ifndef INCO_IO_CODES_H
#define INCO_IO_CODES_H

#include "sparse/csc.h"

/* Checks that starts ascend within the nonzeros, that indices are valid rows and values finite; sorts columns if
 * necessary and sums duplicates. */
int codes_clean(csc *codes, int64_t nonzeros, const char *path, inco_error *error);

#endif
