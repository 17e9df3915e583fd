/*
 * inco: dictionaries for sparse coding whose atoms stay incoherent.
 *
 * This header is the manual of the library. It has three tiers:
 *
 *   1. the primary tier does the whole job: options, files, learn, encode, decode, inspect, decohere, frame;
 *   2. handles for single steps: the learner with checkpoints, the sparse coder, files of codes;
 *   3. expert calls: sources and streams of your own, the option table, reports, logs, what this build can do.
 *
 * Conventions that hold everywhere:
 *
 *   - Layout. Every signal and every atom is contiguous in memory. A dictionary is a column-major D x L matrix, data is
 *     D x N; the same bytes are C-ordered NumPy arrays of shape (L, D) and (N, D).
 *   - Status. Functions return 0 for success, a negative `inco_status` for failure, and a positive one for an outcome that
 *     is no failure. A function that can fail for a reason a person must act on takes an `inco_error *` last; it may be
 *     NULL. After a failure, matrices, codes and info structs returned through pointers are empty or unchanged.
 *   - Growth. A struct that begins with `size` may get new fields at its end in later versions: see INCO_INIT. The other
 *     structs, inco_error, inco_mat and inco_csc, never change. No function takes or returns a struct by value.
 *   - Handles. `inco_..._new`, `_open` and `_load` make a handle, `_free` ends it; `_free` of NULL does nothing. A
 *     handle must not be used by two threads at once.
 *   - Text is UTF-8. Text that a function returns belongs to the library, and lives as long as the handle it came from;
 *     text without a handle lives for ever.
 *   - Determinism. Results have the same bits for any number of threads, on one kind of CPU with one BLAS.
 *   - Manners. The library never prints, exits, aborts, or touches signals.
 *   - Threads. Any threads may call at once, each with its own handles. The library creates worker threads when it needs
 *     them; they sleep when there is nothing to do and stay until the process ends or unloads the library.
 *   - Forks. A child may call the library too, whatever other threads of its parent were doing; it creates workers of its
 *     own. A fork waits for the matrix products and factorisations under way. A child that was forked inside a callback
 *     of an inco_source must call nothing but exec and _exit.
 *   - Indices of signals, atoms, rows and columns count from 0.
 */
#ifndef INCO_INCO_H
#define INCO_INCO_H

#include <stddef.h>
#include <stdint.h>

#define INCO_VERSION_MAJOR 0
#define INCO_VERSION_MINOR 1
#define INCO_VERSION_PATCH 0

#if defined(_WIN32) || !defined(__GNUC__)
#define INCO_API
#else
#define INCO_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Status and errors ------------------------------------------------------------------------------------- */

typedef enum inco_status {
    INCO_STOPPED = 1,    /* the progress callback asked to stop; what was returned is valid */
    INCO_OK = 0,
    INCO_ENOMEM = -1,    /* no memory */
    INCO_EINVAL = -2,    /* an argument or option is NULL, out of range, unknown, or contradicts another */
    INCO_EIO = -3,       /* a file cannot be opened, read or written */
    INCO_EFORMAT = -4,   /* a file is not in the expected format */
    INCO_EDATA = -5,     /* data unsuited to the task: NaN, Inf, too few signals */
    INCO_EDIM = -6,      /* dimensions do not agree */
    INCO_ENOTBUILT = -7, /* this build lacks an optional library */
    INCO_ENUMERIC = -8   /* a factorisation failed */
} inco_status;

/* Why a call failed, for a person: names the file, the option, the place and the remedy. Owned by the caller. */
typedef struct inco_error {
    int code; /* the inco_status that was returned */
    char message[1024];
} inco_error;

/* A short text for a status; for unknown codes too. */
INCO_API const char *inco_strerror(int status);

/* "0.1.0" */
INCO_API const char *inco_version(void);

/* ---- Structs that grow ------------------------------------------------------------------------------------- */

/* Initialises a struct that begins with `size`: all zero but its size. Needed for results too:
 *
 *     inco_learn_info info = INCO_INIT(inco_learn_info);
 *
 * Designated initialisers set `.size = sizeof(inco_source)` themselves. The size tells the library which fields the
 * caller knows. Fields that only the library knows count as zero when they are given, and are left out when they are
 * returned; fields that only the caller knows are returned as zero. */
#ifdef __cplusplus
#define INCO_INIT(type) {sizeof(type)}
#else
#define INCO_INIT(type) {.size = sizeof(type)}
#endif

/* ---- Matrices and codes ------------------------------------------------------------------------------------ */

typedef enum inco_type { INCO_F32 = 4, INCO_F64 = 8 } inco_type; /* the value is the size in bytes */

/* A dense column-major matrix: element (i, j) is data[i + j * ld]. Either a view of the caller's memory (owner = NULL;
 * see inco_mat_view), or allocated by the library. */
