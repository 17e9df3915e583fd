/* Output of `inco learn`: summaries for people, JSON, metadata of the dictionary, and the log. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "learn.h"
#include "results.h"
#include "speak.h"

/* ---- Text ---- */

static void announce_design(const learn_job *job) {
    char family[16], atoms[32], window[32], rate[32];
    inco_options_get(job->run->options, "family", family, sizeof family);
    inco_options_get(job->run->options, "atoms", atoms, sizeof atoms);
    inco_options_get(job->run->options, "window", window, sizeof window);
    inco_options_get(job->run->options, "rate", rate, sizeof rate);
    run_say(job->run, "designing %s %ss of %s samples at %s Hz, without data", atoms, family, window, rate);
}

void learn_announce(const learn_job *job) {
    if (!job->data) {
        announce_design(job);
        return;
    }
    const inco_source *source = &job->source;
    const long long files = inco_data_files(job->data);
    const char *kind = inco_data_kind(job->data);
    const char *unit = !strcmp(kind, "audio") ? "samples" : !strcmp(kind, "image") ? "pixels" : "values";
    char method[16], coder[16], iterations[32], seed[32], atoms[32];
    if (inco_options_get(job->run->options, "atoms", atoms, sizeof atoms) == 0)
        strcpy(atoms, job->resume ? "the checkpoint's" : "the initial dictionary's");
    inco_options_get(job->run->options, "method", method, sizeof method);
    inco_options_get(job->run->options, "coder", coder, sizeof coder);
    inco_options_get(job->run->options, "iterations", iterations, sizeof iterations);
    inco_options_get(job->run->options, "seed", seed, sizeof seed);
    run_say(job->run, "%lld %s file%s: %lld signals of %lld %s, %s", files, kind, files == 1 ? "" : "s",
            (long long)source->count, (long long)source->dim, unit, results_precision(source->type));
    run_say(job->run, "learning %s atoms: method %s, coder %s, %s iterations, seed %s, %d thread%s", atoms, method,
            coder, iterations, seed, results_threads(job->run), results_threads(job->run) == 1 ? "" : "s");
    const double memory = learn_memory(job, atoll(atoms));
    if (!isnan(memory)) run_say(job->run, "memory needed: about %.0f MB", memory / 1e6);
}

static void print_coherence(const run *r, const inco_learn_info *info) {
    run_say(r, "  coherence         max %.4f, rms %.4f, mean %.4f (%s %.4f)", info->coherence_max, info->coherence_rms,
            info->coherence_mean, inco_bound_name(info->rank, info->atoms), info->welch);
    const double atoms = (double)info->atoms, span = (double)(info->rank > 0 ? info->rank : info->dim);
    run_say(r, "  singular values   %.4g to %.4g (%.4g each in a tight frame)", info->singular_max, info->singular_min,
            sqrt(atoms / fmin(span, atoms)));
}

/* Codes of more than a third of the dimensions describe noise, take long to compute, and teach the atoms little. LARC
 * stops at 0.2 in the paper's 160 dimensions; of white noise, max |d'r| / |r| decreases as 1 / sqrt(dimensions). */
static void print_density(const run *r, const inco_learn_info *info) {
    const double rank = (double)(info->rank > 0 ? info->rank : info->dim), stop = 0.2 * sqrt(160 / rank);
    char coder[16], threshold[64] = "";
    if (!(info->mean_cardinality > rank / 3)) return;
    inco_options_get(r->options, "coder", coder, sizeof coder);
    if (!strcmp(coder, "larc") && stop < 1)
        snprintf(threshold, sizeof threshold, "--residual-coherence %.2g or ", stop);
    run_say(r,
            "  note              codes are not sparse: more than a third of the %.0f dimensions; stop them earlier, by "
            "%s--coder omp --sparsity %.0f",
            rank, threshold, fmax(2, round(rank / 20)));
}

/* And what it did to the initial atoms. */
static void print_span(const run *r, const inco_learn_info *info) {
    char start[128] = "";
    if (info->rank >= info->dim) return;
    if (info->start_projected)
        snprintf(start, sizeof start, "; initial atoms: %lld projected, %lld of these replaced by signals",
                 (long long)info->start_projected, (long long)info->start_replaced);
    run_say(r, "  rank              %lld: the signals span a subspace%s", (long long)info->rank, start);
}

