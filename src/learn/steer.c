#include "learn/steer.h"

#include <math.h>

#include "base/error.h"
#include "mat/mat.h"
#include "metric/coherence.h"

enum { TRIES = 16 };                                       /* maximum number of updates per search */
static const double CLOSE = 2e-3;                          /* tolerance, relative to the target */
static const double FIRST = 0.1, LEAST = 1e-6, MOST = 100; /* gamma, relative to ||X||^2 / L */

/* One trial update: its gamma, its result, and its distance from the target. */
typedef struct attempt {
    inco_mat d;
    update_result result;
    double gamma;
    double wrong; /* (STEER-1): decreases with gamma; 0 at the target */
} attempt;

typedef struct search {
    const steer_task *task;
    const inco_mat *from; /* initial dictionary of every update */
    attempt now, best;    /* the current and the best trial */
    double low, high;     /* log gamma with wrong > 0 and <= 0; NAN while there is none */
    double at_low, at_high;
} search;

int steer_check(double target_rms, double target_error, int64_t dim, int64_t atoms, inco_error *error) {
    const double least = coherence_least_rms(dim, atoms);
    if (target_error == 0)
        return error_set(error, INCO_EINVAL, "option 'target-error' = 0 is infeasible: give an error above 0");
    if (isnan(target_rms) || target_rms >= least) return INCO_OK;
    return error_set(
        error, INCO_EINVAL,
        "option 'target-rms' = %g is infeasible: %lld atoms of %lld dimensions have an rms coherence of at least "
        "%.6f (that of a tight frame)",
        target_rms, (long long)atoms, (long long)dim, least);
}

/* (STEER-1): compares the excess over a tight frame, since near it all large gammas have about the same coherence. A
 * target that nearly is that of a tight frame is compared with the coherence itself. */
static double wrong_rms(const search *s, double rms) {
    const double target = s->task->target, least = coherence_least_rms(s->task->rank, s->from->cols);
    const double over = rms * rms - least * least, allowed = target * target - least * least;
    if (!(allowed > 1e-6 * target * target)) return log(fmax(rms, 1e-300) / target);
    return log(fmax(over / allowed, 1e-300)) / 2;
}

/* Trials that satisfy the target come first, then those nearest to it. */
static int is_better(const search *s) {
    if (!s->best.d.data) return 1;
    const int now = s->now.wrong <= 0, best = s->best.wrong <= 0;
    return now != best ? now : fabs(s->now.wrong) < fabs(s->best.wrong);
}

static void note(search *s) {
    const double wrong = s->now.wrong, x = log(s->now.gamma);
    if (wrong > 0 && (isnan(s->low) || x > s->low)) s->low = x, s->at_low = wrong;
    if (wrong <= 0 && (isnan(s->high) || x < s->high)) s->high = x, s->at_high = wrong;
    if (!is_better(s)) return;
    attempt other = s->best;
    s->best = s->now;
    s->now = other;
}

static int try_gamma(search *s, double gamma, inco_error *error) {
    coherence mu;
    int status;
    s->now.gamma = gamma;
    if (!s->now.d.data) TRY(mat_new_raw(&s->now.d, INCO_F64, s->from->rows, s->from->cols, error));
    mat_copy(&s->now.d, s->from);
    TRY(s->task->update(s->task->self, &s->now.d, gamma, &s->now.result, error));
    TRY(coherence_measure(&s->now.d, s->task->threads, &mu, error));
    s->now.wrong = wrong_rms(s, mu.rms);
    note(s);
done:
    return status;
}

/* The next log gamma: outwards until the target is bracketed, then inside the bracket. */
static double next_place(const search *s, double x, double *step) {
    if (isnan(s->low) || isnan(s->high)) {
        x += isnan(s->high) ? *step : -*step;
        *step *= 2;
        return x;
    }
    const double share = s->at_low / (s->at_low - s->at_high);
    return s->low + fmin(fmax(share, 0.1), 0.9) * (s->high - s->low);
}

/* Returns a failure, or the number of weights tried. */
static int find(search *s, double before, inco_error *error) {
    const double unit = s->task->s->energy / (double)s->from->cols;
    const double least = log(LEAST * unit), maximum = log(MOST * unit);
    double x = log(before > 0 ? before : FIRST * unit), step = before > 0 ? 0.2 : 1.5;
    int status;
    for (int tries = 1;; tries++) {
        x = fmin(fmax(x, least), maximum);
        status = try_gamma(s, exp(x), error);
        if (status < 0) return status;
        if (s->best.wrong <= 0 && s->best.wrong >= -CLOSE) return tries;
        if ((x <= least && isnan(s->low)) || (x >= maximum && isnan(s->high)) || tries == TRIES) return tries;
        x = next_place(s, x, &step);
    }
}

int steer_update(double *gamma, const steer_task *task, inco_mat *d, update_result *result, inco_error *error) {
    search s = {.task = task, .from = d, .low = NAN, .high = NAN};
    const int tries = find(&s, *gamma, error);
    if (tries >= 0) {
        mat_copy(d, &s.best.d);
        *result = s.best.result;
        result->gammas = tries;
        *gamma = s.best.gamma;
    }
    inco_mat_free(&s.now.d);
    inco_mat_free(&s.best.d);
    return tries < 0 ? tries : INCO_OK;
}
