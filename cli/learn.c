/* inco learn: learns a dictionary from data. */
#include "learn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "commands.h"
#include "dictionary.h"
#include "outputs.h"
#include "results.h"
#include "spelling.h"
#include "values.h"

inco_learn_info learn_info(const learn_job *job) {
    inco_learn_info info = INCO_INIT(inco_learn_info);
    inco_learner_info(job->learner, &info, NULL);
    return info;
}

double learn_memory(const learn_job *job, int64_t atoms) {
    return inco_learn_memory(&job->source, atoms, job->run->options) + inco_data_memory(job->data);
}

/* ---- Checks ---- */

static int init_is_file(const learn_job *job) {
    return strcmp(job->init, "sample") && strcmp(job->init, "dct") && strcmp(job->init, "random");
}

/* Refuses options of codes and checkpoints with a method that takes no data. */
static int check_design(run *r, const char *method) {
    static const char *const of_data[] = {"codes", "checkpoint", "resume"};
    for (int i = 0; i < 3 && !inco_learn_needs_data(r->options); i++)
        if (values_given(r, of_data[i]))
            return run_fail(r, INCO_EINVAL, "--%s does not apply to --method %s, which takes no data", of_data[i],
                            method);
    return INCO_OK;
}

/* With --center feature: the file beside the dictionary that has the mean, unless the dictionary itself has it. */
static int name_mean(learn_job *job) {
    char center[16];
    const int length = inco_mean_path(job->output, NULL, 0);
    inco_options_get(job->run->options, "center", center, sizeof center);
    if (strcmp(center, "feature") || length <= 0) return INCO_OK;
    job->mean = calloc((size_t)length + 1, 1);
    if (!job->mean) return run_no_memory(job->run);
    inco_mean_path(job->output, job->mean, (size_t)length + 1);
    return INCO_OK;
}

static int read_names(learn_job *job) {
    run *r = job->run;
    char method[16];
    int status;
    TRY(run_text(r, "output", &job->output));
    TRY(run_text(r, "codes", &job->codes));
    TRY(run_text(r, "log", &job->log));
    TRY(run_text(r, "checkpoint", &job->checkpoint));
    TRY(run_text(r, "resume", &job->resume));
    TRY(run_text(r, "init", &job->init));
    TRY(html_names(&job->html, r, "report"));
    if (!job->output && !values_given(r, "dry-run")) TRY(run_fail(r, INCO_EINVAL, "no output file given: -o FILE"));
    TRY(name_mean(job));
    inco_options_get(r->options, "method", method, sizeof method);
    if (r->path_count && !inco_learn_needs_data(r->options))
        TRY(run_fail(r, INCO_EINVAL, "--method %s takes no data: remove '%s'", method, r->paths[0]));
    if (!r->path_count && inco_learn_needs_data(r->options))
        TRY(run_fail(r, INCO_EINVAL, "no data given: name files, folders or patterns"));
    TRY(check_design(r, method));
    if (!inco_options_given(r->options, "atoms") && !init_is_file(job) && !job->resume)
        TRY(run_fail(r, INCO_EINVAL, "number of atoms missing: --atoms L"));
    if (outputs_is_standard(job->checkpoint))
        TRY(run_fail(r, INCO_EINVAL,
                     "--checkpoint needs a file, not standard output: it is rewritten after every iteration"));
done:
    return status;
}

/* If --init is not a file, it may be a misspelt word. */
static int check_init(learn_job *job) {
    if (job->resume || !init_is_file(job) || access(job->init, F_OK) == 0) return INCO_OK;
    spelling_search search = spelling_start(job->init);
    spelling_try(&search, "sample");
    spelling_try(&search, "dct");
    spelling_try(&search, "random");
    if (spelling_found(&search))
        return run_fail(job->run, INCO_EINVAL,
                        "--init '%s' is neither sample, dct, random nor a file: did you mean %s?", job->init,
                        spelling_found(&search));
    return run_fail(job->run, INCO_EIO, "--init '%s': there is no such file (and it is neither sample, dct nor random)",
                    job->init);
}