static void print_weights(const run *r, const inco_learn_info *info) {
    if (info->left_out == 0 && info->weight == (double)info->signals) return;
    run_say(r, "  weight            %g in %lld signals, %lld of weight 0 left out", info->weight,
            (long long)info->signals, (long long)info->left_out);
}

static void print_missing(const run *r, const inco_learn_info *info) {
    const double entries = (double)info->signals * (double)info->dim;
    if (info->missing_entries == 0 && info->empty_signals == 0) return;
    run_say(r, "  missing           %lld entries (%.1f %%); %lld signals without an observed entry left out",
            (long long)info->missing_entries, 100 * (double)info->missing_entries / entries,
            (long long)info->empty_signals);
}

/* With --replace: whether the dictionary written has the replacements that the last update has led to. */
static void print_last_replacements(const run *r, const inco_learn_info *info) {
    char rule[16];
    inco_options_get(r->options, "replace-last", rule, sizeof rule);
    if (isnan(inco_options_get_number(r->options, "replace"))) return;
    run_say(r, "  last update       %lld to replace, %s (--replace-last %s)", (long long)info->replaced_last,
            strcmp(rule, "skip") ? "applied" : "not applied", rule);
}

/* Bytes between all ranks. */
static double per_update(const inco_learn_info *info) {
    return info->cluster_updates ? info->cluster_bytes / (double)info->cluster_updates : 0;
}

void learn_summary(const learn_job *job) {
    const inco_learn_info own = learn_info(job), *info = &own;
    const run *r = job->run;
    run_say(r, "%lld atoms of %lld dimensions after %lld iterations, stopped by %s", (long long)info->atoms,
            (long long)info->dim, (long long)info->iterations, run_signal() ? "a signal" : info->stopped_by);
    if (!isnan(info->relative_error))
        run_say(r, "  relative error    %.4f with %.1f atoms per signal", info->relative_error, info->mean_cardinality);
    print_density(r, info);
    print_span(r, info);
    print_weights(r, info);
    print_missing(r, info);
    print_coherence(r, info);
    if (!job->data) {
        run_say(r, "  initially         max %.4f, rms %.4f", info->start_coherence_max, info->start_coherence_rms);
        return;
    }
    if (info->gamma > 0)
        run_say(r, "  gamma             %.6g (relative %.6g; penalty of a tight frame: %.3g of the energy of the data)",
                info->gamma, info->gamma_relative, info->tight_ratio);
    if (info->eta > 0) run_say(r, "  eta               %.6g", info->eta);
    if (info->stop_gain > 0) run_say(r, "  codes             stop where max |d'r| is %.3g", info->stop_gain);
    if (info->dropout > 0) run_say(r, "  dropout           %.3g", info->dropout);
    results_note_sparsity(r, info->dim, info->atoms);
    if (info->unused >= 0)
        run_say(r, "  atoms             %lld replaced, %lld finally unused", (long long)info->replaced,
                (long long)info->unused);
    else
        run_say(r, "  atoms             %lld replaced", (long long)info->replaced);
    print_last_replacements(r, info);
    if (info->spread_passes > 0)
        run_say(r, "  spreading         %lld passes, %lld pairs, %.1f s", (long long)info->spread_passes,
                (long long)info->spread_pairs, info->seconds_spread);
    if (info->zero_signals) run_say(r, "  zero signals      %lld", (long long)info->zero_signals);
    if (r->ranks)
        run_say(r, "  ranks             %lld; %.2f MB exchanged per update, %lld updates", (long long)info->ranks,
                per_update(info) / 1e6, (long long)info->cluster_updates);
    learn_path_table(job);
}

int learn_warn_missed(const learn_job *job) {
    const inco_options *o = job->run->options;
    const inco_learn_info info = learn_info(job);
    const double bound = inco_options_get_number(o, "max-coherence"), rms = inco_options_get_number(o, "target-rms");
    const double error = inco_options_get_number(o, "target-error");
    /* Rounding of the dictionary to its precision misses no target; without a tolerance, the bound holds after it. */
    const double rounding = info.coherence_target > bound ? 1e-6 : 0;
    const int above_bound = info.coherence_target > 0 && !(info.coherence_max <= info.coherence_target + rounding);
    const int above_rms = info.coherence_rms > (1 + 1e-6) * rms, above_error = info.relative_error > error;
    if (above_bound)
        run_warn(job->run,
                 "the coherence is %.6g, %.2g above the target --max-coherence %.6g; the lower bound for this size is "
                 "%.4f",
                 info.coherence_max, info.coherence_max - bound, bound, info.welch);
    if (above_rms) run_warn(job->run, "the rms coherence is %.6g, above --target-rms %g", info.coherence_rms, rms);
    if (above_error)
        run_warn(job->run,
                 "the relative error is %.6g, above --target-error %g: try more --atoms, less sparse codes, or more "
                 "--iterations",
                 info.relative_error, error);
    return above_bound || above_rms || above_error;
}

