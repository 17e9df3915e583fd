/* inco compare: matches the atoms of two dictionaries. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "lists.h"
#include "outputs.h"
#include "html.h"
#include "results.h"

typedef struct compare_job {
    run *run;
    char *report, *csv, *pairs; /* NULL: not given */
    inco_mat a, b;
    int64_t patch_rows, patch_cols;
    inco_comparison found;
    facts facts;
    progress progress;
} compare_job;

/* ---- Text ---- */

static void print_dictionary(const run *r, int i, const inco_mat *d, int64_t zero, const double coherence[2]) {
    printf("%s: %lld atoms of %lld dimensions, %s, coherence %.4f, rms %.4f", r->paths[i], (long long)d->cols,
           (long long)d->rows, results_precision(d->type), coherence[0], coherence[1]);
    if (zero) printf(", %lld of the atoms zero and ignored below", (long long)zero);
    printf("\n");
}

static void print_recovered(const inco_comparison *c, const int64_t *recovered, int64_t of) {
    printf("    recovered        ");
    for (int64_t k = 0; k < c->threshold_count; k++)
        printf("%s%lld (%.1f %%) at %g", k ? ", " : "", (long long)recovered[k],
               of ? 100 * (double)recovered[k] / (double)of : 0, c->threshold[k]);
    printf("\n");
}

static void print_table(const compare_job *job) {
    const inco_comparison *c = &job->found;
    print_dictionary(job->run, 0, &job->a, c->zero_a, (const double[]){c->coherence_max_a, c->coherence_rms_a});
    print_dictionary(job->run, 1, &job->b, c->zero_b, (const double[]){c->coherence_max_b, c->coherence_rms_b});
    printf("  matched            %lld pairs one to one, mean |cosine| %.4f\n", (long long)c->matched,
           c->mean_similarity);
    print_recovered(c, c->recovered, c->matched);
    printf("  most similar       atom of the second for each of the first: mean |cosine| %.4f, %lld collisions\n",
           c->mean_nearest_a, (long long)c->collisions_a);
    print_recovered(c, c->recovered_a, c->atoms_a - c->zero_a);
    printf("  most similar       atom of the first for each of the second: mean |cosine| %.4f, %lld collisions\n",
           c->mean_nearest_b, (long long)c->collisions_b);
    print_recovered(c, c->recovered_b, c->atoms_b - c->zero_b);
}

/* ---- JSON ---- */

static void write_recovered(json *j, const inco_comparison *c, const int64_t *recovered) {
    json_object(j, "recovered");
    for (int64_t k = 0; k < c->threshold_count; k++) {
        char name[32];
        snprintf(name, sizeof name, "%g", c->threshold[k]);
        json_integer(j, name, recovered[k]);
    }
    json_end_object(j);
}

static void write_nearest(json *j, const inco_comparison *c, const char *key, double mean, int64_t collisions) {
    const int of_a = *key == 'a';
    json_object(j, key);
    json_number(j, "mean_similarity", mean);
    json_integer(j, "collisions", collisions);
    write_recovered(j, c, of_a ? c->recovered_a : c->recovered_b);
    json_end_object(j);
}

static void write_pairs(json *j, const inco_comparison *c) {
    static const char *const names[] = {"a", "b", "similarity"};
    json_object(j, "pairs");
    for (int k = 0; k < 3; k++) {
        json_array(j, names[k]);
        for (int64_t i = 0; i < c->atoms_a; i++) {
            if (c->match[i] < 0) continue;
            if (k == 2)
                json_number(j, NULL, c->match_similarity[i]);
            else
                json_integer(j, NULL, k ? c->match[i] : i);
        }
        json_end_array(j);
    }
    json_end_object(j);
}

static void print_json(const compare_job *job) {
    const inco_comparison *c = &job->found;
    json j = results_begin(job->run);
    json_array(&j, "files");
    for (int i = 0; i < 2; i++) json_text(&j, NULL, job->run->paths[i]);
    json_end_array(&j);
    json_integer(&j, "dim", c->dim);
    json_integer(&j, "atoms_a", c->atoms_a);
    json_integer(&j, "atoms_b", c->atoms_b);
    json_integer(&j, "zero_atoms_a", c->zero_a);
    json_integer(&j, "zero_atoms_b", c->zero_b);
    json_pair(&j, "coherence_a", "max", c->coherence_max_a, "rms", c->coherence_rms_a);
    json_pair(&j, "coherence_b", "max", c->coherence_max_b, "rms", c->coherence_rms_b);
    json_integer(&j, "matched", c->matched);
    write_recovered(&j, c, c->recovered);
    json_number(&j, "mean_similarity", c->mean_similarity);
    json_object(&j, "most_similar");
    write_nearest(&j, c, "a", c->mean_nearest_a, c->collisions_a);
    write_nearest(&j, c, "b", c->mean_nearest_b, c->collisions_b);
    json_end_object(&j);
    json_integers(&j, "histogram", c->histogram, c->histogram_count);
    write_pairs(&j, c);
    results_seconds(&j, job->run, c->seconds_total, NAN, 0);
    results_end(&j);
}

/* ---- The list and the report ---- */

static int write_list(compare_job *job) {
    const inco_comparison *c = &job->found;
    const list_column columns[] = {{"a", NULL, NULL},
                                   {"b", c->match, NULL},
                                   {"similarity", NULL, c->match_similarity},
                                   {"most_similar", c->nearest_a, NULL},
                                   {"most_similar_similarity", NULL, c->nearest_similarity_a}};
    return job->pairs ? lists_write(job->run, job->pairs, columns, 5, c->atoms_a) : INCO_OK;
}

