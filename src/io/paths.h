/* Names of files: their parts, and lists of them from folders and patterns. */
#ifndef INCO_IO_PATHS_H
#define INCO_IO_PATHS_H

#include <inco/inco.h>

/* All of these allocate; NULL when there is no memory. */
char *path_folder(const char *path);                   /* "a/b.npy" -> "a", "b.npy" -> "." */
char *path_join(const char *folder, const char *name); /* "a", "b" -> "a/b" */
char *path_beside(const char *path, const char *name); /* a link's text seen from its folder: "a/x", "y" -> "a/y" */
char *path_temporary(const char *folder, int number);  /* a hidden name in it that nobody else is likely to use */

typedef struct path_list {
    char **path;
    int64_t count, room;
} path_list;

/* Files, folders (the files in them that `known` accepts) and patterns become a sorted list without duplicates. */
int paths_expand(path_list *list, const char *const *paths, int count, int (*known)(const char *path),
                 inco_error *error);
void paths_free(path_list *list);

#endif
