#include "base/options.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/point.h"
#include "base/sized.h"

typedef enum kind { FLAG, INTEGER, REAL_NUMBER, REAL_OR_AUTO, CHOICE, TEXT, PATCH } kind;

typedef struct row {
    inco_option public;
    kind kind;
    size_t offset;
    double low, high; /* bounds of a number, both allowed */
} row;

#define AT(field) offsetof(struct inco_options, field)
#define ROW(name, letter, metavar, fallback, choices, commands, group, kind, field, low, high, help)                   \
    {                                                                                                                  \
        {sizeof(inco_option), name, letter, metavar, fallback, choices, commands, group, help}, kind, AT(field), low,  \
            high                                                                                                       \
    }

enum {
    L = INCO_LEARN,
    E = INCO_ENCODE,
    C = INCO_DECODE,
    I = INCO_INSPECT,
    F = INCO_FRAME,
    H = INCO_DECOHERE,
    P = INCO_REPORT,
    R = INCO_REPRODUCE,
    CODING = INCO_LEARN | INCO_ENCODE | INCO_DECOHERE,
    ALL = INCO_COMMANDS,
    PROGRAM = INCO_PROGRAM_ONLY
};
#define LARGE 9007199254740992.0 /* 2^53: every integer up to here is a double */
#define MANY 2147483647.0

