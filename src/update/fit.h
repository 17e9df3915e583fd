/* Fit of a dictionary to the data, from statistics (docs/theory/fit.md). */
#ifndef INCO_UPDATE_FIT_H
#define INCO_UPDATE_FIT_H

#include "update/update.h"

/* |X - D C|^2 and its gradient by D, relative to a matrix D0: 0 if products with A are in double, a nearby dictionary
 * if they are in float32. */
typedef struct fit_work {
    const statistics *s;
    int threads;
    int products;           /* with A */
    int begun;              /* D0 is a dictionary */
    inco_mat base, slope;   /* D0 unless it is 0, and its gradient 2 (D0 A - B) */
    double constant;        /* |X|^2 - <D0, D0 A> */
    inco_mat a;             /* A / unit, in the type of products */
    double unit;            /* scales A into the range of float32; 1 for double */
    inco_mat change, image; /* D - D0 unless that is D, and (D - D0) A / unit, in the type of products */
    double distance;        /* |(D - D0) A|, in float32 */
    double *term, *square;  /* one number per atom; the second only in float32 */
} fit_work;

/* The statistics must outlive it. fit_close is required after a failure too. */
int fit_open(fit_work *f, const statistics *s, inco_type type, int threads, inco_error *error);
void fit_close(fit_work *f);

/* Updates (D - D0) A for D, compact. In float32 the first call sets D0. */
void fit_place(fit_work *f, const inco_mat *d);
/* Float32 only: D0 = D, by a product in double. */
void fit_begin(fit_work *f, const inco_mat *d);
/* Double only: the same as placing D + t P, from P A. */
void fit_advance(fit_work *f, double t, const inco_mat *pa);

/* (FIT-1) at the dictionary last placed. `gradient` receives `weight` times (FIT-2); it may be NULL. */
double fit_value(fit_work *f, const inco_mat *d, double weight, double *gradient);

/* <P, gradient by D>, from P A. */
double fit_along(const fit_work *f, const inco_mat *d, const double *p, const double *pa);

/* (FIT-3): whether a gradient of this norm is below the rounding errors of the products. */
int fit_is_coarse(const fit_work *f, double norm);

#endif
