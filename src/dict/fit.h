/* How well a dictionary fits the data that statistics were taken of. */
#ifndef INCO_DICT_FIT_H
#define INCO_DICT_FIT_H

#include "dict/update.h"

typedef struct fit_terms {
    const statistics *s;
    const inco_mat *d, *da; /* the dictionary, compact, and D A */
    double weight;
    double *slope; /* gets `weight` times the gradient by D, 2 (D A - B); may be NULL */
    double *room;  /* a number for each atom */
    int threads;
} fit_terms;

/* (S-2): |X - D C|^2 = energy - 2 <D, B> + <D, D A> */
double fit_value(const fit_terms *f);

#endif
