#define _GNU_SOURCE
#include "base/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

#ifndef O_CLOEXEC
#define O_CLOEXEC 0
#endif

static int trouble(const char *what, int reason, inco_error *error) {
    return error_set(error, INCO_EIO, "cannot %s a temporary file: %s; set TMPDIR to a folder with more space", what,
                     strerror(reason));
}

/* A file whose name is removed at once, for systems without unnamed files. */
static int open_named(const char *folder) {
    char name[PATH_MAX];
    if (snprintf(name, sizeof name, "%s/inco-XXXXXX", folder) >= (int)sizeof name) {
        errno = ENAMETOOLONG;
        return -1;
    }
    const int fd = mkstemp(name);
    if (fd >= 0) {
        unlink(name);
        fcntl(fd, F_SETFD, FD_CLOEXEC);
    }
    return fd;
}

int spool_file(inco_error *error) {
    const char *given = getenv("TMPDIR"), *folder = given && *given ? given : "/var/tmp";
    int fd = -1;
#ifdef O_TMPFILE
    fd = open(folder, O_RDWR | O_TMPFILE | O_EXCL | O_CLOEXEC, 0600);
#endif
    if (fd < 0) fd = open_named(folder);
    if (fd >= 0) return fd;
    return error_set(error, INCO_EIO, "cannot create a temporary file in %s: %s; set TMPDIR to another folder", folder,
                     strerror(errno));
}

int spool_read_at(int fd, int64_t offset, void *bytes, size_t count) {
    unsigned char *to = bytes;
    while (count) {
        const ssize_t got = pread(fd, to, count, (off_t)offset);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return got < 0 ? errno : -1;
        to += got;
        offset += got;
        count -= (size_t)got;
    }
    return 0;
}

int spool_write(spool *s, int64_t offset, const void *bytes, size_t count, inco_error *error) {
    const unsigned char *from = bytes;
    if (!s->fd) {
        const int fd = spool_file(error);
        if (fd < 0) return fd;
        s->fd = fd + 1;
    }
    while (count) {
        const ssize_t done = pwrite(s->fd - 1, from, count, (off_t)offset);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return trouble("write", errno, error);
        from += done;
        offset += done;
        count -= (size_t)done;
    }
    if (s->used < offset) s->used = offset;
    return INCO_OK;
}

int spool_append(spool *s, const void *bytes, size_t count, inco_error *error) {
    return spool_write(s, s->used, bytes, count, error);
}

int spool_read(const spool *s, int64_t offset, void *bytes, size_t count, inco_error *error) {
    const int reason = spool_read_at(s->fd - 1, offset, bytes, count);
    return reason ? trouble("read", reason < 0 ? EIO : reason, error) : INCO_OK;
}

void spool_free(spool *s) {
    if (s->fd) close(s->fd - 1);
    *s = (spool){0};
}
