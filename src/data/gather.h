/* Codes of all ranks of a cluster, on rank 0. */
#ifndef INCO_DATA_GATHER_H
#define INCO_DATA_GATHER_H

#include "base/cluster.h"

/* Every rank has the codes of its share of the groups of a pass (pass.h). Appends those of the other ranks to the codes
 * of rank 0, in blocks; the others have none afterwards. */
int gather_codes(inco_csc *codes, cluster *by, inco_error *error);

#endif
