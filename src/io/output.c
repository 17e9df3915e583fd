#define _GNU_SOURCE
#include "io/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/spool.h"
#include "io/leftover.h"
#include "io/paths.h"

enum { BUFFER_SIZE = 1 << 16, LINKS_MAX = 40, NAMES_TRIED = 100 };

#ifndef O_CLOEXEC
#define O_CLOEXEC 0
#endif

static int cannot_write(const char *path, int reason, inco_error *error) {
    return error_set(error, INCO_EIO, "cannot write %s: %s", path, strerror(reason));
}

/* ---- Where it goes ---- */

/* Follows links of the last component, so that the file is replaced and not the link; the file need not exist. */
static int follow_links(const char *path, char **target, inco_error *error) {
    char link[PATH_MAX];
    *target = memory_text(path);
    for (int depth = 0; *target && depth < LINKS_MAX; depth++) {
        ssize_t length = readlink(*target, link, sizeof link - 1);
        if (length < 0) return INCO_OK;
        link[length] = 0;
        char *next = paths_beside(*target, link);
        memory_free(*target);
        *target = next;
    }
    return *target ? cannot_write(path, ELOOP, error) : error_no_memory(error);
}

/* Opens a new file in the folder; mode 0666 is subject to the umask. It is locked as long as it is open, so that
 * leftover_clean does not take it for a leftover. *name is NULL if out of memory. */
static int create_unique(const char *folder, char **name) {
    struct stat info;
    int fd = -1;
    for (int number = 0; number < NAMES_TRIED; number++) {
        memory_free(*name);
        *name = paths_temporary(folder, number);
        if (!*name) return -1;
        fd = open(*name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST) break;
        if (fd < 0) continue;
        leftover_lock(fd);
        if (fstat(fd, &info) == 0 && info.st_nlink > 0) break;
        close(fd); /* it was removed before it was locked */
        fd = -1;
    }
    return fd;
}

/* Opens a file without a name in the folder, which vanishes if the process dies; o->temporary will be its name, and
 * o->link reaches it before. Returns whether there are such files here. */
static int create_unnamed(output *o) {
#ifdef O_TMPFILE
    o->fd = open(o->folder, O_RDWR | O_TMPFILE | O_CLOEXEC, 0666);
    if (o->fd < 0) return 0;
    leftover_lock(o->fd);
    snprintf(o->link, sizeof o->link, "/proc/self/fd/%d", o->fd);
    o->unnamed = access(o->link, F_OK) == 0;
    if (o->unnamed) return 1;
    close(o->fd);
    o->fd = -1;
#endif
    return 0;
}

static int folder_trouble(const output *o, int reason, inco_error *error) {
    if (reason == ENOENT || reason == ENOTDIR)
        return error_set(error, INCO_EIO, "cannot write %s: there is no folder %s; create it first", o->name,
                         o->folder);
    return error_set(error, INCO_EIO, "cannot write %s: cannot create a file in the folder %s: %s", o->name, o->folder,
                     strerror(reason));
}

/* A temporary file in the same folder, without a name where the system has such files, else hidden, with the
 * permissions of the file that it will replace. */
static int open_beside(output *o, const struct stat *old, inco_error *error) {
    if (old && access(o->name, W_OK) < 0) return cannot_write(o->name, errno, error);
    int status = follow_links(o->name, &o->target, error);
    if (status < 0) return status;
    o->folder = paths_folder(o->target);
    if (!o->folder) return error_no_memory(error);
    leftover_clean(o->folder);
    o->temporary = paths_temporary(o->folder, 0);
    if (!o->temporary) return error_no_memory(error);
    if (!create_unnamed(o)) o->fd = create_unique(o->folder, &o->temporary);
    const int reason = errno;
    if (!o->temporary) return error_no_memory(error);
    if (o->fd < 0) {
        memory_free(o->temporary);
        o->temporary = NULL; /* there is none to remove */
        return folder_trouble(o, reason, error);
    }
    if (old) (void)!fchmod(o->fd, old->st_mode & 07777);
    return INCO_OK;
}

/* Devices cannot seek: a writer that seeks gets a temporary file. */
static int open_device(output *o, int seeks, inco_error *error) {
    o->fd = strcmp(o->name, "-") ? open(o->name, O_WRONLY | O_CLOEXEC) : dup(STDOUT_FILENO);
    if (o->fd < 0) return cannot_write(o->name, errno, error);
    if (!seeks) return INCO_OK;
    o->device = o->fd;
    o->fd = spool_file(error);
    return o->fd < 0 ? INCO_EIO : INCO_OK;
}

