/* inco reproduce: repeats a published experiment: its figures, and its claims with a verdict each. */
#include "reproduce.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/results.h"
#include "cli/values.h"

char *reproduce_path(const experiment *e, int64_t seed, const char *name, const char *ending) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    fprintf(out, "%s%s", *e->output == '-' ? "./" : "", e->output); /* must not be taken for an option */
    if (seed >= 0) fprintf(out, "/seed-%lld", (long long)seed);
    if (*name) fprintf(out, "/%s%s", name, ending);
    if (!fclose(out)) return text;
    free(text);
    return NULL;
}

int reproduce_has(const experiment *e, int64_t seed, const char *name, const char *ending) {
    char *path = reproduce_path(e, seed, name, ending);
    const int found = path && access(path, R_OK) == 0;
    free(path);
    return found;
}

numbers *reproduce_figures(const experiment *e, int seed, const grid_run *g) {
    return &e->figures[seed * e->runs + (int)(g - e->grid)];
}

/* ---- Options ---- */

static int64_t size_of(const run *r, const char *name, int64_t otherwise) {
    return inco_options_given(r->options, name) ? (int64_t)inco_options_get_number(r->options, name) : otherwise;
}

static int check_words(run *r) {
    if (r->path_count != 1 || strcmp(r->paths[0], "sigg2012"))
        return run_fail(r, INCO_EINVAL, "no experiment given: inco reproduce sigg2012");
    for (const char *const *f = (const char *const[]){"audio", "json", NULL}; *f; f++)
        if (inco_has(*f) != 1)
            return run_fail(r, INCO_ENOTBUILT, "this build lacks a feature that the experiment needs: %s",
                            strcmp(*f, "audio") ? "reading JSON (jansson, Debian: libjansson-dev)"
                                                : "reading audio (libsndfile, Debian: libsndfile1-dev)");
    return INCO_OK;
}

static int read_options(experiment *e) {
    run *r = e->run;
    int status;
    TRY(check_words(r));
    TRY(run_text(r, "data", &e->data));
    TRY(run_text(r, "output", &e->output));
    if (!e->data)
        TRY(run_fail(r, INCO_EINVAL, "no recordings given: --data DIR, a folder with recordings of one speaker"));
    if (!e->output) TRY(run_fail(r, INCO_EINVAL, "no output folder given: -o DIR"));
    for (size_t n = strlen(e->output); n > 1 && e->output[n - 1] == '/'; n--) e->output[n - 1] = 0;
    e->quick = values_number(r, "quick") > 0;
    e->seeds = (int)values_number(r, "seeds");
    e->first_seed = (int64_t)inco_options_get_number(r->options, "seed");
    e->signals = size_of(r, "signals", e->quick ? 3000 : 30000);
    e->atoms = size_of(r, "atoms", e->quick ? 200 : 1000);
    e->iterations = (int64_t)inco_options_get_number(r->options, "iterations");
    e->passes = (int64_t)inco_options_get_number(r->options, "decorrelation-passes");
    if (e->atoms <= REPRODUCE_DIM)
        TRY(run_fail(r, INCO_EINVAL, "--atoms must exceed the dimension of the signals, %d: use 200 or more",
                     REPRODUCE_DIM));
    if (e->iterations < 2)
        TRY(run_fail(r, INCO_EINVAL, "--iterations must be 2 or more: one claim is about convergence"));
    if (e->signals < e->atoms)
        TRY(run_fail(r, INCO_EINVAL, "--signals %lld is less than the %lld atoms that are drawn from them",
                     (long long)e->signals, (long long)e->atoms));
done:
    return status;
}

/* ---- The experiment ---- */

static int conclude(experiment *e) {
    claim *claims = calloc(CLAIMS, sizeof *claims);
    int status = INCO_OK;
    if (!claims) TRY(run_no_memory(e->run));
    claims_judge(e, claims);
    TRY(claims_save(e, claims));
    TRY(reproduce_html(e, claims));
    if (e->run->json) {
        json j = results_begin(e->run);
        json_text(&j, "output", e->output);
        json_integer(&j, "runs", (int64_t)e->runs * e->seeds);
        json_integer(&j, "made", e->made);
        claims_write(&j, claims);
        json_number(&j, "pause_energy", REPRODUCE_PAUSE);
        speech_write(&j, e);
        results_seconds(&j, e->run, 0, 0, 0);
        results_end(&j);
    } else {
        claims_print(claims);
        speech_print(e);
    }
done:
    free(claims);
    return status;
}

static int perform(run *r) {
    experiment e = {.run = r};
    int status;
    TRY(read_options(&e));
    grid_plan(&e);
    TRY(split_check(&e));
    e.figures = calloc((size_t)e.seeds * (size_t)e.runs, sizeof *e.figures);
    if (!e.figures) TRY(run_no_memory(r));
    const int threads = results_threads(r);
    run_say(r, "%d runs with %d seed%s: %lld signals of %d samples, %lld atoms, %lld iterations, %d thread%s",
            e.runs * e.seeds, e.seeds, e.seeds == 1 ? "" : "s", (long long)e.signals, REPRODUCE_DIM, (long long)e.atoms,
            (long long)e.iterations, threads, threads == 1 ? "" : "s");
    run_hold_signals(1);
    TRY(grid_perform(&e));
    if (status == INCO_STOPPED)
        run_warn(r, "interrupted: the same command continues from here");
    else
        TRY(conclude(&e));
done:
    for (int i = 0; e.figures && i < e.seeds * e.runs; i++) numbers_free(&e.figures[i]);
    free(e.figures);
    free(e.data);
    free(e.output);
    return status;
}

const command reproduce_command = {
    "reproduce",
    COMMAND_REPRODUCE,
    "sigg2012 --data DIR -o OUT/ [OPTIONS]",
    "repeat a published experiment, with a verdict on each claim",
    "sigg2012 is the experiment of Sigg, Dikk and Buhmann, Learning Dictionaries with Bounded Self-Coherence (IEEE "
    "Signal Processing Letters, 2012), on recordings of one speaker: K-SVD with atom replacement, INK-SVD and IDL(G) "
    "at several settings, and inco's own variants. 20 recordings are held out for testing.\nOUT/index.html has the "
    "figures, OUT/claims.json the verdicts, OUT/csv the numbers. Exit status 0 means that the experiment is complete, "
    "not that the claims hold. Results already in OUT are reused: to continue an interrupted run, give the command "
    "again.",
    perform,
};
