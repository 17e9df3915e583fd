#include "code/coder.h"

#include <math.h>
#include <string.h>

#include "base/common.h"
#include "base/error.h"
#include "base/handle.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/range.h"
#include "code/gaps.h"
#include "code/kernel.h"
#include "mat/blas.h"
#include "mat/mat.h"
#include "sparse/wide.h"

enum { CODER_BLOCK = GAPS_BLOCK }; /* signals per block: D'X of a block stays in the cache */

static const char kind[] = "coder";

struct inco_coder {
    inco_type type;
    int64_t dim, atoms, stride;
    int threads;
    kernel_rules rules;
    double residual_norm; /* option residual-norm; -1: none. Each signal has its own rules.tolerance then */
    kernel_run run;
    kernel_refine refine;
    inco_mat dictionary; /* D x L, unit norm */
    double *norms;       /* of the atoms before normalisation */
    void *gram, *usable; /* stride x L; stride */
    kernel_work *work;   /* one per thread */
    inco_mat *products;  /* D'X of a block, stride x CODER_BLOCK, one per thread */
    coder_counts seen;
    /* Only in double, where the cost is dominated by reading P: a coder in float32 that finds the support, and the
     * workspace to compute the coefficients in double. NULL: none. */
    inco_coder *fast;
    kernel_refinement *refining; /* one per thread, of the coder in double */
    inco_mat *narrow;            /* a block of signals in float32, one per thread */
    gaps_coder *gaps;            /* for signals with missing entries; NULL: they are refused */
};

/* ---- Making ---- */

static kernel_rules rules_from(const coder_options *o, int64_t dim, int64_t atoms) {
    kernel_rules rules = {.coder = (int)o->coder,
                          .kernel = coder_kind_at(o->coder)->kernel,
                          .nonnegative = (int)o->nonnegative,
                          .refit = (int)o->refit};
    rules.atoms = range_min(range_min(dim, atoms), coder_sparsity(o, dim));
    rules.coherence = coder_residual_coherence(o, dim);
    rules.tolerance = isnan(o->tolerance) ? -1 : o->tolerance;
    rules.lambda = isnan(o->lambda) ? -1 : o->lambda;
    return rules;
}

static void work_free(kernel_work *w) {
    for (int64_t i = 0; w->chunk && i < w->chunks; i++) memory_free(w->chunk[i]);
    void *arrays[] = {w->chunk, w->corr,     w->slope,   w->free,    w->norm,  w->maximum, w->factor, w->proj, w->turn,
                      w->entry, w->solution, w->retired, w->support, w->value, w->rival,   w->window, w->level};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) memory_free(arrays[i]);
    for (int i = 0; i <= KERNEL_GUESSES; i++) memory_free(w->row[i]);
    for (int i = 0; i < KERNEL_BEGUN; i++) memory_free(w->begun[i].sum);
}

/* Allocates one array of `count` items; clears *good on failure. */
static void *piece(int64_t count, size_t size, int *good) {
    void *block = memory_new(count, size);
    if (!block) *good = 0;
    return block;
}

static int work_new(kernel_work *w, const inco_coder *coder) {
    const int64_t maximum = coder->rules.atoms, stride = coder->stride;
    int good = 1;
    *w = (kernel_work){.rules = coder->rules, .stride = stride, .gram = coder->gram, .usable = coder->usable};
    w->guesses = kernel_guesses();
    w->begin_from = 1 + KERNEL_NEAR / (stride * (int64_t)coder->type);
    w->chunk = piece(range_blocks(maximum, KERNEL_CHUNK), sizeof(void *), &good);
    w->corr = piece(stride, coder->type, &good);
    w->slope = piece(stride, coder->type, &good);
    w->free = piece(stride, coder->type, &good);
    w->norm = piece(stride, coder->type, &good);
    for (int i = 0; i <= KERNEL_GUESSES; i++) w->row[i] = piece(maximum, coder->type, &good);
    w->maximum = piece(stride, coder->type, &good);
    for (int i = 0; i < KERNEL_BEGUN; i++) w->begun[i].sum = piece(stride, coder->type, &good);
    w->factor = piece(maximum * (maximum + 1) / 2, sizeof(double), &good);
    w->proj = piece(maximum, sizeof(double), &good);
    w->turn = piece(maximum, sizeof(double), &good);
    w->entry = piece(maximum, sizeof(double), &good);
    w->solution = piece(maximum, sizeof(double), &good);
    w->retired = piece(stride, sizeof(int32_t), &good);
    w->support = piece(maximum, sizeof(int32_t), &good);
    w->value = piece(maximum, sizeof(double), &good);
    w->rival = piece(KERNEL_RIVALS, sizeof(kernel_rival), &good);
    w->window = piece(maximum + 1, sizeof(kernel_window), &good);
    w->level = piece(maximum + 1, sizeof(double), &good);
    return good ? INCO_OK : INCO_ENOMEM;
}