static const row table[] = {
    /* clang-format off */
    ROW("dim", 0, "D", NULL, NULL, F, "Dictionary", INTEGER, dim, 1, MANY,
        "frame: dimensions of an atom (needed)"),
    ROW("atoms", 0, "L", NULL, NULL, L | F | R, "Dictionary", INTEGER, atoms, 1, MANY,
        "number of atoms (needed; for learn, unless --init or --resume names a file; reproduce: default 1000, 200 with "
        "--quick)"),
    ROW("tight", 0, NULL, NULL, NULL, F, "Dictionary", FLAG, tight, 0, 0,
        "frame: make it tight, D D' = (L / D) I, at the lowest coherence that leaves"),
    ROW("starts", 0, "N", NULL, NULL, F, "Dictionary", INTEGER, starts, 1, MANY,
        "frame: random frames to start from; the best comes out (default: by size, 64 for the smallest, 1 for large "
        "ones)"),
    ROW("steps", 0, "N", NULL, NULL, F, "Dictionary", INTEGER, steps, 1, MANY,
        "frame: L-BFGS iterations at every order of the power sum (default: by size, 300 to 1000, for large ones down "
        "to 20)"),
    ROW("method", 0, "NAME", "idl", "idl|mod|mocod|online|ksvd|aksvd|inksvd|ipr|aksvdc|idb|parametric", L, "Dictionary",
        CHOICE, method, 0, 0,
        "idl: least squares with a penalty on coherence; mod: least squares alone; mocod: the penalty and one on "
        "norms, by a fixed point; online: an update after every batch of signals, the penalty only where given; "
        "ksvd, aksvd: K-SVD, atom by atom with its codes, exact and approximate; inksvd, ipr: K-SVD followed by "
        "rotations of coherent pairs, or by projections of the Gram matrix, to --max-coherence; "
        "aksvdc: aksvd with the penalty of idl; idb: aksvd in which atoms beyond --max-coherence push each other away; "
        "parametric: no data, atoms of a --family made incoherent in their parameters"),
    ROW("max-coherence", 0, "MU", NULL, NULL, L | H, "Dictionary", REAL_NUMBER, max_coherence, 0, 1,
        "the largest |d'e| of two atoms; idl and decohere keep it; inksvd, ipr and idb aim at it, the first two within their "
        "tolerance if they can; the result says what was reached"),
    ROW("gamma", 0, "G|auto", NULL, NULL, L, "Dictionary", REAL_OR_AUTO, gamma, 0, DBL_MAX,
        "weight of the coherence penalty in ||X - DC||^2 + G ||D'D - I||^2; auto, with idl: chosen from a path of weights "
        "by the residual of signals held out"),
    ROW("gamma-relative", 0, "R", "0.1", NULL, L, "Dictionary", REAL_NUMBER, gamma_relative, 0, DBL_MAX,
        "the same weight free of scale: G = R ||X||^2 / L; with idb relative to the energy of each atom, and 0.0075 by "
        "default"),
    ROW("target-rms", 0, "R", NULL, NULL, L, "Dictionary", REAL_NUMBER, target_rms, 0, 1,
        "idl: the least weight whose dictionary has a root mean square coherence of R or less, found in every update"),
    ROW("target-error", 0, "E", NULL, NULL, L, "Dictionary", REAL_NUMBER, target_error, 0, 1,
        "idl: from small weights on, the largest whose dictionary codes the signals with a relative error of E or less, "
        "within 1 %"),
    ROW("eta", 0, "E", NULL, NULL, L, "Dictionary", REAL_NUMBER, eta, 0, DBL_MAX,
        "mocod: weight of sum_j (||d_j||^2 - 1)^2 during the update (default ||X||^2 / L)"),
    ROW("norms", 0, "NAME", "sphere", "sphere|rescale", L, "Dictionary", CHOICE, norms, 0, 0,
        "sphere: atoms keep unit norm during the update; rescale: they are rescaled after it, as in the paper"),
    ROW("batch", 0, "N", "512", NULL, L, "Dictionary", INTEGER, batch, 1, MANY,
        "online: signals coded between two updates, in the order of the data"),
    ROW("forget", 0, "F", "0.1", NULL, L, "Dictionary", REAL_NUMBER, forget, 1e-9, 1,
        "online: weight of a signal after all others have been seen since (1: nothing is forgotten)"),
    ROW("family", 0, "NAME", "gammatone", "gammatone", L, "Dictionary", CHOICE, family, 0, 0,
        "parametric: the family of atoms, of --window samples at --rate"),
    ROW("iterations", 0, "N", "25", NULL, L | R, "Dictionary", INTEGER, iterations, 0, MANY,
        "learning iterations, each a coding of all signals and an update of all atoms"),
    ROW("update-iterations", 0, "N", "15", NULL, L, "Dictionary", INTEGER, update_iterations, 1, MANY,
        "L-BFGS iterations, or steps of mocod's fixed point, in one update"),
    ROW("code-updates", 0, "N", NULL, NULL, L, "Dictionary", INTEGER, code_updates, 0, 100,
        "idl, mod, mocod: times in an iteration that the codes are solved for anew on their atoms, by least squares, and the "
        "atoms updated again (default 0; with idl and --max-coherence 1, and 3 where the codes are of least squares)"),
    ROW("init", 0, "START", "sample", NULL, L, "Dictionary", TEXT, init, 0, 0,
        "where to start: sample (random signals), dct, random, or a file with a dictionary"),
    ROW("unused", 0, "NAME", "worst", "keep|worst|sample", L, "Dictionary", CHOICE, unused, 0, 0,
        "what becomes of atoms that no signal uses: kept, or replaced by the worst coded or by a random signal"),
    ROW("min-uses", 0, "K", "1", NULL, L, "Dictionary", INTEGER, min_uses, 1, MANY,
        "atoms that fewer than K signals use count as unused; the original K-SVD is --min-uses 4 --replace 0.99"),
    ROW("replace", 0, "MU", NULL, NULL, L, "Dictionary", REAL_NUMBER, replace, 0, 1,
        "ksvd, aksvd: after every update, put the worst coded signal in the place of an atom whose |d'e| with another "
        "exceeds MU (default: never)"),
    ROW("exchange", 0, NULL, NULL, NULL, L, "Dictionary", FLAG, exchange, 0, 0,
        "after every update, exchange atoms of little worth for directions that the residuals of the worst coded "
        "signals have in common, where these gain more"),
    ROW("decorrelation-tolerance", 0, "T", "0.001", NULL, L, "Dictionary", REAL_NUMBER, decorrelation_tolerance, 0, 1,
        "inksvd: rotate until no |d'e| exceeds MU + T"),
    ROW("decorrelation-passes", 0, "N", "1000", NULL, L | R, "Dictionary", INTEGER, decorrelation_passes, 1, MANY,
        "inksvd: passes of rotations in one update, at most"),
    ROW("ipr-iterations", 0, "N", "100", NULL, L, "Dictionary", INTEGER, ipr_iterations, 1, MANY,
        "ipr: projections in one update, at most; they end at MU + 0.001"),
    ROW("barrier", 0, "LAMBDA", "25", NULL, L, "Dictionary", REAL_NUMBER, barrier, 0, DBL_MAX,
        "idb: weight, besides G, of the push between two atoms beyond --max-coherence"),
    ROW("stop-change", 0, "R", "0", NULL, L, "Dictionary", REAL_NUMBER, stop_change, 0, 1,
        "stop when an iteration changes the dictionary by no more than R, relative to its norm (0: never)"),
    ROW("stop-seconds", 0, "S", "0", NULL, L | F, "Dictionary", REAL_NUMBER, stop_seconds, 0, DBL_MAX,
        "stop after the iteration in which S seconds have passed (0: never); what keeps a bound in the end comes after"),

    ROW("dictionary", 'D', "FILE", NULL, NULL, E | C | PROGRAM, "Dictionary", TEXT, dictionary, 0, 0,
        "the dictionary: .npy .npz .csv .tsv .mat"),
    ROW("coder", 0, "NAME", "larc", "larc|omp|ols|lars|lasso", CODING, "Sparse coding", CHOICE, coder, 0, 0,
        "larc: least angle regression to a residual coherence; omp, ols: orthogonal matching pursuit and least "
        "squares; lars, lasso: their paths"),
    ROW("residual-coherence", 0, "MU", NULL, NULL, CODING, "Sparse coding", REAL_NUMBER, residual_coherence, 0, 1,
        "stop when max |d'r| / ||r|| is down to MU (default 0.2 with larc when no other stop is given)"),
    ROW("sparsity", 0, "K", NULL, NULL, CODING, "Sparse coding", INTEGER, sparsity, 1, MANY,
        "stop at K atoms per signal"),
    ROW("tolerance", 0, "R", NULL, NULL, CODING, "Sparse coding", REAL_NUMBER, tolerance, 0, 1,
        "stop when the residual is down to R times the norm of the signal"),
    ROW("lambda", 0, "LAMBDA", NULL, NULL, CODING, "Sparse coding", REAL_NUMBER, lambda, 0, DBL_MAX,
        "stop when max |d'r| is down to LAMBDA; for lasso the weight in 1/2 ||x - Dc||^2 + LAMBDA ||c||_1"),
    ROW("refit", 0, NULL, NULL, NULL, CODING, "Sparse coding", FLAG, refit, 0, 0,
        "least-squares coefficients on the atoms found, instead of the path's shrunken ones"),
    ROW("nonnegative", 0, NULL, NULL, NULL, CODING, "Sparse coding", FLAG, nonnegative, 0, 0,
        "coefficients of zero or more (omp, ols, lasso)"),

    ROW("window", 0, "W", NULL, NULL, CODING | I, "Data", INTEGER, window, 1, MANY,
        "audio: samples per signal"),
    ROW("hop", 0, "H", NULL, NULL, CODING | I, "Data", INTEGER, hop, 1, MANY,
        "audio, images: take all windows or patches, H samples or pixels apart (encode: default the window or patch)"),
    ROW("rate", 0, "HZ", NULL, NULL, CODING | I, "Data", REAL_NUMBER, rate, 1, 1e9,
        "audio: resample to HZ (inspect: or, for the page, the rate of the atoms)"),
    ROW("patch", 0, "RxC", NULL, NULL, CODING | I, "Data", PATCH, patch_rows, 0, 0,
        "images: rows and columns of a patch, such as 8x8 (with matrices: what their signals or atoms are, for --init dct and "
        "the page)"),
    ROW("data", 0, "FILE", NULL, NULL, H | R | PROGRAM, "Data", TEXT, data, 0, 0,
        "decohere: weigh changes by these signals: files, a folder or a quoted pattern, as learn takes them; reproduce: "
        "recordings of one speaker (needed)"),
    ROW("signals", 0, "N", NULL, NULL, L | H | R, "Data", INTEGER, signals, 1, LARGE,
        "take N signals at random: windows, patches or rows; digital silence is left out (reproduce: default 30000, "
        "3000 with --quick)"),
    ROW("columns", 0, NULL, NULL, NULL, ALL & ~R, "Data", FLAG, columns, 0, 0,
        "signals or atoms stand in the columns of the files, not in the rows (.mat: always)"),
    ROW("variable", 0, "NAME", NULL, NULL, CODING | C | I | P, "Data", TEXT, variable, 0, 0,
        "the array to read from a .npz or .mat file that holds several"),
    ROW("normalize", 0, "NAME", "unit", "unit|none", L | H, "Data", CHOICE, normalize, 0, 0,
        "scale every training signal to unit norm, or none"),
    ROW("center", 0, "NAME", "none", "none|signal|feature", CODING | I, "Data", CHOICE, center, 0, 0,
        "take off the mean of every signal, or of every feature over all signals (learn), or nothing"),
    ROW("precision", 0, "TYPE", NULL, "f32|f64", CODING | F, "Data", CHOICE, precision, 0, 0,
        "type to code in and to write (default: the input's; audio and images f32; frame: f64)"),

    ROW("duplicates", 0, "MU", "0.99", NULL, I | P, "Metrics", REAL_NUMBER, duplicates, 0, 1,
        "pairs of atoms at or above MU count as near duplicates"),

    ROW("output", 'o', "FILE", NULL, NULL, L | E | C | F | H | P | R | PROGRAM, "Run", TEXT, output, 0, 0,
        "the file to write; its name tells the format; - is standard output (reproduce: a folder)"),
    ROW("codes", 0, "FILE", NULL, NULL, L | PROGRAM, "Run", TEXT, codes, 0, 0,
        "also write codes, in the final dictionary, of the signals as trained on: centred, scaled (.npz .mat)"),
    ROW("log", 0, "FILE", NULL, NULL, L | PROGRAM, "Run", TEXT, log, 0, 0,
        "a line of JSON for every iteration"),
    ROW("report", 0, "FILE", NULL, NULL, L | I | PROGRAM, "Run", TEXT, report, 0, 0,
        "write a page with figures (.html)"),
    ROW("csv", 0, "DIR", NULL, NULL, L | I | P | PROGRAM, "Run", TEXT, csv, 0, 0,
        "write the numbers of the page's figures to a folder, a .csv each"),
    ROW("test", 0, "IN", NULL, NULL, L | I | P | PROGRAM, "Run", TEXT, test, 0, 0,
        "signals kept apart, for the page: a file, a folder or a quoted pattern; how their residual falls with the number "
        "of atoms"),
    ROW("checkpoint", 0, "FILE", NULL, NULL, L | PROGRAM, "Run", TEXT, checkpoint, 0, 0,
        "save the state after every iteration, and every point of --gamma auto"),
    ROW("resume", 0, "FILE", NULL, NULL, L | PROGRAM, "Run", TEXT, resume, 0, 0,
        "go on from a checkpoint, with the same data and options"),
    ROW("quick", 0, NULL, NULL, NULL, R | PROGRAM, "Run", FLAG, quick, 0, 0,
        "a small experiment in minutes: fewer signals, atoms and settings"),
    ROW("seeds", 0, "N", "1", NULL, R | PROGRAM, "Run", INTEGER, seeds, 1, 1000,
        "repeat with N seeds, S, S + 1, ...: other test recordings, signals and starts, the same for all methods"),
    ROW("seed", 0, "S", "0", NULL, L | F | H | R, "Run", INTEGER, seed, 0, LARGE,
        "seed of all random choices"),
    ROW("threads", 0, "N", "0", NULL, L | E | I | F | H | P | R, "Run", INTEGER, threads, 0, 4096,
        "threads to use (0: all that the process may); the result does not depend on it"),
    ROW("json", 0, NULL, NULL, NULL, ALL | PROGRAM, "Run", FLAG, json, 0, 0,
        "print the results as one JSON object on standard output"),
    ROW("quiet", 'q', NULL, NULL, NULL, ALL | PROGRAM, "Run", FLAG, quiet, 0, 0,
        "no progress and no summary; errors and warnings only"),
    /* clang-format on */
};
enum { ROWS = sizeof table / sizeof *table };
_Static_assert((int)ROWS <= (int)OPTIONS_MAX, "given[] needs a place for every row");