/* Checks every output against every input. A checkpoint may replace the one that the run resumes from. */
static int check_outputs(learn_job *job) {
    run *r = job->run;
    const output outputs[] = {{"-o", job->output, OUTPUT_MATRIX},      {"--codes", job->codes, OUTPUT_CODES},
                              {"--log", job->log, OUTPUT_TEXT},        {"--report", job->html.report, OUTPUT_TEXT},
                              {"--csv", job->html.csv, OUTPUT_FOLDER}, {"--checkpoint", job->checkpoint, OUTPUT_STATE},
                              {"-o", job->mean, OUTPUT_MATRIX}};
    const char **inputs = calloc((size_t)r->path_count + 3, sizeof *inputs);
    int status = INCO_OK, own_checkpoint = job->resume && job->checkpoint && !strcmp(job->resume, job->checkpoint);
    if (!inputs) return run_no_memory(r);
    memcpy(inputs, r->paths, (size_t)r->path_count * sizeof *inputs);
    inputs[r->path_count] = init_is_file(job) ? job->init : NULL;
    inputs[r->path_count + 1] = own_checkpoint ? NULL : job->resume;
    inputs[r->path_count + 2] = job->html.test;
    status = outputs_check(r, outputs, 7, inputs, r->path_count + 3);
    free(inputs);
    return status;
}

/* ---- Progress ---- */

/* A failed write may be temporary: learning continues, and the next iteration retries. */
static void save_checkpoint(learn_job *job) {
    inco_error error = {0};
    inco_file *file = NULL;
    inco_stream stream = INCO_INIT(inco_stream);
    if (!job->checkpoint) return;
    int status = inco_file_create(&file, job->checkpoint, &error);
    if (status >= 0) {
        status = inco_file_stream(file, &stream, &error);
        if (status >= 0) status = inco_learner_save(job->learner, &stream, &error);
        /* closing reports a failed write, and discards the file then */
        const int closing = inco_file_close(file, status >= 0 || status == INCO_EIO, &error);
        if (status >= 0) status = closing;
    }
    if (status < 0) progress_clear(&job->progress);
    if (status < 0 && !job->checkpoint_failed)
        run_warn(job->run, "checkpoint not written, learning continues: %s", error.message);
    job->checkpoint_failed = status < 0;
}

static int on_progress(void *self, const inco_progress *now) {
    learn_job *job = self;
    if (!run_is_first(job->run)) return run_signal() != 0;
    progress_show(&job->progress, now);
    if (job->run->watch) job->run->watch(job->run->watcher, now);
    if (!strcmp(now->phase, "point")) {
        learn_log_start(job);
        learn_log_point(job);
        save_checkpoint(job);
    }
    if (!strcmp(now->phase, "iteration")) {
        learn_log_start(job);
        learn_log_iteration(job, now);
        learn_html_iteration(job, now);
        save_checkpoint(job);
    }
    return run_signal() != 0;
}

/* ---- The learner ---- */

static int resume(learn_job *job) {
    run *r = job->run;
    inco_error error = {0};
    inco_file *file = NULL;
    inco_stream stream = INCO_INIT(inco_stream);
    int status = inco_file_open(&file, job->resume, &r->error);
    if (status < 0) return status;
    status = inco_file_stream(file, &stream, &error);
    if (status >= 0) status = inco_learner_resume(job->learner, &stream, &error);
    inco_file_close(file, 0, NULL);
    return status < 0 ? run_fail(r, status, "--resume '%s': %.900s", job->resume, error.message) : status;
}

/* Says so if the initial dictionary is one of centred features, and this run centres nothing. */
static int note_initial_mean(learn_job *job) {
    run *r = job->run;
    inco_mat dictionary = {0}, mean = {0};
    char center[16];
    int status = INCO_OK;
    inco_options_get(r->options, "center", center, sizeof center);
    if (job->resume || !init_is_file(job) || !strcmp(center, "feature")) return INCO_OK;
    TRY(dictionary_load(r, job->init, &dictionary));
    TRY(inco_load_mean(job->init, &dictionary, &mean, &r->error));
    if (mean.data)
        run_warn(r, "--init '%s' was learned with --center feature, this run is not: its mean is not used", job->init);
done:
    inco_mat_free(&dictionary);
    inco_mat_free(&mean);
    return status;
}

