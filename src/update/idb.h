/* The distance barrier: approximate K-SVD in which atoms closer than a bound push each other away. The equations are in
 * docs/theory/idb.md. */
#ifndef INCO_UPDATE_IDB_H
#define INCO_UPDATE_IDB_H

#include "update/ksvd.h"

typedef struct idb_settings {
    double bound, barrier;
    double gamma; /* weight of the push: one for all atoms, or relative to the energy that the atom codes */
    int relative;
} idb_settings;

typedef struct idb {
    ksvd_rule rule; /* to sweep by */
    idb_settings settings;
    double *products; /* L */
} idb;

/* `w` must stay where it is as long as its rule is in use. */
int idb_open(idb *w, const inco_mat *d, const idb_settings *settings, inco_error *error);
void idb_close(idb *w);

#endif