const inco_option *option_at(int i) {
    return i >= 0 && i < ROWS ? &table[i].public : NULL;
}

int inco_option_at(int i, inco_option *option) {
    if (!option_at(i) || SIZED_CHECK(inco_option, option, NULL) < 0) return 0;
    sized_give(option, option_at(i), sizeof *option_at(i));
    return 1;
}

static int64_t *integer_at(const inco_options *o, const row *r) {
    return (int64_t *)((char *)o + r->offset);
}
static double *real_at(const inco_options *o, const row *r) {
    return (double *)((char *)o + r->offset);
}
static char **text_at(const inco_options *o, const row *r) {
    return (char **)((char *)o + r->offset);
}

static int is_real(const row *r) {
    return r->kind == REAL_NUMBER || r->kind == REAL_OR_AUTO;
}

static const row *find(const char *name) {
    for (int i = 0; i < ROWS; i++)
        if (!strcmp(table[i].public.name, name)) return &table[i];
    return NULL;
}

/* The row of that name, with a message when there is none. */
static const row *need(const char *name, inco_error *error) {
    const row *r = find(name);
    if (!r) error_set(error, INCO_EINVAL, "there is no option '%s'", name);
    return r;
}

/* ---- Setting ---- */

static int set_number(inco_options *o, const row *r, double value, inco_error *error) {
    const char *name = r->public.name;
    if (!(value >= r->low && value <= r->high)) {
        if (r->high >= MANY)
            return error_set(error, INCO_EINVAL, "--%s must be %g or more, not %g", name, r->low, value);
        return error_set(error, INCO_EINVAL, "--%s must be from %g to %g, not %g", name, r->low, r->high, value);
    }
    if (is_real(r)) {
        *real_at(o, r) = value;
    } else if (value != floor(value)) {
        return error_set(error, INCO_EINVAL, "--%s takes a whole number, not %g", name, value);
    } else {
        *integer_at(o, r) = (int64_t)value;
    }
    return INCO_OK;
}

