/* Atoms as small pictures: curves, or patches of grey. */
#ifndef INCO_REPORT_ATOMS_H
#define INCO_REPORT_ATOMS_H

#include "report/report.h"

typedef struct atom_view {
    const inco_mat *dictionary;
    int64_t patch_rows, patch_cols; /* 0: curves */
    const int64_t *uses;            /* by atom; NULL: not known */
    int64_t signals;
} atom_view;

/* Returns whether the shape of a patch matches the dimension of the atoms. */
int atoms_are_patches(const atom_view *v);

/* Adds the atoms in the order given: the first ones visible, the others behind a click, up to the size limit. Returns
 * the number shown; the CSV has these. */
int64_t atoms_add(inco_report *r, const atom_view *v, const int64_t *order, const char *caption);

typedef struct atom_pair {
    int64_t first, second;
    double similarity;
} atom_pair;

/* Pairs of an atom of `v` and one of `others`, which may be the same, one over the other or side by side; the second is
 * negated if their inner product is negative. */
void atoms_add_pairs(inco_report *r, const atom_view *v, const atom_view *others, const atom_pair *pairs, int64_t count,
                     const char *caption);
/* The pairs in numbers, at most ATOM_PAIRS of them. `header`: names of the three columns. */
enum { ATOM_PAIRS = 20 };
void atoms_add_pair_table(inco_report *r, const char *const header[3], const atom_pair *pairs, int64_t count,
                          const char *caption);

/* More atoms of unknown shape are not drawn: decoders of sparse autoencoders have tens of thousands, whose curves look
 * like noise. */
enum { ATOMS_DRAWN = 2048 };

#endif
