/* Lengths in .mat files of versions 4 and 5, checked before matio reads them: it allocates what they declare. */
#ifndef INCO_IO_MATCHECK_H
#define INCO_IO_MATCHECK_H

#include "io/file.h"

/* Fails if a length or a count is more than the bytes around it can hold. Files of other versions pass. */
int matcheck(file_bytes *file, int64_t limit, inco_error *error);

#endif
