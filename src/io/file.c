#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/output.h"

#ifndef O_CLOEXEC
#define O_CLOEXEC 0
#endif
#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

static void release_mapping(owner *mapping) {
    munmap(mapping->base, mapping->length);
}

static int cannot_read(const char *path, int reason, inco_error *error) {
    return error_set(error, INCO_EIO, "cannot read %s: %s", path, strerror(reason));
}

static int check_info(const char *path, const struct stat *info, inco_error *error) {
    if (S_ISDIR(info->st_mode)) return error_set(error, INCO_EIO, "cannot read %s: it is a folder", path);
    if (S_ISREG(info->st_mode) && !info->st_size) return error_set(error, INCO_EFORMAT, "%s is empty (0 bytes)", path);
    return INCO_OK;
}

int file_check(const char *path, inco_error *error) {
    struct stat info;
    if (stat(path, &info) < 0 || access(path, R_OK) < 0) return cannot_read(path, errno, error);
    return check_info(path, &info, error);
}

/* Private and writable, so that callers may change the matrix; without reservation, so that a file may be larger than
 * the memory. No owner afterwards: the file cannot be mapped. */
static int map(file_bytes *file, int fd, size_t length, inco_error *error) {
    void *base = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, fd, 0);
    if (base == MAP_FAILED) return INCO_OK;
    *file = (file_bytes){base, length, owner_new(release_mapping, base, length)};
    if (file->owner) return INCO_OK;
    munmap(base, length);
    return error_no_memory(error);
}

/* Reads pipes and other files that cannot be mapped. */
static int slurp(file_bytes *file, int fd, const char *path, inco_error *error) {
    int64_t used = 0, capacity = 0;
    unsigned char *block = NULL;
    for (;;) {
        if (used == capacity) {
            capacity = capacity ? 2 * capacity : 1 << 16;
            unsigned char *larger = memory_grow(block, used, capacity, 1);
            if (!larger) {
                memory_free(block);
                return error_no_memory(error);
            }
            block = larger;
        }
        ssize_t got = read(fd, block + used, (size_t)(capacity - used));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) {
            int reason = got < 0 ? errno : 0;
            *file = (file_bytes){block, (size_t)used, owner_of_block(block)};
            if (!file->owner) return error_no_memory(error);
            return reason ? cannot_read(path, reason, error) : INCO_OK;
        }
        used += got;
    }
}

static int read_open(file_bytes *file, int fd, const char *path, inco_error *error) {
    struct stat info;
    if (fstat(fd, &info) < 0) return cannot_read(path, errno, error);
    int status = check_info(path, &info, error);
    if (status < 0) return status;
    if (S_ISREG(info.st_mode) && (uint64_t)info.st_size <= SIZE_MAX)
        status = map(file, fd, (size_t)info.st_size, error);
    if (status < 0 || file->owner) return status;
    status = slurp(file, fd, path, error);
    if (status >= 0 && !file->length) return error_set(error, INCO_EFORMAT, "%s is empty (0 bytes)", path);
    return status;
}

int file_read(file_bytes *file, const char *path, inco_error *error) {
    *file = (file_bytes){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return cannot_read(path, errno, error);
    int status = read_open(file, fd, path, error);
    close(fd);
    if (status < 0) file_release(file);
    return status;
}

unsigned char *file_block(file_bytes *file, size_t length) {
    unsigned char *block = length <= INT64_MAX ? NEW_RAW(unsigned char, (int64_t)length) : NULL;
    *file = (file_bytes){block, length, owner_of_block(block)};
    if (file->owner) return block;
    *file = (file_bytes){0};
    return NULL;
}

void file_release(file_bytes *file) {
    owner_release(file->owner);
    *file = (file_bytes){0};
}
