/* Atomic output. A regular file is written to a temporary file in the same folder, synced and renamed; devices, pipes
 * and "-" (standard output) are written directly. */
#ifndef INCO_IO_OUTPUT_H
#define INCO_IO_OUTPUT_H

#include <inco/inco.h>

typedef struct output {
    const char *name; /* as given by the caller: for messages and the format; not copied */
    char *target;     /* the file to replace, links resolved; NULL if written directly */
    char *folder;     /* of the target */
    char *temporary;  /* the temporary file; NULL if written directly */
    int unnamed;      /* the temporary file does not have this name, or not yet */
    char link[32];    /* leads to it if it has no name */
    int fd;           /* of the temporary file, or of the device */
    int device;       /* direct output of a format that seeks: the temporary file is copied here at the end; else -1 */
    int trouble;      /* errno of the first failure */
    unsigned char *buffer;
    size_t used;
} output;

/* `seeks`: the format seeks in the file; output to a device is then collected in a temporary file first. */
int output_open(output *o, const char *path, int seeks, inco_error *error);

/* A path by which a library can open the temporary file; NULL if written directly. */
const char *output_path(const output *o);

/* Returns 0, or -1 with the reason kept for output_finish: a writer just stops and returns INCO_EIO. */
int output_write(output *o, const void *bytes, size_t count);
int64_t output_seek(output *o, int64_t offset, int whence); /* the new position, or -1 */

/* Ends the output: renames the file if status is not negative and nothing failed, else discards it and leaves the old
 * file. Returns status, or the failure, with a message. */
int output_finish(output *o, int status, inco_error *error);

/* Checks that the output can be opened, without leaving files behind. */
int output_check(const char *path, inco_error *error);

/* A folder of files that appears atomically: fill `temporary`, then finish. An existing folder must be empty. */
typedef struct output_folder {
    char *target, *temporary;
    int lock; /* descriptor + 1 of the temporary folder (leftover.h); else 0 */
} output_folder;

int output_folder_open(output_folder *folder, const char *path, inco_error *error);
/* Kept if status is not negative, else removed with its files. */
int output_folder_finish(output_folder *folder, int status, inco_error *error);
int output_check_folder(const char *path, inco_error *error);

#endif
