#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limit.h"
#include "base/memory.h"
#include "base/spool.h"
#include "io/output.h"

#ifndef O_CLOEXEC
#define O_CLOEXEC 0
#endif
#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif
#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS MAP_ANON
#endif

static int cannot_read(const char *path, int reason, inco_error *error) {
    return error_set(error, INCO_EIO, "cannot read %s: %s", path, strerror(reason));
}

static int check_info(const char *path, const struct stat *info, inco_error *error) {
    if (S_ISDIR(info->st_mode)) return error_set(error, INCO_EIO, "cannot read %s: it is a folder", path);
    if (S_ISREG(info->st_mode) && !info->st_size) return error_set(error, INCO_EFORMAT, "%s is empty (0 bytes)", path);
    return INCO_OK;
}

int file_check(const char *path, int64_t *length, inco_error *error) {
    struct stat info;
    if (stat(path, &info) < 0 || access(path, R_OK) < 0) return cannot_read(path, errno, error);
    if (length) *length = S_ISREG(info.st_mode) ? (int64_t)info.st_size : -1;
    return check_info(path, &info, error);
}

int file_read_at(int fd, const char *path, int64_t offset, void *bytes, size_t count, inco_error *error) {
    const int reason = spool_read_at(fd, offset, bytes, count);
    if (reason > 0) return cannot_read(path, reason, error);
    if (reason == 0) return INCO_OK;
    return error_set(error, INCO_EIO, "%s has become shorter while it was read: it now ends before byte %lld", path,
                     (long long)(offset + (int64_t)count));
}

static void release_reserved(owner *reserved) {
    munmap(reserved->base, reserved->length);
}

/* Reserves addresses for the whole file; pages take memory when they are written. */
static int reserve(file_bytes *file, size_t length, inco_error *error) {
    void *base = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) return error_no_memory(error);
    file->data = base;
    file->length = length;
    file->owner = owner_new(release_reserved, base, length);
    if (file->owner) return INCO_OK;
    munmap(base, length);
    return error_no_memory(error);
}

/* Copies a pipe, or another file that cannot be read twice, to a temporary file. */
static int copy_pipe(file_bytes *file, int64_t *length, inco_error *error) {
    enum { BLOCK = 1 << 16 };
    const int pipe = file->reader - 1;
    spool all = {0};
    unsigned char *block = NEW_RAW(unsigned char, BLOCK);
    ssize_t got = 1;
    int status = block ? INCO_OK : error_no_memory(error);
    while (status >= 0 && got > 0) {
        do got = read(pipe, block, BLOCK);
        while (got < 0 && errno == EINTR);
        if (got < 0) status = cannot_read(file->path, errno, error);
        if (got > 0) status = spool_append(&all, block, (size_t)got, error);
    }
    if (status >= 0 && !all.used) status = error_set(error, INCO_EFORMAT, "%s is empty (0 bytes)", file->path);
    memory_free(block);
    *length = all.used;
    close(pipe);
    file->reader = all.fd;
    return status;
}

int file_open(file_bytes *file, const char *path, inco_error *error) {
    struct stat info;
    const int standard = !strcmp(path, "-");
    *file = (file_bytes){.path = standard ? "standard input" : path};
    const int fd = standard ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return cannot_read(file->path, errno, error);
    int status = fstat(fd, &info) < 0 ? cannot_read(file->path, errno, error) : check_info(file->path, &info, error);
    const int seeks = status >= 0 && S_ISREG(info.st_mode) && lseek(fd, 0, SEEK_CUR) == 0;
    int64_t length = status >= 0 ? (int64_t)info.st_size : 0;
    file->nameless = standard || !seeks;
    file->reader = fd + 1;
    if (status >= 0 && !seeks) status = copy_pipe(file, &length, error);
    if (status >= 0) status = reserve(file, (size_t)length, error);
    if (status < 0) file_release(file);
    return status;
}

int file_need(file_bytes *file, size_t offset, size_t count, inco_error *error) {
    if (!file->reader) return INCO_OK;
    return file_read_at(file->reader - 1, file->path, (int64_t)offset, (unsigned char *)file->data + offset, count,
                        error);
}

int file_read(file_bytes *file, const char *path, int64_t limit, inco_error *error) {
    int status = file_open(file, path, error);
    if (status < 0) return status;
    const limit_claim claim = {path, "bytes", (int64_t)file->length, 1, INFINITY, limit};
    status = limit_check(&claim, error);
    if (status >= 0) status = file_need(file, 0, file->length, error);
    if (status < 0) file_release(file);
    return status;
}

unsigned char *file_block(file_bytes *file, size_t length) {
    unsigned char *block = length <= INT64_MAX ? NEW_RAW(unsigned char, (int64_t)length) : NULL;
    *file = (file_bytes){.data = block, .length = length, .owner = owner_of_block(block)};
    if (file->owner) return block;
    *file = (file_bytes){0};
    return NULL;
}

void file_release(file_bytes *file) {
    owner_release(file->owner);
    if (file->reader) close(file->reader - 1);
    *file = (file_bytes){0};
}
