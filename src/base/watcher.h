/* The progress callback of a call, which can also stop it: set by inco_options_on_progress. */
#ifndef INCO_BASE_WATCHER_H
#define INCO_BASE_WATCHER_H

#include <inco/inco.h>

typedef struct watcher {
    inco_progress_fn callback; /* NULL: none */
    void *self;
    size_t known; /* size of the inco_progress that the caller was compiled with */
} watcher;

/* Calls the callback, on this thread. Returns INCO_STOPPED if it asks to stop, else INCO_OK. */
int watcher_tell(const watcher *w, const inco_progress *now);

#endif