static int set_number_text(inco_options *o, const row *r, const char *text, inco_error *error) {
    const int word = r->kind == REAL_OR_AUTO;
    point_locale locale;
    char *end;
    if (word && !strcmp(text, "auto")) {
        *real_at(o, r) = OPTION_AUTO;
        return INCO_OK;
    }
    if (point_enter(&locale) < 0) return error_no_memory(error);
    double value = strtod(text, &end);
    point_leave(&locale);
    if (end == text || *end || !isfinite(value))
        return error_set(error, INCO_EINVAL, "--%s takes a number%s, not '%s'", r->public.name, word ? " or auto" : "",
                         text);
    return set_number(o, r, value, error);
}

static int set_choice(inco_options *o, const row *r, const char *text, inco_error *error) {
    const size_t length = strlen(text);
    int64_t place = 0;
    for (const char *word = r->public.choices; *word; place++) {
        size_t n = strcspn(word, "|");
        if (n == length && !strncmp(word, text, n)) {
            *integer_at(o, r) = place;
            return INCO_OK;
        }
        word += n + (word[n] == '|');
    }
    return error_set(error, INCO_EINVAL, "--%s must be one of %s, not '%s'", r->public.name, r->public.choices, text);
}

static int set_flag(inco_options *o, const row *r, const char *text, inco_error *error) {
    int yes = !strcmp(text, "yes");
    if (!yes && strcmp(text, "no"))
        return error_set(error, INCO_EINVAL, "--%s is yes or no, not '%s'", r->public.name, text);
    *integer_at(o, r) = yes;
    return INCO_OK;
}

