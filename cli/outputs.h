/* Output files of a run, checked before any work. */
#ifndef INCO_CLI_OUTPUTS_H
#define INCO_CLI_OUTPUTS_H

#include "run.h"

typedef enum output_kind {
    OUTPUT_MATRIX, /* .npy .npz .csv .tsv .mat */
    OUTPUT_CODES,  /* .npz .mat */
    OUTPUT_MEDIA,  /* audio, an image, or a folder of them: looked at later */
    OUTPUT_STATE,  /* any name */
    OUTPUT_TEXT,   /* any name, and fit for a terminal */
    OUTPUT_FOLDER  /* a folder, made when it is not there */
} output_kind;

typedef struct output {
    const char *option; /* "-o", "--codes": as messages name it */
    const char *path;   /* NULL: not asked for */
    output_kind kind;
} output;

/* Fails when two outputs are the same file, when one is an input, when standard output would get two things or binary
 * ones on a terminal, when a name does not tell a format of its kind, or when a file cannot be written. `inputs` may
 * hold NULLs. */
int outputs_check(run *r, const output *outputs, int count, const char *const *inputs, int input_count);

/* Does the ending of the name tell a format for a matrix? (Standard output has one.) */
int outputs_is_matrix(const char *path);

/* Writes a file of text, whole or not at all. */
int outputs_write(run *r, const char *path, const char *text, size_t size);

#endif
