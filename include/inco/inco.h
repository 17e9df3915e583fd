/*
 * inco: dictionaries for sparse coding whose atoms stay incoherent.
 *
 * This header is the manual of the library. It has three tiers:
 *
 *   1. the primary tier does the whole job: options, data, learn, frame, decohere, encode, decode, inspect, files, pages;
 *   2. handles for single steps: the sparse coder and the learner;
 *   3. expert calls: views, codes, the option table, sources of your own.
 *
 * Conventions that hold everywhere:
 *
 *   - Every signal and every atom is contiguous in memory. A dictionary is a column-major D x L matrix, data is
 *     D x N; as a C-ordered NumPy array the same bytes are (L, D) and (N, D).
 *   - Functions return 0 for success, a negative `inco_status` for failure, a positive one for an outcome that is no
 *     failure. Those that can fail for a reason a person must act on take an `inco_error *` last; it may be NULL.
 *   - The library never prints, exits, aborts or touches signals, and holds no state between calls.
 *   - Results have the same bits for any number of threads, on one kind of CPU with one BLAS.
 *   - Info and progress structs begin with their size, set by the library, and grow at the end.
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
    INCO_EINVAL = -2,    /* an argument or option is out of range, unknown, or contradicts another */
    INCO_EIO = -3,       /* a file cannot be opened, read or written */
    INCO_EFORMAT = -4,   /* a file is not what it should be */
    INCO_EDATA = -5,     /* the numbers do not allow it: NaN, Inf, too few signals */
    INCO_EDIM = -6,      /* sizes do not fit together */
    INCO_ENOTBUILT = -7, /* this build lacks the library that it takes */
    INCO_ENUMERIC = -8   /* a factorisation failed */
} inco_status;

/* What went wrong, in words for a person: names the file, the option, the place and the remedy. Owned by the caller. */
typedef struct inco_error {
    int code;
    char message[1024];
} inco_error;

/* A short text for a status; for unknown codes too. */
INCO_API const char *inco_strerror(int status);

/* "0.1.0" */
INCO_API const char *inco_version(void);

/* ---- Data that the caller may own -------------------------------------------------------------------------- */

typedef enum inco_type { INCO_F32 = 4, INCO_F64 = 8 } inco_type; /* the value is the size in bytes */

/* A dense column-major matrix: element (i, j) is data[i + j * ld]. Fill one in by hand for memory of your own (owner =
 * NULL), or have the library allocate it; `inco_mat_free` releases what `owner` stands for and clears the struct. */
typedef struct inco_mat {
    inco_type type;
    int64_t rows, cols, ld;
    void *data;
    void *owner; /* NULL: the data is not the library's to release */
} inco_mat;

/* Sparse codes, one column per signal: the nonzeros of signal n are value[k] at atom index[k] for start[n] <= k <
 * start[n + 1], by rising atom. The same arrays are scipy's CSR of shape (signals, atoms). */
typedef struct inco_csc {
    inco_type type;
    int64_t rows, cols; /* atoms, signals */
    int64_t *start;     /* cols + 1 */
    int32_t *index;
    void *value;
    int64_t room; /* nonzeros there is memory for */
} inco_csc;

INCO_API void inco_mat_free(inco_mat *m);
INCO_API void inco_csc_free(inco_csc *codes);

/* ---- Options: set by name, from one table ------------------------------------------------------------------ */

/* All that learn, encode, inspect and the readers of files can be told. The names are the long options of the program
 * without the dashes ("gamma", "max-coherence"); `inco_option_at` lists them with their help. */
typedef struct inco_options inco_options;

INCO_API inco_options *inco_options_new(void); /* all at their defaults; NULL when there is no memory */
INCO_API inco_options *inco_options_copy(const inco_options *options);
INCO_API void inco_options_free(inco_options *options);

/* Value as text, as on the command line; a flag takes "yes" or "no". Range and spelling are checked. */
INCO_API int inco_options_set(inco_options *options, const char *name, const char *value, inco_error *error);
/* A number option (integer or real) from a number. */
INCO_API int inco_options_set_number(inco_options *options, const char *name, double value, inco_error *error);

