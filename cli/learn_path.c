/* The regularisation path of --gamma auto: the cost of incoherence, as text and as JSON. */
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
    run_say(r, "cost of incoherence: median residual of %lld held-out signals, with k atoms by OMP",
            (long long)path->held_out);
    run_say(r, "    relative       gamma  coherence max     rms   error   atoms%s    cost", residuals);
}

static void print_point(const learn_job *job, const inco_path *path, int64_t n) {
    const inco_path_point point = point_of(job, n), *p = &point;
    char residuals[64] = "";
    for (int64_t i = 0; i < path->cardinalities; i++)
        snprintf(residuals + strlen(residuals), sizeof residuals - strlen(residuals), "  %7.4f", p->residual[i]);
    run_say(job->run, "  %c %8g  %10.4g         %.4f  %.4f  %.4f  %6.1f%s  %5.1f%%", n == path->chosen ? '*' : ' ',
            p->gamma_relative, p->gamma, p->coherence_max, p->coherence_rms, p->relative_error, p->mean_cardinality,
            residuals, 100 * p->cost);
}

void learn_path_table(const learn_job *job) {
    const inco_path own = path_of(job), *path = &own;
    if (!path->count) return;
    print_head(job->run, path);
    for (int64_t n = 0; n < path->count; n++) print_point(job, path, n);
    if (path->count < path->points)
        run_warn(job->run, "the regularisation path was stopped: only the %lld smallest of %lld weights were tried",
                 (long long)path->count, (long long)path->points);
    run_say(job->run, "  * chosen: the largest weight whose residuals are within %g%% of the lowest",
            100 * path->noise);
}

/* The members of one point. */
static void write_point(json *j, const inco_path *path, const inco_path_point *p) {
    json_number(j, "gamma", p->gamma);
    json_number(j, "gamma_relative", p->gamma_relative);
    json_pair(j, "coherence", "max", p->coherence_max, "rms", p->coherence_rms);
    json_pair(j, "singular_values", "max", p->singular_max, "min", p->singular_min);
    json_number(j, "relative_error", p->relative_error);
    json_number(j, "mean_cardinality", p->mean_cardinality);
    json_array(j, "residuals");
    for (int64_t i = 0; i < path->cardinalities; i++) json_number(j, NULL, p->residual[i]);
    json_end_array(j);
    json_number(j, "judgement", p->judgement);
}

static void write_setting(json *j, const inco_path *path) {
    json_integer(j, "held_out", path->held_out);
    json_array(j, "cardinalities");
    for (int64_t i = 0; i < path->cardinalities; i++) json_integer(j, NULL, path->cardinality[i]);
    json_end_array(j);
}

void learn_path_results(json *j, const learn_job *job) {
    const inco_path own = path_of(job), *path = &own;
    if (!path->count) return;
    json_object(j, "path");
    write_setting(j, path);
    json_number(j, "noise", path->noise);
    json_boolean(j, "complete", path->count == path->points);
    json_number(j, "seconds", path->seconds);
    json_array(j, "points");
    for (int64_t n = 0; n < path->count; n++) {
        const inco_path_point point = point_of(job, n);
        json_object(j, NULL);
        write_point(j, path, &point);
        json_number(j, "cost", point.cost);
        json_boolean(j, "chosen", n == path->chosen);
        json_end_object(j);
    }
    json_end_array(j);
    json_end_object(j);
}

void learn_path_line(json *j, const learn_job *job) {
    const inco_path own = path_of(job), *path = &own;
    const inco_path_point point = point_of(job, path->count - 1);
    json_integer(j, "point", path->count);
    write_setting(j, path);
    write_point(j, path, &point);
}
