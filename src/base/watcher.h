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

/* Lets the caller stop a step that takes long, such as the update of a dictionary, from inside; on the thread of the
 * caller. */
typedef struct watcher_poll {
    int (*ask)(void *self); /* nonzero: stop */
    void *self;
} watcher_poll;

/* Status of a step that was stopped from inside: negative, so that it ends the step like a failure. The learner
 * returns INCO_STOPPED instead. */
enum { WATCHER_STOPPED = -1000 };

/* Asks whether to stop: INCO_OK or WATCHER_STOPPED. `poll` may be NULL: never. */
int watcher_ask(const watcher_poll *poll);

#endif
