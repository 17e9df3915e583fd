/* Output files of a run, checked before any work. */
#ifndef INCO_CLI_OUTPUTS_H
#define INCO_CLI_OUTPUTS_H

#include "run.h"

typedef enum output_kind {
    OUTPUT_MATRIX, /* .npy .npz .csv .tsv .mat .safetensors */
    OUTPUT_CODES,  /* .npz .mat */
    OUTPUT_MEDIA,  /* audio, an image, or a folder of them: checked later */
    OUTPUT_STATE,  /* any name */
    OUTPUT_TEXT,   /* any name; may go to a terminal */
    OUTPUT_FOLDER  /* a folder, created if missing */
} output_kind;

typedef struct output {
    const char *option; /* as in messages: "-o", "--codes" */
    const char *path;   /* NULL: not requested */
    output_kind kind;
} output;

/* Fails if two outputs are the same file, if one is an input, if standard output would receive two outputs, or binary
 * data on a terminal, if the extension is not that of a format of its kind, or if a file cannot be written. `inputs`
 * may contain NULLs. */
int outputs_check(run *r, const output *outputs, int count, const char *const *inputs, int input_count);

/* Returns whether the extension is that of a matrix. (Standard output is a matrix.) */
int outputs_is_matrix(const char *path);

int outputs_is_standard(const char *path); /* "-"; NULL is not */
/* Says "wrote FILE", or "wrote the codes to standard output", with what = "codes". */
void outputs_say(const run *r, const char *path, const char *what);

/* Writes a text file atomically. */
int outputs_write(run *r, const char *path, const char *text, size_t size);

#endif
