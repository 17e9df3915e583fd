/* Approximate K-SVD with IDL's coherence penalty in the step of every atom (docs/theory/aksvdc.md). */
#ifndef INCO_UPDATE_AKSVDC_H
#define INCO_UPDATE_AKSVDC_H

#include "update/ksvd.h"

typedef struct aksvdc {
    ksvd_rule rule; /* of the sweep */
    double gamma;
    inco_mat frame; /* D D', updated with the atoms */
    double *old;    /* the last atom before its step; workspace: 4 D in all */
    int64_t last;   /* its number; -1: none */
} aksvdc;

/* `w` must not move as long as its rule is in use. aksvdc_close is required after a failure too. */
int aksvdc_open(aksvdc *w, const inco_mat *d, double gamma, int threads, inco_error *error);
void aksvdc_close(aksvdc *w);

/* ||D'D - I||^2 */
int aksvdc_penalty(const inco_mat *d, int threads, double *penalty, inco_error *error);

#endif