static int make_workspaces(inco_coder *coder, inco_error *error) {
    coder->work = NEW(kernel_work, coder->threads);
    coder->products = NEW(inco_mat, coder->threads);
    if (!coder->work || !coder->products) return error_no_memory(error);
    for (int t = 0; t < coder->threads; t++) {
        if (work_new(&coder->work[t], coder) < 0) return error_no_memory(error);
        int status = inco_mat_new(&coder->products[t], coder->type, coder->stride, CODER_BLOCK, error);
        if (status < 0) return status;
    }
    return INCO_OK;
}

static void refining_free(kernel_refinement *r) {
    double *arrays[] = {r->fit,      r->path,  r->alpha,  r->turn,  r->row,
                        r->residual, r->moved, r->errors, r->upper, r->inverse};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) memory_free(arrays[i]);
}

static int refining_new(kernel_refinement *r, const inco_coder *coder) {
    const int64_t maximum = coder->rules.atoms;
    int good = 1;
    *r = (kernel_refinement){.dictionary = coder->dictionary.data, .dim = coder->dim};
    r->fit = piece(maximum, sizeof(double), &good);
    r->path = piece(maximum, sizeof(double), &good);
    r->alpha = piece(maximum, sizeof(double), &good);
    r->turn = piece(maximum, sizeof(double), &good);
    r->row = piece(maximum, sizeof(double), &good);
    r->residual = piece(coder->dim, sizeof(double), &good);
    r->moved = piece(coder->dim, sizeof(double), &good);
    r->errors = piece(maximum, sizeof(double), &good);
    r->pitch = range_padded(maximum, KERNEL_PITCH);
    r->upper = piece(maximum * r->pitch, sizeof(double), &good);
    r->inverse = piece(maximum * r->pitch, sizeof(double), &good);
    return good ? INCO_OK : INCO_ENOMEM;
}

/* Returns whether float32 finds the support: not if the residual may become too small for it. */
static int fast_is_wanted(const inco_coder *coder) {
    const kernel_rules *rules = &coder->rules;
    if (coder->type != INCO_F64 || rules->nonnegative || coder->residual_norm >= 0) return 0;
    return rules->tolerance < 0 || rules->tolerance >= 0.02;
}

static int make_fast(inco_coder *coder, const coder_options *rules, inco_error *error) {
    const coder_shape shape = {coder->dim, coder->atoms, INCO_F32, coder->threads};
    int status = coder_open(&coder->fast, &shape, rules, error);
    if (status < 0) return status;
    coder->refining = NEW(kernel_refinement, coder->threads);
    coder->narrow = NEW(inco_mat, coder->threads);
    if (!coder->refining || !coder->narrow) return error_no_memory(error);
    for (int t = 0; t < coder->threads; t++) {
        kernel_refinement *r = &coder->refining[t];
        if (refining_new(r, coder) < 0) return error_no_memory(error);
        r->fast = &coder->fast->work[t];
        r->fast->verified = coder->dim;
        r->to = &coder->work[t];
        if ((status = inco_mat_new(&coder->narrow[t], INCO_F32, coder->dim, CODER_BLOCK, error)) < 0) return status;
    }
    return INCO_OK;
}