static int set_patch(inco_options *o, const row *r, const char *text, inco_error *error) {
    long rows, cols;
    int used = 0;
    if (sscanf(text, "%ldx%ld%n", &rows, &cols, &used) != 2 || text[used] || rows < 1 || cols < 1 || rows > 4096 ||
        cols > 4096)
        return error_set(error, INCO_EINVAL, "--%s takes rows and columns, such as 8x8, not '%s'", r->public.name,
                         text);
    o->patch_rows = rows;
    o->patch_cols = cols;
    return INCO_OK;
}

static int set_text(inco_options *o, const row *r, const char *text, inco_error *error) {
    if (!*text) return error_set(error, INCO_EINVAL, "--%s is empty", r->public.name);
    char *copy = memory_text(text);
    if (!copy) return error_no_memory(error);
    memory_free(*text_at(o, r));
    *text_at(o, r) = copy;
    return INCO_OK;
}

static int set_row(inco_options *o, const row *r, const char *text, inco_error *error) {
    switch (r->kind) {
    case FLAG:
        return set_flag(o, r, text, error);
    case CHOICE:
        return set_choice(o, r, text, error);
    case TEXT:
        return set_text(o, r, text, error);
    case PATCH:
        return set_patch(o, r, text, error);
    default:
        return set_number_text(o, r, text, error);
    }
}

