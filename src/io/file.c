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
    unsigned char *to = bytes;
    while (count) {
        const ssize_t got = pread(fd, to, count, (off_t)offset);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return cannot_read(path, errno, error);
        if (got == 0)
            return error_set(error, INCO_EIO, "%s has become shorter while it was read: it now ends before byte %lld",
                             path, (long long)(offset + (int64_t)count));
        to += got;
        offset += got;
        count -= (size_t)got;
    }
    return INCO_OK;
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

/* Reads pipes and other files whose length is not known. */
static int slurp(file_bytes *file, int fd, int64_t limit, inco_error *error) {
    int64_t used = 0, capacity = 0;
    unsigned char *block = NULL;
    ssize_t got = 1;
    int status = INCO_OK;
    while (status >= 0 && got > 0) {
        if (used == capacity) {
            capacity = capacity ? 2 * capacity : 1 << 16;
            TRY(limit_check(&(limit_claim){file->path, "bytes", capacity, 1, INFINITY, limit}, error));
            unsigned char *larger = memory_grow(block, used, capacity, 1);
            if (!larger) TRY(error_no_memory(error));
            block = larger;
        }
        do got = read(fd, block + used, (size_t)(capacity - used));
        while (got < 0 && errno == EINTR);
        if (got < 0) TRY(cannot_read(file->path, errno, error));
        used += got;
    }
    if (!used) TRY(error_set(error, INCO_EFORMAT, "%s is empty (0 bytes)", file->path));
    file->data = block;
    file->length = (size_t)used;
    file->owner = owner_of_block(block);
    return file->owner ? INCO_OK : error_no_memory(error);
done:
    memory_free(block);
    return status;
}

int file_open(file_bytes *file, const char *path, int64_t limit, inco_error *error) {
    struct stat info;
    *file = (file_bytes){.path = path};
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return cannot_read(path, errno, error);
    int status = fstat(fd, &info) < 0 ? cannot_read(path, errno, error) : check_info(path, &info, error);
    if (status >= 0 && S_ISREG(info.st_mode)) {
        file->reader = fd + 1;
        status = reserve(file, (size_t)info.st_size, error);
    } else {
        if (status >= 0) status = slurp(file, fd, limit, error);
        close(fd);
    }
    if (status < 0) file_release(file);
    return status;
}

int file_need(file_bytes *file, size_t offset, size_t count, inco_error *error) {
    if (!file->reader) return INCO_OK;
    return file_read_at(file->reader - 1, file->path, (int64_t)offset, (unsigned char *)file->data + offset, count,
                        error);
}

int file_read(file_bytes *file, const char *path, int64_t limit, inco_error *error) {
    int status = file_open(file, path, limit, error);
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