void coder_without_fast(inco_coder *coder) {
    for (int t = 0; t < coder->threads; t++) {
        if (coder->refining) refining_free(&coder->refining[t]);
        if (coder->narrow) inco_mat_free(&coder->narrow[t]);
    }
    inco_coder_free(coder->fast);
    memory_free(coder->refining);
    memory_free(coder->narrow);
    coder->fast = NULL;
    coder->refining = NULL;
    coder->narrow = NULL;
}

void coder_without_guesses(inco_coder *coder) {
    for (int t = 0; t < coder->threads; t++) coder->work[t].begin_from = INT64_MAX;
    if (coder->fast) coder_without_guesses(coder->fast);
}

/* ---- The Gram matrix ---- */

enum { GRAM_BLOCK = 256 };

typedef struct gram_making {
    inco_coder *coder;
    int64_t blocks;     /* on a side */
    inco_mat exact;     /* the atoms as rounded to the coder's type, converted to double */
    inco_mat workspace; /* one block per thread */
} gram_making;

/* Stores the block of G whose first entry is (row, col), on or below the diagonal, and its transpose, in the coder's
 * type. */
static void keep_block(const inco_coder *coder, int64_t row, int64_t col, const inco_mat *block) {
    const inco_mat gram = {coder->type, coder->atoms, coder->atoms, coder->stride, coder->gram, NULL};
    const inco_mat to = mat_part(&gram, row, col, block->rows, block->cols);
    const inco_mat image = mat_part(&gram, col, row, block->cols, block->rows);
    mat_copy(&to, block);
    if (row > col) mat_copy_transposed(&image, block);
}

static int make_block(void *self, int64_t number, int thread, inco_error *error) {
    const gram_making *g = self;
    const int64_t row = number % g->blocks * GRAM_BLOCK, col = number / g->blocks * GRAM_BLOCK;
    const int64_t atoms = g->coder->atoms;
    (void)error;
    if (row < col) return INCO_OK;
    const inco_mat left = mat_columns(&g->exact, row, range_min(atoms - row, GRAM_BLOCK));
    const inco_mat right = mat_columns(&g->exact, col, range_min(atoms - col, GRAM_BLOCK));
    const inco_mat block = mat_part(&g->workspace, 0, thread * g->workspace.rows, left.cols, right.cols);
    blas_multiply(1, "TN", 1, &left, &right, 0, &block);
    keep_block(g->coder, row, col, &block);
    if (g->coder->fast) keep_block(g->coder->fast, row, col, &block);
    return INCO_OK;
}

/* Computes G = D'D in double, from the atoms as rounded to the coder's type. */
static int make_gram(inco_coder *coder, inco_error *error) {
    gram_making g = {.coder = coder, .blocks = range_blocks(coder->atoms, GRAM_BLOCK)};
    const int64_t side = range_min(coder->atoms, GRAM_BLOCK);
    int status;
    TRY(mat_convert(&g.exact, &coder->dictionary, INCO_F64, error));
    TRY(mat_new_raw(&g.workspace, INCO_F64, side, coder->threads * side, error));
    parallel_for(coder->threads, g.blocks * g.blocks, make_block, &g, NULL);
    coder->seen.grams++;
done:
    inco_mat_free(&g.exact);
    inco_mat_free(&g.workspace);
    return status;
}

/* Sets the atoms and which of them can be chosen. */
static void set_atoms(inco_coder *coder, const inco_mat *unit, const double *norms) {
    mat_copy(&coder->dictionary, unit);
    for (int64_t j = 0; j < coder->atoms; j++) {
        coder->norms[j] = norms[j];
        if (coder->type == INCO_F32)
            ((float *)coder->usable)[j] = norms[j] > 0;
        else
            ((double *)coder->usable)[j] = norms[j] > 0;
    }
}

int coder_take_gaps(inco_coder *coder, inco_error *error) {
    const gaps_rules rules = {.rules = coder->rules,
                              .residual_norm = coder->residual_norm,
                              .type = coder->type,
                              .dim = coder->dim,
                              .atoms = coder->atoms,
                              .threads = coder->threads};
    int status = coder_check_gaps(coder->rules.coder, coder->rules.nonnegative, error);
    if (status < 0 || coder->gaps) return status;
    if ((status = gaps_coder_new(&coder->gaps, &rules, error)) >= 0)
        gaps_coder_dictionary(coder->gaps, &coder->dictionary);
    return status;
}