/* ---- Learning ---- */

static int learn(learn_job *job) {
    job->progress = progress_start(job->run->quiet);
    job->began = time(NULL);
    run_hold_signals(1);
    if (!run_is_first(job->run)) return inco_learner_serve(job->learner, &job->run->error);
    int status = inco_learner_run(job->learner, &job->run->error);
    progress_clear(&job->progress);
    return status;
}

/* ---- Saving ---- */

static int save_dictionary(learn_job *job) {
    run *r = job->run;
    inco_mat dictionary = {0}, mean = {0};
    inco_options *options = NULL;
    char *meta = learn_meta(job);
    const double before = run_clock();
    int status;
    if (!meta) TRY(run_no_memory(r));
    TRY(dictionary_options(r, &options));
    TRY(inco_learner_dictionary(job->learner, &dictionary, &r->error));
    TRY(inco_learner_mean(job->learner, &mean, &r->error));
    TRY(inco_save_dictionary(job->output, &dictionary, mean.data ? &mean : NULL, options, meta, &r->error));
    r->seconds_io += run_clock() - before;
    results_say_saved(r, job->output, &mean);
done:
    inco_options_free(options);
    free(meta);
    return status;
}

/* Writes codes of the training signals in the final dictionary, with the means that decode adds. */
static int save_codes(learn_job *job) {
    run *r = job->run;
    const double before = run_clock();
    inco_origin origin = INCO_INIT(inco_origin);
    inco_csc codes = {0};
    inco_mat dictionary;
    double *means = NULL;
    int status;
    TRY(inco_data_origin(job->data, &origin, &r->error));
    TRY(run_means(r, &job->source, &means));
    if (means) {
        origin.mean = means;
        origin.signals = job->source.count;
    }
    TRY(inco_learner_dictionary(job->learner, &dictionary, &r->error));
    origin.dictionary = inco_fingerprint(&dictionary);
    TRY(inco_learner_encode(job->learner, &codes, &r->error));
    progress_clear(&job->progress);
    if (status == INCO_STOPPED) {
        run_warn(r, "interrupted: '%s' is not written", job->codes);
        goto done;
    }
    job->seconds_codes = run_clock() - before;
    TRY(inco_save_codes(job->codes, &codes, &origin, &r->error));
    r->seconds_io += run_clock() - before - job->seconds_codes;
    outputs_say(r, job->codes, "codes");
done:
    progress_clear(&job->progress);
    inco_origin_free(&origin);
    inco_csc_free(&codes);
    free(means);
    return status;
}

/* Writes the dictionary first, since it took the time. If an output cannot be written, the run fails, but reports the
 * outputs that were written. */
static int save(learn_job *job) {
    run *r = job->run;
    int status = save_dictionary(job);
    if (status < 0) return status;
    if (run_signal()) {
        const inco_learn_info info = learn_info(job);
        inco_path path = INCO_INIT(inco_path);
        char where[64];
        inco_learner_path(job->learner, &path, NULL);
        snprintf(where, sizeof where, "after iteration %lld", (long long)info.iterations);
        run_warn(r, "interrupted %s; the dictionary is saved%s%s",
                 path.points > 0 ? "on the regularisation path" : where,
                 job->codes ? ", without codes, which would need another coding of all signals" : "",
                 job->checkpoint && !job->checkpoint_failed ? "; --resume continues from the checkpoint" : "");
    } else if (job->codes) {
        if ((status = save_codes(job)) < 0) return status;
    }
    if ((status = learn_html(job)) < 0) return status;
    if (job->checkpoint_failed)
        return run_fail(r, INCO_EIO, "the checkpoint '%s' could not be written", job->checkpoint);
    return INCO_OK;
}

