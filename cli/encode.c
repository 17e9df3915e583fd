/* inco encode: computes sparse codes of signals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "dictionary.h"
#include "outputs.h"
#include "progress.h"
#include "results.h"

typedef struct encode_job {
    run *run;
    char *output, *dictionary_name;
    inco_mat dictionary;
    inco_data *data;
    inco_source source;
    progress progress;
    double *means;   /* subtracted from the signals, or NULL */
    centred centred; /* by the mean of the dictionary */
    inco_origin origin;
    inco_csc codes;
    inco_encode_info info;
} encode_job;

static int check_names(encode_job *job) {
    run *r = job->run;
    const output outputs[] = {{"-o", job->output, OUTPUT_CODES}};
    const char **inputs = NULL;
    int status;
    if (!r->path_count) TRY(run_fail(r, INCO_EINVAL, "no signals given: name files, folders or patterns"));
    inputs = calloc((size_t)r->path_count + 1, sizeof *inputs);
    if (!inputs) TRY(run_no_memory(r));
    for (int i = 0; i < r->path_count; i++) inputs[i] = r->paths[i];
    inputs[r->path_count] = job->dictionary_name;
    TRY(inco_options_check(r->options, INCO_ENCODE, &r->error));
    if (run_is_first(r)) TRY(outputs_check(r, outputs, 1, inputs, r->path_count + 1));
done:
    free(inputs);
    return status;
}

/* A dictionary of centred features codes signals minus the same mean, which decode adds. */
static int subtract_mean(encode_job *job) {
    run *r = job->run;
    inco_mat *mean = &job->centred.mean;
    int status = inco_load_mean(job->dictionary_name, &job->dictionary, mean, &r->error);
    if (status < 0 || !mean->data) return status;
    if (job->means)
        return run_fail(
            r, INCO_EINVAL,
            "--center signal does not apply: '%s' was learned with --center feature, and has the mean to subtract",
            job->dictionary_name);
    if (mean->rows == job->source.dim) dictionary_centre(&job->centred, &job->source); /* else the coder refuses */
    run_say(r, "subtracting the mean of the features, from %s", job->dictionary_name);
    return status;
}

static int open_all(encode_job *job) {
    run *r = job->run;
    const double before = run_clock();
    int status;
    TRY(dictionary_names(r, &job->dictionary_name, &job->output));
    TRY(check_names(job));
    TRY(dictionary_load(r, job->dictionary_name, &job->dictionary));
    TRY(inco_data_open(&job->data, r->paths, r->path_count, r->options, &r->error));
    TRY(inco_data_source(job->data, &job->source, &r->error));
    TRY(inco_data_origin(job->data, &job->origin, &r->error));
    if (run_is_first(r)) TRY(run_means(r, &job->source, &job->means));
    TRY(subtract_mean(job));
done:
    r->seconds_io += run_clock() - before;
    return status;
}

static int encode(encode_job *job) {
    run *r = job->run;
    const inco_source *source = &job->source;
    run_say(r, "%lld signals of %lld values, %s; %lld atoms", (long long)source->count, (long long)source->dim,
            results_precision(source->type), (long long)job->dictionary.cols);
    job->progress = progress_start(r->quiet);
    int status = run_is_first(r) ? run_on_progress(r, progress_callback, &job->progress) : INCO_OK;
    if (status >= 0 && r->ranks) status = r->ranks->use(r->ranks->self, r->options, &r->error);
    if (status >= 0) status = inco_encode(&job->dictionary, source, r->options, &job->codes, &job->info, &r->error);
    progress_clear(&job->progress);
    return status;
}

static int save(encode_job *job) {
    run *r = job->run;
    const double before = run_clock();
    inco_origin origin = job->origin;
    origin.dictionary = inco_fingerprint(&job->dictionary);
    if (job->means) {
        origin.mean = job->means;
        origin.signals = job->info.signals;
    }
    run_hold_signals(1);
    int status = inco_save_codes(job->output, &job->codes, &origin, &r->error);
    r->seconds_io += run_clock() - before;
    return status;
}

static void print_summary(const encode_job *job) {
    const inco_encode_info *info = &job->info;
    const run *r = job->run;
    run_say(r, "  cardinality       %.2f atoms per signal, %lld nonzeros", info->mean_cardinality,
            (long long)info->nonzeros);
    run_say(r, "  relative error    %.4f (%.2f dB)", info->relative_error, info->snr_db);
    results_note_sparsity(r, info->dim, info->atoms);
    if (info->skipped_atoms) run_say(r, "  dependent atoms   %lld skipped", (long long)info->skipped_atoms);
    if (info->zero_atoms) run_say(r, "  zero atoms        %lld, never used", (long long)info->zero_atoms);
    if (info->zero_signals) run_say(r, "  zero signals      %lld, with zero codes", (long long)info->zero_signals);
    if (info->missing_entries)
        run_say(r, "  missing           %lld entries; the error is that of the others",
                (long long)info->missing_entries);
    if (info->empty_signals)
        run_say(r, "  empty signals     %lld without an observed entry, with zero codes",
                (long long)info->empty_signals);
    outputs_say(r, job->output, "codes");
}

static void print_json(const encode_job *job) {
    const inco_encode_info *info = &job->info;
    json j = results_begin(job->run);
    json_integer(&j, "dim", info->dim);
    json_integer(&j, "signals", info->signals);
    json_integer(&j, "atoms", info->atoms);
    json_integer(&j, "nonzeros", info->nonzeros);
    json_number(&j, "mean_cardinality", info->mean_cardinality);
    json_number(&j, "relative_error", info->relative_error);
    json_number(&j, "snr_db", info->snr_db);
    json_integer(&j, "skipped_atoms", info->skipped_atoms);
    json_integer(&j, "zero_signals", info->zero_signals);
    json_integer(&j, "missing_entries", info->missing_entries);
    json_integer(&j, "empty_signals", info->empty_signals);
    json_integer(&j, "zero_atoms", info->zero_atoms);
    json_boolean(&j, "mean", job->centred.mean.data != NULL);
    json_text(&j, "precision", results_precision(job->codes.type));
    results_machine(&j, job->run);
    results_seconds(&j, job->run, info->seconds_code, NAN, info->seconds_io);
    results_options(&j, job->run);
    results_end(&j);
}

static int perform(run *r) {
    encode_job job = {.run = r,
                      .source = INCO_INIT(inco_source),
                      .origin = INCO_INIT(inco_origin),
                      .info = INCO_INIT(inco_encode_info)};
    int status;
    TRY(run_agree(r, open_all(&job)));
    TRY(encode(&job));
    if (!run_is_first(r)) goto done;
    TRY(save(&job));
    print_summary(&job);
    if (r->json) print_json(&job);
done:
    free(job.means);
    inco_csc_free(&job.codes);
    inco_origin_free(&job.origin);
    inco_data_free(job.data);
    inco_mat_free(&job.dictionary);
    inco_mat_free(&job.centred.mean);
    free(job.output);
    free(job.dictionary_name);
    return status;
}

const command encode_command = {
    "encode",
    INCO_ENCODE,
    "-D D.npy IN... -o C.npz [OPTIONS]",
    "compute sparse codes of signals",
    "Computes sparse codes C of the signals, such that C times the dictionary approximates them, and writes them as a "
    "scipy CSR matrix with one row per signal. Signals are not normalised; atoms may have any norm. Codes of audio and "
    "images include what inco decode needs to reassemble the files. With no stopping rule given, coding of a signal in "
    "D dimensions stops at D/20 atoms, or when no atom is more coherent with its residual than noise would be.",
    perform,
};