const inco_mat *coder_atoms(const inco_coder *coder, const double **norms) {
    *norms = coder->norms;
    return &coder->dictionary;
}

int coder_set_dictionary(inco_coder *coder, const inco_mat *dictionary, inco_error *error) {
    inco_mat exact = {0};
    int64_t row, col;
    int status = INCO_OK;
    if (dictionary->rows != coder->dim || dictionary->cols != coder->atoms)
        return error_set(error, INCO_EDIM, "the dictionary is %lld x %lld, the coder was created for %lld x %lld",
                         (long long)dictionary->rows, (long long)dictionary->cols, (long long)coder->dim,
                         (long long)coder->atoms);
    if (mat_find_nonfinite(dictionary, &row, &col))
        return error_set(error, INCO_EDATA, "the dictionary has a NaN or Inf: atom %lld, feature %lld (from 0)",
                         (long long)col, (long long)row);
    TRY(mat_convert(&exact, dictionary, INCO_F64, error));
    coder->seen.zero_atoms = mat_normalize_columns(&exact, coder->norms);
    set_atoms(coder, &exact, coder->norms);
    if (coder->fast) set_atoms(coder->fast, &exact, coder->norms);
    if (coder->gaps) gaps_coder_dictionary(coder->gaps, &coder->dictionary);
    TRY(make_gram(coder, error));
done:
    inco_mat_free(&exact);
    return status;
}

/* Allocates the Gram matrix and related arrays. */
static int make_arrays(inco_coder *coder, inco_error *error) {
    int status = inco_mat_new(&coder->dictionary, coder->type, coder->dim, coder->atoms, error);
    if (status < 0) return status;
    coder->norms = NEW(double, coder->atoms);
    coder->usable = memory_new(coder->stride, coder->type);
    coder->gram =
        coder->stride <= INT64_MAX / 8 / coder->atoms ? memory_new(coder->stride * coder->atoms, coder->type) : NULL;
    if (!coder->gram)
        return error_set(error, INCO_ENOMEM, "out of memory for the %lld x %lld Gram matrix (%.1f GB)",
                         (long long)coder->atoms, (long long)coder->atoms,
                         (double)coder->stride * (double)coder->atoms * coder->type / 1e9);
    return coder->norms && coder->usable ? INCO_OK : error_no_memory(error);
}

int coder_open(inco_coder **result, const coder_shape *shape, const coder_options *rules, inco_error *error) {
    inco_coder *coder = NULL;
    int status;
    *result = NULL;
    TRY(coder_options_check(rules, error));
    if (shape->dim < 1 || shape->atoms < 1 || shape->atoms > INT32_MAX / 2)
        TRY(error_set(error, INCO_EDIM, "a dictionary of %lld atoms of %lld dimensions cannot be used for coding",
                      (long long)shape->atoms, (long long)shape->dim));
    if (!(coder = HANDLE(inco_coder, kind))) TRY(error_no_memory(error));
    coder->type = shape->type;
    coder->dim = shape->dim;
    coder->atoms = shape->atoms;
    coder->stride = range_padded(coder->atoms, KERNEL_PAD);
    coder->threads = shape->threads;
    coder->rules = rules_from(rules, coder->dim, coder->atoms);
    coder->residual_norm = isnan(rules->residual_norm) ? -1 : rules->residual_norm;
    coder->run = kernel_choose(coder->rules.coder, coder->type);
    coder->refine = kernel_choose_refine();
    TRY(make_arrays(coder, error));
    TRY(make_workspaces(coder, error));
    if (fast_is_wanted(coder)) TRY(make_fast(coder, rules, error));
    *result = coder;
done:
    if (status < 0) inco_coder_free(coder);
    return status;
}

