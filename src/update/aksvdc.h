/* Approximate K-SVD with IDL's penalty on coherence in the step of every atom. The equations are in
 * docs/theory/aksvdc.md.
 */
#ifndef INCO_UPDATE_AKSVDC_H
#define INCO_UPDATE_AKSVDC_H

#include "update/ksvd.h"

typedef struct aksvdc {
    ksvd_rule rule; /* to sweep by */
    double gamma;
    inco_mat frame; /* D D', kept up with the atoms */
    double *old;    /* the atom last pushed, before; then scratch: 4 D in all */
    int64_t last;   /* its number; -1: none */
} aksvdc;

/* `w` must stay where it is as long as its rule is in use. aksvdc_close is needed after a failure too. */
int aksvdc_open(aksvdc *w, const inco_mat *d, double gamma, int threads, inco_error *error);
void aksvdc_close(aksvdc *w);

/* ||D'D - I||^2 */
int aksvdc_penalty(const inco_mat *d, int threads, double *penalty, inco_error *error);

#endif