static void describe(compare_job *job) {
    const inco_comparison *c = &job->found;
    facts_command_line(&job->facts, job->run);
    facts_add(&job->facts, "Program", "inco %s", inco_version());
    facts_add(&job->facts, "A", "%s", job->run->paths[0]);
    facts_note(&job->facts, "%lld atoms, coherence %.4f, rms %.4f", (long long)c->atoms_a, c->coherence_max_a,
               c->coherence_rms_a);
    facts_add(&job->facts, "B", "%s", job->run->paths[1]);
    facts_note(&job->facts, "%lld atoms, coherence %.4f, rms %.4f", (long long)c->atoms_b, c->coherence_max_b,
               c->coherence_rms_b);
}

static int write_report(compare_job *job) {
    run *r = job->run;
    inco_report *made = NULL;
    int status = INCO_OK;
    if (!job->report && !job->csv) return INCO_OK;
    describe(job);
    if (job->facts.failed) return run_no_memory(r);
    const double rate = inco_options_get_number(r->options, "rate");
    const inco_comparison_summary s = {.size = sizeof s,
                                       .a = &job->a,
                                       .b = &job->b,
                                       .comparison = &job->found,
                                       .fact_count = job->facts.count,
                                       .fact_names = job->facts.names,
                                       .fact_values = (const char *const *)job->facts.values,
                                       .fact_notes = (const char *const *)job->facts.notes,
                                       .fact_kinds = job->facts.kinds,
                                       .patch_rows = job->patch_rows,
                                       .patch_cols = job->patch_cols,
                                       .rate = rate > 0 ? rate : 0};
    made = inco_report_new("Comparison of two dictionaries", "The atoms of A and of B, matched up to sign");
    if (!made) TRY(run_no_memory(r));
    inco_report_comparison(made, &s);
    if (job->report) TRY(html_write_file(r, job->report, made, -1));
    if (job->report) outputs_say(r, job->report, "report");
    if (job->csv) TRY(html_write_numbers(r, job->csv, made));
done:
    inco_report_free(made);
    return status;
}

/* ---- The command ---- */

static int read_names(compare_job *job) {
    run *r = job->run;
    int status;
    if (r->path_count != 2) TRY(run_fail(r, INCO_EINVAL, "name two dictionaries to compare, not %d", r->path_count));
    TRY(run_text(r, "report", &job->report));
    TRY(run_text(r, "csv", &job->csv));
    TRY(run_text(r, "pairs", &job->pairs));
    const output outputs[] = {{"--report", job->report, OUTPUT_TEXT},
                              {"--csv", job->csv, OUTPUT_FOLDER},
                              {"--pairs", job->pairs, OUTPUT_TEXT}};
    for (int i = 0; i < 2; i++)
        if (inco_options_given(r->options, i ? "rate" : "patch") && !job->report && !job->csv)
            TRY(run_fail(r, INCO_EINVAL, "--%s applies to the report: give --report or --csv too",
                         i ? "rate" : "patch"));
    TRY(outputs_check(r, outputs, 3, r->paths, 2));
done:
    return status;
}

static int load(compare_job *job) {
    run *r = job->run;
    const double before = run_clock();
    int status;
    TRY(inco_load(r->paths[0], r->options, &job->a, &r->error));
    TRY(inco_load(r->paths[1], r->options, &job->b, &r->error));
    if (job->a.rows != job->b.rows)
        TRY(run_fail(r, INCO_EDIM,
                     "the atoms of '%s' have %lld dimensions, those of '%s' %lld: they cannot be compared", r->paths[0],
                     (long long)job->a.rows, r->paths[1], (long long)job->b.rows));
    TRY(html_patch(r, job->a.rows, &job->patch_rows, &job->patch_cols));
    r->seconds_io += run_clock() - before;
done:
    return status;
}

static int perform(run *r) {
    compare_job job = {.run = r, .progress = progress_start(r->quiet), .found = INCO_INIT(inco_comparison)};
    int status;
    TRY(read_names(&job));
    TRY(load(&job));
    TRY(run_on_progress(r, progress_callback, &job.progress));
    TRY(inco_compare(&job.a, &job.b, r->options, &job.found, &r->error));
    progress_clear(&job.progress);
    TRY(write_report(&job));
    TRY(write_list(&job));
    if (r->json)
        print_json(&job);
    else if (!outputs_is_standard(job.report) && !outputs_is_standard(job.pairs))
        print_table(&job);
done:
    progress_clear(&job.progress);
    inco_comparison_free(&job.found);
    facts_free(&job.facts);
    inco_mat_free(&job.a);
    inco_mat_free(&job.b);
    free(job.report);
    free(job.csv);
    free(job.pairs);
    return status;
}

const command compare_command = {
    "compare",
    INCO_COMPARE,
    "A.npy B.npy [OPTIONS]",
    "match the atoms of two dictionaries",
    "Matches the atoms of two dictionaries of the same dimension, which may come from any tool, up to sign and norm. "
    "The matching one to one has the largest sum of similarities; beside it, each atom has its most similar atom of "
    "the other dictionary, and atoms that share theirs are counted as collisions. Prints how many atoms are recovered "
    "at 0.99, 0.95 and 0.9, and the mean similarities; all numbers and the pairs with --json.",
    perform,
};