/* The library knows the memory of learning alone; data files of which nothing is held are left to its own check. */
static int check_memory(const learn_job *job) {
    run *r = job->run;
    if (!inco_options_given(r->options, "atoms") || !(inco_data_memory(job->data) > 0)) return INCO_OK;
    const double bytes = learn_memory(job, (int64_t)inco_options_get_number(r->options, "atoms"));
    return isnan(bytes) ? INCO_OK : inco_check_memory("learning from these data", bytes, r->options, &r->error);
}

/* What a rank does for itself: rank 0 checks all files that it will write, every rank opens the data. */
static int open_all(learn_job *job) {
    run *r = job->run;
    int status;
    TRY(read_names(job));
    TRY(inco_options_check(r->options, INCO_LEARN, &r->error));
    TRY(check_init(job));
    if (run_is_first(r)) TRY(check_outputs(job));
    if (inco_learn_needs_data(r->options)) {
        TRY(inco_data_open(&job->data, r->paths, r->path_count, r->options, &r->error));
        TRY(inco_data_source(job->data, &job->source, &r->error));
        TRY(check_memory(job));
    }
    if (!run_is_first(r)) goto done;
    TRY(html_open_own_test(&job->html, job->source.dim));
    html_warn_overlap(&job->html, job->data);
    TRY(note_initial_mean(job));
done:
    return status;
}

static int start(learn_job *job) {
    run *r = job->run;
    const double before = run_clock();
    int status;
    TRY(run_agree(r, open_all(job)));
    TRY(run_on_progress(r, on_progress, job));
    if (r->ranks) TRY(r->ranks->use(r->ranks->self, r->options, &r->error));
    TRY(inco_learner_new(&job->learner, job->data ? &job->source : NULL, r->options, &r->error));
    if (job->resume && run_is_first(r)) TRY(resume(job));
    r->seconds_io += run_clock() - before;
    learn_announce(job);
done:
    return status;
}

static int perform(run *r) {
    learn_job job = {.run = r, .source = INCO_INIT(inco_source), .html = HTML_INIT};
    int status, outcome = INCO_OK;
    TRY(start(&job));
    if (values_given(r, "dry-run")) {
        status = job.data ? learn_dry_run(&job) : INCO_OK;
        goto done;
    }
    TRY(outcome = learn(&job));
    if (!run_is_first(r)) goto done;
    learn_summary(&job);
    TRY(save(&job));
    if (learn_warn_missed(&job) > 0) r->missed = 1;
    learn_log_start(&job); /* if there was no iteration */
    if (r->json) {
        json j = results_begin(r);
        learn_results(&j, &job);
        results_end(&j);
    }
done:
    learn_log_end(&job, status);
    const int logged = learn_log_close(&job);
    if (status >= 0 && logged < 0) status = run_fail(r, logged, "the log '%s' could not be written", job.log);
    inco_learner_free(job.learner);
    inco_data_free(job.data);
    html_free(&job.html);
    free(job.history);
    char *names[] = {job.output, job.codes, job.log, job.checkpoint, job.resume, job.init, job.mean};
    for (int i = 0; i < 7; i++) free(names[i]);
    return status < 0 ? status : outcome;
}

const command learn_command = {
    "learn",
    INCO_LEARN,
    "IN... -o D.npy --atoms L [OPTIONS]",
    "learn a dictionary from matrices, audio files or images",
    "Learns an incoherent dictionary of L atoms for sparse coding: minimises ||X - DC||^2 + G ||D'D - I||^2 by "
    "alternating between sparse coding of all signals and a dictionary update.\nIN are matrices with one signal per "
    "row (.npy .npz .csv .tsv .mat .safetensors), audio files to be cut into windows (--window), or images to be cut "
    "into patches (--patch); also folders and quoted glob patterns. Ctrl-C stops after the current step and saves the "
    "dictionary; a second Ctrl-C ends the program at once.\n--method parametric takes no IN, but requires --window, "
    "--rate and --atoms.",
    perform,
};
