/* The versioning rule of public structs. A sized struct begins with `size_t size`, which the caller sets to the size it
 * was compiled with. The library copies the smaller of that and its own size. Fields that only the library knows are
 * zero on input and omitted on output; fields that only the caller knows are zero on output. */
#ifndef INCO_BASE_SIZED_H
#define INCO_BASE_SIZED_H

#include <inco/inco.h>

enum { SIZED_MAX = 4096 }; /* bytes; a larger size means that `size` was not set */

/* Checks that `size` is set. NULL is accepted, for results that are not wanted. */
int sized_check(const void *given, const char *name, inco_error *error);
/* The same for results that own memory: NULL is refused. */
int sized_need(const void *given, const char *name, inco_error *error);

/* Input: copies the caller's struct to the library's `own`, of `known` bytes. */
int sized_take(void *own, size_t known, const void *given, const char *name, inco_error *error);

/* Output: copies the library's `own`, of `known` bytes, to the caller's struct `to`, which was checked or is NULL. */
void sized_give(void *to, const void *own, size_t known);

/* For structs whose second field is `owner`: releases the memory it owns and zeroes all fields but the size. Ignores
 * NULL and structs whose size is not set. */
void sized_clear(void *given);

#define SIZED_CHECK(type, given, error) sized_check(given, #type, error)
#define SIZED_NEED(type, given, error) sized_need(given, #type, error)
#define SIZED_TAKE(type, own, given, error) sized_take(own, sizeof(type), given, #type, error)

#endif
