/* A model M of the curvature of IDL's objective, which L-BFGS starts from (docs/theory/curvature.md): that of the fit
 * atom by atom, those of the penalty and of pairs above the bound as a whole. In float32: it guides the search, and its
 * rounding changes no result. */
#ifndef INCO_UPDATE_CURVATURE_H
#define INCO_UPDATE_CURVATURE_H

#include "pairs/hinge.h"
#include "update/update.h"

/* What a step changes: the frame operator D D', and the inner products of pairs. */
typedef struct curvature_change {
    inco_mat frame; /* D x D, symmetric; empty without a penalty */
    float *pair;    /* by entry of the model's list of pairs */
} curvature_change;

typedef struct curvature_model {
    double gamma, push, bound;
    int sphere; /* atoms keep their norms: steps are tangent to the spheres */
    int threads;
    double unit;           /* curvatures are divided by it, which keeps them within float32's range */
    int64_t solves, steps; /* systems (CURV-5) solved, and steps of conjugate gradients that they took */

    double *fit;          /* 2 A_jj + floor */
    double *caution;      /* what pairs near a bound add to it */
    double *left;         /* diagonal of D D' - I */
    float *tangent;       /* 1 / sum_i w_ij d_ij^2; 0 where norms are free */
    float *square;        /* -|p_j|^2 of a step */
    int askew;            /* D D' - I is far from diagonal: the update should go on in other axes */
    inco_mat atoms;       /* D */
    inco_mat weight;      /* (CURV-2): w_ij = 1 / c_ij */
    inco_mat right, step; /* D x L: a right-hand side, and a step */
    inco_mat sum;         /* of the steps of conjugate gradients */
    inco_mat turned;      /* D x D; empty without a penalty */
    double crowd;         /* (CURV-9) */

    const hinge_list *list; /* pairs near the bound; NULL when there are none, or too many for a list */
    int64_t capacity;       /* entries that the following have memory for */
    float *value;           /* by its entries: d_i'd_j */
    float *share;           /* (CURV-8): of its curvature that a pair has */
    float *product;         /* of one atom and another, or its step */
    int64_t *place;         /* where the pair is in `tied` */
    hinge_list tied;        /* the pairs of this list that have a share; without their excess */
    float *spring;          /* by its entries: 2 push * share / unit */
    curvature_change scale, solution, residual, direction, image; /* of conjugate gradients */
} curvature_model;

/* For updates with these statistics. curvature_close is needed after a failure too. */
int curvature_open(curvature_model *w, const statistics *s, const update_settings *settings, inco_error *error);
void curvature_close(curvature_model *w);

/* The median of 2 A_jj. sorted: workspace, as many numbers as atoms. */
double curvature_median(const inco_mat *a, double *sorted);

/* Whether the model has a frame: with a penalty and no fewer atoms than dimensions. */
int curvature_has_frame(const statistics *s, const update_settings *settings);

/* fit_j = 2 A_jj + floor (CURV-12). Returns the median of 2 A_jj. */
double curvature_fit(const statistics *s, const update_settings *settings, double *fit);

/* Whether e = D D' - I is nearly diagonal, with some slack (CURV-10). */
int curvature_is_diagonal(const inco_mat *e, double slack);

/* Where the model is taken. radial: d_j' (gradient by d_j), without that of pairs above the bound. */
typedef struct curvature_place {
    const inco_mat *d;      /* compact */
    const inco_mat *e;      /* D D' - I; used with a penalty and no fewer atoms than dimensions */
    const double *radial;   /* not used where norms are free */
    const hinge *pairs;     /* NULL without a bound */
    const double *gradient; /* on the spheres; used with pairs alone */
} curvature_place;

int curvature_move(curvature_model *w, const curvature_place *at, inco_error *error);

/* q <- M^-1 q, D x L, in place. */
void curvature_solve(curvature_model *w, double *q);

/* y += what the pairs with a share add to M s. */
void curvature_add_pairs(curvature_model *w, const double *s, double *y);

/* (CURV-7): bend (D x L) such that D + t P + t^2 bend has unit norms and the frame operator D D' + t (P D' + D P'),
 * both up to t^3. 0, and nothing done, where there is no frame to keep, or where a straight path costs little beside
 * the decrease expected. */
int curvature_bend(curvature_model *w, const double *p, double expected, double *bend);

#endif
