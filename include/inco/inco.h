/*
 * inco: learns incoherent dictionaries for sparse coding.
 *
 * This header is the library's reference manual. It has three tiers:
 *
 *   1. Whole tasks: options, files, learn, encode, decode, inspect, compare, decohere, frame.
 *   2. Handles for single steps: the learner with checkpoints, the sparse coder, files of codes.
 *   3. Expert calls: the option table, charts and reports, logs, the features of this build.
 *
 * Conventions:
 *
 *   - Layout. Every signal and every atom is contiguous in memory. A dictionary is a column-major D x L matrix, data is
 *     D x N; the same bytes are C-ordered NumPy arrays of shape (L, D) and (N, D).
 *   - Status. Functions return 0 on success, a negative `inco_status` on failure, and a positive one for any other
 *     outcome. Functions whose failure needs an explanation take an `inco_error *` as last argument; it may be NULL.
 *     After a failure, matrices, codes and info structs returned through pointers are empty or unchanged.
 *   - Versions. A struct that begins with `size` may gain fields at its end in later versions: see INCO_INIT. The other
 *     structs, inco_error, inco_mat and inco_csc, never change. No function takes or returns a struct by value.
 *   - Handles. `inco_..._new`, `_open` and `_load` create a handle, `_free` destroys it; `_free(NULL)` does nothing.
 *     Two threads must not use the same handle at the same time.
 *   - Strings are UTF-8. A returned string belongs to the library and is valid as long as the handle that it came from;
 *     a string that came from no handle is always valid.
 *   - Reproducibility. Results are bit-identical for any number of threads, given the same CPU model and BLAS.
 *   - The library never prints, exits, aborts, or installs signal handlers.
 *   - Threads. Several threads may call the library at the same time, each with its own handles. The library starts
 *     worker threads on demand; idle workers sleep until the process ends or unloads the library.
 *   - Fork. A forked child may call the library and starts its own workers. fork() waits until running matrix products
 *     and factorisations have finished. A child forked inside an inco_source callback may only call exec and _exit.
 *   - Indices of signals, atoms, rows and columns start at 0.
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
    INCO_CLIPPED = 2,    /* saved, but values beyond the range of the format were clipped; the error says how many */
    INCO_STOPPED = 1,    /* stopped by the progress callback; the results returned are valid */
    INCO_OK = 0,
    INCO_ENOMEM = -1,    /* out of memory */
    INCO_EINVAL = -2,    /* an argument or option is NULL, unknown, out of range, or conflicts with another */
    INCO_EIO = -3,       /* a file cannot be opened, read or written */
    INCO_EFORMAT = -4,   /* a file is not in the expected format */
    INCO_EDATA = -5,     /* unsuitable data: NaN, Inf, too few signals */
    INCO_EDIM = -6,      /* dimensions do not match */
    INCO_ENOTBUILT = -7, /* needs an optional library that this build lacks */
    INCO_ENUMERIC = -8   /* a factorisation failed */
} inco_status;

/* Why a call failed, in one sentence: the file or option, the position, and what to do. Owned by the caller. */
typedef struct inco_error {
    int code; /* the inco_status that was returned */
    char message[1024];
} inco_error;

/* Describes a status in a few words. Never NULL, also for unknown codes. */
INCO_API const char *inco_strerror(int status);

/* "0.1.0" */
INCO_API const char *inco_version(void);

/* ---- Versioned structs ------------------------------------------------------------------------------------- */

/* Initialises a struct that begins with `size`: sets the size, zeroes the rest. Needed for output structs too:
 *
 *     inco_learn_info info = INCO_INIT(inco_learn_info);
 *
 * A designated initialiser must set `.size = sizeof(inco_source)` itself. The size tells the library which fields the
 * caller was compiled with. In input structs, the library takes fields beyond that size as zero. In output structs, it
 * does not write beyond that size, and zeroes fields that are newer than the library. */
#ifdef __cplusplus
#define INCO_INIT(type) {sizeof(type)}
#else
#define INCO_INIT(type) {.size = sizeof(type)}
#endif

/* ---- Matrices and codes ------------------------------------------------------------------------------------ */

typedef enum inco_type { INCO_F32 = 4, INCO_F64 = 8 } inco_type; /* the value is the size in bytes */

/* Dense column-major matrix: element (i, j) is data[i + j * ld]. Either a view of the caller's memory (owner is NULL;
 * see inco_mat_view) or allocated by the library. */
typedef struct inco_mat {
    inco_type type;
    int64_t rows, cols, ld;
    void *data;
    void *owner; /* used by inco_mat_free to release `data`; NULL: `data` belongs to the caller */
} inco_mat;

/* Sparse codes (compressed sparse columns), one column per signal. Signal n has the coefficients value[k] of the atoms
 * index[k], start[n] <= k < start[n + 1], sorted by atom. The same arrays are scipy's CSR matrix of shape (signals,
 * atoms). As in inco_mat, the arrays belong to the caller (owner is NULL) or to the library. */
typedef struct inco_csc {
    inco_type type;
    int64_t rows, cols; /* atoms, signals */
    int64_t *start;     /* cols + 1 */
    int64_t *index;
    void *value;
    void *owner; /* used by inco_csc_free to release the arrays; NULL: they belong to the caller */
} inco_csc;

/* Releases memory that the library allocated, never the caller's, and zeroes the struct. */
INCO_API void inco_mat_free(inco_mat *m);
INCO_API void inco_csc_free(inco_csc *codes);

/* Makes *m a view of `data`, with ld = rows. */
INCO_API void inco_mat_view(inco_mat *m, inco_type type, int64_t rows, int64_t cols, void *data);
/* Allocates a matrix of zeros. */
INCO_API int inco_mat_new(inco_mat *m, inco_type type, int64_t rows, int64_t cols, inco_error *error);

/* ==== 1. Primary tier ======================================================================================= */

/* ---- Options ----------------------------------------------------------------------------------------------- */

/* The settings of all calls, by name ("gamma", "max-coherence"). inco_option_at lists them with range, default and
 * help. Each call reads the options that apply to it. */
typedef struct inco_options inco_options;

INCO_API inco_options *inco_options_new(void); /* all options at their defaults; NULL: out of memory */
INCO_API inco_options *inco_options_copy(const inco_options *options);
INCO_API void inco_options_free(inco_options *options);

/* Sets an option from its text; flags take "yes" or "no". Checks the name, the syntax and the range. */
INCO_API int inco_options_set(inco_options *options, const char *name, const char *value, inco_error *error);
/* Sets a numeric option. */
INCO_API int inco_options_set_number(inco_options *options, const char *name, double value, inco_error *error);

