/* inco decohere: the nearest dictionary that satisfies a coherence bound. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "dictionary.h"
#include "outputs.h"
#include "progress.h"
#include "results.h"

typedef struct decohere_job {
    run *run;
    char *output, *data_path; /* NULL: not given */
    inco_mat dictionary, result;
    centred centred; /* the mean of the dictionary, which its signals are coded without */
    inco_data *data;
    inco_options *plain; /* with data, whose array --variable names: options for the dictionary */
    inco_source source;
    inco_decohere_info info;
    progress progress;
} decohere_job;

static void summarize(const decohere_job *job) {
    const inco_decohere_info *info = &job->info;
    const run *r = job->run;
    if (info->zero_atoms) run_say(r, "  zero atoms        %lld, unchanged", (long long)info->zero_atoms);
    run_say(r, "  coherence         %.6f, was %.6f (bound %g, %s %.6f)", info->coherence_max, info->coherence_before,
            info->bound, inco_bound_name(info->dim, info->atoms - info->zero_atoms), info->welch);
    run_say(r, "  change            %.4f of the dictionary's norm, in %lld atom%s", info->change,
            (long long)info->moved, info->moved == 1 ? "" : "s");
    if (info->signals)
        run_say(r, "  error             %.4f, was %.4f, of %lld signals in codes of %.1f atoms", info->relative_error,
                info->relative_error_before, (long long)info->signals, info->mean_cardinality);
}

static void print_json(const decohere_job *job) {
    const inco_decohere_info *info = &job->info;
    json j = results_begin(job->run);
    json_integer(&j, "dim", info->dim);
    json_integer(&j, "atoms", info->atoms);
    json_integer(&j, "zero_atoms", info->zero_atoms);
    json_text(&j, "precision", results_precision(info->precision));
    json_object(&j, "coherence");
    json_number(&j, "max", info->coherence_max);
    json_number(&j, "before", info->coherence_before);
    json_number(&j, "rms", info->coherence_rms);
    json_number(&j, "bound", info->bound);
    json_number(&j, "welch", info->welch);
    json_end_object(&j);
    json_boolean(&j, "reached", info->reached != 0);
    json_number(&j, "change", info->change);
    json_integer(&j, "moved", info->moved);
    json_integer(&j, "signals", info->signals);
    json_number(&j, "mean_cardinality", info->mean_cardinality);
    json_number(&j, "relative_error_before", info->relative_error_before);
    json_number(&j, "relative_error", info->relative_error);
    json_integer(&j, "stages", info->stages);
    json_integer(&j, "iterations", info->iterations);
    results_machine(&j, job->run);
    results_options(&j, job->run);
    results_seconds(&j, job->run, info->seconds_code, info->seconds_total - info->seconds_code, 0);
    results_end(&j);
}

static int load(decohere_job *job) {
    run *r = job->run;
    const double before = run_clock();
    const char *inputs[] = {r->path_count ? r->paths[0] : NULL, job->data_path};
    int status;
    if (r->path_count != 1)
        TRY(run_fail(r, INCO_EINVAL, "name one dictionary%s", r->path_count ? ", not several" : ""));
    if (!job->output) TRY(run_fail(r, INCO_EINVAL, "no output file given: -o FILE"));
    TRY(inco_options_check(r->options, INCO_DECOHERE, &r->error));
    TRY(outputs_check(r, (const output[]){{"-o", job->output, OUTPUT_MATRIX}}, 1, inputs, 2));
    if (job->data_path) /* --variable then names the array of the data */
        TRY(dictionary_load(r, r->paths[0], &job->dictionary));
    else
        TRY(inco_load(r->paths[0], r->options, &job->dictionary, &r->error));
    TRY(inco_load_mean(r->paths[0], &job->dictionary, &job->centred.mean, &r->error));
    if (job->data_path)
        TRY(inco_data_open(&job->data, (const char *const[]){job->data_path}, 1, r->options, &r->error));
    if (job->data_path) TRY(inco_data_source(job->data, &job->source, &r->error));
    if (job->data_path && job->source.dim == job->dictionary.rows) dictionary_centre(&job->centred, &job->source);
    r->seconds_io += run_clock() - before;
done:
    return status;
}

/* Warns that the bound was missed; the exit status says so too. */
static void tell_missed(const decohere_job *job) {
    job->run->missed = !job->info.reached;
    if (job->info.reached) return;
    run_warn(job->run,
             "the bound --max-coherence %g was not reached: the dictionary written, the least coherent one found, has "
             "%.6f. The lower bound for this size is %.6f.",
             job->info.bound, job->info.coherence_max, job->info.welch);
}

static int perform(run *r) {
    decohere_job job = {.run = r,
                        .progress = progress_start(r->quiet),
                        .source = INCO_INIT(inco_source),
                        .info = INCO_INIT(inco_decohere_info)};
    int status;
    TRY(run_text(r, "output", &job.output));
    TRY(run_text(r, "data", &job.data_path));
    TRY(load(&job));
    TRY(run_on_progress(r, progress_until_signal, &job.progress));
    TRY(dictionary_options(r, &job.plain));
    run_hold_signals(1);
    run_say(r, "%s: %lld atoms of %lld dimensions, %s", r->paths[0], (long long)job.dictionary.cols,
            (long long)job.dictionary.rows, results_precision(job.dictionary.type));
    TRY(inco_decohere(&job.dictionary, job.data ? &job.source : NULL, r->options, &job.result, &job.info, &r->error));
    progress_clear(&job.progress);
    summarize(&job);
    TRY(results_save(r, job.output, &job.result, &job.centred.mean, job.data ? job.plain : r->options));
    if (run_signal()) run_warn(r, "interrupted; the result so far is saved");
    tell_missed(&job);
    if (r->json) print_json(&job);
done:
    progress_clear(&job.progress);
    inco_mat_free(&job.dictionary);
    inco_mat_free(&job.result);
    inco_mat_free(&job.centred.mean);
    inco_data_free(job.data);
    inco_options_free(job.plain);
    free(job.output);
    free(job.data_path);
    return status;
}

const command decohere_command = {
    "decohere",
    INCO_DECOHERE,
    "D.npy --max-coherence MU -o E.npy [OPTIONS]",
    "find the nearest dictionary that satisfies a coherence bound",
    "Finds the nearest dictionary to D.npy, which may come from any tool, such that |d_i'd_j| <= MU for all pairs of "
    "normalised atoms. Atoms may have any norm and keep it. The bound holds for the values in the output file, in "
    "double precision.\nNearest means the least sum of squared changes or, with --data, the least error of these "
    "signals with their codes in D. A bound that no dictionary of this size can satisfy is refused. If a feasible "
    "bound is not reached, the least coherent dictionary found is written and the exit status is 3.",
    perform,
};