int inco_options_set(inco_options *o, const char *name, const char *value, inco_error *error) {
    const row *r = need(name, error);
    if (!r) return INCO_EINVAL;
    int status = set_row(o, r, value, error);
    if (!status) o->given[r - table] = 1;
    return status;
}

int inco_options_set_number(inco_options *o, const char *name, double value, inco_error *error) {
    const row *r = need(name, error);
    if (!r) return INCO_EINVAL;
    if (r->kind != INTEGER && !is_real(r)) return error_set(error, INCO_EINVAL, "--%s does not take a number", name);
    int status = set_number(o, r, value, error);
    if (!status) o->given[r - table] = 1;
    return status;
}

/* ---- Making and reading ---- */

static int set_default(inco_options *o, const row *r) {
    if (r->public.default_text) return set_row(o, r, r->public.default_text, NULL);
    if (is_real(r)) *real_at(o, r) = NAN;
    if (r->kind == INTEGER || r->kind == CHOICE) *integer_at(o, r) = OPTION_UNSET;
    return INCO_OK;
}

inco_options *inco_options_new(void) {
    inco_options *o = NEW(inco_options, 1);
    for (int i = 0; o && i < ROWS; i++) {
        if (set_default(o, &table[i]) < 0) {
            inco_options_free(o);
            o = NULL;
        }
    }
    return o;
}

inco_options *inco_options_copy(const inco_options *from) {
    inco_options *o = NEW(inco_options, 1);
    int complete = 1;
    if (!o) return NULL;
    *o = *from;
    for (int i = 0; i < ROWS; i++) {
        if (table[i].kind != TEXT || !*text_at(from, &table[i])) continue;
        *text_at(o, &table[i]) = memory_text(*text_at(from, &table[i]));
        complete = complete && *text_at(o, &table[i]);
    }
    if (complete) return o;
    inco_options_free(o);
    return NULL;
}

void inco_options_free(inco_options *o) {
    if (!o) return;
    for (int i = 0; i < ROWS; i++)
        if (table[i].kind == TEXT) memory_free(*text_at(o, &table[i]));
    memory_free(o);
}

static int write_choice(const row *r, int64_t place, char *buffer, size_t size) {
    const char *word = r->public.choices;
    for (; place > 0; place--) word += strcspn(word, "|") + 1;
    return snprintf(buffer, size, "%.*s", (int)strcspn(word, "|"), word);
}

/* The fewest digits that give the number back. */
static int write_real(double value, char *buffer, size_t size) {
    char text[32];
    point_locale locale;
    if (point_enter(&locale) < 0) return -1;
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    point_leave(&locale);
    return snprintf(buffer, size, "%s", text);
}

int inco_options_get(const inco_options *o, const char *name, char *buffer, size_t size) {
    const row *r = find(name);
    if (!r) return -1;
    int64_t integer = is_real(r) || r->kind == TEXT ? 0 : *integer_at(o, r);
    switch (r->kind) {
    case FLAG:
        return snprintf(buffer, size, "%s", integer ? "yes" : "no");
    case REAL_NUMBER:
    case REAL_OR_AUTO:
        if (*real_at(o, r) == OPTION_AUTO) return snprintf(buffer, size, "%s", "auto");
        return isnan(*real_at(o, r)) ? snprintf(buffer, size, "%s", "") : write_real(*real_at(o, r), buffer, size);
    case TEXT:
        return snprintf(buffer, size, "%s", *text_at(o, r) ? *text_at(o, r) : "");
    case PATCH:
        return o->patch_rows ? snprintf(buffer, size, "%lldx%lld", (long long)o->patch_rows, (long long)o->patch_cols)
                             : snprintf(buffer, size, "%s", "");
    case CHOICE:
        return integer == OPTION_UNSET ? snprintf(buffer, size, "%s", "") : write_choice(r, integer, buffer, size);
    default:
        return integer == OPTION_UNSET ? snprintf(buffer, size, "%s", "")
                                       : snprintf(buffer, size, "%lld", (long long)integer);
    }
}

double inco_options_get_number(const inco_options *o, const char *name) {
    const row *r = find(name);
    if (!r || r->kind == TEXT || r->kind == CHOICE || r->kind == PATCH) return NAN;
    if (is_real(r)) return *real_at(o, r) == OPTION_AUTO ? NAN : *real_at(o, r);
    return *integer_at(o, r) == OPTION_UNSET ? NAN : (double)*integer_at(o, r);
}

