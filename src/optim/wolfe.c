/* Strong Wolfe line search: bracketing, then zooming in by cubic interpolation (docs/theory/lbfgs.md). */
#include <math.h>

#include "base/error.h"
#include "mat/blas.h"
#include "optim/lbfgs.h"

enum { TRIES_MAX = 30 };
static const double C1 = 1e-4, C2 = 0.9, C2_PRECONDITIONED = 0.5;

typedef struct trial {
    double t, f, slope;
} trial;

int lbfgs_evaluate(lbfgs_problem *problem, lbfgs_point *at, inco_error *error) {
    const int status = watcher_ask(problem->poll);
    problem->evaluations++;
    return status < 0 ? status : problem->eval(problem->self, at, error);
}

/* Evaluates the line at t. A value that is not finite counts as infinite. */
static int try_step(lbfgs_problem *problem, const lbfgs_line *line, double t, lbfgs_point *at, trial *seen,
                    inco_error *error) {
    const double *p = line->p, *bend = line->bend;
    for (int64_t i = 0; i < problem->n; i++) at->x[i] = line->origin[i] + t * (bend ? p[i] + t * bend[i] : p[i]);
    int status = lbfgs_evaluate(problem, at, error);
    *seen = (trial){t, at->f, blas_dot(problem->n, at->gradient, p)};
    if (bend) seen->slope += 2 * t * blas_dot(problem->n, at->gradient, bend);
    if (!isfinite(seen->f) || !isfinite(seen->slope)) seen->f = INFINITY;
    return status;
}

/* (LBFGS-5): sufficient decrease; if rounding hides the decrease of f, judged by the slope. f itself never
 * increases. */
static int decreases(const lbfgs_line *line, const trial *c) {
    if (!(c->f <= line->f)) return 0;
    if (c->f <= line->f + C1 * c->t * line->slope) return 1;
    return line->f - c->f <= 1e-13 * fabs(line->f) && c->slope <= (2 * C1 - 1) * line->slope;
}

/* (LBFGS-6): curvature condition. It is stricter with a preconditioner, where a direction costs more than trials. */
static int is_flat(const lbfgs_problem *problem, const lbfgs_line *line, const trial *c) {
    return fabs(c->slope) <= -(problem->precondition ? C2_PRECONDITIONED : C2) * line->slope;
}

/* (LBFGS-7): minimiser of the cubic through both values and slopes; NaN if there is none. */
static double cubic_minimizer(const trial *a, const trial *b) {
    double u = a->slope + b->slope - 3 * (a->f - b->f) / (a->t - b->t);
    double v = copysign(sqrt(u * u - a->slope * b->slope), b->t - a->t);
    return b->t - (b->t - a->t) * (b->slope + v - u) / (b->slope - a->slope + 2 * v);
}

static double clamp(double t, double a, double b) {
    return fmin(fmax(t, fmin(a, b)), fmax(a, b));
}

/* Next trial inside a bracket, at least a tenth of its width from both ends; every third trial is its middle. */
static double between(const trial *lo, const trial *hi, int tries) {
    double width = hi->t - lo->t;
    if (isinf(hi->f)) return lo->t + 0.25 * width;
    double t = tries % 3 == 2 ? NAN : cubic_minimizer(lo, hi);
    return isfinite(t) ? clamp(t, lo->t + 0.1 * width, lo->t + 0.9 * width) : lo->t + 0.5 * width;
}

/* Next trial beyond the last, by two to ten times the last stride. */
static double beyond(const trial *before, const trial *lo) {
    double stride = lo->t - before->t, t = cubic_minimizer(before, lo);
    return isfinite(t) ? clamp(t, lo->t + stride, lo->t + 9 * stride) : lo->t + 4 * stride;
}

/* lo is the lowest point so far with sufficient decrease; once bracketed, a minimum lies between lo and hi. */
int lbfgs_search(lbfgs_problem *problem, lbfgs_line *line, lbfgs_point *at, inco_error *error) {
    trial lo = {0, line->f, line->slope}, hi = lo, c = lo;
    double t = line->step;
    int status = INCO_OK, bracketed = 0;
    for (int tries = 0; tries < TRIES_MAX; tries++) {
        TRY(try_step(problem, line, t, at, &c, error));
        trial before = lo;
        if (!decreases(line, &c) || (lo.t > 0 && c.f >= lo.f)) {
            hi = c;
            bracketed = 1;
        } else {
            lo = c;
            if (is_flat(problem, line, &c)) break;
            if (c.slope * (bracketed ? hi.t - before.t : 1) >= 0) {
                hi = before;
                bracketed = 1;
            }
        }
        /* the decrease that the bracket still allows is below the rounding error of f */
        if (bracketed && fabs(line->slope * (lo.t - hi.t)) <= 1e-16 * fabs(line->f)) break;
        t = bracketed ? between(&lo, &hi, tries) : beyond(&before, &lo);
    }
    line->step = lo.t;
    if (lo.t > 0 && c.t != lo.t) TRY(try_step(problem, line, lo.t, at, &c, error));
done:
    return status;
}
