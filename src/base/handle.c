#include "base/handle.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* Precedes the object, in the same block. */
typedef struct entry {
    const char *kind;
    struct entry *next;
} entry;

_Static_assert(sizeof(entry) <= MEMORY_ALIGN, "the object after its entry must be aligned");

enum { CHAINS = 1024 };

/* Live handles by a hash of their address. */
static entry *chains[CHAINS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void hold(void) {
    pthread_mutex_lock(&lock);
}

static void leave(void) {
    pthread_mutex_unlock(&lock);
}

static void prepare_for_forks(void) {
    pthread_atfork(hold, leave, leave); /* the lock is free in the child */
}

static void enter(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare_for_forks);
    hold();
}

static entry *entry_of(const void *handle) {
    return (entry *)((uintptr_t)handle - MEMORY_ALIGN); /* NOLINT(performance-no-int-to-ptr): any address */
}

static entry **chain_of(const void *handle) {
    return &chains[((uintptr_t)handle / MEMORY_ALIGN * 2654435761u >> 7) % CHAINS];
}

/* Returns the link to the entry of a live handle; NULL for anything else, whose memory is not read. */
static entry **find(const void *handle, const char *kind) {
    for (entry **at = chain_of(handle); *at; at = &(*at)->next)
        if (*at == entry_of(handle)) return strcmp((*at)->kind, kind) ? NULL : at;
    return NULL;
}

void *handle_new(const char *kind, size_t size) {
    entry *e = size <= SIZE_MAX - MEMORY_ALIGN ? memory_new(1, MEMORY_ALIGN + size) : NULL;
    if (!e) return NULL;
    void *handle = (char *)e + MEMORY_ALIGN;
    entry **chain = chain_of(handle);
    enter();
    *e = (entry){kind, *chain};
    *chain = e;
    leave();
    return handle;
}

int handle_is(const void *handle, const char *kind) {
    if (!handle) return 0;
    enter();
    const int known = find(handle, kind) != NULL;
    leave();
    return known;
}

int handle_need(const void *handle, const char *kind, inco_error *error) {
    if (handle_is(handle, kind)) return INCO_OK;
    if (!handle) return error_null(error, kind);
    return error_set(error, INCO_EINVAL, "argument '%s' is not a live handle of this kind: it may have been freed",
                     kind);
}

int handle_end(const void *handle, const char *kind) {
    if (!handle) return 0;
    enter();
    entry **at = find(handle, kind);
    if (at) *at = (*at)->next;
    leave();
    return at != NULL;
}

void handle_free(void *handle) {
    if (handle) memory_free(entry_of(handle));
}