/* ---- JSON ---- */

static void write_data(json *j, const learn_job *job) {
    if (!job->data) return;
    const inco_source *source = &job->source;
    json_object(j, "data");
    json_text(j, "kind", inco_data_kind(job->data));
    json_integer(j, "files", inco_data_files(job->data));
    json_integer(j, "signals", source->count);
    json_integer(j, "dim", source->dim);
    json_text(j, "precision", results_precision(source->type));
    if (inco_data_rate(job->data) > 0) json_number(j, "rate", inco_data_rate(job->data));
    json_end_object(j);
}

static void write_method(json *j, const learn_job *job, const inco_learn_info *info) {
    char method[16];
    inco_options_get(job->run->options, "method", method, sizeof method);
    json_text(j, "method", method);
    json_integer(j, "dim", info->dim);
    json_integer(j, "rank", info->rank);
    json_integer(j, "atoms", info->atoms);
    json_integer(j, "signals", info->signals);
    json_number(j, "weight", info->weight);
    json_integer(j, "left_out", info->left_out);
    json_integer(j, "missing_entries", info->missing_entries);
    json_integer(j, "empty_signals", info->empty_signals);
    json_integer(j, "iterations", info->iterations);
    json_number(j, "gamma", info->gamma);
    json_number(j, "gamma_relative", info->gamma_relative);
    json_number(j, "tight_ratio", info->tight_ratio);
    if (info->eta > 0) json_number(j, "eta", info->eta);
    json_number(j, "dropout", info->dropout);
    json_number(j, "stop_gain", info->stop_gain);
    json_text(j, "precision", results_precision(info->precision));
}

static void write_counts(json *j, const inco_learn_info *info) {
    json_pair(j, "initial", "projected", (double)info->start_projected, "replaced", (double)info->start_replaced);
    json_integer(j, "replaced", info->replaced);
    json_integer(j, "replaced_coherent", info->replaced_coherent);
    json_integer(j, "replaced_exchanged", info->replaced_exchanged);
    json_integer(j, "replaced_last", info->replaced_last);
    if (info->unused >= 0)
        json_integer(j, "unused", info->unused);
    else
        json_null(j, "unused");
    json_integer(j, "zero_signals", info->zero_signals);
    json_integer(j, "skipped_atoms", info->skipped_atoms);
}

static void write_spread(json *j, const inco_learn_info *info) {
    if (!(info->coherence_target > 0)) return;
    json_object(j, "spread");
    json_integer(j, "passes", info->spread_passes);
    json_integer(j, "pairs", info->spread_pairs);
    json_number(j, "seconds", info->seconds_spread);
    json_number(j, "target", info->coherence_target);
    json_end_object(j);
}

static void write_ranks(json *j, const inco_learn_info *info) {
    json_object(j, "cluster");
    json_integer(j, "ranks", info->ranks);
    json_integer(j, "updates", info->cluster_updates);
    json_number(j, "bytes", info->cluster_bytes);
    json_number(j, "bytes_per_update", per_update(info));
    json_end_object(j);
}

void learn_results(json *j, const learn_job *job) {
    const inco_learn_info own = learn_info(job), *info = &own;
    inco_mat dictionary;
    write_method(j, job, info);
    if (inco_learner_dictionary(job->learner, &dictionary, NULL) >= 0 && dictionary.data)
        json_integer(j, "fingerprint", inco_fingerprint(&dictionary)); /* so that a report finds the log's dictionary */
    json_number(j, "relative_error", info->relative_error);
    json_number(j, "mean_cardinality", info->mean_cardinality);
    json_number(j, "objective", info->objective);
    json_object(j, "coherence");
    json_number(j, "max", info->coherence_max);
    json_number(j, "rms", info->coherence_rms);
    json_number(j, "mean", info->coherence_mean);
    json_number(j, "welch", info->welch);
    json_end_object(j);
    json_pair(j, "singular_values", "max", info->singular_max, "min", info->singular_min);
    if (!job->data) json_pair(j, "start_coherence", "max", info->start_coherence_max, "rms", info->start_coherence_rms);
    write_counts(j, info);
    write_spread(j, info);
    learn_path_results(j, job);
    json_text(j, "stopped_by", run_signal() ? "signal" : info->stopped_by);
    json_number(j, "seed", inco_options_get_number(job->run->options, "seed"));
    json_integer(j, "threads", info->threads);
    if (job->run->ranks) write_ranks(j, info);
    json_text(j, "isa", info->isa);
    json_text(j, "blas", info->blas);
    write_data(j, job);
    results_seconds(j, job->run, info->seconds_code + job->seconds_codes, info->seconds_update, info->seconds_io);
    results_options(j, job->run);
}

