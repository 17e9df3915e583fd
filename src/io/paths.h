/* File names: their parts, and lists of them from folders and patterns. */
#ifndef INCO_IO_PATHS_H
#define INCO_IO_PATHS_H

#include <inco/inco.h>

/* All of these allocate; NULL: out of memory. */
char *paths_folder(const char *path);                   /* "a/b.npy" -> "a", "b.npy" -> "." */
char *paths_join(const char *folder, const char *name); /* "a", "b" -> "a/b" */
char *paths_beside(const char *path, const char *name); /* the target of a link relative to its folder: "a/x", "y" ->
                                                         * "a/y" */
char *paths_temporary(const char *folder, int number);  /* an unlikely hidden name in the folder */
int paths_is_temporary(const char *name);               /* whether a name in a folder is such a name */

typedef struct path_list {
    char **path;
    int64_t count, capacity;
} path_list;

/* Expands files, folders (files that `known` accepts) and patterns to a sorted list without duplicates. */
int paths_expand(path_list *list, const char *const *paths, int count, int (*known)(const char *path),
                 inco_error *error);
void paths_free(path_list *list);

#endif
