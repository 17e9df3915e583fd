/* Handles that the library gives out: objects that are known by their address while they live. A public function looks
 * its handles up here before it follows them, so that NULL, a freed handle, one of another kind and an arbitrary
 * address are refused instead of being a crash. */
#ifndef INCO_BASE_HANDLE_H
#define INCO_BASE_HANDLE_H

#include <inco/inco.h>

/* A zeroed object of `size` bytes, known as a `kind` ("learner") from now on; NULL: no memory. */
void *handle_new(const char *kind, size_t size);

/* Is it a live handle of this kind? Its memory is not looked at. */
int handle_is(const void *handle, const char *kind);
/* INCO_OK, or INCO_EINVAL with a message. */
int handle_need(const void *handle, const char *kind, inco_error *error);

/* Ends the handle: 1 for the one call that ends it, which then frees what it holds and calls handle_free; 0 for NULL, a
 * handle that has ended before, and anything else. */
int handle_end(const void *handle, const char *kind);
void handle_free(void *handle);

#define HANDLE(type, kind) ((type *)handle_new((kind), sizeof(type)))

#endif
