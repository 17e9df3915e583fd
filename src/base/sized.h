/* The rule by which structs of the interface grow. A sized struct begins with `size_t size`, which the caller sets to
 * the size it knows. The library copies the smaller of that and its own; what only the library has counts as zero when
 * it is given, and is left out when it is returned; what only the caller has is set to zero when it is returned. */
#ifndef INCO_BASE_SIZED_H
#define INCO_BASE_SIZED_H

#include <inco/inco.h>

enum { SIZED_MAX = 4096 }; /* bytes: beyond, `size` was never set */

/* Is `size` set? NULL is fine, for results that are not wanted. */
int sized_check(const void *given, const char *name, inco_error *error);
/* The same for results that own memory, which must go somewhere: NULL is refused. */
int sized_need(const void *given, const char *name, inco_error *error);

/* Input: the caller's struct into the library's `own`, of `known` bytes. */
int sized_take(void *own, size_t known, const void *given, const char *name, inco_error *error);

/* Output: the library's `own`, of `known` bytes, into the caller's struct `to`, which was checked or is NULL. */
void sized_give(void *to, const void *own, size_t known);

/* For structs whose second field is `owner`: releases what it owns and sets all but the size to zero. NULL and a struct
 * whose size is not set are left alone. */
void sized_clear(void *given);

#define SIZED_CHECK(type, given, error) sized_check(given, #type, error)
#define SIZED_NEED(type, given, error) sized_need(given, #type, error)
#define SIZED_TAKE(type, own, given, error) sized_take(own, sizeof(type), given, #type, error)

#endif
