#include "io/rows.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

#ifndef O_CLOEXEC
#define O_CLOEXEC 0
#endif

int rows_take(io_rows *rows, file_bytes *file, int64_t offset, size_t bytes, inco_error *error) {
    struct stat info;
    if (fstat(file->reader - 1, &info) < 0)
        return error_set(error, INCO_EIO, "cannot read %s: %s", file->path, strerror(errno));
    rows->path = file->path;
    rows->offset = offset;
    rows->bytes = bytes;
    rows->device = info.st_dev;
    rows->inode = info.st_ino;
    if (rows->keep_open || file->nameless) {
        rows->fd = file->reader;
        file->reader = 0;
    }
    return INCO_OK;
}

/* Opens the file again, if it is still the same one. */
static int open_again(const io_rows *rows, int *fd, inco_error *error) {
    struct stat info;
    *fd = open(rows->path, O_RDONLY | O_CLOEXEC);
    if (*fd < 0 || fstat(*fd, &info) < 0)
        return error_set(error, INCO_EIO, "cannot read %s: %s", rows->path, strerror(errno));
    if (info.st_dev == rows->device && info.st_ino == rows->inode) return INCO_OK;
    return error_set(error, INCO_EIO, "%s has been replaced by another file while it was read", rows->path);
}

int rows_read(const io_rows *rows, int64_t first, int64_t count, void *out, inco_error *error) {
    int fd = rows->fd - 1;
    int status = rows->fd ? INCO_OK : open_again(rows, &fd, error);
    if (status >= 0)
        status = file_read_at(fd, rows->path, rows->offset + first * (int64_t)rows->bytes, out,
                              (size_t)count * rows->bytes, error);
    if (!rows->fd && fd >= 0) close(fd);
    return status;
}

void rows_close(io_rows *rows) {
    if (rows->fd) close(rows->fd - 1);
    *rows = (io_rows){0};
}