typedef struct inco_mat {
    inco_type type;
    int64_t rows, cols, ld;
    void *data;
    void *owner; /* releases `data`, for inco_mat_free; NULL: `data` is the caller's */
} inco_mat;

/* Sparse codes, one column per signal: the nonzeros of signal n are value[k] at atom index[k] for start[n] <= k <
 * start[n + 1], by rising atom. The same arrays are scipy's CSR of shape (signals, atoms). As in inco_mat, the arrays are
 * the caller's (owner = NULL) or the library's. */
typedef struct inco_csc {
    inco_type type;
    int64_t rows, cols; /* atoms, signals */
    int64_t *start;     /* cols + 1 */
    int64_t *index;
    void *value;
    void *owner; /* releases the arrays, for inco_csc_free; NULL: they are the caller's */
} inco_csc;

/* Releases what the library allocated, leaves the caller's memory alone, and sets the struct to zero. */
INCO_API void inco_mat_free(inco_mat *m);
INCO_API void inco_csc_free(inco_csc *codes);

/* A view of `data`, columns side by side. */
INCO_API void inco_mat_view(inco_mat *m, inco_type type, int64_t rows, int64_t cols, void *data);
/* A matrix of zeros, allocated here. */
INCO_API int inco_mat_new(inco_mat *m, inco_type type, int64_t rows, int64_t cols, inco_error *error);

/* ==== 1. Primary tier ======================================================================================= */

/* ---- Options ----------------------------------------------------------------------------------------------- */

/* All settings of all calls, by name ("gamma", "max-coherence"). inco_option_at lists them with their range, default
 * and help. A call uses the options that concern it. */
typedef struct inco_options inco_options;

INCO_API inco_options *inco_options_new(void); /* all at their defaults; NULL: no memory */
INCO_API inco_options *inco_options_copy(const inco_options *options);
INCO_API void inco_options_free(inco_options *options);

/* Sets an option from text; flags take "yes" or "no". The name, the spelling and the range are checked. */
INCO_API int inco_options_set(inco_options *options, const char *name, const char *value, inco_error *error);
/* Sets an option that takes a number. */
INCO_API int inco_options_set_number(inco_options *options, const char *name, double value, inco_error *error);

/* Writes the value as text to `buffer` of `size` bytes and returns the length that all of it has, as snprintf does; -1:
 * there is no such option. */
INCO_API int inco_options_get(const inco_options *options, const char *name, char *buffer, size_t size);
/* The value as a number, flags as 0 or 1; NaN for text, "auto" and an option without a value. */
INCO_API double inco_options_get_number(const inco_options *options, const char *name);
/* 1 when the option was set, 0 when it is at its default. */
INCO_API int inco_options_given(const inco_options *options, const char *name);

/* Checks that the options that were set do not contradict each other, for INCO_LEARN, INCO_ENCODE, INCO_FRAME or
 * INCO_DECOHERE. The calls check this themselves; check before loading data to fail early. */
INCO_API int inco_options_check(const inco_options *options, unsigned command, inco_error *error);

/* ---- Progress ---------------------------------------------------------------------------------------------- */

/* How far a call has come. `phase` says what is under way; a field is zero where the phase has no use for it. */
typedef struct inco_progress {
    size_t size;
    const char *phase;
    int64_t iteration, iterations; /* the one under way, from 1; how many there will be at most */
    int64_t done, total;           /* within the phase: signals coded, or pairs of atoms measured */
    double seconds;                /* since the call began */
    /* of the iteration, point, frame or dictionary that has just ended or is under way */
    double relative_error, mean_cardinality; /* of the codes that the update started from */
    double objective_before, objective;      /* around the dictionary update, at fixed codes */
    double coherence_max, coherence_rms;
    int64_t replaced;                        /* atoms replaced before this iteration's coding */
    int64_t update_iterations;
    double seconds_code, seconds_update;
    int64_t spread_passes, spread_pairs;     /* as in inco_learn_info */
    double gamma;                            /* weight of the penalty in this iteration's update */
    int64_t gamma_updates;                   /* updates tried to find it ("target-rms", "target-error") */
    int64_t point, points;                   /* of the regularisation path: the point under way, from 1; 0: before */
} inco_progress;

/* Phases:
 *   learn      "path" (gamma auto: learning at one point), "point" (a point has ended), "code", "update",
 *              "iteration" (an iteration has ended), "bound", "final" (coding in the final dictionary)
 *   encode     "code"
 *   inspect    "inspect"
 *   decohere   "code" (with data), "decohere"
 *   frame      "frame"
 *   residuals  "residuals": iteration is the cardinality under way, by its place in the list */