/* Writes the value as text to `buffer` of `size` bytes. Returns the full length, like snprintf; -1: unknown option. */
INCO_API int inco_options_get(const inco_options *options, const char *name, char *buffer, size_t size);
/* Returns the value as a number; flags are 0 or 1; NaN for text, "auto" and unset options. */
INCO_API double inco_options_get_number(const inco_options *options, const char *name);
/* Returns 1 if the option was set, 0 if it has its default. */
INCO_API int inco_options_given(const inco_options *options, const char *name);

/* Checks that the options set are compatible with each other, for `command` INCO_LEARN, INCO_ENCODE, INCO_FRAME or
 * INCO_DECOHERE. These calls check it themselves; use this to fail early, before loading data. */
INCO_API int inco_options_check(const inco_options *options, unsigned command, inco_error *error);

/* ---- Progress ---------------------------------------------------------------------------------------------- */

/* State of a running call. Fields that do not apply to the phase are zero. */
typedef struct inco_progress {
    size_t size;
    const char *phase;
    int64_t iteration, iterations; /* current iteration, from 1; maximum number of iterations */
    int64_t done, total;           /* within the phase: signals coded, or pairs of atoms measured */
    double seconds;                /* since the call began */
    /* of the current or just completed iteration, path point, frame or dictionary: */
    double relative_error, mean_cardinality; /* of the codes that the dictionary update started from */
    double objective_before, objective;      /* before and after the dictionary update, for the same codes */
    double coherence_max, coherence_rms;
    int64_t replaced;                        /* atoms replaced before the sparse coding step */
    int64_t update_iterations;
    double seconds_code, seconds_update;
    int64_t spread_passes, spread_pairs;     /* as in inco_learn_info */
    double gamma;                            /* penalty weight in this dictionary update */
    int64_t gamma_updates;                   /* trial updates to find gamma ("target-rms") */
    int64_t point, points;                   /* regularisation path: current point, from 1 (0: not begun); number, 0 if
                                                not known in advance */
} inco_progress;

/* Phases:
 *   learn      "code", "update", "iteration" (an iteration is complete), "bound" (enforcing max-coherence on the
 *              result), "final" (coding in the final dictionary); on a regularisation path also "residuals" and "point"
 *              (a point is complete)
 *   encode     "code"
 *   inspect    "inspect"
 *   compare    "compare"
 *   decohere   "code" (with data), "decohere"
 *   frame      "frame"
 *   residuals  "residuals" (`iteration` counts the cardinalities) */

/* Called repeatedly by every call that may take long: learning, inco_encode, inco_inspect, inco_compare,
 * inco_decohere, inco_frame and inco_residuals_measure; always on the thread that made the call. A nonzero return value
 * stops the call after the current step: it returns INCO_STOPPED and the results so far. An update that takes long is
 * reported several times; if it is stopped, the dictionary is the one before it. */
typedef int (*inco_progress_fn)(void *self, const inco_progress *progress);

/* Sets the progress callback of calls made with these options; NULL: none. Pass sizeof(inco_progress) as `size`. */
INCO_API int inco_options_on_progress(inco_options *options, inco_progress_fn callback, void *self, size_t size,
                                      inco_error *error);

/* ---- Clusters ---------------------------------------------------------------------------------------------- */

/* Ranks that share the work of a call: processes, numbered from 0, that all make the same call with the same options
 * and data. Each reads and codes its own share of the signals; the results are those of one process, bit for bit on
 * like machines. inco_mpi.h makes a cluster of an MPI communicator. */
typedef struct inco_cluster {
    size_t size;
    int64_t rank, ranks;
    /* The functions return 0, or a negative inco_status and a message. */
    /* Adds `count` values of rank `from` to those of rank `to`. These two call it. */
    int (*reduce)(void *self, double *values, int64_t count, int64_t from, int64_t to, inco_error *error);
    /* Copies `bytes` of rank `from` to rank `to`, called by these two; to = -1: to all, called by all. */
    int (*broadcast)(void *self, void *data, size_t bytes, int64_t from, int64_t to, inco_error *error);
    void *self; /* passed to them */
} inco_cluster;

/* Sets the cluster of calls made with these options; NULL: none. Used by inco_learner and inco_encode. Rank 0 uses its
 * learner as without a cluster; the other ranks call inco_learner_serve. inco_encode returns the codes on rank 0. */
INCO_API int inco_options_cluster(inco_options *options, const inco_cluster *cluster, inco_error *error);

/* ---- Files ------------------------------------------------------------------------------------------------- */

/* Loads a matrix from .npy .npz .csv .tsv .mat .safetensors .f32; the extension decides the format. "-", standard input,
 * and pipes have a .npy array or, like .f32 files, raw float32 numbers ("dim"). Options used: columns, variable, dim,
 * max-memory. `options` NULL: each row of the file is a signal or atom; any variable. NaN and Inf are refused.
 * The matrix is held in memory; for data larger than that see inco_data_open. */
INCO_API int inco_load(const char *path, const inco_options *options, inco_mat *m, inco_error *error);

/* Saves a matrix as .npy .npz .csv .tsv .mat .safetensors. `meta` (JSON text, may be NULL) is stored in .npz, .mat and
 * .safetensors. Options used: columns; variable, the name of the tensor in .safetensors (default "components"). "-"
 * writes .npy to standard output. The file is written atomically: complete, or not at all. */
INCO_API int inco_save(const char *path, const inco_mat *m, const inco_options *options, const char *meta,
                       inco_error *error);

/* Saves a dictionary with the mean (D x 1, may be NULL) that was subtracted from its signals: in .npz and .mat as an
 * array "mean", else in a second file, D.meta.npz for D.npy. Without a mean, such a file of an earlier dictionary is
 * removed. To standard output, without the mean. */
INCO_API int inco_save_dictionary(const char *path, const inco_mat *dictionary, const inco_mat *mean,
                                  const inco_options *options, const char *meta, inco_error *error);
/* Loads the mean saved with a dictionary, which was loaded from `path`: D x 1, in float64; empty if there is none. A
 * mean of another dictionary is refused. */
INCO_API int inco_load_mean(const char *path, const inco_mat *dictionary, inco_mat *mean, inco_error *error);
/* Identifies a dictionary by its values in float32: a number from 1 to 2^52, the same for every file format and precision
 * that it is stored in. 0: not a matrix. */
INCO_API int64_t inco_fingerprint(const inco_mat *dictionary);
/* Writes the name of the second file to `buffer` of `size` bytes. Returns the full length, like snprintf; 0: none. */
INCO_API int inco_mean_path(const char *path, char *buffer, size_t size);

/* ---- Data to learn from ------------------------------------------------------------------------------------ */

