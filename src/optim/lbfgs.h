/* L-BFGS: one core for every smooth update. The equations are in docs/theory/lbfgs.md. */
#ifndef INCO_OPTIM_LBFGS_H
#define INCO_OPTIM_LBFGS_H

#include <inco/inco.h>

/* A place, with the value and the gradient there. */
typedef struct lbfgs_point {
    double *x, *gradient; /* n each */
    double f;
} lbfgs_point;

/* The path origin + t p + t^2 bend that a search follows, for t > 0. */
typedef struct lbfgs_line {
    const double *origin, *p;
    const double *bend; /* NULL: a straight line */
    double f, slope;    /* value and derivative by t at t = 0; the slope is negative */
    int steepest;       /* p is minus the gradient: its length says nothing about a good step */
    double step;        /* in: the length to try first; out: the length taken, 0 when nothing lower was found */
} lbfgs_line;

typedef struct lbfgs_problem {
    void *self;
    int64_t n;
    /* Brings f and the gradient up to date with x. A value that is not finite is met by a shorter step. */
    int (*eval)(void *self, lbfgs_point *at, inco_error *error);
    /* A line search of the problem's own; NULL for lbfgs_search. `at` comes in as room for a place and goes out, value
     * and gradient up to date, at one lower than the line's origin: a point of the line, or one that the problem holds
     * equal to it. */
    int (*advance)(void *self, lbfgs_line *line, lbfgs_point *at, inco_error *error);
    int evaluations; /* counted here: calls of eval */
    /* q <- H0 q for an inverse Hessian H0 at this place, symmetric and positive definite, that the pairs then correct;
     * NULL for a multiple of the identity (LBFGS-3). */
    int (*precondition)(void *self, const lbfgs_point *at, double *q, inco_error *error);
    /* s'H0^-1 s, which the newest pair scales H0 by (LBFGS-9). Needed with precondition. */
    double (*curvature)(void *self, const double *s);
} lbfgs_problem;

typedef struct lbfgs_settings {
    int memory;       /* pairs kept */
    int iterations;   /* at most */
    double tolerance; /* stop when ||gradient|| <= tolerance * max(1, ||x||) */
    int threads;
    double enough; /* with a preconditioner: (LBFGS-8), stop when an iteration promises less than this share of the
                      decrease made so far */
} lbfgs_settings;

typedef struct lbfgs_result {
    double before, after; /* f */
    double gradient_norm;
    int iterations, evaluations;
    int settled; /* ended by (LBFGS-8) */
} lbfgs_result;

/* Minimises from x, in place. f never rises. Ends at the tolerance, the iterations, or when no step lowers f. */
int lbfgs_minimize(lbfgs_problem *problem, const lbfgs_settings *settings, double *x, lbfgs_result *result,
                   inco_error *error);

/* The strong Wolfe search: bracket, then zoom by cubic interpolation. */
int lbfgs_search(lbfgs_problem *problem, lbfgs_line *line, lbfgs_point *at, inco_error *error);

/* Calls eval and counts it. */
int lbfgs_evaluate(lbfgs_problem *problem, lbfgs_point *at, inco_error *error);

#endif