int output_open(output *o, const char *path, int seeks, inco_error *error) {
    struct stat old;
    int status;
    *o = (output){.name = path, .fd = -1, .device = -1};
    o->buffer = NEW_RAW(unsigned char, BUFFER_SIZE);
    const int named = strcmp(path, "-") != 0, there = named && stat(path, &old) == 0;
    if (!o->buffer)
        status = error_no_memory(error);
    else if (there && S_ISDIR(old.st_mode))
        status = error_set(error, INCO_EIO, "cannot write %s: it is a folder; name a file in it", path);
    else if (named && (!there || S_ISREG(old.st_mode)))
        status = open_beside(o, there ? &old : NULL, error);
    else
        status = open_device(o, seeks, error);
    return status < 0 ? output_finish(o, status, error) : INCO_OK;
}

const char *output_path(const output *o) {
    return o->unnamed ? o->link : o->temporary;
}

/* ---- Writing ---- */

static int write_all(int fd, const unsigned char *bytes, size_t count) {
    while (count) {
        ssize_t done = write(fd, bytes, count < SSIZE_MAX ? count : SSIZE_MAX);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return errno;
        bytes += done;
        count -= (size_t)done;
    }
    return 0;
}

static int flush(output *o) {
    if (!o->trouble) o->trouble = write_all(o->fd, o->buffer, o->used);
    o->used = 0;
    return o->trouble ? -1 : 0;
}

int output_write(output *o, const void *bytes, size_t count) {
    if (count > BUFFER_SIZE - o->used && flush(o) < 0) return -1;
    if (count <= BUFFER_SIZE) {
        memcpy(o->buffer + o->used, bytes, count);
        o->used += count;
    } else if (!o->trouble) {
        o->trouble = write_all(o->fd, bytes, count);
    }
    return o->trouble ? -1 : 0;
}

int64_t output_seek(output *o, int64_t offset, int whence) {
    if (flush(o) < 0) return -1;
    off_t place = lseek(o->fd, offset, whence);
    if (place < 0) o->trouble = errno;
    return place;
}

/* ---- Ending ---- */

static int copy_to_device(output *o) {
    if (lseek(o->fd, 0, SEEK_SET) < 0) return errno;
    for (;;) {
        ssize_t got = read(o->fd, o->buffer, BUFFER_SIZE);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return got < 0 ? errno : 0;
        int reason = write_all(o->device, o->buffer, (size_t)got);
        if (reason) return reason;
    }
}

/* Some file systems do not support fsync of a file or folder: this is not a failure. */
static int sync_fd(int fd) {
    return fsync(fd) < 0 && errno != EINVAL && errno != ENOSYS && errno != EROFS && errno != ENOTSUP ? errno : 0;
}

static void sync_folder(const char *folder) {
    int fd = open(folder, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    sync_fd(fd);
    close(fd);
}

static int close_fd(int *fd) {
    int reason = *fd >= 0 && close(*fd) < 0 ? errno : 0;
    *fd = -1;
    return reason;
}

/* Everything that can fail before the new file is renamed to the target. */
static void complete(output *o) {
    flush(o);
    if (!o->trouble && o->device >= 0) o->trouble = copy_to_device(o);
    if (!o->trouble && o->target) o->trouble = sync_fd(o->fd);
    if (!o->trouble && o->target && o->unnamed) {
        o->unnamed = linkat(AT_FDCWD, o->link, AT_FDCWD, o->temporary, AT_SYMLINK_FOLLOW) < 0;
        if (o->unnamed) o->trouble = errno;
    }
    /* closing may fail on a network file system; the lock ends with it, so another descriptor keeps the lock */
    const int locked = o->target ? dup(o->fd) : -1;
    int closing = close_fd(&o->fd), closing_device = close_fd(&o->device);
    if (!o->trouble) o->trouble = closing ? closing : closing_device;
    if (!o->trouble && o->target && rename(o->temporary, o->target) < 0) o->trouble = errno;
    if (locked >= 0) close(locked);
    if (o->trouble || !o->target) return;
    memory_free(o->temporary);
    o->temporary = NULL;
    sync_folder(o->folder);
}

int output_finish(output *o, int status, inco_error *error) {
    if (status >= 0) complete(o);
    close_fd(&o->fd);
    close_fd(&o->device);
    if (o->temporary && !o->unnamed) unlink(o->temporary);
    if (o->trouble)
        status = error_set(error, INCO_EIO, "cannot write %s: %s%s", strcmp(o->name, "-") ? o->name : "standard output",
                           strerror(o->trouble), o->target ? "; nothing was written" : "");
    memory_free(o->temporary);
    memory_free(o->target);
    memory_free(o->folder);
    memory_free(o->buffer);
    memset(o, 0, sizeof *o);
    return status;
}

/* A device is only examined: opening a pipe would wait for its reader. */
int output_check(const char *path, inco_error *error) {
    struct stat old;
    output o;
    if (!strcmp(path, "-")) return INCO_OK;
    if (stat(path, &old) == 0 && !S_ISREG(old.st_mode) && !S_ISDIR(old.st_mode))
        return access(path, W_OK) < 0 ? cannot_write(path, errno, error) : INCO_OK;
    int status = output_open(&o, path, 0, error);
    if (status < 0) return status;
    output_finish(&o, INCO_EIO, NULL); /* discarded */
    return INCO_OK;
}
