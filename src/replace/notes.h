/* Notes taken in a coding pass: the use of each atom, and the signals with the largest error. */
#ifndef INCO_REPLACE_NOTES_H
#define INCO_REPLACE_NOTES_H

#include "data/collector.h"
#include "replace/replace.h"

typedef struct pass_notes {
    int64_t atoms;
    double *use_energy; /* per atom: weighted sum of squared coefficients, A_jj */
    double *use_weight; /* per atom: sum of the weights of the signals that use it */
    worst_list worst;   /* sorted after the pass */
} pass_notes;

/* `worst`: maximum number of signals to note. */
int notes_new(pass_notes *notes, int64_t atoms, int64_t worst, inco_error *error);
void notes_free(pass_notes *notes);
void notes_clear(pass_notes *notes);
/* Notes the signals with the largest errors of a group. */
void notes_rank(pass_notes *notes, const pass_group *group);
/* Notes the atoms that codes use; or those of a pass, by its sums. */
void notes_count(pass_notes *notes, const pass_group *group);
void notes_add(pass_notes *notes, const collected *sums);
/* Moves the signals noted by all ranks to rank 0. */
int notes_gather(pass_notes *notes, cluster *by, inco_error *error);

#endif
