/* The distance barrier: approximate K-SVD with repulsion between atoms above a coherence bound (docs/theory/idb.md). */
#ifndef INCO_UPDATE_IDB_H
#define INCO_UPDATE_IDB_H

#include "update/ksvd.h"

typedef struct idb_settings {
    double bound, barrier;
    double gamma; /* weight of the repulsion: the same for all atoms, or relative to the coefficient energy of the
                   * atom */
    int relative;
} idb_settings;

typedef struct idb {
    ksvd_rule rule; /* of the sweep */
    idb_settings settings;
    double *products; /* L */
} idb;

/* `w` must not move as long as its rule is in use. */
int idb_open(idb *w, const inco_mat *d, const idb_settings *settings, inco_error *error);
void idb_close(idb *w);

#endif
