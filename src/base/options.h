/* The one option table: names, ranges, defaults and help of everything that can be set. A new option is one field here
 * and one row in options.c. */
#ifndef INCO_BASE_OPTIONS_H
#define INCO_BASE_OPTIONS_H

#include <inco/inco.h>
#include <math.h>

#include "base/watcher.h"

/* Values of the choices, in the order of their spelling in the table. */
enum {
    METHOD_IDL,
    METHOD_MOD,
    METHOD_MOCOD,
    METHOD_ONLINE,
    METHOD_KSVD,
    METHOD_AKSVD,
    METHOD_INKSVD,
    METHOD_IPR,
    METHOD_AKSVDC,
    METHOD_IDB,
    METHOD_PARAMETRIC
};
enum { FAMILY_GAMMATONE };
enum { NORMS_SPHERE, NORMS_RESCALE };
enum { CODER_LARC, CODER_OMP, CODER_OLS, CODER_LARS, CODER_LASSO };
enum { UNUSED_KEEP, UNUSED_WORST, UNUSED_SAMPLE };
enum { PRECISION_F32, PRECISION_F64 };
enum { NORMALIZE_UNIT, NORMALIZE_NONE };
enum { CENTER_NONE, CENTER_SIGNAL, CENTER_FEATURE };

enum { OPTIONS_MAX = 96 }; /* rows that the record of what was given has room for */

struct inco_options {
    /* the dictionary */
    int64_t atoms, method, iterations, update_iterations, norms, unused, min_uses, exchange, batch, family;
    int64_t decorrelation_passes, ipr_iterations, code_updates;
    int64_t dim, tight, starts, steps;
    double max_coherence, decorrelation_tolerance, barrier;
    double gamma, gamma_relative, target_rms, target_error, eta, forget, replace, stop_change, stop_seconds;
    char *init;
    /* coding */
    int64_t coder, sparsity, refit, nonnegative;
    double residual_coherence, tolerance, lambda;
    /* data */
    int64_t window, hop, signals, patch_rows, patch_cols, columns, normalize, center, precision;
    double rate;
    char *variable, *dictionary, *data;
    /* metrics */
    double duplicates;
    /* the run */
    int64_t threads, seed, seeds, quick, quiet, json;
    char *output, *log, *codes, *checkpoint, *resume, *report, *csv, *test;

    watcher watch;                    /* not in the table: who is told of progress */
    unsigned char given[OPTIONS_MAX]; /* by row of the table */
};

/* Numbers without a default are NaN (reals) or OPTION_UNSET (integers and choices) until given. */
#define OPTION_UNSET INT64_MIN
/* A real that was given as the word auto. */
#define OPTION_AUTO (-INFINITY)

/* Row i of the table, NULL past its end. */
const inco_option *option_at(int i);

/* The coder's stop rules and the combinations that make no sense; the message names both options. */
int options_check_coder(const inco_options *options, inco_error *error);
int options_check_learn(const inco_options *options, inco_error *error);
int options_check_frame(const inco_options *options, inco_error *error);
int options_check_decohere(const inco_options *options, inco_error *error);

/* Residual coherence at which to stop, or -1 for no such rule: the value given, else 0.2 for LARC without other rule.
 */
double options_residual_coherence(const inco_options *options);

/* The method's --gamma-relative: the value given, else its default. */
double options_gamma_relative(const inco_options *options);

/* The tolerance that the method's --max-coherence is met within. */
double options_coherence_tolerance(const inco_options *options);

/* The rounds of new codes and another update in an iteration: those given, else the default. */
int64_t options_code_updates(const inco_options *options);

/* The precision asked for, or `otherwise` when none was. */
inco_type options_precision(const inco_options *options, inco_type otherwise);

#endif
