#include "base/sized.h"

#include <string.h>

#include "base/error.h"
#include "base/owner.h"

static size_t size_of(const void *given) {
    size_t size;
    memcpy(&size, given, sizeof size);
    return size;
}

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

int sized_check(const void *given, const char *name, inco_error *error) {
    if (!given) return INCO_OK;
    const size_t size = size_of(given);
    if (size >= sizeof size && size <= SIZED_MAX && size % sizeof size == 0) return INCO_OK;
    return error_set(error, INCO_EINVAL, "%s: its size is not set (%zu): initialise it with INCO_INIT(%s)", name, size,
                     name);
}

int sized_need(const void *given, const char *name, inco_error *error) {
    return given ? sized_check(given, name, error) : error_null(error, name);
}

int sized_take(void *own, size_t known, const void *given, const char *name, inco_error *error) {
    memset(own, 0, known);
    int status = sized_need(given, name, error);
    if (status < 0) return status;
    memcpy(own, given, smaller(known, size_of(given)));
    memcpy(own, &known, sizeof known);
    return INCO_OK;
}

void sized_give(void *to, const void *own, size_t known) {
    if (!to) return;
    const size_t size = size_of(to), shared = smaller(known, size);
    memcpy((char *)to + sizeof size, (const char *)own + sizeof size, shared - sizeof size);
    memset((char *)to + shared, 0, size - shared);
}

void sized_clear(void *given) {
    void *owned;
    if (!given || sized_check(given, "", NULL) < 0 || size_of(given) < sizeof(size_t) + sizeof owned) return;
    memcpy(&owned, (char *)given + sizeof(size_t), sizeof owned);
    owner_release(owned);
    memset((char *)given + sizeof(size_t), 0, size_of(given) - sizeof(size_t));
}
