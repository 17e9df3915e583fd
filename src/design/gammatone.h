/* Gammatones: impulse responses of auditory filters (docs/theory/parametric.md). */
#ifndef INCO_DESIGN_GAMMATONE_H
#define INCO_DESIGN_GAMMATONE_H

#include "design/parametric.h"

/* One tone: t^(order - 1) exp(-2 pi width B t) cos(2 pi frequency t), t = time - onset >= 0, B the equivalent
 * rectangular bandwidth of an auditory filter at that frequency. */
typedef struct gammatone {
    double frequency; /* Hz */
    double order;     /* at least 2: the derivative by the onset is then continuous */
    double width;     /* in units of B */
    double onset;     /* seconds from the first sample; negative: the tone begins before the window */
} gammatone;

/* The family for windows of `dim` samples at `rate` Hz, four unknowns per atom. */
parametric_family gammatone_family(int64_t dim, double rate);

/* Returns the tone with these unknowns. */
gammatone gammatone_of(const parametric_family *family, const double *x);

#endif
