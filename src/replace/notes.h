/* Notes taken in a coding pass: the use of each atom, and the signals with the largest error. */
#ifndef INCO_REPLACE_NOTES_H
#define INCO_REPLACE_NOTES_H

#include "data/pass.h"
#include "replace/replace.h"

typedef struct pass_notes {
    int64_t atoms;
    double *use_energy; /* per atom: sum of squared coefficients, A_jj */
    int64_t *use_count; /* per atom: number of signals that use it */
    worst_list worst;   /* sorted after the pass */
} pass_notes;

/* `worst`: maximum number of signals to note. */
int notes_new(pass_notes *notes, int64_t atoms, int64_t worst, inco_error *error);
void notes_free(pass_notes *notes);
void notes_clear(pass_notes *notes);
void notes_add(pass_notes *notes, const pass_group *group);

#endif
