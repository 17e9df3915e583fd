/* inco frame: designs a frame of low coherence, without data. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "outputs.h"
#include "progress.h"
#include "results.h"

static void summarize(const run *r, const inco_frame_info *info) {
    const char *bound = inco_bound_name(info->dim, info->atoms);
    if (info->welch > 0)
        run_say(r, "  coherence         %.6f (%s %.6f, ratio %.4f)", info->coherence_max, bound, info->welch,
                info->coherence_max / info->welch);
    else
        run_say(r, "  coherence         %.6f (no more atoms than dimensions)", info->coherence_max);
    run_say(r, "  tight frame       %s: D D' differs from (L/D) I by %.1e at most",
            info->tightness < 1e-6 ? "yes" : "no", info->tightness);
    if (info->welch > 0)
        run_say(r, "  found             from initial frame %lld of %lld, counted from 0; stopped by %s",
                (long long)info->start, (long long)info->starts, info->stopped_by);
}

static void print_json(const run *r, const inco_frame_info *info) {
    json j = results_begin(r);
    json_integer(&j, "dim", info->dim);
    json_integer(&j, "atoms", info->atoms);
    json_text(&j, "precision", results_precision(info->precision));
    json_object(&j, "coherence");
    json_number(&j, "max", info->coherence_max);
    json_number(&j, "rms", info->coherence_rms);
    json_number(&j, "welch", info->welch);
    json_number(&j, "welch_ratio", info->welch > 0 ? info->coherence_max / info->welch : NAN);
    json_end_object(&j);
    json_number(&j, "tightness", info->tightness);
    json_integer(&j, "starts", info->starts);
    json_integer(&j, "start", info->start);
    json_text(&j, "stopped_by", info->stopped_by);
    json_number(&j, "seed", inco_options_get_number(r->options, "seed"));
    results_machine(&j, r);
    results_options(&j, r);
    results_seconds(&j, r, info->seconds_total, NAN, 0);
    results_end(&j);
}

static int perform(run *r) {
    progress bar = progress_start(r->quiet);
    inco_mat frame = {0};
    inco_frame_info info = INCO_INIT(inco_frame_info);
    char *path = NULL;
    int status;
    TRY(run_text(r, "output", &path));
    if (r->path_count) TRY(run_fail(r, INCO_EINVAL, "inco frame takes no data: remove '%s'", r->paths[0]));
    if (!path) TRY(run_fail(r, INCO_EINVAL, "no output file given: -o FILE"));
    TRY(inco_options_check(r->options, INCO_FRAME, &r->error));
    TRY(outputs_check(r, (const output[]){{"-o", path, OUTPUT_MATRIX}}, 1, NULL, 0));
    run_hold_signals(1);
    run_say(r, "%.0f atoms of %.0f dimensions", inco_options_get_number(r->options, "atoms"),
            inco_options_get_number(r->options, "dim"));
    TRY(run_on_progress(r, progress_until_signal, &bar));
    TRY(inco_frame(r->options, &frame, &info, &r->error));
    const int outcome = status;
    progress_clear(&bar);
    summarize(r, &info);
    TRY(results_save(r, path, &frame, NULL, r->options));
    if (outcome == INCO_STOPPED) run_warn(r, "interrupted; the best frame so far is saved");
    if (r->json) print_json(r, &info);
done:
    progress_clear(&bar);
    inco_mat_free(&frame);
    free(path);
    return status;
}

const command frame_command = {
    "frame",
    INCO_FRAME,
    "--dim D --atoms L -o F.npy [OPTIONS]",
    "design a frame of low coherence, without data",
    "Designs a frame of L unit-norm atoms in D dimensions with the lowest max |d_i'd_j| found, and compares it with "
    "the lower bound for this size. If the search converges to an equiangular tight frame, the frame is exact. For L "
    "<= D the atoms are orthonormal.\nThe search minimises p-norms of the inner products, of increasing order p, from "
    "several random initial frames. Ctrl-C stops it and saves the best frame so far. The result depends only on the "
    "size, --seed, --starts, --steps and --tight.",
    perform,
};
