/* Codes and residuals of all training signals, for updates that change the codes with the atoms. The signals are R + D
 * C and need not be stored. Weighted signals and their codes are multiplied by the roots of their weights, which turns
 * a weighted sum of squares into an ordinary one (W-2). */
#ifndef INCO_DATA_TRAINING_H
#define INCO_DATA_TRAINING_H

#include "data/pass.h"
#include "sparse/csc.h"

typedef struct training {
    inco_mat residual; /* R = X - D C, D x N, in the type of the signals, updated with every change of D and C */
    csc by_atom;       /* C by atom: the nonzeros of row j are value[k] at signal index[k], start[j] <= k < start[j +
                        * 1] */
    double energy;     /* ||X||^2 of the observed entries */
    int64_t filled;    /* signals added */
    csc gathered;      /* C by signal, while signals are added */
    inco_mat scratch;  /* D x threads, double */
    double *square;    /* two per signal */
    double *weight;    /* per signal; NULL until a weighted signal is added */
    int threads;
} training;

/* Allocates memory for all signals. training_free is required after a failure too. */
int training_new(training *t, inco_type type, int64_t dim, int64_t signals, int threads, inco_error *error);
void training_free(training *t);

/* Signals are added in groups, in their order, with their codes in d (D x L, double). */
void training_clear(training *t);
int training_add(training *t, const inco_mat *d, const pass_group *group, inco_error *error);
/* Ends the additions: sorts the codes by atom. */
int training_complete(training *t, inco_error *error);

/* Nonzeros of the codes added, times the weights of their signals; before training_complete. */
double training_nonzeros(const training *t);

/* ||R||^2, summed in the order of the signals; per signal, without its weight, in t->square[n]. */
double training_error(training *t);

/* ||X - E C||^2 for another dictionary e, where R belongs to d. Does not change R. */
int training_error_in(training *t, const inco_mat *d, const inco_mat *e, double *square, inco_error *error);

/* B = X C' = R C' + D C C', D x L, double; allocates b. */
int training_products(training *t, const inco_mat *d, inco_mat *b, inco_error *error);

/* Sum of squared coefficients of atom j. */
double training_use_energy(const training *t, int64_t j);

#endif