char *learn_meta(const learn_job *job) {
    char *text = NULL;
    size_t size = 0;
    json j = {.out = open_memstream(&text, &size)};
    if (!j.out) return NULL;
    json_object(&j, NULL);
    results_identity(&j, job->run);
    results_command_line(&j, job->run);
    write_data(&j, job);
    json_number(&j, "seed", inco_options_get_number(job->run->options, "seed"));
    results_options(&j, job->run);
    json_end_object(&j);
    if (!fclose(j.out)) return text;
    free(text);
    return NULL;
}

/* ---- The log ---- */

enum { LOG_LINE = 1024 }; /* maximum bytes of an iteration */

static json begin_line(learn_job *job, const char *event) {
    json j = {.out = job->log_file};
    json_object(&j, NULL);
    json_text(&j, "event", event);
    return j;
}

/* If the log cannot be written, this is reported once; learning continues, and the run fails at the end. */
static void finish_line(learn_job *job) {
    fputc('\n', job->log_file);
    job->log_lines++;
    if ((fflush(job->log_file) || ferror(job->log_file)) && !job->log_failed) {
        job->log_failed = 1;
        progress_clear(&job->progress);
        run_warn(job->run, "cannot write to the log '%s'; learning continues without it", job->log);
    }
}

static void end_line(learn_job *job, json *j) {
    json_end_object(j);
    finish_line(job);
}

void learn_log_start(learn_job *job) {
    char time[32];
    struct tm parts;
    if (!job->log || job->log_lines || job->log_failed) return;
    if (!job->log_file) job->log_file = strcmp(job->log, "-") ? fopen(job->log, job->resume ? "a" : "w") : stdout;
    if (!job->log_file) {
        job->log_failed = 1;
        run_warn(job->run, "cannot open the log '%s'; learning continues without it", job->log);
        return;
    }
    json j = begin_line(job, "start");
    results_identity(&j, job->run);
    if (gmtime_r(&job->began, &parts) && strftime(time, sizeof time, "%Y-%m-%dT%H:%M:%SZ", &parts))
        json_text(&j, "time", time);
    results_command_line(&j, job->run);
    write_data(&j, job);
    json_number(&j, "seed", inco_options_get_number(job->run->options, "seed"));
    results_machine(&j, job->run);
    results_options(&j, job->run);
    end_line(job, &j);
}

void learn_log_point(learn_job *job) {
    if (!job->log_file || job->log_failed) return;
    json j = begin_line(job, "point");
    learn_path_line(&j, job);
    end_line(job, &j);
}

void learn_log_iteration(learn_job *job, const inco_progress *now) {
    char line[LOG_LINE];
    if (!job->log_file || job->log_failed) return;
    inco_log_line(now, line, sizeof line);
    fputs(line, job->log_file);
    finish_line(job);
}

int learn_log_close(learn_job *job) {
    if (job->log_file && job->log_file != stdout && fclose(job->log_file)) job->log_failed = 1;
    job->log_file = NULL;
    return job->log_failed ? INCO_EIO : INCO_OK;
}

void learn_log_end(learn_job *job, int status) {
    if (!job->log_file || job->log_failed) return;
    json j = begin_line(job, status < 0 ? "error" : "end");
    if (status < 0) {
        speak_options(job->run->error.message);
        json_text(&j, "message", job->run->error.message);
    } else {
        results_identity(&j, job->run);
        learn_results(&j, job);
        int64_t atoms;
        const int64_t *usage = inco_learner_usage(job->learner, &atoms);
        if (usage) json_integers(&j, "usage", usage, atoms);
    }
    end_line(job, &j);
}
