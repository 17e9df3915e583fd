/* Owners of memory that the library gives out in open structs (inco_mat, inco_csc, inco_metrics, ...): what their
 * `owner` points at. An owner is a handle, so that the memory is released once, however often it is asked for. */
#ifndef INCO_BASE_OWNER_H
#define INCO_BASE_OWNER_H

#include <stddef.h>

typedef struct owner {
    void (*release)(struct owner *owner); /* releases `base` */
    void *base;
    size_t length;
} owner;

/* NULL: no memory; `base` is then still the caller's. */
owner *owner_new(void (*release)(owner *owner), void *base, size_t length);
/* The owner of a block from base/memory.h. NULL: `block` is NULL, or there was no memory and it has been freed. */
owner *owner_of_block(void *block);

/* What a live owner that `release` is for owns; NULL for all else. */
void *owner_base(const void *owner, void (*release)(struct owner *owner));

/* Nothing for NULL, an owner that has been released, and anything that is no owner. */
void owner_release(void *owner);

#endif
