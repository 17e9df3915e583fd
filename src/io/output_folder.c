#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/leftover.h"
#include "io/output.h"
#include "io/paths.h"

/* The name without trailing slashes. */
static char *plain_name(const char *path) {
    char *name = memory_text(path);
    for (size_t n = name ? strlen(name) : 0; n > 1 && name[n - 1] == '/'; n--) name[n - 1] = 0;
    return name;
}

/* Returns the number of entries, or -1. */
static int count_entries(const char *folder) {
    DIR *directory = opendir(folder);
    int count = 0;
    if (!directory) return -1;
    for (struct dirent *entry; (entry = readdir(directory));) {
        count += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
    }
    closedir(directory);
    return count;
}

/* Checks that the folder can be created: it does not exist and its parent is writable, or it is empty. */
static int check_free(const char *name, inco_error *error) {
    struct stat info;
    if (stat(name, &info) < 0) return output_check(name, error);
    if (!S_ISDIR(info.st_mode))
        return error_set(error, INCO_EIO, "cannot write %s: several files need a folder, but this is not one", name);
    int count = count_entries(name);
    if (count < 0) return error_set(error, INCO_EIO, "cannot read the folder %s: %s", name, strerror(errno));
    if (count > 0)
        return error_set(error, INCO_EIO, "cannot write the folder %s: it is not empty; name a new one", name);
    return INCO_OK;
}

int output_check_folder(const char *path, inco_error *error) {
    char *name = plain_name(path);
    int status = name ? check_free(name, error) : error_no_memory(error);
    memory_free(name);
    return status;
}

/* Creates a folder with a temporary name beside the target. */
static int make_beside(output_folder *folder, inco_error *error) {
    char *parent = paths_folder(folder->target);
    if (parent) leftover_clean(parent);
    folder->temporary = parent ? paths_temporary(parent, 0) : NULL;
    memory_free(parent);
    if (!folder->temporary) return error_no_memory(error);
    if (mkdir(folder->temporary, 0777) == 0) {
        folder->lock = open(folder->temporary, O_RDONLY | O_CLOEXEC) + 1;
        if (folder->lock) leftover_lock(folder->lock - 1);
        return INCO_OK;
    }
    int status = error_set(error, INCO_EIO, "cannot create the folder %s: %s", folder->target, strerror(errno));
    memory_free(folder->temporary);
    folder->temporary = NULL; /* there is none to remove */
    return status;
}

int output_folder_open(output_folder *folder, const char *path, inco_error *error) {
    int status;
    *folder = (output_folder){.target = plain_name(path)};
    TRY(folder->target ? check_free(folder->target, error) : error_no_memory(error));
    TRY(make_beside(folder, error));
    return INCO_OK;
done:
    return output_folder_finish(folder, status, error);
}

int output_folder_finish(output_folder *folder, int status, inco_error *error) {
    if (status >= 0 && rename(folder->temporary, folder->target) < 0)
        status = error_set(error, INCO_EIO, "cannot create the folder %s: %s", folder->target, strerror(errno));
    if (status < 0 && folder->temporary) leftover_remove_folder(folder->temporary);
    if (folder->lock) close(folder->lock - 1);
    memory_free(folder->temporary);
    memory_free(folder->target);
    *folder = (output_folder){0};
    return status;
}