/* Called now and then by every call that may take long: learning, inco_encode, inco_inspect, inco_decohere, inco_frame
 * and inco_residuals_measure. Always on the thread that made the call. Anything but 0 stops the call after the step under
 * way: it returns INCO_STOPPED, and its results are those reached so far. */
typedef int (*inco_progress_fn)(void *self, const inco_progress *progress);

/* Calls made with these options report to `callback` (NULL: to nobody). `size` is sizeof(inco_progress), the struct that
 * the callback knows. */
INCO_API int inco_options_on_progress(inco_options *options, inco_progress_fn callback, void *self, size_t size,
                                      inco_error *error);

/* ---- Files ------------------------------------------------------------------------------------------------- */

/* Loads a matrix from .npy .npz .csv .tsv .mat, chosen by the file's name. Options used: columns, variable; NULL: signals
 * or atoms in rows of the file, any variable. NaN and Inf are refused. A C-ordered native float .npy is mapped, not read.
 */
INCO_API int inco_load(const char *path, const inco_options *options, inco_mat *m, inco_error *error);

/* Saves a matrix as .npy .npz .csv .tsv .mat. `meta` (JSON text, may be NULL) goes into .npz and .mat. Options used:
 * columns. "-" is standard output, as .npy. The file appears whole under its name or not at all. */
INCO_API int inco_save(const char *path, const inco_mat *m, const inco_options *options, const char *meta,
                       inco_error *error);

/* ---- Data to learn from ------------------------------------------------------------------------------------ */

/* Where signals come from. */
typedef struct inco_source {
    size_t size;
    int64_t dim, count; /* values per signal; signals */
    inco_type type;
    void *self;         /* handed to `read` */
    /* Copies signals first .. first + count - 1, D values of `type` each, contiguous, to `out`. Returns 0, or a negative
     * inco_status with a message. */
    int (*read)(void *self, int64_t first, int64_t count, void *out, inco_error *error);
    int64_t concurrent; /* 1: `read` may be called from several threads at once. 0: it is called on the thread that made
                         * the call only, as Python, R and MEX need it */
} inco_source;

/* A source over the columns of a matrix, which must outlive it. */
INCO_API int inco_source_from_mat(inco_source *source, const inco_mat *x, inco_error *error);

/* Signals from files: matrices (.npy .npz .csv .tsv .mat), audio cut into windows, images cut into patches. `paths` may
 * name files, folders and glob patterns; they are expanded and sorted. Options used: window, hop, rate, patch, signals,
 * seed, columns, variable, precision, threads. Audio needs "window", images need "patch". */
typedef struct inco_data inco_data;
INCO_API int inco_data_open(inco_data **data, const char *const *paths, int count, const inco_options *options,
                            inco_error *error);
INCO_API void inco_data_free(inco_data *data);
/* The signals as a source, valid as long as the data. */
INCO_API int inco_data_source(const inco_data *data, inco_source *source, inco_error *error);
INCO_API const char *inco_data_kind(const inco_data *data);            /* "matrix", "audio" or "image" */
INCO_API int64_t inco_data_files(const inco_data *data);               /* number of files */
INCO_API const char *inco_data_file(const inco_data *data, int64_t i); /* name of file i; NULL past the last */
INCO_API double inco_data_rate(const inco_data *data);                 /* of audio, in Hz; 0 for other kinds */

/* ---- Learning ---------------------------------------------------------------------------------------------- */

typedef struct inco_learn_info {
    size_t size;
    int64_t dim, atoms, signals;
    int64_t iterations;              /* completed, those before a resume included */
    inco_type precision;
    double gamma, gamma_relative;    /* the same penalty in both conventions: gamma = gamma_relative ||X||^2 / L */
    double tight_ratio;              /* gamma (L^2/D - L) / ||X||^2: penalty of a tight frame over the data's energy */
    double relative_error;           /* ||X - D C|| / ||X||, codes in the final dictionary; NaN when stopped before */
    double mean_cardinality;         /* NaN when stopped before */
    double objective;                /* ||X - D C||^2 + gamma ||D'D - I||^2 after the last update; K-SVD: with the codes
                                      * that it has updated */
    double coherence_max, coherence_rms, coherence_mean; /* of |d_i'd_j| over i < j */
    double welch;                    /* lower bound on coherence_max, see inco_metrics */
    double singular_max, singular_min;
    int64_t replaced;                /* atoms replaced over all iterations */
    int64_t replaced_coherent;       /* of these, for their coherence with another atom: option "replace" */
    int64_t replaced_exchanged;      /* of these, for little worth: option "exchange" */
    int64_t unused;                  /* atoms that no signal uses in the final coding; -1 when stopped before */
    int64_t zero_signals;            /* signals without energy: coded by zero */
    int64_t skipped_atoms;           /* dependent atoms skipped, summed over signals, in the final coding */
    const char *stopped_by;          /* "iterations", "change", "seconds" or "callback" */
    const char *isa, *blas;          /* as inco_isa, inco_blas */
    int64_t threads;
    double seconds_code, seconds_update, seconds_io, seconds_total;
    int64_t spread_passes;           /* over all iterations: decorrelation passes of inksvd, projections of ipr */
    int64_t spread_pairs;            /* pairs rotated by inksvd */
    double seconds_spread;           /* of seconds_update: time of these passes */
    double coherence_target;         /* target of the method, its tolerance included; 0: it has none */
    double eta;                      /* mocod: weight of its penalty on norms; else 0 */
    double start_coherence_max, start_coherence_rms; /* parametric: of the initial atoms; else 0 */
} inco_learn_info;