int coder_new(inco_coder **result, const inco_mat *dictionary, inco_type type, const coder_options *rules, int threads,
              inco_error *error) {
    const coder_shape shape = {dictionary->rows, dictionary->cols, type, threads};
    int status = blas_enter(threads, error);
    if (status >= 0) status = coder_open(result, &shape, rules, error);
    if (status >= 0 && (status = coder_set_dictionary(*result, dictionary, error)) < 0) {
        inco_coder_free(*result);
        *result = NULL;
    }
    blas_leave();
    return status;
}

int inco_coder_new(inco_coder **result, const inco_mat *dictionary, inco_type precision, const inco_options *options,
                   inco_error *error) {
    int status;
    if (!result) return error_null(error, "coder");
    *result = NULL;
    TRY(mat_need(dictionary, "dictionary", error));
    TRY(handle_need(options, "options", error));
    if (precision != INCO_F32 && precision != INCO_F64)
        TRY(error_set(error, INCO_EINVAL, "the precision is neither INCO_F32 nor INCO_F64"));
    TRY(coder_new(result, dictionary, precision, coder_options_of(options), common_threads(options), error));
    if (common_options_of(options)->missing == MISSING_NAN) TRY(coder_take_gaps(*result, error));
done:
    if (status < 0 && result) {
        inco_coder_free(*result);
        *result = NULL;
    }
    return status;
}

void inco_coder_free(inco_coder *coder) {
    if (!handle_end(coder, kind)) return;
    coder_without_fast(coder);
    for (int t = 0; t < coder->threads; t++) {
        if (coder->work) work_free(&coder->work[t]);
        if (coder->products) inco_mat_free(&coder->products[t]);
    }
    inco_mat_free(&coder->dictionary);
    memory_free(coder->norms);
    memory_free(coder->gram);
    memory_free(coder->usable);
    memory_free(coder->work);
    memory_free(coder->products);
    gaps_coder_free(coder->gaps);
    handle_free(coder);
}

coder_counts coder_seen(const inco_coder *coder) {
    coder_counts seen = coder->seen;
    for (int t = 0; t < coder->threads; t++) {
        seen.atoms += coder->work[t].effort.atoms;
        seen.bytes += coder->work[t].effort.bytes;
        seen.multiplied += coder->work[t].effort.multiplied;
    }
    if (!coder->fast) return seen;
    coder_counts fast = coder_seen(coder->fast);
    seen.atoms += fast.atoms;
    seen.bytes += fast.bytes;
    seen.multiplied += fast.multiplied;
    return seen;
}

/* ---- Running ---- */

/* Codes of one block of signals, before they are concatenated. Aligned like kernel_work. */
typedef struct block_codes {
    _Alignas(MEMORY_ALIGN) csc codes;
    coder_counts seen;
} block_codes;

typedef struct batch {
    inco_coder *coder;
    const inco_mat *x;
    block_codes *blocks;
    int64_t count;    /* number of blocks */
    double *residual; /* per signal; may be NULL */
} batch;

/* Appends the code in w, sorted by atom, with coefficients for the atoms before normalisation. The support is small:
 * the position of an atom is the number of smaller ones, counted without branches. */
static int append(csc *codes, const kernel_work *w, const double *norms, inco_error *error) {
    int64_t at = csc_nonzeros(codes), column = codes->cols;
    double finite = 0;
    int status = csc_reserve(codes, column + 1, at + w->count, error);
    if (status < 0) return status;
    for (int64_t m = 0; m < w->count; m++) {
        const int32_t atom = w->support[m];
        int32_t below = 0;
        for (int64_t k = 0; k < w->count; k++) below += w->support[k] < atom;
        codes->index[at + below] = atom;
        csc_set_value(codes, at + below, w->value[m] / norms[atom]);
        finite += csc_value(codes, at + below) - csc_value(codes, at + below); /* NaN if one is not */
    }
    if (finite != 0)
        return error_set(error, INCO_ENUMERIC,
                         "a coefficient is beyond the largest %s: an atom it uses is too short, or a signal too long; "
                         "normalise the atoms, or scale the signals",
                         codes->type == INCO_F32 ? "float32" : "float64");
    codes->start[++codes->cols] = at + w->count;
    return INCO_OK;
}

