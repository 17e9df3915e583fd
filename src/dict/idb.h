/* The distance barrier: approximate K-SVD in which atoms closer than a bound push each other away. The equations are in
 * docs/theory/idb.md. */
#ifndef INCO_DICT_IDB_H
#define INCO_DICT_IDB_H

#include "dict/ksvd.h"

typedef struct idb {
    ksvd_rule rule; /* to sweep by */
    double bound, gamma, barrier;
    double *products; /* L */
} idb;

/* `w` must stay where it is as long as its rule is in use. */
int idb_open(idb *w, const inco_mat *d, double bound, double gamma, double barrier, inco_error *error);
void idb_close(idb *w);

#endif
