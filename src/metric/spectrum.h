/* Singular values of the normalised dictionary. */
#ifndef INCO_METRIC_SPECTRUM_H
#define INCO_METRIC_SPECTRUM_H

#include "metric/gram.h"

/* All min(D, count) singular values, descending. A wide dictionary is reduced to D x D in pieces, without a copy. */
int spectrum_measure(const gram_atoms *atoms, int threads, double *values, inco_error *error);

#endif
