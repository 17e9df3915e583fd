/* Lengths in .mat files, checked before matio reads them: it allocates what they declare, and does not notice every
 * truncated file. */
#ifndef INCO_IO_MATCHECK_H
#define INCO_IO_MATCHECK_H

#include "io/file.h"

/* Fails if a length or a count of version 4 or 5 is more than the bytes around it can hold, if an HDF5 file (version
 * 7.3) is truncated, and for Octave's own formats. */
int matcheck(file_bytes *file, int64_t limit, inco_error *error);
/* Whether a file that has passed is of version 7.3; its inside is then to be checked by io/hdf5check.h. */
int matcheck_is_hdf5(const file_bytes *file);

#endif