/* The value as text, written to `buffer`; the length it has or would have. -1 when there is no such option. */
INCO_API int inco_options_get(const inco_options *options, const char *name, char *buffer, size_t size);
INCO_API double inco_options_get_number(const inco_options *options, const char *name); /* flags: 0 or 1; "auto", else NaN */
INCO_API int inco_options_given(const inco_options *options, const char *name);         /* set by the caller? */

/* Do the options given go together? `command` is INCO_LEARN, INCO_ENCODE, INCO_FRAME or INCO_DECOHERE. They check it
 * themselves; a program may ask before it loads data. */
INCO_API int inco_options_check(const inco_options *options, unsigned command, inco_error *error);

/* ---- Data to learn from ------------------------------------------------------------------------------------ */

/* Where signals come from. `read` copies signals first .. first + count - 1, D values each, contiguous, of `type`, to
 * `out`; it may be called from several threads at once. Fill one in by hand to stream data of your own. */
typedef struct inco_source {
    size_t size; /* sizeof(inco_source) */
    int64_t dim, count;
    inco_type type;
    void *self;
    int (*read)(void *self, int64_t first, int64_t count, void *out, inco_error *error);
} inco_source;

/* A source over a matrix in memory, which must outlive it. */
INCO_API inco_source inco_source_from_mat(const inco_mat *x);

/* Signals from files: matrices (.npy .npz .csv .tsv .mat), audio cut into windows, images cut into patches. `paths` may
 * name files, folders and glob patterns; they are expanded and sorted. Options used: window, hop, rate, patch, signals,
 * seed, columns, variable, precision. Audio and images need "window" or "patch". */
typedef struct inco_data inco_data;
INCO_API int inco_data_open(inco_data **data, const char *const *paths, int count, const inco_options *options,
                            inco_error *error);
INCO_API const inco_source *inco_data_source(const inco_data *data);
INCO_API int64_t inco_data_files(const inco_data *data);       /* how many files it came from */
INCO_API const char *inco_data_kind(const inco_data *data);    /* "matrix", "audio" or "image" */
INCO_API const char *inco_data_file(const inco_data *data, int64_t i); /* file i by name; NULL past the last */
INCO_API double inco_data_rate(const inco_data *data);         /* of audio, in Hz; 0 for other kinds */
INCO_API void inco_data_free(inco_data *data);

/* ---- Coherence of a dictionary ----------------------------------------------------------------------------- */

typedef struct inco_pair {
    int64_t first, second;
    double similarity; /* signed inner product of the normalised atoms */
} inco_pair;

enum { INCO_BABEL_MAX = 64, INCO_HISTOGRAM_BINS = 100, INCO_PAIRS_MAX = 20 };

/* Measured in double on the atoms as given, each scaled to unit norm; zero atoms are left out and counted. */
typedef struct inco_metrics {
    size_t size;
    int64_t dim, atoms, zero_atoms;
    double norm_min, norm_max;              /* of the atoms as given, zero atoms included */
    double coherence_max, coherence_rms, coherence_mean, coherence_median; /* of |d_i'd_j| over i < j */
    double welch;                           /* lower bound on coherence_max: Welch, or Levenshtein for L > D(D+1)/2 */
    int64_t erc_sparsity;                   /* largest k with k < (1 + 1/mu) / 2, at most the number of atoms */
    int64_t babel_count;
    double babel[INCO_BABEL_MAX];           /* babel[k-1] = max over atoms of the sum of its k largest |d_i'd_j| */
    int64_t histogram[INCO_HISTOGRAM_BINS]; /* pairs with |d_i'd_j| in [b, b + 1) / 100; 1 counts in the last */
    int64_t singular_count;
    double *singular;                       /* min(D, L), falling; owned, see inco_metrics_free */
    double flat_singular;                   /* sqrt(L / D): all of them, for a tight frame */
    double frame_lower, frame_upper;        /* extreme eigenvalues of D D' */
    int64_t duplicates;                     /* pairs at or above the "duplicates" threshold */
    int64_t pair_count;
    inco_pair pairs[INCO_PAIRS_MAX];        /* the most coherent pairs, worst first */
} inco_metrics;