/* Learns a dictionary from a source. `dictionary` is allocated here, of the chosen precision; `info` may be NULL. With
 * "method" parametric there is no data: `source` is NULL, and "window", "rate" and "atoms" say what to design. */
INCO_API int inco_learn(const inco_source *source, const inco_options *options, inco_mat *dictionary,
                        inco_learn_info *info, inco_error *error);
/* Does the method chosen learn from data? 0 for "parametric". */
INCO_API int inco_learn_needs_data(const inco_options *options);

/* ---- Sparse coding ----------------------------------------------------------------------------------------- */

typedef struct inco_encode_info {
    size_t size;
    int64_t dim, atoms;
    int64_t signals; /* coded; fewer than the source has when stopped */
    int64_t nonzeros;
    double mean_cardinality, relative_error, snr_db;
    int64_t skipped_atoms; /* dependent atoms skipped, summed over signals */
    int64_t zero_signals, zero_atoms;
    double seconds_code, seconds_io, seconds_total;
} inco_encode_info;

/* Codes all signals of a source; `info` may be NULL. Atoms may have any norm: signals are coded in the normalised atoms
 * and the coefficients scaled back, so that dictionary * codes approximates the signal. Signals are not scaled; with
 * "center" signal their means are subtracted. Options used: coder, sparsity, tolerance, lambda, residual-coherence,
 * refit, nonnegative, center, precision, threads. */
INCO_API int inco_encode(const inco_mat *dictionary, const inco_source *source, const inco_options *options,
                         inco_csc *codes, inco_encode_info *info, inco_error *error);

/* signals = dictionary * codes, allocated here, of the wider type of the two. `origin` (may be NULL): its means are added.
 */
typedef struct inco_origin inco_origin;
INCO_API int inco_decode(const inco_mat *dictionary, const inco_csc *codes, const inco_origin *origin,
                         inco_mat *signals, inco_error *error);

/* ---- Coherence of a dictionary ----------------------------------------------------------------------------- */

/* Measured in double on the atoms as given, each scaled to unit norm; zero atoms are left out and counted. */
typedef struct inco_metrics {
    size_t size;
    void *owner;                     /* of the arrays, for inco_metrics_free */
    int64_t dim, atoms, zero_atoms;
    double norm_min, norm_max;       /* of the atoms as given, zero atoms included */
    double coherence_max, coherence_rms, coherence_mean, coherence_median; /* of |d_i'd_j| over i < j */
    double welch;                    /* lower bound on coherence_max: Welch, or Levenshtein for L > D(D+1)/2 */
    int64_t erc_sparsity;            /* largest k with k < (1 + 1/mu) / 2, at most the number of atoms */
    int64_t babel_count;
    const double *babel;             /* babel[k-1]: largest sum of k values |d_i'd_j| of one atom; k up to 64 */
    int64_t histogram_count;         /* bins of equal width on [0, 1] */
    const int64_t *histogram;        /* pairs with |d_i'd_j| in each bin; 1 counts in the last */
    int64_t singular_count;
    const double *singular;          /* min(D, L) singular values, falling */
    double flat_singular;            /* sqrt(L / D): each singular value of a tight frame */
    double frame_lower, frame_upper; /* extreme eigenvalues of D D' */
    int64_t duplicates;              /* pairs at or above the option "duplicates" */
    int64_t pair_count;              /* of the most coherent pairs, at most 20 */
    const int64_t *pair_first, *pair_second; /* their atoms ... */
    const double *pair_similarity;   /* ... and signed inner products, by falling absolute value */
} inco_metrics;

/* Options used: duplicates, threads; may be NULL. Needs no L x L matrix. Free the result with inco_metrics_free; stopped,
 * it is empty. */
INCO_API int inco_inspect(const inco_mat *dictionary, const inco_options *options, inco_metrics *metrics,
                          inco_error *error);
INCO_API void inco_metrics_free(inco_metrics *metrics);

/* ---- Low coherence without learning ------------------------------------------------------------------------ */