/* A set of signals, read in blocks. */
typedef struct inco_source {
    size_t size;
    int64_t dim, count; /* values per signal (D); number of signals (N) */
    inco_type type;
    void *self;         /* passed to `read` */
    /* Copies signals first .. first + count - 1, D contiguous values of `type` each, to `out`. Returns 0, or a negative
     * inco_status and a message. */
    int (*read)(void *self, int64_t first, int64_t count, void *out, inco_error *error);
    int64_t concurrent; /* 1: `read` may be called from several threads at once. 0: `read` is called only on the thread
                         * that called the library, as Python, R and MEX require */
    int64_t sequential; /* 1: signals are slow to read out of their order; learning in batches then takes them in it,
                         * otherwise from everywhere in the data */
    /* Copies the weights of signals first .. first + count - 1 to `out`: nonnegative numbers, not all zero. A signal of
     * weight 2 counts as one that occurs twice, a signal of weight 0 as one that is absent. NULL: all weights are 1. */
    int (*weights)(void *self, int64_t first, int64_t count, double *out, inco_error *error);
    int64_t missing;    /* 1: a value that is NaN marks a missing entry, as with the option "missing" nan. 0: NaN is
                         * refused */
    /* Copies the mask of signals first .. first + count - 1, D values each, to `out`: 0 if the entry is missing,
     * whatever its value, nonzero if it is observed. NULL: no mask. A signal without observed entries is left out of
     * learning, and its code is zero. */
    int (*mask)(void *self, int64_t first, int64_t count, unsigned char *out, inco_error *error);
} inco_source;

/* Makes *source read the columns of a matrix; the matrix must outlive the source. */
INCO_API int inco_source_from_mat(inco_source *source, const inco_mat *x, inco_error *error);

/* Signals from files: rows of matrices (.npy .npz .csv .tsv .mat .safetensors), windows of audio, patches of images.
 * `paths` may name files, folders and glob patterns; they are expanded and sorted. Audio requires the option "window",
 * images require "patch". Native floats in .npy and .safetensors files are read when they are needed; other matrices are
 * held in memory. Audio and images are decoded, with "signals" only the recordings of which a window is drawn; beyond 256
 * MB they are kept in a temporary file. "-" is standard input: a .npy array, or raw float32 numbers, "dim" per signal;
 * it and pipes are copied to a temporary file. Such files have no name and are in TMPDIR or /var/tmp. Options used:
 * window, hop, rate, patch, signals, seed, columns, variable, dim, weights, missing, mask, precision, threads,
 * max-memory. */
typedef struct inco_data inco_data;
INCO_API int inco_data_open(inco_data **data, const char *const *paths, int count, const inco_options *options,
                            inco_error *error);
INCO_API void inco_data_free(inco_data *data);
/* Makes *source read the signals; valid as long as `data`. */
INCO_API int inco_data_source(const inco_data *data, inco_source *source, inco_error *error);
INCO_API const char *inco_data_kind(const inco_data *data);            /* "matrix", "audio" or "image" */
INCO_API int64_t inco_data_files(const inco_data *data);               /* number of files */
INCO_API const char *inco_data_file(const inco_data *data, int64_t i); /* name of file i; NULL past the last */
INCO_API double inco_data_rate(const inco_data *data);                 /* sampling rate in Hz; 0 if not audio */
INCO_API double inco_data_memory(const inco_data *data);               /* bytes in memory; inco_learn_memory lacks them */

/* ---- Learning ---------------------------------------------------------------------------------------------- */

typedef struct inco_learn_info {
    size_t size;
    int64_t dim, atoms;
    int64_t signals;                 /* that were learned from */
    int64_t iterations;              /* completed, including those before a resume */
    inco_type precision;
    double gamma, gamma_relative;    /* penalty weight; gamma = gamma_relative ||X||^2 / L */
    double tight_ratio;              /* gamma (L^2/r - L) / ||X||^2: penalty of a tight frame relative to the data; 0 for
                                      * L <= r, where atoms can be orthonormal */
    double relative_error;           /* ||X - D C|| / ||X||, coded in the final dictionary, over the observed entries; NaN
                                      * if stopped earlier */
    double mean_cardinality;         /* nonzero coefficients per signal; NaN if stopped earlier */
    double objective;                /* ||X - D C||^2 + gamma ||D'D - I||^2 after the last update; K-SVD: with the codes
                                      * that K-SVD updated */
    double coherence_max, coherence_rms, coherence_mean; /* of |d_i'd_j| over i < j */
    double welch;                    /* lower bound on coherence_max, see inco_metrics */
    double singular_max, singular_min; /* in the span of the signals: of min(r, L) values */
    int64_t replaced;                /* atoms replaced, all iterations */
    int64_t replaced_coherent;       /* of these: too coherent with another atom (option "replace") */
    int64_t replaced_exchanged;      /* of these: reduced the error too little (option "exchange") */
    int64_t unused;                  /* atoms that no signal uses in the final coding; -1 if stopped earlier */
    int64_t zero_signals;            /* signals that are zero; their codes are zero */
    int64_t skipped_atoms;           /* linearly dependent atoms skipped in the final coding, summed over signals */
    const char *stopped_by;          /* "iterations", "change", "seconds" or "callback" */
    const char *isa, *blas;          /* as inco_isa, inco_blas */
    int64_t threads;
    double seconds_code, seconds_update, seconds_io, seconds_total;
    int64_t spread_passes;           /* all iterations: decorrelation passes (inksvd), projections (ipr) */
    int64_t spread_pairs;            /* pairs rotated (inksvd) */
    double seconds_spread;           /* part of seconds_update spent in these passes */
    double coherence_target;         /* of the method, including its tolerance; 0: none */
    double eta;                      /* weight of the penalty on norms (mocod); else 0 */
    double start_coherence_max, start_coherence_rms; /* of the initial atoms (parametric); else 0 */
    int64_t replaced_last;           /* atoms to replace after the last update (option "replace"): applied and counted in
                                        `replaced` with "replace-last" published, else neither */
    int64_t rank;                    /* dimension of the span of the signals, r; atoms are in it, and the lower bound
                                      * and the tight frame are those of this subspace. Without data: D */
    int64_t start_projected;         /* initial atoms with a part outside the span, which was taken out */
    int64_t start_replaced;          /* of these: orthogonal to all signals, and replaced by random ones */
    int64_t ranks;                   /* of the cluster; 1 without one */
    int64_t cluster_updates;         /* coding passes or batches whose sums were exchanged, each for one update */
    double cluster_bytes;            /* exchanged between all ranks, up to the last of them */
    double weight;                   /* sum of the weights of the signals; their number if they have none */
    int64_t left_out;                /* signals of weight 0, which `signals` does not count */
    int64_t empty_signals;           /* signals without an observed entry, which it does not count either */
    int64_t missing_entries;         /* of the signals learned from */
    double dropout;                  /* idl: probability with which updates leave atoms out; else 0 */
    double stop_gain;                /* omp, ols by default with idl: they stop where max |d'r| is this; else 0 */
} inco_learn_info;