/* Options used: duplicates, threads. Needs no L x L matrix. Free the result with inco_metrics_free. */
INCO_API int inco_inspect(const inco_mat *dictionary, const inco_options *options, inco_metrics *metrics,
                          inco_error *error);
INCO_API void inco_metrics_free(inco_metrics *metrics);

/* ---- Learning ---------------------------------------------------------------------------------------------- */

enum { INCO_PATH_MAX = 16, INCO_PATH_CARDINALITIES = 3 };

/* One weight tried for "gamma" auto. */
typedef struct inco_path_point {
    double gamma, gamma_relative;                     /* in both conventions, ||X|| that of all signals */
    double coherence_max, coherence_rms;
    double singular_max, singular_min;
    double relative_error, mean_cardinality;          /* of the signals learned from, by the coder chosen */
    double residual[INCO_PATH_CARDINALITIES];         /* median ||x - D c|| / ||x|| of those held out, by OMP */
    double judgement;                                 /* the lower, the better: see docs/theory/steering.md */
    double cost;                                      /* exp(judgement - the lowest of the path) - 1 */
} inco_path_point;

typedef struct inco_path {
    int64_t count, chosen;                            /* points made; the one chosen of them, from 0 */
    int64_t points;                                   /* to make: more than count when it was cut short */
    int64_t held_out;                                 /* signals that judge */
    int64_t cardinalities;
    int64_t cardinality[INCO_PATH_CARDINALITIES];     /* atoms in the codes that residual[] tells of */
    double noise;                                     /* differences of judgements up to here count as none */
    double seconds;
    inco_path_point point[INCO_PATH_MAX];             /* by rising gamma */
} inco_path;

typedef struct inco_learn_info {
    size_t size;
    int64_t dim, atoms, signals;
    int64_t iterations;              /* completed, those before a resume included */
    inco_type precision;
    double gamma, gamma_relative;    /* the same penalty in both conventions: gamma = gamma_relative ||X||^2 / L */
    double tight_ratio;              /* gamma (L^2/D - L) / ||X||^2: penalty of a tight frame over the data's energy */
    double relative_error;           /* ||X - D C|| / ||X||, codes in the final dictionary */
    double mean_cardinality;
    double objective;                /* ||X - D C||^2 + gamma ||D'D - I||^2, after the last update; K-SVD's with
                                      * the codes it has updated */
    double coherence_max, coherence_rms, coherence_mean, welch;
    double singular_max, singular_min;
    int64_t replaced;                /* atoms replaced over all iterations */
    int64_t unused;                  /* atoms that no signal uses in the end; -1 when it was not coded in the end */
    int64_t zero_signals;            /* signals without energy: coded by zero */
    int64_t skipped_atoms;           /* dependent atoms skipped, summed over signals, in the final coding */
    const char *stopped_by;          /* "iterations", "change", "seconds" or "callback" */
    const char *isa, *blas;
    int threads;
    double seconds_code, seconds_update, seconds_io, seconds_total;
    int64_t replaced_coherent;       /* of those replaced, for their coherence with another: option "replace" */
    int64_t spread_passes;           /* over all iterations: decorrelation passes of inksvd, projections of ipr */
    int64_t spread_pairs;            /* pairs that inksvd has rotated */
    double seconds_spread;           /* they took, of seconds_update */
    double coherence_target;         /* what the method was to reach, its tolerance included; 0 when it has no target */
    double eta;                      /* mocod: weight of its penalty on norms; else 0 */
    double start_coherence_max, start_coherence_rms; /* parametric: of the atoms it started from; else 0 */
    int64_t replaced_exchanged;      /* of those replaced, for little worth: option "exchange" */
    inco_path path;                  /* with "gamma" auto; else all zero */
} inco_learn_info;

