#include "learn/need.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/common.h"
#include "base/error.h"
#include "base/handle.h"
#include "base/limit.h"
#include "base/source.h"
#include "code/coder_options.h"
#include "data/draw.h"
#include "data/pass.h"
#include "learn/alternate.h"
#include "learn/bounded.h"
#include "learn/learn_options.h"
#include "learn/method.h"

/* The program, the buffers of BLAS, and the libraries that matio loads (HDF5). */
#ifdef INCO_HAVE_MAT
static const double PROGRAM = 18e6;
#else
static const double PROGRAM = 10e6;
#endif

typedef struct need {
    double fixed;      /* bytes for any number of signals, apart from log2(N) partial sums */
    double per_signal; /* bytes held for every signal */
} need;

/* Atoms of a code: the option sparsity, or a guess for coders that stop by another rule. */
static double code_length(const inco_source *signals, int64_t atoms, const inco_options *options) {
    const int64_t sparsity = coder_options_of(options)->sparsity;
    const double longest = fmin((double)signals->dim, (double)atoms);
    return sparsity == OPTION_UNSET ? longest / 3 : fmin(longest, (double)sparsity);
}

/* Per thread, a coder holds its basis P (L x k), in float32 and, to verify it, a k x k factor in double. */
static double coding(double atoms, double length, inco_type type, int threads) {
    const double gram = atoms * atoms * (type == INCO_F32 ? 4 : 12);
    return gram + threads * (4 * atoms * length + 16 * length * length);
}

/* Triangles that base/tree.c holds at a time, besides the one that becomes the total. */
static double partial_sums(int64_t count) {
    return floor(log2(fmax(1, ceil((double)count / PASS_GROUP))));
}

/* Matrices of the size of A, in double: the total and a copy for the update; in batches also the sums over former
 * batches and those at the start of a pass, and the copy may be in float32. */
static double sums(const inco_options *options) {
    const int whole = learn_options_of(options)->schedule == SCHEDULE_BATCH || bounded_is(options);
    return whole ? 2 : 3.5;
}

/* With missing entries: the atoms and their squares, and per thread a block of signals of which each holds a basis
 * (D x k); a byte per entry of a group. */
static double coding_gaps(const inco_source *signals, double atoms, double length, int threads) {
    enum { BLOCK = 32 };
    const double dim = (double)signals->dim, group = fmin((double)PASS_GROUP, (double)signals->count);
    if (!signals->missing && !signals->mask) return 0;
    return 16 * dim * atoms + group * dim + threads * 8.0 * BLOCK * (dim * (length + 19) + 4 * atoms);
}

static need need_of(const inco_source *signals, int64_t atoms, const inco_options *options) {
    const method *own = method_of(options);
    const int64_t updates = learn_options_of(options)->code_updates;
    const double d = (double)signals->dim, l = (double)atoms, group = fmin((double)PASS_GROUP, (double)signals->count);
    const double length = code_length(signals, atoms, options), code = length * (4 + signals->type) + 8;
    const int refits = updates == OPTION_UNSET ? own->code_updates && own->code_updates(options) > 0 : updates > 0;
    need n = {.fixed = coding(l, length, signals->type, common_threads(options)) + group * 4 * code +
                       coding_gaps(signals, l, length, common_threads(options))};
    if (own->needs_codes) {
        n.fixed += 8 * 3 * d * l;
        n.per_signal = d * signals->type + 2 * code + 16;
    } else {
        n.fixed += 8 * (partial_sums(signals->count) * (d * l + l * l / 2) + sums(options) * l * l + 11 * d * l);
        if (refits) n.fixed += fmin(code * (double)signals->count, (double)alternate_codes_limit(options));
    }
    if (!strcmp(learn_options_of(options)->init, "sample")) n.fixed = fmax(n.fixed, draw_memory(signals->count, atoms));
    n.fixed += PROGRAM + group * d * signals->type;
    return n;
}

int need_check(const inco_source *signals, int64_t atoms, const inco_options *options, inco_error *error) {
    const need n = need_of(signals, atoms, options);
    const double all = n.fixed + n.per_signal * (double)signals->count, limit = (double)limit_of(options);
    char held[96] = "";
    if (all <= limit) return INCO_OK;
    if (n.per_signal > 0) snprintf(held, sizeof held, ", %.0f bytes of it for each signal", n.per_signal);
    return error_set(error, INCO_ENOMEM,
                     "option 'method' = '%s' needs about %.0f MB of memory%s, more than the %.0f MB of option "
                     "'max-memory'",
                     method_of(options)->name, all / 1e6, held, limit / 1e6);
}

double inco_learn_memory(const inco_source *source, int64_t atoms, const inco_options *options) {
    inco_source own;
    if (!handle_is(options, "options") || atoms < 1 || source_take(&own, source, NULL) < 0) return NAN;
    own.type = common_precision(options, own.type);
    own.missing |= common_options_of(options)->missing == MISSING_NAN;
    const need n = need_of(&own, atoms, options);
    return n.fixed + n.per_signal * (double)own.count;
}
