/* L-BFGS, used by all smooth updates (docs/theory/lbfgs.md). */
#ifndef INCO_OPTIM_LBFGS_H
#define INCO_OPTIM_LBFGS_H

#include <inco/inco.h>

#include "base/watcher.h"

/* A point, with the value and gradient of f. */
typedef struct lbfgs_point {
    double *x, *gradient; /* n each */
    double f;
} lbfgs_point;

/* The curve origin + t p + t^2 bend, t > 0, that a line search follows. */
typedef struct lbfgs_line {
    const double *origin, *p;
    const double *bend; /* NULL: a straight line */
    double f, slope;    /* value and derivative by t at t = 0; the slope is negative */
    int steepest;       /* p is minus the gradient: its length does not suggest a step length */
    double step;        /* in: the first trial; out: the step taken, 0 if no lower point was found */
} lbfgs_line;

typedef struct lbfgs_problem {
    void *self;
    int64_t n;
    /* Computes f and the gradient at x. After a value that is not finite, a shorter step is tried. */
    int (*eval)(void *self, lbfgs_point *at, inco_error *error);
    /* The problem's own line search; NULL: lbfgs_search. On entry `at` is workspace; on return it holds a point lower
     * than the origin, with its value and gradient: a point of the line, or one that is equivalent for the problem. */
    int (*advance)(void *self, lbfgs_line *line, lbfgs_point *at, inco_error *error);
    int evaluations; /* calls of eval */
    /* Before a direction is chosen at this point. A positive status ends the search here. May be NULL. */
    int (*prepare)(void *self, const lbfgs_point *at, inco_error *error);
    /* q <- H0 q, where H0 approximates the inverse Hessian at this point, symmetric and positive definite; the pairs
     * then correct it. NULL: a multiple of the identity (LBFGS-3). */
    int (*precondition)(void *self, double *q, inco_error *error);
    /* (LBFGS-9): v <- its part tangent to the surface on which f is defined, at the current point. NULL: f is defined
     * everywhere. */
    void (*make_tangent)(void *self, double *v);
    /* (LBFGS-10), after make_tangent: trim takes out of the change of the gradient by the last step what a part of f
     * contributes to it; complete adds what that part contributes at the current point. Both or neither are NULL. */
    void (*trim)(void *self, double *y);
    void (*complete)(void *self, const double *s, double *y);
    double made;              /* decrease made by earlier searches, which (LBFGS-8) counts */
    const watcher_poll *poll; /* asked before every iteration and evaluation; may be NULL */
} lbfgs_problem;

typedef struct lbfgs_settings {
    int memory;       /* number of pairs */
    int iterations;   /* maximum */
    double tolerance; /* stop when ||gradient|| <= tolerance * max(1, ||x||) */
    int threads;
    double enough; /* with a preconditioner: stop when the predicted decrease of an iteration is less than this share of
                      the decrease so far (LBFGS-8) */
} lbfgs_settings;

typedef struct lbfgs_result {
    double before, after; /* f */
    double gradient_norm;
    int iterations, evaluations;
    int settled; /* stopped by (LBFGS-8) */
    int ended;   /* stopped by `prepare` */
} lbfgs_result;

/* Minimises f from x, in place. f never increases. Stops at the tolerance, at the maximum number of iterations, or if
 * no step decreases f. */
int lbfgs_minimize(lbfgs_problem *problem, const lbfgs_settings *settings, double *x, lbfgs_result *result,
                   inco_error *error);

/* Strong Wolfe line search: brackets a minimum, then zooms in by cubic interpolation. */
int lbfgs_search(lbfgs_problem *problem, lbfgs_line *line, lbfgs_point *at, inco_error *error);

/* Calls eval and counts it. */
int lbfgs_evaluate(lbfgs_problem *problem, lbfgs_point *at, inco_error *error);

#endif
