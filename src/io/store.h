/* Decoded audio and images, which are read many times: in memory up to a limit, the others in a spool, so that memory
 * does not grow with the data. */
#ifndef INCO_IO_STORE_H
#define INCO_IO_STORE_H

#include <inco/inco.h>
#include <pthread.h>

#include "base/spool.h"

typedef struct store {
    pthread_mutex_t lock;
    spool spool;
    int64_t held, limit; /* bytes in memory, and their maximum */
} store;

void store_init(store *s, int64_t limit);
void store_free(store *s);

/* Takes over a matrix of float32 with ld = rows. If it goes to the spool, m has no data, and *offset says where it is.
 * Several threads may call this at once. */
int store_keep(store *s, inco_mat *m, int64_t *offset, inco_error *error);
/* Copies `count` values of such a matrix, from value `first` on. */
int store_copy(const store *s, const inco_mat *m, int64_t offset, int64_t first, int64_t count, float *out,
               inco_error *error);

#endif