typedef struct inco_decohere_info {
    size_t size;
    int64_t dim, atoms, zero_atoms;
    inco_type precision;
    double bound, welch;                 /* asked for; the lowest that any dictionary of this size can satisfy */
    double coherence_before;             /* of the dictionary given */
    double coherence_max, coherence_rms; /* of the dictionary returned, in its precision */
    int64_t reached;                     /* 1: coherence_max satisfies the bound */
    double change;                       /* ||E - D|| / ||D|| */
    int64_t moved;                       /* atoms changed */
    int64_t signals;                     /* 0 without data */
    double mean_cardinality;             /* of the codes in the dictionary given; NaN without data, as the next two */
    double relative_error_before, relative_error; /* ||X - D C|| / ||X||, ||X - E C|| / ||X||, with the same codes */
    int64_t stages, iterations;
    int64_t threads;
    double seconds_code, seconds_total;
} inco_decohere_info;

/* Finds the nearest dictionary E whose normalised atoms satisfy |e_i'e_j| <= "max-coherence". Nearest means least
 * ||E - D||; with data (`source`, may be NULL) least ||X - E C||, C the codes of the data in D. Atoms may have any norm
 * and keep it; zero atoms stay and do not count. A dictionary that satisfies the bound is returned unchanged. A bound
 * below `welch` is refused; one that was not reached leaves info->reached 0, and E is then the least coherent dictionary
 * found. `info` may be NULL. Options used: max-coherence, seed, precision (default: the dictionary's), threads; with data
 * those of coding, normalize and center. */
INCO_API int inco_decohere(const inco_mat *dictionary, const inco_source *source, const inco_options *options,
                           inco_mat *result, inco_decohere_info *info, inco_error *error);

typedef struct inco_frame_info {
    size_t size;
    int64_t dim, atoms;
    inco_type precision;
    double coherence_max, coherence_rms; /* of the frame as returned, in its precision */
    double welch;                        /* no frame of this size is below; see inco_metrics */
    double tightness;                    /* largest entry of |D D' - (L / D) I| */
    int64_t starts, start;               /* random initial frames; the one that led to the result */
    const char *stopped_by;              /* "orders" (all are done), "bound" (it cannot be lower), "seconds", "callback" */
    int64_t threads;
    double seconds_total;
} inco_frame_info;

/* Designs a frame of `atoms` unit-norm atoms in `dim` dimensions with the lowest max |d_i'd_j| found; an orthonormal set
 * where there are no more atoms than dimensions. `info` may be NULL. Options used: dim, atoms, tight, starts, steps,
 * seed, precision, threads, stop-seconds. Stopped, it returns the best frame so far. */
INCO_API int inco_frame(const inco_options *options, inco_mat *frame, inco_frame_info *info, inco_error *error);

/* ==== 2. Handles for single steps =========================================================================== */

/* ---- Streams ----------------------------------------------------------------------------------------------- */

/* Bytes to or from the caller's own place. `write` and `read` move all `count` bytes and return 0, or non-zero on
 * failure; the one that is not needed may be NULL. */
typedef struct inco_stream {
    size_t size;
    void *self;
    int (*write)(void *self, const void *bytes, size_t count);
    int (*read)(void *self, void *bytes, size_t count);
} inco_stream;

/* A file as a stream. A file that is written appears whole under its name, when it is closed with keep = 1, or not at
 * all. */
typedef struct inco_file inco_file;
INCO_API int inco_file_create(inco_file **file, const char *path, inco_error *error);
INCO_API int inco_file_open(inco_file **file, const char *path, inco_error *error);
/* The stream to hand to other calls, valid until the file is closed. */
INCO_API int inco_file_stream(inco_file *file, inco_stream *stream, inco_error *error);
INCO_API int inco_file_close(inco_file *file, int keep, inco_error *error);

/* ---- The learner ------------------------------------------------------------------------------------------- */

/* inco_learn in steps, for initial dictionaries of your own and checkpoints: new -> start_from or resume -> run ->
 * dictionary, info, encode -> free. The options are copied; the source must outlive the learner. */
typedef struct inco_learner inco_learner;
INCO_API int inco_learner_new(inco_learner **learner, const inco_source *source, const inco_options *options,
                              inco_error *error);
INCO_API void inco_learner_free(inco_learner *learner);
/* The initial dictionary, in place of the option "init". */
INCO_API int inco_learner_start_from(inco_learner *learner, const inco_mat *dictionary, inco_error *error);
INCO_API int inco_learner_run(inco_learner *learner, inco_error *error);

/* What has been learned. Within the progress callback: what is known so far. */
INCO_API int inco_learner_info(const inco_learner *learner, inco_learn_info *info, inco_error *error);
/* A view of the dictionary, valid as long as the learner; empty before the run has ended. */
INCO_API int inco_learner_dictionary(const inco_learner *learner, inco_mat *view, inco_error *error);
/* For each atom, the number of signals that use it in the final coding, `*atoms` values; NULL when there was none. Valid
 * as long as the learner. */
