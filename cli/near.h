/* The nearest of some words, to suggest when one is misspelt. */
#ifndef INCO_CLI_NEAR_H
#define INCO_CLI_NEAR_H

typedef struct near_search {
    const char *word, *best;
    int distance;
} near_search;

near_search near_start(const char *word);
void near_try(near_search *search, const char *candidate);
/* The nearest candidate, or NULL when none is close enough to be meant. */
const char *near_found(const near_search *search);

#endif
