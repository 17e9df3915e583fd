#include "io/paths.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

/* ---- Parts of a name ---- */

/* The first `length` bytes of `start`, a separator, `name`. */
static char *glue(const char *start, size_t length, const char *separator, const char *name) {
    const size_t size = length + strlen(separator) + strlen(name) + 1;
    char *path = NEW_RAW(char, (int64_t)size);
    if (path) snprintf(path, size, "%.*s%s%s", (int)length, start, separator, name);
    return path;
}

/* Number of bytes up to and including the last slash. */
static size_t folder_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

char *paths_folder(const char *path) {
    size_t length = folder_length(path);
    if (!length) return memory_text(".");
    return glue(path, length > 1 ? length - 1 : 1, "", "");
}

char *paths_join(const char *folder, const char *name) {
    size_t length = strlen(folder);
    return glue(folder, length, length && folder[length - 1] == '/' ? "" : "/", name);
}

char *paths_beside(const char *path, const char *name) {
    return *name == '/' ? memory_text(name) : glue(path, folder_length(path), "", name);
}

char *paths_temporary(const char *folder, int number) {
    char name[64];
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(name, sizeof name, ".inco-%lx-%lx-%x", (long)getpid(), (long)now.tv_nsec, (unsigned)number);
    return paths_join(folder, name);
}

int paths_is_temporary(const char *name) {
    unsigned long process, moment;
    unsigned number;
    int used = 0;
    return sscanf(name, ".inco-%lx-%lx-%x%n", &process, &moment, &number, &used) == 3 && !name[used];
}

/* ---- Lists ---- */

void paths_free(path_list *list) {
    for (int64_t i = 0; i < list->count; i++) memory_free(list->path[i]);
    memory_free(list->path);
    *list = (path_list){0};
}

/* Takes ownership of `path`, also on failure; NULL stands for out of memory. */
static int add(path_list *list, char *path, inco_error *error) {
    char **more = path ? memory_more(list->path, list->count, &list->capacity, sizeof *more) : NULL;
    if (!more) {
        memory_free(path);
        return error_no_memory(error);
    }
    list->path = more;
    list->path[list->count++] = path;
    return INCO_OK;
}

/* Adds a file, or the files of a folder that have a known name. */
static int add_existing(path_list *list, const char *path, int (*known)(const char *path), inco_error *error) {
    const int64_t before = list->count;
    struct stat info;
    if (stat(path, &info) < 0 || !S_ISDIR(info.st_mode)) return add(list, memory_text(path), error);
    DIR *directory = opendir(path);
    if (!directory) return error_set(error, INCO_EIO, "cannot read the folder %s: %s", path, strerror(errno));
    int status = INCO_OK;
    for (struct dirent *entry; status >= 0 && (entry = readdir(directory));)
        if (entry->d_name[0] != '.' && known(entry->d_name)) status = add(list, paths_join(path, entry->d_name), error);
    closedir(directory);
    if (status >= 0 && list->count == before)
        return error_set(error, INCO_EDATA, "the folder %s has no file that can be read as a matrix, audio or image",
                         path);
    return status;
}

static int add_pattern(path_list *list, const char *pattern, int (*known)(const char *path), inco_error *error) {
    glob_t found;
    int status = INCO_OK, result = glob(pattern, GLOB_NOSORT, NULL, &found);
    if (result == GLOB_NOSPACE)
        status = error_no_memory(error);
    else if (result)
        status = error_set(error, INCO_EIO, "no file matches %s", pattern);
    for (size_t i = 0; status >= 0 && i < found.gl_pathc; i++)
        status = add_existing(list, found.gl_pathv[i], known, error);
    if (!result) globfree(&found);
    return status;
}

static int add_path(path_list *list, const char *path, int (*known)(const char *path), inco_error *error) {
    struct stat info;
    if (!strcmp(path, "-")) return add(list, memory_text(path), error); /* standard input */
    if (stat(path, &info) == 0) return add_existing(list, path, known, error);
    if (errno == ENOENT && strpbrk(path, "*?[")) return add_pattern(list, path, known, error);
    return error_set(error, INCO_EIO, "cannot read %s: %s", path, strerror(errno));
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort_unique(path_list *list) {
    int64_t kept = 0;
    if (list->count) qsort(list->path, (size_t)list->count, sizeof *list->path, by_name);
    for (int64_t i = 0; i < list->count; i++) {
        if (kept && !strcmp(list->path[kept - 1], list->path[i]))
            memory_free(list->path[i]);
        else
            list->path[kept++] = list->path[i];
    }
    list->count = kept;
}

int paths_expand(path_list *list, const char *const *paths, int count, int (*known)(const char *path),
                 inco_error *error) {
    int status = INCO_OK;
    *list = (path_list){0};
    if (count < 1) return error_set(error, INCO_EINVAL, "no input given: name files, folders or patterns");
    for (int i = 0; status >= 0 && i < count; i++) status = add_path(list, paths[i], known, error);
    if (status < 0)
        paths_free(list);
    else
        sort_unique(list);
    return status;
}
