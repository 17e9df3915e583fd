/* Temporary files that a killed process has left behind. Living processes hold a lock on theirs, on any machine that
 * shares the folder. */
#ifndef INCO_IO_LEFTOVER_H
#define INCO_IO_LEFTOVER_H

/* Locks an open temporary file or folder until it is closed. */
void leftover_lock(int fd);
/* Removes temporary files and folders of this library (paths_temporary) that nobody has locked. */
void leftover_clean(const char *folder);
/* Removes a folder with the files in it. */
void leftover_remove_folder(const char *path);

#endif
