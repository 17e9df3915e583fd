/* inco learn --dry-run: what a run would take. Learns from a sample of the signals for one iteration, and scales its
 * times up. */
#include <math.h>
#include <string.h>

#include "learn.h"
#include "results.h"

enum { SAMPLE = 8192 }; /* signals */

typedef struct dry_estimate {
    double memory;              /* bytes */
    int64_t sample, iterations; /* signals measured; iterations of the whole run */
    double code, update;        /* seconds: coding of the sample, one update */
    double seconds;             /* of the whole run */
} dry_estimate;

/* The options of the sample: one iteration, with a single update if the method has a choice. */
static int sample_options(run *r, inco_options **options) {
    for (int single = 1; single >= 0; single--) {
        inco_options_free(*options);
        if (!(*options = inco_options_copy(r->options))) return run_no_memory(r);
        int status = inco_options_set(*options, "iterations", "1", &r->error);
        if (status >= 0 && single) status = inco_options_set(*options, "schedule", "batch", &r->error);
        if (status < 0) return status;
        if (inco_options_check(*options, INCO_LEARN, NULL) >= 0) break;
    }
    return inco_options_on_progress(*options, NULL, NULL, sizeof(inco_progress), &r->error);
}

/* One iteration has one coding pass, and the result is coded once more. */
static int measure(learn_job *job, dry_estimate *e) {
    run *r = job->run;
    inco_source sample = job->source;
    inco_options *options = NULL;
    inco_learn_info info = INCO_INIT(inco_learn_info);
    inco_mat dictionary = {0};
    int status;
    TRY(sample_options(r, &options));
    const double atoms = inco_options_get_number(options, "atoms");
    const int64_t wanted = atoms > SAMPLE ? (int64_t)atoms : SAMPLE;
    if (wanted < sample.count) sample.count = wanted;
    TRY(inco_learn(&sample, options, &dictionary, &info, &r->error));
    const double scale = (double)job->source.count / (double)sample.count;
    e->sample = sample.count;
    e->iterations = (int64_t)inco_options_get_number(r->options, "iterations");
    e->code = (info.seconds_code + info.seconds_io) / 2;
    e->update = info.seconds_update;
    e->seconds = (double)(e->iterations + 1) * scale * e->code + (double)e->iterations * e->update;
    e->memory = learn_memory(job, info.atoms);
done:
    inco_mat_free(&dictionary);
    inco_options_free(options);
    return status;
}

int learn_dry_run(learn_job *job) {
    const run *r = job->run;
    dry_estimate e = {0};
    int status = measure(job, &e);
    if (status < 0) return status;
    const int hours = e.seconds >= 5400, minutes = !hours && e.seconds >= 90;
    const double unit = hours ? 3600 : minutes ? 60 : 1;
    run_say(r, "dry run, nothing is written:");
    run_say(r, "  memory            about %.0f MB", e.memory / 1e6);
    run_say(r, "  time              about %.2g %s for %lld iterations (of %lld signals: coding %.2g s, update %.2g s)",
            e.seconds / unit, hours ? "hours" : minutes ? "minutes" : "seconds", (long long)e.iterations,
            (long long)e.sample, e.code, e.update);
    if (!r->json) return status;
    json j = results_begin(r);
    json_boolean(&j, "dry_run", 1);
    json_integer(&j, "signals", job->source.count);
    json_integer(&j, "dim", job->source.dim);
    json_number(&j, "memory_bytes", e.memory);
    json_number(&j, "estimated_seconds", e.seconds);
    results_end(&j);
    return status;
}
