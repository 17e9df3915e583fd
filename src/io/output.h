/* Output that appears whole under its name or not at all. A regular file is written under a temporary name beside the
 * target, synced and renamed; devices, pipes and "-" (standard output) are written directly. */
#ifndef INCO_IO_OUTPUT_H
#define INCO_IO_OUTPUT_H

#include <inco/inco.h>

typedef struct output {
    const char *name; /* as the caller gave it: for messages and the format; not copied */
    char *target;     /* what is replaced in the end, links followed; NULL when written directly */
    char *folder;     /* of the target */
    char *temporary;  /* what is written to until then; NULL when written directly */
    int fd;           /* of the temporary file, or of the device */
    int device;       /* direct output of a format that seeks: the temporary file is copied here; else -1 */
    int trouble;      /* errno of the first failure */
    unsigned char *buffer;
    size_t used;
} output;

/* `seeks`: the format moves back in the file; for a device it is then collected in a temporary file first. */
int output_open(output *o, const char *path, int seeks, inco_error *error);

/* 0, or -1 with the reason kept for output_finish: a writer just stops and returns INCO_EIO. */
int output_write(output *o, const void *bytes, size_t count);
int64_t output_seek(output *o, int64_t offset, int whence); /* the new place, or -1 */

/* Ends the output: kept when status is not negative and all went well, else dropped, the old file as it was. Returns
 * status, or the failure, with a message. */
int output_finish(output *o, int status, inco_error *error);

/* Could it be opened? Leaves nothing behind. */
int output_check(const char *path, inco_error *error);

/* A folder of files that appears whole or not at all: fill `temporary`, then finish. An existing folder must be empty.
 */
typedef struct output_folder {
    char *target, *temporary;
} output_folder;

int output_folder_open(output_folder *folder, const char *path, inco_error *error);
/* Kept when status is not negative, else removed with the files in it. */
int output_folder_finish(output_folder *folder, int status, inco_error *error);
int output_check_folder(const char *path, inco_error *error);

#endif
