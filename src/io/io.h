/* Formats of files: one row of the table in format.c each, and the functions they share. A new format is one file with
 * these functions and one row. */
#ifndef INCO_IO_IO_H
#define INCO_IO_IO_H

#include <inco/inco.h>

#include "io/output.h"
#include "sparse/csc.h"

typedef enum io_kind { IO_MATRIX, IO_AUDIO, IO_IMAGE } io_kind;

/* Optional libraries of the build. */
typedef enum io_feature { IO_ALWAYS, IO_NPZ, IO_AUDIO_FILES, IO_RESAMPLE, IO_PNG, IO_MAT, IO_JSON } io_feature;

/* Parameters of loading and saving. */
typedef struct io_how {
    int columns;          /* matrices: signals are the columns of the file */
    const char *variable; /* matrices: the array to load if there are several, or NULL */
    int64_t dim;          /* loading matrices: values per signal, if they are raw numbers; else 0 */
    double rate;          /* audio: loading: the rate to resample to, 0: the file's own; saving: the rate */
    const char *meta;     /* matrices: JSON text to store with the matrix, or NULL */
    const inco_mat *mean; /* matrices: D x 1, in double, to store with the matrix where the format can; or NULL */
    int64_t limit;        /* loading: bytes of memory that may be taken (base/limit.h) */
    struct io_rows *rows; /* loading matrices: native floats may stay in the file (rows.h); the matrix then has no data.
                           * NULL: all are loaded */
    int list;             /* matrices: one number per signal; an array may have one dimension */
} io_how;

/* Contents of a file. Matrix: one signal per column; audio: one column of samples; image: one row of pixels per
 * column. */
typedef struct io_array {
    inco_mat m;
    double rate;
    int columns; /* column j of m is column j of the file, not its row j */
} io_array;

/* Capabilities of a format, in this or another build. IO_SEEKS: saving seeks in the file, or needs its name. */
enum { IO_LOADS = 1, IO_SAVES = 2, IO_CODES = 4, IO_SEEKS = 8 };

/* Functions are NULL if the format has no such capability, or this build lacks the feature. */
typedef struct io_format {
    const char *extensions; /* ".csv .tsv" */
    io_kind kind;
    io_feature feature;
    unsigned can;
    int (*load)(const char *path, const io_how *how, io_array *out, inco_error *error);
    int (*save)(output *out, const io_array *array, const io_how *how, inco_error *error);
    int (*load_codes)(const char *path, int64_t limit, csc *codes, inco_origin *origin, inco_error *error);
    int (*save_codes)(output *out, const csc *codes, const inco_origin *origin, inco_error *error);
    /* With IO_CODES: numbers by name, allocated; *values is NULL if there are none. */
    int (*load_list)(const char *path, const char *name, double **values, int64_t *count, inco_error *error);
    int (*measure)(const char *path, const io_how *how, io_array *out, inco_error *error); /* as io_measure */
} io_format;

/* The format of a name by its extension, in this build or not; NULL: none. */
const io_format *io_find(const char *path);
/* The same, of a kind (-1: any) and with the capability `what` in this build; else fails, listing the extensions. */
int io_need(const io_format **format, const char *path, int kind, unsigned what, inco_error *error);
/* INCO_OK, or INCO_ENOTBUILT with a message that names the library. */
int io_need_feature(io_feature feature, const char *path, inco_error *error);
const char *io_kind_name(io_kind kind);   /* "image" */
const char *io_kind_phrase(io_kind kind); /* "an image" */

io_how io_how_from(const inco_options *options); /* NULL: defaults */

/* Loads a file of any kind, by its extension. Does not check for NaN. */
int io_load(const char *path, const io_how *how, io_array *out, inco_error *error);
/* Reads only the size and rate of a file, without data, if its format can: IO_MEASURED; else INCO_OK, with nothing
 * read. */
enum { IO_MEASURED = 1 };
int io_measure(const char *path, const io_how *how, io_array *out, inco_error *error);
/* Loads a matrix; refuses NaN and Inf. */
int io_load_matrix(const char *path, const io_how *how, inco_mat *m, inco_error *error);
/* What is stored with a matrix: as in io_how. */
typedef struct io_extra {
    const char *meta;
    const inco_mat *mean;
} io_extra;
/* inco_save, with more; atomically. */
int io_save_matrix(const char *path, const inco_mat *m, const io_extra *extra, const inco_options *options,
                   inco_error *error);

/* Refuses NaN and Inf: "x.npy: NaN at row 3, column 0 (counted from 0)". Column j of the array is signal first + j of
 * the file. `advice` ends the message if it is about a NaN. */
int io_check_finite(const char *path, const io_array *array, int64_t first, const char *advice, inco_error *error);

#endif
