/* Codes and residuals of all training signals, held for the updates that change the codes with the atoms. The signals
 * themselves are R + D C and need not be held. */
#ifndef INCO_DATA_TRAINING_H
#define INCO_DATA_TRAINING_H

#include "sparse/csc.h"

typedef struct training {
    inco_mat rest;    /* R = X - D C, D x N, of the signals' type, kept up with every change of D and C */
    csc by_atom;      /* C: row j's nonzeros are value[k] at signal index[k], start[j] <= k < start[j + 1] */
    double energy;    /* ||X||^2 */
    int64_t filled;   /* signals added */
    csc gathered;     /* C by signal, while signals are added */
    inco_mat scratch; /* D x threads, double */
    double *square;   /* two for every signal */
    int threads;
} training;

/* Room for all signals. training_free is needed after a failure too. */
int training_new(training *t, inco_type type, int64_t dim, int64_t signals, int threads, inco_error *error);
void training_free(training *t);

/* Signals are added in groups, in their order, with their codes in d (D x L, double). */
void training_clear(training *t);
int training_add(training *t, const inco_mat *d, const inco_mat *x, const csc *codes, inco_error *error);
/* All are there: puts the codes in order by atom. */
int training_complete(training *t, inco_error *error);

/* ||R||^2, added up in the order of the signals; of each signal in t->square[n]. */
double training_error(training *t);

/* ||X - E C||^2 for another dictionary e, where R belongs to d. R stays. */
int training_error_in(training *t, const inco_mat *d, const inco_mat *e, double *square, inco_error *error);

/* B = X C' = R C' + D C C', D x L, double, allocated here. */
int training_products(training *t, const inco_mat *d, inco_mat *b, inco_error *error);

/* The sum of squares of the codes of atom j. */
double training_use(const training *t, int64_t j);

#endif