/* Learns a dictionary from the signals of `source`. Allocates `dictionary` in the precision chosen; `info` may be NULL.
 * The method "parametric" uses no data: `source` is NULL, and the options "window", "rate" and "atoms" are required. */
INCO_API int inco_learn(const inco_source *source, const inco_options *options, inco_mat *dictionary,
                        inco_learn_info *info, inco_error *error);
/* Estimates the memory in bytes that learning this many atoms takes, including the program's own: it depends on the sizes,
 * the threads, the method and the coder, and on the number of signals by its logarithm only, unless the method holds the
 * codes. inco_learn refuses to begin if it exceeds the option "max-memory". NaN: invalid arguments. */
INCO_API double inco_learn_memory(const inco_source *source, int64_t atoms, const inco_options *options);
/* Returns 1 if the method chosen learns from data, 0 for "parametric". */
INCO_API int inco_learn_needs_data(const inco_options *options);

/* ---- Sparse coding ----------------------------------------------------------------------------------------- */

typedef struct inco_encode_info {
    size_t size;
    int64_t dim, atoms;
    int64_t signals; /* coded; fewer than in the source if stopped */
    int64_t nonzeros;
    double mean_cardinality, relative_error, snr_db;
    int64_t skipped_atoms; /* linearly dependent atoms skipped, summed over signals */
    int64_t zero_signals, zero_atoms;
    double seconds_code, seconds_io, seconds_total;
    int64_t missing_entries; /* relative_error and snr_db are those of the other entries */
    int64_t empty_signals;   /* signals without an observed entry; their codes are zero */
} inco_encode_info;

/* Computes sparse codes of all signals of `source`; `info` may be NULL. Atoms may have any norm: the coder works with
 * normalised atoms and rescales the coefficients, so that dictionary * codes approximates the signals. Signals are not
 * normalised; with "center" signal the mean of each signal is subtracted first. With missing entries
 * codes and errors are those of the observed ones, and dictionary * codes fills the others; the coder is omp or ols.
 * Options used: coder, sparsity, tolerance, residual-norm, lambda, residual-coherence, refit, nonnegative, center,
 * missing, precision, threads. */
INCO_API int inco_encode(const inco_mat *dictionary, const inco_source *source, const inco_options *options,
                         inco_csc *codes, inco_encode_info *info, inco_error *error);

/* Computes signals = dictionary * codes, plus the means in `origin` (may be NULL). Allocates `signals` in the wider of
 * the two types. INCO_EDATA if the origin names another dictionary; set its `dictionary` to 0 to decode nevertheless. */
typedef struct inco_origin inco_origin;
INCO_API int inco_decode(const inco_mat *dictionary, const inco_csc *codes, const inco_origin *origin,
                         inco_mat *signals, inco_error *error);

/* ---- Coherence of a dictionary ----------------------------------------------------------------------------- */

/* Metrics of the normalised atoms, computed in float64. Zero atoms are counted and otherwise ignored. */
typedef struct inco_metrics {
    size_t size;
    void *owner;                     /* of the arrays, for inco_metrics_free */
    int64_t dim, atoms, zero_atoms;
    double norm_min, norm_max;       /* of the atoms before normalisation, including zero atoms */
    double coherence_max, coherence_rms, coherence_mean, coherence_median; /* of |d_i'd_j| over i < j */
    double welch;                    /* lower bound on coherence_max: Welch, or Levenshtein for L > r(r+1)/2, with r for D */
    int64_t erc_sparsity;            /* exact recovery condition: largest k < (1 + 1/mu) / 2, at most L */
    int64_t babel_count;
    const double *babel;             /* Babel function: babel[k-1] = max_i of the k largest |d_i'd_j| summed; k <= 64 */
    int64_t histogram_count;         /* number of bins, of equal width on [0, 1] */
    const int64_t *histogram;        /* pairs by |d_i'd_j|; the last bin includes 1 */
    int64_t singular_count;
    const double *singular;          /* min(D, L) singular values in descending order */
    double flat_singular;            /* sqrt(L / r): the singular values of a tight frame of the span of the atoms */
    double frame_lower, frame_upper; /* extreme nonzero eigenvalues of D D' */
    int64_t duplicates;              /* pairs with |d_i'd_j| >= the option "duplicates" */
    int64_t pair_count;              /* number of most coherent pairs listed, at most 20 */
    const int64_t *pair_first, *pair_second; /* the atoms of each pair ... */
    const double *pair_similarity;   /* ... and d_i'd_j, in descending order of |d_i'd_j| */
    int64_t rank;                    /* number of singular values above rounding errors, r */
    int64_t nearest_count;           /* L; 0 for fewer than two nonzero atoms */
    const int64_t *nearest;          /* per atom: the one with the largest |d_i'd_j|; -1 for a zero atom */
    const double *nearest_similarity; /* per atom: d_i'd_j with that one; NaN for a zero atom */
    const int64_t *nearest_histogram; /* nonzero atoms by |d_i'd_j| with their nearest, in histogram_count bins */
    int64_t quantile_count;
    const double *quantile_level;    /* shares of the atoms, from 0 to 1 ... */
    const double *nearest_quantile;  /* ... and the quantiles of |d_i'd_j| with the nearest atom, as NumPy's */
    int64_t duplicate_count;         /* pairs listed: the 1,000,000 most coherent of `duplicates`, or all of them */
    const int64_t *duplicate_first, *duplicate_second; /* the atoms of each, in descending order of |d_i'd_j| ... */
    const double *duplicate_similarity; /* ... and d_i'd_j */
    int64_t babel_sparsity;          /* recovery is guaranteed by the Babel function: largest k with babel(k-1) +
                                        babel(k) < 1, at most babel_count */
} inco_metrics;

/* Measures a dictionary, without storing its L x L Gram matrix. `options` may be NULL. Options used: duplicates,
 * threads. Free the result with inco_metrics_free. It is empty if the call was stopped. */
INCO_API int inco_inspect(const inco_mat *dictionary, const inco_options *options, inco_metrics *metrics,
                          inco_error *error);
INCO_API void inco_metrics_free(inco_metrics *metrics);
/* Returns the lower bound `welch` on the coherence of L = `atoms` unit vectors in D = `dim` dimensions; 0 for L <= D. */
INCO_API double inco_bound(int64_t dim, int64_t atoms);
/* Returns the name of the lower bound `welch`: "Welch bound", or "Levenshtein bound" for L > D(D+1)/2. */
INCO_API const char *inco_bound_name(int64_t dim, int64_t atoms);