int inco_options_given(const inco_options *o, const char *name) {
    const row *r = find(name);
    return r ? o->given[r - table] : 0;
}

int inco_options_on_progress(inco_options *o, inco_progress_fn callback, void *self, size_t size, inco_error *error) {
    int status = sized_check(&size, "inco_progress", error);
    if (status >= 0) o->watch = (watcher){callback, self, size};
    return status;
}

/* ---- What fits together ---- */

double options_residual_coherence(const inco_options *o) {
    if (!isnan(o->residual_coherence)) return o->residual_coherence;
    int other = o->sparsity != OPTION_UNSET || !isnan(o->tolerance) || !isnan(o->lambda);
    return o->coder == CODER_LARC && !other ? 0.2 : -1;
}

double options_gamma_relative(const inco_options *o) {
    return o->method == METHOD_IDB && !inco_options_given(o, "gamma-relative") ? 0.0075 : o->gamma_relative;
}

double options_coherence_tolerance(const inco_options *o) {
    if (o->method == METHOD_IDL) return 0;
    return o->method == METHOD_INKSVD ? o->decorrelation_tolerance : 1e-3;
}

int64_t options_code_updates(const inco_options *o) {
    const int squares = o->coder == CODER_OMP || o->coder == CODER_OLS || o->refit;
    if (o->code_updates != OPTION_UNSET) return o->code_updates;
    if (o->method != METHOD_IDL || isnan(o->max_coherence) || o->nonnegative) return 0;
    return squares ? 3 : 1;
}

inco_type options_precision(const inco_options *o, inco_type otherwise) {
    if (o->precision == OPTION_UNSET) return otherwise;
    return o->precision == PRECISION_F32 ? INCO_F32 : INCO_F64;
}

int options_check_coder(const inco_options *o, inco_error *error) {
    char coder[16];
    inco_options_get(o, "coder", coder, sizeof coder);
    int stops =
        o->sparsity != OPTION_UNSET || !isnan(o->tolerance) || !isnan(o->lambda) || options_residual_coherence(o) >= 0;
    if (!stops)
        return error_set(error, INCO_EINVAL,
                         "--coder %s needs a rule to stop by: --sparsity, --tolerance, --lambda or "
                         "--residual-coherence",
                         coder);
    if (o->nonnegative && (o->coder == CODER_LARC || o->coder == CODER_LARS))
        return error_set(error, INCO_EINVAL, "--nonnegative works with --coder omp, ols or lasso, not with %s", coder);
    return INCO_OK;
}

/* Options that belong to some methods alone, by the methods' words in the table. */
static const struct {
    const char *option, *methods;
} of_method[] = {
    {"gamma", "idl|mocod|online|aksvdc|idb"},
    {"gamma-relative", "idl|mocod|online|aksvdc|idb"},
    {"target-rms", "idl"},
    {"target-error", "idl"},
    {"norms", "idl"},
    {"update-iterations", "idl|mocod|parametric"},
    {"eta", "mocod"},
    {"batch", "online"},
    {"forget", "online"},
    {"replace", "ksvd|aksvd"},
    {"max-coherence", "idl|inksvd|ipr|idb"},
    {"code-updates", "idl|mod|mocod"},
    {"barrier", "idb"},
    {"decorrelation-tolerance", "inksvd"},
    {"decorrelation-passes", "inksvd"},
    {"ipr-iterations", "ipr"},
    {"family", "parametric"},
};

/* Is `word` one of a|b|c? */
static int is_among(const char *word, const char *words) {
    const size_t length = strlen(word);
    for (size_t n; *words; words += n + (words[n] == '|')) {
        n = strcspn(words, "|");
        if (n == length && !strncmp(words, word, n)) return 1;
    }
    return 0;
}

