/* Atoms that are unused or too coherent with another, and the signals that replace them. */
#ifndef INCO_REPLACE_REPLACE_H
#define INCO_REPLACE_REPLACE_H

#include "base/options.h"
#include "replace/worst.h"

enum { UNUSED_KEEP, UNUSED_WORST, UNUSED_SAMPLE };
enum { LAST_SKIP, LAST_PUBLISHED };

typedef struct replace_options {
    int64_t unused, min_uses, exchange, last;
    double replace;
} replace_options;
OPTIONS_DECLARE(replace)

/* Checks that the options are compatible. */
int replace_check(const inco_options *options, inco_error *error);

/* Replacements of atoms by signals or by the lines of exchange.h. Chosen after an update, applied before the next
 * coding. Those chosen after the last update are applied by the published rule (LAST_PUBLISHED); without it the final
 * dictionary contains only learned atoms. */
enum { REPLACED_UNUSED, REPLACED_COHERENT, REPLACED_EXCHANGED };

typedef struct replacement {
    int64_t atom, by; /* by: a signal, or with REPLACED_EXCHANGED a line */
    int64_t reason;   /* REPLACED_... */
} replacement;

typedef struct replacement_list {
    replacement *item;
    int64_t count;
    inco_mat lines; /* D x some, double; the first ones are used */
} replacement_list;

/* For a dictionary of this size, and up to `lines` lines. */
int replace_new(replacement_list *list, int64_t dim, int64_t atoms, int64_t lines, inco_error *error);
void replace_free(replacement_list *list);

typedef struct replacement_rule {
    int policy;                /* UNUSED_... */
    double min_uses;           /* atoms used by fewer signals are unused */
    double bound;              /* atoms with a larger |d_i'd_j| are replaced; NaN: none */
    const double *use_weight;  /* per atom: sum of the weights of the signals that use it */
    const inco_mat *d;         /* after the update */
    const inco_source *source; /* the prepared signals */
    const worst_list *worst;   /* sorted */
    uint64_t seed, round;      /* round: the iteration, so that each draws other signals */
    int threads;
} replacement_rule;

/* Chooses nonzero signals for unused atoms, and for atoms too coherent with another, including replacements so far.
 * Each content of a signal is used once. Adds to `list`. */
int replace_choose(replacement_list *list, const replacement_rule *rule, inco_error *error);

int64_t replace_count(const replacement_list *list, int64_t reason);

/* Applies the replacements to d: signals, normalised, and lines. */
int replace_apply(const replacement_list *list, inco_mat *d, const inco_source *source, inco_error *error);

#endif
