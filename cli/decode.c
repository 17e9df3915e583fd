/* inco decode: computes signals from codes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "dictionary.h"
#include "outputs.h"
#include "results.h"
#include "values.h"

typedef struct decode_job {
    run *run;
    char *output, *dictionary_name;
    inco_mat dictionary, mean, signals; /* mean: of the dictionary, if it has one */
    inco_csc codes;
    inco_origin origin;
    double seconds;
} decode_job;

static int check_names(decode_job *job) {
    run *r = job->run;
    int status;
    if (r->path_count != 1)
        TRY(run_fail(r, INCO_EINVAL, "name one file with codes%s", r->path_count ? ", not several" : ""));
    /* an output that is not a matrix may be a folder, depending on the number of files of the codes: decided when they
     * are read */
    const int matrix = outputs_is_matrix(job->output);
    const output outputs[] = {{"-o", job->output, matrix ? OUTPUT_MATRIX : OUTPUT_MEDIA}};
    const char *inputs[] = {r->paths[0], job->dictionary_name};
    TRY(outputs_check(r, outputs, 1, inputs, 2));
done:
    return status;
}

/* Only codes of audio and images can be decoded to such files. */
static int check_origin(decode_job *job) {
    run *r = job->run;
    if (outputs_is_matrix(job->output)) return INCO_OK;
    if (job->origin.kind) return job->origin.files > 1 ? INCO_OK : inco_check_output(job->output, &r->error);
    return run_fail(r, INCO_EINVAL,
                    "'%s' has codes of a matrix, or of random windows or patches: decode them to .npy .npz .csv .tsv "
                    "or .mat, not to '%s'",
                    r->paths[0], job->output);
}

static int open_all(decode_job *job) {
    run *r = job->run;
    const double before = run_clock();
    int status;
    TRY(dictionary_names(r, &job->dictionary_name, &job->output));
    TRY(check_names(job));
    TRY(inco_load(job->dictionary_name, r->options, &job->dictionary, &r->error));
    TRY(inco_load_mean(job->dictionary_name, &job->dictionary, &job->mean, &r->error));
    TRY(inco_load_codes(r->paths[0], r->options, &job->codes, &job->origin, &r->error));
    if (values_number(r, "force") > 0) job->origin.dictionary = 0;
    TRY(check_origin(job));
    const int type = job->codes.type > job->dictionary.type ? (int)job->codes.type : (int)job->dictionary.type;
    const double bytes = (double)type * (double)job->dictionary.rows * (double)job->codes.cols;
    TRY(inco_check_memory(r->paths[0], bytes, r->options, &r->error));
done:
    r->seconds_io += run_clock() - before;
    return status;
}

static int save(decode_job *job) {
    run *r = job->run;
    const double before = run_clock();
    inco_options *options = NULL;
    int status;
    run_hold_signals(1);
    TRY(dictionary_options(r, &options));
    if (job->origin.kind && !outputs_is_matrix(job->output))
        TRY(inco_save_decoded(job->output, &job->signals, &job->origin, &r->error));
    else
        TRY(inco_save(job->output, &job->signals, options, NULL, &r->error));
done:
    inco_options_free(options);
    r->seconds_io += run_clock() - before;
    if (status == INCO_CLIPPED) run_warn(r, "%s", r->error.message);
    return status;
}

static int decode(decode_job *job) {
    const double before = run_clock();
    run *r = job->run;
    int status = inco_decode(&job->dictionary, &job->codes, &job->origin, &job->signals, &r->error);
    if (status == INCO_EDATA)
        run_fail(r, status, "the codes of '%s' belong to another dictionary than '%s': use theirs, or --force",
                 r->paths[0], job->dictionary_name);
    if (status >= 0) dictionary_add_mean(&job->mean, &job->signals);
    job->seconds = run_clock() - before;
    return status;
}

static void print_json(const decode_job *job) {
    json j = results_begin(job->run);
    json_integer(&j, "dim", job->signals.rows);
    json_integer(&j, "signals", job->signals.cols);
    json_integer(&j, "atoms", job->codes.rows);
    json_integer(&j, "nonzeros", job->codes.start[job->codes.cols]);
    json_boolean(&j, "mean", job->mean.data != NULL);
    json_text(&j, "precision", results_precision(job->signals.type));
    results_seconds(&j, job->run, job->seconds, NAN, 0);
    results_options(&j, job->run);
    results_end(&j);
}

static int perform(run *r) {
    decode_job job = {.run = r, .origin = INCO_INIT(inco_origin)};
    int status;
    TRY(open_all(&job));
    TRY(decode(&job));
    TRY(save(&job));
    run_say(r, "%lld signals of %lld values, %s", (long long)job.signals.cols, (long long)job.signals.rows,
            results_precision(job.signals.type));
    outputs_say(r, job.output, "signals");
    if (r->json) print_json(&job);
done:
    inco_mat_free(&job.dictionary);
    inco_mat_free(&job.mean);
    inco_mat_free(&job.signals);
    inco_csc_free(&job.codes);
    inco_origin_free(&job.origin);
    free(job.output);
    free(job.dictionary_name);
    return status;
}

const command decode_command = {
    "decode",
    INCO_DECODE,
    "-D D.npy C.npz -o X.npy [OPTIONS]",
    "compute signals from codes",
    "Computes signals from their codes: codes times dictionary. Codes of audio or images can be written as .wav .flac "
    ".ogg or .png .pgm: the windows or patches are reassembled and averaged where they overlap. Codes of several files "
    "are written to a folder.",
    perform,
};