static int check_method(const inco_options *o, inco_error *error) {
    char method[16];
    inco_options_get(o, "method", method, sizeof method);
    for (size_t i = 0; i < sizeof of_method / sizeof *of_method; i++)
        if (inco_options_given(o, of_method[i].option) && !is_among(method, of_method[i].methods))
            return error_set(error, INCO_EINVAL, "--%s belongs to --method %s, not to %s", of_method[i].option,
                             of_method[i].methods, method);
    if (o->gamma == OPTION_AUTO && o->method != METHOD_IDL)
        return error_set(error, INCO_EINVAL, "--gamma auto belongs to --method idl, not to %s", method);
    if (is_among(method, "inksvd|ipr|idb") && isnan(o->max_coherence))
        return error_set(error, INCO_EINVAL, "--method %s needs a target: --max-coherence MU", method);
    if (o->method == METHOD_IDB && o->max_coherence == 0)
        return error_set(error, INCO_EINVAL, "--method idb needs --max-coherence above 0");
    if (o->method == METHOD_IDL && !isnan(o->max_coherence) && o->norms == NORMS_RESCALE)
        return error_set(error, INCO_EINVAL,
                         "--max-coherence needs atoms of unit norm during the update: take away "
                         "--norms rescale");
    if (o->nonnegative && inco_options_given(o, "code-updates") && o->code_updates > 0)
        return error_set(error, INCO_EINVAL, "--code-updates solves for codes of any sign: take away --nonnegative");
    return INCO_OK;
}

/* The parametric design has neither data nor codes: what belongs to them is refused, what it needs is asked for. */
static int check_parametric(const inco_options *o, inco_error *error) {
    static const char taken[] = "atoms|method|family|window|rate|iterations|update-iterations|stop-change|stop-seconds|"
                                "precision|threads|output|log|report|csv|test|json|quiet";
    for (int i = 0; i < ROWS; i++)
        if (o->given[i] && !is_among(table[i].public.name, taken))
            return error_set(error, INCO_EINVAL, "--%s has no place in --method parametric, which takes no data",
                             table[i].public.name);
    if (o->atoms == OPTION_UNSET || o->window == OPTION_UNSET || isnan(o->rate))
        return error_set(error, INCO_EINVAL, "--method parametric needs --atoms, --window and --rate");
    if (o->window < 16)
        return error_set(error, INCO_EINVAL, "--method parametric needs a --window of 16 samples or more, not %lld",
                         (long long)o->window);
    return INCO_OK;
}

/* Options that set the weight of the penalty, one way or another. */
static int check_weight(const inco_options *o, inco_error *error) {
    static const char *const ways[] = {"gamma", "gamma-relative", "target-rms", "target-error"};
    const char *given = NULL;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (!inco_options_given(o, ways[i])) continue;
        if (given)
            return error_set(error, INCO_EINVAL, "--%s and --%s set the same weight: give one of them", given, ways[i]);
        given = ways[i];
    }
    return INCO_OK;
}

int options_check_learn(const inco_options *o, inco_error *error) {
    int status = check_weight(o, error);
    if (status < 0) return status;
    if (o->exchange && !isnan(o->replace))
        return error_set(error, INCO_EINVAL, "--exchange and --replace both replace coherent atoms: give one of them");
    if (inco_options_given(o, "min-uses") && o->unused == UNUSED_KEEP)
        return error_set(error, INCO_EINVAL, "--min-uses tells which atoms to replace, --unused keep to replace none");
    status = check_method(o, error);
    if (status < 0) return status;
    return o->method == METHOD_PARAMETRIC ? check_parametric(o, error) : options_check_coder(o, error);
}

int options_check_frame(const inco_options *o, inco_error *error) {
    if (o->dim == OPTION_UNSET || o->atoms == OPTION_UNSET)
        return error_set(error, INCO_EINVAL, "say how large the frame is: --dim D and --atoms L");
    if (o->tight && o->atoms < o->dim)
        return error_set(error, INCO_EINVAL,
                         "%lld atoms cannot be a tight frame of %lld dimensions: it takes as many atoms as dimensions, "
                         "or more",
                         (long long)o->atoms, (long long)o->dim);
    return INCO_OK;
}

int options_check_decohere(const inco_options *o, inco_error *error) {
    if (isnan(o->max_coherence)) return error_set(error, INCO_EINVAL, "say what bound to keep: --max-coherence MU");
    return options_check_coder(o, error);
}

int inco_options_check(const inco_options *o, unsigned command, inco_error *error) {
    if (command & INCO_LEARN) return options_check_learn(o, error);
    if (command & INCO_FRAME) return options_check_frame(o, error);
    if (command & INCO_DECOHERE) return options_check_decohere(o, error);
    return options_check_coder(o, error);
}
