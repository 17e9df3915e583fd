#define _GNU_SOURCE
#include "io/leftover.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/paths.h"

/* A file system without locks has no leftovers that could be told apart: nothing is removed there. */
void leftover_lock(int fd) {
    flock(fd, LOCK_EX | LOCK_NB);
}

/* Calls `remove` for every entry, and closes the folder. */
static void remove_entries(DIR *folder, void (*remove)(int folder, const char *name)) {
    for (struct dirent *entry; folder && (entry = readdir(folder));) remove(dirfd(folder), entry->d_name);
    if (folder) closedir(folder);
}

static void remove_file(int folder, const char *name) {
    if (strcmp(name, ".") && strcmp(name, "..")) unlinkat(folder, name, 0);
}

void leftover_remove_folder(const char *path) {
    remove_entries(opendir(path), remove_file);
    rmdir(path);
}

/* Removes it while it is locked. A process that has created it and not locked it yet will find that it has no name. */
static void remove_unlocked(int folder, const char *name) {
    struct stat info;
    if (!paths_is_temporary(name)) return;
    const int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &info) == 0) {
        if (S_ISREG(info.st_mode)) unlinkat(folder, name, 0);
        if (S_ISDIR(info.st_mode)) {
            remove_entries(fdopendir(dup(fd)), remove_file);
            unlinkat(folder, name, AT_REMOVEDIR);
        }
    }
    close(fd);
}

void leftover_clean(const char *path) {
    remove_entries(opendir(path), remove_unlocked);
}
