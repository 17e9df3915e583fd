/* Notes taken in a coding pass: how much the signals use each atom, and which signals are coded worst. */
#ifndef INCO_REPLACE_NOTES_H
#define INCO_REPLACE_NOTES_H

#include "data/pass.h"
#include "replace/replace.h"

typedef struct pass_notes {
    int64_t atoms;
    double *use_energy; /* by atom: sum of its squared coefficients, A_jj */
    int64_t *use_count; /* by atom: signals that use it */
    worst_list worst;   /* sorted once the pass has ended */
} pass_notes;

/* `worst`: signals to note at most. */
int notes_new(pass_notes *notes, int64_t atoms, int64_t worst, inco_error *error);
void notes_free(pass_notes *notes);
void notes_clear(pass_notes *notes);
void notes_add(pass_notes *notes, const pass_group *group);

#endif