typedef struct inco_progress {
    size_t size;
    const char *phase;               /* "path", "point" (one has ended), "code", "update", "iteration" (one has ended),
                                      * "bound", "final" */
    int64_t iteration, iterations;   /* the one under way, from 1; how many there will be at most */
    int64_t signals_done, signals;   /* within the coding pass under way */
    /* Set when phase is "iteration", and in part when it is "point": of the iteration or point that has ended. */
    double relative_error, mean_cardinality; /* of the codes that the update started from */
    double objective_before, objective;      /* around the dictionary update, at fixed codes */
    double coherence_max, coherence_rms;
    int64_t replaced;                        /* atoms, before this iteration's coding */
    int64_t update_iterations;
    double seconds_code, seconds_update, seconds; /* of this iteration; since the start */
    int64_t spread_passes, spread_pairs;          /* of this iteration, as in inco_learn_info */
    double gamma;                                 /* that this iteration's update had */
    int64_t gamma_updates;                        /* tried to find it, with "target-rms" or "target-error"; else 0 */
    /* Set when phase is "path" or "point": the point under way, from 1, or 0 for what all start from. The counts above
     * are then those of its own few iterations. At "point" inco_learner_info has the points so far. */
    int64_t point, points;
} inco_progress;

/* Called from the thread that called learn. Non-zero stops after the step under way, with a valid dictionary. */
typedef int (*inco_progress_fn)(void *self, const inco_progress *progress);

/* Learns a dictionary from a source. `dictionary` is allocated here, of the chosen precision. With "method" parametric
 * there is no data, and the source must be NULL; "window", "rate" and "atoms" say what to design. */
INCO_API int inco_learn(const inco_source *source, const inco_options *options, inco_mat *dictionary,
                        inco_learn_info *info, inco_error *error);

/* The learner, for progress, warm starts, and checkpoints: new -> set... -> run -> dictionary, info -> free. */
typedef struct inco_learner inco_learner;
INCO_API int inco_learner_new(inco_learner **learner, const inco_source *source, const inco_options *options,
                              inco_error *error);
INCO_API void inco_learner_on_progress(inco_learner *learner, inco_progress_fn callback, void *self);
/* A dictionary to start from, instead of the option "init" (which then only names where it came from). */
INCO_API int inco_learner_start_from(inco_learner *learner, const inco_mat *dictionary, inco_error *error);
INCO_API int inco_learner_run(inco_learner *learner, inco_error *error);
/* A view of the dictionary, valid as long as the learner. */
INCO_API inco_mat inco_learner_dictionary(const inco_learner *learner);
INCO_API const inco_learn_info *inco_learner_info(const inco_learner *learner);
/* Codes, in the learned dictionary, of the training signals as they were trained on (centred, normalised). */
INCO_API int inco_learner_encode(inco_learner *learner, inco_csc *codes, inco_error *error);
/* By atom, the signals that use it in the final coding; NULL before, and without data. Valid as long as the learner. */
INCO_API const int64_t *inco_learner_usage(const inco_learner *learner);
/* Checkpoints: the whole state between two iterations. `write` and `read` return 0, or non-zero on failure. */
typedef struct inco_stream {
    void *self;
    int (*write)(void *self, const void *bytes, size_t count);
    int (*read)(void *self, void *bytes, size_t count);
} inco_stream;
INCO_API int inco_learner_save(const inco_learner *learner, const inco_stream *stream, inco_error *error);
/* Continues where the checkpoint was made. The options that shape the result must be those of the saved run, except
 * that "iterations" may be raised. The data must be the same. */
INCO_API int inco_learner_resume(inco_learner *learner, const inco_stream *stream, inco_error *error);
INCO_API void inco_learner_free(inco_learner *learner);

/* ---- Low coherence without learning ------------------------------------------------------------------------ */