/* ---- Comparison of two dictionaries ------------------------------------------------------------------------ */

/* Atoms of two dictionaries A and B, matched up to sign and norm: the similarity of two atoms is the inner product a_i'b_j
 * of the normalised atoms, and its size decides. Zero atoms are counted and otherwise ignored. */
typedef struct inco_comparison {
    size_t size;
    void *owner;                     /* of the arrays, for inco_comparison_free */
    int64_t dim, atoms_a, atoms_b, zero_a, zero_b;
    /* One to one: the matching with the largest sum of |a_i'b_j|, by the Hungarian method */
    int64_t matched;                 /* pairs: all nonzero atoms of the smaller dictionary */
    double mean_similarity;          /* mean |a_i'b_j| of these pairs */
    const int64_t *match;            /* per atom of A: its atom of B; -1: none */
    const double *match_similarity;  /* per atom of A: a_i'b_j; NaN: none */
    int64_t histogram_count;         /* number of bins, of equal width on [0, 1] */
    const int64_t *histogram;        /* matched pairs by |a_i'b_j|; the last bin includes 1 */
    int64_t threshold_count;
    const double *threshold;         /* 0.99, 0.95, 0.9 */
    const int64_t *recovered;        /* per threshold: matched pairs with |a_i'b_j| at or above it */
    /* Greedy: the most similar atom of the other dictionary, which several atoms may share */
    const int64_t *nearest_a, *nearest_b; /* per atom of A: the atom of B, and conversely; -1: none */
    const double *nearest_similarity_a, *nearest_similarity_b; /* per atom: a_i'b_j; NaN: none */
    const int64_t *recovered_a, *recovered_b; /* per threshold: atoms whose |a_i'b_j| is at or above it */
    double mean_nearest_a, mean_nearest_b;    /* mean |a_i'b_j| over the atoms of A, of B */
    int64_t collisions_a, collisions_b;       /* atoms whose most similar atom is that of an earlier atom too */
    double coherence_max_a, coherence_rms_a, coherence_max_b, coherence_rms_b; /* as in inco_metrics */
    double seconds_total;
} inco_comparison;

/* Compares the dictionaries A and B, of the same dimension and any numbers of atoms, which may have any norm. Similarities
 * closer than 2^-27 are ties for the matching, so that its mean is at most 2^-27 below the largest possible one. Takes 4
 * bytes per pair of an atom of A and an atom of B. `options` may be NULL. Options used: threads, max-memory. Free the
 * result with inco_comparison_free. It is empty if the call was stopped. */
INCO_API int inco_compare(const inco_mat *a, const inco_mat *b, const inco_options *options,
                          inco_comparison *comparison, inco_error *error);
INCO_API void inco_comparison_free(inco_comparison *comparison);

/* ---- Low coherence without learning ------------------------------------------------------------------------ */

typedef struct inco_decohere_info {
    size_t size;
    int64_t dim, atoms, zero_atoms;
    inco_type precision;
    double bound, welch;                 /* option "max-coherence"; lower bound for this size, see inco_metrics */
    double coherence_before;             /* of the input dictionary */
    double coherence_max, coherence_rms; /* of the result, in its precision */
    int64_t reached;                     /* 1: coherence_max <= bound */
    double change;                       /* ||E - D|| / ||D|| */
    int64_t moved;                       /* number of atoms changed */
    int64_t signals;                     /* 0 without data */
    double mean_cardinality;             /* of the codes in D; this and the next two are NaN without data */
    double relative_error_before, relative_error; /* ||X - D C|| / ||X||, ||X - E C|| / ||X||, with the same codes */
    int64_t stages, iterations;
    int64_t threads;
    double seconds_code, seconds_total;
} inco_decohere_info;

/* Finds the nearest dictionary E whose normalised atoms satisfy |e_i'e_j| <= "max-coherence". Nearest means minimal
 * ||E - D||; with data (`source`, may be NULL) minimal ||X - E C||, where C are the codes of the data in D. Atoms may
 * have any norm and keep it; zero atoms are ignored. A dictionary that satisfies the bound is returned unchanged. A
 * bound below `welch` is refused. If the bound was not reached, info->reached is 0 and E is the least coherent
 * dictionary found. `info` may be NULL. Options used: max-coherence, seed, precision (default: that of the dictionary),
 * threads; with data also normalize, center and those of the coder. */
INCO_API int inco_decohere(const inco_mat *dictionary, const inco_source *source, const inco_options *options,
                           inco_mat *result, inco_decohere_info *info, inco_error *error);

typedef struct inco_frame_info {
    size_t size;
    int64_t dim, atoms;
    inco_type precision;
    double coherence_max, coherence_rms; /* of the result, in its precision */
    double welch;                        /* lower bound on coherence_max, see inco_metrics */
    double tightness;                    /* largest entry of |D D' - (L / D) I| */
    int64_t starts, start;               /* number of random initial frames; the one that led to the result */
    const char *stopped_by;              /* "orders" (search complete), "bound" (optimal), "seconds", "callback" */
    int64_t threads;
    double seconds_total;
} inco_frame_info;

/* Designs a frame of "atoms" unit vectors in "dim" dimensions with the lowest max |d_i'd_j| found; orthonormal vectors
 * if atoms <= dim. If stopped, returns the best frame so far. `info` may be NULL. Options used: dim, atoms, tight,
 * starts, steps, seed, precision, threads, stop-seconds. */
INCO_API int inco_frame(const inco_options *options, inco_mat *frame, inco_frame_info *info, inco_error *error);

/* ==== 2. Handles for single steps =========================================================================== */

/* ---- Streams ----------------------------------------------------------------------------------------------- */

/* Byte stream implemented by the caller. `write` and `read` transfer exactly `count` bytes and return 0, or nonzero on
 * failure; the one that is not used may be NULL. */
typedef struct inco_stream {
    size_t size;
    void *self;
    int (*write)(void *self, const void *bytes, size_t count);
    int (*read)(void *self, void *bytes, size_t count);
} inco_stream;

/* A file as a stream. A file that was created appears under its name when it is closed with keep = 1; with keep = 0 it
 * is discarded. */
typedef struct inco_file inco_file;
INCO_API int inco_file_create(inco_file **file, const char *path, inco_error *error);
INCO_API int inco_file_open(inco_file **file, const char *path, inco_error *error);
/* Makes *stream read or write the file; valid until the file is closed. */
INCO_API int inco_file_stream(inco_file *file, inco_stream *stream, inco_error *error);
INCO_API int inco_file_close(inco_file *file, int keep, inco_error *error);

/* ---- The learner ------------------------------------------------------------------------------------------- */

/* inco_learn in steps, for an initial dictionary in memory and for checkpoints. Call order: new; start_from or resume
 * (optional); run; dictionary, info, encode; free. The options are copied; the source must outlive the learner. */
