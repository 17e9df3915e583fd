/* Some of the signals of a source, in their order: a source around a source. One bit per signal. */
#ifndef INCO_DATA_SUBSET_H
#define INCO_DATA_SUBSET_H

#include <inco/inco.h>

typedef struct subset {
    inco_source source; /* the signals chosen */
    const inco_source *from;
    uint64_t *chosen; /* bit n % 64 of word n / 64: whether signal n is chosen */
    int64_t *before;  /* per word: number of signals chosen before it */
} subset;

/* None of the signals; `s` must not move as long as s->source is in use. subset_free is required after a failure too.
 */
int subset_new(subset *s, const inco_source *from, inco_error *error);
void subset_free(subset *s);
/* Chooses signal n of `from`; subset_complete ends the choice. */
void subset_add(subset *s, int64_t n);
void subset_complete(subset *s);

/* The index in `from` of signal i of the subset. */
int64_t subset_index(const subset *s, int64_t i);

#endif