typedef struct inco_frame_info {
    size_t size;
    int64_t dim, atoms;
    inco_type precision;
    double coherence_max, coherence_rms; /* of the frame as returned, in its precision */
    double welch;                        /* no frame of this size is below; see inco_metrics */
    double tightness;                    /* largest entry of |D D' - (L / D) I| */
    int64_t starts, start;               /* random frames started from; the one that led to the result, from 0 */
    const char *stopped_by;              /* "orders" (all are done), "bound" (it cannot be lower), "seconds", "callback" */
    int threads;
    double seconds_total;
} inco_frame_info;

/* A frame of `atoms` unit-norm atoms in `dim` dimensions whose largest |d_i'd_j| is as low as can be found; an
 * orthonormal set where there are no more atoms than dimensions. Options used: dim, atoms, tight, starts, steps, seed,
 * precision, threads, stop-seconds. The callback (may be NULL) has phase "frame", iteration of iterations, and
 * coherence_max of the frame under way; INCO_STOPPED with the best frame so far when it stops the search. */
INCO_API int inco_frame(const inco_options *options, inco_progress_fn callback, void *self, inco_mat *frame,
                        inco_frame_info *info, inco_error *error);

typedef struct inco_decohere_info {
    size_t size;
    int64_t dim, atoms, zero_atoms;
    inco_type precision;
    double bound, welch;                 /* asked for; none lower can be kept, by the atoms that are not zero */
    double coherence_before;             /* of the dictionary given */
    double coherence_max, coherence_rms; /* of the dictionary returned, in its precision */
    int reached;                         /* is coherence_max within the bound? */
    double change;                       /* ||E - D|| / ||D|| */
    int64_t moved;                       /* atoms that are not as they were */
    int64_t signals;                     /* 0 without data */
    double mean_cardinality;             /* of the codes in the dictionary given; NaN without data, as the next two */
    double relative_error_before, relative_error; /* ||X - D C|| / ||X||, ||X - E C|| / ||X||, with the same codes */
    int64_t stages, iterations;
    int threads;
    double seconds_code, seconds_total;
} inco_decohere_info;

/* What to change. All zero but what is needed. */
typedef struct inco_decohere_input {
    size_t size;                  /* sizeof(inco_decohere_input) */
    const inco_mat *dictionary;   /* atoms of any norm; zero atoms stay and do not count */
    const inco_source *data;      /* weighs the changes by signals; may be NULL */
    inco_progress_fn on_progress; /* may be NULL; phase "decohere", iteration of iterations, coherence_max */
    void *self;
} inco_decohere_input;

/* The nearest dictionary E whose atoms, scaled to unit norm, keep |e_i'e_j| <= "max-coherence": in the sense of ||E - D||,
 * or with data of ||X - E C||, C the codes of the data in D. Atoms keep their norms; a dictionary that keeps the bound is
 * returned as it is. A bound that cannot be kept is refused; one that was not reached leaves info->reached 0, and E is
 * then the least coherent dictionary found. Options used: max-coherence, seed, precision (default: the dictionary's),
 * threads; with data those of coding, normalize and center. */
INCO_API int inco_decohere(const inco_decohere_input *input, const inco_options *options, inco_mat *result,
                           inco_decohere_info *info, inco_error *error);

/* ---- Sparse coding ----------------------------------------------------------------------------------------- */

typedef struct inco_encode_info {
    size_t size;
    int64_t dim, atoms, signals, nonzeros;
    double mean_cardinality, relative_error, snr_db;
    int64_t skipped_atoms; /* dependent atoms skipped, summed over signals */
    int64_t zero_signals, zero_atoms;
    double seconds_code, seconds_io, seconds_total;
} inco_encode_info;

/* Codes of all signals of a source. Atoms may have any norm: they are coded as if of unit norm and the coefficients
 * scaled back, so that dictionary * codes approximates the signal. Signals are not scaled; with center = signal their
 * means are taken off. Options used: coder, sparsity, tolerance, lambda, residual-coherence, refit, nonnegative, center,
 * precision, threads. */
