#include "learn/steer.h"

#include <math.h>

#include "base/error.h"
#include "base/options.h"
#include "learn/learner.h"
#include "mat/mat.h"
#include "metric/coherence.h"

enum { TRIES = 16 };                                                     /* updates in one search, at most */
static const double CLOSE = 2e-3;                                        /* near enough, relative to the target */
static const double FIRST = 0.1, LEAST = 1e-6, MOST = 100, SMALL = 1e-3; /* gamma, relative to ||X||^2 / L */
static const double STRIDE = 0.7; /* of log gamma, in one update, once it is not small */

/* One update tried: its gamma, what came of it, and by how much, as a logarithm, it is on the wrong side. */
typedef struct attempt {
    inco_mat d;
    update_result result;
    double gamma, value;
    double wrong; /* (STEER-1): falls with gamma; the target is met at 0 */
} attempt;

typedef struct search {
    inco_learner *learner;
    method_input *in;
    attempt now, best; /* the one under way; the one to take */
    double low, high;  /* log gamma with wrong > 0 and <= 0; NAN while there is none */
    double at_low, at_high;
} search;

int steer_wanted(const inco_options *o) {
    return !isnan(o->target_rms) || !isnan(o->target_error);
}

int steer_check(const inco_learner *learner, inco_error *error) {
    const double target = learner->options->target_rms, least = coherence_least_rms(learner->d.rows, learner->d.cols);
    if (learner->options->target_error == 0)
        return error_set(error, INCO_EINVAL, "--target-error 0 cannot be met: give an error above 0");
    if (isnan(target) || target >= least) return INCO_OK;
    return error_set(error, INCO_EINVAL,
                     "--target-rms %g cannot be met: %lld atoms of %lld dimensions have a root mean square coherence "
                     "of %.6f or more (that of a tight frame)",
                     target, (long long)learner->d.cols, (long long)learner->d.rows, least);
}

void steer_begin(inco_learner *learner) {
    const double expected = learner->steer.predicted, found = learner->progress.relative_error;
    const double before = learner->steer.ratio > 0 ? learner->steer.ratio : 1;
    learner->steer.ratio = expected > 0 && found > 0 ? sqrt(before * found / expected) : before;
    learner->steer.updates = 0;
}

/* (STEER-1), by what exceeds a tight frame: near it, all gammas from some point on have about the same coherence. A
 * target that is all but that of a tight frame is compared as it is. */
static double wrong_rms(const inco_learner *learner, double rms) {
    const double target = learner->options->target_rms, least = coherence_least_rms(learner->d.rows, learner->d.cols);
    const double over = rms * rms - least * least, allowed = target * target - least * least;
    if (!(allowed > 1e-6 * target * target)) return log(fmax(rms, 1e-300) / target);
    return log(fmax(over / allowed, 1e-300)) / 2;
}

static int measure(search *s, inco_error *error) {
    const inco_learner *learner = s->learner;
    const inco_options *o = learner->options;
    coherence mu;
    double rest;
    int status;
    if (!isnan(o->target_rms)) {
        TRY(coherence_measure(&s->now.d, learner->threads, &mu, error));
        s->now.value = mu.rms;
        s->now.wrong = wrong_rms(learner, mu.rms);
    } else {
        TRY(objective(&s->now.d, s->in->s, 0, learner->threads, &rest, error));
        s->now.value = sqrt(fmax(rest, 0) / s->in->s->energy);
        const double aim = (1 - CLOSE) * o->target_error / learner->steer.ratio; /* (STEER-2) */
        s->now.wrong = log(aim / fmax(s->now.value, 1e-300));
    }
done:
    return status;
}

/* A coherence is kept from below, an error at gammas that are not too large: both where it is on the target's side. */
static int keeps(const search *s, double wrong) {
    return isnan(s->learner->options->target_rms) ? wrong >= 0 : wrong <= 0;
}

/* Those that keep the target come first, then those that are nearest to it. */
static int is_better(const search *s) {
    if (!s->best.d.data) return 1;
    const int now = keeps(s, s->now.wrong), best = keeps(s, s->best.wrong);
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
    const inco_learner *learner = s->learner;
    int status;
    s->now.gamma = s->in->settings.gamma = gamma;
    if (!s->now.d.data) TRY(mat_new_raw(&s->now.d, INCO_F64, learner->d.rows, learner->d.cols, error));
    mat_copy(&s->now.d, &learner->d);
    TRY(learner->method->update(&s->now.d, s->in, &s->now.result, error));
    TRY(measure(s, error));
    note(s);
done:
    return status;
}

/* The next log gamma: outwards while the target is not enclosed, then between. */
static double next_place(const search *s, double x, double *step) {
    if (isnan(s->low) || isnan(s->high)) {
        x += isnan(s->high) ? *step : -*step;
        *step *= 2;
        return x;
    }
    const double share = s->at_low / (s->at_low - s->at_high);
    return s->low + fmin(fmax(share, 0.1), 0.9) * (s->high - s->low);
}

/* Where log gamma may go: far, but with an error for target, which follows it late, not far from where it was. */
static void limit(const search *s, double unit, double *least, double *most) {
    const double before = s->learner->steer.gamma;
    *least = log(LEAST * unit);
    *most = log(MOST * unit);
    if (isnan(s->learner->options->target_error) || !(before > SMALL * unit)) return;
    *least = fmax(*least, log(before) - STRIDE);
    *most = fmin(*most, log(before) + STRIDE);
}

static int find(search *s, inco_error *error) {
    const double unit = s->in->s->energy / (double)s->learner->d.cols, before = s->learner->steer.gamma;
    double x = log(before > 0 ? before : FIRST * unit), step = before > 0 ? 0.2 : 1.5, least, most;
    int status = INCO_OK;
    limit(s, unit, &least, &most);
    for (int tries = 0; tries < TRIES && status >= 0; tries++) {
        x = fmin(fmax(x, least), most);
        status = try_gamma(s, exp(x), error);
        s->learner->steer.updates++;
        if (keeps(s, s->best.wrong) && fabs(s->best.wrong) <= CLOSE) break;
        if ((x <= least && isnan(s->low)) || (x >= most && isnan(s->high))) break;
        x = next_place(s, x, &step);
    }
    return status;
}

int steer_update(inco_learner *learner, method_input *in, update_result *result, inco_error *error) {
    search s = {.learner = learner, .in = in, .low = NAN, .high = NAN};
    int status = find(&s, error);
    if (status >= 0) {
        mat_copy(&learner->d, &s.best.d);
        *result = s.best.result;
        learner->steer.gamma = s.best.gamma;
        learner->steer.predicted = isnan(learner->options->target_error) ? 0 : s.best.value;
    }
    inco_mat_free(&s.now.d);
    inco_mat_free(&s.best.d);
    return status;
}