INCO_API const int64_t *inco_learner_usage(const inco_learner *learner, int64_t *atoms);
/* Codes of the training signals as they were learned from (centred, normalised), in the learned dictionary. */
INCO_API int inco_learner_encode(inco_learner *learner, inco_csc *codes, inco_error *error);

/* The regularisation path: weights tried for "gamma" auto. */
typedef struct inco_path {
    size_t size;
    int64_t count, chosen;      /* points computed; the one chosen of them */
    int64_t points;             /* to compute; more than count when the path was stopped */
    int64_t held_out;           /* signals that the points are scored on */
    int64_t cardinalities;
    const int64_t *cardinality; /* atoms in the codes that inco_path_point.residual is for */
    double noise;               /* scores closer than this are ties */
    double seconds;
} inco_path;

typedef struct inco_path_point {
    size_t size;
    double gamma, gamma_relative;            /* in both conventions, ||X|| that of all signals */
    double coherence_max, coherence_rms;
    double singular_max, singular_min;
    double relative_error, mean_cardinality; /* of the signals learned from, by the coder chosen */
    const double *residual;                  /* by cardinality: median ||x - D c|| / ||x|| of the held-out signals, by OMP */
    double judgement;                        /* score, the lower the better: see docs/theory/steering.md */
    double cost;                             /* exp(judgement - the lowest of the path) - 1 */
} inco_path_point;

/* Empty (count 0) without "gamma" auto. Points are by rising gamma. The arrays are valid as long as the learner. */
INCO_API int inco_learner_path(const inco_learner *learner, inco_path *path, inco_error *error);
INCO_API int inco_learner_path_point(const inco_learner *learner, int64_t i, inco_path_point *point, inco_error *error);

/* Checkpoints: the whole state between two iterations, or between two points of the path. To be saved in the progress
 * callback, at phase "iteration" or "point", or after the run. */
INCO_API int inco_learner_save(const inco_learner *learner, const inco_stream *stream, inco_error *error);
/* Continues where the checkpoint was made. The options that shape the result must be those of the saved run, except that
 * "iterations" may be raised. The data must be the same. */
INCO_API int inco_learner_resume(inco_learner *learner, const inco_stream *stream, inco_error *error);

/* ---- The sparse coder -------------------------------------------------------------------------------------- */

/* Normalises the atoms, holds their Gram matrix and one workspace per thread; codes any number of blocks of signals. */
typedef struct inco_coder inco_coder;
INCO_API int inco_coder_new(inco_coder **coder, const inco_mat *dictionary, inco_type precision,
                            const inco_options *options, inco_error *error);
INCO_API void inco_coder_free(inco_coder *coder);
/* Codes the columns of x, of the coder's precision, and appends them to `codes`, which begin as all zero. Codes in arrays of
 * the caller's are copied first. `residual` (may be NULL) gets ||x - D c||^2 of each. */
INCO_API int inco_coder_run(inco_coder *coder, const inco_mat *x, inco_csc *codes, double *residual,
                            inco_error *error);

/* ---- Files of codes ---------------------------------------------------------------------------------------- */

/* Where codes came from, so that decoding can restore audio or images. Zero for codes of a matrix. */
struct inco_origin {
    size_t size;
    void *owner;                    /* of the arrays, for inco_origin_free; arrays of the caller's may replace them */
    int64_t kind;                   /* 0 matrix, 1 audio, 2 image */
    int64_t window, hop;            /* audio, in samples; image: hop is the step in both directions */
    double rate;                    /* Hz */
    int64_t patch_rows, patch_cols; /* image */
    int64_t files;
    const int64_t *shape;           /* per file: samples and 1, or rows and columns; 2 * files values */
    int64_t signals;
    const double *mean;             /* of each signal, where it was subtracted before coding; else NULL */
};

INCO_API int inco_data_origin(const inco_data *data, inco_origin *origin, inco_error *error);
INCO_API void inco_origin_free(inco_origin *origin);
/* The mean of every signal of a source: what "center" signal subtracts, to be kept in the origin of the codes. `means`
 * takes source->count values. */
INCO_API int inco_signal_means(const inco_source *source, double *means, inco_error *error);

/* Codes and their origin (may be NULL) as .npz, which scipy.sparse.load_npz reads, or .mat. */
INCO_API int inco_load_codes(const char *path, inco_csc *codes, inco_origin *origin, inco_error *error);
INCO_API int inco_save_codes(const char *path, const inco_csc *codes, const inco_origin *origin, inco_error *error);

/* Puts decoded windows or patches (from inco_decode, means added) together by averaging overlaps, and saves them as .wav
 * .flac .ogg or .png .pgm; with several files in the origin, `path` names a folder. */