INCO_API int inco_encode(const inco_mat *dictionary, const inco_source *source, const inco_options *options,
                         inco_csc *codes, inco_encode_info *info, inco_error *error);

/* signals = dictionary * codes, allocated here, of the wider type of the two. With an origin that has means (may be NULL)
 * they are added back. */
typedef struct inco_origin inco_origin;
INCO_API int inco_decode(const inco_mat *dictionary, const inco_csc *codes, const inco_origin *origin,
                         inco_mat *signals, inco_error *error);

/* The mean of every signal of a source: what --center signal takes off, to be kept in the codes' origin. */
INCO_API int inco_signal_means(const inco_source *source, double *means, inco_error *error);

/* The coder behind both: normalises the atoms, holds the Gram matrix and one workspace per thread. */
typedef struct inco_coder inco_coder;
INCO_API int inco_coder_new(inco_coder **coder, const inco_mat *dictionary, inco_type precision,
                            const inco_options *options, inco_error *error);
/* Codes the columns of x (of the coder's precision) and appends them to `codes`, which is made when all zero.
 * `residual` (may be NULL) gets ||x - D c||^2 of each. */
INCO_API int inco_coder_run(inco_coder *coder, const inco_mat *x, inco_csc *codes, double *residual,
                            inco_error *error);
INCO_API void inco_coder_free(inco_coder *coder);

/* ---- Files ------------------------------------------------------------------------------------------------- */

/* Where codes came from, so that decoding can give audio or images back. All zero for codes of a matrix. */
struct inco_origin {
    size_t size;
    int kind; /* 0 matrix, 1 audio, 2 image */
    int64_t window, hop;             /* audio, in samples */
    double rate;                     /* Hz */
    int64_t patch_rows, patch_cols;  /* image; hop is the step in both directions */
    int64_t files;
    int64_t *shape;                  /* per file: samples and 1, or rows and columns; 2 * files entries */
    int64_t signals;
    double *mean;                    /* of each signal, where it was taken off before coding; else NULL */
};

INCO_API int inco_data_origin(const inco_data *data, inco_origin *origin, inco_error *error);
INCO_API void inco_origin_free(inco_origin *origin);

/* A matrix from .npy .npz .csv .tsv .mat, by the file's name. Options used: columns, variable. NaN and Inf are refused.
 * Without options (NULL): signals or atoms in rows of the file, any name. A C-ordered native float .npy is mapped. */
INCO_API int inco_load(const char *path, const inco_options *options, inco_mat *m, inco_error *error);

/* Writes a matrix as .npy .npz .csv .tsv .mat by the file's name; `meta` (JSON text, may be NULL) goes into .npz and
 * .mat. Options used: columns. "-" is standard output, as .npy. The file appears whole under its name or not at all. */
INCO_API int inco_save(const char *path, const inco_mat *m, const inco_options *options, const char *meta,
                       inco_error *error);

INCO_API int inco_load_codes(const char *path, inco_csc *codes, inco_origin *origin, inco_error *error);
INCO_API int inco_save_codes(const char *path, const inco_csc *codes, const inco_origin *origin, inco_error *error);

/* Decoded windows or patches (from inco_decode, means added) put back together by averaging overlaps, as .wav .flac .ogg or .png .pgm; with several
 * files in the origin, `path` names a folder. */
INCO_API int inco_save_decoded(const char *path, const inco_mat *signals, const inco_origin *origin,
                               inco_error *error);

/* Can `path` be written? Checked before hours of work. */
INCO_API int inco_check_output(const char *path, inco_error *error);

/* Streams for checkpoints in files, whole or not at all: open, save, then close with keep = 1 (or 0 to drop it). */
INCO_API int inco_file_create(inco_stream *stream, const char *path, inco_error *error);
INCO_API int inco_file_open(inco_stream *stream, const char *path, inco_error *error);
INCO_API int inco_file_close(inco_stream *stream, int keep, inco_error *error);