typedef struct inco_learner inco_learner;
INCO_API int inco_learner_new(inco_learner **learner, const inco_source *source, const inco_options *options,
                              inco_error *error);
INCO_API void inco_learner_free(inco_learner *learner);
/* Sets the initial dictionary; overrides the option "init". */
INCO_API int inco_learner_start_from(inco_learner *learner, const inco_mat *dictionary, inco_error *error);
INCO_API int inco_learner_run(inco_learner *learner, inco_error *error);
/* On the other ranks of a cluster: does this rank's share of the learner of rank 0, until that one is freed. The
 * progress callback is called on these ranks too, and stops the run of rank 0. */
INCO_API int inco_learner_serve(inco_learner *learner, inco_error *error);

/* Results of the run; within the progress callback, those so far. */
INCO_API int inco_learner_info(const inco_learner *learner, inco_learn_info *info, inco_error *error);
/* Makes *view a view of the dictionary, valid as long as the learner. Within the progress callback it is the dictionary
 * so far, in float64, valid until the callback returns; empty if there is none yet. */
INCO_API int inco_learner_dictionary(const inco_learner *learner, inco_mat *view, inco_error *error);
/* Makes *view a view of the mean of every feature (D x 1), subtracted by "center" feature; empty without this option. */
INCO_API int inco_learner_mean(const inco_learner *learner, inco_mat *view, inco_error *error);
/* Returns, for each of the *atoms atoms, the number of signals that use it in the final coding; NULL without a final
 * coding. Valid as long as the learner. */
INCO_API const int64_t *inco_learner_usage(const inco_learner *learner, int64_t *atoms);
/* Computes codes of the training signals in the learned dictionary. The coder sees them centred and normalised, as for
 * learning; the codes are for their original norms, so that dictionary * codes approximates the centred signals. */
INCO_API int inco_learner_encode(inco_learner *learner, inco_csc *codes, inco_error *error);

/* ---- Learning from a stream -------------------------------------------------------------------------------- */

/* State of online learning from a stream of batches. All of it belongs to the caller, who may store and copy it. Before
 * the first batch `dictionary` is the initial dictionary and the rest is zero. The matrices are float64 with ld =
 * rows. */
typedef struct inco_online {
    size_t size;
    inco_mat *dictionary; /* D x L */
    inco_mat *a, *b;      /* sums of c c' (L x L) and x c' (D x L), in which earlier signals weigh less */
    double energy;        /* sum of ||x||^2, with the same weights */
    double weight;        /* sum of the weights */
    int64_t signals;      /* number of signals seen */
    double relative_error, mean_cardinality; /* of the last batch, coded before its updates */
    double objective;     /* after the last update, scaled to all signals seen */
    double gamma;         /* penalty weight in the last update */
    inco_mat *result;     /* D x L: the dictionary, or with "max-coherence" one near it that satisfies the bound; may be
                             NULL */
    double total_weight;  /* sum of the weights of the signals seen, without forgetting; 0: their number */
    double observed;      /* sum of ||x||^2 over the observed entries, with the weights of `energy`; 0: the same */
} inco_online;

/* Learns from the next batch of any size, by the method "online": updates the dictionary after every "batch" signals
 * and at the end. A signal weighs "forget" once as many signals again have been seen. If stopped, or after a failure,
 * the state is unchanged. Options used: those of the method "online", except init, iterations and the replacement of
 * atoms. */
INCO_API int inco_online_learn(const inco_source *batch, const inco_options *options, inco_online *state,
                               inco_error *error);

/* The regularisation path: the values of gamma tried by "gamma" auto, "target-error" and "target-rms". The dictionary
 * learned is that of the chosen point. */
typedef struct inco_path {
    size_t size;
    int64_t count, chosen;      /* points computed; index of the chosen one */
    int64_t points;             /* points planned, or count + 1; more than count if the path was stopped */
    int64_t held_out;           /* signals held out to score the points; 0 with a target, which scores none */
    int64_t cardinalities;
    const int64_t *cardinality; /* cardinalities at which inco_path_point.residual is measured */
    double noise;               /* scores closer than this are ties */
    double seconds;
} inco_path;

typedef struct inco_path_point {
    size_t size;
    double gamma, gamma_relative;            /* gamma = gamma_relative ||X||^2 / L, X the signals not held out */
    double coherence_max, coherence_rms;
    double singular_max, singular_min;
    double relative_error, mean_cardinality; /* of all signals, with the coder chosen */
    const double *residual;                  /* per cardinality: median ||x - D c|| / ||x|| of held-out data, by OMP */
    double judgement;                        /* score, lower is better: see docs/theory/steering.md */
    double cost;                             /* exp(judgement - lowest judgement of the path) - 1 */
    int64_t order;                           /* in which it was computed, from 1 */
} inco_path_point;

/* Without one of these options the path is empty (count 0). Points are in ascending order of gamma. The arrays are valid as
 * long as the learner. */
INCO_API int inco_learner_path(const inco_learner *learner, inco_path *path, inco_error *error);
INCO_API int inco_learner_path_point(const inco_learner *learner, int64_t i, inco_path_point *point, inco_error *error);

/* Writes a checkpoint: the complete state between two iterations or between two points of the path. Call it from the
 * progress callback in phase "iteration" or "point", or after the run. */
INCO_API int inco_learner_save(const inco_learner *learner, const inco_stream *stream, inco_error *error);
/* Reads a checkpoint; inco_learner_run then continues from there. The data and the options that affect the result must
 * be those of the saved run, except that "iterations" may be larger if there is no path. A checkpoint has a checksum,
 * and holds a fingerprint of all signals, which are read once to compare it. The stream must end with the checkpoint;
 * after a failure the learner is unchanged. */
INCO_API int inco_learner_resume(inco_learner *learner, const inco_stream *stream, inco_error *error);

/* ---- The sparse coder -------------------------------------------------------------------------------------- */

/* A coder holds the normalised atoms, their Gram matrix and one workspace per thread, for any number of runs. */
typedef struct inco_coder inco_coder;
INCO_API int inco_coder_new(inco_coder **coder, const inco_mat *dictionary, inco_type precision,
                            const inco_options *options, inco_error *error);
INCO_API void inco_coder_free(inco_coder *coder);
/* Codes the columns of x, which must have the coder's precision, and appends the codes to `codes`, which must be all
 * zero at first. Codes in arrays of the caller are copied first. `residual` (may be NULL) receives ||x - D c||^2 per
 * signal. With the option "missing" nan, entries of x that are NaN are missing. */
INCO_API int inco_coder_run(inco_coder *coder, const inco_mat *x, inco_csc *codes, double *residual,
                            inco_error *error);

