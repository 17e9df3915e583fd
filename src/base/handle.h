/* Registry of live handles. A public function looks its handles up here before it dereferences them, so that NULL, a
 * freed handle, a handle of another kind and an arbitrary address are refused instead of crashing. */
#ifndef INCO_BASE_HANDLE_H
#define INCO_BASE_HANDLE_H

#include <inco/inco.h>

/* Allocates a zeroed object of `size` bytes and registers it as a `kind` ("learner"); NULL: out of memory. */
void *handle_new(const char *kind, size_t size);

/* Returns whether this is a live handle of this kind, without reading its memory. */
int handle_is(const void *handle, const char *kind);
/* INCO_OK, or INCO_EINVAL with a message. */
int handle_need(const void *handle, const char *kind, inco_error *error);

/* Unregisters the handle. Returns 1 for the one call that ends it, which must then free its contents and call
 * handle_free; 0 for NULL, a handle that was ended before, and anything else. */
int handle_end(const void *handle, const char *kind);
void handle_free(void *handle);

#define HANDLE(type, kind) ((type *)handle_new((kind), sizeof(type)))

#endif