INCO_API int inco_save_decoded(const char *path, const inco_mat *signals, const inco_origin *origin,
                               inco_error *error);

/* Can `path` be written? To be asked before hours of work. */
INCO_API int inco_check_output(const char *path, inco_error *error);

/* ==== 3. Expert calls ======================================================================================= */

/* ---- The option table -------------------------------------------------------------------------------------- */

/* Calls that an option belongs to. */
enum {
    INCO_LEARN = 1,
    INCO_ENCODE = 2,
    INCO_DECODE = 4,
    INCO_INSPECT = 8,
    INCO_FRAME = 16,
    INCO_DECOHERE = 32,
    INCO_REPORT = 64,
    INCO_REPRODUCE = 128,
    INCO_COMMANDS = 255,
    INCO_PROGRAM_ONLY = 256
};

/* One row of the option table. */
typedef struct inco_option {
    size_t size;
    const char *name;
    int64_t letter;           /* -o; 0 for none */
    const char *metavar;      /* NULL for a flag */
    const char *default_text; /* NULL: unset, which the help explains */
    const char *choices;      /* "a|b|c", or NULL */
    int64_t commands;         /* INCO_LEARN | ...; INCO_PROGRAM_ONLY for options of the program, not of the library */
    const char *group;        /* heading it belongs under */
    const char *help;
} inco_option;

/* Row i of the table: 1, or 0 past its end. */
INCO_API int inco_option_at(int i, inco_option *option);

/* ---- Residual against cardinality -------------------------------------------------------------------------- */

/* Quartiles over the signals of ||x - D c|| / ||x||, codes of k atoms by OMP in double. Signals without energy are left
 * out. */
typedef struct inco_residuals {
    size_t size;
    void *owner;               /* of the arrays, for inco_residuals_free */
    int64_t signals, count;    /* signals measured; values of k */
    const double *cardinality; /* k, rising */
    const double *lower, *median, *upper;
} inco_residuals;

/* Options used: center, threads. Stopped, it returns the cardinalities that are complete. */
INCO_API int inco_residuals_measure(const inco_mat *dictionary, const inco_source *source, const inco_options *options,
                                    inco_residuals *residuals, inco_error *error);
INCO_API void inco_residuals_free(inco_residuals *residuals);

/* ---- Charts ------------------------------------------------------------------------------------------------ */

/* A chart, as SVG. `id` names its CSV file and its place in a report: letters, digits and dashes. `caption` (may be NULL)
 * says what to look for. Calls that add to a chart or a report copy what they are given; they return nothing: the first
 * failure is kept, and returned by the call that writes. */
typedef struct inco_chart inco_chart;
INCO_API inco_chart *inco_chart_new(const char *id, const char *title, const char *caption); /* NULL: no memory */
INCO_API void inco_chart_free(inco_chart *chart);

/* The axes: a label with its unit, and the ends of the range (both 0: as the data needs it). On a logarithmic axis values
 * of 0 and less are not shown. */
INCO_API void inco_chart_x(inco_chart *chart, const char *label, double low, double high, int logarithmic);
INCO_API void inco_chart_y(inco_chart *chart, const char *label, double low, double high, int logarithmic);

/* A series of `count` points with rising x (NULL: 1, 2, 3, ...); NaN in y is a gap. */
INCO_API void inco_chart_line(inco_chart *chart, const char *name, int64_t count, const double *x, const double *y);
/* A band around the line added last, such as quartiles; as many values as it has. */
INCO_API void inco_chart_band(inco_chart *chart, const double *low, const double *high);
/* Bars from x to x + width, as in a histogram; and the outline of such bars, to compare several. */
INCO_API void inco_chart_bars(inco_chart *chart, const char *name, int64_t count, const double *x, const double *y,
                              double width);
INCO_API void inco_chart_steps(inco_chart *chart, const char *name, int64_t count, const double *x, const double *y,
                               double width);
/* A dashed line across the chart at an x (vertical) or a y: a bound, a reference. */
INCO_API void inco_chart_mark(inco_chart *chart, const char *name, double value, int vertical);

/* The chart alone as an SVG document. */
INCO_API int inco_chart_write(const inco_chart *chart, const inco_stream *stream, inco_error *error);

/* ---- Reports ----------------------------------------------------------------------------------------------- */

/* A report: one HTML file with SVG figures, light and dark, for screen, phone and paper, that fetches nothing. Contents
 * are added from top to bottom. Text is escaped. */
typedef struct inco_report inco_report;
INCO_API inco_report *inco_report_new(const char *title, const char *subtitle); /* NULL: no memory */
INCO_API void inco_report_free(inco_report *report);

/* Begins a section; `text` (may be NULL) is a paragraph under its heading. */
INCO_API void inco_report_section(inco_report *report, const char *title, const char *text);

