#include "code/coder_options.h"

#include "base/common.h"
#include "base/error.h"
#include "code/coders.h"

/* ---- The coders ---- */

#define KIND(constant, name, kernel, nonnegative, squares, coherence, sparse, help)                                    \
    {name, kernel, nonnegative, squares, coherence, sparse},
static const coder_kind kinds[] = {CODERS(KIND)};

const coder_kind *coder_kind_at(int64_t coder) {
    return &kinds[coder];
}

/* ---- Rows ---- */

#define WORD(constant, name, kernel, nonnegative, squares, coherence, sparse, help) "|" name
#define HELP(constant, name, kernel, nonnegative, squares, coherence, sparse, help) "; " name ": " help
#define IF_0(text)
#define IF_1(text) text
#define NONNEGATIVE(constant, name, kernel, nonnegative, squares, coherence, sparse, help) IF_##nonnegative(" " name)

static const option_row rows[] = {
    CHOICE_OPTION(coder_options, coder, "coder", "NAME", "omp", &(CODERS(WORD))[1], OPTIONS_CODING, "Sparse coding",
                  &(CODERS(HELP))[2]),
    REAL_OPTION(
        coder_options, residual_coherence, "residual-coherence", "MU", NULL, 0, 1, OPTIONS_CODING, "Sparse coding",
        "stop when max |d'r| / ||r|| <= MU (default with larc if no stopping rule is given, in D dimensions: 0.2 "
        "sqrt(160/D), at most 0.5)"),
    INTEGER_OPTION(
        coder_options, sparsity, "sparsity", "K", NULL, 1, OPTION_MANY, OPTIONS_CODING, "Sparse coding",
        "stop at K atoms per signal (default with omp and ols if no stopping rule is given: D/20, at least 2; of learn "
        "with idl, normalised signals and no max-coherence: option lambda instead)"),
    REAL_OPTION(coder_options, tolerance, "tolerance", "R", NULL, 0, 1, OPTIONS_CODING, "Sparse coding",
                "stop when ||r|| <= R ||x||"),
    REAL_OPTION(coder_options, residual_norm, "residual-norm", "E", NULL, 0, DBL_MAX, OPTIONS_CODING, "Sparse coding",
                "stop when ||r|| <= E; learn: of the normalised signals, unless option 'normalize' = 'none'"),
    REAL_OPTION(
        coder_options, lambda, "lambda", "LAMBDA", NULL, 0, DBL_MAX, OPTIONS_CODING, "Sparse coding",
        "stop when max |d'r| <= LAMBDA; lasso: the weight in 1/2 ||x - Dc||^2 + LAMBDA ||c||_1 (default of learn with "
        "idl, normalised signals and omp or ols if no stopping rule is given: sqrt(2/D), at most 0.3, times the cube "
        "root of v, see option gamma-relative)"),
    FLAG_OPTION(coder_options, refit, "refit", OPTIONS_CODING, "Sparse coding",
                "recompute the coefficients by least squares on the support, which undoes the shrinkage of larc, "
                "lars and lasso"),
    FLAG_OPTION(coder_options, nonnegative, "nonnegative", OPTIONS_CODING, "Sparse coding",
                "coefficients of zero or more, with" CODERS(NONNEGATIVE)),
};

const options_part coder_part = {OPTIONS_PART(rows, coder_options), .commands = INCO_ENCODE | INCO_DECOHERE,
                                 .check = coder_check};

coder_options coder_options_for(int coder, int64_t sparsity) {
    return (coder_options){.coder = coder,
                           .sparsity = sparsity,
                           .residual_coherence = NAN,
                           .tolerance = NAN,
                           .residual_norm = NAN,
                           .lambda = NAN};
}

/* ---- Rules ---- */

static int has_rule(const coder_options *o) {
    return o->sparsity != OPTION_UNSET || !isnan(o->tolerance) || !isnan(o->residual_norm) || !isnan(o->lambda);
}

double coder_residual_coherence(const coder_options *o, int64_t dim) {
    const double usual = kinds[o->coder].residual_coherence;
    if (!isnan(o->residual_coherence)) return o->residual_coherence;
    return has_rule(o) || usual < 0 ? -1 : fmin(0.5, usual * sqrt(160 / (double)dim));
}

int coder_has_default_sparsity(const coder_options *o) {
    return !has_rule(o) && isnan(o->residual_coherence) && kinds[o->coder].sparse;
}

int64_t coder_sparsity(const coder_options *o, int64_t dim) {
    if (o->sparsity != OPTION_UNSET) return o->sparsity;
    if (!coder_has_default_sparsity(o)) return dim;
    return dim < 40 ? 2 : (dim + 10) / 20;
}

int coder_is_least_squares(const coder_options *o) {
    return kinds[o->coder].least_squares || o->refit;
}

int coder_options_check(const coder_options *o, inco_error *error) {
    const coder_kind *kind = &kinds[o->coder];
    if (!has_rule(o) && isnan(o->residual_coherence) && kind->residual_coherence < 0 && !kind->sparse)
        return error_set(
            error, INCO_EINVAL,
            "option 'coder' = '%s' needs a stopping rule: option 'sparsity', 'tolerance', 'residual-norm', "
            "'lambda' or 'residual-coherence'",
            kind->name);
    if (o->nonnegative && !kind->nonnegative)
        return error_set(error, INCO_EINVAL,
                         "option 'nonnegative' works with the coders" CODERS(NONNEGATIVE) ", not with %s", kind->name);
    return INCO_OK;
}

int coder_check_gaps(int64_t coder, int nonnegative, inco_error *error) {
    if (kinds[coder].kernel != KERNEL_PURSUIT)
        return error_set(error, INCO_EINVAL,
                         "option 'coder' = '%s' needs all entries of a signal: with missing entries use omp or ols",
                         kinds[coder].name);
    if (nonnegative)
        return error_set(
            error, INCO_EINVAL,
            "option 'nonnegative' needs all entries of a signal: leave it out, or fill the missing entries "
            "first");
    return INCO_OK;
}

int coder_check(const inco_options *options, inco_error *error) {
    const coder_options *o = coder_options_of(options);
    int status = coder_options_check(o, error);
    if (status < 0 || common_options_of(options)->missing != MISSING_NAN) return status;
    return coder_check_gaps(o->coder, (int)o->nonnegative, error);
}