/* ---- Pages with figures ------------------------------------------------------------------------------------ */

/* A page of its own: HTML with SVG figures, light and dark, for screen, phone and paper, that fetches nothing. New,
 * then what stands on it from top to bottom, then write. The calls that add keep nothing of what they are given; they
 * return nothing: a failure is kept and told by inco_report_write. All text is UTF-8 and is escaped. */
typedef struct inco_report inco_report;

INCO_API inco_report *inco_report_new(const char *title, const char *subtitle); /* NULL when there is no memory */
INCO_API void inco_report_free(inco_report *report);

/* Begins a section; `text` (may be NULL) is a paragraph under its heading. */
INCO_API void inco_report_section(inco_report *report, const char *title, const char *text);

/* A name and its value; `note` (may be NULL) is small print. */
typedef struct inco_fact {
    const char *name, *value, *note;
    int code; /* the value is set in a typewriter face */
} inco_fact;

INCO_API void inco_report_facts(inco_report *report, const inco_fact *facts, int count);     /* as a list */
INCO_API void inco_report_headlines(inco_report *report, const inco_fact *facts, int count); /* as large numbers */

/* Charts. A series has rising x; NaN in y is a gap. */
typedef enum inco_style {
    INCO_LINE,  /* through the points */
    INCO_BARS,  /* from x to x + width, as in a histogram */
    INCO_STEPS  /* the outline of such bars, where several are compared */
} inco_style;

typedef struct inco_series {
    const char *name;
    inco_style style;
    int64_t count;
    const double *x;          /* NULL: 1, 2, 3, ... */
    const double *y;
    const double *low, *high; /* a band around a line, such as quartiles; both NULL for none */
    double width;             /* of bars and steps */
} inco_series;

typedef struct inco_axis {
    const char *label; /* with its unit */
    int log;           /* values of 0 and less are not shown */
    double low, high;  /* the ends; both 0: what the data needs */
} inco_axis;

/* A dashed line across the chart at a value: a bound, a reference. */
typedef struct inco_mark {
    const char *name;
    double value;
    int vertical; /* at an x; else at a y */
} inco_mark;

typedef struct inco_chart {
    size_t size;         /* sizeof(inco_chart) */
    const char *id;      /* names the CSV file and the place on the page: letters, digits and dashes */
    const char *title;
    const char *caption; /* what to look for; may be NULL */
    inco_axis x, y;
    const inco_series *series;
    int series_count;
    const inco_mark *marks;
    int mark_count;
} inco_chart;

INCO_API void inco_report_chart(inco_report *report, const inco_chart *chart);
/* The chart alone as an SVG document, for other pages. */
INCO_API int inco_chart_write(const inco_chart *chart, const inco_stream *stream, inco_error *error);

typedef struct inco_table {
    size_t size;
    const char *id, *title, *caption;
    int columns, rows;
    const char *const *header; /* `columns` names */
    const char *const *cells;  /* row by row */
    const char *kinds;         /* a letter per column: l text, r numbers, v a verdict: "holds", "partly" or "fails" */
} inco_table;

INCO_API void inco_report_table(inco_report *report, const inco_table *table);

/* How far the residual of signals falls with the number of atoms: quartiles of ||x - D c|| / ||x|| over the signals,
 * with k atoms each, found by OMP in double. Signals without energy are left out. Options used: center, threads. Free
 * with inco_residuals_free. */
typedef struct inco_residuals {
    size_t size;
    int64_t signals, count;
    double *cardinality, *lower, *median, *upper;
} inco_residuals;

INCO_API int inco_residuals_measure(const inco_mat *dictionary, const inco_source *source, const inco_options *options,
                                    inco_residuals *residuals, inco_error *error);
INCO_API void inco_residuals_free(inco_residuals *residuals);