/* ---- Files of codes ---------------------------------------------------------------------------------------- */

/* How signals were cut from files, so that decoding can restore audio or images. Zero for codes of a matrix. */
struct inco_origin {
    size_t size;
    void *owner;                    /* of the arrays, for inco_origin_free; callers may point to arrays of their own */
    int64_t kind;                   /* 0 matrix, 1 audio, 2 image */
    int64_t window, hop;            /* audio: in samples; image: hop in pixels, in both directions */
    double rate;                    /* Hz */
    int64_t patch_rows, patch_cols; /* image */
    int64_t files;
    const int64_t *shape;           /* per file: samples and 1, or rows and columns; 2 * files values */
    int64_t signals;
    const double *mean;             /* per signal, if subtracted before coding; else NULL */
    int64_t dictionary;             /* inco_fingerprint of the dictionary of the codes; 0: not known */
};

INCO_API int inco_data_origin(const inco_data *data, inco_origin *origin, inco_error *error);
INCO_API void inco_origin_free(inco_origin *origin);
/* Computes the mean of every signal, as subtracted by "center" signal; to be stored in inco_origin.mean. `means`
 * receives source->count values. */
INCO_API int inco_signal_means(const inco_source *source, double *means, inco_error *error);

/* Load and save codes and their origin (may be NULL) as .mat or as .npz, readable by scipy.sparse.load_npz. Options used
 * (may be NULL): max-memory. */
INCO_API int inco_load_codes(const char *path, const inco_options *options, inco_csc *codes, inco_origin *origin,
                             inco_error *error);
INCO_API int inco_save_codes(const char *path, const inco_csc *codes, const inco_origin *origin, inco_error *error);

/* Assembles decoded windows or patches (from inco_decode with `origin`), averaging where they overlap, and saves them
 * as .wav .flac .ogg or .png .pgm. If the origin has several files, `path` names a folder. INCO_CLIPPED if samples beyond
 * full scale were clipped, which .wav and .au do not need. */
INCO_API int inco_save_decoded(const char *path, const inco_mat *signals, const inco_origin *origin,
                               inco_error *error);

/* Checks that `bytes` of memory for `what` ("the signals") do not exceed the option "max-memory" (options NULL: its
 * default): INCO_ENOMEM if they do. For callers that allocate what a file or another party asks for. */
INCO_API int inco_check_memory(const char *what, double bytes, const inco_options *options, inco_error *error);

/* Checks that `path` can be written, to fail before a long computation rather than after it. */
INCO_API int inco_check_output(const char *path, inco_error *error);

/* ==== 3. Expert calls ======================================================================================= */

/* ---- The option table -------------------------------------------------------------------------------------- */

/* Calls that take options, as bits of inco_option.commands. */
enum {
    INCO_LEARN = 1,
    INCO_ENCODE = 2,
    INCO_DECODE = 4,
    INCO_INSPECT = 8, /* and reports */
    INCO_FRAME = 16,
    INCO_DECOHERE = 32,
    INCO_COMPARE = 64,
    INCO_COMMANDS = 127
};

/* What an option takes. */
typedef enum inco_option_type {
    INCO_FLAG,    /* yes or no */
    INCO_INTEGER, /* an integer from low to high */
    INCO_REAL,    /* a number from low to high, or one of the choices */
    INCO_CHOICE,  /* one of the choices */
    INCO_TEXT,
    INCO_SIZE     /* rows and columns, such as "8x8" */
} inco_option_type;

/* One row of the option table. Messages and help texts name options as option 'atoms', option 'method' = 'idl'. */
typedef struct inco_option {
    size_t size;
    const char *name;
    int64_t type;             /* inco_option_type */
    const char *default_text; /* as inco_options_set takes it; NULL: unset, `help` says what that means */
    double low, high;         /* range of a number, both ends included */
    const char *choices;      /* "a|b|c", or NULL */
    int64_t commands;         /* INCO_LEARN | ... */
    const char *metavar;      /* a short name for the value, such as "MU"; NULL for a flag */
    const char *group;        /* heading to list it under */
    const char *help;
} inco_option;

/* Reads row i of the table. Returns 1, or 0 past the end. */
INCO_API int inco_option_at(int i, inco_option *option);

/* ---- Residual against cardinality -------------------------------------------------------------------------- */

/* Quartiles over the signals of ||x - D c|| / ||x||, with codes of k atoms by OMP in float64. Zero signals are left
 * out. */
typedef struct inco_residuals {
    size_t size;
    void *owner;               /* of the arrays, for inco_residuals_free */
    int64_t signals, count;    /* signals measured; number of values of k */
    const double *cardinality; /* values of k, ascending */
    const double *lower, *median, *upper;
} inco_residuals;

/* If stopped, returns the cardinalities that are complete. Options used: center, missing, threads. */
INCO_API int inco_residuals_measure(const inco_mat *dictionary, const inco_source *source, const inco_options *options,
                                    inco_residuals *residuals, inco_error *error);
INCO_API void inco_residuals_free(inco_residuals *residuals);

/* ---- Charts ------------------------------------------------------------------------------------------------ */

/* A chart, drawn as SVG. `id` names its CSV file and its anchor in a report: letters, digits and dashes. `caption` may
 * be NULL. Calls that add to a chart or report copy their arguments and return nothing: the first failure is returned
 * by the call that writes. */
typedef struct inco_chart inco_chart;
INCO_API inco_chart *inco_chart_new(const char *id, const char *title, const char *caption); /* NULL: out of memory */
INCO_API void inco_chart_free(inco_chart *chart);

/* Set the axes: a label with its unit, and the range (both ends 0: fitted to the data). A logarithmic axis omits values
 * <= 0. */
INCO_API void inco_chart_x(inco_chart *chart, const char *label, double low, double high, int logarithmic);
INCO_API void inco_chart_y(inco_chart *chart, const char *label, double low, double high, int logarithmic);

/* Adds a line through `count` points with ascending x (NULL: 1, 2, 3, ...); NaN in y leaves a gap. */
INCO_API void inco_chart_line(inco_chart *chart, const char *name, int64_t count, const double *x, const double *y);
/* Adds a band, such as quartiles, around the line added last; `low` and `high` have as many values as the line. */
INCO_API void inco_chart_band(inco_chart *chart, const double *low, const double *high);
/* Add bars from x to x + width, as in a histogram, or only their outline, to compare several histograms. */
INCO_API void inco_chart_bars(inco_chart *chart, const char *name, int64_t count, const double *x, const double *y,
                              double width);
INCO_API void inco_chart_steps(inco_chart *chart, const char *name, int64_t count, const double *x, const double *y,
                               double width);
