#include "base/owner.h"

#include "base/handle.h"
#include "base/memory.h"

static const char kind[] = "owner";

static void release_block(owner *o) {
    memory_free(o->base);
}

owner *owner_new(void (*release)(owner *owner), void *base, size_t length) {
    owner *o = HANDLE(owner, kind);
    if (o) *o = (owner){release, base, length};
    return o;
}

owner *owner_of_block(void *block) {
    owner *o = block ? owner_new(release_block, block, 0) : NULL;
    if (!o) memory_free(block);
    return o;
}

void *owner_base(const void *given, void (*release)(owner *owner)) {
    const owner *o = given;
    return handle_is(o, kind) && o->release == release ? o->base : NULL;
}

void owner_release(void *given) {
    owner *o = given;
    if (!handle_end(o, kind)) return;
    o->release(o);
    handle_free(o);
}