/* Support from float32, coefficients in double. Returns 1, 0 if the support is not proved, -1 if out of memory. */
static int code_fast(inco_coder *coder, const double *x, const void *products, double energy, int thread) {
    kernel_refinement *r = &coder->refining[thread];
    r->signal = x;
    r->products = products;
    r->energy = energy;
    return coder->fast->run(r->fast, products, energy) < 0 ? -1 : coder->refine(r);
}

/* Codes signal n in the workspace of the thread; `products` is its column of D'X, in the type of the fast coder if
 * there is one. */
static int code_signal(const batch *job, int64_t n, const void *products, double energy, int thread) {
    inco_coder *coder = job->coder;
    if (!coder->fast) return coder->run(&coder->work[thread], products, energy);
    const int proved = code_fast(coder, mat_column(job->x, n), products, energy, thread);
    if (proved) return proved < 0 ? INCO_ENOMEM : INCO_OK;
    inco_mat x = mat_columns(job->x, n, 1), own = mat_columns(&coder->products[thread], 0, 1);
    own.rows = coder->atoms;
    blas_multiply(1, "TN", 1, &coder->dictionary, &x, 0, &own);
    job->blocks[n / CODER_BLOCK].seen.again++;
    return coder->run(&coder->work[thread], own.data, energy);
}

/* The tolerance ||r|| / ||x|| for a signal of this energy, by the options tolerance and residual-norm. */
static double tolerance_for(const inco_coder *coder, double energy) {
    if (coder->residual_norm < 0 || energy <= 0) return coder->rules.tolerance;
    return fmax(coder->rules.tolerance, coder->residual_norm / sqrt(energy));
}

/* The code of a signal with missing entries, which the thread has computed. */
static int take_gaps(const batch *job, int64_t n, const gaps_code *code, int thread, inco_error *error) {
    kernel_work *w = &job->coder->work[thread];
    block_codes *block = &job->blocks[n / CODER_BLOCK];
    if (!isfinite(code->energy))
        return error_set(error, INCO_EDATA,
                         "the norm of signal %lld (counted from 0) is not finite, or too large to compute with",
                         (long long)n);
    w->count = code->count;
    for (int64_t m = 0; m < code->count; m++) {
        w->support[m] = code->support[m];
        w->value[m] = code->value[m];
    }
    block->seen.zero_signals += code->energy == 0 && code->missing < job->x->rows;
    block->seen.skipped += code->skipped;
    if (job->residual) job->residual[n] = code->residual;
    return append(&block->codes, w, job->coder->norms, error);
}

static int take_signal(const batch *job, int64_t n, const void *products, int thread, inco_error *error) {
    kernel_work *w = &job->coder->work[thread];
    block_codes *block = &job->blocks[n / CODER_BLOCK];
    double energy = mat_column_energy(job->x, n);
    w->rules.tolerance = tolerance_for(job->coder, energy);
    w->count = w->skipped = 0;
    w->residual = energy;
    if (!isfinite(energy))
        return error_set(error, INCO_EDATA,
                         "the norm of signal %lld (counted from 0) is not finite, or too large to compute with",
                         (long long)n);
    if (energy == 0)
        block->seen.zero_signals++;
    else if (code_signal(job, n, products, energy, thread) < 0)
        return error_no_memory(error);
    block->seen.skipped += w->skipped;
    if (job->residual) job->residual[n] = w->residual;
    return append(&block->codes, w, job->coder->norms, error);
}

/* D'X of a block, by the coder that finds the support. */
static inco_mat block_products(inco_coder *coder, const inco_mat *x, int thread) {
    const inco_coder *chooses = coder->fast ? coder->fast : coder;
    inco_mat signals = *x, products = mat_columns(&chooses->products[thread], 0, x->cols), filled = products;
    if (coder->fast) {
        signals = mat_columns(&coder->narrow[thread], 0, x->cols);
        mat_copy(&signals, x);
    }
    filled.rows = coder->atoms;
    blas_multiply(1, "TN", 1, &chooses->dictionary, &signals, 0, &filled);
    return products;
}