/* Adds a dashed line across the chart at an x (vertical) or a y, such as a bound. */
INCO_API void inco_chart_mark(inco_chart *chart, const char *name, double value, int vertical);

/* Writes the chart as an SVG document. */
INCO_API int inco_chart_write(const inco_chart *chart, const inco_stream *stream, inco_error *error);

/* ---- Reports ----------------------------------------------------------------------------------------------- */

/* A report: one self-contained HTML file with SVG figures, for light and dark screens, phones and paper. Content is
 * added from top to bottom. Text is escaped. */
typedef struct inco_report inco_report;
INCO_API inco_report *inco_report_new(const char *title, const char *subtitle); /* NULL: out of memory */
INCO_API void inco_report_free(inco_report *report);

/* Begins a section; `text` (may be NULL) is the paragraph under its heading. */
INCO_API void inco_report_section(inco_report *report, const char *title, const char *text);

/* Adds a list of `count` names and values, with notes in small print. `kinds` has one letter per value: t text, c code
 * (monospaced). `notes`, its entries, and `kinds` may be NULL. */
INCO_API void inco_report_facts(inco_report *report, const char *const *names, const char *const *values,
                                const char *const *notes, const char *kinds, int count);
/* Adds names and values as headline figures. */
INCO_API void inco_report_headlines(inco_report *report, const char *const *names, const char *const *values,
                                    const char *const *notes, int count);

INCO_API void inco_report_chart(inco_report *report, const inco_chart *chart);

typedef struct inco_table {
    size_t size;
    const char *id, *title;
    int64_t columns, rows;
    const char *const *header; /* `columns` names */
    const char *const *cells;  /* row by row */
    const char *kinds;         /* one letter per column: l text, r numbers, v verdicts: "holds", "partly" or "fails" */
    const char *caption;       /* may be NULL */
} inco_table;

INCO_API void inco_report_table(inco_report *report, const inco_table *table);

/* A dictionary and the run that learned it, for inco_report_dictionary. Fields that are unknown are NULL, 0 or NaN. */
typedef struct inco_summary {
    size_t size;
    const inco_mat *dictionary;
    const inco_metrics *metrics;
    int64_t fact_count;               /* description of the run, as in inco_report_facts */
    const char *const *fact_names, *const *fact_values, *const *fact_notes;
    const char *fact_kinds;
    int64_t iteration_count;
    const inco_progress *const *iterations; /* one pointer per iteration, as given in phase "iteration" */
    const int64_t *usage;             /* per atom: number of signals that use it */
    int64_t signals;                  /* number of training signals */
    double relative_error, mean_cardinality;
    int64_t patch_rows, patch_cols;   /* if atoms are image patches, stored row by row */
    double rate;                      /* if atoms are audio: sampling rate in Hz */
    const inco_residuals *held_out;   /* of test signals */
    double duplicates;                /* threshold of metrics->duplicates; 0: 0.99 */
} inco_summary;

/* Adds the standard report of a dictionary: headline figures, the run, convergence, atoms, coherence, use of atoms,
 * residuals and the most coherent pairs, as far as known. */
INCO_API void inco_report_dictionary(inco_report *report, const inco_summary *summary);

/* Two dictionaries and their comparison, for inco_report_comparison. Fields that are unknown are NULL or 0. */
typedef struct inco_comparison_summary {
    size_t size;
    const inco_mat *a, *b;
    const inco_comparison *comparison;
    int64_t fact_count;               /* description of the run, as in inco_report_facts */
    const char *const *fact_names, *const *fact_values, *const *fact_notes;
    const char *fact_kinds;
    int64_t patch_rows, patch_cols;   /* as in inco_summary */
    double rate;
} inco_comparison_summary;

/* Adds the report of a comparison: headline figures, the similarities of the matched atoms, and the worst matched ones. */
INCO_API void inco_report_comparison(inco_report *report, const inco_comparison_summary *summary);

/* Writes the HTML file. */
INCO_API int inco_report_write(const inco_report *report, const inco_stream *stream, inco_error *error);
/* Return the id of figure or table i (NULL past the last); write its numbers as CSV. */
INCO_API const char *inco_report_figure(const inco_report *report, int i);
INCO_API int inco_report_write_csv(const inco_report *report, int i, const inco_stream *stream, inco_error *error);

/* ---- Logs -------------------------------------------------------------------------------------------------- */

/* The line of a log for a completed iteration (phase "iteration"), {"event": "iteration", ...}, without a line feed:
 * inco_log_load reads its fields back. Writes it to `buffer` and returns its length, like inco_options_get; -1: no
 * progress was given. */
INCO_API int inco_log_line(const inco_progress *iteration, char *buffer, size_t size);

/* A log written by `inco learn --log`. Members are addressed by name: "start.version", "start.options.method",
 * "end.coherence.max". */
typedef struct inco_log inco_log;
INCO_API int inco_log_load(inco_log **log, const char *path, inco_error *error);
INCO_API void inco_log_free(inco_log *log);
/* Writes a member as text to `buffer` and returns its length, like inco_options_get; -1: no such member. The words of a
 * list are joined and quoted as in a shell. */
INCO_API int inco_log_text(const inco_log *log, const char *name, char *buffer, size_t size);
INCO_API double inco_log_number(const inco_log *log, const char *name); /* NaN: no such number */
/* Return the number of iterations; read iteration i. Each iteration occurs once, in ascending order. */
INCO_API int64_t inco_log_iterations(const inco_log *log);
INCO_API int inco_log_iteration(const inco_log *log, int64_t i, inco_progress *iteration, inco_error *error);
/* Like inco_learner_usage. */
INCO_API const int64_t *inco_log_usage(const inco_log *log, int64_t *atoms);

/* ---- This build and this machine --------------------------------------------------------------------------- */

/* Returns whether this build has a feature, 1 or 0: "npz", "audio", "resample", "png", "mat", "json"; -1: unknown. */
INCO_API int inco_has(const char *feature);

INCO_API const char *inco_isa(void);          /* kernels in use: "sse2", "avx2", "avx512", or "generic" */
INCO_API const char *inco_blas(void);         /* name and version of the BLAS */
/* On CPUs newer than itself, OpenBLAS falls back to kernels of 2004, which are three times slower. Returns the value of
 * the environment variable OPENBLAS_CORETYPE that avoids this, to be set before the program starts; NULL: not
 * needed. */
INCO_API const char *inco_blas_advice(void);
INCO_API int inco_threads_available(void);    /* processors that this process may use */
/* Limits BLAS to one thread for the rest of the process and ends OpenBLAS's worker threads, which otherwise spin for a
 * tenth of a second after each call. For programs that use BLAS only through this library; call it before any other
 * thread calls BLAS. */
INCO_API void inco_blas_one_thread(void);

#ifdef __cplusplus
}
#endif
#endif
