#include "base/watcher.h"

#include "base/sized.h"

int watcher_tell(const watcher *w, const inco_progress *now) {
    _Alignas(inco_progress) char theirs[SIZED_MAX];
    if (!w->callback) return INCO_OK;
    *(size_t *)theirs = w->known;
    sized_give(theirs, now, sizeof *now);
    return w->callback(w->self, (const inco_progress *)theirs) ? INCO_STOPPED : INCO_OK;
}

int watcher_ask(const watcher_poll *poll) {
    return poll && poll->ask(poll->self) ? WATCHER_STOPPED : INCO_OK;
}
