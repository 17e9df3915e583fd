#include "learn/method.h"

#include <math.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/options.h"
#include "dict/aksvdc.h"
#include "dict/decorrelate.h"
#include "dict/idb.h"
#include "dict/ipr.h"
#include "dict/ksvd.h"
#include "mat/mat.h"

/* ---- From A and B ---- */

static int update_idl(inco_mat *d, const method_input *in, update_result *result, inco_error *error) {
    return idl_update(d, in->s, &in->settings, result, error);
}

static int update_mod(inco_mat *d, const method_input *in, update_result *result, inco_error *error) {
    return mod_update(d, in->s, &in->settings, result, error);
}

static int update_mocod(inco_mat *d, const method_input *in, update_result *result, inco_error *error) {
    return mocod_update(d, in->s, &in->settings, result, error);
}

/* ---- With the codes ---- */

static int sweep(inco_mat *d, const method_input *in, const ksvd_rule *rule, update_result *result, inco_error *error) {
    result->before = training_error(in->held);
    int status = ksvd_sweep(d, in->held, rule, error);
    result->after = training_error(in->held);
    result->iterations = 1;
    return status;
}

static const ksvd_rule exact = {KSVD_EXACT, NULL, NULL}, approximate = {KSVD_APPROXIMATE, NULL, NULL};

static int update_ksvd(inco_mat *d, const method_input *in, update_result *result, inco_error *error) {
    return sweep(d, in, &exact, result, error);
}

static int update_aksvd(inco_mat *d, const method_input *in, update_result *result, inco_error *error) {
    return sweep(d, in, &approximate, result, error);
}

/* The objective has the penalty in it. */
static int update_aksvdc(inco_mat *d, const method_input *in, update_result *result, inco_error *error) {
    const double gamma = in->settings.gamma;
    double before, after;
    aksvdc w;
    int status;
    TRY(aksvdc_open(&w, d, gamma, in->settings.threads, error));
    TRY(aksvdc_penalty(d, in->settings.threads, &before, error));
    TRY(sweep(d, in, &w.rule, result, error));
    TRY(aksvdc_penalty(d, in->settings.threads, &after, error));
    result->before += gamma * before;
    result->after += gamma * after;
done:
    aksvdc_close(&w);
    return status;
}

static int update_idb(inco_mat *d, const method_input *in, update_result *result, inco_error *error) {
    const inco_options *o = in->options;
    const int relative = isnan(o->gamma);
    const idb_settings settings = {o->max_coherence, o->barrier,
                                   relative ? options_gamma_relative(o) : in->settings.gamma, relative};
    idb w;
    int status = idb_open(&w, d, &settings, error);
    if (status >= 0) status = sweep(d, in, &w.rule, result, error);
    idb_close(&w);
    return status;
}

/* ---- K-SVD, then the atoms spread ---- */

typedef int (*spreading)(inco_mat *d, const method_input *in, update_result *result, inco_error *error);

/* The codes stay behind; the objective is that of the dictionary returned. */
static int sweep_and_spread(inco_mat *d, const method_input *in, spreading spread, update_result *result,
                            inco_error *error) {
    inco_mat swept = {0};
    int status;
    TRY(sweep(d, in, &exact, result, error));
    TRY(mat_convert(&swept, d, INCO_F64, error));
    const double start = clock_seconds();
    TRY(spread(d, in, result, error));
    result->seconds_spread = clock_seconds() - start;
    TRY(training_error_in(in->held, &swept, d, &result->after, error));
done:
    inco_mat_free(&swept);
    return status;
}

static int rotate_pairs(inco_mat *d, const method_input *in, update_result *result, inco_error *error) {
    const inco_options *o = in->options;
    const decorrelation settings = {
        o->max_coherence,    options_coherence_tolerance(o), o->decorrelation_passes, (uint64_t)o->seed, in->round,
        in->settings.threads};
    decorrelation_result reached;
    int status = decorrelate(d, &settings, &reached, error);
    result->passes = reached.passes;
    result->pairs = reached.pairs;
    return status;
}

static int update_inksvd(inco_mat *d, const method_input *in, update_result *result, inco_error *error) {
    return sweep_and_spread(d, in, rotate_pairs, result, error);
}

static int project(inco_mat *d, const method_input *in, update_result *result, inco_error *error) {
    const inco_options *o = in->options;
    const ipr_settings settings = {o->max_coherence,  options_coherence_tolerance(o),
                                   o->ipr_iterations, (uint64_t)o->seed,
                                   in->round,         in->settings.threads};
    ipr_result reached;
    int status = ipr_project(d, in->held, &settings, &reached, error);
    result->passes = reached.iterations;
    return status;
}

static int update_ipr(inco_mat *d, const method_input *in, update_result *result, inco_error *error) {
    return sweep_and_spread(d, in, project, result, error);
}

static const method methods[] = {
    /* clang-format off */
    {METHOD_IDL, 0, 1, update_idl},
    {METHOD_MOD, 0, 0, update_mod},
    {METHOD_MOCOD, 0, 1, update_mocod},
    {METHOD_ONLINE, 0, 1, NULL},
    {METHOD_KSVD, 1, 0, update_ksvd},
    {METHOD_AKSVD, 1, 0, update_aksvd},
    {METHOD_INKSVD, 1, 0, update_inksvd},
    {METHOD_IPR, 1, 0, update_ipr},
    {METHOD_AKSVDC, 1, 1, update_aksvdc},
    {METHOD_IDB, 1, 1, update_idb},
    {METHOD_PARAMETRIC, 0, 0, NULL},
    /* clang-format on */
};

const method *method_find(int64_t option) {
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (methods[i].option == option) return &methods[i];
    return NULL;
}