/* Names and their values, `count` of each, as a list. `notes` are small print; `kinds` has a letter for each: t text, c
 * code (in a typewriter face). notes, kinds, and entries of notes may be NULL. */
INCO_API void inco_report_facts(inco_report *report, const char *const *names, const char *const *values,
                                const char *const *notes, const char *kinds, int count);
/* The same as large numbers. */
INCO_API void inco_report_headlines(inco_report *report, const char *const *names, const char *const *values,
                                    const char *const *notes, int count);

INCO_API void inco_report_chart(inco_report *report, const inco_chart *chart);

typedef struct inco_table {
    size_t size;
    const char *id, *title;
    int64_t columns, rows;
    const char *const *header; /* `columns` names */
    const char *const *cells;  /* row by row */
    const char *kinds;         /* a letter per column: l text, r numbers, v a verdict: "holds", "partly" or "fails" */
    const char *caption;       /* may be NULL */
} inco_table;

INCO_API void inco_report_table(inco_report *report, const inco_table *table);

/* All that is known of a dictionary and of the run that made it; NULL, 0 and NaN for what is not. */
typedef struct inco_summary {
    size_t size;
    const inco_mat *dictionary;
    const inco_metrics *metrics;
    int64_t fact_count;               /* what was run, as in inco_report_facts */
    const char *const *fact_names, *const *fact_values, *const *fact_notes;
    const char *fact_kinds;
    int64_t iteration_count;
    const inco_progress *const *iterations; /* a pointer to each, as at phase "iteration" */
    const int64_t *usage;             /* by atom: signals that use it */
    int64_t signals;                  /* learned from */
    double relative_error, mean_cardinality;
    int64_t patch_rows, patch_cols;   /* atoms are patches of images, row by row */
    double rate;                      /* atoms are sounds, samples per second */
    const inco_residuals *held_out;   /* of signals not learned from */
    double duplicates;                /* threshold of metrics->duplicates; 0: 0.99 */
} inco_summary;

/* The standard report of a dictionary: headline numbers, what was run, convergence, atoms, coherence, use, residuals and
 * the most coherent pairs, as far as they are known. */
INCO_API void inco_report_dictionary(inco_report *report, const inco_summary *summary);

/* Writes the HTML file. */
INCO_API int inco_report_write(const inco_report *report, const inco_stream *stream, inco_error *error);
/* The numbers of figure and table i as CSV. inco_report_figure: its id; NULL past the last. */
INCO_API const char *inco_report_figure(const inco_report *report, int i);
INCO_API int inco_report_write_csv(const inco_report *report, int i, const inco_stream *stream, inco_error *error);

/* ---- Logs -------------------------------------------------------------------------------------------------- */

/* The log that `inco learn --log` writes. Members by name: "start.version", "start.options.method", "end.coherence.max".
 */
typedef struct inco_log inco_log;
INCO_API int inco_log_load(inco_log **log, const char *path, inco_error *error);
INCO_API void inco_log_free(inco_log *log);
/* As inco_options_get: the length, -1 when there is no such member. The words of a list are joined as in a shell. */
INCO_API int inco_log_text(const inco_log *log, const char *name, char *buffer, size_t size);
INCO_API double inco_log_number(const inco_log *log, const char *name); /* NaN when there is none */
/* The iterations, each once, by number: how many, and iteration i of them. */
INCO_API int64_t inco_log_iterations(const inco_log *log);
INCO_API int inco_log_iteration(const inco_log *log, int64_t i, inco_progress *iteration, inco_error *error);
/* As inco_learner_usage. */
INCO_API const int64_t *inco_log_usage(const inco_log *log, int64_t *atoms);

/* ---- This build and this machine --------------------------------------------------------------------------- */

/* What this build can do: "npz", "audio", "resample", "png", "mat", "json". 1 or 0; -1 for an unknown name. */
INCO_API int inco_has(const char *feature);

INCO_API const char *inco_isa(void);          /* kernels in use: "sse2", "avx2", "avx512", or "generic" */
INCO_API const char *inco_blas(void);         /* name and version of the BLAS */
/* OpenBLAS falls back to kernels of 2004 on CPUs newer than itself, three times slower. Returns the value for the
 * environment variable OPENBLAS_CORETYPE, to be set before the program starts, that avoids this; NULL: no need. */
INCO_API const char *inco_blas_advice(void);
INCO_API int inco_threads_available(void);    /* processors that this process may use */
/* For programs that use BLAS through this library alone: it stays on one thread for the rest of the process, and
 * OpenBLAS's own threads, which would look for work for a tenth of a second, end. Before any other thread calls BLAS. */
INCO_API void inco_blas_one_thread(void);

#ifdef __cplusplus
}
#endif
#endif