static int code_block(void *self, int64_t b, int thread, inco_error *error) {
    const batch *job = self;
    inco_coder *coder = job->coder;
    int64_t first = b * CODER_BLOCK, left = job->x->cols - first, count = range_min(left, CODER_BLOCK);
    inco_mat x = mat_columns(job->x, first, count), products = block_products(coder, &x, thread);
    int status = csc_new(&job->blocks[b].codes, coder->type, coder->atoms, count, 16 * count, error);
    if (status >= 0 && coder->gaps && gaps_coder_run(coder->gaps, &x, thread) < 0) status = error_no_memory(error);
    for (int64_t n = 0; status >= 0 && n < count; n++) {
        const gaps_code *code = coder->gaps ? gaps_coder_code(coder->gaps, n, thread) : NULL;
        status = code && code->missing ? take_gaps(job, first + n, code, thread, error)
                                       : take_signal(job, first + n, mat_column(&products, n), thread, error);
    }
    return status;
}

static int check_input(const inco_coder *coder, const inco_mat *x, inco_error *error) {
    if (x->rows != coder->dim)
        return error_set(error, INCO_EDIM, "the signals have %lld dimensions, the atoms have %lld", (long long)x->rows,
                         (long long)coder->dim);
    if (x->type == coder->type) return INCO_OK;
    return error_set(error, INCO_EINVAL, "signals and coder must have the same precision");
}

/* Codes the blocks independently. */
static int run_blocks(batch *job, inco_error *error) {
    inco_coder *coder = job->coder;
    int status = check_input(coder, job->x, error);
    if (status < 0) return status;
    job->count = range_blocks(job->x->cols, CODER_BLOCK);
    if (!(job->blocks = NEW(block_codes, job->count))) return error_no_memory(error);
    status = blas_enter(coder->threads, error);
    if (status >= 0) status = parallel_for(coder->threads, job->count, code_block, job, error);
    blas_leave();
    for (int64_t b = 0; b < job->count && status >= 0; b++) {
        coder->seen.skipped += job->blocks[b].seen.skipped;
        coder->seen.zero_signals += job->blocks[b].seen.zero_signals;
        coder->seen.again += job->blocks[b].seen.again;
    }
    return status;
}

static void free_blocks(batch *job) {
    for (int64_t b = 0; job->blocks && b < job->count; b++) csc_free(&job->blocks[b].codes);
    memory_free(job->blocks);
}

int coder_run(inco_coder *coder, const inco_mat *x, csc *codes, double *residual, inco_error *error) {
    batch job = {.coder = coder, .x = x, .residual = residual};
    int64_t nonzeros = 0;
    int status;
    TRY(run_blocks(&job, error));
    for (int64_t b = 0; b < job.count; b++) nonzeros += csc_nonzeros(&job.blocks[b].codes);
    TRY(csc_new(codes, coder->type, coder->atoms, x->cols, nonzeros, error));
    for (int64_t b = 0; b < job.count; b++) TRY(csc_append(codes, &job.blocks[b].codes, error));
done:
    free_blocks(&job);
    return status;
}

/* Checks that codes of this coder can be appended to these. */
static int check_codes(const inco_coder *coder, const inco_csc *codes, inco_error *error) {
    int status = wide_is_own(codes) ? INCO_OK : wide_check(codes, error);
    if (status < 0 || (codes->type == coder->type && codes->rows == coder->atoms)) return status;
    return error_set(error, INCO_EINVAL, "codes and coder must have the same precision and atoms");
}

int inco_coder_run(inco_coder *coder, const inco_mat *x, inco_csc *codes, double *residual, inco_error *error) {
    batch job = {.coder = coder, .x = x, .residual = residual};
    int status;
    TRY(handle_need(coder, kind, error));
    TRY(mat_need(x, "matrix", error));
    TRY(NEED(codes));
    if (!codes->start) TRY(wide_new(codes, coder->type, coder->atoms, x->cols, error));
    TRY(check_codes(coder, codes, error));
    TRY(run_blocks(&job, error));
    for (int64_t b = 0; b < job.count; b++) TRY(wide_append(codes, &job.blocks[b].codes, error));
done:
    free_blocks(&job);
    return status;
}
