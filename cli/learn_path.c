/* The regularisation path of gamma, as text and as JSON: the cost of incoherence with --gamma auto, the points that
 * were searched for a target. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "learn.h"

/* The path, and point n of it. */
static inco_path path_of(const learn_job *job) {
    inco_path path = INCO_INIT(inco_path);
    inco_learner_path(job->learner, &path, NULL);
    return path;
}

static inco_path_point point_of(const learn_job *job, int64_t n) {
    inco_path_point point = INCO_INIT(inco_path_point);
    inco_learner_path_point(job->learner, n, &point, NULL);
    return point;
}

static void print_head(const run *r, const inco_path *path) {
    char residuals[64] = "";
    for (int64_t i = 0; i < path->cardinalities; i++)
        snprintf(residuals + strlen(residuals), sizeof residuals - strlen(residuals), "  k =%4lld",
                 (long long)path->cardinality[i]);
    if (path->held_out)
        run_say(r, "cost of incoherence: median residual of %lld held-out signals, with k atoms by OMP",
                (long long)path->held_out);
    else
        run_say(r, "regularisation path:");
    run_say(r, "    relative       gamma  coherence max     rms   error   atoms%s%s", residuals,
            path->held_out ? "    cost" : "");
}

static void print_point(const learn_job *job, const inco_path *path, int64_t n) {
    const inco_path_point point = point_of(job, n), *p = &point;
    char residuals[64] = "", cost[16] = "";
    for (int64_t i = 0; i < path->cardinalities; i++)
        snprintf(residuals + strlen(residuals), sizeof residuals - strlen(residuals), "  %7.4f", p->residual[i]);
    if (path->held_out) snprintf(cost, sizeof cost, "  %5.1f%%", 100 * p->cost);
    run_say(job->run, "  %c %8.3g  %10.4g         %.4f  %.4f  %.4f  %6.1f%s%s", n == path->chosen ? '*' : ' ',
            p->gamma_relative, p->gamma, p->coherence_max, p->coherence_rms, p->relative_error, p->mean_cardinality,
            residuals, cost);
}

/* Why the point chosen was chosen. */
static void print_choice(const learn_job *job, const inco_path *path) {
    const inco_path_point chosen = point_of(job, path->chosen);
    const double error = inco_options_get_number(job->run->options, "target-error");
    const double rms = inco_options_get_number(job->run->options, "target-rms");
    if (path->held_out)
        run_say(job->run, "  * written: the largest weight whose residuals are within %g%% of the lowest",
                100 * path->noise);
    else if (isnan(error))
        run_say(job->run, "  * written: the lowest %s at most %g",
                chosen.coherence_rms > (1 + 1e-6) * rms ? "rms coherence; none is" : "error with an rms coherence of",
                rms);
    else
        run_say(job->run, "  * written: the lowest %s at most %g",
                chosen.relative_error > error ? "error; none is" : "rms coherence with an error of", error);
}

int64_t learn_path_chosen(const learn_job *job) {
    const inco_path path = path_of(job);
    return path.count ? point_of(job, path.chosen).order : 0;
}

void learn_path_table(const learn_job *job) {
    const inco_path own = path_of(job), *path = &own;
    if (!path->count && path->points) run_warn(job->run, "the regularisation path was stopped before its first point");
    if (!path->count) return;
    print_head(job->run, path);
    for (int64_t n = 0; n < path->count; n++) print_point(job, path, n);
    if (path->count < path->points)
        run_warn(job->run, "the regularisation path was stopped: only %lld of %s%lld weights were tried",
                 (long long)path->count, path->held_out ? "" : "at least ", (long long)path->points);
    print_choice(job, path);
}

/* The members of one point. */
static void write_point(json *j, const inco_path *path, const inco_path_point *p) {
    json_integer(j, "order", p->order);
    json_number(j, "gamma", p->gamma);
    json_number(j, "gamma_relative", p->gamma_relative);
    json_pair(j, "coherence", "max", p->coherence_max, "rms", p->coherence_rms);
    json_pair(j, "singular_values", "max", p->singular_max, "min", p->singular_min);
    json_number(j, "relative_error", p->relative_error);
    json_number(j, "mean_cardinality", p->mean_cardinality);
    if (!path->held_out) return;
    json_numbers(j, "residuals", p->residual, path->cardinalities);
    json_number(j, "judgement", p->judgement);
}

static void write_setting(json *j, const inco_path *path) {
    json_integer(j, "held_out", path->held_out);
    if (path->held_out) json_integers(j, "cardinalities", path->cardinality, path->cardinalities);
}

void learn_path_results(json *j, const learn_job *job) {
    const inco_path own = path_of(job), *path = &own;
    if (!path->points) return;
    json_object(j, "path");
    write_setting(j, path);
    if (path->held_out) json_number(j, "noise", path->noise);
    json_boolean(j, "complete", path->count == path->points);
    json_number(j, "seconds", path->seconds);
    json_array(j, "points");
    for (int64_t n = 0; n < path->count; n++) {
        const inco_path_point point = point_of(job, n);
        json_object(j, NULL);
        write_point(j, path, &point);
        if (path->held_out) json_number(j, "cost", point.cost);
        json_boolean(j, "chosen", n == path->chosen);
        json_end_object(j);
    }
    json_end_array(j);
    json_end_object(j);
}

void learn_path_line(json *j, const learn_job *job) {
    const inco_path own = path_of(job), *path = &own;
    inco_path_point point = point_of(job, 0);
    for (int64_t n = 1; n < path->count; n++)
        if (point_of(job, n).order == path->count) point = point_of(job, n);
    json_integer(j, "point", path->count);
    write_setting(j, path);
    write_point(j, path, &point);
}
