/* Whoever is told how far a call has come, and may stop it: what inco_options_on_progress sets. */
#ifndef INCO_BASE_WATCHER_H
#define INCO_BASE_WATCHER_H

#include <inco/inco.h>

typedef struct watcher {
    inco_progress_fn callback; /* NULL: nobody */
    void *self;
    size_t known; /* size of the inco_progress that the callback knows */
} watcher;

/* Calls back, on this thread. INCO_STOPPED when the caller wants to stop, else INCO_OK. */
int watcher_tell(const watcher *w, const inco_progress *now);

#endif
