/* The structure of .mat files of version 7.3, which are HDF5, checked through HDF5 before matio reads them: it visits
 * all variables, follows links and references wherever they lead, and allocates what datasets declare. */
#ifndef INCO_IO_HDF5CHECK_H
#define INCO_IO_HDF5CHECK_H

#include <inco/inco.h>

typedef struct hdf5_file {
    const char *path;
    size_t length; /* in bytes */
    int64_t limit; /* base/limit.h */
} hdf5_file;

/* Fails if the file refers to other files, if groups or cells are nested deeper than 64 levels, in a circle for
 * example, if matio would take long to list them, or if the cells take more memory than the limit. With `variable`,
 * which exists: the data of that one too. */
int hdf5check(const hdf5_file *file, const char *variable, inco_error *error);

/* Stops HDF5 from printing its errors, until hdf5check_speak. */
typedef struct hdf5_voice {
    void (*function)(void);
    void *self;
} hdf5_voice;
void hdf5check_hush(hdf5_voice *saved);
void hdf5check_speak(const hdf5_voice *saved);

#endif
