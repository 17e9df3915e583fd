/* Owners of memory that the library returns in open structs (inco_mat, inco_csc, inco_metrics, ...). An owner is a
 * handle, so that its memory is released only once. */
#ifndef INCO_BASE_OWNER_H
#define INCO_BASE_OWNER_H

#include <stddef.h>

typedef struct owner {
    void (*release)(struct owner *owner); /* releases `base` */
    void *base;
    size_t length;
} owner;

/* NULL: out of memory; `base` then still belongs to the caller. */
owner *owner_new(void (*release)(owner *owner), void *base, size_t length);
/* Creates the owner of a block from base/memory.h. NULL: `block` is NULL, or out of memory, and the block was freed. */
owner *owner_of_block(void *block);

/* Returns the memory of a live owner with this `release`; NULL for anything else. */
void *owner_base(const void *owner, void (*release)(struct owner *owner));

/* Releases the memory of an owner. Ignores NULL, owners that were released, and anything else. */
void owner_release(void *owner);

#endif