/* All that is known of a dictionary and of the run that made it; NULL, 0 and NaN for what is not. */
typedef struct inco_summary {
    size_t size;
    const inco_mat *dictionary;
    const inco_metrics *metrics;
    const inco_fact *facts;           /* what was run */
    int fact_count;
    const inco_progress *iterations;  /* as at their ends */
    int64_t iteration_count;
    const int64_t *uses;              /* by atom: signals that use it */
    int64_t signals;                  /* learned from */
    double relative_error, mean_cardinality;
    int64_t patch_rows, patch_cols;   /* atoms are patches of images, a row of pixels after the other */
    double rate;                      /* atoms are sounds, samples per second */
    double duplicates;                /* the threshold that metrics->duplicates counts from */
    const inco_residuals *held_out;   /* of signals not learned from */
} inco_summary;

/* The standard page of a dictionary: headline numbers, what was run, convergence, atoms, coherence, use, residuals and
 * the most coherent pairs, as far as they are known. */
INCO_API void inco_report_dictionary(inco_report *report, const inco_summary *summary);

/* Writes the page. INCO_ENOMEM when an addition found no memory, INCO_EINVAL when one was nonsense. */
INCO_API int inco_report_write(const inco_report *report, const inco_stream *stream, inco_error *error);
/* The numbers of figure and table i as CSV, i from 0; its name is that of the file without .csv, NULL past the last. */
INCO_API const char *inco_report_figure(const inco_report *report, int i);
INCO_API int inco_report_write_csv(const inco_report *report, int i, const inco_stream *stream, inco_error *error);

/* What `inco learn --log` has written. Names: "start.version", "start.options.method", "end.coherence.max". */
typedef struct inco_log inco_log;
INCO_API int inco_log_load(inco_log **log, const char *path, inco_error *error);
/* As inco_options_get: the length, -1 when there is no such member. The words of a list are joined as in a shell. */
INCO_API int inco_log_text(const inco_log *log, const char *name, char *buffer, size_t size);
INCO_API double inco_log_number(const inco_log *log, const char *name); /* NaN when there is none */
/* The iterations, each once, by number. */
INCO_API const inco_progress *inco_log_iterations(const inco_log *log, int64_t *count);
/* By atom, the signals that used it in the end; NULL when the log does not tell. */
INCO_API const int64_t *inco_log_usage(const inco_log *log, int64_t *atoms);
INCO_API void inco_log_free(inco_log *log);

/* ---- Expert calls ------------------------------------------------------------------------------------------ */

INCO_API int inco_mat_new(inco_mat *m, inco_type type, int64_t rows, int64_t cols, inco_error *error); /* zeros */
INCO_API inco_mat inco_mat_view(inco_type type, int64_t rows, int64_t cols, void *data);

/* Commands that an option belongs to. */
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
    char letter;              /* -o; 0 for none */
    const char *metavar;      /* NULL for a flag */
    const char *default_text; /* NULL when unset means something of its own, told in the help */
    const char *choices;      /* "a|b|c", or NULL */
    unsigned commands;        /* INCO_LEARN | ...; INCO_PROGRAM_ONLY for options of the program, not of the library */
    const char *group;        /* heading it stands under */
    const char *help;
} inco_option;

/* Row i of the table, NULL past its end. */
INCO_API const inco_option *inco_option_at(int i);

/* What this build can do: "npz", "audio", "resample", "png", "mat", "json". 1 or 0; -1 for an unknown name. */
INCO_API int inco_has(const char *feature);

INCO_API const char *inco_isa(void);          /* kernels in use: "sse2", "avx2", "avx512", or "generic" */
INCO_API const char *inco_blas(void);         /* name and version of the BLAS */
/* OpenBLAS falls back to kernels of 2004 on CPUs newer than itself, and is three times slower for it. The value for the
 * environment variable OPENBLAS_CORETYPE, to be set before the program starts, that mends this; NULL when all is well. */
INCO_API const char *inco_blas_advice(void);
INCO_API int inco_threads_available(void);    /* processors that this process may use */
INCO_API void inco_blas_one_thread(void);     /* for programs: BLAS stays on one thread for the rest of the process */

#ifdef __cplusplus
}
#endif
#endif
