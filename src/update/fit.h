/* How well a dictionary fits the data that statistics were taken of (docs/theory/fit.md). */
#ifndef INCO_UPDATE_FIT_H
#define INCO_UPDATE_FIT_H

#include "update/update.h"

/* |X - D C|^2 and its gradient by D, told from those of a matrix D0: 0 when products with A are made in double, and a
 * dictionary near by when they are made in float32. */
typedef struct fit {
    const statistics *s;
    int threads;
    int products;           /* with A */
    int begun;              /* D0 is a dictionary */
    inco_mat base, slope;   /* D0 unless it is 0, and the gradient there, 2 (D0 A - B) */
    double constant;        /* |X|^2 - <D0, D0 A> */
    inco_mat a;             /* A / unit, in the type of products */
    double unit;            /* keeps float32 within its range; 1 for double */
    inco_mat change, image; /* D - D0 unless that is D, and (D - D0) A / unit, in the type of products */
    double distance;        /* |(D - D0) A|, in float32 */
    double *room, *square;  /* a number for each atom; the second in float32 alone */
} fit;

/* The statistics must outlive it. fit_close is needed after a failure too. */
int fit_open(fit *f, const statistics *s, inco_type type, int threads, inco_error *error);
void fit_close(fit *f);

/* Brings (D - D0) A up to date with D, compact. In float32 the first time begins. */
void fit_place(fit *f, const inco_mat *d);
/* In float32 alone: D0 = D, by a product in double. */
void fit_begin(fit *f, const inco_mat *d);
/* In double alone: the same as placing D + t P, from P A. */
void fit_advance(fit *f, double t, const inco_mat *pa);

/* (FIT-1) at the dictionary last placed. The gradient gets `weight` times (FIT-2); it may be NULL. */
double fit_value(fit *f, const inco_mat *d, double weight, double *gradient);

/* <P, gradient by D>, from P A. */
double fit_along(const fit *f, const inco_mat *d, const double *p, const double *pa);

/* (FIT-3): is a gradient of this norm smaller than the rounding of products allows to trust? */
int fit_is_coarse(const fit *f, double norm);

#endif
